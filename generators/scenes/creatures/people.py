"""People by kind, action, clothes colour and variant (age, build, skin, hair, clothes)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vhbench.files import read_typed
from vhbench.generators.scenes.creatures.faces import Head, Heads, Points, draw_head, hair_behind
from vhbench.generators.scenes.creatures.sketch import Point, Sketch, between, hang, polar
from vhbench.generators.scenes.paints import paint, shade


@dataclass(frozen=True, slots=True)
class Figure:
    """Kind of person: height (1 for an adult), height in heads, widths of shoulders and hips, and features."""

    hair: tuple[str, ...]  # styles of the variants
    height: float = 1.0
    heads: float = 7.3
    width: float = 1.0
    hips: float = 1.0
    bust: float = 0.0
    beard: bool = False
    skirt: bool = False  # always; ``dress``: in some variants
    dress: bool = False


@dataclass(frozen=True, slots=True)
class Physique:
    """Body shape, as factors of the usual one; ``belly`` is in half depths of the trunk."""

    girth: float = 1.0
    width: float = 1.0
    belly: float = 0.0


@dataclass(frozen=True, slots=True)
class Stance:
    """Action, usual or in one view: upper and lower angles of arms and legs (near, far), lean and side of the body."""

    arms: tuple[tuple[float, float], tuple[float, float]]
    legs: tuple[tuple[float, float], tuple[float, float]]
    reach: tuple[tuple[float, float], tuple[float, float]] = ((1, 1), (1, 1))  # of foreshortened legs
    lean: float = 0
    front: bool = False
    lying: bool = False
    hands: Literal["loose", "open", "fist", "knees", "clasped"] = "loose"  # what they do or hold


_VIEWS = ("front", "quarter", "side", "quarter")
"""View of the variants of an action that is usually seen from the front; others begin with the side."""


@dataclass(frozen=True, slots=True)
class _Tables(Heads):
    """Contents of ``people.json``."""

    figures: Mapping[str, Figure]
    builds: Sequence[Physique]
    stances: Mapping[str, Stance]
    palette: Mapping[str, Sequence[str]]


_TABLES = read_typed(Path(__file__).with_suffix(".json"), _Tables, "table of people")
FIGURES = _TABLES.figures  # word → figure


@dataclass(frozen=True, slots=True)
class Person:
    """Measurements and colours of a person in drawing units (an adult is about 100 tall)."""

    stance: Stance
    build: Physique
    unit: float  # a hundredth of the height
    skin: str
    shirt: str
    trousers: str
    shoe: str
    leg: float
    trunk: float
    leg_width: float
    arm_width: float
    shoulder: float  # half its width
    hip_width: float
    hip: Point
    bust: float
    dress: bool
    long_sleeves: bool
    jacket: bool
    shorts: bool
    head: Head

    def up(self, distance: float, side: float = 0) -> Point:
        """Return a trunk point by fraction of its length from the hip, and sideways offset."""
        return _along(self.hip, self.stance.lean, distance * self.trunk, side)

    def joints(self, side: int) -> tuple[Point, Point, Point]:
        """Return root, knee and ankle of the near (1) or far (-1) leg."""
        far, offset = int(side < 0), side * self.hip_width * 0.52
        root = (self.hip[0] + (offset if self.stance.front else 0.8 * self.unit), self.hip[1])
        if self.stance.front and self.stance.lying:
            root = self.up(0, offset)
        thigh, shin = (self.leg * 0.5 * reach for reach in self.stance.reach[far])
        knee = hang(root, self.stance.legs[far][0], thigh)
        return root, knee, hang(knee, self.stance.legs[far][1], shin)

    @property
    def knees_up(self) -> bool:
        """Whether the thighs point to the viewer, and so cover the trunk."""
        return self.stance.front and self.stance.hands == "knees" and not self.dress


def _along(hip: Point, lean: float, distance: float, side: float) -> Point:
    return polar(polar(hip, 90 - lean, distance), -lean, side)


def person(kind: str, colour: str, action: str, variant: int) -> Sketch:
    """Draw a person; "" is the variant's clothes colour."""
    who = _person(kind, colour, action, variant)
    sketch = Sketch(prefix="")
    front = who.stance.front
    hair_behind(sketch, who.head, _TABLES)
    if not front:
        _arm(sketch, who, -1)
    if not who.knees_up:
        _legs(sketch, who)
    head = who.head
    sketch.material = "skin"
    wide, nape = head.radius * 0.50, head.at(0 if head.view == "front" else -0.12, -0.5)
    sketch.taper(who.up(0.95), wide * 1.2, nape, wide, shade(who.skin, 0.72))
    _trunk(sketch, who)
    if who.knees_up:
        _legs(sketch, who)
    if front:
        _arm(sketch, who, -1)
    draw_head(sketch, who.head, _TABLES)
    _arm(sketch, who, 1)
    return sketch


