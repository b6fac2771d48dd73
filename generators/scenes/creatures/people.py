"""People: kind × action × colour of the clothes × variant (skin, hair, trousers)."""

from collections.abc import Mapping
from dataclasses import dataclass

from vhbench.generators.scenes.creatures.sketch import Point, Sketch, hang, polar
from vhbench.generators.scenes.paints import paint, shade

SKIN = ("#f2c9a5", "#e0a878", "#c68656", "#8d5a3b", "#ffdbb8")
HAIR = ("#3a2618", "#1f1a1a", "#8a5a2b", "#d9a94a", "#5b2f1c")
SHIRT = ("#d8433b", "#3b78c4", "#3f9a5a", "#e0a52e", "#8a56b0", "#e77f3c", "#3aa6a0")
TROUSERS = ("#33476b", "#4a4a50", "#6d5a44", "#2f5d50")
SHOE = "#2b2b30"


@dataclass(frozen=True, slots=True)
class Build:
    """A kind of person: height (1 is a grown person), head size, shoulder width, and what tells it apart."""

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
    """An action: arms and legs (near, far) as upper and lower angles, the lean of the trunk, and the view."""

    arms: tuple[tuple[float, float], tuple[float, float]]
    legs: tuple[tuple[float, float], tuple[float, float]]
    lean: float = 0
    front: bool = False
    lying: bool = False


BUILDS: Mapping[str, Build] = {
    "person": Build(),
    "man": Build(1.06, 0.96, 1.12, beard=True),
    "woman": Build(1.0, 0.98, 0.9, hair="long"),
    "boy": Build(0.66, 1.04, hair="mop"),
    "girl": Build(0.66, 1.04, hair="tails", skirt=True),
    "child": Build(0.56, 1.08, hair="mop"),
}
"""Word → build."""

STANCES: Mapping[str, Stance] = {
    "": Stance(((10, 6), (-10, -6)), ((4, 0), (-4, 0)), front=True),
    "waving": Stance(((118, 158), (-58, 34)), ((14, 6), (-14, -6)), front=True),
    "cheering": Stance(((124, 156), (-124, -156)), ((12, 4), (-12, -4)), front=True),
    "dancing": Stance(((118, 165), (-70, -20)), ((38, -34), (-14, -4)), lean=-8, front=True),
    "walking": Stance(((-34, -10), (34, 50)), ((30, 12), (-24, -42)), lean=3),
    "running": Stance(((-58, 36), (54, 120)), ((72, -6), (-34, -96)), lean=14),
    "jumping": Stance(((140, 160), (-140, -160)), ((52, -62), (-44, -84)), lean=4, front=True),
    "kicking": Stance(((-44, -30), (50, 66)), ((72, 64), (-10, -6)), lean=-14),
    "sitting": Stance(((52, 78), (44, 72)), ((116, 8), (104, 2)), lean=-6),
    "lying": Stance(((88, 92), (86, 90)), ((91, 91), (88, 88)), lean=-86, lying=True),
    "crouching": Stance(((50, 20), (36, 10)), ((96, -40), (80, -52)), lean=24),
}
"""Action → stance."""


@dataclass(frozen=True, slots=True)
class Look:
    """One person's measures and colours in drawing units (a grown person is about 100 tall)."""

    build: Build
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
        """Return a point of the trunk: a distance from the hip along the spine, and to the side of it."""
        along = polar(self.hip, 90 - self.stance.lean, distance)
        return polar(along, -self.stance.lean, side)


def person(kind: str, colour: str, action: str, variant: int) -> Sketch:
    """Draw a person.

    Args:
        kind: a key of :data:`BUILDS`.
        colour: of the clothes, or "" for the variant's.
        action: a key of :data:`STANCES`.
        variant: chooses skin, hair and clothes.
    """
    look = _look(kind, colour, action, variant)
    sketch = Sketch(prefix="")
    front = look.stance.front
    near_arm, far_arm = look.stance.arms
    _arm(sketch, look, -1, far_arm, shade(look.shirt, 0.92 if front else 0.80))
    _leg(sketch, look, -1, look.stance.legs[1], look.trousers if front else shade(look.trousers, 0.80))
    _leg(sketch, look, 1, look.stance.legs[0], look.trousers)
    _trunk(sketch, look)
    _head(sketch, look)
    _arm(sketch, look, 1, near_arm, look.shirt if front else shade(look.shirt, 0.92))
    return sketch


