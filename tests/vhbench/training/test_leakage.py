"""What shares an image, a scene or a concept with a test is refused, and what it is, is named."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_clip_model
from PIL import Image

from editions import Editions
from vhbench import splits
from vhbench.files import read_image
from vhbench.images import to_png
from vhbench.near_duplicates import ImageIndex
from vhbench.schema import Question, Scene, SceneObject, VhbenchError
from vhbench.training.leakage import Contents, asked, contents_of, most_similar, read_contents, refuse

NAMES = ("train", "test")
NOTHING: frozenset[str] = frozenset()
DOG = Contents(frozenset({"a" * 64}), frozenset({"s1"}), frozenset({"dog", "beach"}))


def test_what_shares_nothing_passes() -> None:
    refuse(DOG, Contents(frozenset({"b" * 64}), frozenset({"s2"}), frozenset({"cat"})), NAMES)


@pytest.mark.parametrize(
    ("scored", "told"),
    [
        (Contents(DOG.images, NOTHING, NOTHING), r"1 identical image \(aaaaaaaaaaaa…\)"),
        (Contents(NOTHING, DOG.scenes, NOTHING), r"1 scene \(s1\)"),
        (Contents(NOTHING, NOTHING, DOG.concepts), r"2 concepts \(beach, dog\)"),
    ],
)
def test_each_kind_is_named(scored: Contents, told: str) -> None:
    with pytest.raises(VhbenchError, match=rf"^train shares {told} with the test split test\."):
        refuse(DOG, scored, NAMES)


def test_concepts_may_be_shared_where_that_is_wanted() -> None:
    refuse(DOG, Contents(NOTHING, NOTHING, DOG.concepts), NAMES, concepts=False)


def test_what_looks_like_a_thing_of_the_test_is_named_with_it() -> None:
    wolf = Contents(NOTHING, NOTHING, frozenset({"wolf", "cup"}))
    advice = r"Train on a split with other concepts: .*`--part 1/2` .*`--part 2/2` with another `--seed`$"
    with pytest.raises(
        VhbenchError, match=rf"^train shares 1 concept \(wolf \(like dog\)\) with the test split test\. {advice}"
    ):
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


@pytest.mark.parametrize(
    ("form", "scale", "options"),
    [("PNG", 1, {"compress_level": 1}), ("JPEG", 1, {"quality": 60}), ("WEBP", 1, {"quality": 80}), ("PNG", 2, {})],
)
def test_an_image_that_was_saved_anew_is_the_same(
    form: str, scale: int, options: dict[str, Any], editions: Editions
) -> None:
    one, scored = next(splits.read_questions(editions.test)), read_contents(editions.test)
    with Image.open(io.BytesIO(read_image(one.images[0]))) as opened:
        seen = opened.convert("RGB").resize((opened.width * scale, opened.height * scale))
    file = io.BytesIO()
    seen.save(file, form, **options)
    copied = contents_of([replace(one, images=(file.getvalue(),), scene_ids=(), objects=())], {})
    assert copied.images.isdisjoint(scored.images)
    with pytest.raises(VhbenchError, match=r"^train shares 1 re-encoded image \("):
        refuse(copied, scored, NAMES)


def test_no_two_images_of_the_editions_are_copies(editions: Editions) -> None:
    looks = {name: seen for path in editions for name, seen in read_contents(path).looks.items()}
    for name, seen in looks.items():
        assert ImageIndex({other: found for other, found in looks.items() if other != name}).find(seen) == ("", "")


def test_what_is_asked_about_counts_though_no_picture_that_is_taught_shows_it() -> None:
    one = Question("a", question="Is there a hot dog in the image?", answer="no", kind="yes_no", images=())
    options = ("cup", "cats to the left of a bed")
    other = replace(one, id="b", question="Which object occurs in all of the images?", choices=options)
    assert asked([one, other], ["dog", "hot dog", "cup", "cat", "bed", "sofa"]) == {"hot dog", "cup", "cat", "bed"}
    assert asked([one], []) == NOTHING


def test_similar_embeddings_are_reported(editions: Editions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same image the similarity is 1, of a red square it is low; nothing is refused for it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    question = next(splits.read_questions(editions.test))
    model = str(tiny_clip_model.save(tmp_path))
    line = f"1 of 1 images are similar to one of ode (cosine ≥ 0.95; highest 1.000): questions {question.id}"
    assert most_similar([question], editions.test, model).endswith(line)
    other = replace(question, images=(to_png(Image.new("RGB", (64, 64), "red")),))
    assert "embeddings of 0 of 1 images are similar" in most_similar([other], editions.test, model)
