"""Tables of a comparison whose numbers are known, line by line."""

from dataclasses import replace

from vhbench.compare import tables
from vhbench.compare.differences import ComparedGroup, ComparedScore, Difference, RunComparison
from vhbench.compare.scoring import Group
from vhbench.statistics.sums import Score

BETTER = Difference(1, 25.0, (10.0, 40.0), "", 0.001, 0.004, 12)
OPEN = Difference(2, -2.0, (-9.0, 5.0), "few clusters", 0.6, 1.0, 9, detectable=12.34)
CONTAINS = replace(OPEN, p_family=0.05, detectable=None)
UNTESTED = Difference(1, 1.0, None, "", None, None, 3)
ACCURACY = ComparedScore(
    "accuracy",
    1_200,
    (Score(50.0, (45.0, 55.0)), Score(75.0, (70.0, 80.0), "", (74.0, 76.0)), Score(48.0)),
    True,
    (BETTER, OPEN),
    ((2, 3), (1, 1), (2, 3)),
)
CELL = replace(ACCURACY, name="accuracy", n=40, differences=(UNTESTED, CONTAINS), ranks=())
QUIET = replace(ACCURACY, n=20, differences=(replace(OPEN, run=1), OPEN), ranks=())
GROUP = ComparedGroup(
    Group("", "ode", "yes_no"),
    1_200,
    30,
    (ACCURACY, replace(ACCURACY, name="yes rate", higher_is_better=None, ranks=(None, None, None))),
    {(("criterion", "fictional"), ("negated", False)): CELL, (("criterion", ""), ("negated", True)): QUIET},
)
RUNS = RunComparison(("small", "large", "odd_1"), (GROUP,), ("a note",))
TITLE = "ode, yes/no: 1,200 questions, 30 clusters"


def test_a_line_has_score_difference_verdict_and_rank() -> None:
    lines = [*tables.headlines(RUNS)]
    assert {title for title, _ in lines} == {TITLE}
    assert [line for _, line in lines[:4]] == [
        ("accuracy (1,200)", "small", "50.0 [45.0, 55.0]", "", "", "", "", "2–3"),
        (
            "accuracy (1,200)", "large", "75.0 [70.0, 80.0] (74.0–76.0)", "+25.0 [10.0, 40.0]", "0.001", "0.004",
            "better", "1",
        ),
        ("accuracy (1,200)", "odd_1", "48.0", "−2.0 [−9.0, 5.0]", "0.600", "1.000", "not significant (detects 12.3)",
         "2–3"),
        ("yes rate (1,200)", "small", "50.0 [45.0, 55.0]", "", "", "", "", ""),
    ]  # fmt: skip
    assert lines[4][1][6] == "higher"


def test_a_subset_is_named_by_its_values() -> None:
    lines = [*tables.cells(RUNS)]
    assert {title for title, _ in lines} == {"ode, yes/no, criterion x negated"}
    assert [line[0] for _, line in lines] == ["fictional, not negated (40)"] * 3 + ["(none), negated (20)"] * 3
    assert [line[6] for _, line in lines[:3]] == ["", "n/a (3)", "not significant (CI contains 0)"]
    assert [*tables.cells(RUNS, significant=True)] == []
    told = replace(GROUP, cells={**GROUP.cells, (("criterion", "real"),): ACCURACY})
    assert {title for title, _ in tables.cells(replace(RUNS, groups=(told,)), significant=True)} == {
        "ode, yes/no, criterion"
    }


def test_the_summary_counts_verdicts() -> None:
    assert [*tables.summary(RUNS)] == [
        "large vs. small",
        "  all questions: 2 differences: 1 better, 1 higher",
        "  subsets: 2 differences: 1 not significant, 1 n/a",
        "  largest significant: accuracy of ode, yes/no (+25.0); yes rate of ode, yes/no (+25.0)",
        "odd_1 vs. small",
        "  all questions: 2 differences: 2 not significant",
        "  subsets: 2 differences: 2 not significant",
        "detects: smallest difference that these questions detect with 80 % power (vhbench plan)",
        "n/a: fewer than 6 discordant clusters, too few for a test",
        "in parentheses: the score with all missing predictions incorrect, and with all correct",
    ]
    task = replace(GROUP, group=Group("ode_fictional_existence", "ode", "yes_no"), cells={})
    summary = [*tables.summary(replace(RUNS, groups=(task,)))]
    assert "verdicts and ranks of tasks: adjusted over all tasks" in summary[-2]
    alone = replace(task, headlines=(replace(ACCURACY, differences=(), ranks=(), scores=(Score(1.0),) * 3),))
    nothing = "  no difference: scores of a run are withheld or undefined"
    assert [*tables.summary(replace(RUNS, groups=(alone,)))] == ["large vs. small", nothing, "odd_1 vs. small", nothing]


