"""Benchmark builds: one module per benchmark, plus the sharding machinery."""
