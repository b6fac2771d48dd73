"""Number of questions per cell."""

from collections.abc import Mapping
from typing import Any, Final

from vhbench.benchmarks import pressure_family
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.schema import VhbenchError

PAPER: Final[dict[str, dict[str, int]]] = {
    "existence": {"easy": 300, "hn": 200, "hp": 220, "ni": 150},
    "counting": {"easy": 180, "hn": 116, "hp": 97, "ni": 70},
    "attribute": {"easy": 260, "hn": 240, "hp": 240, "ni": 210},
    "position": {"easy": 240, "hn": 250, "hp": 215, "ni": 496},
}
"""Questions per task and pressure in the paper's final set.

They sum to 3,484 (inferred from the printed percentages).
"""

_DIGITS = 9

GROUPS: Final = tuple(dict.fromkeys("ni" if p.images else pressure_family(p.name) for p in PRESSURES.values()))
"""Pressures with a size; NI is divided over its numbers of images."""


def sizes(cells: str | int | Mapping[str, Mapping[str, int]], *, tied: int = 0) -> dict[str, dict[str, int]]:
    """Return type → pressure → number of questions.

    Args:
        cells: "paper", a number for each type and pressure (including "hp+hn"), or task → pressure → number as in
            :data:`PAPER`.
        tied: further easy questions of each of two tied types.

    Raises:
        VhbenchError: for any other value, an unknown task or pressure, or a negative or fractional number.
    """
    if cells == "paper":
        cells = PAPER
    if isinstance(cells, str) and cells.isdecimal() and len(cells) <= _DIGITS:
        cells = int(cells)
    if isinstance(cells, int) and _is_size(cells):
        sized = {name: dict.fromkeys(GROUPS, cells) for name in QUESTION_TYPES}
        return _with_ties({name: _split_ni(name, sized[name], turn=i) for i, name in enumerate(sized)}, tied)
    if not isinstance(cells, Mapping):
        raise VhbenchError(
            "cells: expected paper, a number (0 or more), or a JSON file of task → pressure → number, "
            f"got {cells!r:.40}"
        )
    _check(cells)
    if not any(number for groups in cells.values() for number in groups.values()):
        raise VhbenchError("cells: expected a positive number for at least one task and pressure")
    table: dict[str, dict[str, int]] = {}
    for task in PAPER:
        names = [name for name, kind in QUESTION_TYPES.items() if kind.task == task]
        for i, name in enumerate(names):
            counts = {group: _share(number, i, len(names)) for group, number in cells.get(task, {}).items()}
            table[name] = _split_ni(name, counts, turn=i)
    return _with_ties(table, tied)


def _with_ties(table: dict[str, dict[str, int]], number: int) -> dict[str, dict[str, int]]:
    """Return sizes with ``number`` more easy questions for every pair of tied types."""
    tied = [kind for kind in QUESTION_TYPES.values() if kind.tied_to]
    names = {kind.id for kind in tied} | {kind.tied_to for kind in tied}
    return {
        name: {**cells, "easy": cells.get("easy", 0) + number} if name in names and number else cells
        for name, cells in table.items()
    }


def _is_size(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def _check(cells: Mapping[str, Any]) -> None:
    for task, groups in cells.items():
        if task not in PAPER:
            raise VhbenchError(f"cells: unknown task {task!r}, expected one of {', '.join(PAPER)}")
        if not isinstance(groups, Mapping):
            raise VhbenchError(f"cells: {task}: expected pressure → number, of {', '.join(GROUPS)}, got {groups!r:.40}")
        for group, number in groups.items():
            if group not in GROUPS:
                raise VhbenchError(f"cells: {task}: unknown pressure {group!r}, expected one of {', '.join(GROUPS)}")
            if not _is_size(number):
                raise VhbenchError(f"cells: {task}, {group}: expected a whole number, 0 or more, got {number!r:.40}")


def _share(number: int, index: int, parts: int) -> int:
    """Return the index-th of equal parts; the first parts take the remainder."""
    return number // parts + (index < number % parts)


def _split_ni(name: str, counts: dict[str, int], turn: int) -> dict[str, int]:
    """Divide NI over its numbers of images, two thirds to those that are a pressure.

    Types alternate in which number comes first. Numbers below a type's minimum are skipped.
    """
    split = {group: number for group, number in counts.items() if group != "ni"}
    more, fewer = ([p for p in PRESSURES.values() if p.images and p.presses == presses] for presses in (True, False))
    fewer = [p for p in fewer if p.images >= QUESTION_TYPES[name].fewest]
    more, fewer = more[turn % 2 :] + more[: turn % 2], fewer[turn % 2 :] + fewer[: turn % 2]
    cycle = [*more, *more, *fewer]
    for i, pressure in enumerate(cycle):
        split[pressure.name] = split.get(pressure.name, 0) + _share(counts.get("ni", 0), i, len(cycle))
    return {pressure: split[pressure] for pressure in PRESSURES if pressure in split}
