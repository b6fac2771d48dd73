"""Scene layout: planned objects, positions, and checks of the result."""
