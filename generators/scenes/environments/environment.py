"""Environment model: states, bands for objects, and words rendered as areas.

An *area* is present but not countable (sky, grass, a rendered window): its word is never counted and never used as
absent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vhbench.generators.scenes.catalog import Place
from vhbench.generators.scenes.environments.brushes import Canvas
from vhbench.tsv import records, words


@dataclass(frozen=True, slots=True)
class Band:
    """Range of positions for a position class, in fractions of the image."""

    top: float  # smallest height of the foot, from the top (wall and air: of the centre)
    bottom: float  # largest height
    far: tuple[float, float] = (0.04, 0.96)  # horizontal range at ``top``
    near: tuple[float, float] = (0.04, 0.96)  # horizontal range at ``bottom``


@dataclass(frozen=True, eq=False, slots=True)
class Environment:
    """Setting of a scene."""

    name: str
    paint: Callable[[Canvas], None]
    states: tuple[str, ...]  # the usual one first
    horizon: float  # its height as a fraction from the top; sizes shrink towards it
    bands: Mapping[Place, Band]  # missing classes cannot be used here
    paints: tuple[str, ...]  # words rendered in every state
    indoor: bool = False  # no weather, and soft shadows
    synonyms: tuple[str, ...] = ()

    def state_of(self, word: str) -> str:
        """Return the state that a word denotes here, or the word itself: no desert is "lush"."""
        state, needs = _STATE_WORDS.get(word, (word, ()))
        return state if not needs or set(needs) & set(self.paints) else word

    def areas(self, state: str = "") -> tuple[str, ...]:
        """Return the words rendered in a state."""
        state = self.state_of(state) or self.states[0]
        areas = list(self.paints)
        if "sky" in areas:
            areas += _SKY.get(state, ("cloud",))
        if state == "withered" and "grass" in areas:
            areas.append("tussock")
        if state == "snowy":
            areas = [area for area in areas if area != "grass"] + ["snow"]
        return tuple(dict.fromkeys(areas))


_SKY = {"night": ("star", "moon", "cloud"), "sunny": ("sun", "cloud"), "withered": ("sun", "cloud")}
_STATE_WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    word: (state, words(needs))
    for cell, state, needs in records(Path(__file__).with_name("states.tsv"), lambda **row: row.values(), {})
    for word in words(cell)
}
"""Word → its state, and words of which the environment must render one."""
