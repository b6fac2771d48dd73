"""Object placement: perspective, contact, objects on tables, occlusion and truncation.

Candidate positions are evaluated on small silhouettes, so hundreds cost less than one rendering. The result is verified
on the pixels (:mod:`source`); a failed attempt is followed by another with other random numbers.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from vhbench.generators.scenes.catalog import Place
from vhbench.generators.scenes.drawings import artwork
from vhbench.generators.scenes.drawings.render import Placed
from vhbench.generators.scenes.drawings.sprites import Look, silhouette, size_for
from vhbench.generators.scenes.environments.environment import Band
from vhbench.generators.scenes.layout.acceptance import acceptable
from vhbench.generators.scenes.layout.plan import Refusal, Wish, can_hide
from vhbench.generators.scenes.layout.stage import Layout, Spot, place, ties
from vhbench.generators.scenes.truth import measuring

_GROUNDED = ("ground", "floor", "table")
_STANDING = (*_GROUNDED, "water")
_TRIES = 60
_PERSPECTIVE = 0.78
"""Longest side of a one-metre object, divided by the height of its foot below the horizon.

Lengths enter by their square root: at true scale, cups next to elephants would be invisible.
"""

_DEPTHS: Mapping[Place, float] = {"sky": 0.02, "wall": 0.05, "air": 0.5}
"""Painter's depth of objects that do not stand, on the scale of foot heights."""

_INDOORS = 1.3  # size factor indoors: rooms are small, and furniture fills them
_IN_THE_AIR = 0.30

_LEGS = 0.14  # fraction of a seated person's height that hangs below the seat


def arrange(layout: Layout, wishes: Sequence[Wish]) -> list[tuple[Wish, Placed]]:
    """Place every wish; refuse with the object for which no free position was found."""
    for wish in _placing_order(wishes, layout.requested):
        spot = _find_place(layout, wish)
        if spot is None:
            raise Refusal("no room for an object", category=wish.entry.name, hard=list(wish.hard))
        place(layout, spot)
    return [(spot.wish, spot.placed) for spot in layout.spots]


def _placing_order(wishes: Sequence[Wish], requested: Sequence[tuple[int, str, int]]) -> list[Wish]:
    """Order wishes: hosts before guests, occlusion targets first, those in the middle of others, large before small."""
    tied = Counter(index for one, _, other in requested for index in (one, other))
    hosts = {other for _, predicate, other in requested if predicate == "on"}
    guests = {index for index, predicate, _ in requested if predicate == "on"}

    def rank(item: tuple[int, Wish]) -> tuple[bool, bool, bool, bool, float, int]:
        number, wish = item
        guest = (wish.spec in guests and wish.spec not in hosts) or wish.perch >= 0
        amid = tied[wish.spec] > 2
        return wish.spec < 0, guest, "occluded" not in wish.hard, not amid, -wish.entry.size_m, number

    return [wish for _, wish in sorted(enumerate(wishes), key=rank)]


def _find_place(layout: Layout, wish: Wish) -> Spot | None:
    """Return the first acceptable proposal, or a covering one if the wish must hide another."""
    target = _to_be_hidden(layout, wish)
    perch = next((spot for spot in layout.spots if spot.wish.spec == wish.perch >= 0), None)
    tied = list(ties(layout, wish))
    for attempt in range(_TRIES if target or _may_fit(layout, wish, tied) else 0):
        strict = attempt < _TRIES // 2
        if target:
            spot = _cover(layout, wish, target)
        else:
            spot = _on_top(layout, wish, perch) if perch and strict else _propose(layout, wish, tied)
        if spot and acceptable(layout, spot, target, strict=strict):
            return spot
    return None


def _may_fit(layout: Layout, wish: Wish, tied: Sequence[tuple[str, Spot]]) -> bool:
    """Return whether the requested sides leave the narrowest form of an object any room in the frame."""
    if "truncated" in wish.hard or not tied or any(predicate == "on" for predicate, _ in tied):
        return True
    narrowest = 0.98 * size_for(wish.look, _scale(layout, wish, layout.scene.horizon, lambda low, _: low))[0]
    low, high = 0.0, float(layout.width)
    for predicate, anchor in tied:
        left, right = max(0, anchor.placed.x), min(layout.width, anchor.placed.x + anchor.width)
        overlap = 0 if layout.apart else 0.2 * (right - left + narrowest)  # as the rule of "left of" allows
        if predicate == "right of":
            low = max(low, right - overlap)
        elif predicate == "left of":
            high = min(high, left + overlap)
    return high - low >= narrowest


