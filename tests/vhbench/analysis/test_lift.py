"""Lift and its interval, worked by hand."""

import numpy as np
import pytest

from vhbench.analysis.lift import FALSE_ALARM, Opportunity, compute_lift
from vhbench.seeding import rng


def occasion(image: str, shown: str, chances: str, imagined: str = "", kind: str = "caption") -> Opportunity:
    return Opportunity(kind, image, *(frozenset(words.split()) for words in (shown, chances, imagined)))


def test_lift_of_captions() -> None:
    # A boat is imagined in 3 of 10 pictures; 2 of the 4 that show a sea, 1 of the 6 that do not.
    run = [occasion(f"sea{i}", "sea sky", "boat", "boat" if i < 2 else "") for i in range(4)]
    run += [occasion(f"oven{i}", "oven sky", "boat", "boat" if i < 1 else "") for i in range(6)]
    found = compute_lift(run)
    assert found["sea"]["boat"]["lift"] == pytest.approx((2 / 4) / (3 / 10))
    assert found["oven"]["boat"]["lift"] == pytest.approx((1 / 6) / (3 / 10))
    assert found["sky"]["boat"]["lift"] == 1, "what is everywhere suggests nothing"
    sea = found["sea"]["boat"]
    assert (sea["hallucinated"], sea["images"], sea["of"], sea["expected"]) == (2, 2, 3, pytest.approx(1.2))


def test_its_interval_is_that_of_the_share_beside_the_fact() -> None:
    # All of 4 imaginings are beside a sea, which 5 of 20 pictures show: the exact interval of 4 of 4, over 1/4.
    run = [occasion(f"sea{i}", "sea", "boat", "boat" if i < 4 else "") for i in range(5)]
    run += [occasion(f"oven{i}", "oven", "boat") for i in range(15)]
    found = compute_lift(run)["sea"]["boat"]
    assert found["lift"] == pytest.approx(4)
    assert found["interval"] == pytest.approx([0.025 ** (1 / 4) * 4, 4])
    assert found["significant"], (
        "by chance 4 of 4 in a quarter of the pictures: 1/256, and no other pair can be claimed"
    )


def test_pictures_without_a_chance_do_not_count() -> None:
    run = [occasion("1", "sea", "boat", "boat"), occasion("2", "sea boat", ""), occasion("3", "oven", "boat")]
    assert compute_lift(run)["sea"]["boat"]["lift"] == pytest.approx(2), (
        "of two pictures in which it can be imagined, one"
    )


def test_captions_and_questions_are_not_thrown_together() -> None:
    # Asked, everybody says yes, and the question is asked where there is a sea; unasked, nobody says it anywhere.
    run = [occasion(f"sea{i}", "sea", "boat", "boat", kind="existence") for i in range(5)]
    run += [occasion(f"{where}{i}", where, "boat") for i in range(5) for where in ("sea", "oven")]
    found = compute_lift(run)["sea"]["boat"]
    assert (found["lift"], found["significant"]) == (1, False)


def test_one_picture_tells_nothing_of_others() -> None:
    run = [occasion("sea", "sea", "boat", "boat"), occasion("sea", "sea", "boat", "boat", kind="existence")]
    run += [occasion(f"oven{i}", "oven", "boat") for i in range(50)]
    run += [occasion(f"oven{i}", "oven", "boat", kind="existence") for i in range(50)]
    found = compute_lift(run)["sea"]["boat"]
    assert (found["images"], found["interval"]) == (1, None)
    assert found["lift"] == pytest.approx(51)


def test_nothing_is_claimed_where_nothing_suggests_anything() -> None:
    words, facts = [f"w{i}" for i in range(6)], [f"f{i}" for i in range(8)]
    alarms = 0
    for number in range(40):
        random = rng(number, "null lift")
        shares, rates = random.beta(1, 2, len(facts)), random.beta(1, 4, len(words))
        run = [
            occasion(
                str(i),
                " ".join(np.array(facts)[random.random(len(facts)) < shares]),
                " ".join(words),
                " ".join(np.array(words)[random.random(len(words)) < rates]),
            )
            for i in range(40)
        ]
        alarms += any(pair["significant"] for row in compute_lift(run).values() for pair in row.values())
    assert alarms <= 40 * FALSE_ALARM + 3
