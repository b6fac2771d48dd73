"""The order of a task's rows: any first N are a stratified sample of whole pairs."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.columns import CELLS
from vhbench.tasks import slices

PAIRS = st.lists(
    st.tuples(st.sampled_from(["standard", "fictional"]), st.sampled_from(["state", "number", "action"])),
    min_size=1,
    max_size=60,
)


def table(rows: list[dict[str, Any]]) -> Any:
    import datasets

    empty = {**dict.fromkeys(CELLS, ""), "kind": "yes_no", "benchmark": "ode", "negated": False, "pairing": "ee"}
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
    share = len(first) / len(rows)
    groupings: list[tuple[str, ...]] = [("criterion",), ("question_type",), ("criterion", "question_type")]
    for columns in groupings:
        every, found = (Counter(zip(*(part[name][:] for name in columns), strict=True)) for part in (ordered, first))
        assert all(abs(found[value] - share * count) / 2 <= 2.5 for value, count in every.items())


def test_every_subset_of_mioh_is_in_proportion_at_once() -> None:
    """Of 26 types in three modes, each with its pressures, 100 rows hold each type, mode, task and pressure rightly."""
    rows = [
        {"id": f"{kind}-{n}{p}", "pair_id": f"{kind}-{n}", "scene_ids": ["s"], "benchmark": "mioh", "criterion": "",
         "kind": "yes_no" if kind % 4 else "multiple_choice", "task": f"task {kind % 4}", "mode": f"mode {kind % 3}",
         "pressure": p, "question_type": f"T{kind}"}
        for kind in range(26)
        for n in range(12)
        for p in ("easy", ("ni", "hp", "hn", "hp+hn")[n % 4])
    ]  # fmt: skip
    ordered = slices.whole(table(rows))
    for limit in (20, 50, 104, 200):
        first = ordered.select(range(limit))
        assert {*Counter(first["pair_id"][:]).values()} == {2}
        for name in ("task", "mode", "pressure", "question_type", "kind"):
            every, found = Counter(ordered[name][:]), Counter(first[name][:])
            assert all(abs(found[value] - limit * n / len(rows)) <= 2.5 for value, n in every.items()), name


def test_large_and_small_pairs_are_in_proportion_at_once() -> None:
    """Easy questions alone, and with two to five pressed ones: no prefix prefers one size of pairs."""
    sizes = [
        f"easy {pressed}".split() for pressed in ("", "hn hp", "hn hp hp+hn ni8", "hn hp hp+hn", "hn hp ni2 ni8 ni10")
    ]
    rows = [
        {"id": f"{kind}-{n}{p}", "pair_id": f"{kind}-{n}", "benchmark": "mioh", "kind": "multiple_choice",
         "pressure": p, "question_type": f"T{kind}"}
        for kind in range(6)
        for n in range(20)
        for p in sizes[n % 5]
    ]  # fmt: skip
    pressures = slices.whole(table(rows))["pressure"][:]
    every = Counter(pressures)
    found: Counter[str] = Counter()
    for limit, pressure in enumerate(pressures, start=1):
        found[pressure] += 1
        assert all(abs(found[value] - limit * n / len(rows)) < 3 for value, n in every.items()), limit


def test_what_the_report_has_no_subset_of_is_in_proportion_too() -> None:
    """VHExpansion's report has sources and perturbations; its questions also have a criterion, a type and a pairing."""
    rows = [
        {"id": f"{n}{negated}", "pair_id": f"{n}", "benchmark": "vhexpansion", "source": "ode", "negated": negated,
         "criterion": ("standard", "fictional")[n % 2], "question_type": ("state", "number", "action")[n % 3],
         "pairing": ("ee", "en")[n % 5 // 3]}
        for n in range(60)
        for negated in (False, True)
    ]  # fmt: skip
    ordered = slices.whole(table(rows))
    for limit in range(2, 121, 2):
        for name in ("criterion", "question_type", "pairing"):
            every, found = Counter(ordered[name][:]), Counter(ordered[name][:limit])
            assert all(abs(found[value] - limit * n / 120) <= 2 for value, n in every.items()), (limit, name)


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
