"""What a board takes, and what it refuses with all reasons at once."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from logged_run import rows_of, write_run
from toy_build import ToyBuild
from typer.testing import CliRunner, Result

from vhbench import splits
from vhbench.cli import app
from vhbench.leaderboard import boards
from vhbench.leaderboard.boards import Board, read_board
from vhbench.leaderboard.entries import slug, stored
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.submitting import read_run_for
from vhbench.schema import Row, VhbenchError

MIOH, ODE = "mioh-2.0.0", "ode-2.0.0"


@pytest.fixture(scope="module")
def guessed(sources: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of MIOH that guesses; do not write into it."""
    return write_run(tmp_path_factory.mktemp("guessed") / "run", sources[MIOH], "mioh", guess)


@pytest.fixture
def run(guessed: Path, tmp_path: Path) -> Path:
    """A copy of that run."""
    return Path(shutil.copytree(guessed, tmp_path / "run"))


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Board, dict[str, Path]]:
    """A file of responses, an empty board, and the split of four questions that both are of."""
    rows = [item for item in ToyBuild(rows=4, shards=1).make(0) if isinstance(item, Row)]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="2.0.0", seed=0, config={})
    edition = boards.of_split(tmp_path / "ode")
    board = Board(folder=tmp_path / "board", title="A board", editions=(edition,))
    boards.write_board(board)
    (tmp_path / "said.json").write_text(json.dumps({row.question.id: f"Yes, {n}." for n, row in enumerate(rows)}))
    return tmp_path / "said.json", board, {edition.name: tmp_path / "ode"}


def guess(row: Mapping[str, Any]) -> str:
    """Answer at random."""
    allowed = "ABCDEFGHIJ"[: len(row["choices"])] if row["choices"] else ("yes", "no")
    return allowed[crc32(row["id"].encode()) % len(allowed)]


def add(run: Path, board: Board, sources: dict[str, Path], *more: str, name: str = "My model") -> Result:
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    words = ["leaderboard", "add", str(run), "--board", str(board.folder), "--name", name]
    return CliRunner().invoke(app, [*words, *named, *more])


def edit(run: Path, old: str, new: str, count: int = 1) -> None:
    (file,) = run.glob("*samples*")
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, count), encoding="utf-8")


def test_a_run_is_added_with_what_it_says_of_itself(run: Path, board: Board, sources: dict[str, Path]) -> None:
    done = add(run, board, sources, "--parameters", "7B", "--open-weights", "--date", "2026-11-01")
    assert done.exit_code == 0, done.output
    entry = stored(board, "my-model", board.edition(MIOH)).read()
    assert (entry.name, entry.parameters, entry.open_weights) == ("My model", 7_000_000_000, True)
    assert entry.provenance[0].model_args == "pretrained=org/tiny"
    assert entry.provenance[0].data.folder == ""  # nobody needs to know how somebody's folders are called
    assert set(entry.scores["multiple_choice"]) == {"accuracy", "aggregate"}
    assert "already exists" in add(run, board, sources).output
    assert add(run, board, sources, "--replace").exit_code == 0


def test_an_empty_response_at_the_token_limit_is_truncated_here_too(
    board: Board, sources: dict[str, Path], tmp_path: Path
) -> None:
    """A reasoning model spends all its tokens on a fifth of the questions: its requests did not fail."""

    def spent(row: dict[str, Any]) -> bool:
        return crc32(row["id"].encode()) % 5 == 0

    run = write_run(
        tmp_path / "run",
        sources[MIOH],
        "mioh",
        lambda row: "" if spent(row) else row["answer"],
        tokens=lambda row: 4096 if spent(row) else 9,
    )
    done = add(run, board, sources)
    assert done.exit_code == 0, done.output
    entry = stored(board, "my-model", board.edition(MIOH)).read()
    results = json.loads((run / "20260101_120000_results.json").read_text())["results"]["mioh"]
    assert entry.scores["multiple_choice"]["accuracy"] == pytest.approx(results["accuracy,none"])


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("N/A", "responses repeat a text without an answer"),
        ("The model is overloaded. Please try again later.", "requests failed (100.0 %)"),
    ],
)
def test_one_reply_to_everything_has_no_score_anywhere(
    board: Board, sources: dict[str, Path], tmp_path: Path, said: str, why: str
) -> None:
    """Each place gives the reason in one line."""
    run = write_run(tmp_path / "run", sources[MIOH], "mioh", lambda row: said)
    assert json.loads((run / "20260101_120000_results.json").read_text())["results"]["mioh"]["accuracy,none"] is None
    scored, compared = (
        CliRunner().invoke(app, [*words, "--questions", str(sources[MIOH])])
        for words in (("score", str(run)), ("compare", str(run), str(shutil.copytree(run, tmp_path / "again"))))
    )
    for output in (scored.output, compared.output):
        assert any(why in line and said in line for line in output.splitlines())
    added = add(run, board, sources).output
    assert why in added or "mioh-2.0.0: expected at most 1 % failed requests, got 100.0 %" in added
    assert scored.exit_code == 1


