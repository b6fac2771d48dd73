"""The expansion of VHExpansion: an initial case becomes original, negated, perturbed, and perturbed and negated.

Ids tie them together. A case ``c`` gives the rows ``c`` and ``c/negated`` with the pair id ``c``, and for each
perturbation ``p`` the rows ``c/p`` and ``c/p/negated`` with the pair id ``c/p``: the clean pair of a perturbed one is
what stands before the last slash, also in a split, where a name without meaning stands in the place of ``c``.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS, Array, perturbation
from vhbench.generators.vhexpansion.rewriting import Twin
from vhbench.generators.vhexpansion.undecidable import undecided
from vhbench.images import open_image, to_png
from vhbench.schema import Question, Row, VhbenchError
from vhbench.seeding import rng

OPPOSITE = {"yes": "no", "no": "yes"}
SMALLEST = 2
"""Pixels along the shorter side below which an image shows nothing."""


class UnusableImage(Exception):
    """An image that cannot be decoded or is too small; ``reason`` is the rejection's."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class InitialCase:
    """One initial yes/no question, its negated twin, and what belongs to both."""

    question: Question
    twin: Twin


def may_change(question: str, perturbation: str) -> str:
    """Return the first words of a question whose answer a perturbation may change or hide; "" if there are none.

    >>> may_change("Is the duck brown?", "brightness")
    'brown'
    """
    return undecided(question, PERTURBATIONS[perturbation].unsure.split())


def clean_id(text: str) -> str:
    """Return an id without slashes, which have a meaning here."""
    return text.replace("/", ":")


def clean_pair(pair_id: str) -> str:
    """Return the clean pair's id of a perturbed pair: ``"pope-1/brightness"`` → ``"pope-1"``."""
    return pair_id.rpartition("/")[0]


def config_name(source: str, perturbation: str = "") -> str:
    """Return the config that rows belong to, such as ``vhexpansion_pope_brightness``."""
    return "_".join(filter(None, ("vhexpansion", source, perturbation)))


def pair(case: InitialCase, *, perturbation: str = "", image: bytes | None = None) -> Iterator[Row]:
    """Yield the row of a case and the row of its negated twin; the ``mode`` of both tells how the twin is worded.

    Args:
        case: the initial case.
        perturbation: its name, or "" for the unchanged image.
        image: the perturbed image, encoded; None for the original's own bytes.
    """
    question = case.question
    name = "/".join(filter(None, (question.id, perturbation)))
    images = question.images if image is None else (image,)
    row = replace(question, id=name, pair_id=name, images=images, perturbation=perturbation, mode=case.twin.form)
    twin = replace(row, id=f"{name}/negated", question=case.twin.text, answer=OPPOSITE[row.answer], negated=True)
    config = config_name(question.source, perturbation)
    yield Row(config, row)
    yield Row(config, twin)


def perturbed(
    pixels: Array, digest: str, name: str, *, seed: int, severity: int | None = None, compat: bool = False
) -> bytes:
    """Return a perturbed image as PNG; what is random follows from the seed, the name and the image's digest alone.

    Args:
        pixels: of the image.
        digest: of its bytes.
        name: of the perturbation.
        seed: of the build.
        severity: see :func:`perturbation`.
        compat: a blur is as wide in pixels as the paper's; else it grows with the image.
    """
    change = perturbation(name, severity, relative=not compat)
    changed = change(pixels, rng(seed, "vhexpansion", name, digest))
    return to_png(Image.fromarray(changed), compress_level=4)


def decode(data: bytes) -> Array:
    """Return the pixels of what an image shows: (H, W), (H, W, 2), (H, W, 3) or (H, W, 4), uint8.

    Raises:
        UnusableImage: "unreadable_image" or "image_too_small".
    """
    try:
        image = open_image(data)
        if min(image.size) < SMALLEST:
            raise UnusableImage("image_too_small", f"{image.width}×{image.height} pixels")
        return np.asarray(image)
    except VhbenchError as error:
        raise UnusableImage("unreadable_image", str(error)) from error


def digest_of(image: bytes) -> str:
    """Return the SHA-256 of an encoded image, in hex."""
    return hashlib.sha256(image).hexdigest()
