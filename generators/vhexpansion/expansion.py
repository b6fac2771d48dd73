"""Expansion of an initial case: original, negated, perturbed, perturbed and negated.

Ids link the rows. A case ``c`` yields the rows ``c`` and ``c/negated`` with pair id ``c``, and for each perturbation
``p`` the rows ``c/p`` and ``c/p/negated`` with pair id ``c/p``. The clean pair's id is the part before the last slash,
also in splits, which replace ``c`` by an opaque id.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS, Array, perturbation, split_name
from vhbench.generators.vhexpansion.rewriting import Twin
from vhbench.generators.vhexpansion.undecidable import undecided
from vhbench.images import open_image, to_png
from vhbench.schema import Question, Row, VhbenchError
from vhbench.seeding import rng

OPPOSITE = {"yes": "no", "no": "yes"}
SMALLEST = 2  # minimum length of the shorter side in pixels


class UnusableImage(Exception):
    """Image that cannot be decoded or is too small; ``reason`` is the rejection reason."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class InitialCase:
    """Initial yes/no question with its negated twin."""

    question: Question
    twin: Twin


def may_change(question: str, perturbation: str) -> str:
    """Return the words by which a perturbation may affect a question's answer, or "".

    >>> may_change("Is the duck brown?", "brightness")
    'brown'
    """
    return undecided(question, PERTURBATIONS[split_name(perturbation)[0]].unsure.split())


def clean_id(text: str) -> str:
    """Return an id without slashes, which are separators here.

    >>> clean_id("a/b/c")
    'a:b:c'
    """
    return text.replace("/", ":")


def clean_pair(pair_id: str) -> str:
    """Return the clean pair's id of a perturbed pair.

    >>> clean_pair("pope-1/brightness")
    'pope-1'
    """
    return pair_id.rpartition("/")[0]


def config_name(source: str, perturbation: str = "") -> str:
    """Return the config of a row.

    >>> config_name("pope", "brightness"), config_name("pope")
    ('vhexpansion_pope_brightness', 'vhexpansion_pope')
    """
    return "_".join(filter(None, ("vhexpansion", source, perturbation)))


def pair(case: InitialCase, *, perturbation: str = "", image: bytes | None = None) -> Iterator[Row]:
    """Yield the rows of a case and its negated twin, whose wording is the ``mode``; None keeps the case's own image."""
    question = case.question
    name = "/".join(filter(None, (question.id, perturbation)))
    images = question.images if image is None else (image,)
    row = replace(question, id=name, pair_id=name, images=images, perturbation=perturbation, mode=case.twin.form)
    twin = replace(row, id=f"{name}/negated", question=case.twin.text, answer=OPPOSITE[row.answer], negated=True)
    config = config_name(question.source, perturbation)
    yield Row(config, row)
    yield Row(config, twin)


def perturbed(
    pixels: Array,
    digest: str,
    name: str,
    *,
    seed: int,
    severity: int | None = None,
    relative: bool = False,
    compression: int = 4,
) -> bytes:
    """Return a perturbed image as PNG, seeded by the seed, the name and the digest of its encoded bytes.

    See :func:`perturbation` for severity and relative lengths.
    """
    change = perturbation(name, severity, relative=relative)
    changed = change(pixels, rng(seed, "vhexpansion", name, digest))
    return to_png(Image.fromarray(changed), compress_level=compression)


def decode(data: bytes) -> Array:
    """Decode to uint8 of shape (H, W), (H, W, 2), (H, W, 3) or (H, W, 4); raise :class:`UnusableImage` if it is bad."""
    try:
        image = open_image(data)
        if min(image.size) < SMALLEST:
            raise UnusableImage("image_too_small", f"{image.width}×{image.height} pixels")
        return np.asarray(image)
    except VhbenchError as error:
        raise UnusableImage("unreadable_image", str(error)) from error


def digest_of(image: bytes) -> str:
    """Return the SHA-256 of an encoded image, in hex.

    >>> digest_of(b"png")
    '8f8cbb7dcf46e0bc7d53265749a6c17d116093a6ba95e442764060c76fd4a86c'
    """
    return hashlib.sha256(image).hexdigest()
