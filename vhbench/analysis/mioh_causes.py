"""Attribution of failures: the smallest sets of MIOH's cells (question type × pressure) that explain them.

Skill is what a model knows beyond guessing, from 0 to 1. Each type has its own, drawn from a common distribution, since
models are not equally good at all types. A set of cells fails if its types lose a share of their skill there. A set has
a name: a type, a task, a mode or a task in a mode; under one pressure, several, or all. The set with the largest
likelihood ratio is claimed if it exceeds what chance yields for so many sets; with it given, the next one is searched.
A larger set loses likelihood by its sound cells, and a smaller one by the failing cells outside it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from math import log
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from vhbench.benchmarks import pressure_family
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.schema import Record
from vhbench.statistics.clusters import clusters_of

Floats = npt.NDArray[np.float64]

_SKILLS: Final = np.linspace(0.0005, 0.995, 80)
_LOSSES: Final = (0.2, 0.35, 0.5, 0.7, 0.85, 1.0)  # share of the skill that is lost in a set
_PRIORS: Final = tuple(product(np.linspace(-6.5, 4.5, 45), (0.25, 0.5, 0.8)))
"""Mean and standard deviation of the log odds of the types' skills; down to hardly any, which cannot be lost."""

_FAMILIES: Final = ("easy", "curve", "ni", "hp", "hn", "hp+hn")
_UNDER: Final[Mapping[str, frozenset[str]]] = {
    "": frozenset(_FAMILIES),
    "easy": frozenset(("easy",)),
    "NI": frozenset(("ni",)),
    "any number of images": frozenset(("curve", "ni")),
    "HP": frozenset(("hp",)),
    "HN": frozenset(("hn",)),
    "HP+HN": frozenset(("hp+hn",)),
    "HP and HP+HN": frozenset(("hp", "hp+hn")),
    "HN and HP+HN": frozenset(("hn", "hp+hn")),
    "NI and HP": frozenset(("ni", "hp", "hp+hn")),
    "NI and HN": frozenset(("ni", "hn", "hp+hn")),
    "HP and HN": frozenset(("hp", "hn", "hp+hn")),
    "every pressure": frozenset(("ni", "hp", "hn", "hp+hn")),
}
"""Pressures of a set → families of pressures."""

_MOST: Final = 6  # sets
_SURE: Final = {1: 1.5, len(_FAMILIES): 2.5}
_SEVERAL: Final = 5.5
"""Number of pressures of a set → log likelihood ratio required beyond the logarithm of the number of sets.

Simulated for 2 % false claims. Under one pressure, a type is compared with itself. Under all, it is compared with other
types, which may be easier. Of several pressures, one may fail by chance along with the others.
"""
_BLIND_SKILL, _SEEING_SKILL = 0.1, 0.5
_BLIND: Final = {
    "position": "does not distinguish left from right",
    "attribute": "does not bind attributes to objects",
}
"""Task → what guessing in all of its types means: all options show the same objects and values."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A set of cells that fail together."""

    types: tuple[str, ...]  # question types
    under: str  # pressures, "" for all
    correct: int  # correct responses
    n: int  # responses
    chance: float  # correct responses expected from guessing
    expected: float  # correct responses expected from the skill in the other cells
    meaning: str = ""  # missing skill, where the responses show it

    def __str__(self) -> str:
        counts = f"{self.correct} of {self.n} correct; expected {self.expected:.0f}, {self.chance:.0f} by guessing"
        if self.meaning:
            under = f"under {self.under}" if self.under else "independent of pressure"
            return f"{self.meaning} ({_span(self.types)}), {under}: {counts}"
        return f"{_span(self.types)}{f' under {self.under}' if self.under else ''}: {counts}"


