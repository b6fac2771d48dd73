"""The answers that were not read: which, of which questions, and whether one right answer suffers more than another."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from vhbench.benchmarks import tasks
from vhbench.records import outcome_of
from vhbench.schema import Record
from vhbench.statistics import multiple_testing
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.multiple_testing import ALPHA

KINDS = ("unparsed", "failed", "refused")
"""Why an answer was not read: nobody can tell what it says; no answer came; the model gave none."""

COLUMNS = ("task", "id", "why", "cut_off", "question", "choices", "answer", "prediction", "response")
"""What there is to know of such an answer."""

SHOWN = 10
"""Examples of each kind in a report."""

_LENGTH = 300


def kind_of(record: Record) -> str:
    """Return why an answer was not read, "" where it was; a caption is not read but searched.

    >>> kind_of(Record("q", failure="failed")), kind_of(Record("q")), kind_of(Record("q", prediction="yes"))
    ('failed', 'unparsed', '')
    """
    if record.failure:
        return record.failure
    return "unparsed" if outcome_of(record) == "" and record.kind != "caption" else ""


def summary(records: Sequence[Record]) -> dict[str, Any]:
    """Return what a report says of answers that were not read.

    Returns:
        ``by_answer``: right answer → ``n`` and the number of each kind (captions have none); ``warnings``: where
        questions whose answer is yes and those whose answer is no were not equally often read, which is tested among
        all tasks of the benchmark (Bonferroni, as each report is written alone); ``examples``: kind →
        the first answers by id, their responses shortened.
    """
    counts = by_answer(records)
    examples: dict[str, list[dict[str, str]]] = {kind: [] for kind in KINDS}
    for record in sorted(records, key=lambda record: record.id):
        kind = kind_of(record)
        if kind and len(examples[kind]) < SHOWN:
            asked = {"id": record.id, "question": record.question, "answer": record.answer}
            examples[kind].append(asked | {"response": shortened(record.response)})
    return {"by_answer": counts, "warnings": list(_warnings(counts, records)), "examples": examples}


def rows(task: str, records: Sequence[Record], only: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield :data:`COLUMNS` of the answers of some kinds; "cut_off" is one more, of answers read or not."""
    for record in records:
        kinds = {kind_of(record), "cut_off" if record.cut_off else ""} & set(only)
        if kinds:
            whole = {**asdict(record), "task": task, "why": kind_of(record) or "cut_off"}
            yield {name: whole[name] for name in COLUMNS}


def by_answer(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    """Return right answer → its questions, and how many answers of each kind they got."""
    asked = [record for record in records if record.answer]
    total = Counter(record.answer for record in asked)
    found = Counter((record.answer, kind_of(record)) for record in asked)
    return {answer: {"n": total[answer], **{kind: found[answer, kind] for kind in KINDS}} for answer in sorted(total)}


def shortened(text: str, length: int = _LENGTH) -> str:
    """Return the beginning and the end of a long text, where answers stand.

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
    lost = {answer: sum(found[kind] for kind in KINDS) for answer, found in counts.items()}
    if not sum(lost.values()):
        return
    tested = parse_failure_imbalance([record for record in records if record.answer])
    among = sum(task.family is not None for task in tasks(records[0].benchmark).values())
    if tested is not None and tested * among <= ALPHA:
        told = " and ".join(f"{lost[a]} of {counts[a]['n']} whose answer is {a}" for a in ("yes", "no"))
        yield (
            f"not read were {told} (p = {min(1.0, tested * among):.1g} among {among} tasks): scores lean to the answer "
            "that is read more often; look at the examples"
        )


def parse_failure_imbalance(records: Sequence[Record]) -> float | None:
    """Return how often chance makes questions with one answer so much less often read than those with the other.

    The signs of whole clusters are flipped (:mod:`vhbench.statistics.multiple_testing`), as for all that is claimed.

    Returns:
        p, not yet that of all tasks together; None where too few clusters differ for any claim.
    """
    lost = [float(bool(kind_of(record))) for record in records]
    share = sum(lost) / len(lost)
    of = Counter(record.answer for record in records)
    signs = {"yes": 1, "no": -1}
    change = [(one - share) * signs[r.answer] / of[r.answer] for one, r in zip(lost, records, strict=True)]
    clusters = clusters_of(records)
    (found,) = multiple_testing.verdicts(
        [multiple_testing.PairedClaim([c * len(lost) for c in change], clusters.numbers.tolist())]
    )
    return found.p
