"""The examples in the docstrings of the metrics are worked by hand; here they run."""

import doctest
import importlib
import pkgutil

import pytest

import vhbench.tasks.metrics

FLOOR_0 = [f"vhbench.{name}" for name in ("colours", "language.inflection", "language.parsing", "seeding")]
MORE = [
    "vhbench.generators.mioh.templates",
    "vhbench.generators.scenes.concept_parts",
    "vhbench.training.leakage",
    "vhbench.training.paraphrases",
]
MODULES = [f"vhbench.tasks.metrics.{module.name}" for module in pkgutil.iter_modules(vhbench.tasks.metrics.__path__)]


@pytest.mark.parametrize("name", [*MODULES, *FLOOR_0, *MORE])
def test_examples(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0 or name.endswith("records")
