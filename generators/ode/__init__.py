"""ODE: new test images from a concept graph (arXiv 2409.09318)."""
