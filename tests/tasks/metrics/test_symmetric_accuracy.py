"""Pairs with repaired labels, and the scores of the parts of a run: worked by hand."""

from dataclasses import replace

import pytest

from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import symmetric_accuracy

OPPOSITE = {"yes": "no", "no": "yes"}


def pair(name: str, answer: str, predicted: str, mode: str = "natural", criterion: str = "") -> list[Record]:
    """Return a case and its twin; ``predicted``: the two predictions."""
    own = {"pair_id": name, "mode": mode, "criterion": criterion}
    first, second = predicted.split()
    return [
        Record(name, answer=answer, prediction=first, **own),
        Record(f"{name}-twin", answer=OPPOSITE[answer], prediction=second, negated=True, **own),
    ]


PAIRS = [
    *pair("a", "yes", "yes no", "llm"),  # both right
    *pair("b", "no", "yes no", "llm", "relabelled"),  # both wrong; right by the published labels
    *pair("c", "yes", "no yes", criterion="relabelled"),  # the same
    *pair("d", "no", "yes yes"),  # the twin is right
]


def test_scores_by_the_labels_before_repair() -> None:
    found = symmetric_accuracy.score(PAIRS)
    names = ("accuracy", "original_accuracy", "symmetric_accuracy")
    assert [found[name] for name in names] == [3 / 8, 1 / 4, 1 / 4]
    assert found["published_labels"] == dict(zip(names, (7 / 8, 3 / 4, 3 / 4), strict=True)) | {"relabelled": 2}
    assert "published_labels" not in symmetric_accuracy.score(PAIRS[:2])


def test_scores_of_the_values_of_a_field() -> None:
    found = symmetric_accuracy.score(PAIRS, by=("mode", "negated"))["by"]
    assert {mode: own["symmetric_accuracy"] for mode, own in found["mode"].items()} == {"llm": 1 / 2, "natural": 0}
    halves = {negated: (own["accuracy"], own["pairs"]) for negated, own in found["negated"].items()}
    assert halves == {"False": (1 / 4, 4), "True": (2 / 4, 4)}
    with pytest.raises(VhbenchError, match=r"^--by task: expected a field with values in at least one row$"):
        symmetric_accuracy.score(PAIRS, by=("task",))
    with pytest.raises(VhbenchError, match=r"^expected a field of a record to split the scores by, got 'colour'$"):
        symmetric_accuracy.score(PAIRS, by=("mode", "colour"))


def test_shares_of_wordings_and_guessing_at_the_same_rates() -> None:
    found = symmetric_accuracy.score([*PAIRS, *pair("e", "no", "yes yes", "llm")])
    assert found["mix"] == {"llm": 3 / 5, "natural": 2 / 5}
    assert (found["gold_yes"], found["chance_accuracy"]) == (0.4, pytest.approx(0.4 * 0.8 + 0.6 * 0.2))
    assert found["new_successful"] == 2  # of the twins, b's and c's are wrong
    alone = symmetric_accuracy.score(PAIRS[1:4:2])
    assert (alone["chance_accuracy"], alone["pairs"], alone["incomplete_pairs"], alone["mix"]) == (None, 0, 2, {})


def test_a_pair_of_another_perturbation_is_another_pair() -> None:
    perturbed = [Record("x", pair_id="a", perturbation="blur"), Record("y", pair_id="a", perturbation="blur")]
    pairs = symmetric_accuracy.complete_pairs([PAIRS[1], *perturbed, PAIRS[0]])
    assert [(first.id, second.id) for first, second in pairs] == [("a", "a-twin"), ("x", "y")]


def test_responses_are_parsed_unless_there_is_a_prediction_and_answers_may_be_capitals() -> None:
    rows = [
        {"id": "a", "pair_id": "a", "answer": "Yes", "response": "Yes, there is."},
        {"id": "b", "pair_id": "a", "answer": "No", "response": "No.", "prediction": "yes", "negated": True},
        {"id": "c", "pair_id": "c", "answer": "no", "response": "No."},
        {"id": "d", "pair_id": "c", "answer": "yes", "response": "It is not red.", "negated": True},
    ]
    found = symmetric_accuracy.score(rows)
    assert (found["accuracy"], found["symmetric_accuracy"], found["yes_rate"]) == (2 / 4, 0, 2 / 4)
    assert found["unparsed"] == 0
    failed = symmetric_accuracy.score(
        [*rows[:3], {**rows[3], "failure": "failed", "prediction": "yes"}], allow_failed=True
    )
    assert (failed["failed"], failed["accuracy"]) == (1 / 4, 2 / 4)
    alone = [{"id": "x", "answer": "yes", "prediction": "yes"}]
    with pytest.raises(VhbenchError, match="pair"):
        symmetric_accuracy.score(alone)


def test_scores_that_are_constant_have_no_interval_and_a_failed_run_has_no_numbers() -> None:
    found = symmetric_accuracy.score(PAIRS)
    assert {"chance", "permutation_baseline"}.isdisjoint(found["intervals"])
    lost = symmetric_accuracy.score([replace(record, failure="failed", prediction="") for record in PAIRS])
    assert (lost["new_successful"], lost["chance_accuracy"], lost["accuracy"]) == (None, None, None)
    assert "published_labels" not in lost
