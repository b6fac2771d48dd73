"""Runs on different questions: what is compared, weighted and claimed."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import false_claims
import pytest
from scipy import stats

from vhbench.compare import tables, unpaired
from vhbench.compare.differences import Difference, RunComparison
from vhbench.compare.scored_runs import ScoredRun, measure
from vhbench.compare.scoring import Group
from vhbench.schema import Record, VhbenchError
from vhbench.seeding import rng


def asked(name: str, right: Sequence[bool], *, each: int = 1, **more: Any) -> list[Record]:
    """Return yes/no questions of one kind about images of one edition, so many about each image."""
    shared: dict[str, Any] = {"benchmark": "ode", "kind": "yes_no", "task": "existence", "question_type": "existence"}
    shared |= {"criterion": "fictional", **more}
    found = []
    for place, hit in enumerate(right):
        answer, wrong = ("yes", "no") if place % 2 else ("no", "yes")
        images = (f"{name}{place // each}",)
        found.append(
            Record(f"{name}{place:05}", answer=answer, prediction=answer if hit else wrong, scene_ids=images, **shared)
        )
    return found


def run(name: str, records: Sequence[Record]) -> ScoredRun:
    groups = {
        Group(f"ode_{criterion}_existence", "ode", "yes_no"): measure(own, Group("", "ode", "yes_no"), cells=False)
        for criterion in ("standard", "fictional")
        if (own := [record for record in records if record.criterion == criterion])
    }
    return ScoredRun(name, groups)


def accuracy(found: RunComparison) -> Difference:
    (change,) = found.groups[0].headlines[0].differences
    return change


def test_a_difference_by_hand() -> None:
    # 40 images with 30 right and 60 others with 30 right: 75 and 50 %. Each side's variance is p (1 - p) / n.
    found = unpaired.match([run("A", asked("a", [True] * 30 + [False] * 10)), run("B", asked("b", [True, False] * 30))])
    change = accuracy(found)
    assert change.value == pytest.approx(-25)
    error = sqrt(0.75 * 0.25 / 39 + 0.25 / 59)
    low, high = change.interval or (0, 0)
    assert (high - low) / 2 == pytest.approx(100 * error * stats.t.ppf(0.975, 90), rel=0.01)
    assert change.p == pytest.approx(2 * stats.t.sf(0.25 / error, 90), rel=0.05)
    assert tables.verdict_of(found.groups[0].headlines[0], change) == "worse"
    numbers = {score.name: score.n for score in found.groups[0].headlines}
    assert (numbers["accuracy"], numbers["recall"]) == (100, 50)  # every other answer is yes


def test_another_composition_makes_no_difference() -> None:
    """The model is right in 90 % of the standard questions and in half of the others, in either edition."""

    def edition(name: str, standard: int, fictional: int) -> ScoredRun:
        easy = asked(f"{name}s", [place % 10 > 0 for place in range(standard)], criterion="standard")
        return run(name, easy + asked(f"{name}f", [place % 4 < 2 for place in range(fictional)]))

    found = unpaired.match([edition("a", 200, 40), edition("b", 40, 200)])
    score = found.groups[0].headlines[0]
    # Either stratum has the weight 1 / (1/40 + 1/200).
    assert [one.value for one in score.scores] == [pytest.approx(70), pytest.approx(70)]
    assert accuracy(found).value == pytest.approx(0)
    cells = {dict(cell)["criterion"]: [own.value for own in one.scores] for cell, one in found.groups[0].cells.items()}
    assert list(cells.items()) == [
        ("fictional", [50, 50]),
        ("standard", [pytest.approx(90), pytest.approx(90)]),
    ]


def test_a_stratum_of_one_run_alone_is_left_out() -> None:
    more = asked("c", [False] * 10, question_type="state")
    found = unpaired.match([run("A", asked("a", [True] * 40)), run("B", asked("b", [True] * 40) + more)])
    assert accuracy(found).value == 0
    assert found.notes == [
        "ode, yes/no, B: 10 of 50 questions are left out: some run has fewer than two images with their criterion, "
        "type, pressure and perturbation"
    ]
    with pytest.raises(VhbenchError, match="no criterion, question_type, pressure or perturbation in common"):
        unpaired.match([run("A", asked("a", [True] * 40)), run("B", more)])


def test_other_scores_are_claimed_only_where_the_headline_differs() -> None:
    """A turns 40 answers from yes to no, B from no to yes: their shares of yes differ, and they are right as often."""
    runs = [
        run(
            name,
            [
                replace(record, prediction=said) if n < 80 else record
                for n, record in enumerate(asked(name, [True] * 200))
            ],
        )
        for name, said in (("A", "no"), ("B", "yes"))
    ]
    found = unpaired.match(runs)
    rates = next(score for score in found.groups[0].headlines if score.name == "yes_rate").differences[0]
    assert (rates.value, accuracy(found).value) == (40, 0)
    assert rates.p is not None
    assert rates.p < 0.001
    assert rates.p_family == accuracy(found).p_family == pytest.approx(1)
    assert not rates.significant


def test_missing_predictions_of_the_worse_run_may_decide() -> None:
    first, second = asked("a", [True] * 100), asked("b", [place >= 20 for place in range(100)])
    assert accuracy(unpaired.match([run("A", first), run("B", second)])).significant
    unread = [record if record.prediction == record.answer else replace(record, prediction="") for record in second]
    assert not accuracy(unpaired.match([run("A", first), run("B", unread)])).significant


def test_chance_is_seldom_claimed_and_ten_points_are_found() -> None:
    """A small part of ``tests/by_hand/false_claims.py``."""
    claims = [false_claims.claimed(false_claims.editions(30, 0.0, rng(2, "null", number)))[0] for number in range(40)]
    assert sum(claims) <= 6  # of 40 at 5 %, the probability of more is 0.4 %
    found = [false_claims.claimed(false_claims.editions(300, 0.1, rng(2, "planted", number)))[1] for number in range(8)]
    assert sum(found) >= 6
