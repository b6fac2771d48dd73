"""Which word of a compound a caption is about: one row of the table for each outcome."""

import pytest

from vhbench.language.captions.compounds import heads
from vhbench.language.captions.vocabulary import Vocabulary

COCO = Vocabulary.build(
    [["dining table", "table"], ["bus"], ["car"], ["train"], ["toilet"], ["bowl"], ["dog"], ["teddy bear"], ["bear"]]
)


@pytest.mark.parametrize(
    ("caption", "objects"),
    [
        ("a table", ["dining table"]),
        ("a coffee table by a table", ["dining table"]),  # the first is no table to dine at
        ("a bus stop", []),
        ("a bus stops", ["bus"]),  # "stop!" in the table: a verb in this form
        ("a toilet bowl", ["toilet"]),
        ("a bowl", ["bowl"]),
        ("a train car", ["train"]),
        ("a freight car", []),
        ("a toy bear", ["teddy bear"]),
        ("a bear", ["bear"]),
        ("dog food", []),
    ],
)
def test_the_head_of_a_compound_is_what_is_shown(caption: str, objects: list[str]) -> None:
    assert [found.node for found in heads(caption, COCO.find(caption), COCO)] == objects


def test_any_table_counts_where_the_vocabulary_has_any_table() -> None:
    words = Vocabulary.build([["table"], ["chair"]])
    caption = "a coffee table by a table"
    assert [found.node for found in heads(caption, words.find(caption), words)] == ["table", "table"]


@pytest.mark.parametrize(
    ("caption", "objects"),
    [
        ("the star of the image is a dog", ["dog"]),
        ("a movie star", []),
        ("a star in the sky", ["star"]),
        ("the sun lounger is blue", []),
        ("a sun umbrella", ["umbrella"]),
        ("the sun shines", ["sun"]),
    ],
)
def test_the_star_of_the_show_is_not_in_the_sky(caption: str, objects: list[str]) -> None:
    words = Vocabulary.build([["star"], ["sun"], ["dog"], ["umbrella"]])
    assert [found.node for found in heads(caption, words.find(caption), words)] == objects