def _person(kind: str, colour: str, action: str, variant: int) -> Person:
    figure, stance, order = FIGURES[kind], _TABLES.stances[action], list(FIGURES).index(kind)
    view = (_VIEWS if stance.front else _VIEWS[2:] + _VIEWS[:2])[variant % 4]
    stance = _TABLES.stances.get(f"{action} {view}".strip(), stance)
    unit, young = figure.height, 7.3 - figure.heads
    build = _TABLES.builds[(variant * 3 + order) % len(_TABLES.builds)]
    old = not young and (variant + order) % 4 == 3
    leg, trunk = (48 - 2.8 * young) * unit, 30 * unit
    leg_width = 5.8 * unit * figure.width * build.girth
    drop = max(map(_drop, stance.legs, stance.reach)) * leg + 3.8 * unit
    if action == "sitting" or stance.lying:
        drop = leg_width * 1.1
    radius = 50 / figure.heads * unit
    lean = stance.lean * (1 if stance.lying else 0.5)
    style = figure.hair[(variant + order) % len(figure.hair)]
    grey = old or style == "grey"
    dress = figure.skirt or (figure.dress and variant % 3 == 1)
    return Person(
        stance=stance,
        build=build,
        unit=unit,
        skin=_pick("skin", variant * 5 + order),
        shirt=paint(colour) if colour else _pick("shirt", variant * 3 + order * 2),
        trousers=_pick("trousers", variant * 5 + order),
        shoe=_pick("shoe", variant * 3 + order),
        leg=leg,
        trunk=trunk,
        leg_width=leg_width,
        arm_width=3.3 * unit * figure.width * build.girth,
        shoulder=(12.0 - 0.4 * young) * unit * figure.width * build.width * (0.9 if view == "quarter" else 1),
        hip_width=8.4 * unit * figure.hips * build.girth * (0.92 if view == "quarter" else 1),
        hip=(0.0, drop),
        bust=figure.bust,
        dress=dress,
        long_sleeves=variant % 3 != 0 and not dress,
        jacket=not (young or dress) and variant % 3 == 2,
        shorts=bool(young) and not dress,
        head=Head(
            centre=_along((0.0, drop), stance.lean, trunk + (2.2 - 1.1 * young) * unit + radius, 0),
            radius=radius,
            tilt=lean,
            view=view,
            mirror=-1 if stance.front and variant % 4 == 3 else 1,
            skin=_pick("skin", variant * 5 + order),
            hair=_pick("grey" if grey else "hair", variant * 3 + order),
            style=style,
            beard=figure.beard and variant % 3 != 1,
            old=old,
        ),
    )


def _pick(name: str, index: int) -> str:
    shades = _TABLES.palette[name]
    return shades[index % len(shades)]


def _drop(angles: tuple[float, float], reach: tuple[float, float]) -> float:
    """Return the vertical distance from the hip to an ankle, in lengths of the leg."""
    return -hang(hang((0, 0), angles[0], 0.5 * reach[0]), angles[1], 0.5 * reach[1])[1]


def _limb(sketch: Sketch, start: Point, start_radius: float, end: Point, end_radius: float, colour: str) -> None:
    """Draw a limb whose upper left side is lit."""
    sketch.taper(start, start_radius, end, end_radius, shade(colour, 0.82))
    lit = [(x - radius * 0.22, y + radius * 0.14) for (x, y), radius in ((start, start_radius), (end, end_radius))]
    sketch.taper(lit[0], start_radius * 0.74, lit[1], end_radius * 0.74, colour)


