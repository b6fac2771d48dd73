"""What changed between two versions, and may their scores be compared?"""

from dataclasses import replace
from pathlib import Path

import pytest
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import splits
from vhbench.cli import app
from vhbench.comparison import compare
from vhbench.schema import Row, VhbenchError

ROWS = [item for item in ToyBuild(shards=1).make(0) if isinstance(item, Row)]


def write(folder: Path, rows: list[Row], version: str) -> Path:
    splits.write_split(folder, rows, benchmark=rows[0].question.benchmark, version=version, seed=0, config={})
    return folder


def changed(**columns: object) -> list[Row]:
    return [replace(ROWS[0], question=replace(ROWS[0].question, **columns)), *ROWS[1:]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "version", "code", "said"),
    [
        (ROWS, "1.0.1", 0, "content: the same"),
        (ROWS, "1.0.1", 0, "scores on 1.0.0 and 1.0.1 are comparable"),
        (changed(criterion="random"), "1.1.0", 0, "1 changed in criterion: q0-0"),
        (changed(answer="no"), "1.1.0", 3, "NOT comparable, though MAJOR is the same"),
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
    with pytest.raises(VhbenchError, match=r"holds ode and .* holds mioh: nothing to compare"):
        compare(write(tmp_path / "1", ROWS, "1.0.0"), write(tmp_path / "2", other, "1.0.0"))
