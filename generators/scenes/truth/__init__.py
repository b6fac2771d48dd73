"""What a drawn scene shows, read from its pixels."""
