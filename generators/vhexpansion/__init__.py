"""VHExpansion: negated questions and perturbed images."""
