"""ODE: new test images from a graph of concepts (arXiv 2409.09318)."""
