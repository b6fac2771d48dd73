"""A comparison of runs as tables and sentences, the same for the terminal, Markdown, LaTeX and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from vhbench.compare.differences import ComparedGroup, ComparedScore, Difference, RunComparison
from vhbench.files import json_bytes
from vhbench.statistics.multiple_testing import ALPHA, TOO_FEW
from vhbench.statistics.wording import LATEX, aligned, interval, number, p_value, rank_range, signed
from vhbench.terminal import in_a_line

# Columns of a table; ``{first}`` is the name of the reference run, whose rows have no difference. The metric is
# followed by the number of questions (or pairs) that it covers, a verdict that is not significant by the smallest
# detectable difference, or the reason if the adjusted p-value is significant. That is adjusted over its family. Ranks
# are ranges where they are not certain; they follow from the verdicts on all pairs of runs.
HEADER = ("metric", "run", "score [95 % CI]", "Δ vs. {first} [95 % CI]", "p", "adj. p", "verdict", "rank")
_EXAMPLES = 5  # maximum number of significant differences in the summary of a run, the largest first

# titles of tables (task, and of subsets their columns), each with the cells of a row
Lines = Iterator[tuple[str, tuple[str, ...]]]


def headlines(runs: RunComparison) -> Lines:
    """Yield the lines of all headlines."""
    for group in runs.groups:
        title = f"{group.group.title}: {group.questions:,} questions, {group.clusters:,} clusters"
        for score in group.headlines:
            yield from _lines(runs, score, title, score.name)


def cells(runs: RunComparison, *, significant: bool = False) -> Lines:
    """Yield the lines of all subsets, or of those with a significant difference."""
    for group in runs.groups:
        for cell, score in group.cells.items():
            if not significant or any(difference.significant for difference in score.differences):
                named = ", ".join(_named(name, value) for name, value in cell)
                yield from _lines(runs, score, f"{group.group.title}, {' x '.join(name for name, _ in cell)}", named)


_NULL = "not significant"

_TASKS = (
    "verdicts and ranks of tasks: adjusted over all tasks, metrics and pairs of runs of a benchmark; a leaderboard by "
    "tasks adjusts each task's headline metric alone, so it may claim other differences"
)

VERDICTS = (_NULL, "better", "worse", "higher", "lower", "n/a")  # verdicts on a difference, in all tables and pages


def verdict(value: float, *, significant: bool, tested: bool, higher_is_better: bool | None) -> str:
    """Return the verdict, one of :data:`VERDICTS`, on a difference: one run's score minus the other's.

    ``significant`` is by the adjusted p-value; ``tested``: there are enough discordant clusters for a test.
    ``higher_is_better`` is None for metrics without a direction.

    >>> verdict(2.0, significant=True, tested=True, higher_is_better=False)
    'worse'
    """
    if not tested:
        return "n/a"
    if not significant:
        return _NULL
    if higher_is_better is None:
        return "higher" if value > 0 else "lower"
    return "better" if (value > 0) == higher_is_better else "worse"


def verdict_of(score: ComparedScore, difference: Difference) -> str:
    """Return the verdict on a difference of two runs; "n/a" with the number of discordant clusters."""
    tested = difference.p_family is not None
    text = verdict(
        difference.value, significant=difference.significant, tested=tested, higher_is_better=score.higher_is_better
    )
    return text if tested else f"{text} ({difference.discordant_clusters})"


def _verdict(score: ComparedScore, difference: Difference) -> str:
    text, p = verdict_of(score, difference), difference.p_family
    if text == _NULL and p is not None and p <= ALPHA:
        return f"{text} (CI contains 0)"
    if text == _NULL and difference.detectable is not None:
        return f"{text} (detects {number(difference.detectable)})"
    return text


def summary(runs: RunComparison) -> Iterator[str]:
    """Yield for each run its verdicts, counted over headline metrics and subsets, and its largest differences."""
    heads = [(f"{score.name} of {group.group.title}", score) for group in runs.groups for score in group.headlines]
    subsets = [score for group in runs.groups for score in group.cells.values()]
    scores = [*(score for _, score in heads), *subsets]
    order = (*VERDICTS[1:-1], _NULL, VERDICTS[-1])
    for run, name in enumerate(runs.names[1:], start=1):
        yield f"{name} vs. {runs.names[0]}"
        for kind, some in (("all questions", scores[: len(heads)]), ("subsets", subsets)):
            verdicts = [verdict_of(score, one).partition(" (")[0] for score in some for one in _of(run, score)]
            if verdicts:
                words = ", ".join(f"{verdicts.count(each):,} {each}" for each in order if each in verdicts)
                yield f"  {kind}: {len(verdicts):,} difference{'s' if len(verdicts) > 1 else ''}: {words}"
            elif some and kind != "subsets":
                yield "  no difference: scores of a run are withheld or undefined"
        largest = sorted(
            (-abs(one.value), f"{title} ({signed(one.value)})")
            for title, score in heads
            for one in _of(run, score)
            if one.significant
        )
        if largest:
            yield f"  largest significant: {'; '.join(text for _, text in largest[:_EXAMPLES])}"
    verdicts = [_verdict(score, difference) for score in scores for difference in score.differences]
    if any(words.startswith(f"{_NULL} (detects") for words in verdicts):
        yield "detects: smallest difference that these questions detect with 80 % power (vhbench plan)"
    if any(words.startswith("n/a") for words in verdicts):
        yield f"n/a: fewer than {TOO_FEW + 1} discordant clusters, too few for a test"
    tasks = [score for group in runs.groups if group.group.task for score in group.headlines if score.ranks]
    if any(difference.p_family is not None for score in tasks for difference in score.differences):
        yield _TASKS
    if any(own.bounds for score in scores for own in score.scores):
        yield "in parentheses: the score with all missing predictions incorrect, and with all correct"


def _of(run: int, score: ComparedScore) -> list[Difference]:
    return [one for one in score.differences if one.run == run]


def wide(runs: RunComparison) -> Iterator[str]:
    """Yield why intervals of headline metrics are wide, one line per reason."""
    where: dict[str, dict[str, None]] = {}
    for group in runs.groups:
        for score in group.headlines:
            notes = [*(side.note for side in score.scores), *(side.note for side in score.differences)]
            for note in filter(None, notes):
                where.setdefault(note, {})[f"{group.group.title} {score.name}"] = None
    for note, scores in where.items():
        first, *others = scores
        yield f"CI{'s' if others else ''} of {first}{f' and {len(others)} more' if others else ''}: {note}"


def terminal(runs: RunComparison) -> Iterator[str]:
    """Yield the printed lines: headline metrics, subsets with a significant difference, summary."""
    yield from _tables(runs, headlines(runs))
    if significant := list(cells(runs, significant=True)):
        yield from ("", "Subsets with a significant difference")
        yield from _tables(runs, iter(significant))
    yield from ("", "Summary")
    yield from (f"  {in_a_line(line)}" for line in (*summary(runs), *wide(runs)))


def _tables(runs: RunComparison, lines: Lines) -> Iterator[str]:
    for title, rows in _by_title(lines).items():
        yield from ("", in_a_line(title))
        yield from aligned([header(runs), *rows])


def files(runs: RunComparison) -> dict[str, bytes]:
    """Return the texts of a comparison by the names of their files."""
    return {
        "comparison.json": json_bytes(to_json(runs)),
        "comparison.md": markdown(runs).encode(),
        "comparison.tex": latex(runs).encode(),
    }


def to_json(runs: RunComparison) -> dict[str, Any]:
    """Return everything as JSON."""

    def score(one: ComparedScore) -> dict[str, Any]:
        values, ends, notes, bounds = zip(*one.scores, strict=True)
        return {
            "name": one.name,
            "n": one.n,
            "values": values,
            "intervals": ends,
            "higher_is_better": one.higher_is_better,
            "differences": [
                asdict(each) | {"significant": each.significant, "verdict": verdict_of(one, each)}
                for each in one.differences
            ],
            "ranks": one.ranks,
            "wide": notes,
            "bounds": bounds,
        }

    def group(one: ComparedGroup) -> dict[str, Any]:
        return {
            "task": one.group.task,
            "benchmark": one.group.benchmark,
            "kind": one.group.family,
            "questions": one.questions,
            "clusters": one.clusters,
            "headlines": [score(each) for each in one.headlines],
            "cells": [dict(cell) | score(each) for cell, each in one.cells.items()],
        }

    return {
        "runs": list(runs.names),
        "notes": list(runs.notes),
        "summary": list(summary(runs)),
        "groups": [group(one) for one in runs.groups],
        "provenance": {
            name: {task: source.to_json() for task, source in sorted(own.items())}
            for name, own in zip(runs.names, runs.provenance, strict=False)
        },
    }


def origins(runs: RunComparison) -> Iterator[str]:
    """Yield the provenance of each run's responses, one line per benchmark."""
    for name, own in zip(runs.names, runs.provenance, strict=False):
        for benchmark in dict.fromkeys(source.benchmark for source in own.values()):
            source = next(source for source in own.values() if source.benchmark == benchmark)
            yield (
                f"{name}: {' '.join(filter(None, (source.model, source.model_args)))} on {benchmark} {source.version} "
                f"(content hash {source.content_hash[:12]}…) from {source.data}; vhbench {source.vhbench}, lmms-eval "
                f"{source.lmms_eval}"
            )


