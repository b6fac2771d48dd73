"""Articles and plurals of the nouns that this project knows; golden answers by hand where a rule or inflect fails."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.audit import phrases
from vhbench.language import inflection
from vhbench.schema import Scene

GENERATORS = Path(inflection.__file__).parent.parent.parent / "vhbench" / "generators"
SILENT_HEADS = "aircraft cash deer fish goldfish sheep watercraft".split()


def known_nouns(reference: Path) -> Iterator[str]:
    """Yield the nouns of drawings, environments, AMBER, COCO (with CHAIR's synonyms) and PACO."""
    for table in ("catalog", "undrawn"):
        with (GENERATORS / "scenes" / f"{table}.tsv").open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                yield from [row.get("name") or row["word"], *(row.get("synonyms") or "").split(",")]
    places = json.loads((GENERATORS / "ode" / "starter.json").read_text())["environments"]
    yield from places
    yield from (word for place in places.values() for part in place.values() if isinstance(part, list) for word in part)
    for word, others in json.loads((reference / "AMBER" / "relation.json").read_text()).items():
        yield from [word, *others]
    for line in (reference / "CHAIR" / "synonyms.txt").read_text().splitlines():
        yield from line.split(",")
    paco = json.loads((reference / "PACO" / "classes.json").read_text())
    yield from (name.partition("_(")[0] for name in paco["objects"])


def test_every_known_noun_has_a_plural_that_captions_may_use(reference: Path) -> None:
    for noun in {word.strip().lower().replace("_", " ") for word in known_nouns(reference)} - {""}:
        many, last = inflection.plural(noun), inflection.head(noun)
        assert many in inflection.plural_forms(noun)
        assert many == noun or not many.endswith(("ss", "xs", "chs", "shs")), many
        if inflection.countable(noun) and last not in SILENT_HEADS:
            assert many != noun, f"one and two {noun!r} cannot be told apart"


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("bookshelf", "bookshelves"),
        ("pocketknife", "pocketknives"),
        ("snowman", "snowmen"),
        ("gentleman", "gentlemen"),
        ("doberman", "dobermans"),
        ("human", "humans"),
        ("box", "boxes"),
        ("ox", "oxen"),
        ("photo", "photos"),
        ("potato", "potatoes"),
        ("bus", "buses"),
        ("grandchild", "grandchildren"),
        ("thief", "thieves"),
        ("passerby", "passersby"),
        ("computer mouse", "computer mice"),
        ("sheep", "sheep"),
        ("ice cubes", "ice cubes"),
        ("chest of drawers", "chests of drawers"),
        ("cup with straw", "cups with straw"),
        ("orange juice", "orange juice"),
        ("", ""),
    ],
)
def test_plurals(noun: str, expected: str) -> None:
    assert inflection.plural(noun) == expected


@pytest.mark.parametrize(
    ("noun", "others"),
    [
        ("bus", {"busses"}),
        ("bookshelf", {"bookshelfs"}),
        ("person", {"persons"}),
        ("tomato", {"tomatos"}),
        ("fish", {"fishes"}),
        ("bread", {"breads"}),
        ("fox", set()),
        ("scissors", set()),
    ],
)
def test_captions_may_use_other_forms_too(noun: str, others: set[str]) -> None:
    assert set(inflection.plural_forms(noun)) == {inflection.plural(noun)} | others


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("dog", "a dog"),
        ("orange", "an orange"),
        ("urinal", "a urinal"),
        ("ewe", "a ewe"),
        ("hourglass", "an hourglass"),
        ("earrings", "earrings"),
        ("bread", "bread"),
        ("bottle of wine", "a bottle of wine"),
        ("sea", "the sea"),
    ],
)
def test_articles(noun: str, expected: str) -> None:
    assert inflection.with_article(noun) == expected


@given(st.text(max_size=12))
def test_any_text_can_stand_for_a_noun(noun: str) -> None:
    assert inflection.plural(noun) in inflection.plural_forms(noun)


def test_the_audit_reads_what_questions_say() -> None:
    nouns = ("bookshelf", "snowman", "bus", "chest of drawers", "ox")
    scene = Scene("s", b"", 1, 1, objects=(), known=frozenset(nouns))
    for noun in nouns:
        assert phrases.category(inflection.plural(noun), [scene]) == noun


# What inflect says otherwise than people do: "broncoes", "dobermen", "gentlemans", "grandchilds", "lenovoes", ….
FAULTS_OF_INFLECT = frozenset(
    "bronco doberman gentleman grandchild lenovo palomino passerby thermos thief jeans".split()
)


def test_plurals_and_articles_are_those_of_inflect(reference: Path) -> None:
    """Questions and their hashes hold these words: the rules must not differ from the library that wrote them first."""
    import inflect  # takes seconds

    engine = inflect.engine()
    for noun in {word.strip().lower().replace("_", " ") for word in known_nouns(reference)} - {""}:
        if (word := inflection.head(noun)) not in inflection.MASS | FAULTS_OF_INFLECT:
            theirs = engine.plural_noun(word)
            assert inflection.plural(word) == (word if theirs == f"{word}s" and word.endswith("s") else theirs)
        assert inflection.a(noun) == engine.a(noun)
