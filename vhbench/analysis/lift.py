"""Lift of hallucinations given a co-occurring object, with its interval.

Co-occurrence counts are dominated by objects that are in every image, such as the sky. Therefore, for each hallucinated
object b and shown object a,

    lift(a, b) = P(b is hallucinated | a is shown) / P(b is hallucinated),

the lift of association rules (Brin, Motwani, Ullman & Tsur, SIGMOD 1997), measures which concepts a scene suggests (Tu
et al. 2025 sample them from a co-occurrence graph): 1 under independence, 3 if b is hallucinated three times as often
given a as at its base rate. It is computed over *opportunities*: responses that could hallucinate b, which are captions
of images without b and questions "Is there b?" with the answer no, without failed requests and refusals.

A question suggests its object, and is asked where the object is likely, so captions and questions are separate strata
k with x_k hallucinations of b each:

    expected(a, b) = Σ_k x_k · opportunities_k(a, b) / opportunities_k(b)        lift = observed(a, b) / expected(a, b)

(a stratified ratio of observed to expected counts; with one stratum, the quotient above). The interval is conditional
on the opportunities, which the split determines: it is that of the share of b's hallucinations given a, over images,
divided by its expectation.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vhbench.statistics import intervals

FALSE_ALARM: Final = 0.05  # family-wise error rate of all claims that a lift is above 1


@dataclass(frozen=True, slots=True)
class Opportunity:
    """A response that could hallucinate."""

    kind: str  # kind of question, the stratum
    image: str  # resampling unit
    objects: frozenset[str]  # objects in the image
    chances: frozenset[str]  # objects that the response could hallucinate
    imagined: frozenset[str]  # the ones that it hallucinated


def compute_lift(occasions: Iterable[Opportunity]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return shown object → hallucinated object → lift.

    Returns:
        ``hallucinated``: number of hallucinations given the shown object, in so many ``images``; ``of``: number of all
        hallucinations of the object; ``expected``: expectation of the first under independence; ``lift``: their ratio;
        ``interval``: 95 % CI, None for a single image; ``simultaneous``: the same for all pairs at once; ``capped``:
        whether its upper end is the lift itself, as the object is never hallucinated otherwise; ``significant``: by
        the exact test, adjusted over all pairs.

    >>> boat, sea, oven = (frozenset({word}) for word in ("boat", "sea", "oven"))
    >>> beside = [Opportunity("caption", image, sea, chances=boat, imagined=boat) for image in "12"]
    >>> elsewhere = [Opportunity("caption", image, oven, chances=boat, imagined=frozenset()) for image in "3456"]
    >>> lift = compute_lift(beside + elsewhere)["sea"]["boat"]  # two of six images show a sea; 2 · 2/6 expected
    >>> lift["hallucinated"], lift["of"], round(lift["expected"], 3), round(lift["lift"], 3)
    (2, 2, 0.667, 3.0)
    """
    answers = list(occasions)
    events: dict[str, list[Opportunity]] = defaultdict(list)
    for answer in answers:
        for word in answer.imagined:
            events[word].append(answer)
    expected = {word: _expected(word, imaginings, answers) for word, imaginings in sorted(events.items())}
    level = FALSE_ALARM / _claims(
        base ** len({event.image for event in events[word]})
        for word, facts in expected.items()
        for base in (count / len(events[word]) for count in facts.values())
    )
    table: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for word, facts in expected.items():
        for fact, count in facts.items():
            if any(fact in event.objects for event in events[word]):
                table[fact][word] = _lift(fact, events[word], count, level)
    return {fact: table[fact] for fact in sorted(table)}


def _expected(word: str, events: Sequence[Opportunity], occasions: Sequence[Opportunity]) -> dict[str, float]:
    """Return, for each object shown in an opportunity, the expected hallucinations of the word under independence."""
    times = Counter(event.kind for event in events)
    chances, beside = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for answer in occasions:
        if answer.kind in times and word in answer.chances:
            chances[answer.kind] += 1
            beside[answer.kind].update(answer.objects)
    facts = sorted({fact for counts in beside.values() for fact in counts})
    return {fact: sum(times[kind] * beside[kind][fact] / chances[kind] for kind in sorted(times)) for fact in facts}


def _lift(fact: str, events: Sequence[Opportunity], expected: float, level: float) -> dict[str, Any]:
    beside = [float(fact in event.objects) for event in events]
    images = {event.image: fact in event.objects for event in events}
    base = expected / len(events)
    clusters = [event.image for event in events]

    def interval(confidence: float) -> list[float] | None:
        estimate = intervals.mean(beside, clusters=clusters, level=confidence) if len(images) > 1 else None
        return None if estimate is None else [end / base for end in estimate.ends]

    return {
        "hallucinated": int(sum(beside)),
        "images": sum(images.values()),
        "of": len(events),
        "expected": expected,
        "lift": sum(beside) / expected,
        "interval": interval(intervals.LEVEL),
        "simultaneous": interval(1 - level),
        "capped": all(beside),
        "significant": _chance_of(sum(images.values()), len(images), base) <= level,
    }


def _chance_of(beside: int, images: int, base: float) -> float:
    """Return the probability that at least ``beside`` of the images show an object, at base rate ``base``.

    >>> _chance_of(2, 2, 0.25)
    0.0625
    """
    from scipy.special import betainc  # here, as it takes longer to load than all metrics

    return float(betainc(beside, images - beside + 1, base)) if beside else 1.0


def _claims(least: Iterable[float]) -> int:
    """Return Tarone's (Biometrics 1990) number of claims whose ``least`` possible p-value permits significance.

    >>> _claims([0.5] * 1000 + [0.001, 0.0001])  # two pairs are testable
    2
    """
    ordered = sorted(least)
    number = 1
    while bisect_right(ordered, FALSE_ALARM / number) > number:
        number += 1
    return number
