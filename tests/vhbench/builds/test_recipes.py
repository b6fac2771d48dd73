"""Recipes as files: what is written is read again, and other fields are named."""

import re
from pathlib import Path

import pytest

from vhbench.builds.recipes import EditionRecipe
from vhbench.schema import VhbenchError


def test_a_recipe_is_read_as_it_was_written(tmp_path: Path) -> None:
    recipe = EditionRecipe(benchmark="ode", version="1.2.3", seed=7, about="a test")
    recipe.write(tmp_path / "recipe.yaml")
    assert EditionRecipe.read(tmp_path / "recipe.yaml") == recipe


@pytest.mark.parametrize(
    ("text", "got"), [("version: 1.0.0\nsed: 3\n1: 2\nbenchmarks: ode", "1, benchmarks, sed"), ("- ode", "['ode']")]
)
def test_other_fields_of_a_recipe_are_named_in_order(text: str, got: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text(text)
    with pytest.raises(VhbenchError, match=f"expected the fields benchmark, version, .*; got {re.escape(got)}$"):
        EditionRecipe.read(tmp_path / "recipe.yaml")
