"""Snapshots keep the scores and ranks of a day at a permanent address, whatever becomes of the board."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from board_entries import enter, said_by
from typer.testing import CliRunner

import vhbench
from vhbench.cli import app
from vhbench.leaderboard import boards, pushing, site
from vhbench.leaderboard.boards import Board, read_board
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rankings import rank_entries
from vhbench.leaderboard.snapshots import read_snapshots, record, snapshot_name
from vhbench.schema import VhbenchError

NAME = "vhexpansion-2.0.0"


@pytest.fixture
def two(editions: dict[str, QuestionIndex], tmp_path: Path) -> Board:
    board = Board(
        folder=tmp_path / "board",
        title="A & B",
        editions=(editions[NAME].edition,),
        site="https://org.github.io/board/",
    )
    boards.write_board(board)
    for name in ("Drift-VL 12B", "Ember-VL 8B"):
        enter(board, editions[NAME], name, lambda row, name=name: said_by(name, row))  # type: ignore[misc]
    return board


def test_a_page_of_a_snapshot_stays(
    two: Board, editions: dict[str, QuestionIndex], sources: dict[str, Path], tmp_path: Path
) -> None:
    named = ["--board", str(two.folder), "--splits", str(sources[NAME]), "--workers", "1"]
    for _ in range(2):  # the second changes nothing
        assert CliRunner().invoke(app, ["leaderboard", "snapshot", *named]).exit_code == 0
    (first,) = read_snapshots(two)
    standings = rank_entries(two, sources, workers=1)
    assert first.name == snapshot_name(standings)
    assert [(score.model, score.ranks) for score in first.scores] == [
        (standings.models[number].slug, ranks)
        for number, ranks in sorted(standings.editions[0].ranks.items(), key=lambda item: (item[1], item[0]))
    ]
    site.write_site(standings, tmp_path / "site")
    page = (tmp_path / "site/snapshots" / f"{first.name}.html").read_text()
    assert re.findall(r'<span class="value">([\d.]+)</span>', page) == [f"{one.value:.1f}" for one in first.scores]
    address = rf"\url{{https://org.github.io/board/snapshots/{first.name}.html}}"
    told = [
        f"@misc{{leaderboard-{first.name},", r"  title = {A \&amp; B},", f"  year = {{{first.date[:4]}}},",
        f"  howpublished = {{{address}}},", f"  note = {{Snapshot {first.name}, vhbench {vhbench.__version__}}}", "}",
    ]  # fmt: skip
    assert page.partition('aria-label="BibTeX">')[2].partition("</pre>")[0].splitlines() == told
    assert "\n".join(told) in (tmp_path / "site/about.html").read_text()

    enter(two, editions[NAME], "Fjord-VL 7B", lambda row: said_by("Fjord-VL 7B", row))
    grown = rank_entries(two, sources, workers=1)
    record(grown)
    for one in (standings, grown):  # on one day
        about = site.write_site(one, tmp_path / "site").with_name("about.html").read_text()
        assert f'its <a href="snapshots/{snapshot_name(one)}.html">page</a> keeps its address' in about
    (two.folder / "entries/ember-vl-8b" / NAME / "answers.parquet").unlink()  # is left out of the later site
    site.write_site(rank_entries(two, sources, workers=1), tmp_path / "later")
    assert len(read_snapshots(two)) == 2
    later = (tmp_path / "later/snapshots" / f"{first.name}.html").read_text()
    assert re.sub('<a href="../models/ember-vl-8b.html">(.*?)</a>', r"\1", page) == later
    assert json.loads((tmp_path / "later/snapshots" / f"{first.name}.json").read_text())["date"] == first.date
    for model, times in (("drift-vl-12b", 2), ("fjord-vl-7b", 1)):
        assert (tmp_path / f"later/models/{model}.html").read_text().count('href="../snapshots/') == times
    assert "snapshots" in pushing.kind_of(two.folder)[1]
    assert "snapshots" in pushing.kind_of(tmp_path / "later")[1]


def test_a_verdict_is_part_of_a_snapshot(two: Board, sources: dict[str, Path]) -> None:
    standings = rank_entries(two, sources, workers=1)
    first, *others = standings.models
    verified = replace(standings, models=[replace(first, tiers={NAME: "reproduced"}), *others])
    record(standings)
    assert record(verified).stem != snapshot_name(standings)
    tiers = [{score.model: score.tier for score in one.scores} for one in read_snapshots(two)]
    assert sorted(one[first.slug] for one in tiers) == ["reproduced", first.tiers[NAME]]


def test_a_snapshot_file_cannot_name_another_place(two: Board, sources: dict[str, Path], tmp_path: Path) -> None:
    file = record(rank_entries(two, sources, workers=1))
    file.write_text(file.read_text().replace(file.stem, "../../escaped"))
    with pytest.raises(VhbenchError, match="not a snapshot of a board JSON"):
        read_snapshots(two)


def test_the_address_of_a_site_is_one(two: Board) -> None:
    assert read_board(two.folder).site == "https://org.github.io/board/"
    with pytest.raises(VhbenchError, match="'site': expected a URL"):
        boards.write_board(replace(two, folder=two.folder / "other", site="javascript:alert(1)"))
