"""Content hashes and all numbers of four made-up runs are those of the golden file.

``python tests/golden/renew.py`` prints what changed (old → new) and writes the file anew: only what was meant to change
may change.
"""

import json
from pathlib import Path

import pytest
from golden_documents import digest, flattened, numbers

from vhbench.benchmarks import BENCHMARKS
from vhbench.builds.recipes import EditionRecipe
from vhbench.builds.starter import SEED

GOLDEN = Path(__file__).with_name("numbers.json")
EDITIONS = Path(__file__).parents[2] / "editions"


@pytest.mark.slow
@pytest.mark.usefixtures("_caches")
def test_every_number_is_as_it_was(tmp_path: Path) -> None:
    expected, found = flattened(json.loads(GOLDEN.read_text())), digest(numbers(tmp_path))
    assert sorted(found.keys() ^ expected.keys()) == []
    differing = {path: (expected[path], value) for path, value in found.items() if not _same(expected[path], value)}
    assert differing == {}


def _same(expected: object, value: object) -> bool:
    return bool(value == (pytest.approx(expected, rel=1e-11, abs=1e-11) if isinstance(value, float) else expected))


@pytest.mark.parametrize("recipe", sorted(EDITIONS.glob("*_drawn.yaml")), ids=lambda file: file.stem)
def test_a_drawn_recipe_has_the_content_hash_of_its_split(recipe: Path) -> None:
    found = EditionRecipe.read(recipe)
    found.build()  # its inputs are those of the recipe
    built = json.loads(json.dumps(BENCHMARKS[found.benchmark].starter))
    assert (found.options, found.seed, found.unpinned) == (built, SEED, [])
    assert found.content_hash == json.loads(GOLDEN.read_text())["hash"][found.benchmark]
