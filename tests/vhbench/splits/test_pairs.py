"""What the pairs of MIOH promise: a pressed question has its easy twin, unless no easy ones were asked for."""

from vhbench.schema import Question, Row
from vhbench.splits.pairs import Pairs


def faults(*asked: tuple[str, str, str]) -> list[str]:
    """Return the faults of questions, each (question type, pair, pressure)."""
    pairs = Pairs("easy twin")
    found = []
    for number, (kind, name, pressure) in enumerate(asked):
        question = Question(
            f"q{number}",
            images=(b"", b""),
            question="?",
            answer="yes",
            kind="yes_no",
            benchmark="mioh",
            question_type=kind,
            pair_id=name,
            pressure=pressure,
        )
        found += pairs.add(Row(f"mioh_{pressure}", question), [b"", bytes([number])])
    return [*found, *pairs.faults()]


def test_a_pressed_question_has_its_easy_twin() -> None:
    easy = ("E1", "e1-1", "easy")
    assert faults(easy, ("E1", "e1-1", "hp"), ("E1", "e1-1", "hp"), ("E1", "e1-1", "ni4")) == []
    assert faults(easy, ("E1", "e1-2", "hp")) == ["pair 'e1-2': has the pressed question 'q1' and not its easy twin"]
    assert faults(easy, easy) == ["pair 'e1-1': expected one easy question, got 2"]


def test_a_build_may_ask_no_easy_questions_of_a_type() -> None:
    assert faults(("E1", "e1-1", "easy"), ("E2", "e2-1", "hp"), ("E2", "e2-1", "hn")) == []
