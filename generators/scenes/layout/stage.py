"""Layout state: placed objects on small silhouettes that are fast to compare."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes.drawings.render import Placed
from vhbench.generators.scenes.drawings.sprites import silhouette
from vhbench.generators.scenes.environments.environment import Environment
from vhbench.generators.scenes.layout.plan import INVERSE, Wish
from vhbench.opencv import cv2
from vhbench.schema import Box

_GRID = 4  # pixels per cell of the coarse grid


def mirror(environment: Environment) -> Environment:
    """Return an environment with the bands of its mirror image."""
    bands = {
        place: replace(band, far=(1 - band.far[1], 1 - band.far[0]), near=(1 - band.near[1], 1 - band.near[0]))
        for place, band in environment.bands.items()
    }
    return replace(environment, bands=bands)


@dataclass(eq=False)
class Spot:
    """Placed wish.

    ``base`` is the foot (or centre) as a fraction of the height. ``free`` is the uncovered part of its coarse
    silhouette, None for all of it.
    """

    wish: Wish
    placed: Placed
    width: int
    height: int
    base: float
    free: npt.NDArray[np.bool_] | None = None

    @property
    def at(self) -> tuple[int, int]:
        """Position of its corner on the coarse grid."""
        return self.placed.x // _GRID, self.placed.y // _GRID

    @cached_property
    def coarse(self) -> npt.NDArray[np.bool_]:
        """Silhouette on the coarse grid."""
        shape = (max(1, self.width // _GRID), max(1, self.height // _GRID))
        solid = silhouette(self.placed.look).view(np.uint8)
        return np.asarray(cv2.resize(solid, shape, interpolation=cv2.INTER_NEAREST), np.bool_)

    @property
    def visible_share(self) -> float:
        """Uncovered fraction of its coarse silhouette."""
        return 1.0 if self.free is None else _share(self.free, self)

    @property
    def box(self) -> Box:
        """The whole box, in the frame or not."""
        return float(self.placed.x), float(self.placed.y), float(self.width), float(self.height)


@dataclass(slots=True)
class Layout:
    """Scene layout under construction."""

    scene: Environment
    width: int
    height: int
    random: np.random.Generator
    zoom: float  # scale of all sizes; reduced if attempts fail for lack of room
    requested: tuple[tuple[int, str, int], ...]  # relations between indices of ObjectSpecs
    apart: bool = False  # whether requested left/right pairs must not overlap horizontally
    spots: list[Spot] = field(default_factory=list)

    def uniform(self, low: float, high: float) -> float:
        """Sample a uniform number; same values as the generator's method, but faster."""
        return low + (high - low) * self.random.random()


def ties(layout: Layout, wish: Wish) -> Iterator[tuple[str, Spot]]:
    """Yield the relations of a wish to placed objects, from the wish's perspective."""
    for index, predicate, other in layout.requested:
        for spot in layout.spots:
            if wish.spec == index and spot.wish.spec == other:
                yield predicate, spot
                break
        if wish.spec == other and predicate != "on":
            yield from ((INVERSE[predicate], spot) for spot in layout.spots if spot.wish.spec == index)


def place(layout: Layout, spot: Spot) -> None:
    """Add a spot and update what it and the others cover."""
    for other in layout.spots:
        for far, near in ((other, spot), (spot, other)):
            if _covers(near, far):
                far.free = _uncovered(far, near)
    layout.spots.append(spot)


def visible_share(spot: Spot, near: Spot) -> float:
    """Return the visible fraction of a placed object after adding ``near``."""
    return _share(_uncovered(spot, near), spot) if _covers(near, spot) else spot.visible_share


def share_among(spot: Spot, others: Sequence[Spot]) -> float:
    """Return the visible fraction of an object that is not placed yet."""
    nearer = [other for other in others if _covers(other, spot)]
    if not nearer:
        return 1.0
    free = spot.coarse.copy()
    for other in nearer:
        _clear(free, spot.at, other)
    return _share(free, spot)


def _covers(near: Spot, far: Spot) -> bool:
    if near.placed.depth <= far.placed.depth:
        return False
    (x, y, width, height), (far_x, far_y, far_width, far_height) = near.box, far.box
    return x < far_x + far_width and far_x < x + width and y < far_y + far_height and far_y < y + height


def _uncovered(far: Spot, near: Spot) -> npt.NDArray[np.bool_]:
    free = (far.coarse if far.free is None else far.free).copy()
    _clear(free, far.at, near)
    return free


def _share(free: npt.NDArray[np.bool_], spot: Spot) -> float:
    return int(np.count_nonzero(free)) / max(1, int(np.count_nonzero(spot.coarse)))


def _clear(free: npt.NDArray[np.bool_], at: tuple[int, int], other: Spot) -> None:
    (x, y), (other_x, other_y), cover = at, other.at, other.coarse
    left, top = max(x, other_x), max(y, other_y)
    right = min(x + free.shape[1], other_x + cover.shape[1])
    bottom = min(y + free.shape[0], other_y + cover.shape[0])
    if right > left and bottom > top:
        part = cover[top - other_y : bottom - other_y, left - other_x : right - other_x]
        free[top - y : bottom - y, left - x : right - x] &= ~part
