"""Rows of each task and their order: the ``process_docs`` functions of the YAML files.

A task that selects rows of a whole benchmark, such as ``mioh_selective``, is an attribute of this module
(:func:`__getattr__`); its benchmark's list of tasks defines its rows.
"""

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import Any

from vhbench.benchmarks import benchmark, of_task, task
from vhbench.tasks.datasets import or_exit, repeat, select


@dataclass(frozen=True, slots=True)
class Slice:
    """Selects the rows of a benchmark whose columns have one of the given values, or variants of them."""

    keep: tuple[tuple[str, tuple[str, ...]], ...]
    variants: tuple[str, ...] = ()

    def __call__(self, docs: Any) -> Any:
        """Return the selected rows, in stratified order."""
        found = _stratified(or_exit(select, docs, **dict(self.keep)))
        return repeat(found, self.variants) if self.variants else found


def __getattr__(name: str) -> Slice:
    """Return the slice of the task of this name."""
    if of_task(name) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = task(name)
    return Slice(tuple((found.keep or {}).items()), found.variants)


def whole(docs: Any) -> Any:
    """Keep every row, after checking that they belong together, in stratified order."""
    return _stratified(or_exit(select, docs))


def _stratified(docs: Any) -> Any:
    """Order rows so that the first N, for any N (``--limit``), are a stratified sample of whole pairs.

    The rows of a pair follow one another, questions before their negated twins. A pair's stratum is the set of the
    report's subsets that its rows are in. The k-th of n pairs of a stratum comes at (k - 1 + u) / n, with u in [0, 1)
    from a hash of the stratum, so that each stratum has its share of any prefix. Within a stratum, pairs are ordered by
    a hash of their case: a random sample of many images, and the same cases under every perturbation.
    """
    families = benchmark(docs.select_columns(["benchmark"])[0]["benchmark"]).families
    cells = {kind: sorted({column for cell in family.cells for column in cell}) for kind, family in families.items()}
    names = {"id", "kind", "pair_id", "perturbation", "negated", *chain.from_iterable(cells.values())}
    columns = docs.select_columns(sorted(names))[:]
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    pairs: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        pairs[row["pair_id"] or row["id"]].append(place)
    strata: dict[tuple[str, ...], list[tuple[bytes, list[int]]]] = defaultdict(list)
    for name, places in pairs.items():
        own = [rows[place] for place in places]
        within = {"\n".join(str(row[column]) for column in cells[row["kind"]]) for row in own}
        case = name.removesuffix(f"/{own[0]['perturbation']}")
        strata[tuple(sorted(within))].append((hashlib.sha256(case.encode()).digest(), places))
    order = []
    for stratum, members in strata.items():
        shift = int.from_bytes(hashlib.sha256("\0".join(stratum).encode()).digest()[:6]) / 2**48
        for number, (drawn, places) in enumerate(sorted(members)):
            inside = sorted(places, key=lambda place: (rows[place]["negated"], rows[place]["id"]))
            order.append(((number + shift) / len(members), drawn, inside))
    return docs.select([place for *_, places in sorted(order) for place in places])
