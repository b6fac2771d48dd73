"""Parametric creatures: people and quadrupeds, by action, colour and variant."""
