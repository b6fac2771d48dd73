"""Clusters, confidence intervals and families of claims."""