def _look(kind: str, colour: str, action: str, variant: int) -> Look:
    build, stance = BUILDS[kind], STANCES[action]
    small, order = 0.83 if build.child else 1.0, list(BUILDS).index(kind)
    height = build.height * 100
    leg, leg_width = height * (0.36 if build.child else 0.44), 7.0 * build.width * small
    drop = max(_drop(angles, leg) for angles in stance.legs) + 3.5
    if action == "sitting":
        drop = leg_width * 1.1
    return Look(
        build=build,
        stance=stance,
        skin=SKIN[(variant * 3 + order) % len(SKIN)],
        hair=HAIR[(variant * 2 + order) % len(HAIR)],
        shirt=paint(colour) if colour else SHIRT[(variant * 5 + order) % len(SHIRT)],
        trousers=TROUSERS[(variant * 3 + order) % len(TROUSERS)],
        leg=leg,
        trunk=height * 0.31,
        arm=height * (0.37 if build.child else 0.33),
        leg_width=leg_width,
        arm_width=4.9 * build.width * small,
        shoulder=11.5 * build.width * small,
        hip_width=7.6 * (1.12 if kind == "woman" else 1) * small,
        radius=13.2 * build.head * (0.92 if build.child else 1),
        hip=(0.0, leg_width + 2 if stance.lying else drop),
        beard=build.beard and variant % 2 == 0,
    )


def _drop(angles: tuple[float, float], leg: float) -> float:
    """Return how far below the hip a foot is."""
    return -hang(hang((0, 0), angles[0], leg * 0.5), angles[1], leg * 0.5)[1]


def _leg(sketch: Sketch, look: Look, side: int, angles: tuple[float, float], colour: str) -> None:
    offset = look.hip_width * 0.62 if look.stance.front else 1.2
    root, width = (look.hip[0] + side * offset, look.hip[1]), look.leg_width
    knee = hang(root, angles[0], look.leg * 0.5)
    foot = hang(knee, angles[1], look.leg * 0.5 - 2)
    scale = (1.0, 0.78, 0.62)
    if look.build.skirt:
        scale, colour = (0.74, 0.60, 0.46), look.skin if colour == look.trousers else shade(look.skin, 0.85)
    sketch.taper(root, width * scale[0], knee, width * scale[1], colour)
    sketch.taper(knee, width * scale[1], foot, width * scale[2], colour)
    if look.stance.lying:
        sketch.ellipse((foot[0] + 2, foot[1] + 2.5), 3.2, 5.4, SHOE)
    else:
        toe = -1 if look.stance.front and side < 0 else 1
        middle = (foot[0] + toe * 2.6, foot[1] - 1.6)
        sketch.ellipse(middle, width * 0.98, width * 0.50, SHOE, turn=toe * angles[1] * 0.33)


def _arm(sketch: Sketch, look: Look, side: int, angles: tuple[float, float], sleeve: str) -> None:
    root = look.up(look.trunk - 3, side * (look.shoulder * 0.92 if look.stance.front else 1.5))
    elbow = hang(root, angles[0], look.arm * 0.48)
    hand = hang(elbow, angles[1], look.arm * 0.46)
    skin = look.skin if look.stance.front or side > 0 else shade(look.skin, 0.88)
    sketch.taper(root, look.arm_width * 1.08, elbow, look.arm_width * 0.86, sleeve)
    sketch.taper(elbow, look.arm_width * 0.80, hand, look.arm_width * 0.62, skin)
    sketch.circle(hand, look.arm_width * 0.82, skin)


def _trunk(sketch: Sketch, look: Look) -> None:
    tall, wide, hips = look.trunk, look.shoulder, look.hip_width
    small = 0.85 if look.build.child else 1.0
    if look.stance.front:
        right = ((tall + 4, wide * 0.45), (tall + 1, wide * 0.98), (tall * 0.45, wide * 0.80), (-4, hips * 1.32))
        points = [look.up(d, s) for d, s in right] + [look.up(-5, 0)] + [look.up(d, -s) for d, s in reversed(right)]
        sketch.blob(points, look.shirt)
    else:
        width = look.build.width * small
        sketch.taper(look.up(tall - 4), 8.4 * width, look.up(1), 7.8 * width, look.shirt)
    if look.build.skirt:
        _skirt(sketch, look)


def _skirt(sketch: Sketch, look: Look) -> None:
    tall, wide, hem = look.trunk, look.shoulder, -look.leg * 0.42
    if look.stance.front:
        half, flare = wide * 0.8, look.hip_width * 2.25
        points = ((tall * 0.42, -half), (tall * 0.42, half), (hem, flare), (hem, -flare))
        sketch.polygon([look.up(d, s) for d, s in points], look.shirt)
    elif look.stance.lying:
        sketch.polygon([look.up(tall * 0.4, -7), look.up(tall * 0.4, 7), look.up(hem, 9), look.up(hem, -7)], look.shirt)
    else:
        (x, y), (knee, _) = look.hip, hang(look.hip, look.stance.legs[0][0], look.leg * 0.42)
        low = max(1.0, y + hem)
        waist = [look.up(tall * 0.4, -8), look.up(tall * 0.4, 8)]
        sketch.polygon([*waist, (max(x + 13, knee + 4), low), (x - 13, low)], look.shirt)


