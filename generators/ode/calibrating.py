"""Threshold calibration of detectors and verifiers on human annotations."""

import math
from collections.abc import Mapping, Sequence

Scored = Sequence[tuple[float, bool]]  # pairs of score and presence
LEAST = 10  # minimum number of cases above or below a threshold; precision is undefined with fewer
NEVER = 1.0  # threshold of classes that are never accepted; some models score exactly 1


def reached(threshold: float) -> float:
    """Return the minimum score for a fitted threshold: infinity for :data:`NEVER`.

    >>> reached(0.7), reached(NEVER)
    (0.7, inf)
    """
    return math.inf if threshold >= NEVER else threshold


def keep(scored: Scored, precision: float, *, least: int = LEAST) -> float | None:
    """Return the lowest threshold with this precision above it, None if cases are too few.

    >>> cases = [(0.9, True)] * 12 + [(0.5, True)] * 12 + [(0.5, False)] * 12 + [(0.2, False)] * 12
    >>> keep(cases, 0.9), keep(cases, 0.6), keep([(0.9, False)] * 12, 0.9), keep([(0.9, True)], 0.9)
    (0.9, 0.5, None, None)
    """
    ranked = sorted(scored, key=lambda case: -case[0])
    best, right = None, 0
    for number, (score, is_present) in enumerate(ranked, start=1):
        right += is_present
        last = number == len(ranked) or ranked[number][0] < score
        if last and number >= least and right >= precision * number:
            best = score
    return best


def acceptance(scored: Scored, precision: float) -> float:
    """Return the rounded threshold with this precision above it, :data:`NEVER` if cases are too few.

    >>> acceptance([(0.81239, True)] * 10, 0.9), acceptance([(0.8, True)] * 9, 0.9)
    (0.8124, 1.0)
    """
    threshold = keep(scored, precision)
    return NEVER if threshold is None else round(threshold, 4)


def absent(scored: Scored, precision: float, *, least: int = LEAST) -> float | None:
    """Return the highest threshold with this precision of absence below it.

    >>> cases = [(0.9, True)] * 12 + [(0.5, True)] * 12 + [(0.5, False)] * 12 + [(0.2, False)] * 12
    >>> absent(cases, 0.9), absent(cases, 0.6), absent([(0.1, True)] * 12, 0.9)
    (0.5, 0.9, None)
    """
    turned = keep([(-score, not is_present) for score, is_present in scored], precision, least=least)
    if turned is None:
        return None
    above = [score for score, _ in scored if score > -turned]
    return min(above, default=NEVER)


def thresholds(scored: Mapping[str, Scored], precision: float, *, least: int = LEAST) -> dict[str, dict[str, float]]:
    """Return ``keep`` and ``absent`` per word, both of this precision; NEVER for a word without sufficient precision.

    ``scored`` are a word's best scores in each photo, and whether the photo shows it. Words with fewer than ``least``
    photos with or without them use the thresholds over all words.

    >>> dog, fog = [(0.91239, True)] * 10 + [(0.2, False)] * 10, [(0.9, False)] * 10 + [(0.3, True)] * 10
    >>> rare = {"owl": [(0.8, True)] * 9 + [(0.2, False)] * 10, "yak": [(0.8, True)] * 10 + [(0.2, False)] * 9}
    >>> for word, found in thresholds({"dog": dog, "fog": fog} | rare, 0.9).items():
    ...     print(word, found)
    dog {'keep': 0.9124, 'absent': 0.9124}
    fog {'keep': 1.0, 'absent': 0.0}
    owl {'keep': 0.9124, 'absent': 0.3}
    yak {'keep': 0.9124, 'absent': 0.3}
    """
    together = [case for cases in scored.values() for case in cases]
    usual = keep(together, precision, least=least), absent(together, precision, least=least)
    by_word = {}
    for word, cases in sorted(scored.items()):
        n_present = sum(is_present for _, is_present in cases)
        enough = n_present >= least and len(cases) - n_present >= least
        high, low = (keep(cases, precision, least=least), absent(cases, precision, least=least)) if enough else usual
        high = NEVER if high is None else high
        by_word[word] = {"keep": round(high, 4), "absent": round(min(high, low or 0.0), 4)}
    return by_word
