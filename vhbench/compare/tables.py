"""What a comparison says, line by line: the same for the terminal, Markdown, LaTeX and JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vhbench.compare.differences import ComparedGroup, ComparedScore, Difference, RunComparison
from vhbench.files import json_bytes
from vhbench.terminal import in_a_line

HEADER = ("score", "run", "value [95 %]", "less {first} [95 %]", "p", "p of all", "verdict", "rank")
"""Of a table; ``{first}`` is the name of the run that the others are compared with."""

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One run's value of one score.

    Attributes:
        title: whose score it is: a task, and of a cell its columns.
        score: name of the metric, with the number of questions.
        run: name of the run.
        value: with its interval.
        difference: from the first run, with its interval; "" for the first.
        p: of the difference alone, and among all claims of its family.
        verdict: what is claimed.
        rank: which ranks are left open.
    """

    title: str
    score: str
    run: str
    value: str
    difference: str
    p: tuple[str, str]
    verdict: str
    rank: str

    @property
    def columns(self) -> tuple[str, ...]:
        """What stands below :data:`HEADER`."""
        return self.score, self.run, self.value, self.difference, *self.p, self.verdict, self.rank


def headlines(found: RunComparison) -> Iterator[ScoreLine]:
    """Yield the lines of all headlines."""
    for group in found.groups:
        title = f"{group.group.title}: {group.questions:,} questions, {group.clusters:,} clusters"
        for score in group.headlines:
            yield from _lines(found, score, title, score.name)


def cells(found: RunComparison, *, certain: bool = False) -> Iterator[ScoreLine]:
    """Yield the lines of all cells, or of those in which a run certainly differs."""
    for group in found.groups:
        for cell, score in group.cells.items():
            if not certain or any(difference.certain for difference in score.differences):
                named = ", ".join(_named(name, value) for name, value in cell)
                yield from _lines(found, score, f"{group.group.title}, {' x '.join(name for name, _ in cell)}", named)


VERDICTS = ("open", "better", "worse", "higher", "lower", "too few differ")
"""What can be said of a difference, in all tables and pages."""


def verdict(value: float, *, certain: bool, tested: bool, higher_is_better: bool | None) -> str:
    """Return the verdict on a difference, one of :data:`VERDICTS`.

    Args:
        value: one run's score less the other's.
        certain: whether the difference is claimed, among all claims of its family.
        tested: whether enough clusters differ for any claim.
        higher_is_better: None where neither more nor less is better.

    >>> verdict(2.0, certain=True, tested=True, higher_is_better=False)
    'worse'
    """
    if not tested:
        return "too few differ"
    if not certain:
        return "open"
    if higher_is_better is None:
        return "higher" if value > 0 else "lower"
    return "better" if (value > 0) == higher_is_better else "worse"


def verdict_of(score: ComparedScore, one: Difference) -> str:
    """Return the verdict on a difference of two runs, with how many clusters differ where these are too few."""
    tested = one.p_family is not None
    found = verdict(one.value, certain=one.certain, tested=tested, higher_is_better=score.higher_is_better)
    return found if tested else f"{found} ({one.differ})"


def summary(found: RunComparison) -> Iterator[str]:
    """Say in a few sentences what is certain, and how many cells were looked at."""
    first = found.names[0]
    for run, name in enumerate(found.names[1:], start=1):
        told = [
            f"{verdict_of(score, one)} in {score.name} of {group.group.title} ({signed(one.value)})"
            for group in found.groups
            for score in group.headlines
            for one in score.differences
            if one.run == run and one.certain
        ]
        yield f"{name} against {first}: {'; '.join(told) or 'no significant difference'}."
    every = [one for group in found.groups for score in group.cells.values() for one in score.differences]
    if every:
        few = sum(one.p_family is None for one in every)
        yield (
            f"Of {len(every):,} differences in cells, {sum(one.certain for one in every):,} are certain, and {few:,} "
            "rest on too few clusters that differ (5 or fewer) to claim anything."
        )


def wide(found: RunComparison) -> Iterator[str]:
    """Say of which headlines the intervals are wide, and why, each reason in a line."""
    where: dict[str, dict[str, None]] = {}
    for group in found.groups:
        for score in group.headlines:
            for note in filter(None, (*score.wide, *(one.note for one in score.differences))):
                where.setdefault(note, {})[f"{score.name} of {group.group.title}"] = None
    for note, scores in where.items():
        first, *others = scores
        yield f"{note}: {first}{f' and {len(others)} more headlines' if others else ''}"


def terminal(found: RunComparison) -> Iterator[str]:
    """Yield the lines of a comparison as a terminal shows them: headlines, cells that differ, sentences."""
    yield from _aligned(found, headlines(found))
    certain = list(cells(found, certain=True))
    if certain:
        yield from ("", "Cells in which a difference is certain")
        yield from _aligned(found, iter(certain))
    yield ""
    yield from map(in_a_line, (*summary(found), *wide(found)))


