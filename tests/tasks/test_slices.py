"""The order of a task's rows: any first N are a stratified sample of whole pairs."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.tasks import slices

PAIRS = st.lists(
    st.tuples(st.sampled_from(["standard", "fictional"]), st.sampled_from(["state", "number", "action"])),
    min_size=1,
    max_size=60,
)


def table(rows: list[dict[str, Any]]) -> Any:
    import datasets

    empty = {"kind": "yes_no", "benchmark": "ode", "perturbation": "", "negated": False, "pairing": "ee"}
    return datasets.Dataset.from_list([{**empty, **row} for row in rows])


@pytest.fixture(autouse=True, scope="module")
def _unchecked() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "or_exit", lambda function, docs, **columns: docs)
        yield


@given(PAIRS, st.integers(1, 120))
def test_a_prefix_has_each_stratum_in_proportion_and_whole_pairs(strata: list[tuple[str, str]], limit: int) -> None:
    rows = [
        {"id": f"{number}{half}", "pair_id": f"p{number}", "scene_ids": [f"s{number % 7}"], "criterion": criterion,
         "question_type": kind}
        for number, (criterion, kind) in enumerate(strata)
        for half in "ab"
    ]  # fmt: skip
    ordered = slices.whole(table(rows[::-1]))
    assert sorted(ordered["id"][:]) == sorted(row["id"] for row in rows)
    first = ordered.select(range(min(limit, len(rows))))
    halves = Counter(first["pair_id"][:])
    assert sum(count == 1 for count in halves.values()) == min(limit, len(rows)) % 2  # at most the last one is cut
    found = Counter(zip(first["criterion"][:], first["question_type"][:], strict=True))
    share = len(first) / len(rows)
    for stratum, count in Counter(strata).items():
        # Every stratum may be one pair off, and the place in the order is off by as much as all strata together.
        assert abs(found[stratum] / 2 - share * count) <= 2 + len(set(strata)) * count / len(strata)


def test_equal_strata_take_turns() -> None:
    rows = [
        {"id": f"{c}{n}", "pair_id": "", "scene_ids": [f"s{n}"], "criterion": c, "question_type": "existence"}
        for c in ("standard", "long_tail", "random", "fictional")
        for n in range(20)
    ]
    ordered = slices.whole(table(rows))["criterion"][:]
    assert all(set(ordered[turn : turn + 4]) == {row["criterion"] for row in rows} for turn in range(0, 80, 4))


def test_a_few_questions_are_about_many_photos() -> None:
    """In AMBER, where each photo has a dozen questions."""
    rows = [
        {"id": f"{image}-{kind}-{n}", "pair_id": "", "scene_ids": [f"s{image}"], "benchmark": "amber", "task": kind,
         "question_type": kind}
        for image in range(200)
        for kind in ("existence", "state", "number")
        for n in range(5)
    ]  # fmt: skip
    first = slices.whole(table(rows)).select(range(90))
    assert Counter(first["question_type"][:]) == {"existence": 30, "state": 30, "number": 30}
    # 200 (1 - (1 - 1 / 200) ** 90) = 72.6 of a simple random sample; with photos in one order for all types it is 6
    assert 62 <= len({scene for (scene,) in first["scene_ids"][:]}) <= 83


def test_a_pressed_question_follows_with_its_easy_one() -> None:
    rows = [
        {"id": f"{n}{p}", "pair_id": f"e{n}", "scene_ids": [f"s{n}"], "benchmark": "mioh", "kind": "multiple_choice",
         "task": "existence", "mode": "selective", "pressure": p, "question_type": "E1"}
        for p in ("easy", "hn", "hp")
        for n in range(9)
    ]  # fmt: skip
    pairs = slices.whole(table(rows))["pair_id"][:]
    assert [len(set(pairs[turn : turn + 3])) for turn in range(0, 27, 3)] == [1] * 9
