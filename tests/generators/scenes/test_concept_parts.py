"""Parts of the concepts: each word is in one, and with it all that people take for it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.generators.scenes import CATALOG, WHOLE, ConceptPart, read_part, readable
from vhbench.schema import VhbenchError

DRAWN = {entry.name for entry in CATALOG.values()}
LOOKALIKES = [
    (entry.name, readable(word))
    for entry in CATALOG.values()
    for word in (*entry.implies, *entry.confusable)
    if readable(word) in DRAWN  # and not painted, as a building is
]


@settings(max_examples=30)
@given(st.text(), st.integers(1, 9))
def test_each_word_is_in_one_part(word: str, number: int) -> None:
    assert sum(read_part(f"{i}/{number}").holds(word) for i in range(1, number + 1)) == 1
    assert WHOLE.holds(word)


@pytest.mark.parametrize("of", [2, 3, 5])
def test_what_looks_alike_is_in_one_part(of: int) -> None:
    parts = [ConceptPart(i, of) for i in range(1, of + 1)]
    assert len(LOOKALIKES) > 200
    for one, other in LOOKALIKES:
        assert [part.holds(one) for part in parts] == [part.holds(other) for part in parts], (one, other)


def test_two_words_for_one_thing_are_in_one_part() -> None:
    for entry in CATALOG.values():
        for word in (entry.word, *entry.synonyms):
            if readable(word) == entry.name:
                assert ConceptPart(1, 2).holds(word) == ConceptPart(1, 2).holds(entry.name)


def test_both_halves_have_things_enough() -> None:
    half = [sum(ConceptPart(i, 2).holds(entry.name) for entry in CATALOG.values()) for i in (1, 2)]
    assert min(half) > 0.4 * len(DRAWN)


def test_no_part_is_the_whole() -> None:
    assert read_part("") == read_part("1/1") == WHOLE
    assert str(read_part("2/3")) == "2/3"


@pytest.mark.parametrize("text", ["2", "0/2", "3/2", "1/0", "1/10", "a/b", "1/2/3", " 1/2"])
def test_what_is_no_part_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(VhbenchError, match=r"--part: expected I/N with 1 ≤ I ≤ N ≤ 9, such as 1/2"):
        read_part(text)
