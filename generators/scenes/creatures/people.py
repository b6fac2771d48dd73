"""People by kind, action, clothes colour and variant (skin, hair, trousers)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vhbench.files import read_typed
from vhbench.generators.scenes.creatures.sketch import Point, Sketch, hang, polar
from vhbench.generators.scenes.paints import paint, shade

_SKIN = ("#f2c9a5", "#e0a878", "#c68656", "#8d5a3b", "#ffdbb8")
_HAIR = ("#3a2618", "#1f1a1a", "#8a5a2b", "#d9a94a", "#5b2f1c")
_SHIRT = ("#d8433b", "#3b78c4", "#3f9a5a", "#e0a52e", "#8a56b0", "#e77f3c", "#3aa6a0")
_TROUSERS = ("#33476b", "#4a4a50", "#6d5a44", "#2f5d50")
_SHOE = "#2b2b30"


@dataclass(frozen=True, slots=True)
class Figure:
    """Kind of person: height (1 for an adult), head size, shoulder width and features."""

    height: float = 1.0
    head: float = 1.0
    width: float = 1.0
    hair: str = "short"
    beard: bool = False
    skirt: bool = False

    @property
    def child(self) -> bool:
        """Whether it has a child's proportions."""
        return self.height < 0.8


@dataclass(frozen=True, slots=True)
class Stance:
    """Action: upper and lower angles of arms and legs (near, far), lean and view."""

    arms: tuple[tuple[float, float], tuple[float, float]]
    legs: tuple[tuple[float, float], tuple[float, float]]
    lean: float = 0
    front: bool = False
    lying: bool = False


@dataclass(frozen=True, slots=True)
class _Tables:
    """Contents of ``people.json``; shapes are in fractions of the head's radius."""

    figures: Mapping[str, Figure]
    stances: Mapping[str, Stance]
    shapes: Mapping[str, Sequence[Point]]


_TABLES = read_typed(Path(__file__).with_suffix(".json"), _Tables, "table of people")
FIGURES, STANCES, _SHAPES = _TABLES.figures, _TABLES.stances, _TABLES.shapes
"""Word → figure, action → stance, name → outline or points."""


@dataclass(frozen=True, slots=True)
class Person:
    """Measurements and colours of a person in drawing units (an adult is about 100 tall)."""

    figure: Figure
    stance: Stance
    skin: str
    hair: str
    shirt: str
    trousers: str
    leg: float
    trunk: float
    arm: float
    leg_width: float
    arm_width: float
    shoulder: float
    hip_width: float
    radius: float
    hip: Point
    beard: bool

    def up(self, distance: float, side: float = 0) -> Point:
        """Return a trunk point by distance from the hip along the spine and sideways offset."""
        along = polar(self.hip, 90 - self.stance.lean, distance)
        return polar(along, -self.stance.lean, side)


def person(kind: str, colour: str, action: str, variant: int) -> Sketch:
    """Draw a person; "" is the variant's clothes colour, which also determines skin and hair."""
    who = _person(kind, colour, action, variant)
    sketch = Sketch(prefix="")
    front = who.stance.front
    near_arm, far_arm = who.stance.arms
    _arm(sketch, who, -1, far_arm, shade(who.shirt, 0.92 if front else 0.80))
    _leg(sketch, who, -1, who.stance.legs[1], who.trousers if front else shade(who.trousers, 0.80))
    _leg(sketch, who, 1, who.stance.legs[0], who.trousers)
    _trunk(sketch, who)
    _head(sketch, who)
    _arm(sketch, who, 1, near_arm, who.shirt if front else shade(who.shirt, 0.92))
    return sketch


def _person(kind: str, colour: str, action: str, variant: int) -> Person:
    figure, stance = FIGURES[kind], STANCES[action]
    small, order = 0.83 if figure.child else 1.0, list(FIGURES).index(kind)
    height = figure.height * 100
    leg, leg_width = height * (0.36 if figure.child else 0.44), 7.0 * figure.width * small
    drop = max(_drop(angles, leg) for angles in stance.legs) + 3.5
    if action == "sitting":
        drop = leg_width * 1.1
    return Person(
        figure=figure,
        stance=stance,
        skin=_SKIN[(variant * 3 + order) % len(_SKIN)],
        hair=_HAIR[(variant * 2 + order) % len(_HAIR)],
        shirt=paint(colour) if colour else _SHIRT[(variant * 5 + order) % len(_SHIRT)],
        trousers=_TROUSERS[(variant * 3 + order) % len(_TROUSERS)],
        leg=leg,
        trunk=height * 0.31,
        arm=height * (0.37 if figure.child else 0.33),
        leg_width=leg_width,
        arm_width=4.9 * figure.width * small,
        shoulder=11.5 * figure.width * small,
        hip_width=7.6 * (1.12 if kind == "woman" else 1) * small,
        radius=13.2 * figure.head * (0.92 if figure.child else 1),
        hip=(0.0, leg_width + 2 if stance.lying else drop),
        beard=figure.beard and variant % 2 == 0,
    )


def _drop(angles: tuple[float, float], leg: float) -> float:
    """Return the vertical distance from the hip to a foot."""
    return -hang(hang((0, 0), angles[0], leg * 0.5), angles[1], leg * 0.5)[1]


