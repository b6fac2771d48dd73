"""MIOH: 26 types of questions over several images under controlled pressure (arXiv 2608.30653)."""
