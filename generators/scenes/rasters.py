"""Rasterisation of vector markup; the only module that uses the renderer."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import resvg

from vhbench.opencv import cv2

Pixels = npt.NDArray[np.uint8]

_STILL = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)  # identity transformation


def rasterise(svg: str, box: str, width: int, height: int, *, rows: int | None = None) -> Pixels:
    """Rasterise markup without its ``<svg>`` element, and without text, since no font is loaded.

    ``box`` is the visible part of the drawing, as in ``viewBox``; it is stretched to width × height pixels, of which
    the top ``rows`` are returned, by default all: BGRA, not premultiplied, shape (rows, width, 4).
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
    """Run OpenCV on this thread only; its thread pool slows down work on small images."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


@cache
def _options() -> Any:
    return resvg.usvg.Options.default()
