"""People by kind, action, clothes colour and variant (build, view, skin, hair, clothes).

A skeleton in space is turned by the view and projected; outlines of the head are interpolated between front and side.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vhbench.files import read_typed
from vhbench.generators.scenes.creatures.sketch import Point, Sketch, between, polar
from vhbench.generators.scenes.paints import mix, paint, shade

_SKIN = ("#eebf9c", "#d9a074", "#b97b50", "#7d4f35", "#f6d2b4", "#57382a")
_HAIR = ("#3a2618", "#1f1a1a", "#7b4f28", "#c79a4c", "#a9a6a2", "#5b2f1c")
_SHIRT = ("#b8433f", "#3b6aa4", "#3f8257", "#c99a3a", "#75549b", "#c9713c", "#d9d6cf", "#3a8d90")
_TROUSERS = ("#33476b", "#3f4046", "#7d6a50", "#2f4a48", "#22252d")
_SHOES = ("#2b2b30", "#5a3d29", "#d8d5cf", "#7c2f2c")
_VIEWS: Mapping[bool, tuple[float, float, float]] = {True: (0, 28, 48), False: (90, 66, 48)}
"""Whether a stance is seen from the front → views in degrees: 0 from the front, 90 from the side."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Kind of person: height (1 for an adult), size of the head, widths, hair styles and features."""

    height: float = 1.0
    head: float = 1.0
    width: float = 1.0
    hips: float = 1.0
    styles: tuple[str, ...] = ("short",)
    beard: bool = False
    skirt: bool = False


@dataclass(frozen=True, slots=True)
class Stance:
    """Action: upper and lower angles of arms and legs (near, far), lean and view."""

    arms: tuple[tuple[float, float], tuple[float, float]]
    legs: tuple[tuple[float, float], tuple[float, float]]
    lean: float = 0
    front: bool = False
    lying: bool = False


@dataclass(frozen=True, slots=True)
class _Physique:
    """Build of a body: its width, and how far the belly stands out in fractions of the shoulders."""

    width: float = 1.0
    belly: float = 0.0


@dataclass(frozen=True, slots=True)
class _Tables:
    """Contents of ``people.json``.

    Attributes:
        trunk: sections from neck to crotch: height in trunk lengths; half width, half depth and forward offset in
            half shoulder widths.
        shapes: outlines from the front and from the right side, in half heights of the head.
    """

    figures: Mapping[str, Figure]
    stances: Mapping[str, Stance]
    bodies: Sequence[_Physique]
    trunk: Sequence[tuple[float, float, float, float]]
    shapes: Mapping[str, tuple[Sequence[Point], Sequence[Point]]]


_TABLES = read_typed(Path(__file__).with_suffix(".json"), _Tables, "table of people")
FIGURES, STANCES = _TABLES.figures, _TABLES.stances
"""Word → figure, action → stance."""


@dataclass(frozen=True, slots=True)
class Person:
    """Measurements and colours of a person in drawing units (an adult is about 100 tall)."""

    figure: Figure
    stance: Stance
    build: _Physique
    variant: int
    view: float  # degrees; 0 from the front, 90 from the side
    style: str
    skin: str
    hair: str
    shirt: str
    trousers: str
    shoes: str
    leg: float
    trunk: float
    arm: float
    girth: float  # scale of limb widths
    shoulder: float  # half width
    head: float  # half height
    hip: Point

    def flat(self, forward: float, sideways: float, up: float) -> Point:
        """Return the projection of a vector of the body."""
        turn = math.radians(self.view)
        return forward * math.sin(turn) - sideways * math.cos(turn), up

    def limb(self, origin: Point, angle: float, distance: float) -> Point:
        """Return the end of a hanging limb, which swings sideways in stances from the front, else forward."""
        reach, up = distance * math.sin(math.radians(angle)), -distance * math.cos(math.radians(angle))
        x, y = self.flat(0, reach, up) if self.stance.front else self.flat(reach, 0, up)
        return origin[0] + x, origin[1] + y

    @property
    def slant(self) -> float:
        """Lean of the trunk on the picture, in degrees to the right."""
        x, up = self.limb((0, 0), 180 - self.stance.lean, 1)
        return math.degrees(math.atan2(x, up))

    def up(self, distance: float, side: float = 0) -> Point:
        """Return a trunk point by distance from the hip along the spine and offset to the right."""
        return polar(polar(self.hip, 90 - self.slant, distance), -self.slant, side)


