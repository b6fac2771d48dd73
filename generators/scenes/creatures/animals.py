"""Quadrupeds by species, action and colour, rendered from measurements."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from vhbench.generators.scenes.creatures import heads as heads
from vhbench.generators.scenes.creatures.coats import COATS, zebra_legs
from vhbench.generators.scenes.creatures.frame import Frame, frame
from vhbench.generators.scenes.creatures.sketch import Point, Sketch, around, hang, polar, smooth, straight
from vhbench.generators.scenes.creatures.species import LegAngles
from vhbench.generators.scenes.paints import shade
from vhbench.seeding import rng


def animal(word: str, colour: str, action: str, variant: int) -> Sketch:
    """Draw an animal; "" is its natural colour, and coat patterns differ by variant."""
    pose = frame(word, colour, action)
    sketch = Sketch(prefix=f"{word}-{action}-{colour}-{variant}-".replace(" ", "-"))
    if pose.species.extras & {"trunk", "snout"}:
        sketch.material = "leather"  # bare hide
    _far_legs(sketch, pose)
    _TAILS[pose.species.tail](sketch, pose)
    heads.far_side(sketch, pose)
    under = "wool" in pose.species.extras and not pose.pose.rest  # a fleece hides the tops of the legs
    if under:
        _near_legs(sketch, pose)
    _body(sketch, pose, rng(variant, "animal", word))
    heads.mane(sketch, pose)
    if not under:
        _near_legs(sketch, pose)
    heads.head(sketch, pose)
    return sketch


def _far_legs(sketch: Sketch, pose: Frame) -> None:
    _, front, _, hind = pose.pose.legs
    colour = pose.coat.far_legs
    (sx, sy), (hx, hy) = pose.shoulder_joint, pose.hip_joint
    if front:
        _leg(sketch, pose, (sx + 3, sy), front, colour, hind=False)
    if hind:
        _leg(sketch, pose, (hx + 4, hy), hind, colour, hind=True)
    if pose.pose.rest == "lie":
        wide, narrow = pose.species.leg_width
        x, y = pose.at(pose.back, 0)[0], pose.species.chest * 0.16 + 1
        sketch.taper((x - 2, y), wide * 0.8, (x + pose.species.leg * 0.46, narrow * 0.8), narrow * 0.95, colour)


def _leg(sketch: Sketch, pose: Frame, root: Point, angles: LegAngles, colour: str, *, hind: bool) -> None:
    species = pose.species
    wide, narrow = species.leg_width
    if hind and pose.action in ("", "eating") and species.feet != "nail":
        _hocked_leg(sketch, pose, root, angles, colour)
        return
    knee_width = wide * (0.9 if species.feet == "nail" else 0.60)
    knee = hang(root, angles[0], species.leg * 0.5 + species.rump * 0.10)
    bend = 6 if hind and pose.action in ("", "walking") else 0
    foot = hang(knee, angles[1] + bend, species.leg * 0.5)
    lower = species.sock or colour
    sketch.taper(root, wide * (1.30 if hind else 1.08), knee, knee_width, colour)
    sketch.taper(knee, knee_width, foot, narrow * 0.92, lower)
    _foot(sketch, pose, foot, lower)


def _hocked_leg(sketch: Sketch, pose: Frame, root: Point, angles: LegAngles, colour: str) -> None:
    """Draw a standing hind leg: thigh forward, shank back to the hock, metatarsus upright."""
    species = pose.species
    wide, narrow = species.leg_width
    slim = min(1.0, species.leg / species.chest)
    parts = ((0.42, angles[0] + 20 * slim), (0.32, angles[1] - 30 * slim), (0.30, angles[1] + 4 * slim))
    reach = sum(share * math.cos(math.radians(turn)) for share, turn in parts)
    front = max(0.0, species.chest * 0.16 - species.slope)  # how far below the hip's centre the front leg begins
    length = (species.leg + max(species.rump * 0.10, front)) / reach  # so that it ends at the front leg's height
    joints = [root]
    for share, turn in parts:
        joints.append(hang(joints[-1], turn, length * share))
    _, knee, hock, foot = joints
    lower = species.sock or colour
    sketch.taper(root, wide * 1.55, knee, wide * 0.92, colour)
    sketch.taper(knee, wide * 0.92, hock, narrow * 0.86, colour)
    sketch.taper(hock, narrow * 0.90, foot, narrow * 0.86, lower)
    _foot(sketch, pose, foot, lower)


def _foot(sketch: Sketch, pose: Frame, foot: Point, colour: str) -> None:
    (x, y), size = foot, pose.species.leg_width[1]
    if pose.species.feet == "hoof":
        tone = "#0c0c0e" if pose.coat.black else "#3a332e"
        top, sole = y + 1.2, y - size
        corners = [(x - size * 0.95, top), (x - size * 1.25, sole), (x + size * 1.35, sole), (x + size * 0.95, top)]
        sketch.polygon(corners, tone)
    elif pose.species.feet == "nail":
        for i in (-0.55, 0, 0.55):
            sketch.ellipse((x + i * size * 1.1, y - size * 0.72), size * 0.22, size * 0.18, "#e9e3d8")
    else:
        sketch.ellipse((x + size * 0.42, y - size * 0.15), size * 1.38, size * 0.82, colour)


def _near_legs(sketch: Sketch, pose: Frame) -> None:
    front, _, hind, _ = pose.pose.legs
    if hind:
        _leg(sketch, pose, pose.hip_joint, hind, pose.coat.legs, hind=True)
    if front:
        _leg(sketch, pose, pose.shoulder_joint, front, pose.coat.legs, hind=False)
    if pose.species.pattern == "zebra":
        zebra_legs(sketch, pose)
    if pose.pose.rest == "sit":
        _sitting_haunch(sketch, pose)
    elif pose.pose.rest == "lie":
        _lying_legs(sketch, pose)
    elif hind:
        reach = pose.species.leg_width[0] * 1.5
        sketch.stroke(around(pose.hip_joint, ((60, reach), (0, reach), (-48, reach))), pose.coat.crease, 1.5)


def _sitting_haunch(sketch: Sketch, pose: Frame) -> None:
    rump, narrow, colour = pose.species.rump, pose.species.leg_width[1], pose.coat.legs
    haunch = pose.coat.body if "wool" in pose.species.extras else colour
    x, _ = pose.at(rump * 0.10, -rump * 0.06)
    sketch.ellipse((x + 2, rump * 0.40), rump * 0.50, rump * 0.46, haunch, turn=20)
    sketch.taper((x + 2, narrow), narrow * 1.15, (x + rump * 0.70, narrow * 0.95), narrow * 1.05, colour)
    curve = [(x - rump * 0.28, rump * 0.62), (x + rump * 0.18, rump * 0.70), (x + rump * 0.42, rump * 0.42)]
    sketch.stroke(curve, shade(haunch, 0.86), 1.6)


def _lying_legs(sketch: Sketch, pose: Frame) -> None:
    species, colour = pose.species, pose.coat.legs
    rump, leg, (wide, narrow) = species.rump, species.leg, species.leg_width
    haunch = pose.coat.body if "wool" in species.extras else colour
    sketch.ellipse((rump * 0.12, rump * 0.40), rump * 0.50, rump * 0.42, haunch, turn=10)
    sketch.taper((0.0, narrow * 0.95), narrow * 1.05, (rump * 0.85, narrow * 0.85), narrow * 0.95, colour)
    curve = [(-rump * 0.20, rump * 0.62), (rump * 0.22, rump * 0.72), (rump * 0.52, rump * 0.44)]
    sketch.stroke(curve, shade(haunch, 0.86), 1.6)
    x = pose.at(pose.back, 0)[0] - 4
    elbow, paw = (x + leg * 0.30, narrow * 0.9), (x + 4 + leg * 0.62, narrow * 0.85)
    sketch.taper((x, species.chest * 0.20), wide * 0.95, elbow, narrow * 1.05, colour)
    sketch.taper(elbow, narrow * 1.05, paw, narrow * 0.95, colour)


def _body(sketch: Sketch, pose: Frame, chance: np.random.Generator) -> None:
    species, coat = pose.species, pose.coat
    outline = _outline(pose)
    if "wool" in species.extras:
        _wool(sketch, pose, outline, chance)
    else:
        sketch.blob(outline, coat.body)
    if "humps" in species.extras:
        for u in (0.30, 0.70):
            hump = ((-0.20, 0.40), (-0.10, 0.78), (0.0, 0.98), (0.10, 0.78), (0.20, 0.40))
            sketch.blob([pose.on(u + du, v) for du, v in hump], coat.body)
    if coat.belly != coat.body and "wool" not in species.extras:
        sketch.blob(_belly(pose), coat.belly)
    if "flank" in species.extras:
        front, middle = -species.chest * 0.22, -species.chest * 0.30 * species.tuck
        band = [pose.at(pose.back * 0.98, front), pose.at(pose.back * 0.5, middle), pose.on(0.10, -0.24)]
        sketch.stroke(band, "#5a3a22", 3.4)
    throat = _neck(sketch, pose)
    if "udder" in species.extras and not pose.pose.rest:
        sketch.ellipse(pose.on(0.13, -0.50), 9, 6, "#e9a6a0")
    if species.pattern:
        inner = Sketch("")
        COATS[species.pattern](inner, pose, chance)
        sketch.clipped([smooth(outline, closed=True), straight(throat)], inner)


def _outline(pose: Frame) -> list[Point]:
    """Return the silhouette of the trunk, from the tail over the back."""
    species, back = pose.species, pose.back
    chest, rump, slope, tuck = species.chest, species.rump, species.slope, species.tuck
    return [
        pose.at(-rump * 0.46, rump * 0.10),
        pose.at(-rump * 0.30, rump * 0.42),
        pose.on(0.12, 0.50),
        pose.at(back * 0.5, rump * 0.46 + slope * 0.4),
        pose.at(back * 0.86, chest * 0.52 + slope),
        pose.at(back * 1.12, chest * 0.34 + slope),
        pose.at(back * 1.20, slope * 0.8 - chest * 0.02),
        pose.at(back * 1.10, slope * 0.5 - chest * 0.36),
        pose.at(back * 0.86, -chest * 0.52),
        pose.at(back * 0.5, -(chest * 0.47 * tuck + 2)),
        pose.at(back * 0.14, -rump * 0.44 * tuck),
        pose.at(-rump * 0.24, -rump * 0.40),
    ]


def _belly(pose: Frame) -> list[Point]:
    chest, rump, tuck, back = pose.species.chest, pose.species.rump, pose.species.tuck, pose.back
    return [
        pose.at(back * 1.02, pose.species.slope * 0.5 - chest * 0.36),
        pose.at(back * 0.84, -chest * 0.50),
        pose.at(back * 0.5, -(chest * 0.46 * tuck + 1)),
        pose.at(back * 0.14, -rump * 0.42 * tuck),
        pose.at(back * 0.02, -rump * 0.34),
        pose.at(back * 0.3, -rump * 0.30 * tuck),
        pose.at(back * 0.7, -chest * 0.32),
    ]


def _wool(sketch: Sketch, pose: Frame, outline: list[Point], chance: np.random.Generator) -> None:
    """Draw a fleece: puffs around the outline, curls on it."""
    chest, body = pose.species.chest, pose.coat.body
    centre, reach = pose.back * 0.5, pose.back * 0.60 + chest * 0.20
    for i in range(26):
        dx, dy = polar((0, 0), i / 26 * 360, 1)
        sketch.circle(pose.at(centre + dx * reach, dy * chest * 0.46), chest * 0.17, body)
    sketch.blob(outline, body)
    for along, up in zip(chance.uniform(0, 0.98, 16), chance.uniform(-0.28, 0.34, 16), strict=True):
        point = pose.at(pose.back * float(along), chest * float(up))
        sketch.stroke(around(point, ((200, 4), (110, 3.2), (-20, 4))), shade(body, 0.90), 1.6)


def _neck(sketch: Sketch, pose: Frame) -> list[Point]:
    """Draw the neck and return its outline."""
    length, _, wide, narrow = pose.species.neck
    (x, y), end = pose.neck
    root = (x - wide * 0.30, y - wide * 0.40)
    if "humps" in pose.species.extras:  # a camel's neck hangs in an S
        middle = (x + length * 0.52, y - 2)
        if pose.action == "eating":
            middle = ((x + end[0]) / 2 + 9, (y + end[1]) / 2 - 12)
        sketch.taper((x - 6, y - 6), wide, middle, narrow * 0.95, pose.coat.body)
        sketch.taper(middle, narrow * 0.95, end, narrow * 0.74, pose.coat.body)
    else:
        sketch.taper(root, wide * 0.86, end, narrow * 0.80, pose.coat.body)
    if pose.action == "eating" and pose.species.neck[0] < 20:  # connects a head that is lower than the neck's end
        sketch.taper(end, narrow * 0.80, pose.head, pose.species.head[0] * 0.8, pose.coat.body)
    up, down = pose.neck_angle + 90, pose.neck_angle - 90
    upper = [polar(root, up, wide * 0.86), polar(end, up, narrow * 0.8)]
    return [*upper, polar(end, down, narrow * 0.8), polar(root, down, wide * 0.86)]


_FAST = ("running", "jumping")


def _root(pose: Frame) -> Point:
    return pose.at(-pose.species.rump * 0.42, pose.species.rump * 0.24)


def _swing(pose: Frame) -> float:
    return {"running": 18, "jumping": 24, "sitting": -60, "lying": -40}.get(pose.action, 0)


def _tail_swung(sketch: Sketch, pose: Frame) -> None:
    """Draw a dog's or cat's tail, which follows the movement; a resting cat's is curled up."""
    (x, y), swing, cat = _root(pose), _swing(pose), pose.species.tail == "cat"
    bends = ((170, 0.3, 14), (140, 1, 28), (118, 1.5, 44)) if cat else ((150, 0.2, 12), (112, 1, 27), (95, 1.6, 36))
    curve = around((x, y), ((angle + swing * share, reach) for angle, share, reach in bends))
    if cat and pose.pose.rest:
        curve = [(x - 12, y - 8), (x - 10, 4.0), (x + 14, 4.0)]
    sketch.stroke([(x, y), *curve], pose.coat.body, 6 if cat else 6.5)


