"""Whether a proposed place will do: the frame, what is there already, and the relations that were asked for."""

from collections.abc import Mapping

import numpy as np

from vhbench.generators.scenes.layout.plan import tied
from vhbench.generators.scenes.layout.stage import Layout, Spot, share_among, ties, visible_share
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
    hosts = {placed.placed.host for placed in (*layout.spots, spot)}
    for i, other in enumerate(layout.spots):
        share = visible_share(other, spot)
        if share < _wanted(layout, other, carries=i in hosts, strict=strict) and other is not target:
            return False
        if other is target and not 0.3 <= share <= 0.52:
            return False
    carries = len(layout.spots) in hosts
    if share_among(spot, layout.spots) < _wanted(layout, spot, carries=carries, strict=strict):
        return False
    return _relations_hold(layout, spot)


def _wanted(layout: Layout, spot: Spot, *, carries: bool, strict: bool) -> float:
    """Return how much of a thing must be seen."""
    if carries or spot.wish.spec in tied(layout.requested):
        return 0.5
    return 0.32 if "occluded" in spot.wish.hard else 0.96 if strict else 0.8


def _clearly_beside(layout: Layout, spot: Spot) -> bool:
    """Tell whether the thing is clearly left or right of everything that it does not stand on."""
    for other in layout.spots:
        if spot.placed.host >= 0 and layout.spots[spot.placed.host] is other:
            continue
        distance = abs(spot.placed.x + spot.width / 2 - other.placed.x - other.width / 2)
        if distance < 0.62 * (spot.width + other.width) / 2:
            return False
    return True


def _outside(layout: Layout, spot: Spot) -> float:
    x, y, width, height = spot.box
    inside = max(0.0, min(layout.width, x + width) - max(0, x)) * max(0.0, min(layout.height, y + height) - max(0, y))
    return 1 - inside / (width * height)


def _relations_hold(layout: Layout, new: Spot) -> bool:
    """Tell whether the new thing stands as asked to the first of the things it is related to."""
    for predicate, anchor in ties(layout, new.wish):
        if predicate == "on":
            continue
        number = layout.spots.index(anchor)
        one = _body(layout, new, len(layout.spots), {number: anchor})
        other = _body(layout, anchor, number, {len(layout.spots): new})
        if not relations.PREDICATES[predicate](one, other):
            return False
        if layout.apart and predicate in ("left of", "right of") and _overlap(one.box, other.box):
            return False
    return True


def _overlap(one: Box, other: Box) -> bool:
    """Tell whether two boxes overlap sideways."""
    return one[0] < other[0] + other[2] and other[0] < one[0] + one[2]


def _body(layout: Layout, spot: Spot, number: int, others: Mapping[int, Spot]) -> relations.Body:
    """Return what the rules need of a spot to judge how it stands to others; all have numbers."""
    x, y, width, height = spot.box
    left, top = max(0.0, x), max(0.0, y)
    box = (left, top, min(layout.width, x + width) - left, min(layout.height, y + height) - top)
    hides, over = {}, {}
    for other, far in others.items():
        if far.placed.depth < spot.placed.depth:
            whole = int(np.count_nonzero(far.coarse))
            hidden = whole * (1 - share_among(far, [spot]))
            if hidden > 0:
                hides[other] = hidden / max(1, whole)
                over[other] = hidden / max(1, int(np.count_nonzero(spot.coarse)))
    host = spot.placed.host if spot.placed.host >= 0 else None
    return relations.Body(number, box, spot.placed.depth, spot.placed.lifted, host, hides, over)
