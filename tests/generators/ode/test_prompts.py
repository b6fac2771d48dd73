"""Prompts in plain English: each environment with its preposition, no raw verb, nothing that sits and lies at once."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import golden_prompts
import pytest

from vhbench.builds.ode_source_vocabulary import DrawnWorld, OpenWorld
from vhbench.generators.ode import amber_graph, attribute_words, criteria, environments, prompts
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.prompts import ImagePlan
from vhbench.schema import ObjectSpec, SceneSpec

PAIRS = 40


@pytest.fixture(scope="module")
def amber(reference: Path) -> ConceptGraph:
    return amber_graph.from_amber(reference / "AMBER")


def specs(graph: ConceptGraph, seed: int) -> Iterator[SceneSpec]:
    """Yield what 40 pairs of each criterion and pairing ask for."""
    world = OpenWorld(graph)
    for criterion in criteria.CRITERIA:
        for pairing in ("ee", "ev"):
            pairs = criteria.candidates(criteria.PairPool(graph, pairing, seed=seed), criterion)[:PAIRS]
            for rank, pair in enumerate(pairs):
                yield prompts.spec(ImagePlan(criterion, pairing, rank, 0, tuple(pair)), graph, world, seed=seed)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_prompts_of_ambers_graph_are_english_and_free_of_contradiction(amber: ConceptGraph, seed: int) -> None:
    raw = {word for word, _ in attribute_words.WORDS if attribute_words.attribute(word, "", "state").bodily}
    raw -= {found.text for found in attribute_words.WORDS.values()}
    raw = {word for word in raw if not word.endswith("ing")} - {"park", *amber}  # places and things, too
    bodily = {found.text for found in attribute_words.WORDS.values() if found.bodily}
    asked = list(specs(amber, seed))
    assert len(asked) == 2 * len(criteria.CRITERIA) * PAIRS
    for spec in asked:
        text = spec.prompt.split(":")[0]
        assert not re.search(r"\bin (the|a) (floor|ground|wall|road|street|beach|stage|track|pier)\b", text), text
        assert not re.search(rf"\b({'|'.join(map(re.escape, sorted(raw)))})\b", text), text
        assert not re.search(r"\b(\w+),? \1\b", text.replace("orange orange", "")), text
        assert not re.search(r"\ba [aeio]|\ban [^aehiou]", text, re.IGNORECASE), text
        assert not re.search(r"\b(sunny|overcast|gloomy|stormy) (snow|grass|sand|ground)", text), text
        assert not ("sun " in text and re.search(r"night|dark|overcast|gloomy|stormy", text)), text
        assert not (re.search(r"\b(moon|star)\b", text) and "sunny" in text), text
        assert not re.search(r"\b[Tt]wo [^,]*\b(its|a bicycle|a horse|a car)\b", text.split(" and ")[0]), text
        assert not re.search(
            r"\b(clouds?|sun|rainbows?) (on|in|at|by) (?!the.* (sky|floor)|an? .*wall|a stage)", text
        ), text
        assert not re.search(r"(black|green) snow\b|wet desert|dense tree|short house|pale.* sunny", text), text
        for thing in spec.objects:
            looks = [thing.colour, *thing.state.split(", ")]
            kinds = [attribute_words.kind_of(look) for look in looks if look]
            assert len(kinds) == len(set(kinds)), text
            assert thing.state not in bodily, text
            assert thing.action == "" or thing.action in bodily, text


@pytest.mark.parametrize(
    ("words", "held"),
    [
        (("star", "floor"), True),
        (("cloud", "wall"), True),
        (("sun", "kitchen"), True),
        (("coffee", "water"), True),
        (("coffee", "lake"), False),
        (("sun", "sea"), False),
        (("dog", "floor"), False),
        (("sun", "star"), False),
    ],
)
def test_what_is_never_seen_in_a_place_is_no_pair(words: tuple[str, str], held: bool) -> None:
    assert prompts.is_contradictory(words) == held


def test_every_environment_of_amber_has_its_preposition() -> None:
    names = {amber_graph.NAMES.get(word, word) for word in amber_graph.ENVIRONMENTS}
    assert environments.PLACES.keys() >= names


@pytest.mark.parametrize(
    ("thing", "place", "state", "said"),
    [
        (ObjectSpec("person", action="running"), "sky", "", "A person running under the sky"),
        (ObjectSpec("kite", action="flying"), "sky", "gray", "A kite flying in the gray sky"),
        (ObjectSpec("cat", action="lying"), "floor", "tiled", "A cat lying down on the tiled floor"),
        (ObjectSpec("car", colour="red", action="parked"), "road", "", "A parked red car on a road"),
        (
            ObjectSpec("tree", state="with falling leaves"),
            "airport",
            "busy",
            "A tree with falling leaves at a busy airport",
        ),
        (ObjectSpec("dog", 2, action="raising its head"), "grass", "", "Two dogs raising their heads on grass"),
        (ObjectSpec("lion", 2, action="with its mouth open"), "", "", "Two lions with their mouths open"),
        (ObjectSpec("person", 2, action="riding a bicycle"), "", "", "Two people riding bicycles"),
        (ObjectSpec("person", action="riding a bicycle"), "", "", "A person riding a bicycle"),
        (ObjectSpec("cloud", 2), "sea", "calm", "Two clouds over the calm sea"),
        (ObjectSpec("rainbow"), "mountain", "", "A rainbow over a mountain"),
        (ObjectSpec("sun"), "sky", "white", "The sun in the white sky"),
        (ObjectSpec("cloud"), "kitchen", "", "A cloud in a kitchen"),
        (ObjectSpec("bird"), "grass", "", "A bird on grass"),
        (ObjectSpec("cup", 2), "street", "at night", "Two cups on a street at night"),
        (ObjectSpec("dog"), "grass", "lush", "A dog on lush grass"),
        (ObjectSpec("dog"), "snow", "sunny", "A dog in snow on a sunny day"),
        (ObjectSpec("table", 2, colour="brown", state="wooden"), "park", "", "Two brown wooden tables in a park"),
        (ObjectSpec("laptop", colour="black", state="open"), "pier", "", "An open black laptop on a pier"),
    ],
)
def test_a_prompt_in_words(thing: ObjectSpec, place: str, state: str, said: str) -> None:
    assert prompts.prompt([thing], place, state) == f"{said}: {prompts.QUALITY}"


def test_where_the_graph_tells_nothing_things_have_a_colour_places_a_weather_and_animals_a_posture(
    amber: ConceptGraph,
) -> None:
    world = OpenWorld(amber)  # which has no attributes of these
    assert ("purple", "purple") in prompts._looks(amber, "guitar", world)
    assert prompts._deeds(amber, "camel", world) == [
        (said,) * 2 for said in ("standing", "walking", "running", "lying")
    ]
    assert prompts._looks(amber, "pier", world) == [(said,) * 2 for said in ("sunny", "overcast", "at night")]
    assert prompts._looks(amber, "stage", world) == prompts._looks(amber, "eagle", world) == []
    assert prompts._looks(amber, "guitar", DrawnWorld(amber)) == []


def test_nobody_rides_or_drives_another_of_what_is_to_be_seen(amber: ConceptGraph) -> None:
    world = OpenWorld(amber)
    for other, deed in (("car", "driving a car"), ("bicycle", "riding a bicycle"), ("tree", "climbing a tree")):
        for seed in range(20):
            for who in ("person", "child", "woman"):
                spec = prompts.spec(ImagePlan("random", "ee", 0, 0, (who, other)), amber, world, seed=seed)
                assert spec.objects[0].action != deed, spec.prompt


def test_of_each_two_turns_one_shows_one_and_the_other_two(amber: ConceptGraph) -> None:
    world = OpenWorld(amber)
    for turn in range(0, 12, 2):
        cases = [ImagePlan("random", "ee", 7 * turn + i, 0, ("cup", "bottle"), turn + i) for i in (0, 1)]
        counts = [[thing.count for thing in prompts.spec(c, amber, world, seed=3).objects] for c in cases]
        assert [sorted(each) for each in zip(*counts, strict=True)] == [[1, 2], [1, 2]]


def test_states_are_dealt_in_turn_to_whatever_can_be_drawn_in_them(amber: ConceptGraph) -> None:
    dealt: Counter[str] = Counter()
    pictures = [("door", "dog"), ("umbrella", "candle"), ("book", "beach"), ("dog", "candle")]
    found = [prompts.deal_states(words, DrawnWorld(amber), dealt) for words in pictures]
    assert found == [("closed", ""), ("open", "lit"), ("closed", ""), ("", "unlit")]
    assert set(prompts.deal_states(("door", "candle"), OpenWorld(amber), dealt)) == {""}, "a prompt asks for any word"


def test_what_was_dealt_is_asked_for_beside_a_colour(amber: ConceptGraph) -> None:
    for state in ("open", "closed"):
        plan = ImagePlan("standard", "ee", 0, 0, ("door", "dog"), states=(state, ""))
        door, dog = prompts.spec(plan, amber, DrawnWorld(amber), seed=4).objects
        assert (door.state, dog.state) == (state, "")
        assert f"{state} {door.colour}".strip() in prompts.phrase(door)


def test_what_is_drawn_of_ambers_words(amber: ConceptGraph) -> None:
    world = DrawnWorld(amber)
    shown = {word: prompts._deeds(amber, word, world) for word in amber}
    assert ("standing", "sitting") in shown["cat"]
    assert sum(map(len, shown.values())) >= 100


def test_every_specification_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the digests where prompts are to change, which changes hashes of splits."""
    assert golden_prompts.specs() == golden_prompts.golden()