def _creases(sketch: Sketch, joint: Point, turn: float, width: float, colour: str) -> None:
    """Draw the folds of cloth around a joint."""
    for offset, reach in ((-0.5, 0.9), (0.1, 1.0), (0.7, 0.75)):
        start = polar(polar(joint, turn, offset * width), turn + 90, width * 0.85)
        end = polar(polar(joint, turn, offset * width * 0.3), turn - 90, width * (reach - 0.7))
        sketch.stroke([start, end], shade(colour, 0.72), width * 0.13)


def _legs(sketch: Sketch, who: Person) -> None:
    for side in (-1, 1):
        _leg(sketch, who, side)


def _leg(sketch: Sketch, who: Person, side: int) -> None:
    front, width = who.stance.front, who.leg_width
    root, knee, foot = who.joints(side)
    angle = who.stance.legs[int(side < 0)][1]
    dark = 1.0 if front or side > 0 else 0.78
    cloth, skin = shade(who.trousers, dark), shade(who.skin, dark)
    _shoe(sketch, who, foot, side, angle)
    if who.dress or who.shorts:
        sketch.material = "skin"
        _limb(sketch, root, width * 0.86, knee, width * 0.58, skin)
        _limb(sketch, knee, width * 0.58, foot, width * 0.36, skin)
    sketch.material = "cloth"
    if who.shorts:
        _limb(sketch, root, width * 1.05, between(root, knee, 0.8), width * 0.95, cloth)
    elif not who.dress:
        _limb(sketch, knee, width * 0.74, foot, width * 0.56, cloth)
        _limb(sketch, root, width, knee, width * 0.74, cloth)
        _creases(sketch, knee, angle - 90, width * 0.74, cloth)
        _creases(sketch, between(knee, foot, 0.88), angle - 90, width * 0.56, cloth)


def _shoe(sketch: Sketch, who: Person, foot: Point, side: int, angle: float) -> None:
    """Draw a shoe: its toe points forward, or towards the viewer."""
    unit = who.unit * (who.leg_width / who.unit / 5.5) ** 0.5
    sketch.material = "leather"
    towards = who.stance.front and (abs(angle) < 25 or who.stance.hands == "knees")
    shape = (
        ((-2.6, -1), (2.4, -1), (3.2, 1.6), (3.6, 3.4), (1.6, 4.6), (-1.2, 4.4), (-2.8, 2.6))
        if towards
        else ((-2.8, -1.6), (2.2, -1.8), (4.4, 0.2), (8.0, 1.3), (9.2, 2.8), (8.6, 3.7), (-2.8, 3.7), (-3.3, 1.2))
    )
    outline = [polar(polar(foot, angle - 90, y * unit), angle, x * unit * (side if towards else 1)) for x, y in shape]
    sketch.blob(outline, who.shoe)
    sole = shade(who.shoe, 0.6) if who.shoe > "#a" else "#8f8a84"
    sketch.stroke(outline[3:6] if towards else outline[5:7], sole, unit * 0.9)


def _arm(sketch: Sketch, who: Person, side: int) -> None:
    front, width, angles = who.stance.front, who.arm_width, who.stance.arms[int(side < 0)]
    root = who.up(0.86 if abs(angles[0]) < 90 else 0.90, side * (who.shoulder * 0.80 if front else who.unit))
    elbow = hang(root, angles[0], 16.5 * who.unit)
    wrist = hang(elbow, angles[1], 13.5 * who.unit)
    if who.stance.hands in ("knees", "clasped"):
        held = who.joints(side)[1] if who.stance.hands == "knees" else who.up(-0.1, side * 0.4 * who.unit)
        elbow, wrist = _bent(root, held, who.unit, side if front else -1)
    turn = math.degrees(math.atan2(wrist[1] - elbow[1], wrist[0] - elbow[0]))
    dark = 1.0 if front or side > 0 else 0.80
    skin, cloth = shade(who.skin, dark), shade(who.shirt, dark)
    _hand(sketch, who, wrist, turn, skin, side)
    if who.long_sleeves:
        sketch.material = "cloth"
        _limb(sketch, elbow, width * 0.94, wrist, width * 0.74, cloth)
        _limb(sketch, root, width * 1.12, elbow, width * 0.98, cloth)
        _creases(sketch, elbow, turn, width * 0.95, cloth)
    else:
        sketch.material = "skin"
        _limb(sketch, elbow, width * 0.82, wrist, width * 0.56, skin)
        _limb(sketch, root, width * 1.05, elbow, width * 0.82, skin)
        sketch.material = "cloth"
        cuff = between(root, elbow, 0.5)
        _limb(sketch, root, width * 1.12, cuff, width * 1.14, cloth)
        across = math.degrees(math.atan2(elbow[1] - root[1], elbow[0] - root[0])) + 90
        hem = [polar(cuff, across, width * 1.1), polar(cuff, across + 180, width * 1.1)]
        sketch.stroke(hem, shade(cloth, 0.66), width * 0.16)


