"""What negation and perturbation cost a model: VHExpansion's table of a run, each perturbation beside its clean pairs.

A perturbed pair belongs to the clean pair of the same case: its id is the clean one's with ``/<perturbation>`` behind
it. The drop in symmetric accuracy is taken over the cases that both have, with an interval from the same cases
resampled together (VHExpansion, Liu et al. 2024, §5).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals, symmetric_accuracy


def analyse(records: Sequence[Record]) -> dict[str, Any]:
    """Return, for each source, the clean scores, and each perturbation's with its drop.

    Raises:
        VhbenchError: if there is no answer to a question of VHExpansion.
    """
    sources: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record.benchmark == "vhexpansion":
            sources[record.source].append(record)
    if not sources:
        raise VhbenchError("no answers to questions of VHExpansion among these results")
    return {source: _source(sources[source]) for source in sorted(sources)}


def _source(records: Sequence[Record]) -> dict[str, Any]:
    clean = pairs_right([record for record in records if not record.perturbation])
    kinds = sorted({record.perturbation for record in records})
    scores = symmetric_accuracy.score(records)["by_perturbation"]
    return {kind or "clean": _brief(scores[kind]) | (_drop(clean, records, kind) if kind else {}) for kind in kinds}


def pairs_right(records: Sequence[Record]) -> dict[str, bool]:
    """Return case → whether a question and its negated twin were both answered rightly; incomplete pairs are left out.

    >>> pairs_right([Record("a", pair_id="c/jpeg", perturbation="jpeg", answer="yes", prediction="yes"),
    ...              Record("b", pair_id="c/jpeg", perturbation="jpeg", answer="no", prediction="yes", negated=True)])
    {'c': False}
    """
    halves: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        halves[_case(record)].append(record)
    return {
        case: all(record.prediction == record.answer for record in pair)
        for case, pair in sorted(halves.items())
        if len(pair) == 2
    }


def _case(record: Record) -> str:
    suffix = f"/{record.perturbation}"
    return record.pair_id.removesuffix(suffix) if record.perturbation else record.pair_id


def _drop(clean: Mapping[str, bool], records: Sequence[Record], kind: str) -> dict[str, Any]:
    """Compare the cases that have both a clean pair and one of this perturbation."""
    perturbed = pairs_right([record for record in records if record.perturbation == kind])
    cases = [case for case in perturbed if case in clean]
    change = [float(clean[case]) - float(perturbed[case]) for case in cases]
    interval = intervals.mean(change, clusters=cases)
    return {
        "shared_cases": len(cases),
        "drop": 100 * sum(change) / len(change) if change else None,
        "drop_interval": None if interval is None else [100 * end for end in interval],
    }


def _brief(score: Mapping[str, Any]) -> dict[str, Any]:
    rates = ("symmetric_accuracy", "accuracy", "yes_rate", "chance", "unparsed")
    interval = score["intervals"]["symmetric_accuracy"]
    return {
        **{name: None if score[name] is None else 100 * score[name] for name in rates},
        "interval": None if interval is None else [100 * end for end in interval],
        "new_successful": score["new_successful"],
        "pairs": score["pairs"],
        "incomplete_pairs": score["incomplete_pairs"],
    }
