"""Assembly of questions from drafts and images: image order and correct letter."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vhbench.generators.mioh.answer_options import Balance, arrange_images, arrange_options
from vhbench.generators.mioh.drafts import FIRST, SECOND, Draft
from vhbench.generators.mioh.facts import Fact, Related
from vhbench.generators.mioh.question_types import QuestionType
from vhbench.schema import Question, Scene


def ask(
    kind: QuestionType,
    draft: Draft,
    scenes: Sequence[Scene],
    balance: Balance,
    places: Balance,
    generator: np.random.Generator,
    **columns: Any,
) -> Question:
    """Return the question with its images in random order.

    Args:
        kind: question type.
        draft: text and answer.
        scenes: one scene per slot of the draft, then the fillers.
        balance: letter counts of the cell.
        places: counts of the first slot's positions, among similar questions of the cell: one image alone then reveals
            no more than the design concedes.
        generator: random generator.
        columns: further columns of the row.
    """
    order = generator.permutation(len(scenes)).tolist()  # order[place] = slot
    choices: tuple[str, ...] = ()
    text, answer = draft.text, draft.answer
    if draft.last and not draft.options:
        order, choices, answer = arrange_images(draft, order, balance, places, generator)
    else:
        first, now = places.deal(range(len(scenes)), generator), order.index(0)
        order[first], order[now] = order[now], order[first]
    names = {FIRST: f"Image {order.index(0) + 1}", SECOND: f"Image {order.index(1) + 1}"}
    text, answer = _named(text, names), _named(answer, names)
    if draft.options:
        options = [_named(option, names) for option in _offered(draft, len(scenes))]
        choices, answer = arrange_options(draft, options, answer, balance, generator)
    ordered = [scenes[slot] for slot in order]
    return Question(
        benchmark="mioh", images=tuple(scene.image for scene in ordered),
        scene_ids=tuple(scene.id for scene in ordered),
        question=text, choices=choices, answer=answer, kind="multiple_choice" if choices else "yes_no",
        task=kind.task, mode=kind.mode, question_type=kind.id, objects=_objects(draft.facts), **columns,
    )  # fmt: skip


def _offered(draft: Draft, images: int) -> tuple[str, ...]:
    """Return the options, without image counts above the number of images."""
    if draft.numbers_images:
        return tuple(option for option in draft.options if int(option) <= images)
    return draft.options


def _named(text: str, names: Mapping[str, str]) -> str:
    for place, name in names.items():
        text = text.replace(place, name)
    return text


def _objects(facts: Sequence[Fact]) -> tuple[str, ...]:
    """Return the distinct categories of the facts."""
    categories: dict[str, None] = {}
    for fact in facts:
        names = (fact.subject, fact.anchor) if isinstance(fact, Related) else (fact.category,)
        categories |= dict.fromkeys(names)
    return tuple(categories)
