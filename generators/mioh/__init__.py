"""MIOH: 26 multi-image question types under controlled pressure (arXiv 2608.30653)."""