def person(kind: str, colour: str, action: str, variant: int) -> Sketch:
    """Draw a person; "" is the variant's clothes colour, which also determines skin and hair."""
    who = _person(kind, colour, action, variant)
    sketch = Sketch(prefix="")
    near_arm, far_arm = who.stance.arms
    dark = 0.94 if who.stance.front and who.view < 40 else 0.80
    _arm(sketch, who, -1, far_arm, dark)
    _leg(sketch, who, -1, who.stance.legs[1], dark)
    _leg(sketch, who, 1, who.stance.legs[0], 1.0)
    _back_hair(sketch, who)
    _neck(sketch, who)
    _trunk(sketch, who)
    _head(sketch, who)
    _arm(sketch, who, 1, near_arm, 0.97)
    return sketch


def _person(kind: str, colour: str, action: str, variant: int) -> Person:
    figure, stance, order = FIGURES[kind], STANCES[action], list(FIGURES).index(kind)
    build, height, child = _TABLES.bodies[(variant + order) % 4], figure.height * 100, figure.height < 0.8
    leg, girth = height * (0.46 if child else 0.49), height / 100 * (1.12 if child else 1) * build.width
    drop = max(_drop(angles, leg) for angles in stance.legs) + 2 * girth
    tone = (variant * 5 + order) % 6
    views = (0, 40, 80) if not action else (90, 90, 90) if stance.lying else _VIEWS[stance.front]
    return Person(
        figure=figure,
        stance=stance,
        build=build,
        variant=variant,
        view=views[variant % 3],
        style=figure.styles[variant % len(figure.styles)],
        skin=_SKIN[tone],
        hair=_HAIR[(variant + order * 2) % (2 if tone in (3, 5) else 4 if child else 6)],
        shirt=paint(colour) if colour else _SHIRT[(variant * 3 + order) % len(_SHIRT)],
        trousers=_TROUSERS[(variant * 2 + order) % len(_TROUSERS)],
        shoes=_SHOES[(variant + order) % 4],
        leg=leg,
        trunk=height * 0.30,
        arm=height * 0.325,
        girth=girth,
        shoulder=height * 0.118 * (figure.width + build.width - 1),
        head=height * 0.068 * figure.head,
        hip=(0.0, girth * 7 if stance.lying or action == "sitting" else drop),
    )


def _drop(angles: tuple[float, float], leg: float) -> float:
    """Return the vertical distance from the hip to a foot."""
    return leg * 0.5 * (math.cos(math.radians(angles[0])) + math.cos(math.radians(angles[1])))


def _tube(sketch: Sketch, start: Point, end: Point, radii: Sequence[float], fill: str) -> None:
    """Draw a part of a limb with equidistant radii, which swells with its muscles."""
    turn = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    steps = [(between(start, end, i / (len(radii) - 1)), radius) for i, radius in enumerate(radii)]
    edge = [polar(at, turn + 90, radius) for at, radius in steps]
    sketch.circle(start, radii[0], fill)
    sketch.circle(end, radii[-1], fill)
    sketch.blob([*edge, *(polar(at, turn - 90, radius) for at, radius in reversed(steps))], fill)


