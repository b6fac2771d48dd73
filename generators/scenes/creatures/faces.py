"""Heads of people: skull, hair and face, seen from the front, from the side or in between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vhbench.generators.scenes.creatures.sketch import Point, Sketch, polar
from vhbench.generators.scenes.paints import mix, shade

Points = Sequence[Point]


@dataclass(frozen=True, slots=True)
class Face:
    """View of a head: outlines and points in radii from its centre, looking ahead or to the right."""

    skull: Points  # its first ``crown`` points go from the temple over the crown to the other one
    crown: int
    shade: Points
    eyes: Points
    ears: Points
    nose: Points
    mouth: Points
    beard: Points


@dataclass(frozen=True, slots=True)
class HairStyle:
    """Names of the hairline and of the hair behind the head and in front of the shoulders ("" if none)."""

    hairline: str
    thick: float  # height above the skull, in radii
    behind: str = ""
    locks: str = ""


@dataclass(frozen=True, slots=True)
class Heads:
    """Part of ``people.json``: view → face, name → outlines."""

    faces: Mapping[str, Face]
    hairlines: Mapping[str, Mapping[str, Points]]
    styles: Mapping[str, HairStyle]
    behind: Mapping[str, Sequence[Points]]
    locks: Mapping[str, Points]


@dataclass(frozen=True, slots=True)
class Head:
    """Position and looks of a head; ``mirror`` is -1 if it looks to the left."""

    centre: Point
    radius: float
    tilt: float
    view: str
    mirror: int
    skin: str
    hair: str
    style: str
    beard: bool
    old: bool

    def at(self, right: float, up: float) -> Point:
        """Return a point in radii from the centre."""
        above = polar(self.centre, 90 - self.tilt, up * self.radius)
        return polar(above, -self.tilt, right * self.radius * self.mirror)

    def all(self, points: Points) -> list[Point]:
        """Return several points."""
        return [self.at(*point) for point in points]


def hair_behind(sketch: Sketch, head: Head, heads: Heads) -> None:
    """Draw the hair that head and trunk cover."""
    sketch.material = "hair"
    shift, narrow = {"front": (0.0, 1.0), "quarter": (-0.16, 0.95), "side": (-0.42, 0.72)}[head.view]
    outlines = heads.behind.get(heads.styles[head.style].behind, ())
    for outline in outlines[: 1 if head.view == "side" else None]:
        sketch.blob(head.all([(x * narrow + shift, y) for x, y in outline]), shade(head.hair, 0.82))


def draw_head(sketch: Sketch, head: Head, heads: Heads) -> None:
    """Draw skull, face and the hair around it."""
    face, skin, radius = heads.faces[head.view], head.skin, head.radius
    sketch.material = "skin"
    for x, y in face.ears if head.view == "front" else ():
        _ear(sketch, head, (x, y))
    sketch.blob(head.all(face.skull), skin)
    sketch.blob(head.all(face.shade), shade(skin, 0.85))
    for x, y in face.eyes:
        sketch.ellipse(head.at(x, y + 0.02), radius * 0.22, radius * 0.17, shade(skin, 0.86), turn=-head.tilt)
    blush = mix(skin, "#c8503c", 0.16)
    for x, y in face.eyes:
        sketch.ellipse(head.at(x * 1.2, y - 0.34), radius * 0.17, radius * 0.13, blush, turn=-head.tilt)
    nose = shade(skin, 0.70)
    if head.view != "side":
        sketch.blob(head.all(face.nose), shade(skin, 0.80))
        sketch.stroke(head.all(face.nose[1:]), nose, radius * 0.07)
    else:
        sketch.stroke(head.all(face.nose), nose, radius * 0.07)
    if head.beard:
        sketch.material = "hair"
        sketch.blob(head.all(face.beard), head.hair)
    _features(sketch, head, face)
    _cap(sketch, head, face, heads)
    if head.view != "front":
        sketch.material = "skin"
        for ear in face.ears:
            _ear(sketch, head, ear)


def _ear(sketch: Sketch, head: Head, ear: Point) -> None:
    sketch.ellipse(head.at(*ear), head.radius * 0.15, head.radius * 0.24, shade(head.skin, 0.88), turn=-head.tilt)
    sketch.ellipse(head.at(*ear), head.radius * 0.07, head.radius * 0.14, shade(head.skin, 0.70), turn=-head.tilt)


def _features(sketch: Sketch, head: Head, face: Face) -> None:
    """Draw eyes with lids and brows, and the mouth."""
    radius, skin, brow = head.radius, head.skin, shade(mix(head.hair, head.skin, 0.12), 0.8)
    sketch.material = "skin"
    for x, y in face.eyes:
        wide = 0.145 if head.view != "side" else 0.10
        sketch.ellipse(head.at(x, y), radius * wide, radius * 0.085, "#f3efe8", turn=-head.tilt)
        look = 0.0 if head.view == "front" else 0.04
        sketch.circle(head.at(x + look, y + 0.005), radius * 0.085, "#2a1c14")
        lid = [(x - wide * 1.1, y + 0.03), (x, y + 0.11), (x + wide * 1.1, y + 0.03)]
        sketch.stroke(head.all(lid), shade(skin, 0.42), radius * 0.055)
        arch = [(x - 0.2, y + 0.20), (x, y + 0.27), (x + 0.18, y + 0.21)]
        sketch.stroke(head.all(arch), brow, radius * 0.085)
        if head.old:
            bag = [(x - 0.14, y - 0.14), (x, y - 0.18), (x + 0.14, y - 0.13)]
            sketch.stroke(head.all(bag), shade(skin, 0.76), radius * 0.04)
    lips = mix(skin, "#a03a34", 0.55)
    (left, low), (right, _) = face.mouth[0], face.mouth[-1]
    below = [((left + right) / 2, low - 0.16)]
    sketch.blob(head.all([*face.mouth, *below]), lips)
    sketch.stroke(head.all(face.mouth), shade(lips, 0.6), radius * 0.05)


def _cap(sketch: Sketch, head: Head, face: Face, heads: Heads) -> None:
    """Draw the hair between the hairline and a line above the skull."""
    style = heads.styles[head.style]
    sketch.material = "hair"
    start = 0 if head.view == "front" or style.hairline == "fringe" else 2 if head.view == "side" else 1
    grown = 1 + style.thick
    outer = [(x * grown, y * grown if y > 0 else y) for x, y in face.skull[start : face.crown]]
    line = heads.hairlines[style.hairline][head.view]
    sketch.blob(head.all([*outer, *line]), head.hair)
    for near, far in ((0.25, 0.72), (0.5, 0.75), (0.72, 0.8)):  # strands from the parting
        (x, y), (edge_x, edge_y) = line[round(near * (len(line) - 1))], outer[round((1 - near) * (len(outer) - 1))]
        end = (x + (edge_x - x) * far, y + (edge_y - y) * far)
        tone = shade(head.hair, 1.08 if near == 0.5 else 0.82)
        sketch.stroke(head.all([(x, y + 0.05), end]), tone, head.radius * 0.05)
    if style.locks:
        shift = {"front": 0.0, "quarter": 0.06, "side": 0.25}[head.view]
        for side in (1, -1) if head.view == "front" else (1,):
            sketch.blob(head.all([(side * (x + shift), y) for x, y in heads.locks[style.locks]]), head.hair)
