"""All English of vhbench: what responses say, what captions claim, and how words are inflected."""
