"""People as a baseline: the annotators of ``vhbench review``, whose answers are compared with the reference answers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NotRequired, TypedDict

from vhbench.files import json_bytes, quote_value, read_typed, write_atomic
from vhbench.leaderboard.baselines import FixedBaseline
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.entries import ModelInfo, entries, slug
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.schema import VhbenchError

FOLDER = "human"  # folder of the reports, next to the entries, which submitters may not write


class _Report(TypedDict):
    """What is read of a report; counts are ``judged`` and ``as_the_split``."""

    name: NotRequired[str]
    hash: str
    by_annotator: Mapping[str, Mapping[str, int]]


def add_people(board: Board, report: Path, name: str) -> Path:
    """Copy the counts of a report of ``vhbench review`` into a board, and return the new file.

    Raises:
        VhbenchError: if the name misleads or is a model's, or the report is not about a dataset version of the board.
    """
    ModelInfo(name=name).check()
    if any(place.model == slug(name) for place in entries(board)[0]):
        raise VhbenchError(f"--name: {quote_value(name)} is a model of the board; choose another name")
    review = _read(report)
    edition = next((one for one in board.editions if one.content_hash == review["hash"] and not one.task), None)
    if edition is None or not any(counts.get("judged") for counts in review["by_annotator"].values()):
        raise VhbenchError(f"{report}: expected a report of `vhbench review` about {board.names}, without --twins")
    path = board.folder / FOLDER / slug(name) / f"{edition.name}.json"
    counts = {f"annotator {number}": dict(one) for number, one in enumerate(review["by_annotator"].values(), start=1)}
    write_atomic(path, json_bytes({"name": name, "hash": review["hash"], "by_annotator": counts}))
    return path


def _read(path: Path) -> _Report:
    review: _Report = read_typed(path, _Report, "vhbench review")
    for counts in review["by_annotator"].values():
        if not 0 <= counts.get("as_the_split", -1) <= counts.get("judged", 0):
            raise VhbenchError(
                f"{path}: expected 0 <= as_the_split <= judged for each annotator, got {quote_value(str(counts))}"
            )
    return review


def people(board: Board, questions: QuestionIndex) -> Iterator[FixedBaseline]:
    """Yield the accuracy of each group of annotators on an edition; of pairs there is none."""
    files = (board.folder / FOLDER).glob(f"*/{questions.edition.name}.json")
    for path in sorted(files) if questions.main.headline == "accuracy" else ():
        review = _read(path)
        counts = review["by_annotator"].values()
        judged, right = (sum(one[name] for one in counts) for name in ("judged", "as_the_split"))
        if review["hash"] == questions.edition.content_hash and judged:
            kind = f"{len(counts)} people, {judged:,} answers"
            yield FixedBaseline(review.get("name", "People"), kind, 100 * right / judged)
