"""What follows from bounds on two numbers, (least, most): True, False, or None where it stays open."""

from pathlib import Path

import pytest

from vhbench.audit.phrases import holds
from vhbench.audit.question_solver import _ahead, _same, choice
from vhbench.audit.restricted_oracles import (
    VIEWS,
    Figures,
    Reached,
    _numbers,
    add,
    cell_table,
    leaks,
    left_open,
    stored,
    table,
)
from vhbench.schema import Question, Scene, SceneObject


@pytest.mark.parametrize(
    ("one", "two", "ahead", "same"),
    [
        ((3, 3), (2, 2), True, False),
        ((2, 2), (3, 3), False, False),
        ((2, 2), (2, 2), False, True),
        ((0, 0), (0, 0), False, False),  # the same number, but none is shown
        ((1, 9), (0, 0), True, False),
        ((0, 0), (1, 9), False, False),
        ((3, 5), (1, 2), True, False),
        ((1, 3), (3, 5), False, None),
        ((1, 4), (3, 5), None, None),
        ((3, 5), (1, 3), None, None),
        ((1, 9), (1, 9), None, None),
    ],
)
def test_what_bounds_tell_of_two_numbers(
    one: tuple[float, float], two: tuple[float, float], ahead: bool | None, same: bool | None
) -> None:
    assert _ahead(one, two) is ahead
    assert _same(one, two) is _same(two, one) is same


@pytest.mark.parametrize(("option", "expected"), [("0", False), ("1", None), ("two", None)])
def test_things_that_are_not_counted_are_at_least_one(option: str, expected: bool | None) -> None:
    cup = SceneObject(0, "cup", (0, 0, 9, 9), 81)
    uncounted = Scene("some", b"", 99, 99, (cup,), known=frozenset({"cup"}))
    assert choice("How many cups are there in all images together?", option, [uncounted]) is expected
    assert choice(f"Which image shows exactly {option} cups?", "Image 1", [uncounted]) is expected


@pytest.mark.parametrize(("word", "answer"), [("more", "B"), ("fewer", "A")])
def test_from_presence_an_image_without_any_has_fewer(word: str, answer: str) -> None:
    cup = SceneObject(0, "cup", (0, 0, 9, 9), 81)
    without, with_cups = (
        Scene(name, b"", 99, 99, things, known=frozenset({"cup"}), countable=frozenset({"cup"}))
        for name, things in (("none", ()), ("some", (cup,)))
    )
    question = Question(
        "q",
        question=f"Which image shows {word} cups, Image 1 or Image 2?",
        answer=answer,
        kind="multiple_choice",
        choices=("Image 1", "Image 2", "Both show the same number", "Neither shows any"),
        images=(),
        scene_ids=("none", "some"),
    )
    assert left_open(question, [without, with_cups], VIEWS["presence"]) == (answer,)


@pytest.mark.parametrize("phrase", ["cup to the left of a bowl", "bowl to the left of a cup"])
def test_a_relation_to_an_absent_object_is_false_whatever_is_known_of_the_other(phrase: str) -> None:
    empty = Scene("empty", b"", 99, 99, (), known=frozenset({"cup"}))
    assert holds(phrase, empty) is False


def _sides(name: str, cups: int, is_left: bool) -> Scene:
    """Return an image with cups to the left or right of a bowl."""
    boxes = [(float(10 * i + (0 if is_left else 60)), 0.0, 9.0, 9.0) for i in range(cups)]
    things = (
        *(SceneObject(i, "cup", box, 81) for i, box in enumerate(boxes)),
        SceneObject(9, "bowl", (45, 0, 9, 9), 81),
    )
    both = frozenset({"cup", "bowl"})
    return Scene(name, b"", 99, 99, things, known=both, countable=both)


def _figures(kind: str, more_if_true: int) -> Figures:
    """Return the figures of 40 questions; images where the fact is true have more cups, or fewer, if asked to."""
    figures, phrase = Figures(), "cup to the left of a bowl"
    for number in range(40):
        true_in = number % 4 if kind == "P5" or number % 2 else None
        usual = 2 + (0 if more_if_true else number % 3)
        scenes = [_sides(f"{number}-{i}", usual + more_if_true * (i == true_in), i == true_in) for i in range(4)]
        choice_of_image = {
            "kind": "multiple_choice",
            "choices": (*(f"Image {i}" for i in range(1, 5)), "None of the above"),
        }
        form = choice_of_image if kind == "P5" else {"kind": "yes_no"}
        answer = "ABCD"[true_in or 0] if kind == "P5" else "no" if true_in is None else "yes"
        text = f"Which image shows a {phrase}?" if kind == "P5" else f"Is there a {phrase} in any of the images?"
        question = Question(
            f"q{number}", question=text, answer=answer, images=(), question_type=kind, pressure="easy",
            benchmark="mioh", pair_id=f"q{number}", scene_ids=tuple(scene.id for scene in scenes), **form,
        )  # fmt: skip
        add(figures, question, scenes)
    return figures


