"""Questions of an edition, read once for scoring and showing the responses of many models."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vhbench import splits
from vhbench.benchmarks import BENCHMARKS, VALUE_ORDER, Family, load, task
from vhbench.columns import FLAGS, LISTS, RECORD
from vhbench.compare.scoring import vocabulary
from vhbench.leaderboard.boards import Board, Edition, is_edition, of_split, places
from vhbench.schema import Record, VhbenchError
from vhbench.splits import answer_keys
from vhbench.statistics.clustering import Clustering
from vhbench.statistics.clusters import Shared, clusters_of
from vhbench.tasks.metrics.metric import Claims
from vhbench.tasks.metrics.registry import headline_of

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A subset of the questions of a family."""

    columns: tuple[str, ...]  # columns that define the subset
    values: tuple[str, ...]  # values of these columns
    places: Places  # indices in the family
    clusters: Clustering


@dataclass(frozen=True, slots=True)
class FamilyIndex:
    """The questions of an edition that are scored together."""

    family: Family
    places: Places  # indices in the edition
    about: Sequence[Record]  # one record per question, without a response
    shared: Shared  # names that the questions share
    clusters: Clustering
    parts: tuple[QuestionPart, ...]  # subsets on the pages

    @property
    def headline(self) -> str:
        """Metric that ranks models."""
        return headline_of(self.family.name).name


