"""Recompute the claims of entries after a change of the scorer, with a public table of changed scores."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import vhbench
from vhbench.files import path_exists, write_atomic
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.claim_checks import claimed_scores, close
from vhbench.leaderboard.entries import FILE
from vhbench.leaderboard.validating import CheckedEntry

CHANGES = "changes.csv"  # file in the board's folder with all scores that a new scorer moved

COLUMNS = ("model", "edition", "family", "metric", "before", "after", "from", "to")


def refresh(board: Board, checked: Sequence[CheckedEntry]) -> list[Mapping[str, str]]:
    """Write the recomputed scores into entries with claims of another scorer, and append changed scores to the table.

    Refused entries are left as they are. The new rows of the table are returned.
    """
    moved = list[Mapping[str, str]]()
    for one in checked:
        if one.entry is None or one.rescoring is None or one.reasons or one.entry.scorer == vhbench.__version__:
            continue
        moved += _moved(one)
        entry = replace(one.entry, scores=claimed_scores(one.rescoring), scorer=vhbench.__version__)
        write_atomic(one.place.folder / FILE, entry.to_yaml())
    if moved:
        out = io.StringIO(newline="")
        table: csv.DictWriter[str] = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows([*read_changes(board), *moved])
        write_atomic(board.folder / CHANGES, out.getvalue().encode())
    return moved


def _moved(one: CheckedEntry) -> Iterator[Mapping[str, str]]:
    assert one.entry is not None
    assert one.rescoring is not None
    for family, scores in claimed_scores(one.rescoring).items():
        for metric, value in scores.items():
            before = one.entry.scores.get(family, {}).get(metric)
            if close(before, value):
                continue
            values = ["" if score is None else f"{score:.3f}" for score in (before, value)]
            row = one.place.model, one.place.edition.name, family, metric, *values
            yield dict(zip(COLUMNS, (*row, one.entry.scorer, vhbench.__version__), strict=True))


def read_changes(board: Board) -> list[Mapping[str, str]]:
    """Return the table of scores that new scorers moved, the oldest first."""
    path = board.folder / CHANGES
    if not path_exists(path):
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
