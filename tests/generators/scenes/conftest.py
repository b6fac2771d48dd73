"""Pictures of single drawings."""

import io
from collections.abc import Callable

import numpy as np
import pytest
import resvg_py
from PIL import Image

from vhbench.generators.scenes.drawings.artwork import Drawing


def paint(drawing: Drawing, size: int = 110, margin: int = 5) -> np.ndarray:
    """Return RGBA pixels; the drawing's longer side has ``size`` pixels, inside a square with a margin."""
    side, scale = size + 2 * margin, size / max(drawing.width, drawing.height)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}">'
        f'<g transform="translate({margin} {margin}) scale({scale:.5f})">{drawing.svg}</g></svg>'
    )
    return np.array(Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg)))).convert("RGBA"))


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
