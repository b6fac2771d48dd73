"""Runs on the same questions, compared question by question: what ``vhbench compare`` tells."""