def _leg(sketch: Sketch, who: Person, side: int, angles: tuple[float, float], dark: float) -> None:
    x, y = who.flat(0, side * who.shoulder * 0.46 * who.figure.hips, 0)
    root, girth = (who.hip[0] + x, who.hip[1] + y), who.girth
    knee = who.limb(root, angles[0], who.leg * 0.5)
    foot = who.limb(knee, angles[1], who.leg * 0.5 - 2 * girth)
    bare = who.figure.skirt or who.variant % 5 == 2
    cloth, skin = shade(who.trousers, dark), shade(who.skin, dark)
    lower, slack = (skin, 0.86) if bare else (cloth, 1.0)
    sketch.material = "skin" if bare else "cloth"
    radii = [girth * r * slack for r in (4.1, 4.5, 3.4, 2.7)]
    _tube(sketch, knee, between(knee, foot, 0.96), radii, lower)
    _shoe(sketch, who, foot, angles[1], side, dark)
    sketch.material = "skin" if who.figure.skirt else "cloth"
    _tube(sketch, root, knee, [girth * r for r in (6.2, 6.3, 5.2, 4.3)], skin if who.figure.skirt else cloth)
    sketch.material = "cloth"
    if not bare:
        for start, share, turn in ((root, 0.94, 200), (foot, 0.93, 340), (root, 0.2, 215)):
            fold = between(start, knee, share)
            bend = [polar(fold, turn, girth * 3), polar(fold, 265, girth * 0.7), polar(fold, turn + 160, girth)]
            sketch.stroke(bend, shade(cloth, 0.85), 0.6 * girth)
        sketch.stroke([between(root, knee, 0.1), between(root, knee, 0.8)], shade(cloth, 0.84), 0.5)
        sketch.stroke([between(knee, foot, 0.15), between(knee, foot, 0.9)], shade(cloth, 0.84), 0.5)


def _shoe(sketch: Sketch, who: Person, foot: Point, angle: float, side: int, dark: float) -> None:
    """Draw a shoe with its sole; from the front it is foreshortened."""
    sketch.material = "plastic"
    size, shoe = who.girth * 1.0, shade(who.shoes, dark)
    turn = 90 if who.stance.lying else 0 if who.stance.front else max(-50, min(50, angle * 0.75))
    toe = -1 if who.view < 28 and side > 0 else 1
    long = max(math.sin(math.radians(who.view)), 0.58)

    def at(x: float, y: float) -> Point:
        return polar(polar(foot, turn, x * long * toe * size), turn + 90, y * size)

    broad = 1 + 0.5 * (1 - long)
    upper = [(-3.4 * broad, 2), (-3.6 * broad, -2), (1, -2.6), (8, -2.6), (9.6, -1.2), (7.5, 0.8), (3.4, 2.8)]
    sketch.blob([at(*point) for point in upper], shoe)
    sketch.stroke([at(-3.4 * broad, -2.3), at(9, -2.3)], mix(shoe, "#e8e4dc", 0.55), 1.1 * size, curved=False)
    sketch.stroke([at(2.2, 1.8), at(5.2, 0.7)], mix(shoe, "#ffffff", 0.5), 0.6 * size)


def _arm(sketch: Sketch, who: Person, side: int, angles: tuple[float, float], dark: float) -> None:
    girth = who.girth
    root = who.up(who.trunk * 0.90, who.flat(0, side * who.shoulder * 0.84, 0)[0])
    elbow = who.limb(root, angles[0], who.arm * 0.53)
    wrist = who.limb(elbow, angles[1], who.arm * 0.47)
    cloth, skin = shade(who.shirt, dark), shade(who.skin, dark)
    sleeve = who.variant % 4 in (1, 2)
    _hand(sketch, who, elbow, wrist, skin, side)
    sketch.material = "cloth" if sleeve else "skin"
    radii = [girth * r for r in (3.1, 3.1, 2.3, 2.0)]
    _tube(sketch, elbow, wrist, [r * 1.12 for r in radii] if sleeve else radii, cloth if sleeve else skin)
    _tube(sketch, root, elbow, [girth * r for r in (3.5, 3.4, 2.9)], cloth if sleeve else skin)
    sketch.material = "cloth"
    hem = elbow if sleeve else between(root, elbow, 0.62)
    _tube(sketch, root, hem, [girth * r for r in (3.8, 3.8, 3.3 if sleeve else 3.7)], cloth)
    for share in (0.72, 0.86) if sleeve else (0.5,):
        fold = between(root, elbow, share)
        sketch.stroke([polar(fold, 20, 2.6 * girth), polar(fold, 260, 2.4 * girth)], shade(cloth, 0.78), 0.5 * girth)
    if not sleeve:
        turn = math.degrees(math.atan2(hem[1] - root[1], hem[0] - root[0]))
        tip = polar(hem, turn, 2.0 * girth)
        sketch.stroke([polar(tip, turn + 90, 2.9 * girth), polar(tip, turn - 90, 2.9 * girth)], shade(cloth, 0.72), 0.6)


