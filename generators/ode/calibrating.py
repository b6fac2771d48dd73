"""From which scores on a detector or verifier is to be believed: fitted on what people annotated."""

import math
from collections.abc import Mapping, Sequence

Scored = Sequence[tuple[float, bool]]
"""Scores, and whether what was scored is there."""

LEAST = 10
"""Cases above a threshold, or below it, by which it is judged: fewer tell nothing of a precision."""

NEVER = 1.0
"""The threshold of what is never believed, whatever its score: some models are sure to the last digit."""


def reached(threshold: float) -> float:
    """Return the score from which a fitted threshold is reached: by none, where it is that of the never believed.

    >>> reached(0.7), reached(NEVER)
    (0.7, inf)
    """
    return math.inf if threshold >= NEVER else threshold


def keep(scored: Scored, precision: float, *, least: int = LEAST) -> float | None:
    """Return the lowest score from which on so many are there, None where none has enough cases.

    >>> cases = [(0.9, True)] * 12 + [(0.5, True)] * 12 + [(0.5, False)] * 12 + [(0.2, False)] * 12
    >>> keep(cases, 0.9), keep(cases, 0.6), keep([(0.9, False)] * 12, 0.9), keep([(0.9, True)], 0.9)
    (0.9, 0.5, None, None)
    """
    ranked = sorted(scored, key=lambda case: -case[0])
    best, right = None, 0
    for number, (score, there) in enumerate(ranked, start=1):
        right += there
        last = number == len(ranked) or ranked[number][0] < score
        if last and number >= least and right >= precision * number:
            best = score
    return best


def absent(scored: Scored, precision: float, *, least: int = LEAST) -> float | None:
    """Return the highest score below which so many are not there.

    >>> cases = [(0.9, True)] * 12 + [(0.5, True)] * 12 + [(0.5, False)] * 12 + [(0.2, False)] * 12
    >>> absent(cases, 0.9), absent(cases, 0.6), absent([(0.1, True)] * 12, 0.9)
    (0.5, 0.9, None)
    """
    turned = keep([(-score, not there) for score, there in scored], precision, least=least)
    if turned is None:
        return None
    above = [score for score, _ in scored if score > -turned]
    return min(above, default=NEVER)


def thresholds(scored: Mapping[str, Scored], precision: float, *, least: int = LEAST) -> dict[str, dict[str, float]]:
    """Return each word's keep and absent; of a word that never reaches the precision, those that believe nothing.

    A word of which too few photos show one takes the thresholds of all words together.

    Args:
        scored: word → the best score in each photo, and whether the photo shows it.
        precision: of what is believed to be there, and of what is believed not to be.
        least: photos that must show it, and that must not.
    """
    together = [case for cases in scored.values() for case in cases]
    usual = keep(together, precision, least=least), absent(together, precision, least=least)
    found = {}
    for word, cases in sorted(scored.items()):
        shown = sum(there for _, there in cases)
        enough = shown >= least and len(cases) - shown >= least
        high, low = (keep(cases, precision, least=least), absent(cases, precision, least=least)) if enough else usual
        high = NEVER if high is None else high
        found[word] = {"keep": round(high, 4), "absent": round(min(high, low or 0.0), 4)}
    return found
