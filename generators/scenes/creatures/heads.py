"""Animal heads: ears, horns, muzzle, eyes, manes, the elephant's trunk."""

import math
from collections.abc import Mapping

from vhbench.generators.scenes.creatures.frame import Frame
from vhbench.generators.scenes.creatures.sketch import Point, Sketch, around, between, polar
from vhbench.generators.scenes.paints import shade

_INNER_EAR = {
    "point": "#f3d9c6", "cat": "#f1b9ae", "donkey": "#d5c6bb", "cow": "#e9b3a6", "side": "#e0b8a8", "deer": "#f0d9c2",
    "rabbit": "#f0b8b4",
}  # fmt: skip


def far_side(sketch: Sketch, frame: Frame) -> None:
    """Draw the ear and horn behind the head."""
    if frame.species.ear != "elephant":
        _ear(sketch, frame, -24, "#141518" if frame.coat.black else shade(frame.coat.ears, 0.78), "")
    _horn(sketch, frame, far=True)


def head(sketch: Sketch, frame: Frame) -> None:
    """Draw the head on top of the body."""
    if "trunk" in frame.species.extras:
        _elephant(sketch, frame)
        return
    _skull(sketch, frame)
    _markings(sketch, frame)
    _horn(sketch, frame, far=False)
    ear_colour = "#2a2b2f" if frame.coat.black else frame.coat.ears
    inner = ("#111111" if frame.coat.black else shade(ear_colour, 0.7)) if frame.species.ear == "round" else ""
    if frame.species.ear != "flop":
        _ear(sketch, frame, 6, ear_colour, inner or _INNER_EAR.get(frame.species.ear, ""))
    _eye(sketch, frame)
    _nose(sketch, frame)
    if frame.species.ear == "flop":
        _ear(sketch, frame, 6, "#121316" if frame.coat.black else shade(frame.coat.body, 0.70), "")


def mane(sketch: Sketch, frame: Frame) -> None:
    """Draw a mane along the neck, a giraffe's crest or a lion's ruff."""
    if frame.species.ruff:
        radius, (x, y) = frame.species.head[0], frame.head
        for i in range(15):
            point = polar((x - 4, y - 3), i * 24, radius * 1.25)
            sketch.circle(point, radius * 0.52, shade(frame.species.ruff, 0.88 if i % 2 else 1.0))
        sketch.circle((x - 4, y - 3), radius * 1.4, frame.species.ruff)
    elif frame.species.pattern == "giraffe":
        for i in range(12):
            point, width = _along_neck(frame, i / 11)
            sketch.circle(polar(point, frame.neck_angle + 90, width), 2.6, frame.coat.mane)
    elif frame.species.mane:
        upper, lower = [], []
        for i in range(7):
            point, width = _along_neck(frame, i / 6)
            tuft = (5.5 if i % 2 else 8.5) * (1 if i < 6 else 0.2)
            upper.append(polar(point, frame.neck_angle + 90, width + tuft))
            lower.append(polar(point, frame.neck_angle + 90, width * 0.45))
        crown = polar(frame.head, frame.head_angle + 100, frame.species.head[0] * 1.15)
        sketch.blob([crown, *upper, *reversed(lower)], frame.coat.mane)


def _along_neck(frame: Frame, share: float) -> tuple[Point, float]:
    """Return a neck point, measured from the head, and the half width there."""
    _, _, body_width, head_width = frame.species.neck
    root, end = frame.neck
    return between(end, root, share), head_width * 0.80 + (body_width * 0.86 - head_width * 0.80) * share


def _ear(sketch: Sketch, frame: Frame, offset: float, colour: str, inner: str) -> None:
    angle = frame.head_angle + 100 + offset
    root = polar(frame.head, frame.head_angle + 118 + offset, frame.species.head[0] * 0.80)
    kind = frame.species.ear
    if kind == "flop":
        radius, turn = frame.species.head[0], frame.head_angle + offset
        shape = ((88, 0.95), (140, 1.02), (190, 1.35), (214, 1.42), (205, 0.80))
        sketch.blob(around(frame.head, shape, turn=turn, scale=radius), colour)
    elif kind == "round":
        radius = frame.species.head[0]
        sketch.ellipse(polar(root, angle, radius * 0.08), radius * 0.36, radius * 0.30, colour, turn=angle)
        if inner:
            sketch.ellipse(polar(root, angle, radius * 0.06), radius * 0.24, radius * 0.18, inner, turn=angle)
    elif kind in _POINTED:
        for scale, tone in ((1.0, colour), (0.68, inner)):
            if tone:
                sketch.polygon(around(root, _POINTED[kind], turn=angle, scale=scale), tone)
    else:
        turn, reach, rx, ry = _OVAL[kind]
        for scale, tone in ((1.0, colour), (0.72, inner)):
            if tone:
                centre = polar(root, angle + turn, reach)
                sketch.ellipse(centre, rx * scale, ry * (scale - 0.14), tone, turn=angle + turn)