def _hand(sketch: Sketch, who: Person, elbow: Point, wrist: Point, skin: str, side: int) -> None:
    """Draw a palm, four fingers and a thumb, slightly bent."""
    sketch.material, size = "skin", who.girth
    turn = math.degrees(math.atan2(wrist[1] - elbow[1], wrist[0] - elbow[0]))
    ahead = side if who.stance.front and who.view < 40 else 1
    palm = polar(wrist, turn, 3.0 * size)
    sketch.ellipse(palm, 3.1 * size, 2.3 * size, skin, turn=turn)
    for i, length in enumerate((4.6, 5.4, 5.1, 4.2)):
        base = polar(palm, turn + 90, (i - 1.5) * 1.1 * size)
        middle = polar(base, turn + (i - 1.5) * 7, length * 0.6 * size)
        tip = polar(middle, turn + (i - 1.5) * 7 + 14 * ahead, length * 0.5 * size)
        sketch.stroke([base, middle, tip], skin if i % 2 else shade(skin, 0.94), 1.15 * size)
    thumb = polar(wrist, turn + 50 * ahead, 2.4 * size)
    sketch.stroke([polar(wrist, turn, size), thumb, polar(thumb, turn + 12 * ahead, 2.6 * size)], skin, 1.4 * size)


def _sections(who: Person) -> list[tuple[Point, Point]]:
    """Return the left and the right edge of the trunk, from neck to crotch."""
    turn, edges = math.radians(who.view), []
    for up, wide, deep, ahead in _TABLES.trunk:
        waist = max(0.0, 1 - abs(up - 0.3) / 0.45)
        half, depth = wide + who.build.belly * waist, deep + who.build.belly * waist
        if up < 0.2:
            half *= who.figure.hips
        reach = math.hypot(half * math.cos(turn), depth * math.sin(turn)) * who.shoulder
        middle = (ahead + who.build.belly * waist * 0.8) * math.sin(turn) * who.shoulder
        edges.append((who.up(up * who.trunk, middle - reach), who.up(up * who.trunk, middle + reach)))
    return edges


def _trunk(sketch: Sketch, who: Person) -> None:
    sketch.material, edges, girth = "cloth", _sections(who), who.girth
    dress, shirt = who.figure.skirt, who.shirt
    if dress:
        _skirt(sketch, who)
    else:
        low = edges[-2:]
        sketch.polygon([*(left for left, _ in low), *(right for _, right in reversed(low))], who.trousers)
    top = edges[1:] if who.variant % 3 or dress else edges[1:-1]
    sketch.blob([*(left for left, _ in top), *(right for _, right in reversed(top))], shirt)
    dark, ahead = shade(shirt, 0.87), math.sin(math.radians(who.view)) * who.shoulder * 0.55
    sides = ((5, 6, 0.08, 0.42), (6, 5, 0.66, 0.93), (4, 5, 0.1, 0.3), (3, 4, 0.93, 0.72))
    for row, other, first, last in sides:
        start, end = between(*edges[row], first), between(*edges[other], last)
        sag = polar(between(start, end, 0.5), -90 - who.slant, 1.0 * girth)
        sketch.stroke([start, sag, end], dark, 0.6 * girth)
    hem = top[-1]
    sketch.stroke([between(*hem, 0.06), between(*hem, 0.94)], shade(shirt, 0.78), 0.8 * girth)
    collar = [between(*edges[0], 0.02), who.up(who.trunk * 0.94, ahead * 0.7), between(*edges[0], 0.98)]
    if who.variant % 2:  # buttoned
        low_front = who.up(0, ahead * 0.8)
        sketch.stroke([collar[1], who.up(who.trunk * 0.5, ahead), low_front], dark, 0.7 * girth)
        for share in (0.8, 0.6, 0.4, 0.2):
            sketch.circle(who.up(who.trunk * share, ahead * 0.98 + 0.9), 0.5 * girth, mix(shirt, "#f4f0e6", 0.6))
    sketch.material = "skin"
    sketch.blob(collar, shade(who.skin, 0.90))
    sketch.material = "cloth"
    sketch.stroke(collar, shade(shirt, 0.74), 1.2 * girth)


