"""The examples in docstrings are worked by hand; here all of them run."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"vhbench": "", "tasks": "vhbench.", "generators": "vhbench.", "adapters": "vhbench."}


def with_examples() -> list[str]:
    """Return the names of all modules that have an example."""
    links = {ROOT / "vhbench" / name for name in FOLDERS}
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py") if not links & set(file.parents)]
    found = [file.relative_to(ROOT).with_suffix("").parts for file in files if ">>> " in file.read_text("utf-8")]
    return sorted(FOLDERS[name[0]] + ".".join(name).removesuffix(".__init__") for name in found)


@pytest.mark.parametrize("name", with_examples())
def test_examples(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0
