"""Paths that no file can have, missing folders and full disks end a command in one line that names them."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from vhbench import cli, splits
from vhbench.files import write_atomic
from vhbench.schema import Question, Row


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ("", "expected a path, got ''"),
        ("\udcff", "expected a path, got '\\udcff'"),
        ("a::b", "expected a path without '::', which `datasets` takes for an archive, got a::b"),
    ],
)
def test_a_path_that_no_file_can_have_is_refused(
    odd: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["vhbench", "build", "ode", "--pairs", "1", "--out", odd])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    error = capsys.readouterr().err
    assert (ended.value.code, error.count("\n")) == (2, 1)
    assert f"Invalid value for '--out' / '-o': {message}" in error
    assert not list(tmp_path.iterdir())


def test_a_preview_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["vhbench", "preview", str(tmp_path), "-o", str(tmp_path / "nope" / "x.png")])
    with pytest.raises(SystemExit):
        cli.main()
    assert f"{tmp_path / 'nope' / 'x.png'}: expected an existing folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of POSIX")
@pytest.mark.parametrize("arguments", ["build ode --pairs 1 --out {}/out", "preview {}/split -o {}/sheet.png"])
def test_a_command_whose_disk_is_full_names_the_file(arguments: str, tmp_path: Path) -> None:
    images = (_png(Image.effect_noise((300, 300), 100)),)
    question = Question("q", images=images, question="What is it?", answer="", kind="caption", benchmark="ode")
    rows = [Row("ode_fictional_caption", question)]
    splits.write_split(tmp_path / "split", rows, benchmark="ode", version="1.0.0", seed=0, config={})
    # A file may have 4 kB: the system refuses more as on a full disk.
    code = "import resource, signal; from vhbench.cli import main; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    code += "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); main()"
    command = [sys.executable, "-c", code, *arguments.format(tmp_path, tmp_path).split()]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"VHBENCH_CACHE": str(tmp_path / "cache")},
    )
    assert done.returncode == 2
    assert (str(tmp_path) in done.stderr, "File too large" in done.stderr, done.stderr.count("\n")) == (True, True, 1)
    assert not (tmp_path / "sheet.png").exists()


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")  # noqa: PTH110
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    def write(_: object) -> None:
        with open("/dev/full", "wb", buffering=0) as full:  # noqa: PTH123
            full.write(b"x")

    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomic(tmp_path / "report.json", write)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "report.json"))
    assert not list(tmp_path.iterdir())