_POINTED: Mapping[str, tuple[tuple[float, float], ...]] = {
    "point": ((-86, 5.6), (2, 15.5), (92, 5.6)),
    "cat": ((-86, 6), (0, 13.5), (92, 6)),
    "horse": ((-90, 3.6), (6, 13), (90, 3.6)),
    "pig": ((-80, 7), (-28, 15), (80, 5)),
}
"""Corners as (angle, distance) from the ear's root."""

_OVAL: Mapping[str, tuple[float, float, float, float]] = {
    "donkey": (6, 12, 15, 5.4),
    "cow": (66, 8, 10.5, 5.6),
    "side": (96, 8, 10.5, 4.6),
    "deer": (34, 9, 12, 5.8),
    "rabbit": (18, 16, 19, 5.8),
}
"""Rotation, distance from the root, half length, half width."""


def _horn(sketch: Sketch, frame: Frame, *, far: bool) -> None:
    kind, turn = frame.species.horn, frame.head_angle
    root = frame.on_head(96 + (-14 if far else 6), 0.85)
    if kind in _CURVED:
        curve, near_tone, far_tone, width = _CURVED[kind]
        sketch.stroke([root, *around(root, curve, turn=turn)], far_tone if far else near_tone, width)
    elif kind == "ossicone":
        tip = polar(root, turn + 112, 11)
        sketch.stroke([root, tip], frame.coat.body, 3.6)
        sketch.circle(tip, 3.2, "#5a3a22")
    elif kind == "antler":
        colour = "#5d4228" if far else "#7d5a38"
        first = polar(root, turn + 128, 16)
        second = polar(first, turn + 100, 17)
        third = polar(second, turn + 78, 12)
        sketch.stroke([root, first, second, third], colour, 3.6)
        for point, angle, length in ((first, 60, 12), (second, 150, 11), (second, 46, 11), (third, 130, 7)):
            sketch.stroke([point, polar(point, turn + angle, length)], colour, 3)


_CURVED: Mapping[str, tuple[tuple[Point, Point], str, str, float]] = {
    "cow": (((124, 6.5), (92, 13)), "#d9cdb8", "#b8ab94", 4.2),
    "bull": (((124, 9.5), (92, 19)), "#d9cdb8", "#b8ab94", 5.0),
    "goat": (((128, 12), (158, 23)), "#7a6a56", "#5f5242", 4.4),
    "oryx": (((128, 18), (120, 38)), "#3a2f28", "#2a211b", 3.4),
}
"""Horn → (angle, distance) of middle and tip, near and far colour, width."""


def _skull(sketch: Sketch, frame: Frame) -> None:
    species, coat, turn = frame.species, frame.coat, frame.head_angle
    radius, depth = species.head[0], species.muzzle[1]
    sketch.ellipse(frame.head, radius, radius * 0.90, coat.face, turn=turn)
    sketch.taper(frame.head, radius * 0.78, frame.nose, depth, coat.face)
    if species.nose and "snout" not in species.extras:
        keeps = not coat.dyed or frame.species.word in ("cow", "donkey")
        tone = species.nose if keeps else shade(coat.body, 1.2)
        sketch.ellipse(polar(frame.nose, turn + 180, depth * 0.15), depth * 1.15, depth * 1.02, tone, turn=turn)
    elif coat.belly != coat.body and not species.face and species.feet == "paw":
        chin = polar(frame.nose, turn - 90, depth * 0.34)
        sketch.taper(polar(frame.head, turn - 60, radius * 0.42), radius * 0.42, chin, depth * 0.62, coat.belly)


def _markings(sketch: Sketch, frame: Frame) -> None:
    """Draw the coat pattern on the face."""
    turn, radius, ink = frame.head_angle, frame.species.head[0], frame.coat.detail
    if frame.species.pattern == "zebra":
        for i in range(4):
            point = polar(frame.head, turn, -radius * 0.3 + i * frame.species.muzzle[0] * 0.24)
            for side in (-1, 1):
                start = polar(point, turn + 90 * side, radius * 0.86 * (1 - i * 0.10))
                sketch.stroke([start, polar(point, turn + 100 * side, radius * 0.28)], ink, 2.4, curved=False)
    elif frame.species.pattern == "cow":
        sketch.ellipse(polar(frame.head, turn + 150, radius * 0.25), radius * 0.62, radius * 0.70, ink, turn=turn)
    elif frame.species.pattern == "tiger":
        for angle in (70, 95, 120, 200, 225):
            corners = ((angle - 5, 0.98), (angle + 5, 0.98), (angle, 0.49))
            sketch.polygon([frame.on_head(a, r) for a, r in corners], ink)
    elif frame.species.pattern == "rosette":
        for angle, reach in ((80, 0.6), (110, 0.7), (140, 0.5), (200, 0.6), (225, 0.72)):
            sketch.circle(frame.on_head(angle, reach), 1.7, ink)


