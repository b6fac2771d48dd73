"""Questions are answered from the scenes by code that the generators do not share; golden answers by hand."""

from dataclasses import replace
from pathlib import Path

import pytest
from toy_build import ToyBuild

from vhbench import audit, splits
from vhbench.audit import phrases, question_solver
from vhbench.schema import Question, Relation, Row, Scene, SceneObject

DOGS = Scene(
    id="dogs",
    image=b"",
    width=10,
    height=10,
    objects=(
        SceneObject(1, "dog", (0, 0, 1, 1), 1, attributes=(("colour", "brown"), ("action", "running")),
                    known_attributes=frozenset({"colour", "action"})),
        SceneObject(2, "dog", (5, 0, 1, 1), 1, attributes=(("colour", "brown"), ("action", "sitting")),
                    known_attributes=frozenset({"colour", "action"})),
        SceneObject(3, "dining table", (8, 0, 1, 1), 1, attributes=(("material", "wood"),),
                    known_attributes=frozenset({"material"})),
    ),
    relations=(Relation(1, "left of", 3), Relation(2, "left of", 3)),
    environment="kitchen",
    environment_state="sunny",
    areas=("sky",),
    known=frozenset({"dog", "dining table", "cat", "knife", "person", "sky", "street"}),
    countable=frozenset({"dog", "dining table", "cat", "knife", "person"}),
    known_predicates=frozenset({"left of", "right of"}),
)  # fmt: skip
CAT = replace(
    DOGS,
    id="cat",
    objects=(SceneObject(1, "cat", (0, 0, 1, 1), 1), SceneObject(2, "knife", (3, 3, 1, 1), 1)),
    relations=(),
    known_predicates=frozenset(),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is there a dog in the image?", True),
        ("Is there a cat in the image?", False),
        ("Is there a unicorn in the image?", None),
        ("Does the image show the sky?", True),
        ("Does the image show a kitchen?", True),
        ("Does the image show a street?", False),
        ("Are there exactly two dogs in the image?", True),
        ("Is there exactly one dog in the image?", False),
        ("Are there exactly two people in the image?", False),
        ("Are the two dogs in the image brown?", True),
        ("Are the two dogs in the image black?", False),
        ("Are the two dogs in the image sitting?", None),
        ("Are the three dogs in the image brown?", None),
        ("Is the dining table in the image wood?", True),
        ("Is it a sunny day in the image?", True),
        ("Is it night in the image?", False),
        ("Is the dog to the left of the dining table in the image?", True),
        ("Is the dog to the right of the dining table in the image?", False),
        ("Is the dog above the dining table in the image?", None),
        ("Anything else?", None),
    ],
)
def test_one_image(question: str, answer: bool | None) -> None:
    assert question_solver.read(question, [DOGS]) is answer


@pytest.mark.parametrize(
    ("phrase", "listed", "number", "holds"),
    [
        ("cat in front of a knife", "in front of", 1, True),
        ("knife in front of a cat", "in front of", 1, False),
        ("cat behind a knife", "in front of", 1, False),
        ("knife behind a cat", "in front of", 1, None),  # photos list some relations, not all
        ("knife in front of a cat", "next to", 1, None),
        ("knife in front of a cat", "in front of", 2, None),  # the other knife may be
    ],
)
def test_what_a_photo_lists_of_two_objects_denies_the_opposite(
    phrase: str, listed: str, number: int, holds: bool | None
) -> None:
    knives = [SceneObject(i, "knife", (3, 3, 1, 1), 1) for i in range(2, 2 + number)]
    photo = replace(CAT, objects=(CAT.objects[0], *knives), relations=(Relation(1, listed, 2),))
    assert phrases.holds(phrase, photo) is holds


