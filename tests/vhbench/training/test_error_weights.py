"""Weights follow a planted weakness, whichever column it is in, and a few errors say little."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

import pytest

from vhbench.schema import Question, Record, VhbenchError
from vhbench.training.error_weights import FLOOR, error_weights
from vhbench.training.sample_selection import Errors, drawn

Fails = Callable[[Question], bool]


def question(name: str, answer: str, **columns: object) -> Question:
    kind = "yes_no" if answer in ("yes", "no") else "multiple_choice"
    return Question(name, **{"question": "?", "answer": answer, "kind": kind, "images": (), **columns})


MIOH = [
    question(f"{kind}-{pressure}-{letter}-{i}", letter, benchmark="mioh", task="existence", mode="selective",
             question_type=kind, pressure=pressure, choices=("a", "b", "c", "d"))
    for kind, pressure, letter, i in product(("E1", "E5", "A5", "P2"), ("easy", "ni", "hp", "hn"), "ABCD", range(3))
]  # fmt: skip
TWINS = [
    question(f"{perturbation}-{form}-{fact}-{i}-{negated}", fact if not negated else {"yes": "no", "no": "yes"}[fact],
             benchmark="vhexpansion", task="existence", mode=form, negated=negated, perturbation=perturbation,
             pair_id=f"{perturbation}-{form}-{fact}-{i}")
    for perturbation, form, fact, i, negated in product(
        ("", "jpeg"), ("natural", "wrapped"), ("yes", "no"), range(16), (False, True)
    )
]  # fmt: skip
SHOWN = ("kitchen", "beach", "street", "forest")
NAMED = ("dog", "umbrella", "clock", "bear")
PAIRS = [
    question(f"{place}-{word}-{answer}-{i}", answer, benchmark="ode", task="existence", criterion="standard",
             question=f"Is there a {word} in the image?", objects=(place, "car"), candidates=NAMED,
             pair_id=f"{place}-{word}-{i}")
    for place, word, answer, i in product(SHOWN, NAMED, ("yes", "no"), range(8))
]  # fmt: skip


def errors(questions: Sequence[Question], fails: Fails) -> Errors:
    found = Errors()
    for one in questions:
        columns = {name: getattr(one, name) for name in Record.__dataclass_fields__ if hasattr(one, name)}
        record = Record(**columns, response="x", prediction="wrong" if fails(one) else one.answer)
        found.answers[one.id] = record
        if fails(one):
            found.wrong[one.id] = record
    return found


@pytest.mark.parametrize(
    ("questions", "fails"),
    [
        pytest.param(TWINS, lambda q: q.negated, id="negated twins"),
        pytest.param(TWINS, lambda q: q.negated and q.mode == "wrapped", id="wrapped twins"),
        pytest.param(TWINS, lambda q: q.perturbation == "jpeg", id="a perturbation"),
        pytest.param(MIOH, lambda q: q.pressure == "hn", id="a pressure"),
        pytest.param(MIOH, lambda q: q.question_type == "A5", id="a type"),
        pytest.param(MIOH, lambda q: q.question_type == "A5" and q.pressure == "hn", id="a cell"),
        pytest.param(PAIRS, lambda q: "kitchen" in q.objects and "dog" in q.question, id="a pair of concepts"),
        pytest.param(PAIRS, lambda q: q.answer == "no", id="no answers"),
        pytest.param(TWINS, lambda q: q.answer == "no", id="no answers, half of them about what is there"),
        pytest.param([*TWINS, *MIOH], lambda q: q.answer == "yes", id="yes answers, and others"),
    ],
)
def test_most_rows_target_a_planted_weakness(questions: list[Question], fails: Fails) -> None:
    """The run fails about one in 24 of the other questions too; at most a quarter of the split is drawn.

    Yes and no stay equally frequent, or 1 : 2 where one of them is the weakness: neither is a safe guess.
    """
    weigh = error_weights(errors(questions, lambda q: fails(q) or sum(map(ord, q.id)) % 24 == 0))
    wanted = sum(map(fails, questions))
    taken = drawn(questions, min(len(questions) // 4, max(4, wanted)), 3, weigh)
    assert sum(map(fails, taken)) >= 0.6 * len(taken), f"{wanted} of {len(questions)} are weak"
    rarer, other = sorted(sum(q.answer == answer for q in taken) for answer in ("yes", "no"))
    assert 2 * rarer >= other - 1
    if len({q.answer for q in questions if fails(q)} & {"yes", "no"}) != 1:
        assert rarer == other


def test_half_of_the_pairs_are_whole_where_twins_are_failed() -> None:
    """A third of the rows are initial cases, so that not every question of the rows is negated."""
    taken = drawn(TWINS, 48, 0, error_weights(errors(TWINS, lambda q: q.negated)))
    pairs = Counter(q.pair_id for q in taken)
    assert sum(not q.negated for q in taken) == 16
    assert sum(number == 2 for number in pairs.values()) == 16


def test_weights_by_hand() -> None:
    """Of 8 answers 2 are incorrect, both of 4 under HN; 3 answers at the expected rate are added to each subset.

    HN: (2 + 3/4) / 7 = 11/28, easy: 3/4 / 7 = 3/28; what all share is 1/4, so the cells shrink towards these rates:
    (2 + 3 · 11/28) / 7 = 89/196 and (3 · 3/28) / 7 = 9/196.
    """
    few = [question(f"{pressure}{i}", "A", pressure=pressure, choices=("a", "b"))
           for pressure in ("easy", "hn") for i in range(4)]  # fmt: skip
    weigh = error_weights(errors(few, lambda q: q.id in ("hn0", "hn1")))
    assert weigh(few[0]) == pytest.approx(9 / (196 - 9))
    assert weigh(few[7]) == pytest.approx(89 / (196 - 89))


def test_an_unknown_subset_has_the_mean_rate_and_nothing_is_forgotten() -> None:
    weigh = error_weights(errors(MIOH, lambda q: q.pressure == "hn"))
    assert weigh(question("new", "A", pressure="unheard")) == pytest.approx(1 / 3)  # odds of 1/4
    assert min(map(weigh, MIOH)) >= FLOOR


def test_a_run_without_errors_weighs_nothing() -> None:
    with pytest.raises(VhbenchError, match="expected a run with errors; got none"):
        error_weights(errors(MIOH, lambda q: False))
