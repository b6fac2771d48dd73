"""How questions name the categories of annotation files, and which of them people take for one another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from vhbench.files import read_typed
from vhbench.schema import VhbenchError

_NAMES: Final = {
    "tv": "TV or monitor", "car_(automobile)": "car", "cellular_telephone": "cell phone",
    "drum_(musical_instrument)": "drum", "glass_(drink_container)": "drinking glass", "laptop_computer": "laptop",
    "mouse_(computer_equipment)": "computer mouse", "pan_(for_cooking)": "cooking pan", "slipper_(footwear)": "slipper",
    "tape_(sticky_cloth_or_paper)": "adhesive tape", "television_set": "television", "microwave_oven": "microwave",
}  # fmt: skip
"""Categories of COCO, LVIS and PACO that are told by other words than their own without underscores."""

_Groups = tuple[frozenset[str], ...]


@dataclass(frozen=True)
class CategoryNames:
    """What an edition makes of the categories of its files.

    Attributes:
        renamed: category → how questions name it, beyond :data:`_NAMES`; a category's own name undoes those.
        rivals: groups of names (those of questions, or of files) that people take for one another: where one is
            present, the absence of the others is not known.
    """

    renamed: Mapping[str, str]
    rivals: _Groups

    def readable(self, category: str) -> str:
        """Return how questions name a category."""
        return self.renamed.get(category) or _NAMES.get(category, category.replace("_", " "))

    def confused_with(self, present: set[str]) -> set[str]:
        """Return the names that are not present but could be meant by one that is."""
        return {word for name in present for word in self._rivals.get(name, ())} - present

    @cached_property
    def _rivals(self) -> Mapping[str, frozenset[str]]:
        groups = [frozenset({*group, *map(self.readable, group)}) for group in self.rivals]
        words = frozenset().union(*groups)
        return {word: frozenset().union(*(group for group in groups if word in group)) for word in words}


@cache
def _default_rivals() -> _Groups:
    """Return the groups that come along."""
    return msgspec.json.decode(files("vhbench.adapters").joinpath("rivals.json").read_bytes(), type=_Groups)


def usual_names() -> CategoryNames:
    """Return the names without any option."""
    return CategoryNames({}, _default_rivals())


def read_names(pairs: Sequence[str], rivals: str = "") -> CategoryNames:
    """Read ``--rename NAME=WORDS`` and ``--rivals FILE``; "" takes the groups that come along.

    Raises:
        VhbenchError: for a pair without "=", a name that is renamed twice or two that are named alike; and for a file
            that is no list of groups of at least two names.
    """
    renamed: dict[str, str] = {}
    for pair in pairs:
        name, equals, words = (part.strip() for part in pair.partition("="))
        if not (name and equals and words):
            raise VhbenchError(f'--rename {pair!r}: must be NAME=WORDS, such as "tv=TV or monitor"')
        if name in renamed or words in renamed.values():
            raise VhbenchError(f"--rename {pair!r}: {name if name in renamed else words!r} is there twice")
        renamed[name] = words
    return CategoryNames(renamed, _read_rivals(Path(rivals)) if rivals else _default_rivals())


def _read_rivals(path: Path) -> _Groups:
    groups = read_typed(path, _Groups, "list of groups of names")
    if small := [group for group in groups if len(group) < 2]:
        raise VhbenchError(f"{path}: group {sorted(small[0])}: must hold at least two names")
    return groups
