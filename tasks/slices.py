"""Which rows of a split each MIOH task keeps; the YAML files name these functions in ``process_docs``."""

from typing import Any

from vhbench.tasks.datasets import select

# The pressure "number of images" keeps its count in the name: ni2, ni4, ni8, ni10.
_NUMBER_OF_IMAGES = ("ni2", "ni4", "ni8", "ni10")


def mioh(docs: Any) -> Any:
    """All of MIOH: the paper's aggregate."""
    return select(docs)


def mioh_comprehensive(docs: Any) -> Any:
    """Questions about all images together."""
    return select(docs, mode="comprehensive")


def mioh_comparative(docs: Any) -> Any:
    """Questions that compare two images."""
    return select(docs, mode="comparative")


def mioh_selective(docs: Any) -> Any:
    """Questions that ask for the one image that fits."""
    return select(docs, mode="selective")


def mioh_existence(docs: Any) -> Any:
    """Is it there?"""
    return select(docs, task="existence")


def mioh_counting(docs: Any) -> Any:
    """How many are there?"""
    return select(docs, task="counting")


def mioh_attribute(docs: Any) -> Any:
    """What is it like?"""
    return select(docs, task="attribute")


def mioh_position(docs: Any) -> Any:
    """Where is it?"""
    return select(docs, task="position")


def mioh_easy(docs: Any) -> Any:
    """Questions without pressure."""
    return select(docs, pressure="easy")


def mioh_ni(docs: Any) -> Any:
    """Pressure by the number of images."""
    return select(docs, pressure=_NUMBER_OF_IMAGES)


def mioh_hp(docs: Any) -> Any:
    """Hard positives: the target is small, hidden, at the edge or untypical."""
    return select(docs, pressure="hp")


def mioh_hn(docs: Any) -> Any:
    """Hard negatives: the target is absent where one expects it."""
    return select(docs, pressure="hn")
