"""True captions name everything that is there and nothing else: CHAIR is 0 and cover is 1, in every wording."""

from dataclasses import replace

import pytest

from editions import Editions
from vhbench import splits
from vhbench.columns import RECORD
from vhbench.schema import Record, Relation, Scene, SceneObject
from vhbench.tasks import datasets
from vhbench.tasks.metrics import ode_captions
from vhbench.training.reference_captions import WORDINGS, caption, worded

BEACH = Scene(
    id="beach", image=b"", width=90, height=90,
    objects=(
        SceneObject(1, "dog", (0, 0, 1, 1), 1, attributes=(("colour", "black"), ("action", "lying")),
                    known_attributes=frozenset({"colour", "action"})),
        SceneObject(2, "scissors", (9, 0, 1, 1), 1, attributes=(("colour", "red"),),
                    known_attributes=frozenset({"colour"})),
        SceneObject(3, "scissors", (9, 9, 1, 1), 1, attributes=(("colour", "red"),),
                    known_attributes=frozenset({"colour"})),
        SceneObject(4, "man", (5, 0, 1, 1), 1, attributes=(("colour", "blue"),),
                    known_attributes=frozenset({"colour"})),
    ),
    relations=(Relation(1, "left of", 4),), environment="beach", areas=("sky", "sand", "beach"),
    countable=frozenset({"dog", "scissors", "man"}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("shows", "The image shows a black dog lying down, two pairs of red scissors and a man on a beach. The "
                  "background has the sky and sand. The dog is to the left of the man."),
        ("there", "In view on a beach: a black dog lying down, two pairs of red scissors and a man. Behind and around: "
                  "the sky and sand. The dog is to the left of the man."),
        ("scene", "The scene is on a beach, with a black dog lying down, two pairs of red scissors and a man. One also "
                  "sees the sky and sand. The dog is to the left of the man."),
    ],
)  # fmt: skip
def test_a_caption_by_hand(wording: str, text: str) -> None:
    assert worded(BEACH, wording) == text


def test_what_is_not_all_counted_is_named_without_a_number() -> None:
    assert "a black dog" in worded(replace(BEACH, objects=BEACH.objects[:1], countable=frozenset()), "shows")
    assert " shows black dogs " in worded(replace(BEACH, objects=BEACH.objects[:1] * 2, countable=frozenset()), "shows")
    assert " red scissors " in worded(replace(BEACH, objects=BEACH.objects[1:3], countable=frozenset()), "shows")


@pytest.mark.parametrize("wording", WORDINGS)
def test_a_place_that_nothing_tells_is_not_named(wording: str) -> None:
    bedroom = replace(BEACH, environment="bedroom", areas=("wall", "floor"))
    assert "bedroom" not in worded(bedroom, wording)
    made = replace(bedroom, objects=(*BEACH.objects, SceneObject(9, "bed", (0, 0, 1, 1), 1)))
    assert "in a bedroom" in worded(made, wording)


@pytest.mark.parametrize("wording", WORDINGS)
def test_what_a_test_asks_about_is_not_named_where_it_is_painted_around(wording: str) -> None:
    island = replace(BEACH, environment="island", areas=("sky", "sand", "beach"))
    assert "beach" in worded(island, wording)
    assert "beach" not in worded(island, wording, {"beach"})
    assert "on a beach" in worded(BEACH, wording, {"beach"})


@pytest.mark.parametrize("wording", WORDINGS)
def test_an_empty_scene_is_no_fault(wording: str) -> None:
    bare = Scene(id="bare", image=b"", width=9, height=9, objects=())
    assert worded(bare, wording).endswith(".")
    assert worded(replace(bare, environment="beach"), wording).endswith(".")


def test_the_seed_decides_the_wording() -> None:
    assert len({caption(BEACH, seed) for seed in range(30)}) == len(WORDINGS)
    assert caption(BEACH, 3) == caption(BEACH, 3)


@pytest.mark.parametrize("wording", WORDINGS)
def test_the_captions_of_an_edition_imagine_nothing_and_leave_nothing_out(wording: str, editions: Editions) -> None:
    scenes = splits.read_scenes(editions.train)
    vocabulary = datasets.vocabulary_of(editions.train, splits.read_manifest(editions.train))
    records = [
        Record(**{n: getattr(q, n) for n in RECORD}, response=worded(scenes[q.scene_ids[0]], wording))
        for q in splits.read_questions(editions.train)
        if q.kind == "caption"
    ]
    found = ode_captions.score(records, vocabulary=vocabulary)
    assert (found["chair_i"], found["chair_s"], found["cover"]) == (0, 0, 1)