def _bent(root: Point, held: Point, unit: float, side: int) -> tuple[Point, Point]:
    """Return elbow and wrist of an arm whose hand is at a point; the elbow points outwards or backwards."""
    x, y = held[0] - root[0], held[1] - root[1]
    direction, far = math.degrees(math.atan2(y, x)), min(math.hypot(x, y) - 3.4 * unit, 29.5 * unit)
    opening = (16.5**2 + (far / unit) ** 2 - 13.5**2) / (33 * far / unit)
    elbow = polar(root, direction + side * math.degrees(math.acos(min(1.0, opening))), 16.5 * unit)
    return elbow, polar(root, direction, far)


def _hand(sketch: Sketch, who: Person, wrist: Point, turn: float, skin: str, side: int) -> None:
    unit = who.unit
    sketch.material = "skin"
    palm = polar(wrist, turn, 2.2 * unit)
    thumb = turn + 50 * (side if who.stance.front else 1)
    hands = who.stance.hands
    width, bend, long = {"open": (8, 0, 1.0), "knees": (6, 0, 0.9), "fist": (11, 0, 0.2)}.get(hands, (3, 14, 1.0))
    for spread in (-3 * width, -width, width, 3 * width):
        root = polar(palm, turn + spread * 2.2, 1.5 * unit)
        tip = polar(root, turn + spread + bend, (3.6 if abs(spread) < 9 else 3.0) * unit * long)
        sketch.stroke([root, tip], shade(skin, 0.9 if spread < 0 else 0.97), 1.15 * unit)
    sketch.ellipse(palm, 2.5 * unit, 1.9 * unit, skin, turn=turn)
    sketch.stroke([polar(wrist, turn, 1.2 * unit), polar(palm, thumb, 2.9 * unit)], shade(skin, 0.86), 1.3 * unit)


def _trunk(sketch: Sketch, who: Person) -> None:
    """Draw the trunk in its clothes."""
    wide, hips, build = who.shoulder, who.hip_width, who.build
    sketch.material = "cloth"
    if who.stance.front:
        waist = (0.70 + 0.25 * build.belly) * build.girth * (0.9 if who.bust else 1)
        right = [
            (1.05, wide * 0.26), (0.99, wide * 0.62), (0.92, wide * 0.96), (0.78, wide * 0.94), (0.56, wide * 0.84),
            (0.30, max(wide * waist, hips * 0.86)), (0.06, hips * 1.06), (-0.12, hips * 1.10),
        ]  # fmt: skip
        left = [(d, -s) for d, s in right]
    else:
        deep = wide * 0.60 * build.girth
        right = [(d, s * deep) for d, s in _belly(build.belly, who.bust)]
        left = [(d, s * deep) for d, s in _BACK]
    if not who.dress:
        seat = max(right[-1][1] * 0.96, who.leg_width * 0.9)
        sketch.ellipse(who.up(-0.05), seat, who.leg_width, shade(who.trousers, 0.86), turn=-who.stance.lean)
    outline = [who.up(d, s) for d, s in [*right, (-0.15, 0), *reversed(left)]]
    sketch.blob(outline, shade(who.shirt, 0.91))
    lit = [(d, s * 0.62) for d, s in right[1:-1]]
    sketch.blob([who.up(d, s) for d, s in [*lit, *((d, s * 0.94) for d, s in reversed(left[1:-1]))]], who.shirt)
    if who.dress:
        _skirt(sketch, who)
    _details(sketch, who, right, left)


