"""Baselines of a board of four questions, worked out by hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from vhbench.leaderboard import baselines
from vhbench.leaderboard.baselines import CHANCE, GUESSERS, ONE_IMAGE, TEXT_ONLY, FixedBaseline


def row(number: int, kind: str, answer: str = "", **options: Any) -> dict[str, Any]:
    empty = {"question_type": "t", "negated": False, "choices": [], "objects": [], "candidates": [], "scene_ids": ["s"]}
    return {"id": f"q{number}", "kind": kind, "answer": answer, **empty, **options}


CAPTION = row(4, "caption", objects=["dog", "boat"], candidates=["cat"])
ROWS = [row(1, "yes_no", "no"), row(2, "yes_no", "yes", negated=True), row(3, "multiple_choice", "C"), CAPTION]


def index(rows: list[dict[str, Any]] = ROWS, headline: str = "accuracy", family: str = "yes_no", **options: Any) -> Any:
    main = SimpleNamespace(headline=headline, family=SimpleNamespace(name=family), places=[0, 1])
    edition = SimpleNamespace(task="", content_hash="abc")
    return SimpleNamespace(rows=rows, main=main, edition=edition, source="split", **options)


def answers(name: str, rows: list[dict[str, Any]] = ROWS) -> list[str]:
    [one] = [guesser for guesser in GUESSERS if guesser.name == name]
    return one.answers(index(rows))


def test_the_oracle_and_the_yes_sayer() -> None:
    assert answers("Oracle") == ["no", "yes", "C", "A picture of dog and boat."]
    assert answers("Always yes") == ["yes", "yes", "A", "A picture of dog and boat and cat."]


def test_the_blind_one_knows_the_most_frequent_answer_of_each_type_and_polarity() -> None:
    rows = [row(n, "yes_no", answer) for n, answer in enumerate(("no", "yes", "yes"))]
    rows += [row(n, "yes_no", answer, negated=True) for n, answer in enumerate(("yes", "no"))]
    rows += [row(9, "yes_no", "no", question_type="other"), row(10, "multiple_choice", "D"), CAPTION]
    assert answers("Blind", rows) == ["yes", "yes", "yes", "no", "no", "no", "D", "A picture."]  # a tie: the first


def test_the_coin_is_fair_and_the_same_every_time() -> None:
    asked = [row(n, "yes_no", "no") for n in range(400)]
    asked += [row(n, "multiple_choice", "A", choices=["a", "b", "c", "d"]) for n in range(400)]
    asked += [{**CAPTION, "id": f"c{n}"} for n in range(400)]
    tossed = answers("Coin", asked)
    assert tossed == answers("Coin", asked)
    assert 160 < tossed[:400].count("yes") < 240
    assert {letter: 60 < tossed[400:800].count(letter) < 140 for letter in set(tossed[400:800])} == dict.fromkeys(
        "ABCD", True
    )
    for word in ("dog", "boat", "cat"):
        assert 160 < sum(word in told for told in tossed[800:]) < 240


def test_chance_is_the_mean_over_the_questions_and_a_quarter_of_pairs() -> None:
    asked = index(chances=np.array([0.5, 0.5, 0.25, 0.2]))
    assert baselines.chance(asked, [0, 2]) == pytest.approx(0.375)
    assert baselines.chance(asked, []) == 0
    assert baselines._chance(asked) == FixedBaseline(CHANCE, "guesses uniformly among the answers", 50)
    pairs = index(headline="symmetric_accuracy", chances=np.array([0.5, 0.5]))
    assert baselines.chance(pairs, []) == 0.25
    assert baselines._chance(pairs) == FixedBaseline(CHANCE, "guesses both questions of each pair uniformly", 25)


def test_one_image_is_the_share_that_an_oracle_of_one_image_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = {"E1": SimpleNamespace(number=3, right=1), "E2": SimpleNamespace(number=1, right=1)}
    monkeypatch.setattr(baselines.restricted_oracles, "of_split", lambda source: {"one image": cells})
    two = [{**one, "scene_ids": ["s", "t"]} for one in ROWS]
    assert baselines._one_image(index(two)) == [FixedBaseline(ONE_IMAGE, "oracle restricted to a single image", 50)]
    assert baselines._one_image(index()) == []
    assert baselines._one_image(index([*two, ROWS[0]])) == []  # no scene for one of them
    of_task = index(two)
    of_task.edition.task = "mioh_existence"
    assert baselines._one_image(of_task) == []


def test_the_text_only_baseline_is_told_with_the_number_of_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[str], bool]] = []

    def overall(records: Any, *, pairs: bool) -> Any:
        seen.append(([record.id for record in records], pairs))
        return SimpleNamespace(value=0.625) if seen[-1][0] else None

    monkeypatch.setattr(baselines.text_only_baseline, "overall", overall)
    monkeypatch.setattr(baselines, "to_record", lambda one: SimpleNamespace(id=one["id"]))
    kind = "cross-validated accuracy from the question text alone"
    assert baselines._text_only(index()) == [FixedBaseline(TEXT_ONLY, kind, 62.5)]
    assert baselines._text_only(index([])) == []
    about = SimpleNamespace()
    numbers = np.array([0, 0, 0, 1])
    monkeypatch.setattr(baselines, "clusters_of", lambda given: SimpleNamespace(numbers=numbers))
    monkeypatch.setattr(baselines, "MOST_FOR_WORDS", 2)
    small = baselines._text_only(index(headline="symmetric_accuracy", about=about))
    assert small == [FixedBaseline(TEXT_ONLY, f"{kind} of 1 questions", 62.5)]
    assert seen == [(["q1", "q2", "q3", "q4"], False), ([], False), (["q4"], True)]  # three of a cluster are too many
    assert baselines._whole_clusters(index(about=about), 3) in ([0, 1, 2], [3])
    assert baselines._whole_clusters(index(about=about), 4) == [0, 1, 2, 3]
