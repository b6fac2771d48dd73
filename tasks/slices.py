"""Rows of each task and their order: the ``process_docs`` functions of the YAML files.

A task that selects rows of a whole benchmark, such as ``mioh_selective``, is an attribute of this module
(:func:`__getattr__`); its benchmark's list of tasks defines its rows.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from vhbench.benchmarks import of_task, task
from vhbench.tasks.datasets import or_exit, select


@dataclass(frozen=True, slots=True)
class Slice:
    """Selects the rows of a benchmark whose columns have one of the given values."""

    keep: tuple[tuple[str, tuple[str, ...]], ...]

    def __call__(self, docs: Any) -> Any:
        """Return the selected rows."""
        return or_exit(select, docs, **dict(self.keep))


def __getattr__(name: str) -> Slice:
    """Return the slice of the task of this name."""
    if of_task(name) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Slice(tuple((task(name).keep or {}).items()))


def whole(docs: Any) -> Any:
    """Keep every row, after checking that they belong together."""
    return or_exit(select, docs)


def pairs(docs: Any) -> Any:
    """Keep every row of VHExpansion, in an order suited to ``--limit``.

    A question is followed by its negated twin, and cases are ordered by a hash of their image, so that the first ones
    are a random sample and the same under every perturbation.
    """
    docs = or_exit(select, docs)
    columns = docs.select_columns(["pair_id", "perturbation", "scene_ids", "negated"])[:].values()

    def place(row: int) -> tuple[bytes, str, bool]:
        pair, perturbation, scenes, negated = (column[row] for column in columns)
        case = pair.removesuffix(f"/{perturbation}")
        return hashlib.sha256(("\n".join(scenes) or case).encode()).digest(), case, negated

    return docs.select(sorted(range(len(docs)), key=place))
