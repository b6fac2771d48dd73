"""Where a scene can be: painted backdrops, and the words that each of them shows."""