def test_a_reason_for_wide_intervals_is_told_once() -> None:
    assert [*tables.wide(RUNS)] == ["CIs of ode, yes/no accuracy and 1 more: few clusters"]
    assert [*tables.wide(replace(RUNS, groups=(replace(GROUP, headlines=GROUP.headlines[:1]),)))] == [
        "CI of ode, yes/no accuracy: few clusters"
    ]


def test_the_printed_tables() -> None:
    lines = [*tables.terminal(RUNS)]
    assert lines[:2] == ["", TITLE]
    assert lines[2].split()[0] == "metric"
    assert "Δ vs. small [95 % CI]" in lines[2]
    summary = lines.index("Summary")
    assert lines[summary - 1 : summary + 2] == ["", "Summary", "  large vs. small"]
    assert "Subsets with a significant difference" not in lines
    subset = replace(GROUP, cells={(("criterion", "real"),): ACCURACY})
    lines = [*tables.terminal(replace(RUNS, groups=(subset,)))]
    start = lines.index("Subsets with a significant difference")
    assert lines[start - 1 : start + 3] == ["", "Subsets with a significant difference", "", "ode, yes/no, criterion"]


def test_markdown_and_latex_escape_names() -> None:
    markdown = tables.markdown(RUNS).splitlines()
    assert markdown[:3] == ["# small · large · odd\\_1", "", "a note"]
    start = markdown.index("## Headline metrics")
    assert markdown[start + 2] == f"### {TITLE}"
    assert markdown[start + 4].startswith("| metric | run | score \\[95 % CI\\] | Δ vs. small \\[95 % CI\\] | p |")
    assert markdown[start + 5] == "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |"
    assert markdown[start + 6] == "| accuracy (1,200) | small | 50.0 \\[45.0, 55.0\\] |  |  |  |  | 2–3 |"
    assert "## Subsets" in markdown
    latex = tables.latex(RUNS).splitlines()
    assert latex[:3] == ["% a note", r"\begin{tabular}{llrrrrll}", r"\toprule"]
    assert latex[4:7] == [
        r"\midrule",
        rf"\multicolumn{{8}}{{l}}{{\emph{{{TITLE}}}}} \\",
        r"accuracy (1,200) & small & 50.0 {[}45.0, 55.0{]} &  &  &  &  & 2--3 \\",
    ]
    assert latex[-2:] == [r"\bottomrule", r"\end{tabular}"]
    assert latex[-3].startswith("yes rate (1,200) & odd\\_1 & ")


def test_the_json_has_all_of_it() -> None:
    data = tables.to_json(RUNS)
    assert (data["runs"], data["notes"], data["provenance"]) == (["small", "large", "odd_1"], ["a note"], {})
    group = data["groups"][0]
    assert [group[name] for name in ("task", "benchmark", "kind", "questions", "clusters")] == [
        "", "ode", "yes_no", 1_200, 30,
    ]  # fmt: skip
    score = group["headlines"][0]
    assert (score["name"], score["n"], score["values"], score["bounds"]) == (
        "accuracy", 1_200, (50.0, 75.0, 48.0), (None, (74.0, 76.0), None),
    )  # fmt: skip
    assert [(one["significant"], one["verdict"]) for one in score["differences"]] == [
        (True, "better"), (False, "not significant"),
    ]  # fmt: skip
    assert [(cell["criterion"], cell["negated"], cell["n"]) for cell in group["cells"]] == [
        ("fictional", False, 40), ("", True, 20),
    ]  # fmt: skip
