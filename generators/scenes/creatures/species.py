"""The build of each four-legged animal, and the poses that they take."""

from collections.abc import Mapping
from dataclasses import dataclass

LegAngles = tuple[float, float]
"""Upper and lower part of a leg, degrees from straight down, forward is positive."""


@dataclass(frozen=True, slots=True)
class Species:
    """Measures in drawing units (a dog's back is 62 long), colours as hexadecimals.

    Attributes:
        length: of the back, from hip to shoulder.
        chest: depth of the body at the shoulder.
        rump: depth of the body at the hip.
        leg: length.
        leg_width: above and below.
        neck: length, angle from horizontal, width at the body, width at the head.
        head: radius, tilt from horizontal.
        muzzle: length, depth.
        ear: shape.
        tail: shape.
        body: main colour.
        belly: colour below.
        feet: "paw", "hoof" or "nail".
        tuck: depth of the belly relative to the chest (slim animals: 0.7).
        slope: how much higher the shoulder is than the hip.
        mane: colour, or "".
        horn: shape, or "".
        pattern: of the coat, or "".
        face: colour of the head where it differs.
        legs: colour of the legs where it differs.
        sock: colour of the lower legs where it differs.
        nose: colour of the muzzle's end where it differs.
        ears: colour of the ears where it differs.
        eye_patch: colour round the eyes, or "".
        ruff: colour of a lion's mane, or "".
        extras: "udder", "beard", "wool", "humps", "trunk", "snout", "flank".
    """

    length: float
    chest: float
    rump: float
    leg: float
    leg_width: tuple[float, float]
    neck: tuple[float, float, float, float]
    head: tuple[float, float]
    muzzle: tuple[float, float]
    ear: str
    tail: str
    body: str
    belly: str
    feet: str
    tuck: float = 1.0
    slope: float = 0
    mane: str = ""
    horn: str = ""
    pattern: str = ""
    face: str = ""
    legs: str = ""
    sock: str = ""
    nose: str = ""
    ears: str = ""
    eye_patch: str = ""
    ruff: str = ""
    extras: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pose:
    """An action as angles.

    Attributes:
        legs: near front, far front, near hind, far hind; None: folded or hidden.
        pitch: of the body, degrees, nose up is positive.
        neck: added to the neck's angle.
        rest: "", "sit" or "lie": the hip is on the ground.
    """

    legs: tuple[LegAngles | None, LegAngles | None, LegAngles | None, LegAngles | None]
    pitch: float = 0
    neck: float = 0
    rest: str = ""


POSES: Mapping[str, Pose] = {
    "": Pose(((3, 0), (-7, -4), (-4, -2), (7, 2))),
    "walking": Pose(((30, 12), (-26, -44), (-28, -34), (26, 12)), neck=-3),
    "running": Pose(((66, 52), (40, 4), (-62, -76), (-40, -78)), pitch=3, neck=-16),
    "jumping": Pose(((48, -14), (62, 2), (-48, -64), (-58, -74)), pitch=26, neck=-10),
    "sitting": Pose(((6, 2), (-2, -2), None, None), pitch=46, neck=-30, rest="sit"),
    "lying": Pose((None, None, None, None), neck=-6, rest="lie"),
    "eating": Pose(((12, 4), (-8, -6), (-6, -2), (8, 2)), pitch=-4, neck=-86),
}

