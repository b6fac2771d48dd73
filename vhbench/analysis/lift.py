"""Beside what is a thing imagined more often than elsewhere? Lift, and its interval.

Counts alone say little: what is in every picture, a sky, is beside everything. So of each thing b and each fact a

    lift(a, b) = P(b is imagined | a is shown) / P(b is imagined)

is told, the lift of association rules (Brin, Motwani, Ullman & Tsur, SIGMOD 1997) for ODE's question which concepts a
scene suggests (Tu et al. 2025, who draw them from a graph of co-occurrences): 1 where a has nothing to do with it, 3
where b is imagined three times as often beside a as it is in general. It is taken over *chances*: the answers that
could have imagined b. That is each caption of a picture without b, and each question "Is there b?" whose answer is no;
failed requests and refusals are none.

A question suggests what it asks, and is asked where it is likely, so captions and questions are not thrown together:
of each kind k the chances say how many of its x_k times b would have been imagined beside a if a did not matter,

    expected(a, b) = Σ_k x_k · chances_k(a, b) / chances_k(b)        lift = imagined beside a / expected

(a ratio of observed to expected counts with strata; of one kind it is the quotient above). The interval takes the
chances as given, since the split sets them: it is that of the share of b's imaginings beside a, over images, divided
by what was expected of it.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vhbench.statistics import intervals

FALSE_ALARM: Final = 0.05
"""Of all claims together that something is imagined more often beside one thing than elsewhere."""


@dataclass(frozen=True, slots=True)
class Opportunity:
    """An answer that could have imagined something.

    Attributes:
        kind: of the question: chances of one kind are alike.
        image: what is resampled.
        shown: the facts of the picture.
        chances: what it could have imagined.
        imagined: what it did imagine of it.
    """

    kind: str
    image: str
    shown: frozenset[str]
    chances: frozenset[str]
    imagined: frozenset[str]


def compute_lift(occasions: Iterable[Opportunity]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return fact → imagined → how much more often than in general.

    Returns:
        ``imagined``: how often beside the fact, in how many ``images``; ``of``: how often at all; ``expected``: how
        often beside the fact if it did not matter; ``lift``, their quotient; ``interval``, 95 %, or None where all was
        in one image; ``certain``: whether it is more often than in general, by the exact test for all pairs together.

    >>> boat, sea, oven = (frozenset({word}) for word in ("boat", "sea", "oven"))
    >>> beside = [Opportunity("caption", image, sea, chances=boat, imagined=boat) for image in "12"]
    >>> elsewhere = [Opportunity("caption", image, oven, chances=boat, imagined=frozenset()) for image in "3456"]
    >>> found = compute_lift(beside + elsewhere)["sea"]["boat"]  # two of six images show a sea; 2 · 2/6 expected
    >>> found["imagined"], found["of"], round(found["expected"], 3), round(found["lift"], 3)
    (2, 2, 0.667, 3.0)
    """
    given = list(occasions)
    events: dict[str, list[Opportunity]] = defaultdict(list)
    for answer in given:
        for word in answer.imagined:
            events[word].append(answer)
    expected = {word: _expected(word, imaginings, given) for word, imaginings in sorted(events.items())}
    level = FALSE_ALARM / _claims(
        base ** len({event.image for event in events[word]})
        for word, facts in expected.items()
        for base in (count / len(events[word]) for count in facts.values())
    )
    table: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for word, facts in expected.items():
        for fact, count in facts.items():
            if any(fact in event.shown for event in events[word]):
                table[fact][word] = _lift(fact, events[word], count, level)
    return {fact: table[fact] for fact in sorted(table)}


def _expected(word: str, events: Sequence[Opportunity], occasions: Sequence[Opportunity]) -> dict[str, float]:
    """Return, for each fact that is shown in a chance, how often the word would be imagined beside it anyway."""
    times = Counter(event.kind for event in events)
    chances, beside = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for answer in occasions:
        if answer.kind in times and word in answer.chances:
            chances[answer.kind] += 1
            beside[answer.kind].update(answer.shown)
    facts = sorted({fact for shown in beside.values() for fact in shown})
    return {fact: sum(times[kind] * beside[kind][fact] / chances[kind] for kind in sorted(times)) for fact in facts}


def _lift(fact: str, events: Sequence[Opportunity], expected: float, level: float) -> dict[str, Any]:
    beside = [float(fact in event.shown) for event in events]
    images = {event.image: fact in event.shown for event in events}
    base = expected / len(events)
    interval = intervals.mean(beside, clusters=[event.image for event in events]) if len(images) > 1 else None
    return {
        "imagined": int(sum(beside)),
        "images": sum(images.values()),
        "of": len(events),
        "expected": expected,
        "lift": sum(beside) / expected,
        "interval": None if interval is None else [end / base for end in interval.ends],
        "certain": _chance_of(sum(images.values()), len(images), base) <= level,
    }


def _chance_of(beside: int, images: int, base: float) -> float:
    """Return how likely it is that of so many images at least so many show a fact that a share of the chances shows.

    >>> _chance_of(2, 2, 0.25)
    0.0625
    """
    from scipy.special import betainc  # here, as it takes longer to load than all metrics

    return float(betainc(beside, images - beside + 1, base)) if beside else 1.0


def _claims(least: Iterable[float]) -> int:
    """Return by how many claims the level is divided: Tarone's (Biometrics 1990) number for exact tests.

    A pair whose p cannot be small, as its thing was imagined in few images, can never be claimed, and does not count.

    Args:
        least: the smallest p that each pair can have.

    >>> _claims([0.5] * 1000 + [0.001, 0.0001])  # two pairs can be claimed
    2
    """
    ordered = sorted(least)
    number = 1
    while bisect_right(ordered, FALSE_ALARM / number) > number:
        number += 1
    return number
