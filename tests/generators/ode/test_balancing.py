"""Each asked word is as often right as wrong, as far as the pictures allow."""

from ast import literal_eval
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vhbench.builds.ode_source_vocabulary import OpenWorld
from vhbench.generators.ode import graph_sources
from vhbench.generators.ode.balancing import Choice, balanced
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.shards import Recipe, Share, make
from vhbench.protocols import Detection
from vhbench.schema import Rejection, Row, Scene, SceneSpec
from vhbench.seeding import rng


def choice(scene: int, word: str, *noes: str, spare: tuple[str, ...] = ()) -> Choice:
    return Choice(f"s{scene}", "existence", word, word, f"Is there a {word}?", {no: no for no in noes}, spare)


def of(choices: list[Choice]) -> list[str]:
    return balanced(choices, np.random.default_rng(0))


def test_by_hand() -> None:
    assert of([choice(0, "dog", "cat", "cup"), choice(1, "cat", "cup", "dog")]) == ["cat", "dog"]
    assert of([choice(0, "dog", "cat"), choice(1, "cat", "cup"), choice(2, "cup", "dog")]) == ["cat", "cup", "dog"]
    # Nobody asks after a dog where there is none, so that it would always be right: better not asked.
    assert of([choice(0, "dog", "cat"), choice(1, "cat", "cup")]) == ["", ""]
    # One, one, one, two: each number as often right as wrong, and two of the ones are left out.
    numbers = [choice(i, n, *{"1", "2", "3"} - {n}) for i, n in enumerate("1112")]
    assert Counter(of(numbers)) == {"": 2, "1": 1, "2": 1}
    assert of([]) == []


def test_of_two_things_in_one_picture_the_same_may_be_wrong() -> None:
    cup = Choice("a", "number", "cup", "1", "One cup?", {"2": "Two cups?"})
    bowl = Choice("a", "number", "bowl", "1", "One bowl?", {"2": "Two bowls?"})
    pans = [Choice("b", "number", name, "2", f"Two {name}s?", {"1": f"One {name}?"}) for name in ("pan", "pot")]
    assert of([cup, bowl, *pans]) == ["2", "2", "1", "1"]


def test_what_goes_together_most_is_preferred() -> None:
    table = [choice(0, "dog", "cat", "cup"), choice(1, "cup", "dog", "cat"), choice(2, "cat", "cup", "dog")]
    assert of(table) == ["cat", "dog", "cup"]


def test_spare_words_are_those_that_are_right_more_often_than_wrong() -> None:
    alone = [choice(0, "dog", "cup", "cat", spare=("cup", "cat")), choice(1, "cat", "cup", spare=("cup",))]
    assert of(alone) == ["cat", "cup"]
    twice = [choice(0, "dog", "cup", "bus", spare=("cup", "bus")), choice(0, "cat", "cup", "bus", spare=("cup", "bus"))]
    assert sorted(of(twice)) == ["bus", "cup"]  # a picture is asked after each once


@given(st.lists(st.tuples(st.integers(0, 4), st.sets(st.integers(0, 4))), max_size=12))
def test_without_spare_words_each_word_is_as_often_right_as_wrong(drawn: list[tuple[int, set[int]]]) -> None:
    choices = [choice(i // 2, str(w), *sorted(str(n) for n in noes - {w})) for i, (w, noes) in enumerate(drawn)]
    words = of(choices)
    asked = [(c, word) for c, word in zip(choices, words, strict=True) if word]
    assert Counter(c.word for c, _ in asked) == Counter(word for _, word in asked)
    assert all(word in c.noes for c, word in asked)
    assert len({(c.scene, word) for c, word in asked}) == len(asked)


class Painter:
    """Paints what is asked for, and now and then more people or cups; whoever painted it can tell what is where."""

    name = "painter"
    exact = False

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        for spec in specs:
            random = rng(seed, spec.id)
            shown = [(thing.category, thing.count) for thing in spec.objects]
            shown += [(word, int(random.integers(1, 4))) for word in ("person", "cup") if random.random() < 0.5]
            told = repr(dict(reversed(shown)) | {"": spec.environment}).encode()
            yield Scene(f"{spec.id}-{seed}", told, 512, 512, objects=())


class Eye:
    """Sees it."""

    name = "eye"

    def knows(self, word: str) -> bool:
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        return [[*self._seen(literal_eval(i.decode()), asked)] for i, asked in zip(images, words, strict=True)]

    def _seen(self, told: dict[str, Any], words: Sequence[str]) -> Iterator[Detection]:
        place = told.pop("")
        for row, (word, number) in enumerate(sorted(told.items())):
            if word in words and word != place:
                yield from (Detection(word, 0.9, (50 * i, 50 * row, 20, 20)) for i in range(number))
        if place in words:
            yield Detection(place, 0.9, (0, 0, 512, 512))


def test_of_generated_images_each_number_and_word_is_as_often_right_as_wrong() -> None:
    graph = graph_sources.load("starter")
    recipe = Recipe(
        graph, OpenWorld(graph), Painter(), DetectionModels(Eye()), seed=3, levels=("existence", "attribute")
    )
    shares = [Share(criterion, "ee", 10) for criterion in ("standard", "fictional")]
    asked = [item.question for share in shares for item in make(recipe, share) if isinstance(item, Row)]
    numbers = [q for q in asked if q.question_type == "number"]
    told = Counter((q.question.split()[3], q.answer) for q in numbers)
    assert {word: told[word, "yes"] - told[word, "no"] for word, _ in told} == {"one": 0, "two": 0, "three": 0}
    assert len(numbers) >= 10
    things = Counter((q.question, q.answer) for q in asked if q.question_type == "existence")
    uneven = sum(abs(things[text, "yes"] - things[text, "no"]) for text in {text for text, _ in things})
    assert uneven <= 0.2 * sum(things.values())
