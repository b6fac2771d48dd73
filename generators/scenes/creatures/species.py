"""Measurements and poses of the quadrupeds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vhbench.files import read_typed
from vhbench.tsv import numbers, records, words

LegAngles = tuple[float, float]  # angles of the upper and lower leg in degrees from straight down, forward positive


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
    """Angles of an action, in degrees."""

    # Near front, far front, near hind, far hind; None if folded or hidden.
    legs: tuple[LegAngles | None, LegAngles | None, LegAngles | None, LegAngles | None]
    pitch: float = 0  # pitch of the body, nose up positive
    neck: float = 0  # offset of the neck's angle
    rest: str = ""  # "sit" or "lie" if the hip is on the ground


POSES = read_typed(Path(__file__).with_name("poses.json"), dict[str, Pose], "table of poses")
"""Action → pose; "stout" ones are exaggerated for animals whose legs barely change the silhouette."""

_READERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("length", "chest", "rump", "leg", "tuck", "slope"), float),
    **dict.fromkeys(("leg_width", "neck", "head", "muzzle"), numbers),
    "extras": lambda cell: frozenset(words(cell)),
}

SPECIES: Mapping[str, Species] = {
    species.word: species for species in records(Path(__file__).with_name("species.tsv"), Species, _READERS)
}
"""Word → measurements."""
