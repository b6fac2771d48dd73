"""The catalog: what can be drawn, under which words."""

import json
from pathlib import Path

import pytest

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.creatures.creature import CREATURES
from vhbench.generators.scenes.environments import atlas
from vhbench.schema import VhbenchError
from vhbench.tsv import records

COCO = [
    name.strip()
    for name in """
person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, fire hydrant, stop sign,
parking meter, bench, bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe, backpack, umbrella,
handbag, tie, suitcase, frisbee, skis, snowboard, sports ball, kite, baseball bat, baseball glove, skateboard,
surfboard, tennis racket, bottle, wine glass, cup, fork, knife, spoon, bowl, banana, apple, sandwich, orange,
broccoli, carrot, hot dog, pizza, donut, cake, chair, couch, potted plant, bed, dining table, toilet, tv,
laptop, mouse, remote, keyboard, cell phone, microwave, oven, toaster, sink, refrigerator, book, clock, vase,
scissors, teddy bear, hair drier, toothbrush
""".replace("\n", " ").split(",")
]

entries = pytest.mark.parametrize("entry", catalog.CATALOG.values(), ids=lambda entry: entry.word)


def known(word: str) -> bool:
    """Tell whether a word can be drawn, as a thing, an area or an environment."""
    return bool(catalog.lookup(word) or word in atlas.AREAS or atlas.find_environment(word))


def test_every_coco_category_is_drawn() -> None:
    assert len(COCO) == 80
    assert [name for name in COCO if catalog.lookup(name) is None] == []
    assert {entry.coco for entry in catalog.CATALOG.values()} - {""} == set(COCO)


def test_at_least_300_of_ambers_words_are_drawn(reference: Path) -> None:
    words = list(json.loads((reference / "AMBER/relation.json").read_text()))
    missing = [word for word in words if not known(word)]
    assert len(words) - len(missing) >= 300
    undrawn = [line.split("\t")[0] for line in catalog.TABLE.with_name("undrawn.tsv").read_text().splitlines()[1:]]
    assert sorted(missing) == sorted(undrawn)  # each is listed with the reason


def test_lookup_takes_words_names_synonyms_and_coco_categories() -> None:
    for name in ("sofa", "couch", "Couch"):
        entry = catalog.lookup(name)
        assert entry is not None
        assert (entry.word, entry.name, entry.coco) == ("sofa", "couch", "couch")
    assert catalog.lookup("unicorn") is None
    with pytest.raises(VhbenchError, match="cannot draw 'unicorn'"):
        catalog.find("unicorn")


def test_no_word_stands_for_two_things() -> None:
    seen: dict[str, str] = {}
    for entry in catalog.CATALOG.values():
        for word in {entry.word, entry.name, *entry.synonyms}:
            assert seen.setdefault(word, entry.word) == entry.word
    assert len({entry.name for entry in catalog.CATALOG.values()}) == len(catalog.CATALOG)


@entries
def test_a_row_is_complete(entry: catalog.Entry) -> None:
    assert bool(entry.drawing) != (entry.word in CREATURES)
    assert entry.size_m > 0
    assert not entry.default_colour or entry.default_colour in catalog.COLOURS
    assert set(entry.colours) <= set(catalog.COLOURS)
    if entry.surface:
        left, right, top, bottom = entry.surface
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1


@entries
def test_implied_and_confusable_words_exist_and_differ(entry: catalog.Entry) -> None:
    for word in (*entry.implies, *entry.confusable, *entry.parts):
        assert known(word), word
        assert word != entry.word
    assert len({*entry.implies, *entry.confusable, *entry.parts}) == sum(
        map(len, (entry.implies, entry.confusable, entry.parts))
    )
    for word in entry.implies:  # a person may be a man, so "man" cannot be denied either
        general = catalog.lookup(word)
        assert general is None or entry.word in (*general.confusable, *general.parts)


def test_a_bad_table_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "catalog.tsv"
    text = catalog.TABLE.read_text().splitlines()
    table.write_text("\n".join([text[0], text[1].replace("\twall\t", "\tmoon\t")]))
    with pytest.raises(VhbenchError, match=r"catalog.tsv, line 2: unknown place 'moon', expected one of ground"):
        records(table, catalog.Entry, catalog.READERS)
