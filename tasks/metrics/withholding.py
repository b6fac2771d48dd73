"""Withholding of scores after failed requests.

A failed request shows nothing about a model. A share of up to :data:`ALLOWED` counts as incorrect, which changes
accuracy by at most that; with more, scores are withheld: they are None, with the reason in one line. Refusals are
responses: they count as incorrect, at any rate.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from vhbench.schema import Record

ALLOWED = 0.01
"""Maximum share of failed requests for reporting scores."""

_SHOWN = 200
"""Maximum characters of an error in a line."""


def reason(failed: int, asked: int, *, allow_failed: bool = False) -> str | None:
    """Return the reason to withhold scores in one line, or None.

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
    """Return the reason to withhold the scores of records, with the first error, or None.

    >>> reason_of([Record("q", response="Error: no vision tower", failure="failed")])
    "1 of 1 request failed (100.0 %), more than 1 %: scores are withheld; the first: 'Error: no vision tower'"
    """
    asked = list(records)
    failed = [record for record in asked if record.failure == "failed"]
    why = reason(len(failed), len(asked), allow_failed=allow_failed)
    first = next((record.response for record in failed if record.response.strip()), "")
    return f"{why}; the first: {first[:_SHOWN]!r}" if why and first else why


def withhold(result: Mapping[str, Any], names: Iterable[str], why: str | None) -> dict[str, Any]:
    """Return a result with ``withheld`` and, if that is a reason, without these scores and their intervals.

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
