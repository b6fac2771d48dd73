"""What a caption claims to be in the image."""
