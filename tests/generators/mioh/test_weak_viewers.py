"""A viewer with one known weakness loses accuracy under the pressure that the weakness is about, and nowhere else."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from vhbench.audit import phrases, restricted_oracles
from vhbench.audit.restricted_oracles import View
from vhbench.benchmarks import pressure_family
from vhbench.builds.starter import starter
from vhbench.schema import Question, Relation, Scene, SceneObject
from vhbench.splits import packed_scenes, read_columns

_SIDED = re.compile(r"(.+) to the (left|right) of an? (.+)")


def misses_small_objects(_: Question, scenes: Sequence[Scene]) -> list[Scene]:
    def seen(scene: Scene) -> tuple[SceneObject, ...]:
        return tuple(thing for thing in scene.objects if thing.area >= 0.01 * scene.width * scene.height)

    return [replace(scene, objects=seen(scene)) for scene in scenes]


def loses_images_beyond_four(_: Question, scenes: Sequence[Scene]) -> list[Scene]:
    return [*scenes[:4], *(Scene("", b"", 1, 1, ()) for _ in scenes[4:])]


def follows_cooccurrence(pool: Sequence[Scene]) -> View:
    """Return a viewer that believes what other objects of an image suggest more than they usually do."""

    @cache
    def suggested(phrase: str) -> frozenset[str]:
        holds = [phrases.holds(phrase, scene) for scene in pool]
        there = [all(word in scene.categories() for word in needed(phrase)) for scene in pool]
        own = {*needed(phrase), phrase}
        shown, true = defaultdict[str, int](int), defaultdict[str, int](int)
        for scene, value in zip(pool, holds, strict=True):
            for name in scene.categories() if value is not None else ():
                shown[name] += 1
                true[name] += value
        chance = {name: true[name] / n for name, n in shown.items() if n >= 3 and name not in own}
        scores = [max((chance.get(name, 0.0) for name in scene.categories()), default=0.0) for scene in pool]
        usual = np.median(
            [s for s, h, t in zip(scores, holds, there, strict=True) if t and (h is False or needed(phrase))]
        )
        return frozenset(scene.id for scene, score in zip(pool, scores, strict=True) if score > usual)

    def needed(phrase: str) -> tuple[str, ...]:
        if sided := _SIDED.fullmatch(phrase):
            return name_of(sided[1]), name_of(sided[3])
        return () if name_of(phrase) else (name_of(phrase.partition(" ")[2]),)

    def name_of(words: str) -> str:
        return phrases.category(words, pool[:1])

    def see(question: Question, scenes: Sequence[Scene]) -> list[Scene]:
        (phrase,) = phrases.asked_phrases(question.question, question.choices)
        return [believed(phrase, scene) if scene.id in suggested(phrase) else scene for scene in scenes]

    def believed(phrase: str, scene: Scene) -> Scene:
        ids = {thing.category: thing.id for thing in scene.objects}
        if sided := _SIDED.fullmatch(phrase):
            side = Relation(ids[name_of(sided[1])], f"{sided[2]} of", ids[name_of(sided[3])])
            return replace(scene, relations=(*scene.relations, side))
        value = "" if name_of(phrase) else phrase.partition(" ")[0]
        name = name_of(phrase.removeprefix(value))
        thing = SceneObject(-1, name, (0, 0, 1, 1), 1, attributes=(("colour", value),))
        return replace(scene, objects=(*scene.objects, thing))

    return see


Weakness = Callable[[Sequence[Scene]], View]
WEAKNESSES: dict[str, tuple[Weakness, set[str], str]] = {
    "misses small objects": (lambda _: misses_small_objects, {"hp", "hp+hn"}, "EACP"),
    "loses images beyond four": (lambda _: loses_images_beyond_four, {"ni"}, "EACP"),
    "follows co-occurrence": (follows_cooccurrence, {"hn", "hp+hn"}, "EAP"),
}
"""Weakness → viewer of a pool, the families of pressures that must show it, the tasks that have it."""


def accuracies(questions: Sequence[Question], by_id: Mapping[str, Scene], view: View) -> dict[tuple[str, str], float]:
    """Return a viewer's accuracy per task and family of pressures."""
    right: dict[tuple[str, str], list[float]] = defaultdict(list)
    for q in questions:
        seen = [by_id[scene] for scene in q.scene_ids]
        right[q.question_type[0], pressure_family(q.pressure)].append(restricted_oracles.chance(q, seen, view))
    return {cell: sum(chances) / len(chances) for cell, chances in right.items()}


def about_one_phrase(questions: Sequence[Question]) -> list[Question]:
    return [q for q in questions if len(phrases.asked_phrases(q.question, q.choices)) == 1]


@pytest.mark.parametrize("name", WEAKNESSES)
def test_a_weakness_shows_under_its_own_pressure(name: str, scenes: list[Scene], questions: list[Question]) -> None:
    weakness, own, tasks = WEAKNESSES[name]
    seen = about_one_phrase(questions) if name == "follows co-occurrence" else questions
    seen = [q for q in seen if q.question_type[0] in tasks]
    reached = accuracies(seen, {scene.id: scene for scene in scenes}, weakness(scenes))
    assert {task for task, _ in reached} == {*tasks}
    for (task, family), accuracy in reached.items():
        assert accuracy < 0.85 if family in own else accuracy == 1, (task, family, accuracy)


@pytest.mark.usefixtures("_caches")
def test_on_synthetic_scenes_hubs_suggest_sides_and_owners_of_colours_too() -> None:
    split = starter("mioh")
    scenes = packed_scenes(split)
    columns = [field.name for field in fields(Question) if field.name != "images"]
    questions = [Question(images=(), **row) for _, row in read_columns(split, columns)]
    chosen = [q for q in questions if q.question_type in ("A1", "A5", "P1", "P5")]
    reached = accuracies(chosen, scenes, follows_cooccurrence([*scenes.values()]))
    assert {family for _, family in reached} >= {"easy", "hp", "hn", "ni", "hp+hn"}
    for (task, family), accuracy in reached.items():
        assert accuracy < 0.6 if "hn" in family else accuracy > 0.7, (task, family, accuracy)