@pytest.mark.parametrize(
    ("phrase", "holds"),
    [("light green hot dog", True), ("green hot dog", False), ("light green dog", False), ("light green cat", None)],
)
def test_a_value_or_a_name_of_two_words(phrase: str, holds: bool | None) -> None:
    snack = SceneObject(
        1, "hot dog", (0, 0, 1, 1), 1, attributes=(("color", "light green"),), known_attributes=frozenset({"color"})
    )
    names = frozenset({"hot dog", "dog"})
    photo = Scene("snack", b"", 10, 10, (snack,), known=names, countable=names)
    assert phrases.holds(phrase, photo) is holds


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is there a brown dog in any of the images?", True),
        ("Is there a brown dog in every image?", False),
        ("Is there a dog that is running in any of the images?", True),
        ("Is there a wooden dining table in every image?", False),
        ("Is there a dog to the left of a dining table in any of the images?", True),
        ("Is there a dog that is jumping in any of the images?", False),
        ("Is there a person in any of the images?", False),
    ],
)
def test_several_images(question: str, answer: bool | None) -> None:
    assert question_solver.read(question, [DOGS, CAT]) is answer


CAR = ("car", (40.0, 0.0, 20.0, 10.0))


@pytest.mark.parametrize(
    ("things", "answer"),
    [
        ([("dog", (10, 0, 20, 10)), CAR], True),
        ([("dog", (10, 0, 30, 10)), CAR], True),  # they touch
        ([("dog", (30, 0, 20, 10)), CAR], None),  # they overlap, the dog more to the left
        ([("dog", (40, 20, 20, 10)), CAR], False),  # right below it
        ([("dog", (70, 0, 20, 10)), CAR], False),
        ([("dog", (70, 0, 20, 10)), ("dog", (10, 0, 20, 10)), CAR], True),
        ([("dog", (70, 0, 20, 10)), ("dog", (30, 0, 20, 10)), CAR], None),
        ([("dog", (70, 0, 20, 10)), ("car", (5, 0, 9, 9)), ("crowded", (0, 0, 9, 9))], False),
        ([CAR], False),
    ],
)
def test_left_and_right_where_no_relation_is_listed(
    things: list[tuple[str, tuple[float, float, float, float]]], answer: bool | None
) -> None:
    objects = tuple(SceneObject(i, word, box, 1) for i, (word, box) in enumerate(things))
    names = frozenset({"dog", "car"})
    scene = Scene("7", b"", 100, 100, objects, known=names, countable=names)
    assert question_solver.read("Is there a dog to the left of a car in any of the images?", [scene]) is answer
    assert question_solver.read("Is there a car to the right of a dog in any of the images?", [scene]) is answer
    assert question_solver.read("Is there a dog above a car in any of the images?", [scene]) is (
        answer if len(things) < 2 else None
    )
    crowd = replace(scene, countable=names - {"dog"})
    told = answer if answer or len(things) < 2 else None
    assert question_solver.read("Is there a dog to the left of a car in any of the images?", [crowd]) is told


