"""The embedded image source: drawn scenes whose truth is known by construction."""
