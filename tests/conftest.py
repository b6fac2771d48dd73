"""Shared fixtures. Every test runs offline, with a cache and a home of its own."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_standin import HubStandin
from hypothesis import settings

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
