"""A stage of 100 × 100 pixels, and things on it that are plain rectangles."""

from dataclasses import replace

import numpy as np
import pytest

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.drawings import sprites
from vhbench.generators.scenes.drawings.render import Placed
from vhbench.generators.scenes.drawings.sprites import Look
from vhbench.generators.scenes.environments.environment import Band, Environment
from vhbench.generators.scenes.layout import arrange, stage
from vhbench.generators.scenes.layout.plan import Wish
from vhbench.generators.scenes.layout.stage import Layout, Spot

FLAT = Environment(
    "flat",
    lambda canvas: None,
    ("sunny",),
    0.4,
    {
        "ground": Band(0.6, 1.0),
        "table": Band(0.6, 1.0),
        "water": Band(0.5, 0.6),
        "air": Band(0.1, 0.3),
        "wall": Band(0.2, 0.4),
    },
    ("sky",),
)


class Dealt:
    """A generator whose next numbers are told; the last of them comes again and again."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0) if len(self.numbers) > 1 else self.numbers[0]

    def integers(self, low: int, high: int | None = None) -> int:
        low, high = (0, low) if high is None else (low, high)
        return low + int(self.random() * (high - low))


def wish(word: str = "dog", place: str = "", *, spec: int = 0, **options) -> Wish:
    entry = catalog.find(word)
    return Wish(spec, entry, place or entry.place, Look(entry.word), **options)


def spot(x: int, y: int, width: int, height: int, depth: float = 0.8, *, host: int = -1, **options) -> Spot:
    """A spot whose foot is where its box ends."""
    own = wish(**options)
    placed = Placed(own.spec, own.look, x, y, max(width, height), depth, host)
    return Spot(own, placed, width, height, (y + height) / 100)


def layout(*spots: Spot, numbers: tuple[float, ...] = (0.5,), indoor: bool = False, **options) -> Layout:
    """A layout in which the spots have their places, in this order."""
    made = Layout(
        replace(FLAT, indoor=indoor),
        100,
        100,
        Dealt(*numbers),  # type: ignore[arg-type]
        **{"zoom": 1.0, "requested": (), **options},
    )
    for one in spots:
        stage.place(made, one)
    return made


def draw_rectangles(monkeypatch: pytest.MonkeyPatch, rows: int = 40, columns: int = 40) -> None:
    """Let the silhouette of every drawing be so many solid rows and columns: a square, unless told."""
    for module in (sprites, stage, arrange):
        monkeypatch.setattr(module, "silhouette", lambda look: np.ones((rows, columns), np.bool_))
