"""How many questions each cell gets, and how many more for tied questions."""

import pytest

from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.sizes import PAPER, sizes
from vhbench.schema import VhbenchError


def test_one_number_is_for_each_type_under_each_pressure() -> None:
    table = sizes("4")
    assert table == sizes(4)
    assert list(table) == list(QUESTION_TYPES)
    papers = {
        f"{task}{number}" for task, count in {"E": 7, "A": 7, "C": 5, "P": 7}.items() for number in range(1, count + 1)
    }
    assert len(papers) == 26
    assert papers <= set(table)
    for cells in table.values():
        assert (cells["easy"], cells["hp"], cells["hn"], cells["hp+hn"]) == (4, 4, 4, 4)
        assert sum(number for pressure, number in cells.items() if pressure.startswith("ni")) == 4


def test_the_papers_numbers_are_shared_out_whole() -> None:
    table = sizes("paper")
    for task, groups in PAPER.items():
        names = [name for name, kind in QUESTION_TYPES.items() if kind.task == task]
        easy = [table[name]["easy"] for name in names]
        assert sum(easy) == groups["easy"]
        assert max(easy) - min(easy) <= 1
        assert sum(n for name in names for n in table[name].values()) == sum(groups.values())


def test_ties_add_easy_questions_to_both_types_of_a_pair_and_to_no_other() -> None:
    plain, tied = sizes(2), sizes(2, tied=3)
    grown = {name for name in plain if tied[name] != plain[name]}
    assert grown & {"E1", "E2", "E5", "C2"} == {"E1", "E5", "C2"}
    assert all(tied[name] == {**plain[name], "easy": plain[name]["easy"] + 3} for name in grown)
    assert sizes({"existence": {"hp": 6}}, tied=3)["E5"]["easy"] == 3
    assert sizes(2, tied=0) == plain


@pytest.mark.parametrize(
    ("cells", "error"),
    [
        ("many", "expected paper, a number"),
        ("9" * 10, "expected paper, a number"),
        (-1, "expected paper, a number"),
        (True, "expected paper, a number"),
        ({"size": {"easy": 1}}, "unknown task 'size'"),
        ({"existence": 3}, "expected pressure → number"),
        ({"existence": {"harder": 3}}, "unknown pressure 'harder'"),
        ({"existence": {"easy": 1.5}}, "existence"),
        ({"existence": {"easy": 0}}, "expected a positive number"),
    ],
)
def test_other_sizes_are_refused(cells: object, error: str) -> None:
    with pytest.raises(VhbenchError, match=error):
        sizes(cells)  # type: ignore[arg-type]
