"""What a pull request's checks find in the folder of a board."""

import re
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from board_entries import enter, said_by
from typer.testing import CliRunner, Result

from vhbench.cli import app
from vhbench.leaderboard.boards import read_board
from vhbench.leaderboard.packed_answers import PackedAnswer, pack, unpack
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.schema import VhbenchError

ONE = "entries/drift-vl-12b/vhexpansion-2.0.0"


def check(board: Path, sources: dict[str, Path]) -> Result:
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    return CliRunner().invoke(app, ["leaderboard", "check", "--board", str(board), "--workers", "1", *named])


def only(board: Path, *models: str) -> Path:
    """Remove the other models of a board, of which a check recomputes every entry."""
    for folder in (board / "entries").iterdir():
        if folder.name not in models:
            shutil.rmtree(folder)
    return board


@pytest.fixture
def small(copied: Path) -> Path:
    """A copy of the board with one model."""
    return only(copied, "drift-vl-12b")


def test_a_whole_board_is_recomputed(copied: Path, sources: dict[str, Path]) -> None:
    done = check(copied, sources)
    assert done.exit_code == 0, done.output
    assert "36 entries, all scores recomputed" in done.output
    assert done.output.count("ok       ") == 36


@pytest.fixture
def counts(editions: dict[str, QuestionIndex]) -> dict[str, int]:
    """How many questions each edition has."""
    return {name: len(asked.rows) for name, asked in editions.items()}


def edit(board: Path, old: str, new: str, file: str = f"{ONE}/entry.yaml") -> None:
    text = (board / file).read_text(encoding="utf-8")
    assert old in text
    (board / file).write_text(text.replace(old, new), encoding="utf-8")


def refused(board: Path, sources: dict[str, Path]) -> str:
    done = check(board, sources)
    assert done.exit_code == 1, done.output
    lines = [line for line in done.output.splitlines() if line.startswith("rejected: ")]
    assert lines
    return "\n".join(lines)


def test_everything_that_is_wrong_is_told_at_once(
    copied: Path, sources: dict[str, Path], counts: dict[str, int]
) -> None:
    only(copied, "drift-vl-12b", "iris-vl-2b", "kelp-vl-450m", "heron-vl-3b", "aster-vl-72b")
    # A forged score, a doctored file, a missing answer, another split, strays: in five entries.
    edit(copied, "accuracy: ", "accuracy: 1")
    parquet = copied / "entries/iris-vl-2b/mioh-2.0.0/answers.parquet"
    texts = list(unpack(parquet, counts["mioh-2.0.0"]))
    parquet.write_bytes(pack([PackedAnswer("None of this"), *texts[1:]]))
    fewer = copied / "entries/kelp-vl-450m/mioh-2.0.0"
    fewer.joinpath("answers.parquet").write_bytes(pack(texts[1:]))
    edit(copied, "version: 2.0.0", "version: 2.0.1", "entries/heron-vl-3b/ode-2.0.0/entry.yaml")
    (copied / "entries" / "UPPER").mkdir()
    (copied / "entries/aster-vl-72b/ode-2.0.0/evil.html").write_text("<script>")
    (copied / "entries" / "link").symlink_to("/etc")
    told = refused(copied, sources)
    for words in (
        "drift-vl-12b/vhexpansion-2.0.0: claims symmetric_accuracy",
        "iris-vl-2b/mioh-2.0.0: answers.parquet: expected SHA-256",
        f"expected {len(texts)} responses, got {len(texts) - 1}",
        "heron-vl-3b/ode-2.0.0",
        "'UPPER': expected a model's folder",
        "'link': expected a model's folder",
        "unexpected file 'evil.html'",
    ):
        assert words in told