def _leg(sketch: Sketch, who: Person, side: int, angles: tuple[float, float], colour: str) -> None:
    offset = who.hip_width * 0.62 if who.stance.front else 1.2
    root, width = (who.hip[0] + side * offset, who.hip[1]), who.leg_width
    knee = hang(root, angles[0], who.leg * 0.5)
    foot = hang(knee, angles[1], who.leg * 0.5 - 2)
    scale = (1.0, 0.78, 0.62)
    if who.figure.skirt:
        scale, colour = (0.74, 0.60, 0.46), who.skin if colour == who.trousers else shade(who.skin, 0.85)
    sketch.taper(root, width * scale[0], knee, width * scale[1], colour)
    sketch.taper(knee, width * scale[1], foot, width * scale[2], colour)
    if who.stance.lying:
        sketch.ellipse((foot[0] + 2, foot[1] + 2.5), 3.2, 5.4, _SHOE)
    else:
        toe = -1 if who.stance.front and side < 0 else 1
        middle = (foot[0] + toe * 2.6, foot[1] - 1.6)
        sketch.ellipse(middle, width * 0.98, width * 0.50, _SHOE, turn=toe * angles[1] * 0.33)


def _arm(sketch: Sketch, who: Person, side: int, angles: tuple[float, float], sleeve: str) -> None:
    root = who.up(who.trunk - 3, side * (who.shoulder * 0.92 if who.stance.front else 1.5))
    elbow = hang(root, angles[0], who.arm * 0.48)
    hand = hang(elbow, angles[1], who.arm * 0.46)
    skin = who.skin if who.stance.front or side > 0 else shade(who.skin, 0.88)
    sketch.taper(root, who.arm_width * 1.08, elbow, who.arm_width * 0.86, sleeve)
    sketch.taper(elbow, who.arm_width * 0.80, hand, who.arm_width * 0.62, skin)
    sketch.circle(hand, who.arm_width * 0.82, skin)


def _trunk(sketch: Sketch, who: Person) -> None:
    tall, wide, hips = who.trunk, who.shoulder, who.hip_width
    small = 0.85 if who.figure.child else 1.0
    if who.stance.front:
        right = ((tall + 4, wide * 0.45), (tall + 1, wide * 0.98), (tall * 0.45, wide * 0.80), (-4, hips * 1.32))
        points = [who.up(d, s) for d, s in right] + [who.up(-5, 0)] + [who.up(d, -s) for d, s in reversed(right)]
        sketch.blob(points, who.shirt)
    else:
        width = who.figure.width * small
        sketch.taper(who.up(tall - 4), 8.4 * width, who.up(1), 7.8 * width, who.shirt)
    if who.figure.skirt:
        _skirt(sketch, who)


def _skirt(sketch: Sketch, who: Person) -> None:
    tall, wide, hem = who.trunk, who.shoulder, -who.leg * 0.42
    if who.stance.front:
        half, flare = wide * 0.8, who.hip_width * 2.25
        points = ((tall * 0.42, -half), (tall * 0.42, half), (hem, flare), (hem, -flare))
        sketch.polygon([who.up(d, s) for d, s in points], who.shirt)
    elif who.stance.lying:
        sketch.polygon([who.up(tall * 0.4, -7), who.up(tall * 0.4, 7), who.up(hem, 9), who.up(hem, -7)], who.shirt)
    else:
        (x, y), (knee, _) = who.hip, hang(who.hip, who.stance.legs[0][0], who.leg * 0.42)
        low = max(1.0, y + hem)
        waist = [who.up(tall * 0.4, -8), who.up(tall * 0.4, 8)]
        sketch.polygon([*waist, (max(x + 13, knee + 4), low), (x - 13, low)], who.shirt)


def _head(sketch: Sketch, who: Person) -> None:
    radius, front = who.radius, who.stance.front
    x, y = who.up(who.trunk + radius * 1.28)
    centre = (x, y + 3) if who.stance.lying else (x, y)
    tilt = who.stance.lean * (1 if who.stance.lying else 0.5)
    sketch.taper(who.up(who.trunk - 1), 3.9, centre, 3.7, shade(who.skin, 0.88))

    def at(right: float, up: float) -> Point:
        return polar(polar(centre, 90 - tilt, up * radius), -tilt, right * radius)

    def shape(name: str) -> list[Point]:
        return [at(*point) for point in _SHAPES[name]]

    if who.figure.hair == "long":
        sketch.blob(shape("long hair"), who.hair)
    elif who.figure.hair == "tails":
        for side in (-1, 1):
            sketch.ellipse(at(side * 1.28, -0.35), radius * 0.36, radius * 0.78, who.hair, turn=side * 14)
    for side in (-1, 1) if front else (-1,):
        sketch.ellipse(at(side * 1.0, -0.05), radius * 0.18, radius * 0.24, shade(who.skin, 0.92))
    sketch.ellipse(centre, radius, radius * 1.06, who.skin, turn=-tilt)
    _face(sketch, who, shape("front face" if front else "side face"))
    if who.beard:
        sketch.blob(shape("beard"), who.hair)
        sketch.stroke([at(-0.16, -0.56), at(0.18, -0.56)], "#a2443c", 1.5)
    sketch.blob(shape(f"{who.figure.hair if who.figure.hair in ('short', 'mop') else 'side'} fringe"), who.hair)


def _face(sketch: Sketch, who: Person, points: list[Point]) -> None:
    """Draw two eyes and a smile: left eye, right eye, three mouth points, then nose points."""
    radius = who.radius
    for eye in points[:2]:
        sketch.ellipse(eye, radius * 0.095, radius * 0.13, "#1d1715")
    sketch.stroke(points[2:5], "#a2443c", 1.5)
    for nose in points[5:]:
        sketch.ellipse(nose, radius * 0.15, radius * 0.12, shade(who.skin, 0.94))