def _aligned(found: RunComparison, lines: Iterator[ScoreLine]) -> Iterator[str]:
    for title, rows in _by_title(lines).items():
        table = [tuple(header(found)), *(tuple(map(in_a_line, row.columns)) for row in rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        yield from ("", in_a_line(title))
        last = ""
        for row in table:
            shown = row if row[0] != last else ("", *row[1:])
            last = row[0]
            yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(shown, widths, strict=True)).rstrip()


def files(found: RunComparison) -> dict[str, bytes]:
    """Return the texts of a comparison by the names of their files."""
    return {
        "comparison.json": json_bytes(to_json(found)),
        "comparison.md": markdown(found).encode(),
        "comparison.tex": latex(found).encode(),
    }


def to_json(found: RunComparison) -> dict[str, Any]:
    """Return everything as JSON."""

    def score(one: ComparedScore) -> dict[str, Any]:
        told = asdict(one)
        for said, difference in zip(told["differences"], one.differences, strict=True):
            said["verdict"] = verdict_of(one, difference)
        return told

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
        "runs": list(found.names),
        "notes": list(found.notes),
        "summary": list(summary(found)),
        "groups": [group(one) for one in found.groups],
        "provenance": {
            name: {task: told.to_json() for task, told in sorted(own.items())}
            for name, own in zip(found.names, found.provenance, strict=False)
        },
    }


def origins(found: RunComparison) -> Iterator[str]:
    """Say of each run where its answers come from, a line for each benchmark."""
    for name, own in zip(found.names, found.provenance, strict=False):
        for benchmark in dict.fromkeys(told.benchmark for told in own.values()):
            told = next(told for told in own.values() if told.benchmark == benchmark)
            yield (
                f"{name}: {' '.join(filter(None, (told.model, told.model_args)))} on {benchmark} {told.version} "
                f"(content hash {told.content_hash[:12]}…) from {told.data}; vhbench {told.vhbench}, lmms-eval "
                f"{told.lmms_eval}"
            )


def markdown(found: RunComparison) -> str:
    """Return all of it as Markdown."""
    parts = [
        f"# {' · '.join(map(_markdown, found.names))}",
        *(_markdown(line) for line in (*found.notes, *summary(found), *wide(found), *origins(found))),
    ]
    for heading, lines in (("Headlines", headlines(found)), ("Cells", cells(found))):
        parts.append(f"## {heading}")
        for title, own in _by_title(lines).items():
            table = [header(found), ["---"] * 2 + ["---:"] * 4 + ["---"] * 2, *(line.columns for line in own)]
            rows = [f"| {' | '.join(map(_markdown, row))} |" for row in table]
            parts += [f"### {_markdown(title)}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def latex(found: RunComparison) -> str:
    """Return the headlines as a table for LaTeX; needs the package booktabs. Comments say what is to be known first."""
    width = len(HEADER)
    told = [f"% {' '.join(line.split())}" for line in (*found.notes, *origins(found))]
    rows = [*told, r"\begin{tabular}{llrrrrll}", r"\toprule", _row(header(found), _latex), r"\midrule"]
    for title, own in _by_title(headlines(found)).items():
        rows += [rf"\multicolumn{{{width}}}{{l}}{{\emph{{{_latex(title)}}}}} \\"]
        rows += [_row(line.columns, _latex) for line in own]
        rows += [r"\midrule"]
    return "\n".join([*rows[:-1], r"\bottomrule", r"\end{tabular}"]) + "\n"


def header(found: RunComparison) -> list[str]:
    """Return the heads of a table's columns."""
    return [head.format(first=found.names[0]) if "{" in head else head for head in HEADER]


def signed(value: float) -> str:
    """Return a difference with its sign.

    >>> signed(1.25), signed(-0.04), signed(-3.0)
    ('+1.2', '0.0', '−3.0')
    """
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", MINUS)


def _lines(found: RunComparison, score: ComparedScore, title: str, named: str) -> Iterator[ScoreLine]:
    differences = {one.run: one for one in score.differences}
    for run, name in enumerate(found.names):
        value, difference = score.values[run], differences.get(run)
        rank = score.ranks[run] if score.ranks else None
        yield ScoreLine(
            title,
            f"{named} ({score.n:,})",
            name,
            "none" if value is None else f"{value:.1f}{ends_in_words(score.intervals[run])}",
            "" if difference is None else signed(difference.value) + ends_in_words(difference.interval, signed),
            ("", "") if difference is None else (_p(difference.p), _p(difference.p_family)),
            "" if difference is None else verdict_of(score, difference),
            "" if rank is None else f"{rank[0]}" if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}",
        )


def _named(column: str, value: object) -> str:
    return f"{'' if value else 'not '}{column}" if isinstance(value, bool) else str(value) or "(none)"


def ends_in_words(interval: Sequence[float] | None, shown: Callable[[float], str] = "{:.1f}".format) -> str:
    """Return an interval as it stands behind its value; nothing where there is none."""
    return "" if interval is None else f" [{shown(interval[0])}, {shown(interval[1])}]"


def _p(p: float | None) -> str:
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _by_title(lines: Iterator[ScoreLine]) -> Mapping[str, list[ScoreLine]]:
    found: dict[str, list[ScoreLine]] = {}
    for line in lines:
        found.setdefault(line.title, []).append(line)
    return found


def _row(columns: Sequence[str], escaped: Callable[[str], str]) -> str:
    return " & ".join(map(escaped, columns)) + r" \\"


_SPECIAL_IN_MARKDOWN = {mark: f"\\{mark}" for mark in "\\`*_|[]#"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "\n": " "}
_SPECIAL_IN_LATEX = {mark: f"\\{mark}" for mark in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "[": "{[}",  # at the beginning of a row it would be an option of the row before
    "]": "{]}",
    MINUS: "$-$",
    "–": "--",
    "\n": " ",
}


def _markdown(text: str) -> str:
    return "".join(_SPECIAL_IN_MARKDOWN.get(letter, letter) for letter in text)


def _latex(text: str) -> str:
    return "".join(_SPECIAL_IN_LATEX.get(letter, letter) for letter in text)
