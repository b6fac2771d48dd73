"""Which pairs each criterion draws."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.generators.ode import amber_graph, concept_graph, criteria
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.schema import VhbenchError


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
    for criterion in criteria.CRITERIA:
        for pairs in criteria.select(graph, criterion, limit=40, seed=42, compat=True).values():
            assert len({frozenset(pair) for pair in pairs}) == len(pairs) in (20, 40)


def test_standard_takes_the_highest_counts(starter: ConceptGraph) -> None:
    for pairs in criteria.select(starter, "standard", limit=30, seed=1).values():
        counts = [count(starter, pair) for pair in pairs]
        assert counts == sorted(counts, reverse=True)
    everything = [c for a, b, c in concept_graph.edges(starter) if {a, b} <= set(starter) and c]
    assert count(starter, criteria.select(starter, "standard", limit=1, seed=1)["ee"][0]) == max(
        c for a, b, c in concept_graph.edges(starter) if starter.nodes[a]["kind"] == starter.nodes[b]["kind"]
    )
    assert everything


def test_long_tail_stays_within_its_bounds(starter: ConceptGraph) -> None:
    drawn = criteria.select(starter, "long_tail", limit=50, seed=1, epsilon=1, delta=4)
    assert {count(starter, pair) for pairs in drawn.values() for pair in pairs} <= {2, 3}
    default = criteria.select(starter, "long_tail", limit=50, seed=1)
    highest = count(starter, criteria.select(starter, "standard", limit=1, seed=1)["ee"][0])
    assert all(0 < count(starter, pair) < highest for pair in default["ee"])
    with pytest.raises(VhbenchError, match="ε = 5 must be less than δ = 5"):
        criteria.select(starter, "long_tail", limit=1, seed=1, epsilon=5, delta=5)


def test_fictional_pairs_never_met(starter: ConceptGraph) -> None:
    drawn = criteria.select(starter, "fictional", limit=200, seed=1)
    assert {count(starter, pair) for pairs in drawn.values() for pair in pairs} == {0}


def test_random_draws_pairs_as_the_pool_holds_them(starter: ConceptGraph) -> None:
    """Uniform over all pairs: the share of pairs that never met is that of the pool, within 4 standard errors."""
    pool = criteria.PairPool(starter, "ee")
    share = len(pool.unseen) / len(pool.every)
    drawn = criteria.select(starter, "random", limit=1000, seed=3)["ee"]
    found = sum(count(starter, pair) == 0 for pair in drawn) / len(drawn)
    assert abs(found - share) < 4 * (share * (1 - share) / len(drawn)) ** 0.5


@settings(max_examples=15, deadline=None)
@given(criterion=st.sampled_from(sorted(criteria.CRITERIA)), seed=st.integers(0, 999), limit=st.integers(1, 60))
def test_pairs_are_typed_distinct_and_stable(starter: ConceptGraph, criterion: str, seed: int, limit: int) -> None:
    drawn = criteria.select(starter, criterion, limit=limit, seed=seed)
    kinds = concept_graph.kinds(starter)
    assert all(kinds[a] == kinds[b] == "entity" for a, b in drawn["ee"])
    assert all((kinds[a], kinds[b]) == ("entity", "environment") for a, b in drawn["ev"])
    for pairs in drawn.values():
        assert len({frozenset(pair) for pair in pairs}) == limit
    assert criteria.select(starter, criterion, limit=limit, seed=seed) == drawn
    longer = criteria.select(starter, criterion, limit=limit + 5, seed=seed)
    assert all(longer[pairing][:limit] == drawn[pairing] for pairing in drawn)


@pytest.mark.parametrize("criterion", sorted(criteria.CRITERIA))
def test_old_pairs_stay_when_concepts_are_added(starter: ConceptGraph, criterion: str) -> None:
    more = concept_graph.assemble(
        {"zeppelin": "entity", "harbour": "environment", "crane": "entity", "car": "entity", "barge": "entity"},
        {("car", "zeppelin"): 1, ("harbour", "zeppelin"): 2, ("crane", "harbour"): 3, ("crane", "zeppelin"): 1},
        where="test",
    )
    old = criteria.select(starter, criterion, limit=2, seed=5)
    new = criteria.select(concept_graph.update(starter, more), criterion, limit=2, seed=5)
    for pairing in old:
        assert new[pairing][:2] == old[pairing]
        assert len(new[pairing]) > 2
        assert all(set(pair) & {"zeppelin", "harbour", "crane", "barge"} for pair in new[pairing][2:])


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
    with pytest.raises(VhbenchError, match="unknown criterion 'rare': must be one of standard, long_tail, random, fic"):
        criteria.select(starter, "rare", limit=1, seed=0)
    with pytest.raises(VhbenchError, match="standard: 99999 entity-entity pairs requested, but the graph has only"):
        criteria.select(starter, "standard", limit=99_999, seed=0)
    with pytest.raises(VhbenchError, match="limit 0: must be at least 1"):
        criteria.select(starter, "standard", limit=0, seed=0)
    with pytest.raises(VhbenchError, match="6 concepts: must be 2 to 5"):
        next(criteria.extend(starter, "random", ("car", "street"), 6, seed=0))
    with pytest.raises(VhbenchError, match="compat=True draws from a graph"):
        criteria.select(starter, "standard", limit=1, seed=0, compat=True)
