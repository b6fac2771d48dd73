"""Editions of ODE that ask parts of the starter split, as if the one had grown out of the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.entries import ModelInfo
from vhbench.leaderboard.public_fresh_gap import FreshQuestions, PublicFreshGap, fresh_questions
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rankings import BoardModel, Rankings
from vhbench.leaderboard.site_views import fall_in_words
from vhbench.seeding import rng

Row = Mapping[str, Any]
HARD = ("random", "fictional")


def _edition(asked: QuestionIndex, version: str, keep: Callable[[Row], bool]) -> QuestionIndex:
    own = [place for place, row in enumerate(asked.rows) if keep(row)]
    edition = replace(asked.edition, version=version)
    return QuestionIndex(edition, asked.source, [asked.configs[i] for i in own], [asked.rows[i] for i in own])


def _first_half(row: Row) -> bool:
    return crc32(row["scene_ids"][0].encode()) % 2 == 0


def _compared(public: QuestionIndex, fresh: QuestionIndex) -> FreshQuestions | None:
    places = [np.arange(len(asked.main.places)) for asked in (public, fresh)]
    return fresh_questions((public, places[0]), (fresh, places[1]))


def _drop(public: QuestionIndex, fresh: QuestionIndex, chance: Callable[[Row], float], seed: int = 0) -> PublicFreshGap:
    compared = _compared(public, fresh)
    assert compared is not None
    random = rng(seed, "right")
    luck = {row["id"]: random.random() for row in fresh.rows} | {row["id"]: random.random() for row in public.rows}

    def outcomes(asked: QuestionIndex) -> Sequence[float]:
        own = (asked.rows[place] for place in asked.main.places)
        return [float(luck[row["id"]] < chance(row)) for row in own]

    (found,) = compared.drops([(np.array(outcomes(public)), np.array(outcomes(fresh)))])
    return found


@pytest.fixture(scope="module")
def grown(editions: dict[str, QuestionIndex]) -> tuple[QuestionIndex, QuestionIndex]:
    """Half of the starter split, and the same half grown by hard questions alone, as ``--add`` grows it."""
    asked = editions["ode-2.0.0"]
    public = _edition(asked, "2.0.0", _first_half)
    return public, _edition(asked, "2.1.0", lambda row: _first_half(row) or row["criterion"] in HARD)


def test_who_is_weak_where_a_fresh_edition_asks_more_does_not_fall(grown: tuple[QuestionIndex, QuestionIndex]) -> None:
    found = _drop(*grown, lambda row: 0.0 if row["criterion"] in HARD else 1.0)
    assert (found.public, found.fresh, found.value) == (0.0, 0.0, 0.0)
    assert not found.significant


def test_what_a_grown_edition_has_of_the_public_one_is_not_fresh(grown: tuple[QuestionIndex, QuestionIndex]) -> None:
    public, fresh = grown
    found = _drop(public, fresh, lambda row: 1.0 if row["id"] in public.number else 0.5)
    assert found.public == pytest.approx(100)
    assert 40 < found.fresh < 60  # of the new questions; with the old ones it would be 80
    assert found.significant
    new = [row for row in fresh.rows if row["kind"] == "yes_no" and row["id"] not in public.number]
    assert found.questions[1] <= len(new)


def test_the_same_mix_of_kinds_gives_the_editions_own_scores(editions: dict[str, QuestionIndex]) -> None:
    asked = editions["ode-2.0.0"]
    public = _edition(asked, "2.0.0", lambda row: True)
    renamed = [{**row, "id": f"x{row['id']}"} for row in asked.rows]
    compared = _compared(
        public, QuestionIndex(replace(asked.edition, version="2.0.0"), asked.source, asked.configs, renamed)
    )
    assert compared is not None
    count = len(asked.main.places)
    assert compared.weights == pytest.approx(np.full(2 * count, 1 / count))


def test_nothing_is_said_of_editions_without_kinds_in_common(editions: dict[str, QuestionIndex]) -> None:
    asked = editions["ode-2.0.0"]
    easy = _edition(asked, "2.0.0", lambda row: row["criterion"] not in HARD)
    assert _compared(easy, _edition(asked, "2.1.0", lambda row: row["criterion"] in HARD)) is None
    assert _compared(easy, easy) is None  # nothing is new


def test_an_honest_model_seldom_falls_for_certain(grown: tuple[QuestionIndex, QuestionIndex]) -> None:
    # Chances differ by kind; 5 % of 200 are 10, and more than 20 come about once in a thousand such tests.
    certain = sum(_drop(*grown, lambda row: 0.5 + len(row["criterion"]) / 20, seed).significant for seed in range(200))
    assert certain <= 20


@pytest.mark.parametrize(
    ("value", "significant", "told"),
    [(20.0, True, "falls 20.0 points on ode-2.0.0"), (20.0, False, ""), (-20.0, True, "")],
)
def test_a_significant_fall_is_named_in_the_row_of_its_model(value: float, significant: bool, told: str) -> None:
    gap = PublicFreshGap(90.0, 90.0 - value, value, (value - 5, value + 5), significant, (100, 100))
    board, model = Board(folder=Path(), title="A board", editions=()), BoardModel(0, "m", ModelInfo(name="M"))
    standings = Rankings(board, [model], [], {("ode-1.0.0", "ode-2.0.0"): {0: gap}})
    assert fall_in_words(standings, model, "ode-1.0.0") == fall_in_words(standings, model) == told
    assert fall_in_words(standings, model, "mioh-1.0.0") == ""