class _Cells:
    """Log likelihoods of the responses in each cell: arrays of shape (types, families, skills)."""

    def __init__(self, records: Sequence[Record]) -> None:
        counts: dict[tuple[str, str], dict[float, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        for r in records:
            hit = r.prediction != "" and r.prediction == r.answer
            counts[r.question_type, pressure_family(r.pressure)][1 / (len(r.choices) or 2)][hit] += 1
        self.types = [name for name in QUESTION_TYPES if any(kind == name for kind, _ in counts)]
        shape = len(self.types), len(_FAMILIES)
        self.n, self.correct, self.chance = (np.zeros(shape) for _ in range(3))
        guesses = sorted({guess for cell in counts.values() for guess in cell})
        self._hits = np.zeros((len(guesses), *shape, 2))
        self._guesses = np.array(guesses)
        for (kind, family), cell in counts.items():
            at = self.types.index(kind), _FAMILIES.index(family)
            for guess, (wrong, right) in cell.items():
                self._hits[(guesses.index(guess), *at)] = wrong, right
                self.n[at] += wrong + right
                self.correct[at] += right
                self.chance[at] += guess * (wrong + right)

    def likelihood(self, loss: float) -> Floats:
        """Return the log likelihood for each skill of which a share is lost."""
        right = self._guesses[:, None] + (1 - self._guesses[:, None]) * _SKILLS * (1 - loss)
        scores = np.log(np.stack([1 - right, right]))  # (wrong or right, guesses, skills)
        likelihoods: Floats = np.einsum("gtfr,rgs->tfs", self._hits, scores)
        return likelihoods


def causes(records: Iterable[Record]) -> list[Cause]:
    """Return the sets in which skill is lower than elsewhere, those that explain most first.

    All records are MIOH's, with known question types.
    """
    answered = list(records)
    cells = _Cells(answered)
    effect = design_effect(answered)
    lost = np.stack([cells.likelihood(loss) for loss in _LOSSES]) / effect
    present = cells.n > 0
    named = _named_sets(cells.types, present)
    if len(cells.types) < 2:  # nothing to compare with
        return []
    now, explanations, free = cells.likelihood(0) / effect, list[Cause](), present.copy()
    while len(explanations) < _MOST:
        best = _best_set(now, lost, named, free)
        if best is None:
            break
        mask, types, under, loss = best
        now = np.where(mask[:, :, None], lost[loss], now)
        free &= ~mask
        explanations.append(_cause(cells, mask, types, under, now))
    return explanations


def design_effect(records: Sequence[Record]) -> float:
    """Return the variance inflation of correctness by images and facts that a cell's questions share, at least 1.

    Twins under different pressures agree as well; that cancels where a cell is compared with the others of its type.
    """
    cells: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for r in records:
        cells[r.question_type, pressure_family(r.pressure)].append(r)
    apart = alone = 0.0
    for members in cells.values():
        hits = np.array([r.prediction != "" and r.prediction == r.answer for r in members], float)
        pull, clusters = hits - hits.mean(), clusters_of(members)
        apart += clusters.variance(float((np.bincount(clusters.numbers, pull) ** 2).sum()), pull)
        alone += float((pull**2).sum())
    return max(1.0, apart / alone) if alone else 1.0


def _named_sets(types: Sequence[str], present: npt.NDArray[np.bool_]) -> list[tuple[tuple[int, ...], str]]:
    """Return the sets that have a name, as indices of types and pressures; of several names for the same cells one."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(types):
        kind = QUESTION_TYPES[name]
        for group in (name, kind.task, kind.mode, f"{kind.task}, {kind.mode}", "all types"):
            groups[group].append(i)
    sets: dict[bytes, tuple[tuple[int, ...], str]] = {}
    several = present.any(axis=0).sum() > 1  # of a run under one pressure, nothing is known of others
    pressures = {under: families for under, families in _UNDER.items() if under or several}
    for members in sorted(groups.values(), key=len):
        for under, families in pressures.items():
            mask = np.zeros_like(present)
            mask[np.ix_(members, [_FAMILIES.index(family) for family in families])] = True
            mask &= present
            if mask.any() and not (mask == present).all():
                sets.setdefault(mask.tobytes(), (tuple(members), under))
    return [*sets.values()]


@cache
def _priors() -> Floats:
    """Return the distributions of skill, of shape (priors, skills)."""
    odds = np.log(_SKILLS / (1 - _SKILLS))
    density = np.stack([np.exp(-(((odds - mean) / spread) ** 2) / 2) for mean, spread in _PRIORS])
    density = density / (_SKILLS * (1 - _SKILLS))  # of the skill, not of its log odds
    priors: Floats = density / density.sum(axis=1, keepdims=True)
    return priors


def _marginal(likelihood: Floats) -> Floats:
    """Return log likelihoods (…, skills) averaged over each prior: (priors, …)."""
    most = likelihood.max(axis=-1, keepdims=True)
    weighted = np.exp(likelihood - most) @ _priors().T
    averages: Floats = np.moveaxis(np.log(weighted + 1e-300) + most, -1, 0)
    return averages


def _best_set(
    now: Floats, lost: Floats, named: Sequence[tuple[tuple[int, ...], str]], free: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], tuple[int, ...], str, int] | None:
    """Return mask, types, pressures and loss of the best set beyond chance, or None; ``free``: cells in no set so far.

    The log likelihoods are ``now`` with the sets found so far, ``lost`` of shape (losses, types, families, skills).
    """
    sound = _marginal(now.sum(axis=1))  # (priors, types)
    gain_of: dict[str, Floats] = {}
    for under in {under for _, under in named}:
        families = np.isin(_FAMILIES, [*_UNDER[under]]) & free
        failing = np.where(families[None, :, :, None], lost, now).sum(axis=2)
        gain_of[under] = _marginal(failing) - sound[:, None]  # (priors, losses, types)
    whole = sound.sum(axis=1)
    best, most = None, whole.max() + log(len(named))
    for types, under in named:
        mask = np.zeros_like(free)
        mask[list(types)] = np.isin(_FAMILIES, [*_UNDER[under]])
        mask &= free
        if not mask.any() or (mask == free).all():
            continue
        explained = (whole[:, None] + gain_of[under][:, :, list(types)].sum(axis=2)).max(axis=0)
        explained -= _SURE.get(len(_UNDER[under]), _SEVERAL)
        if explained.max() > most:
            best, most = (mask, types, under, int(explained.argmax())), explained.max()
    return best


def _cause(cells: _Cells, mask: npt.NDArray[np.bool_], types: Sequence[int], under: str, now: Floats) -> Cause:
    """Describe a set, with the skill that its types have elsewhere, and what guessing there means."""
    names = tuple(cells.types[i] for i in types)
    n, correct, chance = (float(part[mask].sum()) for part in (cells.n, cells.correct, cells.chance))
    of_types = now.sum(axis=1)  # skill that each type has, or would have but for the loss
    prior = _priors()[int(_marginal(of_types).sum(axis=1).argmax())]
    weights = np.exp(of_types - of_types.max(axis=1, keepdims=True)) * prior
    skill = (weights * _SKILLS).sum(axis=1) / weights.sum(axis=1)
    expected = float((mask * (cells.chance + skill[:, None] * (cells.n - cells.chance))).sum())
    tasks = {QUESTION_TYPES[name].task for name in names}
    meaning = _BLIND.get(next(iter(tasks)), "") if len(tasks) == 1 else ""
    whole = all(name in names for name in cells.types if QUESTION_TYPES[name].task in tasks) and len(names) > 1
    sees = [i for i, name in enumerate(cells.types) if QUESTION_TYPES[name].task == "existence"]
    spread = 3 * max(1.0, chance * (1 - chance / n)) ** 0.5
    guesses = abs(correct - chance) <= _BLIND_SKILL * (n - chance) + spread
    if not (whole and guesses and sees and skill[sees].mean() >= _SEEING_SKILL):
        meaning = ""
    return Cause(names, under, int(correct), int(n), chance, expected, meaning)


def _span(types: Sequence[str]) -> str:
    """Return "P1-P7" for consecutive types, or their list."""
    known = list(QUESTION_TYPES)
    places = [known.index(name) for name in types]
    if len(types) > 2 and places == list(range(places[0], places[-1] + 1)):
        return "all types" if len(types) == len(known) else f"{types[0]}–{types[-1]}"
    return ", ".join(types)


def as_json(explanations: Iterable[Cause]) -> list[dict[str, Any]]:
    """Return the sets as JSON, with their description."""
    return [asdict(cause) | {"text": str(cause)} for cause in explanations]
