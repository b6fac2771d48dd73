"""Geometric rules for spatial relations, and their undecided cases.

Each rule takes two objects, subject ``a`` and anchor ``b``, and returns True, False or None. None means that annotators
could disagree. The scene then lists no such relation and does not claim to know the predicate's absence either. Left
and right are the viewer's. Boxes are visible parts, clipped to the image.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from vhbench.schema import Box, Relation


@dataclass(frozen=True, slots=True)
class Body:
    """Input of the rules for one object."""

    id: int  # id of its scene object
    box: Box  # of its visible part
    depth: float  # height in the image of the ground below it, 0 … 1; greater is nearer
    lifted: bool  # whether it flies, hangs or rests on another object, not on the ground
    host: int | None  # id of what it stands on, or None
    hides: Mapping[int, float]  # id of a farther object → fraction of that object's silhouette that this one covers
    over: Mapping[int, float]  # id of a farther object → fraction of this one's silhouette that lies over it


def left_of(a: Body, b: Body) -> bool | None:
    """Return whether ``a`` is left of ``b``.

    With d the distance of the box centres to the right and w the mean width: yes if d ≥ 0.6 w, no if d ≤ 0.1 w.
    """
    distance = _centre(b)[0] - _centre(a)[0]
    mean = (a.box[2] + b.box[2]) / 2
    return True if distance >= 0.6 * mean else False if distance <= 0.1 * mean else None


def on(a: Body, b: Body) -> bool | None:
    """Return whether ``a`` stands or lies on ``b``.

    Yes if the layout placed it there. Undecided if the middle of its lower edge merely falls into ``b``'s box, since an
    object in front of a table can appear to be on it; otherwise no.
    """
    if a.host == b.id:
        return True
    if b.host == a.id:
        return False
    x, y = _centre(a)[0], a.box[1] + a.box[3]
    left, top, width, height = b.box
    inside = left <= x <= left + width and top - 0.05 * height <= y <= top + 0.95 * height
    return None if inside else False


def in_front_of(a: Body, b: Body) -> bool | None:
    """Return whether ``a`` is in front of ``b``.

    Yes if it covers at least 10% of ``b``'s silhouette, or at least half of its own silhouette lies over ``b`` (a cup
    in front of a car), and it does not rest on it. Undecided if it covers less, or covers nothing but is nearer while
    more than a tenth of the narrower box's width overlaps; otherwise no.
    """
    if a.host == b.id or b.host == a.id:
        return None
    if b.hides.get(a.id, 0) > 0 or a.depth < b.depth:
        return False
    covered = a.hides.get(b.id, 0)
    if covered >= 0.1 or a.over.get(b.id, 0) >= 0.5:
        return True
    return None if covered > 0 or overlap(a, b) > 0.1 * min(a.box[2], b.box[2]) else False


def above(a: Body, b: Body) -> bool | None:
    """Return whether ``a`` is above ``b``.

    Yes if ``a`` is lifted off the ground, its lower edge is no lower than ``b``'s upper edge (with a tolerance of a
    tenth of the smaller height), and their boxes overlap horizontally or ``a``'s centre is at least 1.5 mean heights
    higher. No if ``a``'s centre is not higher by a fifth of the mean height, or if both rest on the ground and either
    their boxes do not overlap horizontally or ``a``'s lower edge is not clear of ``b``. Undecided otherwise: a more
    distant object on the same ground is higher in the image but hardly above.
    """
    rise = _centre(b)[1] - _centre(a)[1]
    mean = (a.box[3] + b.box[3]) / 2
    if rise <= 0.2 * mean:
        return False
    clear = a.box[1] + a.box[3] <= b.box[1] + 0.1 * min(a.box[3], b.box[3])
    shared = overlap(a, b)
    if a.lifted and clear and (shared > 0 or rise >= 1.5 * mean):
        return True
    same_ground = not a.lifted and not b.lifted
    return False if same_ground and (shared <= 0 or not clear) else None


def next_to(a: Body, b: Body) -> bool | None:
    """Return whether ``a`` is next to ``b``.

    With the horizontal gap between the boxes (0 if they touch) and the step between their lower edges, both divided by
    the mean side of the smaller box: yes if gap ≤ 0.5, step ≤ 0.5 and neither hides or carries the other; no if gap ≥
    1.25 or step ≥ 1.5; otherwise undecided.
    """
    unit = min((a.box[2] + a.box[3]) / 2, (b.box[2] + b.box[3]) / 2)
    gap = max(a.box[0] - b.box[0] - b.box[2], b.box[0] - a.box[0] - a.box[2], 0) / unit
    step = abs(a.box[1] + a.box[3] - b.box[1] - b.box[3]) / unit
    apart = not (a.hides.get(b.id) or b.hides.get(a.id) or a.host == b.id or b.host == a.id)
    if gap >= 1.25 or step >= 1.5:
        return False
    return True if apart and gap <= 0.5 and step <= 0.5 and a.lifted == b.lifted else None


def overlap(a: Body, b: Body) -> float:
    """Return the horizontal overlap of two boxes; negative for a gap."""
    return min(a.box[0] + a.box[2], b.box[0] + b.box[2]) - max(a.box[0], b.box[0])


def _centre(body: Body) -> tuple[float, float]:
    x, y, width, height = body.box
    return x + width / 2, y + height / 2


def judge(bodies: Sequence[Body]) -> tuple[tuple[Relation, ...], frozenset[str]]:
    """Return every relation that holds, and the predicates without undecided pairs."""
    held: list[Relation] = []
    known = set(PREDICATES)
    for name, rule in PREDICATES.items():
        for a in bodies:
            for b in bodies:
                verdict = False if a is b else rule(a, b)
                if verdict is None:
                    known.discard(name)
                elif verdict:
                    held.append(Relation(a.id, name, b.id))
    return tuple(held), frozenset(known)


PREDICATES: dict[str, Callable[[Body, Body], bool | None]] = {
    "left of": left_of,
    "right of": lambda a, b: left_of(b, a),
    "on": on,
    "in front of": in_front_of,
    "behind": lambda a, b: in_front_of(b, a),
    "above": above,
    "below": lambda a, b: above(b, a),
    "next to": next_to,
}
"""Predicate → rule; three are converses of others."""
