"""Every command in the README is run, in order, in one empty folder."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import pytest
import tiny_qwen
from running import Done
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.tasks import datasets

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    """Return the shell commands of the README, one per line, comments removed."""
    blocks = re.findall(r"```bash\n(.*?)```", README, flags=re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.strip()]


def prepare(command: str, model: Path) -> str:
    """Put what this machine has in the place of what must be downloaded or lies elsewhere."""
    if command.startswith("make "):
        return f"make --dry-run -C {shlex.quote(str(ROOT))} {command.removeprefix('make ')}"
    command = command.replace("python push_dataset.py", f"python {shlex.quote(str(ROOT / 'push_dataset.py'))}")
    if command.startswith("vhbench score results"):
        # A random model has no answers: its scores are withheld, which is exit status 1.
        return f'{command} > scores.txt 2>&1 && exit 3; [ $? = 1 ]; grep "scores are withheld" scores.txt'
    small = f"pretrained={model},device=cpu,device_map=cpu,min_pixels=3136,max_pixels=3136"
    if command.startswith(("vhbench build ode", "vhbench build mioh")):
        command += " --size 96"  # larger pictures take longer to draw
    if command.startswith("vhbench build mioh"):
        command += " --types E1,C1"  # few scenes suffice for these; trying all 26 takes ten seconds
    if "pretrained=" in command:
        command = re.sub(r"pretrained=\S+", small, command) + " --limit 4 --gen_kwargs max_new_tokens=4"
    return command


def test_the_readme_keeps_its_order() -> None:
    headings = re.findall(r"^## (.*)$", README, flags=re.MULTILINE)
    assert headings == [
        "Why",
        "Install",
        "Two commands",
        "One real model",
        "Build your own split",
        "Push",
        "Results",
        "Leaderboard",
        "Tasks",
        "Limits",
        "Citation",
    ]


def test_the_picture_is_there() -> None:
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (ROOT / picture).is_file()


def run(command: str, lmms_eval: Callable[..., Done]) -> Done:
    """Run a line of shell; our command and lmms-eval's, where nothing else stands in the line, in this process."""
    words = shlex.split(command)
    variables = dict(word.split("=", 1) for word in takewhile(re.compile("[A-Z_]+=").match, words))
    program, *arguments = words[len(variables) :]
    plain = not {">", "|", "&&"} & set(words)
    if program == "lmms-eval" and plain:
        datasets.resolve.cache_clear()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            done = lmms_eval(*arguments)
        datasets.resolve.cache_clear()
        return done
    if program == "vhbench" and plain:
        result = CliRunner().invoke(app, arguments, env=variables)
        return Done(result.exit_code, result.stdout, f"{result.stderr}{result.exception}")
    environment = dict(os.environ) | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    ended = subprocess.run(["bash", "-ec", command], env=environment, capture_output=True, text=True, check=False)
    return Done(ended.returncode, ended.stdout, ended.stderr)


@pytest.mark.slow
@pytest.mark.usefixtures("_caches")
def test_every_command_runs(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    lmms_eval: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tiny_qwen.save(tmp_path_factory.mktemp("qwen"))
    monkeypatch.chdir(tmp_path)
    prepared = [prepare(command, model) for command in commands()]
    assert len(prepared) >= 10
    for command in prepared:
        done = run(command, lmms_eval)
        said = f"$ {command}\n{done.out[-3000:]}\n{done.err[-3000:]}"
        assert done.code == 0, said
        if "lmms" in command and "make" not in command:  # its exit code is 0 even when every task failed
            assert "accuracy" in done.out, said
