"""lmms-eval tasks: YAML files, their functions, and the metrics."""
