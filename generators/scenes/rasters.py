"""From vector markup to pixels: the one place that knows the renderer."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import resvg

Pixels = npt.NDArray[np.uint8]

_STILL = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
"""The transformation that moves nothing."""


def rasterise(svg: str, box: str, width: int, height: int, *, rows: int | None = None) -> Pixels:
    """Draw markup without its ``<svg>`` element.

    Args:
        svg: the markup, of elements without text: no font is loaded.
        box: the part of the drawing that is seen, as in ``viewBox``; it is stretched to the picture.
        width: of the picture in pixels.
        height: of the picture in pixels.
        rows: how many rows of the picture are wanted, from the top; all by default.

    Returns:
        Blue, green, red and opacity, not premultiplied, shape (rows, width, 4).
    """
    document = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{box}" width="{width}" height="{height}" preserveAspectRatio="none">{svg}</svg>'
    )
    tree = resvg.usvg.Tree.from_str(document, _options())
    png = resvg.render(tree, _STILL, bg_size=(width, rows or height))
    return np.asarray(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED), np.uint8)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let OpenCV work in this thread alone: on pictures as small as ours its helpers cost more than they take over."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


@cache
def _options() -> Any:
    return resvg.usvg.Options.default()