_BACK = ((1.05, -0.34), (0.93, -0.72), (0.75, -0.95), (0.5, -0.80), (0.25, -0.70), (0.04, -0.95), (-0.12, -0.95))
"""Profile of the back: fraction of the trunk, offset in half depths."""


def _belly(belly: float, bust: float) -> list[Point]:
    """Return the profile of the front, like :data:`_BACK`."""
    return [
        (1.04, 0.24), (0.92, 0.56), (0.72, 0.96 + bust), (0.50, 0.84), (0.28, 0.80 + belly), (0.05, 0.84 + belly * 0.8),
        (-0.12, 0.84),
    ]  # fmt: skip


def _details(sketch: Sketch, who: Person, right: Points, left: Points) -> None:
    """Draw neckline, jacket, folds and hem."""
    fold, wide, unit = shade(who.shirt, 0.68), who.shoulder, who.unit
    front = who.stance.front
    if who.jacket and front:
        inner = ((1.04, -0.24), (1.04, 0.24), (0.7, 0.16), (-0.1, 0.2), (-0.1, -0.2), (0.7, -0.16))
        sketch.polygon([who.up(d, s * wide) for d, s in inner], "#d9d6cf" if who.shirt < "#c" else "#3a4252")
        for side in (-1, 1):
            lapel = ((1.05, 0.25), (0.92, 0.5), (0.6, 0.2))
            sketch.polygon([who.up(d, side * s * wide) for d, s in lapel], shade(who.shirt, 0.74))
    elif front:
        sketch.material = "skin"
        collar = [who.up(d, s * wide) for d, s in ((1.06, -0.25), (0.95, -0.16), (0.90, 0), (0.95, 0.16), (1.06, 0.25))]
        sketch.blob(collar, shade(who.skin, 0.9))
        sketch.material = "cloth"
        sketch.stroke(collar, fold, unit * 0.7)
    for down, reach in ((0.76, 0.50), (0.34, 0.60), (0.20, 0.45)):  # from the armpits and the waist
        for edge, sign in ((right, 1), (left, -1)):
            outer = min(edge, key=lambda point: abs(point[0] - down))[1] * 0.96
            middle, end = who.up(down - 0.05, outer * 0.75), who.up(down - 0.13 * sign, outer * (1 - reach))
            tone = fold if sign > 0 else shade(who.shirt, 0.78)
            sketch.stroke([who.up(down, outer), middle, end], tone, unit * 0.55)
    if not who.dress:
        sketch.stroke([who.up(-0.12, left[-1][1]), who.up(-0.15, 0), who.up(-0.12, right[-1][1])], fold, unit * 0.8)


def _skirt(sketch: Sketch, who: Person) -> None:
    hem = -who.leg * 0.40 / who.trunk
    wide, deep = who.hip_width, who.shoulder * 0.6
    if who.stance.front:
        reach = 1.75 * wide
        if who.stance.hands == "knees":
            hem, reach = -0.1, max(reach, who.joints(1)[1][0] + who.leg_width)
        shape = ((0.34, -0.88 * wide), (0.34, 0.88 * wide), (hem, reach), (hem - 0.04, 0), (hem, -reach))
        points = [who.up(d, s) for d, s in shape]
    elif who.stance.lying:
        points = [who.up(d, s) for d, s in ((0.34, -deep), (0.34, deep), (hem, 1.25 * deep), (hem, -deep))]
    else:
        (x, y), (knee, _) = who.hip, hang(who.hip, who.stance.legs[0][0], who.leg * 0.40)
        low = max(1.0, y + hem * who.trunk)
        points = [who.up(0.34, -deep), who.up(0.34, deep), (max(x + 1.5 * deep, knee + 4), low), (x - 1.7 * deep, low)]
    sketch.polygon(points, who.shirt)
    top, bottom = between(points[0], points[1], 0.5), between(points[-1], points[2], 0.5)
    for share in (0.12, 0.34, 0.6, 0.84):  # pleats
        start = between(between(points[0], points[1], share), top, 0.1)
        end = between(between(points[-1], points[2], share), bottom, 0.05)
        sketch.stroke([between(start, end, 0.25), end], shade(who.shirt, 0.74), who.unit * 0.8)
