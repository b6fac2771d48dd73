"""Tied questions: the same fact in the same images, asked in another mode; words still tell nothing."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from vhbench.generators.mioh import drafts, tied_questions
from vhbench.generators.mioh.answer_options import Balance
from vhbench.generators.mioh.drafts import NONE
from vhbench.generators.mioh.facts import Exists, Quantity
from vhbench.generators.mioh.filler import Filler
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.sizes import sizes
from vhbench.schema import TIE, Question, Scene

TIED = [kind.id for kind in QUESTION_TYPES.values() if kind.tied_to]


def drawn(*counts: int) -> drafts.Draft:
    """How many dogs, where the images show so many each?"""
    slots = tuple(drafts.plus(Quantity("dog", n)) if n else drafts.zero("dog") for n in counts)
    shown = sum(n > 0 for n in counts)
    return drafts.Draft("", (Exists("dog"),), str(sum(counts)), slots, (drafts.zero("dog"),), max(2, shown))


def test_exactly_as_many_by_hand() -> None:
    bases = [drawn(1, 2, 4, 0), drawn(2, 3, 1, 0), drawn(2, 2, 1, 0), drawn(1, 1, 3, 0), drawn(4, 5, 3, 0)] * 8
    asked = list(tied_questions.exact("Which shows {it}?", bases, Balance(), np.random.default_rng(0)))
    assert len({again.base for again in asked}) == len(asked) > 30
    for again in asked:
        (fact,) = again.draft.facts
        assert isinstance(fact, Quantity)
        shown = [i for i, (wants, *_) in enumerate(s.wants for s in again.draft.slots) if wants == (fact, True)]
        assert shown == ([again.draft.slot] if again.answer < 4 else [])
        assert (again.draft.answer == NONE) == (again.answer == 4)


def test_a_number_does_not_tell_whether_an_image_shows_it() -> None:
    bases = [drawn(n, m, k, 0) for n in range(1, 6) for m in range(1, 6) for k in (1, 3)] * 10
    dealt: dict[object, Counter[bool]] = defaultdict(Counter)
    for again in tied_questions.exact("{it}", bases, Balance(), np.random.default_rng(1)):
        dealt[again.draft.facts][again.answer == 4] += 1
    assert len(dealt) == 5
    for facts, none in dealt.items():
        assert abs(none[True] - (none[True] + none[False]) / 5) <= 1, (facts, none)


def test_what_one_image_shows_alone_is_not_asked_as_exactly_so_many() -> None:
    """Presence would tell it: it must be left with two images at least, and with none of them."""
    bases = [drawn(3, 0, 0, 0), drawn(4, 0, 0, 0)] * 9
    assert list(tied_questions.exact("{it}", bases, Balance(), np.random.default_rng(0))) == []


@pytest.mark.parametrize("counts", [(3, 1), (1, 3), (2, 0), (2, 2)])
def test_more_and_fewer_by_hand(counts: tuple[int, int]) -> None:
    text = "Which shows {more} {many}, {first} or {second}?"
    shown = (*counts, 0, 0)
    asked = list(tied_questions.more(text, [drawn(*shown)] * 40, Balance(), np.random.default_rng(2)))
    answers = Counter(again.draft.answer for again in asked)
    pair = {drafts.SAME} if counts[0] == counts[1] else {drafts.FIRST, drafts.SECOND} if all(counts) else set[str]()
    assert set(answers) == {drafts.NONE_SHOWN} | pair
    assert {" more " in again.draft.text for again in asked} == {True, False}
    for again in asked:
        first, second = (shown[slot] for slot in again.slots)
        if first != second:
            more = "first" if first > second else "second"
            fewer = "second" if first > second else "first"
            assert again.draft.answer == "{%s}" % (more if " more " in again.draft.text else fewer)
        else:
            assert again.draft.answer == (drafts.SAME if first else drafts.NONE_SHOWN)


@pytest.mark.parametrize("kind", TIED)
def test_tied_questions_are_about_the_same_images(kind: str, questions: list[Question]) -> None:
    bases = defaultdict(list)
    for q in questions:
        if q.question_type == QUESTION_TYPES[kind].tied_to:
            bases[q.pair_id].append(q)
    mine = [q for q in questions if q.question_type == kind]
    tied = [q for q in mine if TIE in q.pair_id]
    assert len(tied) > 0.4 * len(mine)
    both = 0
    for q in tied:
        base = bases[q.pair_id.partition(TIE)[2]]
        assert {b.objects for b in base} == {q.objects}
        both += any(set(q.scene_ids) <= set(b.scene_ids) for b in base)
    assert both > 0.7 * len(tied)


@pytest.mark.parametrize("kind", TIED)
def test_as_many_answers_of_each_kind_as_without_ties(kind: str, questions: list[Question]) -> None:
    answers = Counter(
        q.choices["ABCDE".index(q.answer)].rstrip("1234") for q in questions
        if q.question_type == kind and q.pressure == "easy"
    )  # fmt: skip
    expected = {"selective": {"Image ": 8, NONE: 2}}.get(QUESTION_TYPES[kind].mode)
    assert answers == expected if expected else max(answers.values()) <= 6


def test_tied_questions_are_the_same_whether_or_not_their_bases_were_asked_before(scenes: list[Scene]) -> None:
    """Types are made by any worker in any order."""

    def ask(pool: ScenePool, kind: str) -> list[object]:
        return list(Filler(QUESTION_TYPES[kind], pool, sizes(3), seed=2, source="x").fill())

    pool, other = ScenePool(scenes[:600]), ScenePool(scenes[:600])
    bases, tied, again = (ask(pool, kind) for kind in ("E1", "E6", "E5"))
    assert ask(other, "E5") == again
    assert ask(other, "E1") == bases
    assert ask(other, "E6") == tied