def test_captions_in_another_language_have_no_score_anywhere(
    board: Board, sources: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "said.json"
    rows = rows_of(sources[ODE])
    said = [row["answer"] if row["kind"] == "yes_no" else f"图片{'很' * (n % 97)}大。" for n, row in enumerate(rows)]
    said[next(n for n, row in enumerate(rows) if row["kind"] == "yes_no")] = "…"  # else it is the reference Oracle
    file.write_text(json.dumps([{"id": row["id"], "response": text} for row, text in zip(rows, said, strict=True)]))
    questions = ("--questions", str(sources[ODE]))
    scored = CliRunner().invoke(app, ["score", str(file), *questions])
    again = shutil.copy(file, tmp_path / "again.json")
    compared = CliRunner().invoke(app, ["compare", str(file), str(again), *questions])
    for output in (scored.output, compared.output, add(file, board, sources, "--edition", ODE).output):
        assert "captions contain no word of the vocabulary, more than 50 %: scores are withheld" in output
    entry = stored(board, "my-model", board.edition(ODE)).read()
    assert entry.scores["caption"]["chair_i"] is None
    closed = sum(row["kind"] == "yes_no" for row in rows)
    assert entry.scores["yes_no"]["accuracy"] == pytest.approx(100 * (closed - 1) / closed, abs=1e-4)


def test_a_forged_score_is_refused(run: Path, board: Board, sources: dict[str, Path]) -> None:
    results = run / "20260101_120000_results.json"
    told = json.loads(results.read_text())
    told["results"]["mioh"]["accuracy,none"] = 99.0
    results.write_text(json.dumps(told))
    done = add(run, board, sources)
    assert done.exit_code == 1
    assert "its results claim accuracy 99.000; recomputed: " in done.output


def test_all_reasons_are_told_at_once(board: Board, sources: dict[str, Path], tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "run",
        sources[MIOH],
        "mioh",
        lambda row: "A",
        prompt=lambda row: "Think step by step. " + row["question"],
        generation={"temperature": 0.7},
    )
    (file,) = run.glob("*samples*")
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:-2]) + "\n")
    edit(run, '"prediction": "A"', '"prediction": "B"')
    done = add(run, board, sources)
    assert done.exit_code == 1
    for reason in (
        f"2 of {len(lines):,} questions have no response",
        "mioh: prompts differ from the benchmark's",
        "mioh: expected temperature 0, got 0.7",
        "samples are inconsistent (edited, or of other metrics)",
    ):
        assert f"rejected: {MIOH}: " in done.output
        assert reason in done.output
    assert not (board.folder / "entries" / "my-model").exists()


def test_answers_to_a_foreign_split_are_refused(
    run: Path, board: Board, sources: dict[str, Path], tmp_path: Path
) -> None:
    foreign = write_run(tmp_path / "foreign", sources[MIOH], "mioh", lambda row: "A", content_hash="0" * 64)
    done = add(foreign, board, sources)
    assert done.exit_code != 0
    assert "was evaluated on another split" in f"{done.output} {done.exception}"


def test_a_response_file_is_taken_as_well(board: Board, sources: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    rows = [{"id": row["id"], "response": "yes"} for row in rows_of(sources["vhexpansion-2.0.0"])]
    file.write_text("\n".join(map(json.dumps, rows)))
    done = add(file, board, sources, "--edition", "vhexpansion-2.0.0", "--reference", "always yes")
    assert done.exit_code == 0, done.output
    assert "symmetric" in (board.folder / "entries/my-model/vhexpansion-2.0.0/entry.yaml").read_text()
    file.write_text("\n".join(map(json.dumps, [*rows[1:], {"id": "nobody asked", "response": "yes"}])))
    done = add(file, board, sources, "--edition", "vhexpansion-2.0.0", name="Another")
    assert f"1 of {len(rows):,} questions have no response" in done.output
    assert "1 responses belong to none of its questions (the first: 'nobody asked')" in done.output


def test_a_board_that_wants_to_know_where_answers_come_from(
    board: Board, sources: dict[str, Path], tmp_path: Path
) -> None:
    file = tmp_path / "said.json"
    file.write_text(json.dumps({row["id"]: "A" for row in rows_of(sources[MIOH])}))
    path = board.folder / "board.yaml"
    path.write_text(path.read_text().replace("provenance: false", "provenance: true"))
    told = add(file, board, sources, "--edition", MIOH).output
    assert "has no provenance: add lmms-eval's folder with samples; this board requires complete provenance" in told


def test_failed_requests_are_refused(board: Board, sources: dict[str, Path], tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", sources[MIOH], "mioh", lambda row: "" if row["pressure"] == "hn" else "A")
    done = add(run, board, sources)
    assert "expected at most 1 % failed requests, got " in done.output


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "a/b", "..", "C:\\x", "~root", "<script>alert(1)</script>", "模型"]
)
def test_a_name_cannot_leave_its_folder(small: tuple[Path, Board, dict[str, Path]], name: str) -> None:
    file, board, sources = small
    before = {path for path in board.folder.parent.rglob("*") if board.folder not in path.parents}
    done = add(file, board, sources, name=name)
    assert done.exit_code == 0, (done.output, done.exception)
    (folder,) = (board.folder / "entries").iterdir()
    assert folder.parent == board.folder / "entries"
    assert not set(folder.name) - set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert {path for path in board.folder.parent.rglob("*") if board.folder not in path.parents} == before


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--name", "a\x1b[2Jb", "expected one line without control characters"),
        ("--name", "x" * 81, "at most 80"),
        ("--url", "javascript:alert(1)", "expected a URL"),
        ("--name", "\u200b", "expected the name without invisible characters"),
        ("--name", "Oracle", "is reserved for baselines"),
        ("--date", "2999-01-01", "expected a date YYYY-MM-DD until today"),
        ("--name", "My model\u200b", "expected the name without invisible characters"),
        ("--date", "yesterday", "expected a date YYYY-MM-DD"),
        ("--date", "2026-02-31", "expected a date YYYY-MM-DD"),
        ("--date", "0000-01-01", "expected a date YYYY-MM-DD"),
        ("--date", "２０２６-01-01", "expected a date YYYY-MM-DD"),
        ("--parameters", "many", "expected a number such as 7B"),
        ("--edition", "ode-9.9.9", "expected an edition of"),
    ],
)
def test_bad_words_are_refused_in_one_line(
    small: tuple[Path, Board, dict[str, Path]], option: str, value: str, told: str
) -> None:
    done = add(*small, option, value)
    assert told in str(done.exception)
    assert "\x1b" not in str(done.exception)


