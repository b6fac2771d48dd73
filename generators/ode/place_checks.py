"""Verification of places: whether an image is set in the prompted environment.

A detector boxes objects; whether a whole image is a kitchen is a question for the verifier (CLIP or a VQA model), which
chooses between "a photo of a kitchen" and places that a kitchen excludes. Places that exclude none (a floor, the
ground) are left to the detector's boxes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.environments import Wording
from vhbench.protocols import Verifier

KIND = "place"  # name of places among the calibrated kinds
_MOST = 12  # maximum number of places scored against the prompted one


@dataclass(frozen=True, slots=True)
class PlaceVerdict:
    """Verdict on the place of an image."""

    present: bool  # whether the image is set in the prompted place
    score: float  # probability of the prompted place
    absent: frozenset[str]  # places that the image excludes


def others(place: str, words: Wording) -> list[str]:
    """Return the places that one excludes, of different families first.

    >>> from vhbench.generators.ode.environments import DEFAULT
    >>> others("kitchen", DEFAULT)[:4], others("floor", DEFAULT)
    (['bathroom', 'stage', 'street', 'court'], [])
    """
    excluded = [word for word in words.settings if words.unlike(place, word)]
    families = [words.settings[word].family or word for word in excluded]
    turns = [families[:i].count(family) for i, family in enumerate(families)]
    return [excluded[i] for i in sorted(range(len(excluded)), key=turns.__getitem__)][:_MOST]


def judge(
    places: Sequence[str],
    images: Sequence[bytes],
    verifier: Verifier | None,
    limits: VerifierThresholds,
    words: Wording,
) -> list[PlaceVerdict | None]:
    """Return the verdict on each image's prompted place ("" for none); None where the verifier cannot judge.

    The verifier is called once for all images; places are present by the limit of :data:`KIND`.
    """
    rivals = [others(place, words) if place and verifier else [] for place in places]
    indices = [i for i, each in enumerate(rivals) if each]
    verdicts: list[PlaceVerdict | None] = [None] * len(places)
    if verifier is None or not indices:
        return verdicts
    texts = [texts_of(places[i], rivals[i], words) for i in indices]
    for i, (own, *rest) in zip(indices, verifier.probabilities([images[i] for i in indices], texts), strict=True):
        absent = frozenset(word for word, value in zip(rivals[i], rest, strict=True) if value < limits.absent)
        verdicts[i] = PlaceVerdict(own >= limits.of(KIND), round(own, 4), absent)
    return verdicts


def texts_of(place: str, rivals: Sequence[str], words: Wording) -> list[str]:
    """Return the texts that the verifier chooses from, that of the place first."""
    return [f"a photo of {words.description(word)}" for word in (place, *rivals)]
