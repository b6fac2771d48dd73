"""Which words of a caption claim that a thing is there, as a careful reader would say; labelled by hand."""

import gc
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.language.captions.assertions import claims
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.schema import Record
from vhbench.tasks.metrics import chair, ode_captions

THINGS = (
    "person man woman boy girl child people driver lady/car cab/bus/train/truck/bicycle bike/boat/airplane/bench/bird/"
    "cat kitten/dog puppy/horse/sheep/cow/elephant/bear/zebra/backpack/bag/umbrella/tie/suitcase/frisbee/ski/ball/kite/"
    "skateboard/racket/bottle/cup/fork/knife/spoon/bowl/banana/apple/sandwich/orange/pizza/donut/cake/chair seat/"
    "couch sofa/bed/toilet/tv television monitor/laptop/mouse/remote/keyboard/phone/microwave/oven/sink/"
    "refrigerator fridge/book/clock/vase"
)
WORDS = Vocabulary.build(
    [
        *(line.split() for line in THINGS.split("/")),
        ["dining table", "table", "desk"],
        *([name] for name in ("hot dog", "teddy bear", "traffic light")),
    ]
)
LINES = [
    line
    for line in Path(__file__).with_name("captions.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
MARKED = re.compile(r"\{([^}]*)\}|\[([^\]]*)\]")


def labelled(line: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a sentence without marks, and start and words of each claim in it."""
    text, claimed, start = "", [], 0
    for mark in MARKED.finditer(line):
        text += line[start : mark.start()]
        if mark[1]:
            claimed.append((len(text), mark[1]))
        text += mark[1] or mark[2]
        start = mark.end()
    return text + line[start:], claimed


def test_labelled_sentences() -> None:
    misread = {}
    for line in LINES:
        text, claimed = labelled(line)
        found = [(one.start, text[one.start : one.end]) for one in claims(text, WORDS)]
        if found != claimed:
            misread[line] = found
    assert misread == {}


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("<think>A dog? A horse?</think>A cat on a couch.", ["cat", "couch"]),
        ("<think>There is a dog and a", []),
        ("**Caption:** A *dog* on a bed.", ["dog", "bed"]),
        ('"A dog on a couch."', ["dog", "couch"]),
        ("A sign says “Dog”. A cat sits below it.", ["cat"]),
        ("There isn’t a dog, but there’s a cat.", ["cat"]),
        ("The stuffed bear lies beside a teddy bear.", ["teddy bear", "teddy bear"]),
        ("No dogs", []),
        ("", []),
    ],
)
def test_thoughts_markup_and_signs(text: str, claimed: list[str]) -> None:
    found = claims(text, WORDS)
    assert [one.word for one in found] == claimed
    for one in found:
        assert one.word in (text[one.start : one.end].lower(), "teddy bear")


@given(st.lists(st.sampled_from([line.translate({ord(c): None for c in "[]{}"}) for line in LINES]), max_size=4))
def test_a_claim_is_a_word_of_the_vocabulary_where_it_stands(lines: list[str]) -> None:
    text = "\n".join(lines)
    places = {(one.start, one.end) for one in WORDS.find(text)}
    found = claims(text, WORDS)
    assert all((one.start, one.end) in places or "<" in text for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)


@pytest.mark.parametrize("unit", ["no dog ", "a dog. ", "dog ", '"dog" ', "dog or a cat ", "as like as ", "statue of "])
def test_a_runaway_caption_is_read_at_once(unit: str) -> None:
    gc.collect()  # what other tests left behind is not collected while the clock runs
    start = time.process_time()
    claims(unit * (1_000_000 // len(unit)), WORDS)
    assert time.process_time() - start < 1


def test_chair_counts_claims_and_the_reference_counts_words() -> None:
    rows, gold = [{"image_id": 1, "caption": "A dog. There is no cat, and a statue of a horse."}], {1: ["dog"]}
    words = {"dog": (), "cat": (), "horse": ()}
    assert chair.score(rows, gold, synonyms=words)["CHAIR_i"] == 0.0
    assert chair.score(rows, gold, synonyms=words, compat=True)["CHAIR_i"] == 2 / 3


def rates(text: str, objects: list[str], *others: str) -> dict[str, object]:
    vocabulary = dict.fromkeys((*objects, *others), ())
    return ode_captions.score([Record("1", response=text, objects=tuple(objects))], vocabulary=vocabulary)


def test_a_word_for_a_kind_covers_the_thing_and_is_not_judged() -> None:
    found = rates("A man walks a puppy.", ["person", "dog"], "man")
    assert (found["cover"], found["chair_i"], found["counters"]["mentions"]) == (1.0, 0.0, 1)  # type: ignore[index]
    assert rates("Two people.", ["man", "woman"], "person")["cover"] == 1.0
    assert rates("A woman.", ["dog"], "woman")["chair_s"] == 1.0


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("A man sits on a motorcycle. The bike is parked.", ["motorcycle", "motorcycle"]),
        ("Small scooters and larger, more powerful bikes.", ["motorcycle"]),
        ("There are motorcycles and bikes.", ["motorcycle", "bicycle"]),
        ("Bikes, motorcycles and a bus.", ["bicycle", "motorcycle"]),
        ("A motorcycle beside two cyclists on bikes.", ["motorcycle", "bicycle"]),
        ("A boy rides a bike.", ["bicycle"]),
        ("A cupcake with frosting and a pink bow.", []),
        ("A bear that wears a bow.", ["tie"]),
        ("A bus with 'motorcycle' on it.", []),
        ('A bus with "motorcycle" on it.', []),
        ("A motorcycle is parked, and the rider's away.", ["motorcycle"]),
        ("They train here. A train passes.", ["train"]),
        ("You can see a can. The train can stop.", ["can", "train"]),
        ("A motorcycle can be seen near two cans.", ["motorcycle", "can"]),
        ("A red can and a soda can.", ["can", "can"]),
        ("We will train a dog.", []),
        ("The cyclist can train beside a train.", ["train"]),
        ("A coach trains the team near trains.", ["train"]),
        ("Trains the size of a bus; two trains a day; he is watching trains the whole day.", ["train"] * 3),
    ],
)
def test_words_mean_what_the_caption_speaks_of(text: str, things: list[str]) -> None:
    words = Vocabulary.build([["bicycle", "bike"], ["motorcycle"], ["tie", "bow"], ["can"], ["train"]])
    assert [one.node for one in claims(text, words)] == things


def test_what_a_scene_has_under_several_names_counts_once_in_cover() -> None:
    assert rates("A beach.", ["beach", "sand", "sea", "water", "sky"])["cover"] == 0.5
    assert rates("The sea under a blue sky.", ["beach", "sand", "sea", "water", "sky"])["cover"] == 1.0
    assert rates("A lake.", ["lake", "dog"])["cover"] == 0.5


def test_what_is_not_claimed_earns_nothing_in_cover_either() -> None:
    found = rates("Perhaps a dog. No cat.", ["dog"], "cat")
    assert (found["cover"], found["chair_i"]) == (0.0, None)


def test_common_words_of_environments_are_understood() -> None:
    text = "A lawn with trees beside a highway, a countertop with a stove and a faucet, the ocean and a dock."
    words = dict.fromkeys(("grass", "tree", "road", "counter", "oven", "tap", "sea", "pier"), ())
    nodes = [one.node for one in claims(text, ode_captions.matcher(words))]
    assert nodes == ["grass", "tree", "road", "counter", "oven", "tap", "sea", "pier"]
