"""The board at the end of ``vhbench demo``: one run and the baselines."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from vhbench.leaderboard import boards
from vhbench.leaderboard.baselines import levels
from vhbench.leaderboard.entries import ModelInfo
from vhbench.leaderboard.question_index import cached_question_index
from vhbench.leaderboard.rankings import rank_entries
from vhbench.leaderboard.site import write_site
from vhbench.leaderboard.submitting import submit_run
from vhbench.schema import VhbenchError


def prepare(splits: Sequence[Path]) -> None:
    """Compute and cache the baselines of splits, which do not depend on responses."""
    for split in splits:
        levels(cached_question_index(boards.of_split(split), split))


def build_first(run: Path, name: str, splits: Sequence[Path], out: Path) -> Iterator[str]:
    """Add a run to a board, created if missing, and write its site; yield lines to print.

    OUT/board and OUT/site are the folders.
    """
    board = boards.make_board(
        out / "board", splits, title="Visual hallucination board", generation="temperature=0,do_sample=false"
    )
    if not (board.folder / boards.FILE).is_file():
        boards.write_board(board)
    elif boards.read_board(board.folder).editions != board.editions:
        yield f"{board.folder} has other splits; the run is not added"
        return
    by_hash = {boards.of_split(split).content_hash: split for split in splits}
    sources = {edition.name: by_hash[edition.content_hash] for edition in board.editions}
    kind, added = "responses without a model" if name.startswith("vhbench_") else "", 0
    for checked in submit_run(board, sources, run, ModelInfo(name=name, reference=kind), replacing=True):
        if checked.entry is None or checked.reasons:
            yield from (f"not added: {checked.place.edition.name}: {reason}" for reason in checked.reasons)
        else:
            checked.place.write(checked.entry, checked.answers)
            added += 1
    if added:
        try:
            yield f"open {write_site(rank_entries(board, sources, workers=1), out / 'site').resolve()}"
        except VhbenchError as error:
            yield f"no site: {error}"
