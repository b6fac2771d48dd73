"""What lmms-eval loads: YAML task files, the functions that they name, and the metrics."""
