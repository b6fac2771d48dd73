"""Claims of object presence in captions."""
