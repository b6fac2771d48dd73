"""Attribute words: each is classified once, and English says it of its noun."""

from pathlib import Path

import pytest

from vhbench.generators.ode import amber_graph, attribute_words
from vhbench.generators.ode.attribute_words import BODILY, KINDS, WORDS, attribute
from vhbench.generators.ode.concept_graph import ConceptGraph

FILE = Path(attribute_words.__file__).with_suffix(".tsv")


@pytest.fixture(scope="module")
def amber(reference: Path) -> ConceptGraph:
    return amber_graph.from_amber(reference / "AMBER")


def test_every_word_of_amber_is_classified(amber: ConceptGraph) -> None:
    used = {
        (word, noun)
        for noun in amber
        for slot in ("state", "action")
        for pair in amber.nodes[noun][slot]
        for word in pair
    }
    assert len(used) > 600
    assert sorted((word, noun) for word, noun in used if not {(word, noun), (word, "")} & WORDS.keys()) == []


def test_pairs_of_amber_are_as_many_as_the_paper_took(amber: ConceptGraph) -> None:
    pairs = {slot: sum(len(amber.nodes[noun][slot]) for noun in amber) for slot in ("state", "action")}
    assert pairs == {"state": 655, "action": 195}


def test_rows_are_sorted_unique_and_of_a_known_kind() -> None:
    _, *rows = (line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines())
    assert rows == sorted(rows)
    assert len({(word, of) for word, of, *_ in rows}) == len(rows)
    for word, _, kind, said in rows:
        assert kind in KINDS
        assert bool(said) == (kind not in ("number", "unusable")), word


def test_what_things_do_is_said_in_the_ing_form_or_follows_as_a_phrase() -> None:
    for said in sorted({found.text for found in WORDS.values() if found.kind in BODILY}):
        first = said.split()[0]
        assert first.endswith("ing") or first in ("with", "parked", "upside"), said


@pytest.mark.parametrize(
    ("word", "noun", "slot", "kind", "said"),
    [
        ("lie prone", "cat", "state", "posture", "lying"),
        ("run", "dog", "action", "action", "running"),
        ("run", "plane", "action", "action", "taxiing"),
        ("open", "lamp", "state", "lighting", "switched-on"),
        ("open", "book", "state", "opening", "open"),
        ("green", "tree", "action", "colour", "green"),  # AMBER asks whether the tree "does green"
        ("annoying", "bear", "state", "unusable", ""),
        ("5", "apple", "state", "number", ""),
        ("juggle knives", "man", "action", "action", "juggling knives"),  # no word of AMBER's
        ("rusty", "gate", "state", "condition", "rusty"),
    ],
)
def test_a_word_and_its_noun(word: str, noun: str, slot: str, kind: str, said: str) -> None:
    found = attribute(word, noun, slot)
    assert (found.kind, found.text) == (kind, said)


def test_what_an_object_does_and_how_it_stands_are_of_the_body() -> None:
    assert {kind: attribute_words.Attribute(kind, "").bodily for kind in KINDS} == {
        kind: kind in ("posture", "action") for kind in KINDS
    }
    assert {"posture", "action"} < set(KINDS)
