"""Question wording of annotation categories, and groups of easily confused categories."""

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
"""Categories of COCO, LVIS and PACO worded unlike their name without underscores."""

_Groups = tuple[frozenset[str], ...]


@dataclass(frozen=True)
class CategoryNames:
    """Wording and confusion groups of a dataset version's categories."""

    renamed: Mapping[str, str]  # category → its wording, overriding :data:`_NAMES`
    # Groups of easily confused names (wordings or file names): if one is present, the absence of others is unknown.
    rivals: _Groups

    def readable(self, category: str) -> str:
        """Return the wording of a category."""
        return self.renamed.get(category) or _NAMES.get(category, category.replace("_", " "))

    def confused_with(self, present: set[str]) -> set[str]:
        """Return absent names that are easily confused with a present one."""
        return {word for name in present for word in self._rivals.get(name, ())} - present

    def mixed_up(self, present: set[str]) -> set[str]:
        """Return present names of which an instance may belong to another present one: a keyboard to a laptop."""
        return {name for name in present if not present.isdisjoint(self._rivals.get(name, frozenset()) - {name})}

    def is_disputed(self, name: str) -> bool:
        """Return whether a category has rivals, so that its labels are to be reviewed first."""
        return name in self._rivals

    @cached_property
    def _rivals(self) -> Mapping[str, frozenset[str]]:
        groups = [frozenset({*group, *map(self.readable, group)}) for group in self.rivals]
        words = frozenset().union(*groups)
        return {word: frozenset().union(*(group for group in groups if word in group)) for word in words}


@cache
def _default_rivals() -> _Groups:
    return msgspec.json.decode(files("vhbench.adapters").joinpath("rivals.json").read_bytes(), type=_Groups)


def read_names(pairs: Sequence[str] = (), rivals: str = "") -> CategoryNames:
    """Parse ``--rename NAME=WORDS`` and ``--rivals FILE``; "" selects the bundled groups.

    Raises for a pair without "=", a name or wording that occurs twice, or a file without groups of two names or more.
    """
    renamed: dict[str, str] = {}
    for pair in pairs:
        name, equals, words = (part.strip() for part in pair.partition("="))
        if not (name and equals and words):
            raise VhbenchError(f'--rename: expected NAME=WORDS, such as "tv=TV or monitor", got {pair!r}')
        if name in renamed or words in renamed.values():
            raise VhbenchError(f"--rename {pair!r}: {name if name in renamed else words!r} occurs twice")
        renamed[name] = words
    groups = read_typed(Path(rivals), _Groups, "list of groups of names") if rivals else _default_rivals()
    if small := [group for group in groups if len(group) < 2]:
        raise VhbenchError(f"{rivals}: group {sorted(small[0])}: must hold at least two names")
    return CategoryNames(renamed, groups)
