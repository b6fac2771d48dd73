"""Checks of a proposed position: frame, placed objects and requested relations."""

from collections.abc import Mapping

import numpy as np

from vhbench.generators.scenes.layout.plan import tied
from vhbench.generators.scenes.layout.stage import Layout, Spot, share_among, ties, visible_share
from vhbench.generators.scenes.truth import relations

_FEW = 4


def acceptable(layout: Layout, spot: Spot, target: Spot | None, *, strict: bool) -> bool:
    """Return whether a position respects the frame, placed objects and requested relations.

    Strict attempts allow almost no overlap and, for few objects, require unambiguous left/right order.
    """
    if "truncated" not in spot.wish.hard and _outside(layout, spot) > 0.01:
        return False
    if strict and len(layout.spots) < _FEW and not target and not _clearly_beside(layout, spot):
        return False
    if not _relations_hold(layout, spot):
        return False
    hosts = {placed.placed.host for placed in (*layout.spots, spot)}
    for i, other in enumerate(layout.spots):
        share = visible_share(other, spot)
        if other is target:
            if not 0.3 <= share <= 0.52:
                return False
        elif share < 1 and share < _least_visible(layout, other, carries=i in hosts, strict=strict):
            return False
    carries = len(layout.spots) in hosts
    return share_among(spot, layout.spots) >= _least_visible(layout, spot, carries=carries, strict=strict)


def _least_visible(layout: Layout, spot: Spot, *, carries: bool, strict: bool) -> float:
    """Return the minimum visible fraction of an object."""
    if carries or spot.wish.spec in tied(layout.requested):
        return 0.5
    return 0.32 if "occluded" in spot.wish.hard else 0.96 if strict else 0.8


def _clearly_beside(layout: Layout, spot: Spot) -> bool:
    """Return whether an object is clearly left or right of all others except its host."""
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
    """Return whether the requested relations to already placed objects hold."""
    for predicate, anchor in ties(layout, new.wish):
        if predicate == "on":
            continue
        number, beside = layout.spots.index(anchor), predicate in ("left of", "right of")  # only boxes matter
        one = _body(layout, new, len(layout.spots), {} if beside else {number: anchor})
        other = _body(layout, anchor, number, {} if beside else {len(layout.spots): new})
        if not relations.PREDICATES[predicate](one, other):
            return False
        if layout.apart and beside and relations.overlap(one, other) > 0:
            return False
    return True


def _body(layout: Layout, spot: Spot, number: int, others: Mapping[int, Spot]) -> relations.Body:
    """Return a spot in the form the relation rules need, relative to other spots."""
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
