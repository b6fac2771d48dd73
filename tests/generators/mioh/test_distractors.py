"""Options are found among what images show side by side: told of small pools that are written down here."""

from itertools import combinations
from typing import get_args

import pytest

from vhbench.builds import mioh_synthetic
from vhbench.generators.mioh.distractors import Demands, DistractorSampler, Form, ImageRequirement, Part, forms_of
from vhbench.generators.mioh.facts import Fact, Related
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.schema import Scene

ONE_AND_NOT_TWO = Form(
    frozenset({ImageRequirement(((0, "easy"), (1, "false")), ()), ImageRequirement((), ((0, "seen"), (1, "seen")))}),
    frozenset({ImageRequirement(((0, "hard"), (1, "false")), ())}),
    frozenset({ImageRequirement(((0, "easy"), (1, "near")), ())}),
)
NOWHERE: dict[Part, int] = dict.fromkeys(get_args(Part), 0)


@pytest.fixture(scope="module")
def pool(scenes: list[Scene]) -> ScenePool:
    return ScenePool(scenes)


def test_ways_are_counted_of_which_every_answer_has_images() -> None:
    demands = Demands([[ONE_AND_NOT_TWO]], options=2)
    one = NOWHERE | {"easy": 0b0110, "seen": 0b0110}
    assert demands.ways([one, NOWHERE | {"false": 0b0010}]) == 1
    assert demands.ways([one | {"hard": 0b1000}, NOWHERE | {"false": 0b1010}]) == 2
    assert demands.ways([one | {"hard": 0b1000}, NOWHERE | {"false": 0b1010, "near": 0b0100}]) == 3
    assert demands.ways([one, NOWHERE | {"false": 0b1001}]) == 0, "no image shows the one and lacks the other"
    assert demands.ways([one, NOWHERE | {"false": 0b0010}], least=2) == 0


def test_of_some_options_only_that_is_demanded_which_no_other_option_can_change() -> None:
    demands = Demands([[ONE_AND_NOT_TWO]], options=1)
    assert demands.ways([NOWHERE | {"easy": 1, "hard": 1}]) == 3, "the lures may be shown by the other option"
    assert demands.ways([NOWHERE | {"hard": 1}]) == 0


@pytest.mark.parametrize(("kind", "easy", "right"), [("A4", 3, {"hard"}), ("P7", 2, {"hard", "hidden"})])
def test_forms_are_those_of_the_question_type(kind: str, easy: int, right: set[str]) -> None:
    answers = forms_of(QUESTION_TYPES[kind])
    assert [len(forms) for forms in answers[:4]] == [6] * 4, "three wrong options change places"
    assert {len(form.easy) for forms in answers[:4] for form in forms} == {easy}
    shown = {look.all for form in answers[0] for look in form.hp}
    assert {dict(wants)[0] for wants in shown} == right, "under HP the right option is hard to see where it is shown"
    assert all([part for _, part in wants].count("hard") == 1 for wants in shown), "so is a wrong one where it is not"


def test_under_hn_a_hub_suggests_usual_sides_alone(drawn: ScenePool) -> None:
    """The hub also suggests the two objects, but a side that is less frequent with it is not a hard negative."""
    first, second, third, fourth, middle = mioh_synthetic.cast(0, 3).spokes
    usual = [(first, "right of"), (second, "right of"), (third, "left of"), (fourth, "left of")]
    turned = [(first, "left of"), (second, "left of"), (third, "right of"), (fourth, "right of")]
    assert all(drawn.truth(Related(word, side, middle)).near.any() for word, side in usual)
    assert not any(drawn.truth(Related(word, side, middle)).near.any() for word, side in turned)


@pytest.mark.parametrize("name", ["A4", "A7", "P4", "P7"])
def test_options_that_are_found_can_be_asked_about(name: str, drawn: ScenePool) -> None:
    pool = drawn
    kind = QUESTION_TYPES[name]
    facts: list[Fact] = [*(pool.attribute_facts() if kind.task == "attribute" else pool.relation_facts())]
    lures = DistractorSampler(facts, kind, pool)
    firsts = sorted(facts, key=lures.rich)[-6:]
    found = [lures.beside(first, {})[0] for first in firsts]
    assert any(found)
    for first, options in zip(firsts, found, strict=True):
        if options:
            assert len({*options}) == 4
            assert options[0] == first
            for one, other in combinations(options, 2):
                both = pool.truth(one).yes & pool.truth(other).yes
                assert kind.mode == "comparative" or both.any(), "each image of A4 and P4 shows two of the options"


def test_a_fact_that_stands_alone_has_no_lures(pool: ScenePool) -> None:
    facts: list[Fact] = [pool.attribute_facts()[0]]
    lures = DistractorSampler(facts, QUESTION_TYPES["A4"], pool)
    assert lures.beside(facts[0], {}) == ((), False)