def _tail_horse(sketch: Sketch, pose: Frame) -> None:
    root = _root(pose)
    angle = 205 - _swing(pose) * 2 if pose.action in _FAST else 235
    shape = ((-22, 16), (-6, 40), (10, 50), (24, 40), (40, 14))
    sketch.blob([root, *around(root, shape, turn=angle)], pose.coat.mane)


def _tail_thin(sketch: Sketch, pose: Frame) -> None:
    """Draw a tufted or a big cat's long tail."""
    (x, y), tufted = _root(pose), pose.species.tail == "tuft"
    length = pose.species.length * (0.46 if tufted else 0.62)
    angle = 188 if pose.action in _FAST else 252
    curve = around((x, y), ((-30, 0.3), (-8, 0.68), (-14, 1.0)), turn=angle, scale=length)
    if pose.pose.rest:
        curve = [(x - 10, max(5.0, y - 14)), (x - 18, 5.0), (x - 34, 5.0)]
    sketch.stroke([(x, y), *curve], pose.coat.body, 4.2 if tufted else 6.4)
    if tufted:
        tone = pose.species.ruff or pose.coat.mane or pose.coat.detail
        sketch.ellipse(curve[-1], 6.5, 4, tone, turn=0 if pose.pose.rest else 60)
    else:
        for point in curve:
            sketch.circle(point, 3.2, pose.coat.detail)


