"""What is taught: the errors of a run, with as many questions of the other answer; draws that keep pairs together."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.schema import Question, Record, VhbenchError
from vhbench.training.sample_selection import balanced, by_criterion, drawn, errors, units


def asked(name: str, answer: str, pair: str = "", kind: str = "yes_no", **columns: str) -> Question:
    return Question(name, question="?", answer=answer, kind=kind, images=(), pair_id=pair, **columns)  # type: ignore[arg-type]


PAIRS = [asked(f"{n}{answer[0]}", answer, f"p{n}", question_type="e") for n in range(20) for answer in ("yes", "no")]


def said(name: str, answer: str, prediction: str, kind: str = "yes_no", **more: str) -> Record:
    return Record(name, kind=kind, answer=answer, prediction=prediction, response=prediction, **more)  # type: ignore[arg-type]


def test_errors_are_wrong_answers_and_not_unread_ones() -> None:
    found = errors(
        [
            said("a", "yes", "no"), said("b", "yes", "yes"), said("c", "no", ""), said("2#a", "yes", "no"),
            said("d", "A", "B", "multiple_choice"), said("e", "no", "", failure="failed"),
            said("2#d", "A", "C", "multiple_choice"),
        ],
        None,
    )  # fmt: skip
    assert {name: (record.id, record.prediction) for name, record in found.wrong.items()} == {
        "a": ("a", "no"),
        "d": ("d", "B"),
    }
    assert {name: record.id for name, record in found.answers.items()} == {"a": "a", "b": "b", "d": "d"}
    assert found.unread == 2
    assert found.counts == {"yes_no": [3, 2], "multiple_choice": [2, 2]}


def test_the_errors_of_a_yes_sayer_come_with_their_mates() -> None:
    found = balanced([question.id for question in PAIRS if question.answer == "no"], PAIRS, 0)
    assert Counter(question.answer for question in found) == {"yes": 20, "no": 20}


def test_without_a_mate_others_of_the_type_stand_in_about_the_same_image_first() -> None:
    pool = [
        asked("no", "no", question_type="e", scene_ids=("s",)),  # type: ignore[arg-type]
        *(asked(f"far{i}", "yes", question_type="e", scene_ids=("t",)) for i in range(9)),  # type: ignore[arg-type]
        asked("near", "yes", question_type="e", scene_ids=("s",)),  # type: ignore[arg-type]
        asked("other type", "yes", question_type="f", scene_ids=("s",)),  # type: ignore[arg-type]
    ]
    assert {question.id for question in balanced(["no"], pool, 0)} == {"no", "near"}


def test_what_cannot_be_evened_out_is_left_out() -> None:
    pool = [asked(f"n{i}", "no") for i in range(5)] + [asked("y", "yes")]
    assert Counter(q.answer for q in balanced([q.id for q in pool], pool, 0)) == {"yes": 1, "no": 1}


@settings(max_examples=40)
@given(st.sets(st.integers(0, 39)), st.integers(0, 3))
def test_yes_and_no_are_always_equally_frequent(wanted: set[int], seed: int) -> None:
    found = balanced([PAIRS[i].id for i in wanted], PAIRS, seed)
    answers = Counter(question.answer for question in found)
    assert answers["yes"] == answers["no"]
    assert {PAIRS[i].id for i in wanted} <= {question.id for question in found}


LETTERS = [
    asked(f"{letter}{n}", letter, kind="multiple_choice", question_type="E5") for letter in "ABCD" for n in range(6)
]


def test_the_errors_of_one_who_always_says_a_come_with_questions_whose_answer_is_a() -> None:
    found = balanced([q.id for q in LETTERS if q.answer != "A"], LETTERS, 0)
    assert Counter(question.answer for question in found) == dict.fromkeys("ABCD", 6)


@settings(max_examples=40)
@given(st.sets(st.integers(0, 23)), st.integers(0, 3))
def test_letters_are_always_equally_frequent(wanted: set[int], seed: int) -> None:
    found = balanced([LETTERS[i].id for i in wanted], LETTERS, seed)
    counts = Counter(question.answer for question in found)
    assert len({counts[letter] for letter in "ABCD"}) == 1
    assert {LETTERS[i].id for i in wanted} <= {question.id for question in found}


def test_a_letter_that_is_rarely_right_stays_rare() -> None:
    pool = [*LETTERS, asked("E0", "E", kind="multiple_choice", question_type="E5"),
            asked("other", "A", kind="multiple_choice", question_type="C1")]  # fmt: skip
    found = balanced(["A0", "A1", "A2", "A3"], pool, 1)
    assert Counter(question.answer for question in found) == {"A": 4, "B": 4, "C": 4, "D": 4, "E": 1}
    assert "other" not in {question.id for question in found}


def test_units_are_pairs_then_a_yes_and_a_no_of_one_type() -> None:
    pool = [*PAIRS[:4], asked("x", "yes", question_type="e"), asked("y", "no", question_type="e"),
            asked("c", "", kind="caption")]  # fmt: skip
    found = sorted(sorted(question.id for question in unit) for unit in units(pool))
    assert found == [["0n", "0y"], ["1n", "1y"], ["c"], ["x", "y"]]


def test_a_draw_keeps_pairs_and_order_and_follows_from_the_seed() -> None:
    found = drawn(PAIRS, 10, 1)
    assert Counter(question.answer for question in found) == {"yes": 5, "no": 5}
    assert found == drawn(PAIRS, 10, 1) != drawn(PAIRS, 10, 2)
    assert [PAIRS.index(question) for question in found] == sorted(PAIRS.index(question) for question in found)
    assert drawn(PAIRS, 0, 1) == PAIRS


def test_what_is_wanted_more_is_drawn_more_often() -> None:
    heavy = {question.id for question in PAIRS[:20]}
    shares = [
        sum(question.id in heavy for question in drawn(PAIRS, 20, seed, lambda q: 9.0 if q.id in heavy else 1.0))
        for seed in range(50)
    ]
    assert 15 < sum(shares) / len(shares) < 20


def test_what_is_not_wanted_comes_last() -> None:
    found = drawn(PAIRS, 38, 0, lambda question: float(question.pair_id != "p7"))
    assert "p7" not in {question.pair_id for question in found}


def test_too_few_are_told() -> None:
    with pytest.raises(VhbenchError, match="expected at least 41 matching questions, got 40"):
        drawn(PAIRS, 41, 0)


def test_each_criterion_has_its_number() -> None:
    pool = [asked(f"{c}{i}", a, f"{c}{i // 2}", criterion=c) for c in "ab" for i, a in enumerate(("yes", "no") * 4)]
    assert Counter(question.criterion for question in by_criterion(pool, 4, 0)) == {"a": 4, "b": 4}