def _head(sketch: Sketch, look: Look) -> None:
    radius, front = look.radius, look.stance.front
    x, y = look.up(look.trunk + radius * 1.28)
    centre = (x, y + 3) if look.stance.lying else (x, y)
    tilt = look.stance.lean * (1 if look.stance.lying else 0.5)
    sketch.taper(look.up(look.trunk - 1), 3.9, centre, 3.7, shade(look.skin, 0.88))

    def at(right: float, up: float) -> Point:
        return polar(polar(centre, 90 - tilt, up * radius), -tilt, right * radius)

    if look.build.hair == "long":
        sketch.blob([at(*p) for p in _LONG_HAIR], look.hair)
    elif look.build.hair == "tails":
        for side in (-1, 1):
            sketch.ellipse(at(side * 1.28, -0.35), radius * 0.36, radius * 0.78, look.hair, turn=side * 14)
    for side in (-1, 1) if front else (-1,):
        sketch.ellipse(at(side * 1.0, -0.05), radius * 0.18, radius * 0.24, shade(look.skin, 0.92))
    sketch.ellipse(centre, radius, radius * 1.06, look.skin, turn=-tilt)
    _face(sketch, look, [at(*p) for p in _FACE_FRONT] if front else [at(*p) for p in _FACE_SIDE])
    if look.beard:
        sketch.blob([at(*p) for p in _BEARD], look.hair)
        sketch.stroke([at(-0.16, -0.56), at(0.18, -0.56)], "#a2443c", 1.5)
    fringe = _FRINGES["side" if look.build.hair in ("long", "tails") else look.build.hair]
    sketch.blob([at(*p) for p in fringe], look.hair)


def _face(sketch: Sketch, look: Look, points: list[Point]) -> None:
    """Draw two eyes and a smile; the points are left eye, right eye and three of the mouth, then the nose if any."""
    radius = look.radius
    for eye in points[:2]:
        sketch.ellipse(eye, radius * 0.095, radius * 0.13, "#1d1715")
    sketch.stroke(points[2:5], "#a2443c", 1.5)
    for nose in points[5:]:
        sketch.ellipse(nose, radius * 0.15, radius * 0.12, shade(look.skin, 0.94))


_FACE_FRONT = ((-0.34, 0.08), (0.34, 0.08), (-0.26, -0.46), (0.0, -0.58), (0.26, -0.46))
_FACE_SIDE = ((-0.04, 0.08), (0.64, 0.08), (0.04, -0.46), (0.30, -0.58), (0.56, -0.46), (1.0, -0.12))
_BEARD = (
    (-0.92, -0.12), (-0.62, -0.80), (0, -1.10), (0.62, -0.80), (0.95, -0.12), (0.62, -0.36), (0.1, -0.30),
    (-0.5, -0.36),
)  # fmt: skip
_LONG_HAIR = (
    (-1.12, 0.1), (-0.9, 0.95), (0, 1.28), (0.9, 0.95), (1.12, 0.1), (1.16, -1.0), (0.9, -1.75), (-0.95, -1.75),
    (-1.2, -1.0),
)  # fmt: skip
_FRINGES: Mapping[str, tuple[Point, ...]] = {
    "short": (
        (-1.10, 0), (-1.06, 0.62), (-0.62, 1.10), (0, 1.22), (0.66, 1.10), (1.06, 0.62), (1.02, 0.30), (0.5, 0.58),
        (-0.2, 0.66), (-0.78, 0.46), (-0.90, 0),
    ),
    "mop": (
        (-1.10, 0), (-1.06, 0.62), (-0.62, 1.10), (0, 1.22), (0.66, 1.10), (1.06, 0.62), (1.02, 0.30), (0.5, 0.42),
        (-0.2, 0.46), (-0.78, 0.46), (-0.90, 0),
    ),
    "side": (
        (-1.08, -0.1), (-1.04, 0.62), (-0.6, 1.12), (0, 1.22), (0.62, 1.12), (1.04, 0.62), (1.06, -0.1), (0.80, 0.36),
        (0.25, 0.62), (-0.1, 0.72), (-0.62, 0.40),
    ),
}  # fmt: skip
