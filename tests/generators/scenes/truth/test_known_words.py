"""What is ambiguous beside what an image shows is neither present nor absent in it."""

from vhbench.generators.scenes.catalog import CATALOG
from vhbench.generators.scenes.truth.known_words import VOCABULARY, known_words

COUNTABLE = {entry.name for entry in CATALOG.values() if entry.countable}


def test_rivals_of_what_is_shown_are_neither_known_nor_counted() -> None:
    known, countable = known_words(["car"], ["sea"])
    doubtful = {"beach", "lake", "river", "water"} | {"door", "tire", "window"}
    assert known == VOCABULARY - doubtful
    assert countable == COUNTABLE - doubtful - {"sea"}
    assert {"car", "dog"} < countable


def test_a_word_that_is_shown_stays_known_and_is_not_counted_beside_its_rivals() -> None:
    known, countable = known_words(["car", "window"], ["cabinet"])
    assert {"car", "window", "cabinet"} < known
    assert "car" in countable
    assert not {"window", "cabinet", "door"} & countable
