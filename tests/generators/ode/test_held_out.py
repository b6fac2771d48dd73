"""Parts of the concepts: editions of different parts show and ask about different things, whatever their seeds."""

import pytest
from editions import Editions

from vhbench import splits
from vhbench.builds.ode import OdeBuild
from vhbench.schema import VhbenchError
from vhbench.training import overlap


@pytest.mark.parametrize("text", ["2", "0/2", "3/2", "1/0", "1/10", "a/b", "1/2/3", " 1/2"])
def test_what_is_no_part_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(VhbenchError, match=r"--part .*: must be I/N with 1 ≤ I ≤ N ≤ 9, such as 1/2"):
        OdeBuild(part=text).check()


def test_too_few_pairs_of_a_part_are_told() -> None:
    with pytest.raises(VhbenchError, match="pairs were asked for, the graph has only"):
        OdeBuild(part="1/9", pairs=4000, criteria=("standard",)).check()


def test_editions_of_two_parts_share_no_image_scene_or_concept(editions: Editions) -> None:
    train, test = (overlap.read_contents(path) for path in editions)
    assert train.images.isdisjoint(test.images)
    assert train.scenes.isdisjoint(test.scenes)
    assert not overlap.alike(train.concepts, test.concepts)
    assert min(map(len, (train.concepts, test.concepts))) > 5


def test_nor_does_one_ask_after_a_concept_that_the_other_shows(editions: Editions) -> None:
    shown = overlap.read_contents(editions.test).concepts
    for question in splits.read_questions(editions.train):
        if question.task == "existence":
            asked = question.question.removesuffix(" in the image?").removesuffix("?").split(" ", 2)[-1]
            assert not {asked, asked.partition(" ")[2]} & shown
