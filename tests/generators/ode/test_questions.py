"""Questions about scenes made by hand: each text, each answer, and what is not asked."""

from dataclasses import replace
from typing import Any

import pytest

from vhbench.generators.ode import questions
from vhbench.generators.ode.balancing import Choice
from vhbench.generators.ode.prompts import ImagePlan
from vhbench.generators.ode.questions import Picture, attribute, existence, relation, rows
from vhbench.schema import Relation, Scene, SceneObject

KNOWN = frozenset({"man", "dog", "cup", "cat", "boat", "street", "kitchen", "beach"})


def thing(number: int, word: str, known: str = "", **attributes: str) -> SceneObject:
    sure = frozenset(known.split()) if known else frozenset(attributes)
    return SceneObject(number, word, (0, 0, 1, 1), 1, attributes=tuple(attributes.items()), known_attributes=sure)


def picture(*things: SceneObject, targets: tuple[str, ...] = ("dog", "kitchen"), **options: Any) -> Picture:
    own = {"environment": "kitchen", "areas": ("kitchen",), "known": KNOWN, "countable": KNOWN}
    scene = Scene("s", b"image", 9, 9, things, **{**own, **{k: options.pop(k) for k in {*options} & {*FIELDS}}})
    case = ImagePlan("random", options.pop("pairing", "ev"), 0, 0, targets)
    return Picture(case, scene, targets, options.pop("likely", ("cat",)), **options)


FIELDS = ("environment", "areas", "known", "countable", "environment_state", "relations")
DOG, CUP = thing(1, "dog", action="sitting", colour="brown"), thing(2, "cup", colour="red")


def told(choices: Any, question_type: str = "") -> list[tuple[str, str, dict[str, str]]]:
    return [
        (one.about, one.yes, dict(one.noes))
        for one in choices
        if not question_type or one.question_type == question_type
    ]


def test_existence_asks_about_each_target_and_what_is_absent() -> None:
    asked = picture(DOG, CUP, likely=("cat", "beach"), elsewhere=("boat", "dog", "street", "unicorn"))
    things = {"cat": "Is there a cat in the image?", "boat": "Is there a boat in the image?"}
    places = {word: f"Does the image show a {word}?" for word in ("beach", "street")}
    found = list(existence(asked))
    assert told(found) == [
        ("dog", "Is there a dog in the image?", things),
        ("kitchen", "Does the image show a kitchen?", places),
    ]
    assert [(one.question_type, one.scene, one.word, one.spare) for one in found] == [
        ("existence", "s", "dog", ("cat",)),
        ("place", "s", "kitchen", ()),
    ]
    assert told(existence(replace(asked, targets=("cat", "kitchen")))) == told(found[1:])  # the cat is not there


def test_a_place_that_is_an_area_is_asked_about_as_a_place() -> None:
    for options in ({"environment": "", "areas": ("street",)}, {"environment": "street", "areas": ()}):
        made = picture(DOG, targets=("dog", "street"), likely=("cat", "beach"), **options)
        scene = replace(made.scene, areas=("street",))
        assert [one.question_type for one in existence(replace(made, scene=scene))] == ["existence", "place"]
    # Words that are no setting are objects also where nothing but places is absent.
    made = picture(DOG, CUP, targets=("dog", "cup"), pairing="ee", likely=("beach",))
    assert told(existence(made)) == [
        (word, f"Is there a {word} in the image?", {"beach": "Does the image show a beach?"}) for word in ("dog", "cup")
    ]
    spare = [one.spare for one in existence(made)]
    assert spare == [("beach",), ("beach",)]
    assert [one.spare for one in existence(replace(made, case=replace(made.case, pairing="ev")))] == [("beach",), ()]


def test_colours_actions_and_numbers_are_asked_about_where_all_share_them() -> None:
    found = told(attribute(picture(DOG, deeds={"dog": frozenset({"running", "standing"})})))
    colours, action, number = found
    assert (colours[0], colours[1]) == ("dog", "Is the dog in the image brown?")
    assert "Is the dog in the image blue?" in colours[2].values()
    assert "brown" not in colours[2]
    assert (action[1], set(action[2])) == ("Is the dog in the image sitting?", {"running", "standing"})
    assert action[2]["running"] == "Is the dog in the image running?"
    assert number == (
        "dog",
        "Is there exactly one dog in the image?",
        {
            str(n): f"Are there exactly {word} dogs in the image?"
            for n, word in enumerate(("two", "three", "four", "five"), 2)
        },
    )
    two = told(attribute(picture(DOG, replace(DOG, id=3))), "action")
    assert [text for _, text, _ in two] == ["Are the two dogs in the image sitting?"]
    unlike = thing(3, "dog", action="running", colour="brown")
    assert [one.question_type for one in attribute(picture(DOG, unlike))] == ["state", "number"]
    unknown = thing(3, "dog", "colour", action="sitting", colour="brown")
    assert [one.question_type for one in attribute(picture(DOG, unknown))] == ["state", "number"]


