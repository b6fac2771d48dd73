"""Pictures of single drawings."""

from collections.abc import Callable

import numpy as np
import pytest

from vhbench.generators.scenes.drawings.artwork import Drawing
from vhbench.generators.scenes.rasters import rasterise


def paint(drawing: Drawing, size: int = 110, margin: int = 5) -> np.ndarray:
    """Return RGBA pixels; the drawing's longer side has ``size`` pixels, inside a square with a margin."""
    side, scale = size + 2 * margin, size / max(drawing.width, drawing.height)
    moved = f'<g transform="translate({margin} {margin}) scale({scale:.5f})">{drawing.svg}</g>'
    return rasterise(moved, f"0 0 {side} {side}", side, side)[..., [2, 1, 0, 3]]


@pytest.fixture(scope="session")
def picture() -> Callable[..., np.ndarray]:
    """A function that paints a drawing."""
    return paint


@pytest.fixture(scope="session")
def visible() -> Callable[[Drawing], np.ndarray]:
    """A function that returns a drawing's opaque pixels, shape (n, 3)."""

    def opaque(drawing: Drawing) -> np.ndarray:
        pixels = paint(drawing)
        return pixels[pixels[..., 3] > 230][:, :3]

    return opaque
