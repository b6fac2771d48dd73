"""Scenes that are hard or near by their similarity to a text, and second twins of questions."""

from collections import Counter

import numpy as np
import pytest
from paper_mioh import paper_pool, paper_scene

from vhbench.generators.mioh import pools
from vhbench.generators.mioh.filler import Filler
from vhbench.generators.mioh.pools import PressureThresholds, ScenePool
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.schema import Question, VhbenchError


def test_a_pool_without_scenes_is_refused() -> None:
    with pytest.raises(VhbenchError, match=r"^no scenes to ask questions about$"):
        ScenePool([])


def test_the_most_and_the_least_similar_scenes_are_near_and_hard() -> None:
    pool = ScenePool([paper_scene(number) for number in range(10)], PressureThresholds(clip_low=0.25, clip_high=0.75))
    some, none = np.arange(10) < 5, np.zeros(10, np.bool_)
    assert not pool._similar("dog", some, most=True).any()  # without CLIP
    asked: list[str] = []

    def similarity(text: str) -> np.ndarray:
        asked.append(text)
        return np.arange(10) / 10

    pool.clip = similarity
    assert np.flatnonzero(pool._similar("dog", some, most=True)).tolist() == [3, 4]
    assert np.flatnonzero(pool._similar("dog", some, most=False)).tolist() == [0, 1]
    assert not pool._similar("dog", none, most=True).any()
    assert asked == [pools.CLIP_PROMPT.format("dog")] * 2
    yes, no = some, ~some
    parts = pool._as_seen("dog", (yes, no, yes, none, no, none))
    found = [np.flatnonzero(part).tolist() for part in parts]
    assert found == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [2, 3, 4], [0, 1], [5, 6, 7], [8, 9]]


def test_a_cell_that_is_larger_than_the_easy_one_gets_second_twins_with_other_images() -> None:
    cells = {"E1": {"easy": 2, "hn": 4, "hp": 2}}
    made = Filler(QUESTION_TYPES["E1"], paper_pool(), cells, seed=5, source="paper").fill()
    questions = [row for row in made if isinstance(row, Question)]
    assert Counter(row.pressure for row in questions) == {"easy": 2, "hn": 4, "hp": 2}
    twins = [row for row in questions if row.pressure == "hn"]
    assert len({frozenset(row.scene_ids) for row in twins}) == 4
    assert len({row.question for row in twins}) == 2
    assert len({row.id for row in questions}) == 8
