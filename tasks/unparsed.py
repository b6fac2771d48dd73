"""Responses without a prediction: counts by reference answer, and a test for imbalance."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from vhbench.benchmarks import tasks
from vhbench.records import outcome_of
from vhbench.schema import Record
from vhbench.statistics import multiple_testing
from vhbench.statistics.clustering import cluster_sums
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.multiple_testing import ALPHA

KINDS = ("unparsed", "abstained", "cut_off", "failed", "refused")
"""Reasons for a missing prediction: not parseable, "I cannot tell", truncated before it, failed request, refusal."""

COLUMNS = ("task", "id", "why", "cut_off", "question", "choices", "answer", "prediction", "response")
"""Columns of the listing of such responses."""

SHOWN = 10  # maximum number of examples per kind in a report

_LENGTH = 300


def kind_of(record: Record) -> str:
    """Return why a response has no prediction, "" if it has one; captions need none.

    >>> kind_of(Record("q", failure="failed")), kind_of(Record("q")), kind_of(Record("q", prediction="yes"))
    ('failed', 'unparsed', '')
    """
    if record.prediction or (record.kind == "caption" and not record.failure):
        return ""
    return outcome_of(record) or ("cut_off" if record.cut_off else "unparsed")


def summary(records: Sequence[Record], warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Return the report section on responses without a prediction.

    Returns:
        ``by_answer``: reference answer → ``n`` and the number of each kind (without captions); ``warnings``: the given
        ones, and one if parse rates differ significantly between questions with the answers yes and no (Bonferroni over
        the tasks of the benchmark, as each report is written alone); ``examples``: kind → first responses by id,
        shortened.
    """
    counts = by_answer(records)
    examples: dict[str, list[dict[str, str]]] = {kind: [] for kind in KINDS}
    for record in sorted(records, key=lambda record: record.id):
        kind = kind_of(record)
        if kind and len(examples[kind]) < SHOWN:
            question = {"id": record.id, "question": record.question, "answer": record.answer}
            examples[kind].append(question | {"response": shortened(record.response)})
    return {"by_answer": counts, "warnings": [*warnings, *_warnings(counts, records)], "examples": examples}


def rows(task: str, records: Sequence[Record], only: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield :data:`COLUMNS` of the responses of some kinds; "cut_off" also includes parsed ones."""
    for record in records:
        kinds = {kind_of(record), "cut_off" if record.cut_off else ""} & set(only)
        if kinds:
            whole = {**asdict(record), "task": task, "why": kind_of(record) or "cut_off"}
            yield {name: whole[name] for name in COLUMNS}


def by_answer(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    """Return reference answer → number of questions, and of responses of each kind."""
    questions = [record for record in records if record.answer]
    total = Counter(record.answer for record in questions)
    missing = Counter((record.answer, kind_of(record)) for record in questions)
    return {answer: {"n": total[answer], **{kind: missing[answer, kind] for kind in KINDS}} for answer in sorted(total)}


def shortened(text: str, length: int = _LENGTH) -> str:
    """Return the beginning and the end of a long text, where answers usually are.

    >>> shortened("a" * 50 + "b" * 50, 20)
    'aaaaaaaaa … bbbbbbbb'
    """
    if len(text) <= length:
        return text
    head = (length - 2) // 2
    return f"{text[:head]} … {text[len(text) - (length - 3 - head) :]}"


def _warnings(counts: dict[str, dict[str, int]], records: Sequence[Record]) -> Iterator[str]:
    if counts.keys() != {"yes", "no"}:
        return
    lost = {answer: sum(row[kind] for kind in KINDS) for answer, row in counts.items()}
    if not sum(lost.values()):
        return
    tested = _imbalance([record for record in records if record.answer])
    among = sum(task.family is not None and not task.variants for task in tasks(records[0].benchmark).values())
    if tested is not None and tested * among <= ALPHA:
        shares = " and ".join(f"{lost[a]} of {counts[a]['n']} whose answer is {a}" for a in ("yes", "no"))
        yield (
            f"without a prediction: {shares} (p = {min(1.0, tested * among):.1g}, adjusted for {among} tasks): "
            "scores are biased towards the answer that is parsed more often; see the examples"
        )


def _imbalance(records: Sequence[Record]) -> float | None:
    """Return the unadjusted p-value of the difference in parse rates between yes and no; None if it is not testable."""
    lost = [float(bool(kind_of(record))) for record in records]
    share = sum(lost) / len(lost)
    of = Counter(record.answer for record in records)
    signs = {"yes": 1, "no": -1}
    change = [(one - share) * signs[r.answer] / of[r.answer] for one, r in zip(lost, records, strict=True)]
    sums = cluster_sums([[c * len(lost) for c in change]], clusters_of(records))
    return multiple_testing.sign_flip_test(np.column_stack(sums))[0].family.p