def _eye(sketch: Sketch, frame: Frame) -> None:
    turn, radius = frame.head_angle, frame.species.head[0]
    patch = frame.species.eye_patch
    if patch:
        sketch.ellipse(polar(frame.head, turn + 34, radius * 0.40), radius * 0.30, radius * 0.36, patch, turn=turn + 60)
    (x, y), size = polar(frame.head, turn + 46, radius * 0.46), max(1.6, radius * 0.105)
    if frame.coat.black or patch or (frame.species.face and frame.species.face < "#60"):
        sketch.circle((x, y), size * 1.35, "#e9e6df" if patch or frame.coat.black else "#b59a5c")
        sketch.circle((x + 0.3, y), size * 0.8, "#111111")
    else:
        sketch.circle((x, y), size, "#17130f")
        sketch.circle((x + size * 0.35, y + size * 0.35), size * 0.34, "#ffffff")


def _nose(sketch: Sketch, frame: Frame) -> None:
    species, coat, turn, nose = frame.species, frame.coat, frame.head_angle, frame.nose
    depth = species.muzzle[1]
    if "snout" in species.extras:
        tone = shade(coat.body, 0.8) if coat.dyed else species.nose
        sketch.ellipse(polar(nose, turn, depth * 0.75), depth * 0.42, depth * 0.86, tone, turn=turn)
        for side in (-1, 1):
            sketch.circle(polar(polar(nose, turn, depth * 0.85), turn + side * 90, depth * 0.34), 1.4, shade(tone, 0.5))
    elif species.feet == "paw":
        tip = "#d9868a" if species.ear == "rabbit" else "#1c1717"
        sketch.ellipse(polar(nose, turn + 26, depth * 0.86), depth * 0.40, depth * 0.34, tip, turn=turn)
        mouth = around(nose, ((-12, 0.96), (-60, 0.60), (-120, 0.62)), turn=turn, scale=depth)
        sketch.stroke(mouth, "#55565c" if coat.black else shade(coat.body, 0.45), 1.3)
    else:
        sketch.ellipse(polar(nose, turn + 22, depth * 0.60), 1.9, 1.4, "#77787e" if coat.black else "#2a1f1a")
        mouth = around(nose, ((-34, 0.94), (-84, 0.52)), turn=turn, scale=depth)
        sketch.stroke(mouth, "#77787e" if coat.black else "#4a3a30", 1.3)
    if "beard" in species.extras:
        chin = around(nose, ((-90, 0.8), (-150, 1.1)), turn=turn, scale=depth)
        sketch.polygon([*chin, (nose[0] - 4, nose[1] - depth * 2.4)], shade(coat.body, 0.88))


def _elephant(sketch: Sketch, frame: Frame) -> None:
    coat, radius, middle = frame.coat, frame.species.head[0], frame.head
    sketch.ellipse(middle, radius, radius * 0.98, coat.body)
    _trunk(sketch, frame)
    tusk = ((-52, 0.80), (-44, 1.12), (-20, 1.72), (-36, 1.02))
    sketch.blob(around(middle, tusk, scale=radius), "#fbf6ea")
    root = polar(middle, 172, radius * 0.70)
    outer = ((70, 1.05), (125, 1.3), (180, 1.35), (232, 1.6), (280, 1.15), (340, 0.5), (20, 0.62))
    sketch.blob(around(root, outer, scale=radius), coat.crease)
    inner = ((75, 0.84), (125, 1.06), (180, 1.1), (232, 1.34), (280, 0.92), (340, 0.34))
    tone = "#2c2d31" if coat.black else shade(coat.body, 0.93)
    sketch.blob(around(root, inner, scale=radius), tone)
    sketch.circle(polar(middle, 26, radius * 0.46), 2.6, "#f0f0f0" if coat.black else "#15151a")


_TRUNKS: Mapping[str, tuple[Point, ...]] = {
    "running": ((16, -22), (34, -24), (44, -4)),
    "jumping": ((22, -8), (40, 8), (44, 32)),
    "eating": ((20, -14), (48, -34), (76, -52)),
}
"""Action → trunk joints relative to its root; it hangs otherwise."""


def _trunk(sketch: Sketch, frame: Frame) -> None:
    x, y = polar(frame.head, -20, frame.species.head[0] * 0.62)
    joints: list[Point] = [(x, y), (x + 11, y - 24), (x + 12, y - 46), (x + 20, max(6.0, y - 62))]
    if frame.action in _TRUNKS:
        joints = [(x, y), *((x + dx, y + dy) for dx, dy in _TRUNKS[frame.action])]
    if frame.action == "eating":  # the tip picks something up from the ground
        joints[3] = (x + 76, 6.0)
        joints[2] = (x + 52, max(16.0, y - 34))
    widths = (13, 9.5, 7.2, 5.4)
    for i in range(3):
        sketch.taper(joints[i], widths[i], joints[i + 1], widths[i + 1], frame.coat.body)
    for i in range(5):
        position = (0.25 + i * 0.13) * 3
        segment = min(2, math.floor(position))
        px, py = between(joints[segment], joints[segment + 1], position - segment)
        sketch.stroke([(px - 6, py), (px + 6, py - 1)], frame.coat.crease, 1.3)
