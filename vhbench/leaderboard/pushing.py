"""Kind of a folder to push to the Hub: a board, or a site."""

from pathlib import Path
from typing import Literal

from vhbench.benchmarks import BENCHMARKS
from vhbench.files import read_json
from vhbench.leaderboard import site
from vhbench.leaderboard.boards import ENTRIES, FILE, read_board
from vhbench.leaderboard.people import FOLDER as PEOPLE
from vhbench.leaderboard.refreshing import CHANGES
from vhbench.leaderboard.reproduction import FOLDER
from vhbench.leaderboard.snapshots import FOLDER as SNAPSHOTS
from vhbench.schema import VhbenchError

SITE = ("assets", "data", "downloads", "images", "models", SNAPSHOTS)  # folders of a site, next to its pages


def kind_of(folder: Path) -> tuple[Literal["dataset", "space"], tuple[str, ...], str]:
    """Return repository type, file patterns and commit message of a board or site; raise VhbenchError for others."""
    if (folder / FILE).is_file():
        return "dataset", (FILE, ENTRIES, FOLDER, PEOPLE, SNAPSHOTS, CHANGES), f"Update {read_board(folder).title}"
    if (folder / site.MARK).is_file() and read_json(folder / site.MARK).get("format") == site.FORMAT:
        pages = [path.name for path in folder.glob("*.html")]
        editions = [f"{name}*-[0-9]*.html" for name in BENCHMARKS]  # of editions that the board has no more, too
        return "space", (*SITE, *pages, *editions, site.MARK, ".nojekyll"), "Update the board's site"
    raise VhbenchError(f"{folder}: expected a board ({FILE}) or a site ({site.MARK})")
