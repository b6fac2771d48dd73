"""Adapters, one file per external system; all heavy imports are here, inside functions."""
