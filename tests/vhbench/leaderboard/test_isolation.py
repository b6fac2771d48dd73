"""What strangers send is read in a child process, and can do no more than end that."""

import os
import re
import time
from hashlib import sha256
from itertools import count
from pathlib import Path
from zlib import crc32

import odd_files
import pytest
from board_entries import enter
from isolated_calls import budget, do, spend
from toy_build import ToyBuild

from vhbench import splits
from vhbench.leaderboard import boards, isolation, validating
from vhbench.leaderboard.boards import Rules
from vhbench.leaderboard.entries import StoredEntry, stored
from vhbench.leaderboard.question_index import cached_question_index
from vhbench.leaderboard.validating import check_all
from vhbench.schema import Row, VhbenchError


def test_a_call_that_fails_is_told_in_a_line() -> None:
    calls = isolation.each(do, [("pid", 0), ("pid", 0), ("exit", 3), ("pid", 0), ("allocate", 8 << 30), ("raise", 0)])
    one, same, crashed, other, large, odd = calls
    assert one == same != os.getpid()
    assert other != one
    assert crashed == "ended the process that checked it (exit code 3)"
    assert large == "takes more than 2,048 MiB of memory"
    assert odd == "ZeroDivisionError: two lines"


def test_a_call_that_takes_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_PATIENCE", 1)  # instead of ten times the processor time, here 25 seconds
    begun = time.monotonic()
    (late,) = isolation.each(time.sleep, [(60,)], seconds=[0.5])
    assert isinstance(late, isolation.Failure)
    assert late == "takes more than 0.5 seconds"
    assert time.monotonic() - begun < 30


def test_a_call_that_computes_long_is_ended_by_its_processor_time() -> None:
    late, then = isolation.each(sum, [(range(10**12),), ([1, 2],)], seconds=[1, 1])
    assert late == "takes more than 1 seconds"
    assert then == 3


def test_what_prepares_a_call_and_sets_its_time_is_not_charged() -> None:
    """It takes 0.4 seconds of processor time, and the call after it has 0.2."""
    short, late = isolation.each(spend, [("short", 0.2), ("long", 0.2)], seconds=budget)
    assert short == "short"
    assert late == "takes more than 0.2 seconds"


def test_a_bomb_has_seconds_and_an_honest_long_run_has_minutes(tmp_path: Path) -> None:
    rows = [item for item in ToyBuild(rows=4, shards=1).make(0) if isinstance(item, Row)]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="2.0.0", seed=0, config={})
    edition = boards.of_split(tmp_path / "ode")
    place = StoredEntry("bomb", edition, tmp_path / "board/entries/bomb/ode-2.0.0")
    place.folder.mkdir(parents=True)
    (place.folder / "answers.parquet").write_bytes(bytes(10_000))
    assert validating._seconds(place, tmp_path / "ode", Rules(), keep=False) == pytest.approx(2 + 0.006 * 4 + 0.6)
    with (place.folder / "answers.parquet").open("wb") as file:
        file.truncate(4_000 * 8_786)  # as 16 kB each, compressed
    assert validating._seconds(place, tmp_path / "ode", Rules(), keep=False) == isolation.SECONDS == 600
    assert 722 * validating.SECONDS_PER_QUESTION >= 361 * 0.01  # half of a run's responses may loop until 16 kB


def test_an_entry_that_check_would_end_is_not_added(tmp_path: Path) -> None:
    rows = [item for item in ToyBuild(rows=60, shards=1).make(0) if isinstance(item, Row)]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="2.0.0", seed=0, config={})
    edition = boards.of_split(tmp_path / "ode")
    board = boards.Board(folder=tmp_path / "board", title="A board", editions=(edition,))
    with pytest.raises(AssertionError, match=r"takes more than 1\.8 seconds"):
        enter(board, cached_question_index(edition, tmp_path / "ode"), "M", lambda row: "A) " * 5_000 + row["id"])


def test_a_bomb_of_many_questions_ends_after_a_sample(tmp_path: Path) -> None:
    rows = [item for item in ToyBuild(rows=3_000, shards=1).make(0) if isinstance(item, Row)]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="2.0.0", seed=0, config={})
    edition = boards.of_split(tmp_path / "ode")
    board = boards.Board(folder=tmp_path / "board", title="A board", editions=(edition,))
    place, questions = stored(board, "m", edition), cached_question_index(edition, tmp_path / "ode")
    with pytest.MonkeyPatch.context() as patch:
        here = "vhbench.leaderboard.isolation.each"
        patch.setattr(here, lambda function, tasks, **how: (function(*args) for args in tasks))
        enter(board, questions, "M", lambda row: "yes" if crc32(row["id"].encode()) % 2 else "no")
        assert validating.check_entry(place, tmp_path / "ode", Rules(), keep=False).reasons == ()
        ticks = count()  # of a clock by which each response takes 30 ms
        patch.setattr(time, "process_time", lambda: 0.03 * next(ticks))
        checked = validating.check_entry(place, tmp_path / "ode", Rules(), keep=False)
        assert checked.reasons == ("takes more than 20 seconds",)
        assert next(ticks) - 1 == 44  # of 3,000 responses: the first ones that take more than 0.5 + 20 / 25 seconds


def test_what_is_no_fault_of_the_entry_is_raised() -> None:
    with pytest.raises(VhbenchError, match="no split"):
        list(isolation.each(do, [("refuse", 0)]))


def test_odd_answers_are_refused_and_the_others_taken(tmp_path: Path) -> None:
    rows = [item for item in ToyBuild(rows=4, shards=1).make(0) if isinstance(item, Row)]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="2.0.0", seed=0, config={})
    edition = boards.of_split(tmp_path / "ode")
    board = boards.Board(folder=tmp_path / "board", title="A board", editions=(edition,))
    boards.write_board(board)
    kinds = {"right": None, **odd_files.KINDS["stranger"]}
    for number, write in enumerate(kinds.values()):
        enter(board, cached_question_index(edition, tmp_path / "ode"), f"M{number}", lambda row: "yes")
        folder = tmp_path / f"board/entries/m{number}/ode-2.0.0"
        if write is not None:
            (folder / "answers.parquet").unlink()
            write(folder / "answers.parquet")
            if (folder / "answers.parquet").is_file() and not (folder / "answers.parquet").stat().st_size >> 30:
                digest = sha256((folder / "answers.parquet").read_bytes()).hexdigest()
                text = re.sub("(?m)^answers: .*", f"answers: {digest}", (folder / "entry.yaml").read_text())
                (folder / "entry.yaml").write_text(text)
    checked, _ = check_all(board, {edition.name: tmp_path / "ode"}, workers=1)
    assert len(checked) == len(kinds) - sum(path.is_symlink() for path in tmp_path.rglob("answers.parquet"))
    for one in checked:
        assert bool(one.reasons) == (one.place.model != "m0"), (one.place.model, one.reasons)
        assert all(len(reason) < 1000 and "\n" not in reason for reason in one.reasons)


def test_a_late_call_does_not_end_its_process_which_takes_seconds_to_start() -> None:
    before, late, after = isolation.each(do, [("pid", 0), ("spend", 60), ("pid", 0)], seconds=[9, 0.3, 9])
    assert late == "takes more than 0.3 seconds"
    assert before == after
