"""Materials: a texture per part, at the object's scale, that keeps colours and edges."""

import numpy as np
import pytest

from vhbench.generators.scenes import materials, paints
from vhbench.generators.scenes.drawings import artwork


@pytest.mark.parametrize("material", materials._NUMBERS)
def test_a_label_hardly_changes_a_colour_and_is_read_back(material: str) -> None:
    labelled = materials.label("#d63a33", material)
    assert max(abs(a - b) for a, b in zip(paints.channels(labelled), paints.channels("#d63a33"), strict=True)) <= 3
    red, green, blue = paints.channels(labelled)
    assert red % 4 + green % 2 * 4 + blue % 2 * 8 == materials._NUMBERS[material]


def test_every_drawing_named_by_a_material_exists_and_has_no_other() -> None:
    stems = [stem for material in materials._MATERIALS for stem in material.drawings]
    assert len(stems) == len(set(stems))
    assert {path.stem for path in artwork.ART.glob("*.svg")} >= set(stems)


@pytest.mark.parametrize("number", range(16))
def test_tiles_spread_over_coarse_and_fine_scales(number: int) -> None:
    tile = materials._tile(number, 0).astype(float)
    assert abs(tile.mean() - 128) < 1
    assert 30 < tile.std() < 40
    coarse = materials._tile(number, 5).astype(float)  # blocks of 32 pixels
    assert 0.02 < coarse.var() / tile.var() < 0.98


def texture(side: int, key: str = "x", materials_of: tuple[str, str] = ("stone", "ceramic")) -> np.ndarray:
    """Return the texture of a gray square whose left and right halves are of two materials."""
    flat = np.empty((side, side, 3), np.uint8)
    for half, material in zip((slice(side // 2), slice(side // 2, None)), materials_of, strict=True):
        flat[:, half] = list(paints.channels(materials.label("#888888", material)))
    return materials.texture(flat, np.ones((side, side), np.bool_), key)


def test_texture_keeps_to_its_part_and_follows_the_key() -> None:
    found = texture(40)
    assert found[:, :20].std() > 1.5 * found[:, 20:].std()
    assert np.array_equal(found, texture(40))
    assert not np.array_equal(found, texture(40, "y"))


def test_texture_grows_with_the_object() -> None:
    small, large = texture(80), texture(320)
    shrunk = large.reshape(80, 4, 80, 4).mean((1, 3))
    assert np.corrcoef(small.ravel(), shrunk.ravel())[0, 1] > 0.9
