"""Which rows of a split each task keeps; the YAML files name these functions in ``process_docs``."""

import hashlib
from typing import Any

from vhbench.tasks.datasets import or_exit, select

# The pressure "number of images" keeps its count in the name: ni2, ni4, ni8, ni10.
_NUMBER_OF_IMAGES = ("ni2", "ni4", "ni8", "ni10")


def whole(docs: Any) -> Any:
    """Keep every row; only check that they belong together."""
    return or_exit(select, docs)


def pairs(docs: Any) -> Any:
    """Keep every row of VHExpansion, in an order that suits ``--limit``.

    A question is followed by its negated twin, and the first cases are the same ones under every perturbation: a
    mixture of all, by a hash of their image, so that drops can be told from a part as well.
    """
    docs = or_exit(select, docs)
    columns = [docs[name][:] for name in ("pair_id", "perturbation", "scene_ids", "negated")]

    def place(row: int) -> tuple[bytes, str, bool]:
        pair, perturbation, scenes, negated = (column[row] for column in columns)
        case = pair.removesuffix(f"/{perturbation}")
        return hashlib.sha256(("\n".join(scenes) or case).encode()).digest(), case, negated

    return docs.select(sorted(range(len(docs)), key=place))


def mioh(docs: Any) -> Any:
    """All of MIOH: the paper's aggregate."""
    return or_exit(select, docs)


def mioh_comprehensive(docs: Any) -> Any:
    """Questions about all images together."""
    return or_exit(select, docs, mode="comprehensive")


def mioh_comparative(docs: Any) -> Any:
    """Questions that compare two images."""
    return or_exit(select, docs, mode="comparative")


def mioh_selective(docs: Any) -> Any:
    """Questions that ask for the one image that fits."""
    return or_exit(select, docs, mode="selective")


def mioh_existence(docs: Any) -> Any:
    """Is it there?"""
    return or_exit(select, docs, task="existence")


def mioh_counting(docs: Any) -> Any:
    """How many are there?"""
    return or_exit(select, docs, task="counting")


def mioh_attribute(docs: Any) -> Any:
    """What is it like?"""
    return or_exit(select, docs, task="attribute")


def mioh_position(docs: Any) -> Any:
    """Where is it?"""
    return or_exit(select, docs, task="position")


def mioh_easy(docs: Any) -> Any:
    """Questions without pressure."""
    return or_exit(select, docs, pressure="easy")


def mioh_ni(docs: Any) -> Any:
    """Pressure by the number of images."""
    return or_exit(select, docs, pressure=_NUMBER_OF_IMAGES)


def mioh_hp(docs: Any) -> Any:
    """Hard positives: the target is small, hidden, at the edge or untypical."""
    return or_exit(select, docs, pressure="hp")


def mioh_hn(docs: Any) -> Any:
    """Hard negatives: the target is absent where one expects it."""
    return or_exit(select, docs, pressure="hn")
