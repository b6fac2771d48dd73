"""Paths that no file can have, missing folders and full disks end a command in one line that names them."""

import errno
import os
import sys
from pathlib import Path

import pytest

from vhbench import cli
from vhbench.files import write_atomic


@pytest.mark.parametrize("odd", ["", "\udcff"])
def test_a_path_that_no_file_can_have_is_refused(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["vhbench", "build", "ode", "--pairs", "1", "--out", odd])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    error = capsys.readouterr().err
    assert (ended.value.code, error.count("\n")) == (2, 1)
    assert f"Invalid value for '--out' / '-o': expected a path, got {odd!r}" in error
    assert not list(tmp_path.iterdir())


def test_a_preview_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["vhbench", "preview", str(tmp_path), "-o", str(tmp_path / "nope" / "x.png")])
    with pytest.raises(SystemExit):
        cli.main()
    assert f"{tmp_path / 'nope' / 'x.png'}: expected an existing folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")  # noqa: PTH110
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    def write(_: object) -> None:
        with open("/dev/full", "wb", buffering=0) as full:  # noqa: PTH123
            full.write(b"x")

    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomic(tmp_path / "report.json", write)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "report.json"))
    assert not list(tmp_path.iterdir())
