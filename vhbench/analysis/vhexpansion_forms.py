"""VHExpansion by wording of the negated twin: whether wrapped pairs lose more than natural ones.

A wrapped twin quotes its question, so that a model may fail because of the wording, which is not a hallucination. A
pair is lost if its question is answered correctly and its twin is not; the share is of the pairs with a correct
question, as wrapped questions may be the harder ones. Wordings have other cases, so that the difference is not paired:
its interval is MOVER's (Zou and Donner 2008) from the shares' own intervals over images, p inverts it, and Holm adjusts
p for all sources and wordings. In simulations with 6 to 200 wrapped pairs, without a difference, at most 5.3 % had
p ≤ 0.05.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any, Final

from vhbench.analysis.run import percent
from vhbench.schema import Record
from vhbench.statistics import intervals, wording
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.multiple_testing import ALPHA, holm
from vhbench.tasks.metrics import symmetric_accuracy

NATURAL: Final = "natural"
_HEADER: Final = ("wording", "n pairs", "sym. accuracy", "lost by negation", "against natural (points)", "verdict")


def by_form(sources: Mapping[str, Sequence[Record]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return source → wording → scores in percent of its clean pairs.

    Returns:
        ``pairs``, ``symmetric_accuracy`` with ``interval``; ``right_before``: pairs with a correct question;
        ``lost``: share of these whose twin is wrong, with ``lost_interval``; for wordings other than "natural"
        ``more_lost`` in points, its ``more_lost_interval``, ``p`` and ``significant``.
    """
    by_source: dict[str, dict[str, dict[str, Any]]] = {}
    claims: list[tuple[dict[str, Any], _Lost, _Lost]] = []
    for source, records in sources.items():
        clean = [record for record in records if record.mode and not record.perturbation]
        if not clean:
            continue
        scores = symmetric_accuracy.score(clean, by=("mode",))["by"]["mode"]
        lost = {form: _Lost([record for record in clean if record.mode == form]) for form in scores}
        by_source[source] = {form: _scores(scores[form], lost[form]) for form in scores}
        claims += [
            (by_source[source][form], own, lost[NATURAL])
            for form, own in lost.items()
            if form != NATURAL and NATURAL in lost and own.values and lost[NATURAL].values
        ]
    adjusted = holm([_p_value(own, natural) for _, own, natural in claims]) if claims else []
    for (cell, own, natural), p in zip(claims, adjusted, strict=True):
        cell |= {"more_lost": 100 * (own.share - natural.share), "p": p, "significant": p <= ALPHA}
        cell["more_lost_interval"] = percent(_difference(own, natural, intervals.LEVEL))
    return by_source


def report(source: str, forms: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the table of a source; nothing if all twins have one wording."""
    if len(forms) > 1:
        yield f"Source {source}, clean pairs by wording of the twin, in % with 95 % CI"
        yield from wording.aligned([_HEADER, *(_row(form, forms[form]) for form in forms)])
        yield ""


def sentences(forms: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each wording that loses significantly more or less than natural twins."""
    for form, cell in forms.items():
        if cell.get("significant") and cell["more_lost"]:
            more, ends = cell["more_lost"], cell["more_lost_interval"]
            size = f"{wording.number(abs(more))} points {'more' if more > 0 else 'less'}"
            ends = ends if more > 0 else [-end for end in reversed(ends)]
            yield (
                f"After a correct question, {form} twins fail {size} often than natural ones, "
                f"{wording.confidence(ends)}: compare models on natural pairs, "
                f"{wording.number(forms[NATURAL]['symmetric_accuracy'])} % (n = {forms[NATURAL]['pairs']})."
            )


class _Lost:
    """Pairs of a wording with a correct question, and whether each is lost."""

    def __init__(self, records: Sequence[Record]) -> None:
        pairs = symmetric_accuracy.complete_pairs(records)
        right = [(first, twin) for first, twin in pairs if first.prediction == first.answer]
        self.values = [float(twin.prediction != twin.answer) for _, twin in right]
        self.clusters = clusters_of(first for first, _ in right)

    @property
    def share(self) -> float:
        """Share of lost pairs."""
        return sum(self.values) / len(self.values)

    def interval(self, level: float) -> intervals.Interval | None:
        """Return its interval over images."""
        return intervals.mean(self.values, clusters=self.clusters, level=level)


def _scores(score: Mapping[str, Any], lost: _Lost) -> dict[str, Any]:
    value, interval = score["symmetric_accuracy"], lost.interval(intervals.LEVEL)
    return {
        "pairs": score["pairs"],
        "symmetric_accuracy": None if value is None else 100 * value,
        "interval": percent(score["intervals"]["symmetric_accuracy"]),
        "right_before": len(lost.values),
        "lost": 100 * lost.share if lost.values else None,
        "lost_interval": percent(interval.ends if interval else None),
    }


def _difference(one: _Lost, other: _Lost, level: float) -> tuple[float, float] | None:
    """Return the interval of one share minus the other; None where a single image leaves a share without one."""
    first, second = one.interval(level), other.interval(level)
    if first is None or second is None:
        return None
    p, q = one.share, other.share
    low = p - q - sqrt((p - first.low) ** 2 + (second.high - q) ** 2)
    return low, p - q + sqrt((first.high - p) ** 2 + (q - second.low) ** 2)


def _p_value(one: _Lost, other: _Lost) -> float:
    """Return the largest level of significance, to 1/1,000,000, at which the interval contains 0."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        ends = _difference(one, other, 1 - middle)
        low, high = (middle, high) if ends is None or ends[0] <= 0 <= ends[1] else (low, middle)
    return high


def _row(form: str, cell: Mapping[str, Any]) -> Sequence[str]:
    def estimate(name: str, ends: str) -> str:
        return "n/a" if cell[name] is None else f"{wording.number(cell[name])} {wording.interval(cell[ends])}"

    values = estimate("symmetric_accuracy", "interval"), estimate("lost", "lost_interval")
    if "p" not in cell:
        return form, str(cell["pairs"]), *values, "", ""
    change = f"{wording.signed(cell['more_lost'])} {wording.interval(cell['more_lost_interval'])}"
    return form, str(cell["pairs"]), *values, change, wording.verdict(cell)