def test_a_doctored_file_with_a_new_digest_no_longer_makes_its_score(
    small: Path, sources: dict[str, Path], counts: dict[str, int]
) -> None:
    parquet = small / ONE / "answers.parquet"
    before = sha256(parquet.read_bytes()).hexdigest()
    texts = list(unpack(parquet, counts["vhexpansion-2.0.0"]))
    parquet.write_bytes(pack([PackedAnswer("yes")] * 100 + texts[100:]))
    edit(small, before, sha256(parquet.read_bytes()).hexdigest())
    assert "claims symmetric_accuracy" in refused(small, sources)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name: Drift-VL 12B", "name: '../../evil'", "in the folder evil"),
        ("name: Drift-VL 12B", 'name: "Drift-VL 12B\\e[2J"', "without control characters"),
        ("benchmark: vhexpansion", "benchmark: ../../etc", "expected an entry for vhexpansion-2.0.0"),
        ("organisation: Lab", "organisation: Other", "its organisation is 'Other', in drift-vl-12b/mioh-2.0.0 'Lab'"),
        ("organisation: Lab", "organisation: &a [x, x]\nnote: *a", "expected no YAML alias"),
        ("organisation: Lab", "organisation: !!python/object/apply:os.system [id]", "not YAML"),
        ("organisation: Lab", "rank: 1", "got 'rank'"),
    ],
)  # fmt: skip
def test_an_entry_says_what_entries_say(small: Path, sources: dict[str, Path], old: str, new: str, told: str) -> None:
    edit(small, old, new)
    lines = refused(small, sources)
    assert told in lines
    assert "\x1b" not in lines


def test_what_looks_odd_is_pointed_out(small: Path, sources: dict[str, Path], counts: dict[str, int]) -> None:
    other = small / "entries/somebody-else"
    other.mkdir()
    for name in ("ode-2.0.0", "mioh-2.0.0"):
        (other / name).mkdir()
        for file in (small / "entries/drift-vl-12b" / name).iterdir():
            (other / name / file.name).write_bytes(file.read_bytes().replace(b"Drift-VL 12B", b"Somebody else"))
    done = check(small, sources)
    assert done.exit_code == 0, done.output
    assert (
        f"somebody-else/mioh-2.0.0: its {counts['mioh-2.0.0']} predictions and those of drift-vl-12b are identical"
        in done.output
    )


def test_a_copy_that_is_dressed_up_is_pointed_out(
    small: Path, sources: dict[str, Path], editions: dict[str, QuestionIndex]
) -> None:
    asked = editions["vhexpansion-2.0.0"]
    dressed = {
        "Wrapped": lambda text: f"The answer is: **{text.strip()}**",
        "Mumbler": lambda text: f"hm {text[:1]}",
    }
    edited = {row["id"] for row in asked.rows[::20]}
    enter(read_board(small), asked, "Edited",
          lambda row: row["answer"] if row["id"] in edited else said_by("Drift-VL 12B", row))  # fmt: skip
    for name, dress in dressed.items():
        enter(read_board(small), asked, name, lambda row, dress=dress: dress(said_by("Drift-VL 12B", row)))  # type: ignore[misc]
    output = check(small, sources).output
    alike = f"its {len(asked.rows)} predictions and those of drift-vl-12b are identical"
    assert f"wrapped/vhexpansion-2.0.0: {alike}" in output
    assert "mumbler/vhexpansion-2.0.0: its" not in output
    assert re.search(rf"edited/vhexpansion-2.0.0: {alike.removesuffix('identical')}identical in all but [1-9]", output)
    assert output.count(" and those of ") == 2  # a line for each copy: not for Edited and Wrapped, too


def test_every_repetition_is_compared_with_the_answers_and_other_entries(
    copied: Path, sources: dict[str, Path], editions: dict[str, QuestionIndex]
) -> None:
    """The score is the mean of all, so an honest first repetition hides nothing."""
    board = read_board(only(copied, "drift-vl-12b", "aster-vl-72b", "kelp-vl-450m"))
    asked = editions["vhexpansion-2.0.0"]
    other, one = {"yes": "no", "no": "yes"}, asked.rows[0]["id"]

    def honest(row: Mapping[str, Any]) -> str:
        return said_by("Kelp-VL 450M", row)

    def forged(row: Mapping[str, Any]) -> str:
        return other[row["answer"]] if row["id"] == one else row["answer"]

    enter(board, asked, "Sampler", honest, again=lambda row: said_by("Aster-VL 72B", row))
    enter(board, asked, "Forged", honest, again=forged)
    enter(board, asked, "Pirate", honest, again=lambda row: said_by("Drift-VL 12B", row))
    with pytest.raises(AssertionError, match="all predictions of a repetition equal those of the baseline Oracle"):
        enter(board, asked, "Answers", honest, again=lambda row: row["answer"])
    output = check(copied, sources).output
    assert f"forged/vhexpansion-2.0.0: 1 of {len(asked.rows)} predictions differ from the reference answers" in output
    both = f"/vhexpansion-2.0.0: its {len(asked.rows)} predictions and those of"
    assert f"pirate{both} drift-vl-12b are identical" in output
    assert f"sampler{both} aster-vl-72b are identical" in output
    assert "sampler/vhexpansion-2.0.0: 1 of" not in output


