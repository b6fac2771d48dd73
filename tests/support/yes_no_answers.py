"""Yes/no answers and their labels as two lists."""

from collections.abc import Sequence
from typing import Any

from vhbench.tasks.metrics import yes_no


def score_lists(answers: Sequence[str], labels: Sequence[str], **how: Any) -> dict[str, Any]:
    """Score answers in the order of their labels."""
    pairs = enumerate(zip(answers, labels, strict=True))
    rows = [{"id": str(n), "answer": label, "response": said} for n, (said, label) in pairs]
    return yes_no.score_records(rows, **how)
