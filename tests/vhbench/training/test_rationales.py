"""Reasoned answers are true, say why, and read as English; golden ones by hand, then all of a drawn edition."""

from dataclasses import replace
from pathlib import Path

import pytest

from editions import Editions
from vhbench import splits
from vhbench.audit import question_solver
from vhbench.language import parsing
from vhbench.schema import Question, Relation, Scene, SceneObject
from vhbench.training.rationales import contents, reason

KITCHEN = Scene(
    id="kitchen", image=b"", width=90, height=90,
    objects=(
        SceneObject(1, "dog", (0, 0, 10, 10), 1, attributes=(("colour", "brown"), ("action", "sitting")),
                    known_attributes=frozenset({"colour", "action"})),
        SceneObject(2, "dog", (50, 0, 10, 10), 1, attributes=(("colour", "brown"), ("action", "running")),
                    known_attributes=frozenset({"colour", "action"})),
        SceneObject(3, "cup", (80, 0, 10, 10), 1, attributes=(("colour", "red"),),
                    known_attributes=frozenset({"colour"})),
        SceneObject(4, "plate", (20, 0, 10, 10), 1, known_attributes=frozenset({"colour"})),
    ),
    relations=(Relation(4, "left of", 3), Relation(3, "right of", 4)), environment="kitchen",
    environment_state="sunny", areas=("sky", "kitchen"),
    known=frozenset({"dog", "cup", "plate", "cat", "scissors", "sky", "kitchen", "street"}),
    countable=frozenset({"dog", "cup", "plate", "cat", "scissors"}),
    known_predicates=frozenset({"left of", "right of"}),
)  # fmt: skip
ONE_DOG = replace(KITCHEN, id="one", objects=KITCHEN.objects[:1], relations=(), environment="street",
                  areas=("sky", "street"), known=KITCHEN.known | {"street"})  # fmt: skip
CATS = replace(
    ONE_DOG, id="cats",
    objects=tuple(SceneObject(i, "cat", (i, 0, 1, 1), 1, attributes=(("colour", "red"),),
                              known_attributes=frozenset({"colour"})) for i in (1, 2, 3)),
)  # fmt: skip


def ask(text: str, answer: str, *choices: str, images: int = 1) -> Question:
    kind = "multiple_choice" if choices else "yes_no"
    return Question("q", question=text, answer=answer, choices=choices, kind=kind, images=(b"",) * images)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "answer", "why"),
    [
        ("Is there a cup in the image?", "yes", "Yes. There is a cup on the right of the image."),
        ("Is there a plate in the image?", "yes", "Yes. There is a plate on the left of the image."),
        ("Is there a dog in the image?", "yes", "Yes. The image shows two dogs."),
        ("Does the image show a kitchen?", "yes", "Yes. The image shows a kitchen."),
        ("Is there a cat in the image?", "no",
         "No. The image does not show a cat; it shows two dogs, a cup, a plate and a kitchen."),
        ("Are there scissors in the image?", "no",
         "No. The image does not show scissors; it shows two dogs, a cup, a plate and a kitchen."),
        ("Are there exactly two dogs in the image?", "yes", "Yes. There are two dogs in the image."),
        ("Is there exactly one dog in the image?", "no", "No. There are two dogs in the image, not one."),
        ("Are there exactly three cats in the image?", "no", "No. There are no cats in the image."),
        ("Is the cup in the image red?", "yes", "Yes. The cup in the image is red."),
        ("Is the cup in the image blue?", "no", "No. The cup in the image is red, not blue."),
        ("Are the two dogs in the image black?", "no", "No. The two dogs in the image are brown, not black."),
        ("Are the two dogs in the image lying?", "no", "No. The two dogs in the image are not lying."),
        ("Is the plate to the left of the cup in the image?", "yes", "Yes. The plate is to the left of the cup."),
        ("Is the plate to the right of the cup in the image?", "no", "No. The plate is to the left of the cup."),
        ("Is it a sunny day in the image?", "yes", "Yes. It is a sunny day in the image."),
        ("Is it night in the image?", "no", "No. It is a sunny day in the image."),
        ("Is there no cat in the image?", "yes",
         "Yes. The image does not show a cat; it shows two dogs, a cup, a plate and a kitchen."),
        ("Is it false that the cup in the image is red?", "no", "No. The cup in the image is red."),
        ('Is it false that the right answer to this question is yes: "Is there a cup in the image?"', "no",
         "No. There is a cup on the right of the image, so the right answer to that question is “yes”."),
    ],
)  # fmt: skip
def test_one_image(text: str, answer: str, why: str) -> None:
    assert reason(ask(text, answer), [KITCHEN]) == why


