"""Rows of each task and their order: the ``process_docs`` functions of the YAML files.

A task that selects rows of a whole benchmark, such as ``mioh_selective``, is an attribute of this module
(:func:`__getattr__`); its benchmark's list of tasks defines its rows.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from vhbench.benchmarks import Grouping, benchmark, of_task, task
from vhbench.columns import CELLS
from vhbench.tasks.datasets import or_exit, repeat, select


@dataclass(frozen=True, slots=True)
class Slice:
    """Selects the rows of a benchmark whose columns have one of the given values, or variants of them."""

    keep: tuple[tuple[str, tuple[str, ...]], ...]
    variants: tuple[str, ...] = ()

    def __call__(self, docs: Any) -> Any:
        """Return the selected rows, in stratified order."""
        rows = _stratified(or_exit(select, docs, **dict(self.keep)))
        return repeat(rows, self.variants) if self.variants else rows


def __getattr__(name: str) -> Slice:
    """Return the slice of the task of this name."""
    if of_task(name) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    named_task = task(name)
    return Slice(tuple((named_task.keep or {}).items()), named_task.variants)


def whole(docs: Any) -> Any:
    """Keep every row, after checking that they belong together, in stratified order."""
    return _stratified(or_exit(select, docs))


def _stratified(docs: Any) -> Any:
    """Order rows so that the first N, for any N (``--limit``), are a stratified sample of whole pairs.

    The rows of a pair follow one another, questions before their negated twins. Each pair is the one with the largest
    deficit per row: of all columns with cells, and of the subsets of the report, so far below their shares. Pairs in
    the same subsets are ordered by a hash of their case: a random sample of many images, and the same cases under every
    perturbation.
    """
    families = benchmark(docs.select_columns(["benchmark"])[0]["benchmark"]).families
    cells = {kind: _groupings(family.cells) for kind, family in families.items()}
    names = {"id", "pair_id", *chain.from_iterable(chain(*cells.values()))}
    columns = docs.select_columns(sorted(names))[:]
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    pairs: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        pairs[row["pair_id"] or row["id"]].append(place)
    strata: dict[tuple[Any, ...], list[tuple[bytes, list[int]]]] = defaultdict(list)
    for name, places in pairs.items():
        within = [[(own, *(str(rows[at][n]) for n in own)) for own in cells[rows[at]["kind"]]] for at in places]
        case = name.removesuffix(f"/{rows[places[0]]['perturbation']}")
        inside = sorted(places, key=lambda at: (rows[at]["negated"], rows[at]["id"]))
        strata[tuple(sorted(chain.from_iterable(within)))].append((hashlib.sha256(case.encode()).digest(), inside))
    waiting = [sorted(strata[stratum], reverse=True) for stratum in sorted(strata)]
    turns = _turns([Counter(stratum) for stratum in sorted(strata)], [len(drawn) for drawn in waiting])
    return docs.select([at for stratum in turns for at in waiting[stratum].pop()[1]])


def _groupings(cells: Sequence[Grouping]) -> list[Grouping]:
    """Return the groupings of a report, every column with cells alone (counted twice), and all columns together."""
    every = sorted({"kind", *CELLS, *chain.from_iterable(cells)})
    alone = [(), *((column,) for column in every)]
    return sorted([*alone, *alone, *({*cells, tuple(every)} - {*alone})])


def _turns(strata: Sequence[Counter[Any]], pairs: Sequence[int]) -> Iterator[int]:
    """Yield the stratum of each pair in turn; each is given as subset → its rows in one pair, with the number of pairs.

    >>> "".join("ab"[stratum] for stratum in _turns([Counter({"a": 1}), Counter({"b": 1})], [6, 2]))
    'abaaabaa'
    """
    subsets = sorted({*chain.from_iterable(strata)})
    own = np.array([[stratum[subset] for subset in subsets] for stratum in strata], dtype=np.int64)
    left, sizes = np.array(pairs), own.max(axis=1)
    shares = left @ own
    pull = own * (left @ sizes) - np.outer(sizes, shares)  # whole numbers: the same order on every machine
    moves, surplus = pull @ pull.T, np.zeros_like(sizes)
    for _ in range(left.sum()):
        turn = int(np.where(left > 0, surplus / sizes, np.inf).argmin())  # per row, else one size of pairs comes first
        yield turn
        left[turn] -= 1
        surplus += moves[turn]
