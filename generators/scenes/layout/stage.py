"""A scene while it is being laid out: what has its place, on small silhouettes that are quick to compare."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes.drawings.render import Placed
from vhbench.generators.scenes.drawings.sprites import silhouette
from vhbench.generators.scenes.environments.environment import Environment
from vhbench.generators.scenes.layout.plan import INVERSE, Wish
from vhbench.schema import Box

_GRID = 4
"""Pixels per cell of the coarse grid."""


def mirror(environment: Environment) -> Environment:
    """Return an environment whose bands are those of its mirror image."""
    bands = {
        place: replace(band, far=(1 - band.far[1], 1 - band.far[0]), near=(1 - band.near[1], 1 - band.near[0]))
        for place, band in environment.bands.items()
    }
    return replace(environment, bands=bands)


@dataclass(slots=True)
class Spot:
    """A wish that has a place; layout-internal. ``base`` is the share of the height at which its foot (centre) is."""

    wish: Wish
    placed: Placed
    width: int
    height: int
    base: float
    mask: npt.NDArray[np.bool_] | None = None

    @property
    def at(self) -> tuple[int, int]:
        """Where its corner is on the coarse grid."""
        return self.placed.x // _GRID, self.placed.y // _GRID

    @property
    def coarse(self) -> npt.NDArray[np.bool_]:
        """Its silhouette on the coarse grid."""
        if self.mask is None:
            shape = (max(1, self.width // _GRID), max(1, self.height // _GRID))
            solid = silhouette(self.placed.look).view(np.uint8)
            self.mask = cv2.resize(solid, shape, interpolation=cv2.INTER_NEAREST).view(np.bool_)
        return self.mask

    @property
    def box(self) -> Box:
        """The whole box, in the frame or not."""
        return float(self.placed.x), float(self.placed.y), float(self.width), float(self.height)


@dataclass(slots=True)
class Layout:
    """A scene while it is being laid out."""

    scene: Environment
    width: int
    height: int
    random: np.random.Generator
    zoom: float  # scale of all sizes; smaller when tries fail for want of room
    requested: tuple[tuple[int, str, int], ...]  # relations between indices of ObjectSpecs
    apart: bool = False  # what is asked to be left or right of another must not overlap with it sideways
    spots: list[Spot] = field(default_factory=list)

    def uniform(self, low: float, high: float) -> float:
        """Draw a number."""
        return float(self.random.uniform(low, high))


def ties(layout: Layout, wish: Wish) -> Iterator[tuple[str, Spot]]:
    """Yield the relations of a wish to things that have their place, as seen from the wish."""
    for index, predicate, other in layout.requested:
        for spot in layout.spots:
            if wish.spec == index and spot.wish.spec == other:
                yield predicate, spot
                break
        if wish.spec == other and predicate != "on":
            yield from ((INVERSE[predicate], spot) for spot in layout.spots if spot.wish.spec == index)


def visible_share(spot: Spot, others: Sequence[Spot]) -> float:
    """Return the share of a coarse silhouette that nothing nearer covers."""
    nearer = [other for other in others if other.placed.depth > spot.placed.depth and _touch(spot, other)]
    if not nearer:
        return 1.0
    free = spot.coarse.copy()
    for other in nearer:
        _clear(free, spot.at, other)
    return float(free.sum() / max(1, spot.coarse.sum()))


def _touch(a: Spot, b: Spot) -> bool:
    beside = a.placed.x + a.width <= b.placed.x or b.placed.x + b.width <= a.placed.x
    return not (beside or a.placed.y + a.height <= b.placed.y or b.placed.y + b.height <= a.placed.y)


def _clear(free: npt.NDArray[np.bool_], at: tuple[int, int], other: Spot) -> None:
    left, top = max(at[0], other.at[0]), max(at[1], other.at[1])
    right = min(at[0] + free.shape[1], other.at[0] + other.coarse.shape[1])
    bottom = min(at[1] + free.shape[0], other.at[1] + other.coarse.shape[0])
    if right > left and bottom > top:
        part = other.coarse[top - other.at[1] : bottom - other.at[1], left - other.at[0] : right - other.at[0]]
        free[top - at[1] : bottom - at[1], left - at[0] : right - at[0]] &= ~part
