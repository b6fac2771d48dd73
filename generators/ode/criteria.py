"""The four criteria of ODE (§3.2) for combining concepts in an image.

With c the co-occurrence count of two concepts in the graph:

- standard: the pairs with the highest c;
- long_tail: pairs with ε < c < δ;
- random: pairs sampled uniformly, regardless of c;
- fictional: pairs with c = 0.

Each is applied to two pairings: entity-entity ("ee") and entity-environment ("ev", the environment second). A criterion
yields its pairs in a seeded order, so that a pair that cannot be rendered is replaced by the next.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np

from vhbench.generators.ode import concept_graph, reference
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.schema import VhbenchError
from vhbench.seeding import rng

Pair = tuple[str, str]
PAIRINGS: Mapping[str, str] = {"ee": "entity-entity", "ev": "entity-environment"}
"""Short name → value in the rows."""

LARGEST_GROUP = 5
"""Maximum number of concepts per image."""


@dataclass(frozen=True)
class PairPool:
    """Pairs of one pairing that a graph version adds.

    Attributes:
        whole: concept graph.
        pairing: "ee" or "ev".
        version: version that added the pairs, see :func:`vhbench.generators.ode.concept_graph.is_new`.
        epsilon: lower bound of the long tail, exclusive.
        delta: upper bound of the long tail, exclusive; None for the default.
    """

    whole: ConceptGraph
    pairing: str
    version: int = 1
    epsilon: float = 0
    delta: float | None = None

    @cached_property
    def graph(self) -> ConceptGraph:
        """The graph as of this version."""
        return concept_graph.as_of(self.whole, self.version)

    @cached_property
    def seen(self) -> dict[Pair, int]:
        """Pairs with an edge, in alphabetical order, and their counts."""
        kinds, found = concept_graph.kinds(self.graph), {}
        for a, b, count in concept_graph.edges(self.graph):
            one, other = sorted((a, b), key=lambda word: (kinds[word], word))  # entities sort before environments
            if f"{kinds[one]}-{kinds[other]}" == PAIRINGS[self.pairing] and concept_graph.is_new(self.graph, a, b):
                found[one, other] = count
        return dict(sorted(found.items()))

    @cached_property
    def every(self) -> list[Pair]:
        """All pairs, with or without an edge, in alphabetical order."""
        kinds = concept_graph.kinds(self.graph)
        entities, places = (sorted(w for w in kinds if kinds[w] == kind) for kind in ("entity", "environment"))
        pairs = combinations(entities, 2) if self.pairing == "ee" else product(entities, places)
        return [pair for pair in pairs if concept_graph.is_new(self.graph, *pair)]

    @cached_property
    def unseen(self) -> list[Pair]:
        """Pairs without an edge."""
        return [p for p in self.every if p not in self.seen]

    @property
    def bounds(self) -> tuple[float, float]:
        """(ε, δ) of the long tail; by default, δ is just above the median count.

        Raises:
            VhbenchError: if ε ≥ δ.
        """
        delta = self.delta
        if delta is None:
            counts = sorted(c for c in self.seen.values() if c > self.epsilon)
            delta = counts[len(counts) // 2] + 1 if counts else self.epsilon + 1
        if self.epsilon >= delta:
            raise VhbenchError(f"the long tail is ε < c < δ: ε = {self.epsilon} must be less than δ = {delta}")
        return self.epsilon, delta


def _most_frequent(pool: PairPool, random: np.random.Generator) -> list[Pair]:
    """Return co-occurring pairs, most frequent first, with ties broken by the seed."""
    return sorted(_shuffled(list(pool.seen), random), key=lambda p: -pool.seen[p])


def _between_bounds(pool: PairPool, random: np.random.Generator) -> list[Pair]:
    low, high = pool.bounds
    return _shuffled([p for p, count in pool.seen.items() if low < count < high], random)


def _shuffled(pairs: Sequence[Pair], random: np.random.Generator) -> list[Pair]:
    return [pairs[i] for i in random.permutation(len(pairs))]


@dataclass(frozen=True, slots=True)
class Criterion:
    """Selection criterion with its properties.

    Attributes:
        draw: function that returns a pool's pairs in order of use.
        text: description of the pairs.
        misfit: cost of adding a concept to a group, from its counts with each member; the minimum is added.
        usual: whether concepts take the frequent value of an attribute pair; otherwise they take either one.
        bounded: whether ε and δ bound the counts.
    """

    draw: Callable[[PairPool, np.random.Generator], list[Pair]]
    text: str
    misfit: Callable[[Sequence[int]], float]
    usual: bool = False
    bounded: bool = False


def candidates(pool: PairPool, criterion: str, *, seed: int) -> list[Pair]:
    """Return all pairs of a pool that meet a criterion, in order of use.

    Raises:
        VhbenchError: if the criterion or the pairing is unknown, or ε ≥ δ.
    """
    for value, what, allowed in ((criterion, "criterion", CRITERIA), (pool.pairing, "pairing", PAIRINGS)):
        if value not in allowed:
            raise VhbenchError(f"unknown {what} {value!r}: must be one of {', '.join(allowed)}")
    return CRITERIA[criterion].draw(pool, rng(seed, "ode", "pairs", criterion, pool.pairing, pool.version))


def select(
    graph: ConceptGraph,
    criterion: str,
    *,
    limit: int,
    seed: int,
    compat: bool = False,
    epsilon: float = 0,
    delta: float | None = None,
) -> dict[str, list[Pair]]:
    """Return ``limit`` pairs per pairing: ``{"ee": [(a, b), …], "ev": [(entity, …), …]}``.

    An updated graph yields ``limit`` pairs per version, those of older versions first and unchanged. A graph without
    environments has no "ev" pairs.

    Args:
        graph: graph from :mod:`vhbench.generators.ode.concept_graph`.
        criterion: "standard", "long_tail", "random" or "fictional".
        limit: pairs per pairing and graph version.
        seed: random seed.
        compat: reproduce the reference's selection, from a graph built with ``compat=True``.
        epsilon: lower bound of the long tail, exclusive.
        delta: upper bound, exclusive; just above the median count by default.

    Raises:
        VhbenchError: if the graph has fewer pairs than requested, or ε ≥ δ.
    """
    if limit < 1:
        raise VhbenchError(f"limit {limit}: must be at least 1")
    if compat:
        return reference.select(graph, criterion, limit=limit, seed=seed)
    found: dict[str, list[Pair]] = {pairing: [] for pairing in PAIRINGS}
    for version in range(1, int(graph.graph["version"]) + 1):
        for pairing, pairs in found.items():
            pool = PairPool(graph, pairing, version, epsilon, delta)
            drawn = candidates(pool, criterion, seed=seed)[:limit]
            if len(drawn) < limit and version == 1 and not (pairing == "ev" and not has_environments(graph)):
                bounds = pool.bounds if CRITERIA[criterion].bounded else ()
                within = " with {:g} < c < {:g}".format(*bounds) if bounds else ""
                raise VhbenchError(
                    f"{criterion}: {limit} {PAIRINGS[pairing]} pairs requested, but the graph has only "
                    f"{len(drawn)}{within}"
                )
            pairs.extend(drawn)
    return found


def has_environments(graph: ConceptGraph) -> bool:
    """Return whether a graph has environments, and thus entity-environment pairs."""
    return "environment" in concept_graph.kinds(graph).values()


def extend(graph: ConceptGraph, criterion: str, pair: Pair, size: int, *, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield groups of ``size`` concepts (2 to 5) grown from a pair; an environment comes last.

    Each added entity follows the criterion with respect to all members: standard maximizes the minimum count, long_tail
    requires rare co-occurrence with all, fictional none with any; random is unrestricted. If no entity qualifies, the
    closest one is added.

    Raises:
        VhbenchError: if the size is not 2 to 5.
    """
    if not 2 <= size <= LARGEST_GROUP:
        raise VhbenchError(f"{size} concepts: must be 2 to {LARGEST_GROUP}")
    if size == 2:
        yield pair
        return
    misfit = CRITERIA[criterion].misfit
    random = rng(seed, "ode", "group", criterion, *pair, size)
    entities = sorted(w for w, kind in concept_graph.kinds(graph).items() if kind == "entity" and w not in pair)
    while len(entities) >= size - 2:
        group, rest = list(pair), [entities[i] for i in random.permutation(len(entities))]
        for _ in range(size - 2):
            best = min(rest, key=lambda word: misfit(_counts(graph, word, group)))
            rest.remove(best)
            group.insert(1, best)
        yield tuple(group)
        entities.remove(group[1])


def _counts(graph: ConceptGraph, word: str, group: Sequence[str]) -> list[int]:
    return [int(graph.get_edge_data(word, other, {"weight": 0})["weight"]) for other in group]


def _seldom_together(counts: Sequence[int]) -> float:
    return counts.count(0) + sum(counts) / 1e6


CRITERIA: Mapping[str, Criterion] = {
    "standard": Criterion(
        _most_frequent, "the pairs that are seen together most", misfit=lambda counts: -min(counts), usual=True
    ),
    "long_tail": Criterion(
        _between_bounds, "pairs that are seldom seen together", misfit=_seldom_together, usual=True, bounded=True
    ),
    "random": Criterion(lambda pool, random: _shuffled(pool.every, random), "any pairs", misfit=lambda counts: 0),
    "fictional": Criterion(
        lambda pool, random: _shuffled(pool.unseen, random), "pairs that are never seen together", misfit=sum
    ),
}
