"""What shares an image, a scene or a concept with a test is refused, and what it is, is named."""

from dataclasses import replace

import pytest
from editions import Editions

from vhbench import splits
from vhbench.schema import Question, Scene, SceneObject, VhbenchError
from vhbench.training.overlap import Contents, contents_of, read_contents, refuse

NAMES = ("train", "test")
NOTHING: frozenset[str] = frozenset()
DOG = Contents(frozenset({"a" * 64}), frozenset({"s1"}), frozenset({"dog", "beach"}))


def test_what_shares_nothing_passes() -> None:
    refuse(DOG, Contents(frozenset({"b" * 64}), frozenset({"s2"}), frozenset({"cat"})), NAMES)


@pytest.mark.parametrize(
    ("scored", "told"),
    [
        (Contents(DOG.images, NOTHING, NOTHING), r"1 image \(aaaaaaaaaaaa…\)"),
        (Contents(NOTHING, DOG.scenes, NOTHING), r"1 scene \(s1\)"),
        (Contents(NOTHING, NOTHING, DOG.concepts), r"2 concepts \(beach, dog\)"),
    ],
)
def test_each_kind_is_named(scored: Contents, told: str) -> None:
    with pytest.raises(VhbenchError, match=rf"^train shares {told} with test, which is scored later"):
        refuse(DOG, scored, NAMES)


def test_concepts_may_be_shared_where_that_is_wanted() -> None:
    refuse(DOG, Contents(NOTHING, NOTHING, DOG.concepts), NAMES, concepts=False)


def test_what_looks_like_a_thing_of_the_test_is_named_with_it() -> None:
    wolf = Contents(NOTHING, NOTHING, frozenset({"wolf", "cup"}))
    with pytest.raises(VhbenchError, match=r"^train shares 1 concept \(wolf \(like dog\)\) with test"):
        refuse(wolf, Contents(NOTHING, NOTHING, frozenset({"dog", "beach"})), NAMES)


def test_concepts_are_things_and_places_of_the_scene_and_not_what_is_painted_around() -> None:
    scene = Scene(id="s", image=b"", width=1, height=1, objects=(SceneObject(1, "dog", (0, 0, 1, 1), 1),),
                  environment="beach", areas=("sky",))  # fmt: skip
    asked = Question("q", question="?", answer="no", kind="yes_no", images=(b"x",), scene_ids=("s",), objects=("sky",))
    assert contents_of([asked], {"s": scene}).concepts == {"dog", "beach"}
    assert contents_of([asked], {}).concepts == {"sky"}


def test_another_drawing_of_the_same_things_is_refused_too(editions: Editions) -> None:
    one = read_contents(editions.train)
    redrawn = replace(one, images=NOTHING, scenes=NOTHING)
    with pytest.raises(VhbenchError, match="concepts"):
        refuse(one, redrawn, NAMES)


def test_the_scenes_of_questions_alone_count(editions: Editions) -> None:
    questions = list(splits.read_questions(editions.train))
    few = contents_of(questions[:1], splits.read_scenes(editions.train))
    assert len(few.images) == len(few.scenes) == 1
    assert few.concepts < read_contents(editions.train).concepts
