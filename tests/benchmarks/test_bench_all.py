"""The table of all goals, and its place in RESULTS.md."""

import bench_all
from measuring import Figure

SLOW = Figure(work="read", ours=4.0, bound=3, baseline="theirs", theirs=8.0, times=2)
FAST = Figure(work="read", ours=2.0, bound=3, baseline="theirs", theirs=9.0, times=2)


def test_a_line_tells_the_runs_apart() -> None:
    assert (
        bench_all.line("score", [FAST], 0.5)
        == "| score | read | 2 s | theirs | 9 s | 4.5 × | ≤ 3 s, ≥ 2 × | yes | 0.5 |"
    )
    cells = bench_all.line("score", [FAST, SLOW, FAST], 0.5).split(" | ")
    assert cells[2] == "2 s (2 – 4)"
    assert cells[5] == "4.5 × (2 – 4.5)"
    assert cells[7] == "**no** (2 of 3 runs)"


def test_lines_of_other_benchmarks_stay_where_some_are_written() -> None:
    first = bench_all.written("# Results\n", [bench_all.line(name, [FAST], 0.5) for name in ("board", "score")])
    again = bench_all.written(first + "\nThe end.\n", [bench_all.line("score", [SLOW], 0.5)])
    assert again.startswith("# Results\n")
    assert again.endswith("\nThe end.\n")
    assert bench_all.line("board", [FAST], 0.5) in again
    assert bench_all.line("score", [FAST], 0.5) not in again
    assert bench_all.line("score", [SLOW], 0.5) in again
    assert again.count("| benchmark |") == 1


def test_benchmarks_with_figures_are_found_by_name() -> None:
    assert "score" in bench_all.names()
