"""Which pairs each criterion draws."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from statistics import median

import pytest

from vhbench.generators.ode import amber_graph, concept_graph, criteria
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.schema import VhbenchError

FOUR = ("standard", "long_tail", "random", "fictional")  # of the paper


@pytest.fixture(scope="module")
def starter() -> ConceptGraph:
    return concept_graph.starter()


def count(graph: ConceptGraph, pair: criteria.Pair) -> int:
    return int(graph.get_edge_data(*pair, {"weight": 0})["weight"])


@pytest.mark.parametrize(
    ("criterion", "name"),
    [("standard", "Standard"), ("long_tail", "Longtailed"), ("random", "Random"), ("fictional", "Fictional")],
)
def test_compat_draws_the_references_pairs(reference: Path, criterion: str, name: str) -> None:
    golden = json.loads((reference / "golden" / "ode_pair_hashes.json").read_bytes())[f"{name}_20"]
    node_types = reference / "ODE" / "node_types.json"
    graph = amber_graph.from_amber(reference / "AMBER", node_types=node_types, compat=True)
    pairs = criteria.select(graph, criterion, limit=20, seed=42, compat=True)
    for pairing, expected in golden.items():
        text = json.dumps(sorted(list(pair) for pair in pairs[pairing]), separators=(",", ":"))
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == expected


def test_compat_counts_a_pair_once_that_is_drawn_twice(reference: Path) -> None:
    """At 40 pairs the reference draws "cup" and "glacier" twice, and goes on until its sets are full."""
    node_types = reference / "ODE" / "node_types.json"
    graph = amber_graph.from_amber(reference / "AMBER", node_types=node_types, compat=True)
    for criterion in FOUR:
        for pairs in criteria.select(graph, criterion, limit=40, seed=42, compat=True).values():
            assert len({frozenset(pair) for pair in pairs}) == len(pairs) in (20, 40)


@pytest.mark.parametrize("pairing", criteria.PAIRINGS)
def test_no_pair_belongs_to_two_of_the_four_criteria(pairing: str, reference: Path) -> None:
    for graph in (concept_graph.starter(), amber_graph.from_amber(reference / "AMBER")):
        pool = criteria.PairPool(graph, pairing, seed=1)
        drawn = {criterion: criteria.candidates(pool, criterion) for criterion in FOUR}
        every = [pair for pairs in drawn.values() for pair in pairs]
        assert len(set(every)) == len(every)
        counts = {criterion: [pool.seen.get(pair, 0) for pair in pairs[:40]] for criterion, pairs in drawn.items()}
        assert max(counts["fictional"]) == 0 < min(counts["random"])
        assert 1 < median(counts["long_tail"]) <= max(counts["long_tail"]) < min(counts["standard"])


def test_standard_pairs_are_from_the_top_decile_and_change_with_the_seed(starter: ConceptGraph) -> None:
    for pairing in criteria.PAIRINGS:
        pools = [criteria.PairPool(starter, pairing, seed=seed) for seed in (1, 2)]
        lowest = sorted(pools[0].seen.values())[-(len(pools[0].seen) // 10)]
        one, two = (criteria.candidates(pool, "standard")[:40] for pool in pools)
        assert all(count(starter, pair) >= lowest for pair in one)
        assert len(set(one) & set(two)) <= 20


def test_random_pairs_cover_the_observed_range_evenly(starter: ConceptGraph) -> None:
    """Of the first pairs, each band of counts (1, 2-3, 4-7, 8-15, 16-31) has the same share."""
    drawn = criteria.candidates(criteria.PairPool(starter, "ee", seed=3), "random")[:35]
    bands = Counter(count(starter, pair).bit_length() for pair in drawn)
    assert all(5 <= bands[band] <= 6 for band in range(1, 6))


def test_long_tail_stays_within_its_bounds(starter: ConceptGraph) -> None:
    drawn = criteria.select(starter, "long_tail", limit=50, seed=1, epsilon=1, delta=4)
    assert {count(starter, pair) for pairs in drawn.values() for pair in pairs} <= {2, 3}
    once = concept_graph.assemble(
        dict.fromkeys("abcd", "entity"), {("a", "b"): 1, ("b", "c"): 1, ("c", "d"): 1}, where="test"
    )
    assert criteria.PairPool(once, "ee").bounds == (0, 2)  # no pair is seen twice
    with pytest.raises(VhbenchError, match="expected ε less than δ, got ε = 5 and δ = 5"):
        criteria.select(starter, "long_tail", limit=1, seed=1, epsilon=5, delta=5)


def test_fictional_pairs_never_met(starter: ConceptGraph) -> None:
    drawn = criteria.select(starter, "fictional", limit=200, seed=1)
    assert {count(starter, pair) for pairs in drawn.values() for pair in pairs} == {0}


@pytest.mark.parametrize(("seed", "criterion"), [*enumerate(sorted(criteria.CRITERIA))])
def test_pairs_are_typed_distinct_and_stable(starter: ConceptGraph, criterion: str, seed: int) -> None:
    drawn = criteria.select(starter, criterion, limit=60, seed=seed)
    kinds = concept_graph.kinds(starter)
    assert all(kinds[a] == kinds[b] == "entity" for a, b in drawn["ee"])
    assert all((kinds[a], kinds[b]) == ("entity", "environment") for a, b in drawn["ev"])
    for pairs in drawn.values():
        assert len({frozenset(pair) for pair in pairs}) == 60
    for limit in (1, 37):
        fewer = criteria.select(starter, criterion, limit=limit, seed=seed)
        assert fewer == {pairing: pairs[:limit] for pairing, pairs in drawn.items()}


@pytest.mark.parametrize("criterion", sorted(criteria.CRITERIA))
def test_old_pairs_stay_when_concepts_are_added(starter: ConceptGraph, criterion: str) -> None:
    new = [f"part {number}" for number in range(12)]
    more = concept_graph.assemble(
        {"harbour": "environment", "car": "entity"} | dict.fromkeys(new, "entity"),
        {("car", word): 1 + i for i, word in enumerate(new)} | {("harbour", word): 1 + i for i, word in enumerate(new)},
        where="test",
    )
    old = criteria.select(starter, criterion, limit=2, seed=5)
    both = criteria.select(concept_graph.update(starter, more), criterion, limit=2, seed=5)
    for pairing in old:
        assert both[pairing][:2] == old[pairing]
        assert len(both[pairing]) > 2
        assert all(set(pair) & {"harbour", *new} for pair in both[pairing][2:])


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("criterion", sorted(criteria.CRITERIA))
def test_larger_groups_keep_to_their_criterion(starter: ConceptGraph, criterion: str, size: int) -> None:
    for pair in criteria.select(starter, criterion, limit=3, seed=2)["ev"]:
        group = next(criteria.extend(starter, criterion, pair, size, seed=2))
        assert len(set(group)) == size
        assert (group[0], group[-1]) == pair
        if criterion == "fictional":
            assert all(count(starter, (a, b)) == 0 for a in group for b in group if a != b)


def test_impossible_requests_are_named(starter: ConceptGraph) -> None:
    with pytest.raises(
        VhbenchError, match="unknown criterion 'rare', expected one of standard, long_tail, random, fic"
    ):
        criteria.select(starter, "rare", limit=1, seed=0)
    with pytest.raises(VhbenchError, match="standard: 99999 entity-entity pairs requested, but the graph has only"):
        criteria.select(starter, "standard", limit=99_999, seed=0)
    with pytest.raises(VhbenchError, match="limit: expected at least 1"):
        criteria.select(starter, "standard", limit=0, seed=0)
    with pytest.raises(VhbenchError, match="expected 2 to 5 concepts, got 6"):
        next(criteria.extend(starter, "random", ("car", "street"), 6, seed=0))
    with pytest.raises(VhbenchError, match="compat=True draws from a graph"):
        criteria.select(starter, "standard", limit=1, seed=0, compat=True)


def test_the_newest_pairs_are_those_that_an_update_adds(starter: ConceptGraph) -> None:
    kinds = {"dog": "entity", "cup": "entity", "street": "environment", "yak": "entity"}
    more = concept_graph.assemble(kinds, {("yak", "dog"): 5, ("street", "yak"): 2}, where="more")
    new = concept_graph.update(starter, more)
    pairs = [*criteria.newest(new, ["standard", "fictional"], 3, None, None)]
    assert pairs
    assert all(concept_graph.is_new(new, *pair) for pair in pairs)
    expected = [
        pair
        for pairing in criteria.PAIRINGS
        for name in ("standard", "fictional")
        for pair in criteria.candidates(criteria.PairPool(new, pairing, 2, seed=3), name)
    ]
    assert pairs == expected


def test_a_group_grows_by_the_concepts_that_fit_best() -> None:
    kinds = dict.fromkeys(("a", "b", "c", "d", "e"), "entity") | {"z": "environment"}
    counts = {("a", "z"): 9, ("a", "c"): 5, ("c", "z"): 5, ("a", "d"): 7, ("d", "z"): 1, ("c", "d"): 9}
    graph = concept_graph.assemble(kinds, counts, where="test")
    groups = [*criteria.extend(graph, "standard", ("a", "z"), 3, seed=0)]
    assert groups[:2] == [("a", "c", "z"), ("a", "d", "z")]  # at least 5 with both, then at least 1
    assert {group[1] for group in groups[2:]} == {"b", "e"}
    assert next(criteria.extend(graph, "fictional", ("b", "z"), 4, seed=0))[-1] == "z"
    assert {*next(criteria.extend(graph, "fictional", ("b", "z"), 3, seed=0))} in ({"b", "e", "z"}, {"b", "a", "z"})
    assert [*criteria.extend(graph, "random", ("a", "z"), 2, seed=0)] == [("a", "z")]


def test_the_references_selection_needs_its_graph_and_criterion() -> None:
    graph = concept_graph.assemble({"a": "entity", "b": "entity"}, {("a", "b"): 1}, where="test")
    graph.graph["compat"] = True
    with pytest.raises(
        VhbenchError, match=r"^unknown criterion 'rare', expected one of standard, long_tail, random, fic"
    ):
        criteria.select(graph, "rare", limit=1, seed=0, compat=True)
    with pytest.raises(VhbenchError, match=r"^more pairs requested \(\{'ee': 1, 'ev': 1\}\) than exist$"):
        criteria.select(graph, "standard", limit=1, seed=0, compat=True)
