"""The table of all goals, and its place in RESULTS.md."""

import bench_all
from measuring import Figure

SLOW = Figure(work="read", ours=4.0, bound=3, baseline="theirs", theirs=8.0, times=2)
FAST = Figure(work="read", ours=2.0, bound=3, baseline="theirs", theirs=9.0, times=2)


def test_a_line_tells_the_runs_apart() -> None:
    assert bench_all.line([FAST]) == "| read | 2 s | theirs | 9 s | 4.5 × | ≤ 3 s, ≥ 2 × | yes |"
    cells = bench_all.line([FAST, SLOW, FAST]).strip("| ").split(" | ")
    assert cells[1::3] == ["2 s (2 – 4)", "4.5 × (2 – 4.5)"]
    assert cells[6] == "**no** (2 of 3 runs)"


def test_tables_of_other_benchmarks_stay_where_one_is_written() -> None:
    first = bench_all.written("# Results\n", "board", [bench_all.line([FAST])])
    both = bench_all.written(first, "commands", [bench_all.line([FAST])]) + "\nThe end.\n"
    again = bench_all.written(both, "commands", [bench_all.line([SLOW])])
    assert again.startswith(first)
    assert again.endswith("\nThe end.\n")
    assert again.count(bench_all.line([FAST])) == again.count(bench_all.line([SLOW])) == 1


def test_benchmarks_are_found_by_name() -> None:
    assert {"commands", "splits"} < set(bench_all.names()) - {"all"}
