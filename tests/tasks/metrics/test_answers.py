"""Responses kept in columns: who owns a row, what pairs and variants there are, and what a metric counts."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import answers
from vhbench.tasks.metrics.answers import Answers
from vhbench.tasks.metrics.metric import Count, Metric


def record(name: str, prediction: str = "yes", answer: str = "yes", **options: Any) -> Record:
    return Record(name, prediction=prediction, answer=answer, kind=options.pop("kind", "yes_no"), **options)


def right(answer: Any, facts: Any) -> Count:
    return Count(float(answer.record.prediction == answer.record.answer), 1)


ANSWERS = Metric(name="right", count=right, needs=("prediction", "answer"))
PAIRS = Metric(name="both", count=right, units="pairs", needs=("prediction", "answer", "negated"))


def kept(*records: Record, metrics: tuple[Metric, ...] = (ANSWERS,), **options: Any) -> Answers:
    return Answers(records, metrics, **options)


def pair(name: str, *, first: str = "yes", second: str = "no", **options: Any) -> tuple[Record, Record]:
    one = record(f"{name}a", answer=first, pair_id=name, **options)
    return one, replace(one, id=f"{name}b", answer=second, negated=True)


def test_a_row_belongs_to_its_question_whatever_the_repetition_or_variant() -> None:
    made = kept(*map(record, ("b", "1#a", "2#a", "a", "r2#b")))
    assert made.owner.tolist() == [1, 0, 0, 0, 1]
    assert made.every.tolist() == [0, 1, 2, 3, 4]


def test_equal_responses_are_counted_once_and_shared() -> None:
    made = kept(record("a"), record("b", "no"), record("c"), record("d", "no", "no"))
    assert made.codes.tolist() == [0, 1, 0, 2]
    assert made.counted(ANSWERS, made.every, ()).tolist() == [[1, 1, 1], [0, 1, 1], [1, 1, 1], [1, 1, 1]]  # type: ignore[arg-type]
    assert made.counted(ANSWERS, np.array([3, 1]), ()).tolist() == [[1, 1, 1], [0, 1, 1]]  # type: ignore[arg-type]
    assert made.holds(lambda answer: answer.record.prediction == "no", made.every).tolist() == [False, True] * 2


def test_groups_are_sorted_and_keep_the_order_of_rows() -> None:
    rows = [
        record(str(n), task=task, question_type=kind) for n, (task, kind) in enumerate(["bx", "ay", "bx", "by", "ax"])
    ]
    made = kept(*rows, columns=("task", "question_type"))
    assert {key: places.tolist() for key, places in made.groups(("task",), made.every).items()} == {
        ("a",): [1, 4], ("b",): [0, 2, 3],
    }  # fmt: skip
    found = made.groups(("task", "question_type"), np.array([2, 3, 4]))
    assert [(key, places.tolist()) for key, places in found.items()] == [
        (("a", "x"), [4]), (("b", "x"), [2]), (("b", "y"), [3]),
    ]  # fmt: skip


def test_pairs_are_complete_or_not() -> None:
    first, second = pair("p"), pair("q", first="no", second="yes")
    made = kept(first[0], *reversed(second), first[1], record("z", pair_id="z"), metrics=(PAIRS,))
    assert made.twins.tolist() == [[0, 3], [2, 1], [4, -1]]
    pairs, incomplete = made.pairs_of(made.every)
    assert (pairs.tolist(), incomplete) == ([[0, 3], [2, 1]], 1)
    assert made.pairs_of(np.array([3]))[0].tolist() == [[0, 3]]
    assert made.pairs_of(np.array([], np.int64))[1] == 0
    assert kept(record("a")).pairs_of(np.array([0]))[1] == 0


def test_pairs_of_two_perturbations_are_two() -> None:
    made = kept(*pair("p/jpeg", perturbation="jpeg"), *pair("p/blur", perturbation="blur"), metrics=(PAIRS,))
    assert made.twins.tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((record("a"),), "question 'a': expected a pair_id for its negated twin"),
        ((*pair("p"), replace(pair("p")[0], id="c")), "pair 'p': expected one original question, got 'pa' and 'c'"),
        ((*pair("p"), replace(pair("p")[1], id="c")), "pair 'p': expected one negated question, got 'pb' and 'c'"),
        (pair("p", second="yes"), "pair 'p': expected opposite answers to 'pa' and its negation 'pb', got 'yes' for"),
        (pair("p", first="no"), "pair 'p': expected opposite answers to 'pa' and its negation 'pb', got 'no' for"),
    ],
)
def test_pairs_that_are_none_are_named(rows: tuple[Record, ...], message: str) -> None:
    with pytest.raises(VhbenchError, match=message):
        kept(*rows, metrics=(PAIRS,))


def test_variants_are_whole_if_each_was_answered() -> None:
    names = ("r1#q", "r2#q", "r3#q", "r1#p", "r2#p", "2#r1#q", "2#r2#q", "2#r3#q")
    made = kept(*map(record, names))
    assert made.variants_of(made.every).tolist() == [[0, 1, 2], [5, 6, 7]]
    assert made.variants_of(np.array([0, 1, 3, 4])).tolist() == [[0, 1], [3, 4]]
    assert made.variants_of(np.array([], np.int64)).tolist() == []
    assert made.variants_of(np.array([0, 3])).tolist() == [[0], [3]]
    assert made.variants == {"r"}


def test_options_and_the_one_for_none_are_kept_where_a_metric_needs_them() -> None:
    choices = ("cat", "dog", "None of the above")
    asked = record("a", "B", "A", kind="multiple_choice", choices=choices)
    plain, needing = kept(asked), kept(asked, metrics=(Metric(name="m", count=right, needs=("options", "none")),))
    assert [(kind.options, kind.none) for kind in plain.kinds] == [(0, "")]
    assert [(kind.options, kind.none) for kind in needing.kinds] == [(3, "C")]
    assert answers._none_of(("yes", "no", "unclear")) == ""
    assert [answers._chosen(replace(asked, prediction=letter)) for letter in ("A", "C", "D", "", "AB")] == [
        "cat", "None of the above", "", "", "",
    ]  # fmt: skip
