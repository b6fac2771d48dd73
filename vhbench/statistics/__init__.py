"""Clusters, confidence intervals and multiple testing."""
