"""Drawings as markup, as pixels, and as parts of a picture."""
