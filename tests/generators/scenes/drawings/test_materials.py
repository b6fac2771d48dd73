"""Materials: textures by part, the same for the same seed, that leave colours as they are on average."""

import numpy as np
import pytest

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.drawings import materials
from vhbench.generators.scenes.drawings.sprites import Look, sprite


def half(left: str, right: str) -> tuple[np.ndarray, str]:
    """Return a picture of two halves with its markup; the left one is of glass."""
    picture = np.zeros((60, 120, 3), np.uint8)
    picture[:, :60], picture[:, 60:] = list(bytes.fromhex(left[1:])), list(bytes.fromhex(right[1:]))
    return picture, f'<rect fill="{left}" data-of="glass"/><rect fill="{right}"/>'


@pytest.mark.parametrize("name", materials._NAMES)
def test_a_tile_varies_as_its_material_declares(name: str) -> None:
    tile = materials._tile(name).astype(float) / 128
    assert tile.mean() == pytest.approx(1, abs=0.01)
    assert tile.std() == pytest.approx(materials._TABLES.materials[name].amplitude, rel=0.15)


def test_a_part_has_its_own_material() -> None:
    picture, svg = half("#2040a0", "#c08040")
    mixed = materials.grain(picture, svg, "bench")
    wood = materials.grain(picture, svg.replace("glass", "wood"), "bench")
    assert np.array_equal(mixed[:, 60:], wood[:, 60:])  # a bench is of wood where nothing else is declared
    assert not np.array_equal(mixed[:, :60], wood[:, :60])


def test_the_same_key_crops_the_same_texture() -> None:
    picture, svg = half("#2040a0", "#c08040")
    first, again, other = (materials.grain(picture, svg, "bench", key) for key in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_grain_follows_the_size() -> None:
    """A texture at half the size is the texture, shrunk: its contrast stays."""
    large, small = (sprite(Look("sofa", "red"), longest) for longest in (300, 150))
    spread = [float(np.std(one.rgb[one.solid][:, 0])) for one in (large, small)]
    assert spread[0] == pytest.approx(spread[1], rel=0.2)


def test_each_word_with_a_material_is_in_the_catalog() -> None:
    words = [word for material in materials._TABLES.materials.values() for word in material.of]
    assert set(words) <= set(catalog.CATALOG)
    assert len(words) == len(set(words))
