"""Measurements and poses of the quadrupeds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vhbench.tsv import numbers, records, words

LegAngles = tuple[float, float]
"""Angles of the upper and lower leg in degrees from straight down, forward positive."""


@dataclass(frozen=True, slots=True)
class Species:
    """Row of ``species.tsv``: drawing units (a dog's back is 62 long), hex colours or ""."""

    word: str
    length: float  # of the back, from hip to shoulder
    chest: float  # depth of the body at the shoulder
    rump: float  # depth at the hip
    leg: float
    leg_width: tuple[float, float]  # above, below
    neck: tuple[float, float, float, float]  # length, angle from horizontal, width at the body, at the head
    head: tuple[float, float]  # radius, tilt from horizontal
    muzzle: tuple[float, float]  # length, depth
    ear: str
    tail: str
    body: str
    belly: str
    feet: str  # "paw", "hoof" or "nail"
    tuck: float  # depth of the belly relative to the chest; slim animals: 0.7
    slope: float  # height of the shoulder above the hip
    mane: str
    horn: str
    pattern: str  # of the coat
    face: str  # this and the next five: colours that differ from the body's
    legs: str
    sock: str
    nose: str
    ears: str
    eye_patch: str
    ruff: str  # a lion's
    extras: frozenset[str]  # "udder", "beard", "wool", "humps", "trunk", "snout", "flank"


@dataclass(frozen=True, slots=True)
class Pose:
    """Angles of an action.

    Attributes:
        legs: near front, far front, near hind, far hind; None if folded or hidden.
        pitch: pitch of the body in degrees, nose up positive.
        neck: offset of the neck's angle.
        rest: "", or "sit" or "lie" if the hip is on the ground.
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

_READERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("length", "chest", "rump", "leg", "tuck", "slope"), float),
    **dict.fromkeys(("leg_width", "neck", "head", "muzzle"), numbers),
    "extras": lambda cell: frozenset(words(cell)),
}

SPECIES: Mapping[str, Species] = {
    species.word: species for species in records(Path(__file__).with_name("species.tsv"), Species, _READERS)
}
"""Word → measurements."""
