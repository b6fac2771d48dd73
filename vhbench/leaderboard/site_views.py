"""View models of the pages: plain values for templates without logic."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from vhbench.benchmarks import BENCHMARKS
from vhbench.leaderboard.baselines import BLIND, chance
from vhbench.leaderboard.boards import Edition
from vhbench.leaderboard.question_index import QuestionIndex, QuestionPart, in_order
from vhbench.leaderboard.rankings import BoardModel, EditionStandings, Rankings
from vhbench.leaderboard.reproduction import REJECTED, REPRODUCED
from vhbench.leaderboard.rescoring import RescoredEntry
from vhbench.statistics.sums import Score
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import headline_of, metrics_of

STEPS = 4  # colour steps on either side of the blind baseline


@dataclass(frozen=True, slots=True)
class RowView:
    """A model in the table of an edition."""

    model: BoardModel | None  # None for a baseline of which only the score is known
    name: str
    kind: str  # kind of baseline; "" for a model
    score: Score
    ranks: tuple[int, int] | None = None  # rank range; None for a baseline
    extra: Sequence[float | None] = ()  # further scores, in the order of `EditionView.extra`
    unread: float | None = None  # percentage of responses without a prediction
    tier: str = ""  # how far a model's entry is verified, in words; "" for a baseline
    fall: str = ""  # its public–fresh gap in words, if significant; else ""
    # numbers of tokens of its responses; empty if unknown
    tokens: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EditionView:
    """An edition on the pages."""

    edition: Edition
    title: str
    asks: str  # ability that it tests
    headline: str  # name of its headline score
    lower: bool  # whether a lower headline score is better
    count: int
    baseline: float  # score of the blind baseline in percent, at which bars begin
    axis: tuple[int, int]  # limits of the bars' axis
    rows: Sequence[RowView]  # models, best first, then baselines
    extra: Sequence[tuple[str, bool]]  # names of further columns, and whether lower is better
    parts: Sequence[tuple[str, str]]  # subsets of its questions, by title

    @property
    def name(self) -> str:
        """Name of its page and folders."""
        return self.edition.name

    @property
    def models(self) -> list[RowView]:
        """Rows of ranked models, best first, those without a score last."""
        return [row for row in self.rows if not row.kind]

    @property
    def ranked(self) -> int:
        """Number of models with a rank."""
        return sum(row.ranks is not None for row in self.models)

    @property
    def references(self) -> list[RowView]:
        """Rows of the baselines."""
        return [row for row in self.rows if row.kind]

    def row(self, model: BoardModel) -> RowView | None:
        """Return the row of a model, None without an entry."""
        return next((row for row in self.rows if row.model is model), None)


def edition_views(standings: Rankings) -> list[EditionView]:
    """Return the views of all editions."""
    several = [title_of(one.edition) for one in standings.editions]
    return [_edition(standings, one, several.count(title_of(one.edition)) > 1) for one in standings.editions]


def _edition(standings: Rankings, one: EditionStandings, several: bool) -> EditionView:
    entry, family = BENCHMARKS[one.edition.benchmark], one.questions.main
    title = title_of(one.edition)
    heading = f"{title} {one.edition.version}" if several else title
    metrics = [(name, m) for name in one.questions.families for m in metrics_of(name) if m.brief]
    first = family.parts[0].columns if family.parts else ()
    leading = [place for place, part in enumerate(family.parts) if part.columns == first]
    rows = [_row(standings, number, one, metrics, leading) for number in sorted(one.rescorings)]
    headline = headline_of(family.family.name)
    lower = headline.higher_is_better is False
    sign = 1 if lower else -1
    rows.sort(key=lambda row: (bool(row.kind), row.score.value is None, sign * (row.score.value or 0.0)))
    rows += [RowView(None, level.name, level.kind, Score(level.value)) for level in one.levels]
    base = baseline(standings, one)
    ends = [base] + [end for row in rows if not row.kind for end in row.score.interval or (row.score.value or 0.0,)]
    axis = (10 * floor(min(ends) / 10), max(10 * ceil(max(ends) / 10), 10 * floor(min(ends) / 10) + 10))
    extra = [(metric.label, metric.higher_is_better is False) for _, metric in metrics]
    extra += [(words(family.parts[i])[1], lower) for i in leading]
    parts = [words(part) for part in family.parts]
    count = len(one.questions.rows)
    return EditionView(one.edition, heading, entry.asks, headline.label, lower, count, base, axis, rows, extra, parts)


def title_of(edition: Edition) -> str:
    """Return the title of a benchmark or task, without its version."""
    task = edition.task.removeprefix(edition.benchmark).replace("_", " ")
    return BENCHMARKS[edition.benchmark].title.partition(":")[0] + task


def _row(
    standings: Rankings,
    number: int,
    one: EditionStandings,
    metrics: Sequence[tuple[str, Metric]],
    leading: Sequence[int],
) -> RowView:
    model, rescoring, main = standings.models[number], one.rescorings[number], one.questions.main
    score = one.headline(number)
    extra = [rescoring.scores[family][metric.name].value for family, metric in metrics]
    extra += [rescoring.parts[main.family.name][place].value for place in leading]
    unread = sum(share for why, share in rescoring.failures.items() if why != "cut_off")
    ranks, tokens = one.ranks.get(model.number), rescoring.tokens.get(main.family.name, {})
    tier = tier_in_words(standings, model, one.edition.name) if model.ranked else ""
    fall = fall_in_words(standings, model, one.edition.name)
    return RowView(model, model.about.name, model.about.reference, score, ranks, extra, unread, tier, fall, tokens)


def tier_in_words(standings: Rankings, model: BoardModel, name: str = "") -> str:
    """Return the tier of an entry, or of all, and whether one not rerun nearly equals the reference answers."""
    tier = model.tiers.get(name, model.tier)
    near = {
        edition: standings.of(edition).rescorings[model.number].near_answers
        for edition, own in model.tiers.items()
        if name in ("", edition) and own not in (REPRODUCED, REJECTED)
    }
    return "; ".join([tier, *(f"{text} of {edition}" for edition, text in near.items() if text)])


def fall_in_words(standings: Rankings, model: BoardModel, name: str = "") -> str:
    """Return how far a model falls from a public edition, or any, to a fresh one; "" if that is not significant."""
    fall = standings.fall(model, name)
    return "" if fall is None else f"falls {fall[1].value:.1f} points on {fall[0]}"


def words(part: QuestionPart) -> tuple[str, str]:
    """Return heading and title of a subset."""
    values = [value_in_words(column, value) for column, value in zip(part.columns, part.values, strict=True)]
    labels = [name for column, name in zip(part.columns, values, strict=True) if column != "source"] or values
    return " × ".join(column.replace("_", " ") for column in part.columns if column != "source"), ", ".join(labels)


def value_in_words(column: str, value: str) -> str:
    """Return the title of a column's value.

    >>> value_in_words("pressure", "hp+hn"), value_in_words("pressure", "ni8"), value_in_words("perturbation", "")
    ('HP + HN', '8 images', 'clean')
    """
    if column == "pressure" and value != "easy":
        return f"{value[2:]} images" if value.startswith("ni") else value.upper().replace("+", " + ")
    return value.replace("_", " ") or "clean"


def baseline(standings: Rankings, one: EditionStandings, part: int | None = None) -> float:
    """Return the score of the blind baseline in percent: the most frequent answer to each type, or chance if higher."""
    family, rescoring = one.questions.main, _blind(standings, one)
    scores, parts = rescoring.scores[family.family.name], rescoring.parts[family.family.name]
    score = scores[family.headline] if part is None else parts[part]
    places = family.places if part is None else family.places[family.parts[part].places]
    return max(score.value or 0.0, 100 * chance(one.questions, places) if family.family.name != "caption" else 0.0)


def _blind(standings: Rankings, one: EditionStandings) -> RescoredEntry:
    return one.rescorings[next(m.number for m in standings.models if m.about.name == BLIND and not m.entries)]


class BarView(NamedTuple):
    """A subset of an edition on the page of a model."""

    group: str
    name: str
    score: Score
    questions: int
    baseline: float


def bars(standings: Rankings, one: EditionStandings, model: BoardModel) -> list[BarView]:
    """Return the subsets of an edition for a model."""
    family, rescoring = one.questions.main, one.rescorings[model.number]
    return [
        BarView(*words(part), score, len(part.places), baseline(standings, one, place))
        for place, (part, score) in enumerate(zip(family.parts, rescoring.parts[family.family.name], strict=True))
    ]


class CellView(NamedTuple):
    """A cell of a heat map: accuracy and blind baseline in percent, and its colour step."""

    value: int
    blind: int
    questions: int
    step: int
    cell: str


class MapView(NamedTuple):
    """A heat map of an edition for a model, with one column of its questions as rows and another as columns."""

    columns: Sequence[str]
    # group → (row, its description, its cells)
    groups: Sequence[tuple[str, Sequence[tuple[str, str, Sequence[CellView | None]]]]]


def heat_map(standings: Rankings, one: EditionStandings, model: BoardModel) -> MapView | None:
    """Return the heat map of a model; None if the benchmark has none."""
    if not (axes := BENCHMARKS[one.edition.benchmark].map):
        return None
    questions, right = one.questions, one.rescorings[model.number].right
    unseen, at = _blind(standings, one).right, questions.of_map
    across = in_order(axes[1], {key[1] for key in at})
    groups: dict[str, list[tuple[str, str, list[CellView | None]]]] = defaultdict(list)
    for row in _rows(questions, axes[0], {key[0] for key in at}):
        first = questions.rows[next(at[row, value][0] for value in across if (row, value) in at)]
        cells = [
            _cell(questions, right, unseen, at[row, value], " · ".join((row, value))) if (row, value) in at else None
            for value in across
        ]
        split = axes[0] == "question_type"
        group, beside = (first["task"], first["mode"]) if split else ("", "")
        groups[group].append((row if split else value_in_words(axes[0], row), beside, cells))
    return MapView([value_in_words(axes[1], value) for value in across], list(groups.items()))


def _rows(questions: QuestionIndex, column: str, values: set[str]) -> list[str]:
    if column != "question_type":
        return in_order(column, values)
    task = {row[column]: row["task"] for row in questions.rows}
    order = in_order("task", set(task.values()))
    return sorted(values, key=lambda name: (order.index(task[name]), len(name), name))


def _cell(questions: QuestionIndex, right: Any, unseen: Any, places: Sequence[int], cell: str) -> CellView:
    value = float(np.mean(right[places]))
    blind = max(float(np.mean(unseen[places])), chance(questions, places))
    room = 1 - blind if value > blind else blind
    step = round(STEPS * (value - blind) / room) if room else 0
    return CellView(round(100 * value), round(100 * blind), len(places), max(-STEPS, min(STEPS, step)), cell)


class PointView(NamedTuple):
    """Yes rate and symmetric accuracy of a model under a VHExpansion perturbation, in percent."""

    name: str
    cell: str
    yes: float
    score: Score
    clean: bool


def curve(one: EditionStandings, model: BoardModel) -> list[PointView]:
    """Return the points for the plot against p(1−p); empty without pairs."""
    family, rescoring = one.questions.main, one.rescorings[model.number]
    if family.headline != "symmetric_accuracy":
        return []
    points = []
    for part, score in zip(family.parts, rescoring.parts[family.family.name], strict=True):
        if score.value is not None:
            yes = 100 * float(np.mean(rescoring.yes[family.places[part.places]]))
            cell = " · ".join(value or "clean" for value in part.values)
            points.append(PointView(words(part)[1], cell, yes, score, not part.values[-1]))
    return sorted(points, key=lambda point: (not point.clean, -(point.score.value or 0), point.name))


def findings(views: Sequence[EditionView], standings: Rankings) -> Iterator[dict[str, Any]]:
    """Yield the leading models of each edition, and whether the lead is significant."""
    for view in views:
        ranked = [row for row in view.models if row.score.value is not None]
        if ranked:
            ties = sum(row.ranks is None or row.ranks[0] == 1 for row in ranked)
            top = [row for row in ranked if row.score.value == ranked[0].score.value]
            finding = {"title": view.title, "name": view.name, "first": ranked[0], "alone": len(ranked) == 1}
            yield {**finding, "leaders": top, "ties": ties}
    for (public, fresh), drops in standings.drops.items():
        gaps = [drop for number, drop in drops.items() if standings.models[number].ranked]
        fall = sum(drop.significant and drop.value > 0 for drop in gaps)
        titles = {view.name: view.title for view in views}
        if gaps:
            yield {"public": titles[public], "fresh": titles[fresh], "fall": fall, "of": len(gaps), "name": public}
