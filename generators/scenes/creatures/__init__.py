"""Parametric creatures: people and four-legged animals, drawn for an action, a colour and a variant."""
