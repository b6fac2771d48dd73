"""Booleans kept as words of 64 bits: told by the booleans themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.generators.mioh import scene_columns
from vhbench.generators.mioh.scene_columns import SceneColumns, number_of, pack, places_of, unpack
from vhbench.schema import Scene, SceneObject

LENGTHS = st.sampled_from([1, 63, 64, 65, 1000, 20_000])  # the last has more words than are counted as one number
SHARES = st.sampled_from([0.0, 0.0005, 0.02, 0.6, 1.0])


@given(LENGTHS, SHARES, st.integers(0, 9))
def test_bits_are_the_booleans_that_were_packed(length: int, share: float, seed: int) -> None:
    marked = np.random.default_rng(seed).random(length) < share
    bits = pack(marked)
    assert np.array_equal(unpack(bits, length), marked)
    assert places_of(bits, length).tolist() == np.flatnonzero(marked).tolist()
    assert number_of(bits) == marked.sum()
    assert number_of(bits & ~pack(~marked)) == marked.sum(), "what lies behind the last is never true"


def test_fullness_is_the_number_of_objects_and_the_octaves_of_their_area() -> None:
    """A sixteenth of the image, squared, is half of 2^-7: 3.5 octaves below one."""

    def scene(*areas: int) -> Scene:
        return Scene("s", b"", 32, 32, tuple(SceneObject(i, "cup", (0, 0, 32, 32), a) for i, a in enumerate(areas)))

    columns = SceneColumns([scene(64), scene(128), scene(32, 32), scene()])
    assert columns.fullness.tolist() == [[1, -3.5], [1, -2.5], [2, -3.5], [0, -13]]


def test_what_scenes_have_in_common_are_categories_not_objects() -> None:
    def scene(*words: str) -> Scene:
        return Scene("s", b"", 32, 32, tuple(SceneObject(i, w, (0, 0, 9, 9), 9) for i, w in enumerate(words)))

    columns = SceneColumns([scene("cup", "cup", "dog"), scene("cup"), scene(), scene("dog", "cup", "hat")])
    common = columns.in_common(np.arange(4), range(4))
    assert common.tolist() == [[2, 1, 0, 2], [1, 1, 0, 1], [0] * 4, [2, 1, 0, 3]]
    assert columns.in_common(np.array([3, 0]), [1]).tolist() == [[1, 1]]


def test_by_hand() -> None:
    bits = pack(np.array([True, False, True] + [False] * 61 + [True]))
    assert (len(bits), number_of(bits), places_of(bits, 65).tolist()) == (2, 3, [0, 2, 64])


def test_the_vocabulary_is_sorted_and_keeps_the_words_with_most_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    def scene(*words: str) -> Scene:
        return Scene("s", b"", 32, 32, tuple(SceneObject(i, w, (0, 0, 9, 9), 9) for i, w in enumerate(words)))

    scenes = [scene("owl", "cup", "cup"), scene("owl", "dog"), scene("hat", "bat", "cup", "owl")]
    for most, kept in ((5, ["bat", "cup", "dog", "hat", "owl"]), (3, ["bat", "cup", "owl"]), (1, ["cup"])):
        monkeypatch.setattr(scene_columns, "_MOST_WORDS", most)
        columns = SceneColumns(scenes)
        assert columns.categories == kept  # of as many objects, the first in the alphabet
    assert (columns.which.tolist(), columns.where.tolist()) == ([0, 0, 0], [0, 0, 2])
