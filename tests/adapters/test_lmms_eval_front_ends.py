"""Every front end of the installed lmms-eval lists our tasks once they are installed; so does the upstream patch."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from vhbench.cli import app

ROOT = Path(__file__).resolve().parents[2]
LEAVES = {"ode_fictional_caption", "mioh_selective", "vhexpansion_pope", "amber_generative", "chair_64"}
OURS = {"ode", "ode_fictional", "amber", *LEAVES}

FRONT_ENDS = """
import asyncio, contextlib, io, json, sys

from lmms_eval.cli import dispatch


def printed(*argv):
    sys.argv = ["lmms-eval", *argv]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        dispatch.main()
    return out.getvalue()


found = {
    "tasks": [line.strip() for line in printed("tasks", "list").splitlines()],
    "power": printed("power", "--tasks", "ode_fictional_caption,no_such_task"),
    "alone": "lmms_eval.models" not in sys.modules,
}
with contextlib.suppress(ImportError):
    from lmms_eval.mcp.server import create_mcp_server
    from lmms_eval.mcp.tools import register_tools

    server = create_mcp_server()
    register_tools(server, None)  # as it does when it starts
    [told] = asyncio.run(server.call_tool("list_tasks", {"query": "*"}))
    found["mcp"] = [task["name"] for task in json.loads(told.text)["tasks"]]
with contextlib.suppress(ImportError):
    from fastapi.testclient import TestClient
    from lmms_eval.tui.server import app

    found["ui"] = [task["id"] for task in TestClient(app).get("/tasks").json()]
    from lmms_eval.entrypoints.http_server import app

    found["serve"] = TestClient(app).get("/tasks").json()["tasks"]
print(json.dumps(found))
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The installed lmms-eval with a task folder of its own that can be written."""
    spec = find_spec("lmms_eval")
    assert spec is not None
    assert spec.origin is not None
    package, copy = Path(spec.origin).parent, tmp_path / "path" / "lmms_eval"
    (copy / "tasks").mkdir(parents=True)
    for file in (*(f for f in package.iterdir() if f.name != "tasks"), *(package / "tasks").glob("_*")):
        (copy / file.relative_to(package)).symlink_to(file)
    return copy.parent


def front_ends(path: Path, cache: Path) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(path), "XDG_CACHE_HOME": str(cache), "HF_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", FRONT_ENDS], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("_caches")
def test_all_front_ends_list_installed_tasks(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(copied))
    found = SimpleNamespace(origin=f"{copied}/lmms_eval/__init__.py")
    monkeypatch.setattr("vhbench.cli.tasks.find_spec", lambda name: found)
    for _ in range(2):  # an upgrade
        told = CliRunner().invoke(app, ["tasks", "--install"], catch_exceptions=False)
        assert told.output.startswith(f"wrote {copied / 'lmms_eval/tasks/vhbench'}")
    found = front_ends(copied, Path(os.environ.get("XDG_CACHE_HOME", tmp_path)))
    assert found["alone"]  # nothing of vhbench was loaded: the files do it
    assert "ode_fictional_caption:" in found["power"]
    assert "no_such_task" in found["power"]
    listed = {name: set(found[name]) for name in ("tasks", "mcp", "ui", "serve") if name in found}
    # The web UI, also that of `tui`, reads no file with "!function", so no group, not even lmms-eval's own.
    missing = {name: (LEAVES if name == "ui" else OURS) - names for name, names in listed.items()}
    assert not any(missing.values()), missing
    assert len(listed) == 4 or pytest.skip(f"only {', '.join(listed)}: fastapi or mcp is not installed")


def test_the_upstream_patch_applies_and_finds_the_entry_point(copied: Path) -> None:
    tasks = copied / "lmms_eval" / "tasks" / "__init__.py"
    source = tasks.read_text()
    tasks.unlink()
    tasks.write_text(source)
    patch = ROOT / "docs" / "lmms_eval_tasks.patch"
    done = subprocess.run(["patch", "-p1", "-i", patch], cwd=copied, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    spec = spec_from_file_location("patched_tasks", tasks)  # registering vhbench changes lmms_eval.tasks, and not this
    assert spec is not None
    assert spec.loader is not None
    patched = module_from_spec(spec)
    spec.loader.exec_module(patched)
    assert set(patched.TaskManager("ERROR").all_tasks) >= OURS
