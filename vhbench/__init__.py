"""Versioned benchmarks of visual hallucination that plug into lmms-eval.

Three published protocols: ODE (generated images from a concept graph), MIOH (26 types of questions over several
images) and VHExpansion (negated questions and perturbed images). Importing this package is light: torch,
transformers and lmms-eval are only imported by the functions in ``vhbench.adapters`` that need them.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("vhbench")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["__version__"]