SPECIES: Mapping[str, Species] = {
    "dog": Species(
        62, 31, 27, 38, (8, 4.6), (20, 48, 13, 10), (13.5, -8), (16, 7),
        "flop", "up", "#b9773f", "#e6c69a", "paw", tuck=0.70
    ),
    "wolf": Species(
        66, 33, 27, 42, (8, 4.6), (20, 36, 14, 11), (13, -6), (17, 6.4),
        "point", "bushy", "#7d8590", "#d9dde1", "paw", tuck=0.68
    ),
    "fox": Species(
        58, 25, 22, 30, (6.5, 4), (15, 36, 10, 9), (12, -8), (17, 5), "point", "fox", "#dd6f28", "#fbf3e8", "paw",
        tuck=0.72, sock="#3a2a22",
    ),
    "cat": Species(
        52, 24, 25, 28, (6.5, 4.6), (12, 52, 10, 10), (13.5, 0), (9, 5.5), "cat", "cat", "#e39a3b", "#f7e3c2", "paw",
        tuck=0.86, pattern="tabby",
    ),
    "horse": Species(
        92, 40, 39, 66, (10.5, 5), (50, 50, 22, 13), (14, -48), (30, 8.5),
        "horse", "horse", "#8a5230", "#9c6440", "hoof",
        tuck=0.78, mane="#33231a",
    ),
    "donkey": Species(
        78, 36, 34, 48, (9, 5), (38, 50, 18, 12), (13, -42), (26, 8.5), "donkey", "tuft", "#8c8a88", "#d5d0c9", "hoof",
        tuck=0.82, mane="#4a4644", nose="#e6e0d8",
    ),
    "zebra": Species(
        86, 40, 39, 56, (10, 5), (42, 50, 21, 13), (14, -44), (27, 8.5), "horse", "tuft", "#fbfaf6", "#ffffff", "hoof",
        tuck=0.84, mane="#26262a", pattern="zebra", nose="#3a3a3e",
    ),
    "cow": Species(
        96, 47, 45, 42, (10.5, 6.2), (30, 26, 25, 17), (16, -36), (24, 11), "cow", "tuft", "#fbf8f2", "#ffffff", "hoof",
        tuck=0.95, horn="cow", pattern="cow", nose="#e9b3a6", extras=frozenset({"udder"}),
    ),
    "bull": Species(
        96, 52, 43, 42, (11, 6.2), (28, 24, 28, 18), (16, -36), (23, 11), "cow", "tuft", "#5d3d2b", "#6d4a35", "hoof",
        tuck=0.9, horn="bull", nose="#c9a08c",
    ),
    "pig": Species(
        78, 44, 44, 23, (9, 6), (15, 10, 22, 19), (17, -10), (14, 9.5), "pig", "pig", "#f0a3a8", "#f6bcc0", "hoof",
        nose="#dd7f88", extras=frozenset({"snout"}),
    ),
    "sheep": Species(
        64, 44, 44, 26, (6, 4.4), (18, 34, 14, 11), (12, -32), (17, 7.5), "side", "short", "#f4f1ea", "#f4f1ea", "hoof",
        face="#3b3735", legs="#3b3735", extras=frozenset({"wool"}),
    ),
    "goat": Species(
        66, 33, 31, 37, (7.5, 4.4), (27, 52, 13, 10), (12, -32), (19, 7), "side", "short", "#efe9df", "#faf6ee", "hoof",
        tuck=0.9, horn="goat", extras=frozenset({"beard"}),
    ),
    "deer": Species(
        74, 33, 32, 56, (7.5, 3.6), (38, 60, 15, 10), (11.5, -26), (20, 6),
        "deer", "short", "#b06f36", "#ecd6b4", "hoof",
        tuck=0.72, horn="antler",
    ),
    "antelope": Species(
        70, 31, 30, 52, (7, 3.5), (34, 62, 13, 9), (11, -28), (19, 6), "deer", "tuft", "#cf9050", "#fbf1e2", "hoof",
        tuck=0.72, horn="oryx", extras=frozenset({"flank"}),
    ),
    "giraffe": Species(
        70, 43, 32, 82, (9, 5), (112, 66, 23, 11), (12.5, -24), (22, 7.5), "side", "tuft", "#efc566", "#f7e3b4", "hoof",
        tuck=0.76, slope=9, mane="#9a5b2c", horn="ossicone", pattern="giraffe",
    ),
    "camel": Species(
        84, 41, 38, 66, (9.5, 5), (58, 42, 18, 12), (12.5, -8), (20, 8.5),
        "round", "tuft", "#cb985a", "#d9ad74", "hoof",
        tuck=0.72, extras=frozenset({"humps"}),
    ),
    "elephant": Species(
        104, 74, 70, 44, (16, 14), (18, 24, 42, 34), (27, 0), (0, 0), "elephant", "tuft", "#8e98a3", "#9ba5af", "nail",
        extras=frozenset({"trunk"}),
    ),
    "bear": Species(
        84, 54, 52, 29, (13, 9.5), (22, 14, 33, 24), (20, -8), (18, 9), "round", "stub", "#6b4526", "#7b5331", "paw",
        nose="#a97c50",
    ),
    "panda": Species(
        78, 54, 54, 26, (13.5, 10.5), (18, 16, 33, 26), (22, -4), (13, 9), "round", "stub", "#f7f5f0", "#f7f5f0", "paw",
        legs="#26272b", ears="#26272b", eye_patch="#26272b",
    ),
    "lion": Species(
        82, 39, 34, 38, (9.5, 6.6), (18, 36, 20, 17), (17, -8), (14, 8.5), "round", "tuft", "#d9a04e", "#f0d6a4", "paw",
        tuck=0.78, ruff="#7d4419",
    ),
    "tiger": Species(
        84, 38, 35, 36, (9.5, 6.6), (18, 30, 19, 16), (17, -8), (14, 8.5), "round", "long", "#e88a2c", "#fdf3e3", "paw",
        tuck=0.80, pattern="tiger",
    ),
    "leopard": Species(
        80, 34, 31, 35, (8.5, 5.8), (17, 32, 16, 14), (15, -8), (13, 7.5), "round", "long", "#e5ac4e", "#fbf0da", "paw",
        tuck=0.78, pattern="rosette",
    ),
    "rabbit": Species(
        36, 23, 29, 15, (5.5, 4.4), (9, 44, 10, 9), (12, -6), (8, 6), "rabbit", "ball", "#b0a79d", "#efe9e2", "paw"
    ),
}  # fmt: skip
"""Word → build."""
