"""Snapshots of a board: its scores and ranks on one day, each with a page at a permanent address."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from msgspec import Meta

import vhbench
from vhbench.files import canonical, json_bytes, path_exists, read_typed, write_atomic
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.rankings import Rankings

FOLDER = "snapshots"  # folder of the snapshots, next to the entries, which submitters may not write


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotScore:
    """Headline score of a model on an edition: folder and name of the model, interval, ranks and tier."""

    model: str
    name: str
    edition: str
    value: float
    interval: tuple[float, float] | None
    ranks: tuple[int, int]
    tier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Scores of a board on one day."""

    # short hash of dataset versions, responses, tiers and the scorer's version
    name: Annotated[str, Meta(pattern=r"^[0-9a-f]{12}\Z")]
    date: str  # YYYY-MM-DD
    vhbench: str
    editions: Mapping[str, str]  # name of an edition → its content hash
    scores: tuple[SnapshotScore, ...]  # of all models, by edition and rank

    def of(self, model: str) -> list[SnapshotScore]:
        """Return the scores of a model."""
        return [score for score in self.scores if score.model == model]


def snapshot_name(standings: Rankings) -> str:
    """Return the short hash of a board's dataset versions, models, responses, tiers and scorer."""
    hashes = [one.edition.content_hash for one in standings.editions]
    models = [
        [model.slug, *([one.answers, model.tiers[edition]] for edition, one in model.entries.items())]
        for model in standings.models
    ]
    return sha256(canonical([hashes, models, vhbench.__version__])).hexdigest()[:12]


def record(standings: Rankings) -> Path:
    """Write the snapshot of a board, unless it is recorded already, and return its file."""
    name = snapshot_name(standings)
    path = standings.board.folder / FOLDER / f"{name}.json"
    if path_exists(path):
        return path
    scores = list[SnapshotScore]()
    for one in standings.editions:
        for number in sorted(one.ranks, key=lambda number: (one.ranks[number], number)):
            model, score = standings.models[number], one.headline(number)
            assert score.value is not None
            about = {"model": model.slug, "name": model.about.name, "edition": one.edition.name}
            scores.append(
                SnapshotScore(
                    **about,
                    value=round(score.value, 2),
                    interval=score.interval and (round(score.interval[0], 2), round(score.interval[1], 2)),
                    ranks=one.ranks[number],
                    tier=model.tiers[one.edition.name],
                )
            )
    snapshot = Snapshot(
        name=name,
        date=date.today().isoformat(),
        vhbench=vhbench.__version__,
        editions={one.edition.name: one.edition.content_hash for one in standings.editions},
        scores=tuple(scores),
    )
    write_atomic(path, json_bytes(asdict(snapshot)))
    return path


def read_snapshots(board: Board) -> list[Snapshot]:
    """Return the recorded snapshots of a board, the newest first."""
    files = sorted((board.folder / FOLDER).glob("*.json"))
    snapshots = [read_typed(path, Snapshot, "snapshot of a board") for path in files]
    return sorted(snapshots, key=lambda one: one.date, reverse=True)
