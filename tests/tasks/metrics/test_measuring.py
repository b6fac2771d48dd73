"""Counts of tokens of all responses."""

from vhbench.schema import Record
from vhbench.tasks.metrics.measuring import measure


def answered(*tokens: int, prediction: str = "yes") -> list[Record]:
    """Return predictions that are right in every other row."""
    answers = ("yes", "no") * len(tokens)
    return [
        Record(str(number), answer=answers[number], prediction=prediction, tokens=count)
        for number, count in enumerate(tokens)
    ]


def test_tokens_of_the_responses_that_have_a_count() -> None:
    counted = measure(answered(1, 2, 3, 0, 5, 5, 4), "yes_no").token_counts
    assert counted == {"responses": 6, "p95": 5.0, "per_correct": (1 + 2 + 3 + 5 + 5 + 4) / 4}
    spread = measure(answered(0, 10, 0, 30), "yes_no").token_counts
    assert spread == {"responses": 2, "p95": 10 + 0.95 * 20, "per_correct": None}
    assert measure(answered(0, 0), "yes_no").token_counts is None
