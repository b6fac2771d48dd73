"""What changed between two versions, and may their scores be compared?"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import splits
from vhbench.cli import app
from vhbench.schema import Row, VhbenchError
from vhbench.seeding import rng
from vhbench.split_diff import compare

ROWS = [item for item in ToyBuild(shards=1).make(0) if isinstance(item, Row)]


def write(folder: Path, rows: list[Row], version: str, **config: object) -> Path:
    splits.write_split(folder, rows, benchmark=rows[0].question.benchmark, version=version, seed=0, config=config)
    return folder


def changed(**columns: object) -> list[Row]:
    return [replace(ROWS[0], question=replace(ROWS[0].question, **columns)), *ROWS[1:]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "version", "code", "said"),
    [
        (ROWS, "1.0.1", 0, "questions: unchanged"),
        (ROWS, "1.0.1", 0, "scores on 1.0.0 and 1.0.1 are comparable"),
        (changed(scene_ids=("x",)), "1.1.0", 0, "1 changed in scene_ids: q0-0"),
        (changed(criterion="random"), "1.1.0", 3, "1 changed in criterion: q0-0"),
        (changed(answer="no"), "1.1.0", 3, "NOT comparable although MAJOR is the same"),
        (changed(answer="no"), "2.0.0", 1, "1 changed in answer: q0-0"),
        (changed(images=(b"x",)), "2.0.0", 1, "1 changed in images: q0-0"),
        (ROWS[1:], "1.1.0", 3, "1 removed: q0-0"),
        (ROWS[1:], "2.0.0", 1, "config a: 3 → 2 questions"),
        ([replace(ROWS[0], config="c"), *ROWS[1:]], "2.0.0", 1, "1 changed in config: q0-0"),
        (changed(id="new"), "2.0.0", 1, "1 added: new"),
    ],
)
def test_what_changed(tmp_path: Path, rows: list[Row], version: str, code: int, said: str) -> None:
    first, second = write(tmp_path / "1", ROWS, "1.0.0"), write(tmp_path / "2", rows, version)
    result = CliRunner().invoke(app, ["diff", str(first), str(second)])
    assert said in result.output
    assert result.exit_code == code


def test_other_benchmarks_cannot_be_compared(tmp_path: Path) -> None:
    other = [replace(row, question=replace(row.question, benchmark="mioh")) for row in ROWS]
    with pytest.raises(VhbenchError, match=r"expected two versions of one benchmark, got ode \(.*\) and mioh"):
        compare(write(tmp_path / "1", ROWS, "1.0.0"), write(tmp_path / "2", other, "1.0.0"))


@pytest.mark.parametrize(
    "column",
    ["task", "mode", "pressure", "criterion", "pairing", "question_type", "source", "perturbation", "pair_id"],
)
def test_what_sorts_questions_into_tasks_and_cells_counts(tmp_path: Path, column: str) -> None:
    first, second = write(tmp_path / "1", ROWS, "1.0.0"), write(tmp_path / "2", changed(**{column: "x"}), "1.1.0")
    found = compare(first, second)
    assert found.changed == {"q0-0": (column,)}
    assert (found.code, found.reasons) == (3, ("1 question changed",))


def test_the_words_that_captions_are_searched_for_count(tmp_path: Path) -> None:
    words = {f"concept {i}": ["name", f"form {i}"] for i in range(300)}
    others = {name: ["zzz"] for name in words}
    first = write(tmp_path / "1", ROWS, "1.0.0", vocabulary=words, long="x" * 9_000, graph=None)
    second = write(tmp_path / "2", ROWS, "1.1.0", vocabulary=others, long="y\n\x1b[2J" * 9_000, graph=[1] * 300)
    result = CliRunner().invoke(app, ["diff", str(first), str(second)])
    assert result.exit_code == 3
    assert "NOT comparable although MAJOR is the same" in result.output
    lines = result.output.splitlines()
    assert lines[3].startswith("option graph: null → [1, 1, 1,")
    assert lines[3].endswith("… (300 entries)")
    assert lines[5].startswith("option vocabulary: 300 → 300 entries; 300 differ: concept 0, concept 1")
    assert lines[6] == "questions: unchanged"
    assert len(lines) == 8
    assert max(len(line) for line in lines) < 200
    assert "\x1b" not in result.output
    assert r"→ y \x1b[2Jy \x1b[2J" in result.output, "written out, as everywhere"
    assert compare(first, write(tmp_path / "3", ROWS, "2.0.0", vocabulary=others)).code == 1
    assert compare(first, write(tmp_path / "4", ROWS, "1.0.1", vocabulary=words)).code == 0


def truncated(split: Path) -> None:
    shard = next(split.glob("*/*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-50])


def empty(split: Path) -> None:
    next(split.glob("*/*.parquet")).write_bytes(b"")


def random_bytes(split: Path) -> None:
    next(split.glob("*/*.parquet")).write_bytes(rng(0, "noise").bytes(2000))


def of_another(split: Path) -> None:
    other = write(split.with_name("other"), changed(answer="no"), "1.0.0")
    for shard in other.glob("*/*.parquet"):
        (split / shard.relative_to(other)).write_bytes(shard.read_bytes())


def without_a_shard(split: Path) -> None:
    next(split.glob("*/*.parquet")).unlink()


@pytest.mark.parametrize("damage", [truncated, empty, random_bytes, of_another, without_a_shard])
def test_a_manifest_alone_is_not_believed(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    # The content hashes in the two manifests are equal all the time.
    first, second = write(tmp_path / "1", ROWS, "1.0.0"), write(tmp_path / "2", ROWS, "1.0.1")
    assert compare(first, second).comparable
    damage(second)
    for pair in ((first, second), (second, first)):
        with pytest.raises(VhbenchError) as caught:
            compare(*pair)
        assert "\n" not in str(caught.value)
