"""Drawings as they stand in an image, lit from the top left."""

import numpy as np
import pytest

from vhbench.generators.scenes.drawings.sprites import _relief


def test_a_light_spot_is_raised_where_it_is() -> None:
    """A white spot on black, opposite to a black one: only a tenth of the relief is of the colour."""
    colours = np.zeros((64, 64, 3), np.float32)
    colours[8:16, 8:16] = 1
    relief = _relief(colours, np.full((64, 64), 255, np.uint8))
    assert relief[12, 12] - relief[51, 51] == pytest.approx(0.1, abs=1e-5)