def _skirt(sketch: Sketch, who: Person) -> None:
    """Draw a skirt around the thighs, with its folds."""
    wide = who.shoulder * who.figure.hips
    ends = [who.limb(who.hip, angles[0], who.leg * 0.36) for angles in who.stance.legs]
    left, right = min(ends), max(ends)
    if who.stance.lying:
        rim = [who.up(-who.leg * 0.4, -wide), who.up(-who.leg * 0.4, wide)]
    else:
        low = max(1.0, min(left[1], right[1]))
        rim = [(left[0] - wide * 0.8, low), (right[0] + wide * 0.8, low)]
    waist = _sections(who)[5]
    sketch.polygon([waist[0], waist[1], rim[1], rim[0]], who.shirt)
    for share in (0.2, 0.38, 0.6, 0.82):
        sketch.stroke([between(*waist, share), between(*rim, share)], shade(who.shirt, 0.82), 0.9)
    sketch.stroke(rim, shade(who.shirt, 0.75), 1.0)


def _neck(sketch: Sketch, who: Person) -> None:
    sketch.material, girth = "skin", who.girth
    sketch.taper(
        who.up(who.trunk * 0.98, -0.4), 3.5 * girth, _crown(who, 0.0, -0.35), 3.2 * girth, shade(who.skin, 0.86)
    )


def _crown(who: Person, right: float, up: float) -> Point:
    """Return a point of the head, in half heights of it."""
    tilt = who.slant * (1 if who.stance.lying else 0.4)
    x, y = who.up(who.trunk * 1.03, 0.02 * who.trunk * math.sin(math.radians(who.view)))
    centre = polar((x, y), 90 - tilt, who.head * 1.22)
    return polar(polar(centre, 90 - tilt, up * who.head), -tilt, right * who.head)


def _shape(who: Person, name: str) -> list[Point]:
    """Return an outline in the person's view."""
    pairs = zip(*_TABLES.shapes[name], strict=True)
    return [_crown(who, *between(front, side, who.view / 90)) for front, side in pairs]


def _back_hair(sketch: Sketch, who: Person) -> None:
    """Draw the hair that lies behind head and shoulders."""
    style, hair, tilt = who.style, who.hair, who.slant * (1 if who.stance.lying else 0.4)
    sketch.material = "hair"
    if style in ("long", "bob"):
        sketch.blob(_shape(who, f"{style} back"), shade(hair, 0.84))
    elif style == "tails":
        for side in (-1, 1):
            sketch.ellipse(_crown(who, side * 0.98, -0.5), who.head * 0.3, who.head * 0.75, hair, turn=side * 10 - tilt)
    elif style == "bun":
        sketch.circle(_crown(who, -0.75 * who.view / 90, 1.1 - 0.3 * who.view / 90), who.head * 0.42, shade(hair, 0.9))


