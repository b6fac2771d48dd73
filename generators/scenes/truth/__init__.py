"""Ground truth of rendered scenes, measured on their pixels."""
