"""Paired comparison of runs on the same questions (``vhbench compare``)."""