def markdown(runs: RunComparison) -> str:
    """Return the comparison as Markdown."""
    parts = [
        f"# {' · '.join(runs.names).translate(_MARKDOWN)}",
        *(line.translate(_MARKDOWN) for line in (*runs.notes, *summary(runs), *wide(runs), *origins(runs))),
    ]
    for heading, lines in (("Headline metrics", headlines(runs)), ("Subsets", cells(runs))):
        parts.append(f"## {heading}")
        for title, own in _by_title(lines).items():
            table = [header(runs), ["---"] * 2 + ["---:"] * 4 + ["---"] * 2, *own]
            rows = [f"| {' | '.join(cell.translate(_MARKDOWN) for cell in row)} |" for row in table]
            parts += [f"### {title.translate(_MARKDOWN)}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def latex(runs: RunComparison) -> str:
    """Return the headline metrics as a LaTeX table (package booktabs), with notes and provenance as comments."""
    comments = [f"% {' '.join(line.split())}" for line in (*runs.notes, *origins(runs))]

    def row(columns: Sequence[str]) -> str:
        return " & ".join(column.translate(_LATEX) for column in columns) + r" \\"

    rows = [*comments, r"\begin{tabular}{llrrrrll}", r"\toprule", row(header(runs)), r"\midrule"]
    for title, own in _by_title(headlines(runs)).items():
        rows += [rf"\multicolumn{{{len(HEADER)}}}{{l}}{{\emph{{{title.translate(_LATEX)}}}}} \\"]
        rows += map(row, own)
        rows += [r"\midrule"]
    return "\n".join([*rows[:-1], r"\bottomrule", r"\end{tabular}"]) + "\n"


def header(runs: RunComparison) -> list[str]:
    """Return the column headers, with the name of the reference run."""
    return [head.format(first=runs.names[0]) if "{" in head else head for head in HEADER]


def _lines(runs: RunComparison, score: ComparedScore, title: str, named: str) -> Lines:
    differences = {one.run: one for one in score.differences}
    for run, name in enumerate(runs.names):
        own, difference = score.scores[run], differences.get(run)
        rank = score.ranks[run] if score.ranks else None
        bounds = f" ({number(own.bounds[0])}–{number(own.bounds[1])})" if own.bounds else ""
        row = (
            f"{named} ({score.n:,})",
            name,
            "undefined" if own.value is None else _estimate(f"{own.value:.1f}", own.interval) + bounds,
            "" if difference is None else _estimate(signed(difference.value), difference.interval),
            *(("", "") if difference is None else (p_value(difference.p), p_value(difference.p_family))),
            "" if difference is None else _verdict(score, difference),
            "" if rank is None else rank_range(*rank),
        )
        yield title, row


def _named(column: str, value: object) -> str:
    return f"{'' if value else 'not '}{column}" if isinstance(value, bool) else str(value) or "(none)"


def _estimate(value: str, ends: Sequence[float] | None) -> str:
    return value if ends is None else f"{value} {interval(ends)}"


def _by_title(lines: Lines) -> Mapping[str, list[tuple[str, ...]]]:
    by_title: dict[str, list[tuple[str, ...]]] = {}
    for title, line in lines:
        by_title.setdefault(title, []).append(line)
    return by_title


_MARKDOWN = str.maketrans(
    {mark: f"\\{mark}" for mark in "\\`*_|[]#"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "\n": " "}
)
_LATEX = str.maketrans({  # "[" at the beginning of a row would be an option of the row before
    **LATEX, "<": "$<$", ">": "$>$", "[": "{[}", "]": "{]}", "\N{MINUS SIGN}": "$-$", "Δ": r"$\Delta$", "–": "--",
    "\n": " ",
})  # fmt: skip
