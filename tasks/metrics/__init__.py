"""One file per metric; pure functions on the standard library, numpy and the lowest layer."""
