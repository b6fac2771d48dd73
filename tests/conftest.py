"""Shared fixtures. Every test runs offline, with a cache and a home of its own."""

import doctest
import importlib
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from hub_standin import HubStandin
from hypothesis import settings
from mutants import PRODUCT, mirrored

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# Where compiling is forbidden, each process would recompile torch, transformers and these tests; see Makefile.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

pytest_plugins = ["browsing", "editions", "running", "tiny_vlms", "tiny_image_models"]

ROOT = Path(__file__).resolve().parent.parent


@cache
def modules_with_examples() -> Mapping[Path, Sequence[str]]:
    """The modules with an example in a docstring, by the test file that mirrors them."""
    found = defaultdict(list)
    linked = {ROOT / "vhbench" / name for name in PRODUCT}
    for path in sorted(path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")):
        if ">>> " in path.read_text("utf-8") and not linked & set(path.parents):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(part for part in ("vhbench", *parts[parts[0] == "vhbench" :]) if part != "__init__")
            found[ROOT / mirrored("/".join(path.relative_to(ROOT).parts))[0]].append(name)
    return found


class Examples(pytest.File):
    """The examples in docstrings: worked by hand, and run with the tests of their module."""

    def collect(self) -> Iterator[pytest.Item]:
        return (Example.from_parent(self, name=module) for module in modules_with_examples()[self.path])


class Example(pytest.Item):
    """The examples of one module."""

    def runtest(self) -> None:
        failed, tried = doctest.testmod(importlib.import_module(self.name), optionflags=doctest.ELLIPSIS)
        assert failed == 0
        assert tried > 0


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Run the examples of a module with the file that mirrors it."""
    return Examples.from_parent(parent, path=file_path) if file_path in modules_with_examples() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files with slow tests first, so that no worker is left with one when the others are done."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of reference data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("VHBENCH_REFERENCE", ROOT.parent / "shared" / "reference"))
    if not folder.is_dir():
        message = f"reference data not found at {folder}; set VHBENCH_REFERENCE"
        if os.environ.get("VHBENCH_REQUIRE_REFERENCE") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubStandin]:
    """A Hub of this test's own; see ``hub.environment(cache)`` and ``hub.in_process(cache)``."""
    with HubStandin(tmp_path / "hub") as server:
        yield server


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all worker processes of this test run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def _caches(shared_folder: Path) -> Iterator[None]:
    """Caches that all worker processes share, so that each starter split is built once a run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VHBENCH_CACHE", str(shared_folder / "vhbench"))
        patch.setenv("HF_DATASETS_CACHE", str(shared_folder / "datasets"))
        patch.delenv("VHBENCH_DATA", raising=False)
        patch.delenv("VHBENCH_RELEASE", raising=False)
        yield
