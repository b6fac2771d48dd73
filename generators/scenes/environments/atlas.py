"""All environments and the words they render."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from vhbench.generators.scenes.catalog import plain
from vhbench.generators.scenes.environments import indoor, outdoor
from vhbench.generators.scenes.environments.environment import Band, Environment
from vhbench.tsv import numbers, records, words

_FOLDER = Path(__file__).parent

_BANDS = records(
    _FOLDER / "bands.tsv",
    lambda environments, place, **band: (environments, place, Band(**band)),
    {**dict.fromkeys(("top", "bottom"), float), **dict.fromkeys(("far", "near"), numbers)},
)

_READERS: Mapping[str, Callable[[str], Any]] = {
    "paint": {**vars(outdoor), **vars(indoor)}.__getitem__,
    "horizon": float,
    "bands": lambda cell: {place: band for name in words(cell) for of, place, band in _BANDS if of == name},
    "indoor": "yes".__eq__,
    **dict.fromkeys(("states", "paints", "synonyms"), words),
}

_ALL = records(_FOLDER / "environments.tsv", Environment, _READERS)

ENVIRONMENTS: Mapping[str, Environment] = {environment.name: environment for environment in _ALL}  # name → environment
_BY_WORD = {word: e for e in reversed(_ALL) for word in e.synonyms} | dict(ENVIRONMENTS)

AREAS: frozenset[str] = frozenset(word for e in _ALL for state in e.states for word in e.areas(state))
"""All words that some environment renders."""

AREA_CONFUSABLE: Mapping[str, tuple[str, ...]] = dict(
    records(_FOLDER / "areas.tsv", lambda area, not_absent: (area, words(not_absent)), {})
)
"""Area → words that must not be used as absent if it is rendered."""


def find_environment(word: str) -> Environment | None:
    """Return the environment that a word or synonym stands for, or None."""
    return _BY_WORD.get(plain(word))
