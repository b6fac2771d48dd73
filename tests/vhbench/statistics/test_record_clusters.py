"""Which answers stand together."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.schema import Record
from vhbench.statistics import intervals
from vhbench.statistics.clusters import Shared, clusters_of


def parts(records: list[Record]) -> list[set[str]]:
    """Return the ids of each cluster, in the order of the first."""
    groups: dict[int, set[str]] = {}
    for record, number in zip(records, clusters_of(records).numbers.tolist(), strict=True):
        groups.setdefault(number, set()).add(record.id)
    return list(groups.values())


def asked(name: str, *images: str, fact: str = "") -> Record:
    return Record(name, benchmark="mioh", pair_id=fact, scene_ids=images)


def test_what_shares_an_image_stands_together() -> None:
    records = [asked("a", "1", "2"), asked("b", "3"), asked("c", "2", "4"), asked("d", "4"), asked("e", "5")]
    records += [asked("f", "6"), asked("g", "7")]
    assert parts(records) == [{"a", "c", "d"}, {"b"}, {"e"}, {"f"}, {"g"}]


def test_pressed_twins_and_tied_questions_stand_together() -> None:
    records = [asked("easy", "1", "2", fact="e1-4"), asked("hp", "3", "4", fact="e1-4")]
    records += [asked("which", "5", "6", fact="e5~e1-4"), asked("other", "7", "8", fact="e1-5")]
    records += [asked(f"more {n}", f"m{n}", fact=f"e1-{10 + n}") for n in range(3)]
    assert parts(records)[:2] == [{"easy", "hp", "which"}, {"other"}]


def test_forms_and_repetitions_of_a_case_stand_together() -> None:
    records = [
        Record("q", pair_id="q"), Record("q/n", pair_id="q", negated=True), Record("2#q", pair_id="2#q"),
        Record("q/blur", pair_id="q/blur", perturbation="blur"), Record("r", pair_id="r"), Record("s"), Record("2#s"),
        *(Record(str(n)) for n in range(4)),
    ]  # fmt: skip
    assert parts(records)[:3] == [{"q", "q/n", "2#q", "q/blur"}, {"r"}, {"s", "2#s"}]


def test_other_answers_have_no_say() -> None:
    right = [asked("a", "1"), asked("b", "1"), asked("c", "2")]
    wrong = [Record(r.id, benchmark="mioh", scene_ids=r.scene_ids, prediction="no") for r in right]
    assert clusters_of(right).numbers.tolist() == clusters_of(wrong).numbers.tolist()


def test_a_part_of_the_rows_has_the_clusters_of_these_rows() -> None:
    # b ties a and c; without it they share nothing.
    records = [
        asked("a", "1"),
        asked("b", "1", "2"),
        asked("c", "2"),
        asked("d", "3"),
        asked("e", "4"),
        asked("f", "5"),
    ]
    shared = Shared.of(records)
    together = shared.among().numbers
    assert together[0] == together[2]
    places = np.array([0, 2, 3, 4, 5])
    assert shared.among(places).numbers.tolist() == clusters_of([records[place] for place in places]).numbers.tolist()
    assert len(set(shared.among(places).numbers.tolist())) == 5


def chain(facts: int, rows: int) -> list[Record]:
    """A pool in which every fact shares one image with the next, so that all are tied."""
    return [
        asked(f"{f}-{r}", f"own {f} {r}", f"pool {f}", f"pool {f + 1}", fact=f"f{f}")
        for f in range(facts)
        for r in range(rows)
    ]


def test_a_chain_of_facts_is_taken_apart_and_its_ties_are_told() -> None:
    found = clusters_of(chain(20, 2))
    assert len(set(found.numbers.tolist())) == 20
    assert found.note == "clustered by fact, allowing for dependence through shared images"
    assert found.ties is not None
    assert found.ties.shape == (2, 19 * 4)  # two rows of a fact with two of the next
    assert (found.numbers[found.ties[0]] != found.numbers[found.ties[1]]).all()


def test_what_is_about_one_image_is_no_chain() -> None:
    records = [asked(f"q{n}", "pool", f"own {n}", fact=f"f{n}") for n in range(40)]
    assert set(clusters_of(records).numbers.tolist()) == {0}


def test_four_images_with_many_facts_each_are_four_clusters() -> None:
    records = [asked(f"q{n}", f"s{n % 4}", fact=f"f{n}") for n in range(100)]
    found = clusters_of(records)
    assert (len(set(found.numbers.tolist())), found.ties) == (4, None)


def test_ties_widen_an_interval_where_tied_rows_agree() -> None:
    records = chain(20, 2)
    right = [int(int(record.id.split("-")[0]) % 8 < 4) for record in records]  # four facts right, four wrong, …
    tied = clusters_of(records)
    # Of 19 steps 15 agree: Σu² of 20 facts is 20 / 1600, the ties add 2 · (15 - 4), and 152 of 1,600 pairs are tied.
    pull = (np.array(right) - 0.5) / 40
    assert tied.variance(20 / 1600, pull) == pytest.approx(42 / 1600 / (1 - 152 / 1600))
    apart, found = (intervals.mean(right, clusters=clusters) for clusters in (tied.numbers, tied))
    assert apart is not None
    assert found is not None
    assert found.low < apart.low < 0.5 < apart.high < found.high


def test_a_value_of_several_rows_has_the_names_of_all() -> None:
    records = [asked("a", "1"), asked("b", "2"), asked("c", "2"), asked("d", "3"), asked("e", "4"), asked("f", "5")]
    found = Shared.of(records).among(np.array([[0, 1], [2, 3], [4, 5]])).numbers.tolist()
    assert found[0] == found[1] != found[2]


ROWS = st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=3, unique=True), min_size=1, max_size=12)


@given(ROWS, st.randoms())
def test_the_order_of_rows_does_not_matter(drawn: list[list[int]], random: Any) -> None:
    records = [asked(str(place), *map(str, images)) for place, images in enumerate(drawn)]
    order = random.sample(range(len(records)), len(records))
    found = clusters_of(records).numbers
    assert clusters_of([records[place] for place in order]).numbers.tolist() == found[order].tolist()


def test_no_rows_have_no_clusters() -> None:
    assert clusters_of([]).numbers.tolist() == []
