"""Downloads of a board: all scores as CSV and JSON (gzip, for boards of hundreds of models), Parquet and LaTeX."""

import csv
import gzip
import io
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vhbench.files import json_bytes
from vhbench.leaderboard import site_views
from vhbench.leaderboard.rankings import BoardModel, EditionStandings, Rankings
from vhbench.statistics.sums import Score
from vhbench.statistics.wording import LATEX, rank_range

# file → text of its link
NAMES = (("scores.csv.gz", "CSV"), ("scores.json.gz", "JSON"), ("scores.parquet", "Parquet"), ("scores.tex", "LaTeX"))
COLUMNS: tuple[str, ...] = (
    "model", "name", "reference", "benchmark", "version", "content_hash", "family", "metric", "part", "value", "low",
    "high", "lower_bound", "upper_bound", "first_rank", "last_rank", "task", "verified",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def files(standings: Rankings) -> Mapping[str, bytes]:
    """Return all files by name."""
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in _rows(standings)]
    return {
        "scores.csv.gz": gzip.compress(_csv(rows), mtime=0),
        "scores.json.gz": gzip.compress(json_bytes(rows), mtime=0),
        "scores.parquet": _parquet(rows),
        "scores.tex": latex(standings).encode(),
    }


def _rows(standings: Rankings) -> Iterator[tuple[Any, ...]]:
    """Yield one row per model and score, overall and by subset."""
    for one in standings.editions:
        edition, main = one.edition, one.questions.main
        for number in sorted(one.rescorings):
            model, rescoring = standings.models[number], one.rescorings[number]
            about = (model.slug, model.about.name, model.about.reference)
            keys = (*about, edition.benchmark, edition.version, edition.content_hash)
            last = (edition.task, model.tiers.get(edition.name, ""))
            for family, scores in rescoring.scores.items():
                for metric, score in scores.items():
                    ranked = family == main.family.name and metric == main.headline
                    ranks = one.ranks.get(number, (None, None)) if ranked else (None, None)
                    yield (*keys, family, metric, "", *_numbers(score), *ranks, *last)
            for part, score in zip(main.parts, rescoring.parts[main.family.name], strict=True):
                subset = "/".join(f"{column}={value}" for column, value in zip(part.columns, part.values, strict=True))
                yield (*keys, main.family.name, main.headline, subset, *_numbers(score), None, None, *last)


def _numbers(score: Score) -> list[float | None]:
    """Return a score, its interval, and its bounds: with every missing prediction wrong, and right."""
    numbers = (score.value, *(score.interval or (None, None)), *(score.bounds or (None, None)))
    return [None if number is None else round(number, 4) for number in numbers]


def _csv(rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO(newline="")
    table = csv.DictWriter(out, COLUMNS)
    table.writeheader()
    for row in rows:
        # A spreadsheet would evaluate such a name as a formula.
        formulas = {k: f"'{v}" for k, v in row.items() if isinstance(v, str) and v.startswith(_FORMULA)}
        table.writerow(row | formulas)
    return out.getvalue().encode()


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    numbers = ("value", "low", "high", "lower_bound", "upper_bound")
    kinds = {**dict.fromkeys(numbers, pa.float64()), "first_rank": pa.int32(), "last_rank": pa.int32()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), out, compression="zstd")
    return out.getvalue()


def latex(standings: Rankings) -> str:
    """Return a LaTeX table (booktabs) of the headline scores with intervals and ranks."""
    titles = [view.title for view in site_views.edition_views(standings)]
    lines = [r"\begin{tabular}{l" + "rr" * len(titles) + "}", r"\toprule"]
    lines += ["Model" + "".join(rf" & \multicolumn{{2}}{{c}}{{{escape(title)}}}" for title in titles) + r" \\"]
    lines += ["" + " & score & rank" * len(titles) + r" \\", r"\midrule"]

    def order(model: BoardModel) -> list[float]:
        values = [one.headline(model.number).value for one in standings.editions]
        return [1.0 if value is None else -value for value in values]

    for model in sorted(standings.ranked, key=order):
        cells = [_cell(one, model) for one in standings.editions]
        lines.append(" & ".join([escape(model.about.name), *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _cell(one: EditionStandings, model: BoardModel) -> str:
    score = one.headline(model.number)
    if score.value is None:
        return "-- & --"
    ends = "" if score.interval is None else rf" {{\scriptsize [{score.interval[0]:.1f}, {score.interval[1]:.1f}]}}"
    return f"{score.value:.1f}{ends} & {rank_range(*one.ranks[model.number], dash='--')}"


def escape(text: str) -> str:
    r"""Escape a text for LaTeX.

    >>> print(escape("A_1 & 50%"))
    A\_1 \& 50\%
    """
    return "".join(LATEX.get(sign, sign) for sign in text)
