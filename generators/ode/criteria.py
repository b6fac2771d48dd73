"""The four criteria of ODE (§3.2) for combining concepts in an image.

With c the co-occurrence count of two concepts in the graph:

- standard: pairs from the top decile of c;
- long_tail: pairs with ε < c < δ;
- random: pairs from the whole observed range of c, in equal shares from bands of counts (1, 2-3, 4-7, …);
- fictional: pairs with c = 0.

No pair belongs to two criteria: every third pair by c is set aside for the random ones, and the long tail ends below
the top decile. (The reference draws random pairs uniformly, of which 93 % have c = 0 in AMBER's graph, and its long
tail is c = 1.)

Each is applied to two pairings: entity-entity ("ee") and entity-environment ("ev", the environment second). A criterion
yields its pairs in a seeded order, so that a pair that cannot be rendered is replaced by the next.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product, zip_longest

import numpy as np

from vhbench.generators.ode import concept_graph, reference
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.schema import VhbenchError
from vhbench.seeding import rng

Pair = tuple[str, str]

FEW = 40  # number of standard pairs that even a small graph should have
PAIRINGS: Mapping[str, str] = {"ee": "entity-entity", "ev": "entity-environment"}  # short name → value in the rows
LARGEST_GROUP = 5  # maximum number of concepts per image


@dataclass(frozen=True)
class PairPool:
    """Pairs of one pairing that a graph version adds."""

    whole: ConceptGraph
    pairing: str  # "ee" or "ev"
    version: int = 1  # version that added the pairs, see :func:`vhbench.generators.ode.concept_graph.is_new`
    epsilon: float | None = None  # lower bound of the long tail, exclusive; None for the default
    delta: float | None = None  # upper bound of the long tail, exclusive; None for the default
    seed: int = 0  # random seed of the order of pairs with equal counts

    @cached_property
    def graph(self) -> ConceptGraph:
        """The graph as of this version."""
        return concept_graph.as_of(self.whole, self.version)

    @cached_property
    def seen(self) -> dict[Pair, int]:
        """Pairs with an edge, in alphabetical order, and their counts."""
        kinds, counts = concept_graph.kinds(self.graph), {}
        for a, b, count in concept_graph.edges(self.graph):
            one, other = sorted((a, b), key=lambda word: (kinds[word], word))  # entities sort before environments
            if f"{kinds[one]}-{kinds[other]}" == PAIRINGS[self.pairing] and concept_graph.is_new(self.graph, a, b):
                counts[one, other] = count
        return dict(sorted(counts.items()))

    @cached_property
    def unseen(self) -> list[Pair]:
        """Pairs without an edge, in alphabetical order."""
        kinds = concept_graph.kinds(self.graph)
        entities, places = (sorted(w for w in kinds if kinds[w] == kind) for kind in ("entity", "environment"))
        pairs = combinations(entities, 2) if self.pairing == "ee" else product(entities, places)
        return [pair for pair in pairs if concept_graph.is_new(self.graph, *pair) and pair not in self.seen]

    @cached_property
    def ranked(self) -> list[Pair]:
        """Pairs with an edge, most frequent first, with ties in the order of the seed."""
        random = rng(self.seed, "ode", "pairs", "ranked", self.pairing, self.version)
        return sorted(_shuffled(list(self.seen), random), key=lambda pair: -self.seen[pair])

    @property
    def others(self) -> tuple[list[Pair], list[Pair]]:
        """The top decile of the pairs that are not set aside, and the rest of them, most frequent first.

        In a graph with few pairs, it is up to :data:`FEW` of the upper half.
        """
        rest = [pair for i, pair in enumerate(self.ranked) if i % 3 != 1]
        end = max(-(-len(rest) // 10), min(FEW, len(rest) // 2))
        return rest[:end], rest[end:]

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """(ε, δ) of the long tail; raises if ε ≥ δ.

        By default, ε is 1, as a pair that is seen once may be an accident (0 if few are seen more often), and δ is
        just above the median count beyond ε.
        """
        counts = sorted(self.seen.values())
        epsilon, delta = self.epsilon, self.delta
        if epsilon is None:
            epsilon = 1 if sum(count > 1 for count in counts) >= 3 * FEW else 0
        if delta is None:
            above = [count for count in counts if count > epsilon]
            delta = above[len(above) // 2] + 1 if above else epsilon + 1
        if epsilon >= delta:
            raise VhbenchError(f"the long tail is ε < c < δ: expected ε less than δ, got ε = {epsilon} and δ = {delta}")
        return epsilon, delta


def _most_frequent(pool: PairPool, random: np.random.Generator) -> list[Pair]:
    """Return the pairs of the top decile, and as a reserve those above the long tail."""
    top, rest = pool.others
    return [*_shuffled(top, random), *(pair for pair in rest if pool.seen[pair] >= pool.bounds[1])]


def _between_bounds(pool: PairPool, random: np.random.Generator) -> list[Pair]:
    low, high = pool.bounds
    return _shuffled([pair for pair in pool.others[1] if low < pool.seen[pair] < high], random)


def _over_the_range(pool: PairPool, random: np.random.Generator) -> list[Pair]:
    """Return the pairs that are set aside, every third, taking turns between bands of counts."""
    bands: dict[int, list[Pair]] = {}
    for pair in _shuffled(pool.ranked[1::3], random):
        bands.setdefault(pool.seen[pair].bit_length(), []).append(pair)
    turns = zip_longest(*(bands[band] for band in sorted(bands)))
    return [pair for pair in chain.from_iterable(turns) if pair is not None]


def _shuffled(pairs: Sequence[Pair], random: np.random.Generator) -> list[Pair]:
    return [pairs[i] for i in random.permutation(len(pairs))]


@dataclass(frozen=True, slots=True)
class Criterion:
    """Selection criterion with its properties."""

    draw: Callable[[PairPool, np.random.Generator], list[Pair]]  # function that returns a pool's pairs in order of use
    # Cost of adding a concept to a group, from its counts with each member; the cheapest one is added.
    misfit: Callable[[Sequence[int]], float]
    usual: bool = False  # whether concepts take the frequent value of an attribute pair; otherwise they take either one
    bounded: bool = False  # whether ε and δ bound the counts


def candidates(pool: PairPool, criterion: str) -> list[Pair]:
    """Return all pairs of a pool that meet a criterion, in order of use; raise for unknown names, or if ε ≥ δ."""
    for value, kind, allowed in ((criterion, "criterion", CRITERIA), (pool.pairing, "pairing", PAIRINGS)):
        if value not in allowed:
            raise VhbenchError(f"unknown {kind} {value!r}, expected one of {', '.join(allowed)}")
    return CRITERIA[criterion].draw(pool, rng(pool.seed, "ode", "pairs", criterion, pool.pairing, pool.version))


def newest(
    graph: ConceptGraph, names: Sequence[str], seed: int, epsilon: float | None, delta: float | None
) -> Iterator[Pair]:
    """Yield all pairs that the newest version adds and that meet one of some criteria; see :func:`select`."""
    for pairing in PAIRINGS:
        pool = PairPool(graph, pairing, int(graph.graph["version"]), epsilon, delta, seed)
        for name in names:
            yield from candidates(pool, name)


def select(
    graph: ConceptGraph,
    criterion: str,
    *,
    limit: int,
    seed: int,
    compat: bool = False,
    epsilon: float | None = None,
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
        epsilon: lower bound of the long tail, exclusive; None for the default of :attr:`PairPool.bounds`.
        delta: upper bound, exclusive; None for the default.

    Raises:
        VhbenchError: if the graph has fewer pairs than requested, or ε ≥ δ.
    """
    if limit < 1:
        raise VhbenchError(f"limit: expected at least 1, got {limit}")
    if compat:
        return reference.select(graph, criterion, limit=limit, seed=seed)
    by_pairing: dict[str, list[Pair]] = {pairing: [] for pairing in PAIRINGS}
    for version in range(1, int(graph.graph["version"]) + 1):
        for pairing, pairs in by_pairing.items():
            pool = PairPool(graph, pairing, version, epsilon, delta, seed)
            drawn = candidates(pool, criterion)[:limit]
            if len(drawn) < limit and version == 1 and not (pairing == "ev" and not has_environments(graph)):
                bounds = pool.bounds if CRITERIA[criterion].bounded else ()
                within = " with {:g} < c < {:g}".format(*bounds) if bounds else ""
                raise VhbenchError(
                    f"{criterion}: {limit} {PAIRINGS[pairing]} pairs requested, but the graph has only "
                    f"{len(drawn)}{within}"
                )
            pairs.extend(drawn)
    return by_pairing


def has_environments(graph: ConceptGraph) -> bool:
    """Return whether a graph has environments, and thus entity-environment pairs."""
    return "environment" in concept_graph.kinds(graph).values()


def extend(graph: ConceptGraph, criterion: str, pair: Pair, size: int, *, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield groups of ``size`` concepts (2 to 5, else raise) grown from a pair; an environment comes last.

    Each added entity follows the criterion with respect to all members: standard maximizes the minimum count, long_tail
    requires rare co-occurrence with all, fictional none with any; random is unrestricted. If no entity qualifies, the
    closest one is added.
    """
    if not 2 <= size <= LARGEST_GROUP:
        raise VhbenchError(f"expected 2 to {LARGEST_GROUP} concepts, got {size}")
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
    "standard": Criterion(_most_frequent, misfit=lambda counts: -min(counts), usual=True),
    "long_tail": Criterion(_between_bounds, misfit=_seldom_together, usual=True, bounded=True),
    "random": Criterion(_over_the_range, misfit=lambda counts: 0),
    "fictional": Criterion(lambda pool, random: _shuffled(pool.unseen, random), misfit=sum),
}