def _head(sketch: Sketch, who: Person) -> None:
    style, hair = who.style, who.hair
    sketch.material = "skin"
    sketch.blob(_shape(who, "head"), who.skin)
    _face(sketch, who)
    sketch.material = "hair"
    if who.figure.beard and who.variant % 2 == 0:
        sketch.blob(_shape(who, "beard"), hair)
        _lips(sketch, who)
    sketch.material = "hair"
    if style == "curly":
        for angle in range(-10 + round(who.view * 0.5), 200 + round(who.view * 0.3), 19):
            x, y = polar((0, 0.18), angle, 0.78)
            sketch.circle(_crown(who, x - 0.2 * who.view / 90, y), who.head * 0.30, shade(hair, 0.9 + angle % 2 * 0.1))
    outline = {"bob": "long", "tails": "long"}.get(style, style if style in ("long", "bald") else "short")
    sketch.blob(_shape(who, outline), hair)
    if style != "bald":
        for lift in (0.78, 0.94):
            strand = [(-0.6, lift - 0.2), (-0.1, lift + 0.08), (0.4, lift)]
            sketch.stroke([_crown(who, *point) for point in strand], mix(hair, "#ffffff", 0.18), who.head * 0.06)


def _turned(who: Person, around: float, up: float, reach: float = 0.72) -> tuple[Point, float]:
    """Return a point of the face at an azimuth (0 straight ahead) and how squarely it is seen (at most 1)."""
    turn = math.radians(around + who.view)
    return _crown(who, reach * math.sin(turn), up), math.cos(turn)


def _face(sketch: Sketch, who: Person) -> None:
    size, skin = who.head, who.skin
    tilt, dark = who.slant * (1 if who.stance.lying else 0.4), shade(skin, 0.72)
    for side in (-1, 1):
        ear, square = _turned(who, side * 94, -0.05)
        if square > -0.35:
            sketch.ellipse(ear, size * 0.13, size * 0.24, shade(skin, 0.92), turn=-tilt)
            sketch.ellipse(ear, size * 0.05, size * 0.13, shade(skin, 0.76), turn=-tilt)
        eye, square = _turned(who, side * 25, 0.04, 0.74)
        if square > 0.05:
            broad = size * 0.16 * max(square, 0.5)
            sketch.ellipse(
                _turned(who, side * 25, 0.06, 0.74)[0], broad * 1.5, size * 0.16, shade(skin, 0.86), turn=-tilt
            )
            sketch.ellipse(eye, broad, size * 0.085, "#f3efe8", turn=-tilt)
            sketch.circle(eye, size * 0.075, "#2a1d17")
            lid, brow = ([_turned(who, side * 25 + at, y, 0.74)[0] for at in (-13, 0, 13)] for y in (0.12, 0.27))
            sketch.stroke(lid, shade(skin, 0.5), size * 0.045)
            sketch.stroke(brow, mix(who.hair, dark, 0.3), size * 0.08)
    bridge, tip = _turned(who, -8, 0.05, 0.76)[0], _turned(who, -7, -0.24, 0.84)[0]
    sketch.stroke([bridge, tip, _turned(who, 4, -0.29, 0.82)[0]], shade(skin, 0.80), size * 0.06)
    sketch.ellipse(_turned(who, 0, -0.30, 0.8)[0], size * 0.10, size * 0.035, dark, turn=-tilt)
    _lips(sketch, who)
    if who.hair == "#a9a6a2":  # the old have wrinkles
        for up in (0.42, 0.52):
            sketch.stroke([_turned(who, at, up, 0.7)[0] for at in (-24, 0, 24)], shade(skin, 0.85), size * 0.04)


def _lips(sketch: Sketch, who: Person) -> None:
    sketch.material = "skin"
    lips = mix(shade(who.skin, 0.75), "#a8383a", 0.45)
    mouth = [_turned(who, at, up, 0.76)[0] for at, up in ((-17, -0.54), (0, -0.585), (17, -0.54))]
    sketch.stroke(mouth, lips, who.head * 0.10)
    sketch.stroke(mouth, shade(lips, 0.6), who.head * 0.035)
