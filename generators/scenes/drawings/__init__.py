"""Vector drawings, their rasters, and the rendered image."""