def test_captions_without_a_rank_hide_no_copy(
    small: Path, sources: dict[str, Path], editions: dict[str, QuestionIndex]
) -> None:
    """A caption with one invented object costs nothing where yes/no questions rank models."""
    asked, board = editions["ode-2.0.0"], read_board(small)
    other = {"yes": "no", "no": "yes"}
    few = [asked.rows[place]["id"] for place in asked.main.places[:3]]

    def dressed(row: Mapping[str, Any], answer: str) -> str:
        return answer if row["kind"] == "yes_no" else "The image shows a giraffe and a toaster."

    enter(
        board, asked, "Captioner", lambda row: dressed(row, other[row["answer"]] if row["id"] in few else row["answer"])
    )
    enter(board, asked, "Pirate", lambda row: dressed(row, said_by("Drift-VL 12B", row)))
    output, count = check(small, sources).output, len(asked.main.places)
    assert count < len(asked.rows)
    assert f"captioner/ode-2.0.0: 3 of {count} predictions differ from the reference answers" in output
    assert f"pirate/ode-2.0.0: its {count} predictions and those of drift-vl-12b are identical" in output


def test_answers_take_few_bits(copied: Path, counts: dict[str, int]) -> None:
    files = sorted((copied / "entries/drift-vl-12b").rglob("answers.parquet"))
    short = [file for file in files if "ode" not in str(file)]
    assert 8 * sum(file.stat().st_size for file in short) / (counts["mioh-2.0.0"] + counts["vhexpansion-2.0.0"]) < 7


def test_answers_come_back_as_they_were(tmp_path: Path) -> None:
    texts = ["Yes.", "", "</script>\u2028\u202e", "\x1b[2J", "__proto__", "x" * 8000, "日本"]
    for tokens, cut_off in ((0, False), (4096, True)):
        answers = [*map(PackedAnswer, texts[:-1]), PackedAnswer(texts[-1], tokens, cut_off)]
        (tmp_path / "a").write_bytes(pack(answers))
        assert list(unpack(tmp_path / "a", 7)) == answers
        assert pack(answers) == pack(list(answers))


def test_long_answers_come_back_as_they_were(tmp_path: Path) -> None:
    answers = [PackedAnswer(f"{number} 日" + "x" * (1 << 17), 4096, number % 2 == 0) for number in range(100)]
    (tmp_path / "a").write_bytes(pack(answers))
    unpacked = unpack(tmp_path / "a", 100)
    assert not isinstance(unpacked, list)  # decoded one at a time
    assert [unpacked[place] for place in range(100)] == answers


def test_repeated_texts_are_counted_before_they_are_unpacked(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 700, pa.int32()), pa.array(["\U0001f600" * (1 << 20)]))
    pq.write_table(pa.table({"response": texts}), tmp_path / "a", dictionary_pagesize_limit=1 << 30, store_schema=False)
    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    usual = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        with pytest.raises(VhbenchError, match="at most 160 MiB unpacked"):  # of 2,800
            unpack(tmp_path / "a", 700)
    finally:
        pa.set_memory_pool(usual)
    assert 1 << 20 < (pool.max_memory() or 0) < 32 << 20


def _lengths(tokens: int | None) -> dict[str, pa.Array]:
    cut = pa.array([False, False])
    return {"response": pa.array(["yes", "no"]), "tokens": pa.array([1, tokens], pa.int32()), "cut_off": cut}


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"response": pa.array(["yes", None])}, "holds a null"),
        ({"response": pa.array([1, 2])}, "expected a text column"),
        ({"response": pa.array(["yes", "no"]), "id": pa.array(["a", "b"])}, "expected a text column"),
        (_lengths(-1), "expected token counts of at least 0"),
        (_lengths(None), "expected token counts of at least 0"),
        (dict(reversed(_lengths(1).items())), "expected a text column"),
        ({"response": pa.array(["yes"])}, "expected 2 responses, got 1"),
        ({"response": pa.array(["x" * (1 << 21), "no"])}, "has a text of 2,097,152 characters"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, table: dict[str, pa.Array], told: str) -> None:
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    with pytest.raises(VhbenchError, match=told):
        unpack(tmp_path / "a.parquet", 2)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    with pytest.raises(VhbenchError, match="not a readable Parquet file"):
        unpack(tmp_path / "a.parquet", 2)
