"""A build is whole, and its code the same, from any checkout: with symbolic links, files in their place, or none."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vhbench.builds import sharding

ROOT = Path(__file__).resolve().parent.parent
LINKED = ("adapters", "generators", "tasks")

LOOK = """
import importlib, json, sys
from importlib.resources import files
import vhbench.adapters.lmms_eval, vhbench.tasks.prompts
from vhbench.builds import sharding
from vhbench.generators.scenes import catalog
print(json.dumps({
    "package": vhbench.__file__,
    "digest": sharding.code_digest(),
    "tasks": str(vhbench.adapters.lmms_eval.tasks_folder()),
    "resource": (files("vhbench.tasks") / "ode" / "ode.yaml").is_file(),
    "things": len(catalog.TABLE.read_text()),
    "one": importlib.import_module("vhbench.tasks").prompts is sys.modules["vhbench.tasks.prompts"],
}))
"""

EDIT = """
import sys
from pathlib import Path
from vhbench.builds import sharding
root, digest = Path(sys.argv[1]), sharding.code_digest()
for name in sys.argv[2:]:
    file = root / name
    file.parent.mkdir(exist_ok=True)
    with file.open("a") as text:
        text.write("# a comment\\n")
    sharding.code_digest.cache_clear()
    before, digest = digest, sharding.code_digest()
    print("same" if digest == before else "other")
"""

IMPORTED = """
import pkgutil, sys, vhbench.builds
for module in pkgutil.iter_modules(vhbench.builds.__path__, "vhbench.builds."):
    __import__(module.name)
print(*(name for name in sys.modules if name.startswith("vhbench.")))
"""


def checkout(folder: Path, links: str) -> Path:
    """Copy what a build needs, with links as a checkout may have them."""
    for name in (*LINKED, "vhbench"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in ("LICENSE", "MANIFEST.in", "README.md", "push_dataset.py", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, folder)
    for link in (folder / "vhbench" / name for name in LINKED):
        link.unlink(missing_ok=True)
        if links == "links":
            link.symlink_to(f"../{link.name}", target_is_directory=True)
        elif links == "text":
            link.write_text(f"../{link.name}")
    return folder


@pytest.fixture(scope="module", params=["links", "text", "none"])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout(tmp_path_factory.mktemp("plain"), "none")


def python(*arguments: object, path: Path | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def look(path: Path, cwd: Path) -> dict[str, object]:
    done = python("-c", LOOK, path=path, cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def contents(folder: Path) -> dict[str, str]:
    """Return name in the package → digest of each file of a built package, or of this checkout's."""
    files = [file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    return {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_what_is_built_is_the_checkouts_with_and_without_links(source: Path, tmp_path: Path) -> None:
    done = python("setup.py", "--quiet", "build_py", "--build-lib", tmp_path / "lib", cwd=source)
    assert done.returncode == 0, done.stderr
    expected = {name: digest for name, digest in contents(source / "vhbench").items() if name not in LINKED}
    for folder in LINKED:
        expected |= {f"{folder}/{name}": digest for name, digest in contents(source / folder).items()}
    assert contents(tmp_path / "lib" / "vhbench") == expected
    assert [folder.name for folder in (tmp_path / "lib").iterdir()] == ["vhbench"]

    installed, from_source = look(tmp_path / "lib", tmp_path), look(source, source)
    assert installed.pop("package") == str(tmp_path / "lib" / "vhbench" / "__init__.py")
    assert from_source.pop("package") == str(source / "vhbench" / "__init__.py")
    assert installed.pop("tasks") == str(tmp_path / "lib" / "vhbench" / "tasks")
    assert from_source.pop("tasks") == str(source / "tasks")
    assert installed == from_source
    assert (from_source["digest"], from_source["resource"], from_source["one"]) == (sharding.code_digest(), True, True)


def test_what_an_earlier_build_left_is_not_packed(plain: Path, tmp_path: Path) -> None:
    stale = tmp_path / "vhbench" / "gone.py"
    stale.parent.mkdir()
    stale.touch()
    assert python("setup.py", "--quiet", "build_py", "--build-lib", tmp_path, cwd=plain).returncode == 0
    assert not stale.exists()


def test_two_sdists_are_equal_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    archives = []
    for mask in (0o022, 0o077):
        folder = checkout(tmp_path / f"{mask:03o}", "none")
        for file in folder.rglob("*"):
            file.chmod((0o777 if file.is_dir() else 0o666) & ~mask)
        done = python("setup.py", "--quiet", "sdist", cwd=folder)  # into dist/, which is not there yet
        assert done.returncode == 0, done.stderr
        archives += [archive.read_bytes() for archive in (folder / "dist").glob("*.tar.gz")]
    assert len(archives) == 2
    assert archives[0] == archives[1]


def test_a_build_that_would_not_be_whole_is_refused_in_one_line(plain: Path, tmp_path: Path) -> None:
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(plain / name, tmp_path)
    shutil.copytree(plain / "vhbench", tmp_path / "vhbench")
    done = python("setup.py", "--quiet", "build_py", "--build-lib", tmp_path / "lib", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "vhbench: the folder adapters/ is not next to setup.py; every build needs it\n"


def test_the_code_digest_covers_what_can_change_a_build_and_nothing_else(plain: Path) -> None:
    reads = ("tasks/release.yaml", "tasks/ode/ode.yaml", "tasks/prompts.py", "vhbench/cli/build.py", "push_dataset.py")
    strays = ("generators/notes.txt", "vhbench/__pycache__/schema.pyc", "vhbench/compare/unpaired.py")
    makes = ("generators/scenes/catalog.tsv", "generators/ode/starter.json", "adapters/coco.py", "vhbench/schema.py")
    done = python("-c", EDIT, plain, *reads, *strays, *makes, path=plain, cwd=plain)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["same"] * len(reads + strays) + ["other"] * len(makes)


def test_the_code_digest_covers_every_module_that_a_build_imports() -> None:
    done = python("-c", IMPORTED, path=ROOT)
    assert done.returncode == 0, done.stderr
    covered = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in sharding.code_files()}
    assert {name.removeprefix("vhbench.") for name in done.stdout.split()} <= covered