def _to_be_hidden(layout: Layout, wish: Wish) -> Spot | None:
    """Return the placed object that this wish must occlude, if it is large enough to."""
    for spot in layout.spots:
        if "occluded" in spot.wish.hard and can_hide(wish, spot.wish) and spot.visible_share > 0.55:
            return spot
    return None


# Proposals


def _propose(layout: Layout, wish: Wish, tied: Sequence[tuple[str, Spot]]) -> Spot | None:
    """Return a random position for a wish, guided by the requested relations."""
    for predicate, anchor in tied:
        if predicate == "on":
            return _on_top(layout, wish, anchor)
    band = layout.scene.bands.get(wish.place)
    if band is None:
        return None
    base = _pick_base(layout, wish, band, tied)
    scale = _scale(layout, wish, base)
    width, height = size_for(wish.look, scale)
    centre = _pick_centre(layout, band, base, width, tied)
    if "truncated" in wish.hard:
        centre = _cut_by_frame(layout, wish.look, width)
    return _spot(layout, wish, centre, base, (width, height))


def _pick_base(layout: Layout, wish: Wish, band: Band, tied: Sequence[tuple[str, Spot]]) -> float:
    """Return the foot (in the air or on a wall: centre) as a fraction of the height."""
    low, high = band.top, band.bottom
    for predicate, anchor in tied:
        if predicate == "next to":
            low, high = max(low, anchor.base - 0.03), min(high, anchor.base + 0.03)
        elif predicate == "in front of":
            low = max(low, anchor.base + 0.02)
        elif predicate == "behind":
            high = min(high, anchor.base - 0.02)
        elif predicate == "above":
            high = min(high, anchor.placed.y / layout.height)
        elif predicate == "below":
            low = max(low, (anchor.placed.y + anchor.height) / layout.height)
    if "small" in wish.hard:
        high = low + 0.5 * (high - low)
    elif wish.entry.size_m < 0.5 and wish.place in _GROUNDED:
        low += 0.35 * (high - low)
    return layout.uniform(low, max(low, high))


def _scale(layout: Layout, wish: Wish, base: float, uniform: Callable[[float, float], float] | None = None) -> float:
    """Return the geometric mean side in pixels, from depth and metres or from the spec."""
    uniform = uniform or layout.uniform
    frame = math.sqrt(layout.width * layout.height)
    if "small" in wish.hard:
        return frame * math.sqrt(measuring.SMALL_BOX) * uniform(0.66, 0.92)
    if wish.size:
        low, high = measuring.SIZES[wish.size]
        return frame * uniform(
            *{"tiny": (0.042, 0.052), "large": (0.37, 0.46)}.get(wish.size, (1.2 * low, 0.85 * high))
        )
    standing = wish.place in _STANDING
    reference = base - layout.scene.horizon if standing else _IN_THE_AIR
    unit, most = _sizing(wish.look, wish.entry.size_m, layout.width, layout.height)
    scale = layout.zoom * unit * max(0.06, reference) * frame * (_INDOORS if layout.scene.indoor else 1.0)
    least = 0.12 if {"occluded", "truncated"} & set(wish.hard) else 0.078  # a part must still be recognizable
    return min(max(min(scale, most), least * frame), 0.5 * frame)


@lru_cache(maxsize=2048)
def _sizing(look: Look, metres: float, width: int, height: int) -> tuple[float, float]:
    """Return the mean side per height below the horizon, and the largest that fits."""
    drawing = artwork.draw(look.word, action=look.action, state=look.state, variant=look.variant)
    rows, columns = silhouette(look).shape
    longest = _PERSPECTIVE * max(drawing.width, drawing.height) * drawing.metres / math.sqrt(metres)
    slim = min(rows, columns) / max(rows, columns)
    most = min(0.72 * width * max(1.0, rows / columns), 0.66 * height * max(1.0, columns / rows))
    # By area alone, slim objects (people too) would have too few pixels to be recognized: 0.3 instead of 0.5.
    return longest * slim**0.3, most * math.sqrt(slim)


def _pick_centre(layout: Layout, band: Band, base: float, width: int, tied: Sequence[tuple[str, Spot]]) -> float:
    """Return the horizontal centre in pixels."""
    low, high = _reach(band, base, layout.width)
    low, high = max(low, width / 2), min(high, layout.width - width / 2)
    for predicate, anchor in tied:
        middle = anchor.placed.x + anchor.width / 2
        mean = (anchor.width + width) / 2
        aside = (1.02 if layout.apart else 0.65) * mean
        if predicate == "left of":
            high = min(high, middle - aside)
        elif predicate == "right of":
            low = max(low, middle + aside)
        elif predicate == "next to":
            side = -1 if layout.random.random() < 0.5 else 1
            return middle + side * mean * layout.uniform(1.02, 1.2)
        elif predicate in ("in front of", "behind"):
            low, high = max(low, middle - 0.65 * mean), min(high, middle + 0.65 * mean)
        elif predicate in ("above", "below"):
            low, high = max(low, middle - 0.6 * mean), min(high, middle + 0.6 * mean)
    return layout.uniform(low, high) if high > low else (low + high) / 2