@pytest.mark.parametrize("kind", ["P5", "P1"])
@pytest.mark.parametrize("more_if_true", [1, -1])
def test_a_split_that_counting_answers_is_refused(kind: str, more_if_true: int) -> None:
    most, fewest = "most instances", "fewest instances"
    figures = _figures(kind, more_if_true)
    assert figures["unbound"][kind, "easy"].share == pytest.approx(0.25 if kind == "P5" else 0.5)
    view = most if more_if_true > 0 else fewest
    assert figures[view][kind, "easy"].share == pytest.approx(1)
    assert f"{kind} easy: an oracle restricted to {view} reaches 100.0 % of 40 questions" in " ".join(leaks(figures))


@pytest.mark.parametrize("kind", ["P5", "P1"])
def test_equal_numbers_in_the_images_of_a_question_say_nothing(kind: str) -> None:
    figures = _figures(kind, 0)
    assert figures["most instances"][kind, "easy"].share == pytest.approx(0.25 if kind == "P5" else 0.5, abs=0.1)
    assert not [line for line in leaks(figures) if "instances" in line]


def test_two_named_images_are_compared() -> None:
    """Three cups of which one is red in Image 1, and a red one in Image 3: 3 × 1 and 1 × 1 pairs."""
    red, plain = (SceneObject(0, "cup", (0, 0, 9, 9), 81, attributes=own) for own in ((("colour", "red"),), ()))
    words = frozenset({"cup"})
    scenes = [Scene(str(i), b"", 99, 99, own, known=words) for i, own in enumerate([(red, plain, plain), (), (red,)])]
    text, choices = "Which of Image 1 and Image 3 shows a red cup?", ("Both", "Neither", "Image 1", "Image 3")
    question = Question("q", images=(), question=text, answer="A", kind="multiple_choice", choices=choices)
    assert _numbers(question, scenes) == {"A": [0], "B": [0], "C": [2], "D": [-2]}


def test_carriers_of_a_value_are_counted_without_their_owners() -> None:
    """Images with the red cup have two red things, the others one."""
    figures, known, names = Figures(), frozenset({"colour"}), frozenset({"cup", "hat", "toy"})
    red = (("colour", "red"),)
    for number in range(20):
        scenes = []
        for place in range(4):
            reds = {"cup", "hat"} if place == number % 4 else {"hat"}
            things = tuple(
                SceneObject(i, name, (0, 0, 9, 9), 81, attributes=red * (name in reds), known_attributes=known)
                for i, name in enumerate(sorted(names))
            )
            scenes.append(Scene(f"{number}-{place}", b"", 99, 99, things, known=names, countable=names))
        question = Question(
            f"q{number}", question="Which image shows a red cup?", answer="ABCD"[number % 4], kind="multiple_choice",
            images=(), choices=("Image 1", "Image 2", "Image 3", "Image 4", "None of the above"), question_type="A5",
            pressure="hn", benchmark="mioh", scene_ids=tuple(scene.id for scene in scenes),
        )  # fmt: skip
        add(figures, question, scenes)
    assert figures["unbound"]["A5", "hn"].share == pytest.approx(0.25)
    assert figures["most instances"]["A5", "hn"].share == 1
    assert any(line.startswith("A5 hn: an oracle restricted to most instances") for line in leaks(figures))


def reached(yes: list[float], no: list[float]) -> Reached:
    """Return four questions with three right, each with a score if it is ranked."""
    texts = {f"{is_no}{n}": (is_no, score) for is_no, own in ((False, yes), (True, no)) for n, score in enumerate(own)}
    return Reached(4, 3.0, 2.5, 3.5, texts)


def test_an_accuracy_is_of_answers_or_of_ranks() -> None:
    plain = reached([], [])
    assert (plain.share, plain.bound) == (0.75, 0.875)
    assert plain.error == pytest.approx(((2.5 / 4 - 0.5625) / 4) ** 0.5)
    assert reached([1.0], []).share == reached([], [1.0]).share == 0.75  # nothing to compare with
    ranked = reached([3.0, 2.0], [2.0, 1.0, 0.0])
    assert ranked.share == pytest.approx(5.5 / 6)
    assert reached([2.0, 1.0, 0.0], [3.0, 2.0]).share == pytest.approx(5.5 / 6)  # the likelier answer, either way
    assert ranked.error == pytest.approx((6 / 72) ** 0.5)
    one_sided = reached([1.0, 1.0], [])
    assert one_sided.error == pytest.approx(((2.5 / 4 - 0.5625) / 2) ** 0.5)  # of two texts


def test_cells_are_pooled_text_by_text() -> None:
    both = reached([3.0], [1.0]) + Reached(1, 0.5, 0.25, 1.0, {"other": (True, 4.0)})
    assert (both.number, both.right, both.squares, both.best) == (5, 3.5, 2.75, 4.5)
    assert both.share == 0.5
    assert len((both + both).texts) == 3


def test_a_table_has_a_row_per_type_or_per_cell_with_its_error() -> None:
    figures = {"unbound": {("A1", "hn"): reached([], []), ("A1", "easy"): Reached(2, 1.0, 0.5, float("nan"))}}
    assert table(figures) == [["type", "questions", "unbound"], ["A1", "6", "66.7"]]
    assert cell_table(Path(), stored(figures))[1:] == [
        ["A1 easy", "2", "50.0"],  # a guess between two answers, without exception
        ["A1 hn", "4", "75.0 ± 24.5 (bound 88)"],
    ]
