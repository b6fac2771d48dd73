"""Whether a proposed place will do: the frame, what is there already, and the relations that were asked for."""

from collections.abc import Sequence

from vhbench.generators.scenes.layout.plan import Wish
from vhbench.generators.scenes.layout.stage import Layout, Spot, ties, visible_share
from vhbench.generators.scenes.truth import relations
from vhbench.schema import Box

_FEW = 4


def acceptable(layout: Layout, spot: Spot, target: Spot | None, *, strict: bool) -> bool:
    """Tell whether a place respects the frame, what is there already, and the relations that were asked for.

    Strict tries allow next to no overlap and, among few things, leave no doubt about who is left of whom.
    """
    if strict and len(layout.spots) < _FEW and not target and not _clearly_beside(layout, spot):
        return False
    if "truncated" not in spot.wish.hard and _outside(layout, spot) > 0.01:
        return False
    everything = [*layout.spots, spot]
    for i, other in enumerate(everything):
        if other is target:
            continue
        share = visible_share(other, [s for s in everything if s is not other])
        tied = _tied(layout, other.wish) or any(s.placed.host == i for s in everything)
        wanted = 0.5 if tied else 0.32 if "occluded" in other.wish.hard else 0.96 if strict else 0.8
        if share < wanted:
            return False
    if target and not 0.3 <= visible_share(target, [s for s in everything if s is not target]) <= 0.52:
        return False
    return _relations_hold(layout, everything, spot)


def _clearly_beside(layout: Layout, spot: Spot) -> bool:
    """Tell whether the thing is clearly left or right of everything that it does not stand on."""
    for other in layout.spots:
        if spot.placed.host >= 0 and layout.spots[spot.placed.host] is other:
            continue
        distance = abs(spot.placed.x + spot.width / 2 - other.placed.x - other.width / 2)
        if distance < 0.62 * (spot.width + other.width) / 2:
            return False
    return True


def _tied(layout: Layout, wish: Wish) -> bool:
    """Tell whether a relation that was asked for makes some hiding natural."""
    return any(
        wish.spec in (i, j) and predicate in ("on", "in front of", "behind") for i, predicate, j in layout.requested
    )


def _outside(layout: Layout, spot: Spot) -> float:
    x, y, width, height = spot.box
    inside = max(0.0, min(layout.width, x + width) - max(0, x)) * max(0.0, min(layout.height, y + height) - max(0, y))
    return 1 - inside / (width * height)


def _relations_hold(layout: Layout, spots: Sequence[Spot], new: Spot) -> bool:
    """Tell whether the new thing stands as asked to the first of the things it is related to."""
    bodies = {id(spot): _body(layout, spots, number) for number, spot in enumerate(spots)}
    for predicate, anchor in ties(layout, new.wish):
        if predicate == "on":
            continue
        one, other = bodies[id(new)], bodies[id(anchor)]
        if not relations.PREDICATES[predicate](one, other):
            return False
        if layout.apart and predicate in ("left of", "right of") and _overlap(one.box, other.box):
            return False
    return True


def _overlap(one: Box, other: Box) -> bool:
    """Tell whether two boxes overlap sideways."""
    return one[0] < other[0] + other[2] and other[0] < one[0] + one[2]


def _body(layout: Layout, spots: Sequence[Spot], number: int) -> relations.Body:
    spot = spots[number]
    x, y, width, height = spot.box
    left, top = max(0.0, x), max(0.0, y)
    box = (left, top, min(layout.width, x + width) - left, min(layout.height, y + height) - top)
    hides, over = {}, {}
    for other, far in enumerate(spots):
        if far.placed.depth < spot.placed.depth:
            hidden = int(far.coarse.sum()) * (1 - visible_share(far, [spot]))
            if hidden > 0:
                hides[other] = hidden / max(1, int(far.coarse.sum()))
                over[other] = hidden / max(1, int(spot.coarse.sum()))
    host = spot.placed.host if spot.placed.host >= 0 else None
    return relations.Body(number, box, spot.placed.depth, spot.placed.lifted, host, hides, over)
