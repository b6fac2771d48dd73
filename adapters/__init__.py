"""One file per outside system; every heavy import is here, inside functions."""