@dataclass(frozen=True)
class QuestionIndex:
    """The questions of an edition, in its own order."""

    edition: Edition
    source: Path  # its split, or the key of a hidden test set
    configs: Sequence[str]
    rows: Sequence[Mapping[str, Any]]  # record columns of each question
    # all questions of its split, if these are those of a task alone
    split: "QuestionIndex | None" = field(default=None, repr=False, compare=False)
    # cached predictions, by question and response
    parsed_records: dict[tuple[int, str], Record] = field(default_factory=dict, repr=False, compare=False)
    # cached digests of the predictions of each baseline
    baselines: dict[str, npt.NDArray[np.uint32]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def number(self) -> Mapping[str, int]:
        """Index of each question by its id."""
        return {row["id"]: place for place, row in enumerate(self.rows)}

    @cached_property
    def about(self) -> Sequence[Record]:
        """One record per question, without a response."""
        return [Record(**row) for row in self.rows]

    @cached_property
    def chances(self) -> npt.NDArray[np.float64]:
        """Probability that a uniform guess answers each question."""
        return np.array([1 / (len(row["choices"]) or 2) for row in self.rows])

    @cached_property
    def of_map(self) -> Mapping[tuple[str, str], list[int]]:
        """Indices of the questions of each cell of the heat map, by the values of its axes; empty without one."""
        indices: dict[tuple[str, str], list[int]] = defaultdict(list)
        axes = BENCHMARKS[self.edition.benchmark].map
        for place in self.main.places.tolist() if axes else ():
            indices[str(self.rows[place][axes[0]]), str(self.rows[place][axes[1]])].append(place)
        return indices

    @cached_property
    def families(self) -> Mapping[str, FamilyIndex]:
        """Families of its questions by name, the ranked one first."""
        entry, members = BENCHMARKS[self.edition.benchmark], dict[str, list[int]]()
        by_name = {family.name: family for family in entry.families.values()}
        for place, row in enumerate(self.rows):
            members.setdefault(entry.families[row["kind"]].name, []).append(place)
        order = sorted(members, key=lambda name: (name == "caption", name))
        return {name: self._family(by_name[name], np.array(members[name])) for name in order}

    @property
    def main(self) -> FamilyIndex:
        """Family that ranks models."""
        return next(iter(self.families.values()))

    @cached_property
    def claimed(self) -> Callable[[Record], Claims] | None:
        """Counter of a caption's claims; None without captions."""
        name = self.edition.benchmark
        captions = any(row["kind"] == "caption" for row in self.rows)
        return load(BENCHMARKS[name].claims)(vocabulary(self.source)) if captions else None

    def at(self, places: Sequence[int]) -> "QuestionIndex":
        """Return some of the questions."""
        configs, rows = [self.configs[place] for place in places], [self.rows[place] for place in places]
        return QuestionIndex(self.edition, self.source, configs, rows)

    @property
    def whole(self) -> "QuestionIndex":
        """All questions of its split."""
        return self.split or self

    def of_task(self, name: str) -> list[int]:
        """Return the indices of the questions of a task or group."""
        definition = task(name)
        if definition.members:
            return sorted({place for member in definition.members for place in self.of_task(member)})
        if definition.keep is None:
            return [place for place, config in enumerate(self.configs) if config == name]
        return [place for place, row in enumerate(self.rows) if definition.keeps(row.__getitem__)]

    def cell(self, place: int) -> str:
        """Return the subset of a question, for the filter of examples: "E5 · hn"."""
        row = self.rows[place]
        values = [str(row[name]) for name in BENCHMARKS[self.edition.benchmark].cell]
        return " · ".join(value or "clean" for value in values)

    def _family(self, family: Family, indices: Places) -> FamilyIndex:
        about = [self.about[place] for place in indices]
        parts = list[QuestionPart]()
        for columns in () if family.name == "caption" else BENCHMARKS[self.edition.benchmark].parts or family.cells[:1]:
            inside: dict[tuple[str, ...], list[int]] = defaultdict(list)
            for place, record in enumerate(about):
                inside[tuple(str(getattr(record, name)) for name in columns)].append(place)
            for values in sorted(inside, key=lambda values: _order(columns, values)):
                members = np.array(inside[values])
                clusters = clusters_of([about[place] for place in members])
                parts.append(QuestionPart(columns, values, members, clusters))
        shared = Shared.of(about)
        return FamilyIndex(family, indices, about, shared, shared.among(), tuple(parts))


def _order(columns: Iterable[str], values: Iterable[str]) -> list[tuple[int, str]]:
    """Return a sort key of column values in natural order."""
    pairs = zip((VALUE_ORDER.get(column, ()) for column in columns), values, strict=True)
    return [(order.index(value) if value in order else len(order), value) for order, value in pairs]


def in_order(column: str, values: Iterable[str]) -> list[str]:
    """Return the values of a column in natural order.

    >>> in_order("criterion", {"fictional", "standard"})
    ['standard', 'fictional']
    """
    return sorted(values, key=lambda value: _order((column,), (value,)))


@lru_cache(maxsize=1)
def cached_question_index(edition: Edition, source: Path) -> QuestionIndex:
    """Read the questions of an edition, at least one, from a split or from the key of a hidden test set.

    They are read once for all entries in a row, which come in the order of their editions.
    """
    configs, rows = list[str](), list[dict[str, Any]]()
    if answer_keys.is_key(source):
        for config, row in answer_keys.read_key(source):
            configs.append(config)
            text = {name: str(row.get(name) or "") for name in RECORD}
            flags = {name: bool(row.get(name)) for name in RECORD if name in FLAGS}
            rows.append(text | flags | {name: tuple(row.get(name) or ()) for name in RECORD if name in LISTS})
    else:
        for config, row in splits.read_columns(source, list(RECORD)):
            configs.append(config)
            rows.append(row)
    whole = QuestionIndex(edition, source, configs, rows)
    if not edition.task:
        return whole
    members = whole.of_task(edition.task)
    if not members:
        raise VhbenchError(f"{source}: has no question of the task {edition.task}")
    return replace(whole.at(members), split=whole)


def find_sources(board: Board, paths: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the source of each edition's questions, by the name of the edition.

    Splits are identified by content hash, among the given ones, the board's own ``splits``, and the pinned ones on the
    Hub. Raises VhbenchError if an edition is not found, or its split does not match its manifest.
    """
    sources: dict[str, Path] = {}
    for path in places(board, paths):
        if not is_edition(path):
            continue
        split = of_split(path)
        for edition in board.editions:
            same = (split.benchmark, split.content_hash) == (edition.benchmark, edition.content_hash)
            if same and split.hidden == edition.hidden and edition.name not in sources:
                sources[edition.name] = path if split.hidden and answer_keys.is_key(path) else _verified(path, edition)
    for edition in board.editions:
        if edition.name in sources:
            continue
        if edition.hidden or not edition.repo_id:
            own = (
                "its key (--splits FILE)" if edition.hidden else "its split (--splits DIR, or DIR/splits of the board)"
            )
            digest = f"{edition.content_hash[:12]}…"
            raise VhbenchError(f"{board.folder}: expected {edition.name} with content hash {digest}; give {own}")
        from vhbench.adapters import hub

        sources[edition.name] = _verified(hub.snapshot(edition.repo_id, edition.revision), edition)
    return sources


@lru_cache(maxsize=64)
def _verified(path: Path, edition: Edition) -> Path:
    """Return the path of a split after checking it against its manifest, once per process."""
    if edition.hidden:
        raise VhbenchError(f"{path}: has no reference answers; {edition.name} is a hidden test set: give its key")
    if (content_hash := splits.recompute_content_hash(path)) != edition.content_hash:
        raise VhbenchError(
            f"{path}: expected content hash {edition.content_hash} of its manifest; its rows have {content_hash}"
        )
    return path
