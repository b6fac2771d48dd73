"""``vhbench compare`` says first which run is not there."""

from pathlib import Path

from typer.testing import CliRunner

from vhbench.cli import app


def test_a_run_that_is_not_there_is_named_before_any_is_read(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    done = CliRunner().invoke(app, ["compare", str(tmp_path / "run"), str(tmp_path / "missing")])
    assert str(done.exception) == f"cannot read {tmp_path / 'missing'}: No such file or directory"
