"""What is told of answers that are none: how many failed or were refused; and when no score is told at all.

A request that failed says nothing of a model. Up to :data:`ALLOWED` of them count as wrong, which moves no accuracy by
more than that; where more failed, scores are withheld: they are None, and one line says why. A refusal is what the
model said: it is wrong, however many there are.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from vhbench.schema import Record

ALLOWED = 0.01
"""The share of failed requests up to which scores are told."""

_SHOWN = 200
"""Signs of a fault that a line has."""


def reason(failed: int, asked: int, *, allow_failed: bool = False) -> str | None:
    """Return the line that says why no score is told, None where there is no reason.

    >>> reason(1, 100), reason(2, 100, allow_failed=True)
    (None, None)
    >>> reason(2, 100)
    '2 of 100 requests failed (2.0 %), more than 1 %: scores are withheld'
    """
    if allow_failed or failed <= ALLOWED * asked:
        return None
    share = f"{failed} of {asked} request{'s' if asked > 1 else ''} failed ({100 * failed / asked:.1f} %)"
    return f"{share}, more than {100 * ALLOWED:.0f} %: scores are withheld"


def reason_of(records: Iterable[Record], *, allow_failed: bool = False) -> str | None:
    """Return the line that says why no score of answers is told, with the first fault; None where there is no reason.

    >>> reason_of([Record("q", response="Error: no vision tower", failure="failed")])
    "1 of 1 request failed (100.0 %), more than 1 %: scores are withheld; the first: 'Error: no vision tower'"
    """
    asked = list(records)
    failed = [record for record in asked if record.failure == "failed"]
    why = reason(len(failed), len(asked), allow_failed=allow_failed)
    first = next((record.response for record in failed if record.response.strip()), "")
    return f"{why}; the first: {first[:_SHOWN]!r}" if why and first else why


def withhold(result: Mapping[str, Any], names: Iterable[str], why: str | None) -> dict[str, Any]:
    """Return a result with ``withheld``; without its scores of these names, and their intervals, where that says why.

    >>> withhold({"accuracy": 0.5, "failed": 0.5, "intervals": {"accuracy": (0, 1)}}, ["accuracy"], "all is lost")
    {'accuracy': None, 'failed': 0.5, 'intervals': {'accuracy': None}, 'withheld': 'all is lost'}
    """
    found = {**result, "withheld": why}
    if why is None:
        return found
    lost = [name for name in names if name in found]
    found |= dict.fromkeys(lost)
    if "intervals" in found:
        found["intervals"] = {**found["intervals"], **{name: None for name in lost if name in found["intervals"]}}
    if "interval_notes" in found:
        found["interval_notes"] = {name: note for name, note in found["interval_notes"].items() if name not in lost}
    return found
