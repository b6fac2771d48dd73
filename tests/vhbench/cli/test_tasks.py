"""``vhbench tasks`` writes into lmms-eval only when it is asked for that alone."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from vhbench.cli import app, tasks


@pytest.mark.parametrize("more", [["split"], ["--out", "folder"], ["--names"], ["--write"]])
def test_installing_takes_nothing_else(more: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_install_tasks", lambda _: Path("written"))
    done = CliRunner().invoke(app, ["tasks", "--install", *more])
    assert done.exit_code != 0
    assert "written" not in done.output
    assert "written" in CliRunner().invoke(app, ["tasks", "--install"]).output
