"""Rendered backdrops and the words that each of them shows."""
