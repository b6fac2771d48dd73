"""Drawings as they stand in an image, lit from the top left."""

import hashlib
import os
import subprocess
import sys

import golden_drawings
import numpy as np
import pytest

from vhbench.generators.scenes.drawings.sprites import Look, TooSmallError, _relief, silhouette, size_for, sprite


def test_a_light_spot_is_raised_where_it_is() -> None:
    """A white spot on black, opposite to a black one: only a tenth of the relief is of the colour."""
    colours = np.zeros((64, 64, 3), np.float32)
    colours[8:16, 8:16] = 1
    relief = _relief(colours, np.full((64, 64), 255, np.uint8))
    assert relief[12, 12] - relief[51, 51] == pytest.approx(0.1, abs=1e-5)


def test_the_library_for_matrices_does_not_change_a_drawing() -> None:
    """OpenBLAS rounds differently on an old processor than on one with AVX-512 (it reads the variable at its start)."""
    digest = "hashlib.sha256(sprite(Look('basketball'), 200).rgb).hexdigest()"
    code = f"import hashlib; from {sprite.__module__} import Look, sprite; print({digest})"
    old = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "OPENBLAS_CORETYPE": "Prescott"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert old.stdout.strip() == hashlib.sha256(sprite(Look("basketball"), 200).rgb).hexdigest()


def test_no_pixel_of_a_drawing_or_its_shadow_changes() -> None:
    assert golden_drawings.rasters() == golden_drawings.golden("sprites")


def test_a_flipped_drawing_is_the_mirror_image_and_water_hides_its_feet() -> None:
    duck, flipped, sunk = (silhouette(Look("duck", flip=flip, sunk=sunk)) for flip, sunk in ((0, 0), (1, 0), (0, 0.25)))
    assert (flipped == duck[:, ::-1]).all()
    assert not (flipped == duck).all()
    assert (sprite(Look("duck"), 96).solid == duck).all()
    assert duck.shape == (76, 96)
    assert (sunk == duck[:57]).all()
    assert silhouette(Look("duck", sunk=1.0)).shape == (1, 96)
    drawn = sprite(Look("duck"), 60)
    assert (sprite(Look("duck", flip=True), 60).alpha == drawn.alpha[:, ::-1]).all()
    assert len(sprite(Look("duck", sunk=0.25), 60).alpha) == round(0.75 * len(drawn.alpha))
    assert (drawn.solid == (drawn.alpha >= 128)).all()


def test_a_size_is_the_geometric_mean_of_the_sides() -> None:
    assert size_for(Look("basketball"), 40) == (40, 40)
    assert size_for(Look("duck"), 40) == (45, 36)  # 40² = 45 · 36, as 96 : 76
    assert size_for(Look("duck"), 1) == (2, 2)


def test_a_drawing_without_a_solid_pixel_is_too_small() -> None:
    with pytest.raises(TooSmallError, match=r"^the drawing of 'kite' is empty at 1x1 pixels$"):
        sprite(Look("kite"), 1)