@pytest.mark.parametrize(
    ("text", "choices", "right"),
    [
        ("Which image shows a cat?", ("Image 1", "Image 2", "None of the above"), "B"),
        ("Which image shows a person?", ("Image 1", "Image 2", "None of the above"), "C"),
        ("Which image shows exactly 2 dogs?", ("Image 1", "Image 2", "None of the above"), "A"),
        ('Where is "dog to the left of a dining table"?', ("Image 1", "Image 2", "None of the above"), "A"),
        ("Which of Image 1 and Image 2 shows a knife?", ("Both", "Neither", "Image 1", "Image 2"), "D"),
        ("Which of Image 1 and Image 2 shows a person?", ("Both", "Neither", "Image 1", "Image 2"), "B"),
        ("How many dogs are there in all images together?", ("1", "2", "3", "4", "None of the above"), "B"),
        ("In how many images are there any knives?", ("0", "1", "2", "3", "I don't know"), "B"),
        ("Which object is in Image 2 and not in Image 1?", ("dog", "cat", "person", "dining table"), "B"),
        ("Which object occurs in at least one of the images?", ("person", "cat"), "B"),
        ("Which object occurs in all of the images?", ("dog", "cat", "None of the above"), "C"),
        ("Which object occurs exactly 2 times in all images together?", ("cat", "dog", "None of the above"), "B"),
        (
            "Which image shows more dogs, Image 1 or Image 2?",
            ("Both show the same number", "Neither shows any", "Image 1", "Image 2"),
            "C",
        ),
        (
            "Which image shows fewer people, Image 1 or Image 2?",
            ("Both show the same number", "Neither shows any", "Image 1", "Image 2"),
            "B",
        ),
    ],
)
def test_choices(text: str, choices: tuple[str, ...], right: str) -> None:
    for letter in "ABCDE"[: len(choices)]:
        question = Question(
            "q",
            images=(b"", b""),
            question=text,
            answer=letter,
            kind="multiple_choice",
            benchmark="mioh",
            choices=choices,
        )
        assert question_solver.verdict(question, [DOGS, CAT]) is (letter == right)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is there no dog in the image?", False),
        ("Are there no cats in the image?", True),
        ("Is there no unicorn in the image?", None),
        ("Is it false that there are exactly two dogs in the image?", False),
        ("Is it false that there is exactly one dog in the image?", True),
        ("Is it false that the image does show a street?", True),
        ("Is it false that the image shows a street?", True),
        ('Is it false that the right answer to this question is yes: "Does the image show a street?"', True),
        ('Is it false that the right answer to this question is yes: "Is there a dog in the image?"', False),
        ("Is it false that it is a sunny day in the image?", False),
        ("Is it false that the sky is overcast in the image?", True),
        ("Is it false that the two dogs in the image are brown?", False),
        ("Is it false that the dining table in the image is black?", True),
        ("Is it false that the dog is to the left of the dining table in the image?", False),
        ("Is it false that the dog barks?", None),
    ],
)
def test_a_negated_question_has_the_opposite_answer(question: str, answer: bool | None) -> None:
    assert question_solver.read(question, [DOGS]) is answer


def rows(*answered: str, negated: tuple[bool, ...] = ()) -> list[Row]:
    scene = next(item for item in ToyBuild().make(0) if isinstance(item, Scene))
    return [
        Row(
            "a",
            Question(
                f"q{n}", images=(scene.image,), question="Is there a dog in this image?", answer=answer, kind="yes_no",
                benchmark="ode", scene_ids=("s",), pair_id="p" if negated else "", negated=bool(negated) and negated[n],
            ),
        )
        for n, answer in enumerate(answered)
    ]  # fmt: skip


def build(folder: Path, given: list[Row]) -> Path:
    scene = replace(DOGS, id="s")
    splits.write_split(folder, given, benchmark="ode", version="1.0.0", seed=0, config={}, scenes=[scene])
    return folder


def test_a_wrong_answer_is_found(tmp_path: Path) -> None:
    found = audit.audit(build(tmp_path / "ode", rows("yes", "no")))
    assert found.right == 1
    assert found.faults == ["row 'q1': reference answer 'no' to 'Is there a dog in this image?' contradicts scene s"]


def test_a_negation_has_the_other_answer(tmp_path: Path) -> None:
    found = audit.audit(build(tmp_path / "ode", rows("yes", "yes", negated=(False, True))))
    assert found.faults == ["pair 'p': expected opposite answers to a question and its negation; got the same"]


def test_answers_that_lean_to_one_side_are_told(tmp_path: Path) -> None:
    found = audit.audit(build(tmp_path / "ode", rows(*["yes"] * 80, *["no"] * 20)))
    assert [*audit.imbalances(found)] == [
        "a: answer 'no' is correct in 20% of 100, expected 50%",
        "a: answer 'yes' is correct in 80% of 100, expected 50%",
    ]


def test_what_several_do_is_read_in_the_plural() -> None:
    held = {"attributes": (("posture", "raising its head"),), "known_attributes": frozenset({"posture"})}
    dogs = tuple(SceneObject(number, "dog", (0, 0, 9, 9), 81, **held) for number in (1, 2))  # type: ignore[arg-type]
    scene = Scene("s", b"", 9, 9, dogs, known=frozenset({"dog"}))
    assert question_solver.read("Are the two dogs in the image raising their heads?", [scene]) is True
    assert question_solver.read("Are the two dogs in the image lowering their heads?", [scene]) is False