def _tail_bushy(sketch: Sketch, pose: Frame) -> None:
    root, angle = _root(pose), 178 if pose.action in _FAST else 200
    shape = ((-22, 18), (-14, 38), (0, 36), (14, 40), (26, 18))
    sketch.blob([root, *around(root, shape, turn=angle)], pose.coat.body)
    if pose.species.tail == "fox":
        tip = ((-13, 33), (-6, 43), (3, 48), (10, 43), (15, 34))
        sketch.blob(around(root, tip, turn=angle), "#fbf3e8")


def _tail_pig(sketch: Sketch, pose: Frame) -> None:
    root = _root(pose)
    curl = ((165, 6), (120, 9), (150, 13), (180, 10), (170, 16))
    sketch.stroke([root, *around(root, curl)], shade(pose.coat.body, 0.9), 2.6)


def _tail_short(sketch: Sketch, pose: Frame) -> None:
    root = _root(pose)
    sketch.ellipse(polar(root, 150, 3), 7, 4.6, pose.coat.body, turn=60)
    sketch.ellipse(polar(root, 165, 4), 5, 3, pose.coat.belly, turn=60)


_TAILS: Mapping[str, Callable[[Sketch, Frame], None]] = {
    "up": _tail_swung,
    "cat": _tail_swung,
    "horse": _tail_horse,
    "tuft": _tail_thin,
    "long": _tail_thin,
    "bushy": _tail_bushy,
    "fox": _tail_bushy,
    "pig": _tail_pig,
    "short": _tail_short,
    "ball": lambda sketch, pose: sketch.circle(polar(_root(pose), 190, 3), 7, "#fbf8f4"),
    "stub": lambda sketch, pose: sketch.ellipse(_root(pose), 6, 5, pose.coat.body),
}
"""Tail shape → brush."""