@pytest.mark.parametrize(
    ("text", "choices", "answer", "why"),
    [
        ("Is there a red cat in any of the images?", (), "yes", "Yes. Image 3 shows a red cat."),
        ("Is there a dog in every image?", (), "no", "No. Image 3 does not show a dog."),
        ("Is there a plate in any of the images?", (), "yes", "Yes. Image 1 shows a plate."),
        ("Is there a black cat in any of the images?", (), "no", "No. None of the images shows a black cat."),
        ("Which image shows a cat?", ("Image 1", "Image 2", "Image 3", "None of the above"), "C",
         "C. Image 3 shows a cat; Image 1 and Image 2 do not."),
        ("Which image shows exactly 2 dogs?", ("Image 1", "Image 2", "Image 3"), "A",
         "A. The numbers of dogs are 2 in Image 1, 1 in Image 2 and 0 in Image 3."),
        ("Which of Image 1 and Image 2 shows a dog?", ("Image 1", "Image 2", "Both", "Neither"), "C",
         "C. Both Image 1 and Image 2 show a dog."),
        ("Which of Image 2 and Image 1 shows a cat?", ("Image 1", "Image 2", "Both", "Neither"), "D",
         "D. Neither Image 2 nor Image 1 shows a cat."),
        ("Which image shows more dogs, Image 1 or Image 2?", ("Image 1", "Image 2"), "A",
         "A. The numbers of dogs are 2 in Image 1 and 1 in Image 2."),
        ("Which object occurs in at least one of the images?", ("pair of scissors", "cup"), "B",
         "B. Image 1 shows a cup; none of the images shows a pair of scissors."),
        ("Which object is in Image 1 and not in Image 2?", ("dog", "cup", "cat", "None of the above"), "B",
         "B. Image 1 shows a cup and Image 2 does not."),
        ("In how many images are there any dogs?", ("1", "2", "3"), "B",
         "B. Image 1 and Image 2 show dogs, which makes 2."),
        ("How many dogs are there in all images together?", ("2", "3", "4"), "B",
         "B. The numbers of dogs are 2 in Image 1, 1 in Image 2 and 0 in Image 3, which makes 3."),
        ("Which object occurs exactly 3 times in all images together?", ("cup", "cat", "pair of scissors"), "B",
         "B. All images together show one cup, three cats and no pairs of scissors."),
    ],
)  # fmt: skip
def test_several_images(text: str, choices: tuple[str, ...], answer: str, why: str) -> None:
    question = ask(text, answer, *choices, images=3)
    assert reason(question, [KITCHEN, ONE_DOG, CATS]) == why


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Is there a unicorn in the image?", "no"),
        ("Is there a cup in the image?", "no"),
        ("Why is the cup red?", "yes"),
        ("Are the two dogs in the image sitting?", "no"),
    ],
)
def test_what_the_scene_leaves_open_or_denies_has_no_reason(text: str, answer: str) -> None:
    assert reason(ask(text, answer), [KITCHEN]) == ""


def test_what_an_image_shows_is_cut_after_four_things() -> None:
    things = tuple(SceneObject(i, word, (0, 0, 1, 1), 1) for i, word in enumerate(("a", "b", "c", "d", "e")))
    assert contents(replace(ONE_DOG, objects=things, environment="")).count(" and ") == 1


def test_several_that_are_not_counted_are_told_as_several() -> None:
    rocks = tuple(SceneObject(i, "rock", (0, 0, 1, 1), 1) for i in range(2))
    assert contents(replace(ONE_DOG, objects=rocks, environment="", countable=frozenset())) == "rocks"
    assert contents(replace(ONE_DOG, objects=rocks[:1], environment="", countable=frozenset())) == "a rock"


def test_a_place_that_nothing_tells_is_no_reason() -> None:
    assert "bedroom" not in contents(replace(ONE_DOG, environment="bedroom"))


def test_every_reason_of_an_edition_is_read_as_its_answer(editions: Editions) -> None:
    reasons = _reasons(editions.train)
    assert len(reasons) > 50
    for question, told in reasons:
        assert parsing.parse("yes_no", told, (), question=question.question) == question.answer
        assert told.endswith(".")
        assert "  " not in told


def test_almost_every_question_of_an_edition_has_a_reason(editions: Editions) -> None:
    closed = [q for q in splits.read_questions(editions.train) if q.kind != "caption"]
    assert len(_reasons(editions.train)) >= 0.97 * len(closed)


def test_the_first_sentence_of_a_reason_is_true_where_it_can_be_asked(editions: Editions) -> None:
    """ "There is a dog in the middle of the image": asked as a question, the audit says yes."""
    scenes = splits.read_scenes(editions.train)
    for question, told in _reasons(editions.train):
        if question.question_type == "number":
            fact = told.split(". ", 1)[1].split(",")[0].removesuffix(".")
            verb, rest = fact.removeprefix("There ").split(" ", 1)
            asked = f"{verb.capitalize()} there exactly {rest}?"
            assert question_solver.read(asked, [scenes[question.scene_ids[0]]]), told


def _reasons(split: Path) -> list[tuple[Question, str]]:
    scenes = splits.read_scenes(split)
    closed = [q for q in splits.read_questions(split) if q.kind != "caption"]
    told = [(q, reason(q, [scenes[name] for name in q.scene_ids])) for q in closed]
    return [(q, text) for q, text in told if text]