def test_what_is_ambiguous_or_would_leak_is_not_asked() -> None:
    many = [replace(DOG, id=number) for number in range(6)]
    assert told(attribute(picture(*many))) == []
    assert told(attribute(picture(*many[:5])), "number")[0][1] == "Are there exactly five dogs in the image?"
    assert told(attribute(picture(*many[:5])), "state")[0][1] == "Are the five dogs in the image brown?"
    assert told(attribute(picture(DOG, single=frozenset({"dog"}))), "number") == []
    man = thing(1, "man", action="jumping", colour="red")
    assert told(attribute(picture(man, targets=("man",)))) == told(attribute(picture(man, targets=("man",))), "number")
    sitting = picture(thing(1, "man", action="sitting", colour="red"), targets=("man",))
    assert [one.question_type for one in attribute(sitting)] == ["action", "number"]  # their clothes are red
    assert [one.question_type for one in attribute(replace(sitting, exact=False))] == ["number"]
    umbrella = thing(1, "umbrella", state="open")
    assert told(attribute(picture(umbrella, targets=("umbrella",))), "state") == [
        ("umbrella state", "Is the umbrella in the image open?", {"closed": "Is the umbrella in the image closed?"})
    ]


def test_detected_things_are_counted_too() -> None:
    asked = picture(DOG, CUP, exact=False)
    assert [about for about, *_ in told(attribute(asked), "number")] == ["dog", "cup"]
    assert [about for about, *_ in told(attribute(replace(asked, exact=True)), "number")] == ["dog"]


@pytest.mark.parametrize(
    ("state", "yes", "noes"),
    [
        ("sunny", "Is it a sunny day in the image?", ["night", "overcast"]),
        ("night", "Is it night in the image?", ["sunny"]),
        ("gloomy", "Is the sky overcast in the image?", ["night", "sunny"]),
    ],
)
def test_the_weather_is_asked_about_under_the_sky(state: str, yes: str, noes: list[str]) -> None:
    asked = picture(environment="park", areas=("sky",), environment_state=state, targets=())
    [(about, text, wrong)] = told(attribute(asked))
    assert (about, text, list(wrong)) == ("weather", yes, noes)
    assert list(attribute(picture(areas=(), environment_state=state, targets=()))) == []
    assert list(attribute(replace(asked, exact=False))) == []


def test_relations_of_single_objects_are_asked_with_their_opposites() -> None:
    held = (Relation(1, "left of", 2), Relation(2, "above", 1), Relation(1, "next to", 2), Relation(1, "below", 3))
    made = picture(DOG, CUP, relations=held)
    assert told(relation(made)) == [
        (
            "dog left of cup",
            "Is the dog to the left of the cup in the image?",
            {"to the right of": "Is the dog to the right of the cup in the image?"},
        ),
        (
            "cup above dog",
            "Is the cup above the dog in the image?",
            {"below": "Is the cup below the dog in the image?"},
        ),
    ]
    assert [one.spare for one in relation(made)] == [("to the right of",), ("below",)]
    assert told(relation(picture(DOG, CUP, replace(CUP, id=3), relations=held))) == []


def test_rows_have_ids_pairs_and_what_is_neutral() -> None:
    asked = picture(DOG, likely=("cat",))
    made = [
        row.question for row in rows([asked], seed=1, version="2.0.0", source="x", vocabulary=("hat", "dog", "cat"))
    ]
    caption, yes, no = made[:3]
    assert (caption.id, caption.kind, caption.answer, caption.pair_id) == ("s/caption//", "caption", "", "s")
    assert (caption.neutral, caption.objects, caption.candidates) == (("hat",), ("dog", "kitchen"), ("cat",))
    assert caption.question == "Please describe this image."
    assert (yes.id, yes.answer, yes.pair_id) == ("s/existence/dog/yes", "yes", "s/existence/dog")
    assert (no.id, no.question, no.answer) == ("s/existence/dog/no", "Is there a cat in the image?", "no")
    assert (no.pair_id, no.neutral, no.kind, no.task) == ("s/existence/dog", (), "yes_no", "existence")
    assert {one.task for one in made} == {"caption", "existence", "attribute"}
    configs = {row.config for row in rows([asked], seed=1, version="2.0.0", source="x", levels=("caption", "relation"))}
    assert configs == {"ode_random_caption"}


def test_of_few_images_words_are_drawn_and_a_choice_without_any_is_dropped() -> None:
    def choice(scene: str, *words: str) -> Choice:
        return Choice(scene, "existence", "dog", "dog", "?", dict.fromkeys(words, "?"), ())

    assert questions._chosen([choice("a")], 0) == [""]
    drawn = {questions._chosen([choice("a", "cat", "boat"), choice("b")], seed)[0] for seed in range(20)}
    assert drawn == {"cat", "boat"}
    assert questions._chosen([choice(name, "cat") for name in "abc"], 0) == [""] * 3  # nothing balances them
