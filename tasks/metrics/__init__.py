"""One file per metric; pure functions that import the standard library, numpy and floor 0 only."""