def _reach(band: Band, base: float, width: int) -> tuple[float, float]:
    share = (base - band.top) / max(band.bottom - band.top, 1e-6)
    (far_left, far_right), (near_left, near_right) = band.far, band.near
    return (far_left + (near_left - far_left) * share) * width, (far_right + (near_right - far_right) * share) * width


def _cut_by_frame(layout: Layout, look: Look, width: int) -> float:
    """Return the horizontal centre at which the frame keeps 40 … 65% of the silhouette."""
    columns = np.cumsum(silhouette(look).sum(0)) / silhouette(look).sum()
    keep = layout.uniform(0.4, 0.65)
    if layout.random.random() < 0.5:
        return layout.width - width * (float(np.searchsorted(columns, keep)) / len(columns)) + width / 2
    return width / 2 - width * (float(np.searchsorted(columns, 1 - keep)) / len(columns))


def _on_top(layout: Layout, wish: Wish, host: Spot) -> Spot | None:
    """Put an object on the surface of another, at the host's depth and scale."""
    surface = host.wish.entry.surface
    if surface is None:
        raise Refusal("object cannot carry another", category=host.wish.entry.name)
    scale = 0.85 * _scale(layout, replace(wish, place="ground"), host.base)
    width, height = size_for(wish.look, scale)
    room = (surface[1] - surface[0]) * host.width
    if width > room and not (wish.size or wish.hard):
        width, height = size_for(wish.look, scale * room / width)
    spare = max(0.0, room - width)
    middle = host.placed.x + surface[0] * host.width + width / 2 + layout.uniform(0, spare)
    foot = host.placed.y + host.height * layout.uniform(surface[2], surface[3])
    if wish.look.action == "sitting" and wish.entry.coco == "person":
        foot += _LEGS * height
    spot = _spot(layout, wish, middle, foot / layout.height, (width, height))
    index = layout.spots.index(host)
    depth = host.placed.depth + 0.0005 + 0.0004 * (foot - host.placed.y) / max(1, host.height)
    spot.placed = replace(spot.placed, host=index, depth=depth, lifted=True, grounded=True)
    return spot


def _cover(layout: Layout, wish: Wish, target: Spot) -> Spot | None:
    """Propose a position in front of the target that hides 45 … 70% of it."""
    band = layout.scene.bands.get(wish.place)
    if band is None:
        return None
    if wish.place in _STANDING:
        base = layout.uniform(min(band.bottom, max(band.top, target.base + 0.015)), band.bottom)
    else:
        base = min(band.bottom, max(band.top, target.base + layout.uniform(-0.1, 0.1)))
    scale = _scale(layout, wish, base) * layout.uniform(0.8, 1.25)
    width, height = size_for(wish.look, scale)
    middle = target.placed.x + target.width / 2 + layout.uniform(-0.6, 0.6) * (target.width + width) / 2
    spot = _spot(layout, wish, middle, base, (width, height))
    spot.placed = replace(spot.placed, depth=max(spot.placed.depth, target.placed.depth + 0.001))
    return spot


def _spot(layout: Layout, wish: Wish, middle: float, base: float, size: tuple[int, int]) -> Spot:
    """Return a spot; ``base`` is the foot (or centre) as a fraction of the height."""
    width, height = size
    look, standing = wish.look, wish.place in _STANDING
    if wish.place == "water":
        sunk = 0.06 if wish.entry.place == "water" else 0.22
        look, height = replace(look, sunk=sunk), max(2, round(height * (1 - sunk)))
    x = round(middle - width / 2)
    y = round(base * layout.height - (height if standing else height / 2))
    depth = base if standing else _DEPTHS[wish.place]
    depth += 1e-6 * len(layout.spots)  # unique depths: later objects are nearer
    horizon, clear = layout.scene.horizon, layout.scene.indoor or wish.place in ("wall", "air", "sky")
    haze = 0.0 if clear else max(0.0, 0.20 * (1 - (depth - horizon) / (1 - horizon)) - 0.05)
    placed = Placed(
        wish.spec, look, x, y, max(width, round(height / (1 - look.sunk))), depth,
        grounded=wish.place in _GROUNDED, lifted=not standing, haze=haze,
    )  # fmt: skip
    return Spot(wish, placed, width, height, base)
