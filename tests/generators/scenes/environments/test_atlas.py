"""Environments: every state paints what it declares, the same every time."""

import golden_drawings
import numpy as np
import pytest

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.environments import atlas, backdrops
from vhbench.generators.scenes.environments.atlas import ENVIRONMENTS
from vhbench.generators.scenes.environments.backdrops import VARIANTS, backdrop

STATES = [(environment.name, state) for environment in ENVIRONMENTS.values() for state in environment.states]


def test_there_are_enough_environments() -> None:
    assert len(ENVIRONMENTS) >= 23
    assert {state for _, state in STATES} >= {"sunny", "gloomy", "night", "snowy", "withered"}


@pytest.mark.parametrize(("name", "state"), STATES, ids=str)
def test_declared_areas_are_the_painted_ones(name: str, state: str) -> None:
    painted = {word for variant in range(VARIANTS) for word in backdrops._canvas(name, state, variant).areas}
    assert painted == set(ENVIRONMENTS[name].areas(state))
    assert len(painted) == len(ENVIRONMENTS[name].areas(state))


def test_every_stroke_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the digests where a drawing shall change, which changes hashes of splits."""
    assert golden_drawings.environments() == golden_drawings.golden("environments")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_states_look_different(name: str) -> None:
    means = [backdrop(name, state, 0, 64, 64).pixels.reshape(-1, 3).mean(0) for state in ENVIRONMENTS[name].states]
    for i, one in enumerate(means):
        for other in means[i + 1 :]:
            assert np.abs(one - other).max() > 4


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_backdrop_fills_its_canvas_and_is_reproducible(name: str) -> None:
    state = ENVIRONMENTS[name].states[0]
    first = backdrop(name, state, 1, 96, 64)
    backdrops._painted.cache_clear()
    again, mirrored = backdrop(name, state, 1, 96, 64), backdrop(name, state, 1 + VARIANTS, 96, 64)
    assert first.pixels.shape == (64, 96, 3)
    assert (first.pixels == again.pixels).all()
    assert (first.pixels == mirrored.pixels[:, ::-1]).all()
    assert first.areas == again.areas == mirrored.areas


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_nothing_is_left_unpainted(name: str) -> None:
    for variant in range(VARIANTS):
        canvas = backdrops._canvas(name, ENVIRONMENTS[name].states[0], variant)
        pixels = backdrops._rasterise(canvas.svg(), 96)
        assert (pixels.max(-1) == 0).mean() < 0.001  # what nothing covers is black


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_places_are_inside_the_picture(name: str) -> None:
    environment = ENVIRONMENTS[name]
    assert environment.bands
    for band in environment.bands.values():
        assert 0 <= band.top < band.bottom <= 1
        for left, right in (band.far, band.near):
            assert 0 <= left < right <= 1
    assert environment.bands.keys() <= set(catalog.PLACES)


def test_variants_differ() -> None:
    one, other = (backdrop("forest", "sunny", variant, 64, 64).pixels for variant in range(VARIANTS))
    assert (one != other).any()


def test_words_for_environments_and_states() -> None:
    assert atlas.find_environment("Tennis_Court") is ENVIRONMENTS["court"]
    assert ENVIRONMENTS["forest"].state_of("lush") == "sunny"
    assert ENVIRONMENTS["desert"].state_of("lush") == "lush"  # a lush desert cannot be painted
    assert ENVIRONMENTS["kitchen"].state_of("starry") == "starry"
    assert ENVIRONMENTS["grass"].state_of("yellowed") == "withered"


def test_words_that_areas_forbid_are_known() -> None:
    words = {word for others in atlas.AREA_CONFUSABLE.values() for word in others}
    assert set(atlas.AREA_CONFUSABLE) <= atlas.AREAS
    assert [word for word in words if not catalog.lookup(word) and word not in atlas.AREAS] == []
