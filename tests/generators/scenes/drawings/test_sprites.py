"""Drawings as they stand in an image, lit from the top left."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from vhbench.generators.scenes.drawings.sprites import Look, _relief, sprite


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
