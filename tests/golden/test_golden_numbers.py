"""Content hashes and all numbers of four made-up runs are those of the golden file.

``python tests/golden/renew.py`` prints what changed (old → new) and writes the file anew: only what was meant to change
may change.
"""

import json
from pathlib import Path

import pytest
from golden_documents import digest, flattened, numbers

GOLDEN = Path(__file__).with_name("numbers.json")


@pytest.mark.slow
@pytest.mark.usefixtures("_caches")
def test_every_number_is_as_it_was(tmp_path: Path) -> None:
    expected, found = flattened(json.loads(GOLDEN.read_text())), digest(numbers(tmp_path))
    assert sorted(found.keys() ^ expected.keys()) == []
    differing = {path: (expected[path], value) for path, value in found.items() if not _same(expected[path], value)}
    assert differing == {}


def _same(expected: object, value: object) -> bool:
    return bool(value == (pytest.approx(expected, rel=1e-11, abs=1e-11) if isinstance(value, float) else expected))