def test_a_fresh_edition_may_share_a_benchmark(board: Board, editions: dict[str, QuestionIndex]) -> None:
    ode = board.edition("ode-2.0.0")
    both = replace(
        board, editions=(*board.editions, replace(ode, version="2.1.0", content_hash="1" * 64, fresh_of="2.0.0"))
    )
    assert [(public.name, fresh.name) for public, fresh in both.fresh()] == [("ode-2.0.0", "ode-2.1.0")]
    assert read_board(board.folder).editions == board.editions


def test_answers_are_to_the_edition_that_asks_just_them(
    board: Board, editions: dict[str, QuestionIndex], tmp_path: Path
) -> None:
    grown = editions[MIOH]
    public = replace(grown, edition=replace(grown.edition, version="0.9.0"), rows=grown.rows[:400])
    both, file = {"mioh-0.9.0": public, MIOH: grown}, tmp_path / "said.json"

    def entered(count: int, only: str = "") -> list[str]:
        file.write_text(json.dumps({row["id"]: "A" for row in grown.rows[:count]}))
        found = read_run_for(board, file, both, only)
        return [one.questions.edition.name for one in found if not [*one.missing(), *one.reasons]]

    assert entered(400) == ["mioh-0.9.0"]  # more than half of the grown edition, which they leave open
    assert entered(len(grown.rows)) == [MIOH]
    both = {"mioh-2.0.0": grown, "ode-2.0.0": replace(public, edition=editions["ode-2.0.0"].edition)}
    assert entered(len(grown.rows), "ode-2.0.0") == ["ode-2.0.0"]  # it may say more, to other editions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("通义 7B", "书生 7B"),  # what is left of both in ASCII is 7B
        ("VL-instruct-" + "x" * 60 + "-1", "VL-instruct-" + "x" * 60 + "-2"),
    ],
)
def test_other_names_have_other_folders(one: str, other: str) -> None:
    assert slug(one) != slug(other)
    assert max(map(len, map(slug, (one, other)))) <= 60


@pytest.mark.parametrize("name", ["CON", "nul", "com1.5", "LPT9", "aux.7b"])
def test_no_folder_has_a_name_that_windows_keeps(name: str) -> None:
    assert slug(name) == f"model-{name.lower()}"


def test_another_model_of_the_same_folder_is_not_replaced(run: Path, board: Board, sources: dict[str, Path]) -> None:
    assert add(run, board, sources).exit_code == 0
    done = add(run, board, sources, "--replace", name="My-Model")
    assert "already exists, for 'My model'; choose another name" in done.output
    assert "name: My model" in (board.folder / "entries/my-model/mioh-2.0.0/entry.yaml").read_text()


def test_an_entry_that_is_being_written_is_none_yet(run: Path, board: Board, sources: dict[str, Path]) -> None:
    other = board.folder / "entries/my-model/ode-2.0.0"
    other.mkdir(parents=True)
    (other / "answers.parquet").write_bytes(b"half of it")
    assert "added" in add(run, board, sources).output


def test_answers_that_cannot_be_packed_are_refused_with_the_reason(
    small: tuple[Path, Board, dict[str, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def pack(responses: object) -> bytes:
        raise VhbenchError("larger than an entry may be")

    monkeypatch.setattr("vhbench.leaderboard.packed_answers.pack", pack)
    done = add(*small)
    assert done.exit_code == 1
    assert "ode-2.0.0: larger than an entry may be" in done.output
