"""Positions of an animal's body parts in a pose, and its colours."""

import math
from dataclasses import dataclass

from vhbench.generators.scenes.creatures.sketch import Point, polar
from vhbench.generators.scenes.creatures.species import POSES, SPECIES, Pose, Species
from vhbench.generators.scenes.paints import paint, shade


@dataclass(frozen=True, slots=True)
class Coat:
    """Colours of an animal, as hexadecimals; ``black`` requires light details for contrast."""

    body: str
    belly: str
    crease: str
    far: str
    legs: str
    far_legs: str
    face: str
    ears: str
    mane: str
    detail: str
    black: bool
    dyed: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """Skeleton of an animal in a pose: points in drawing units, y upwards, ground at 0."""

    action: str
    species: Species
    pose: Pose
    coat: Coat
    back: float  # length of the back in this pose
    hip: Point  # origin of the body's own coordinates
    neck: tuple[Point, Point]  # its two ends
    neck_angle: float  # from horizontal
    head: Point  # centre of the skull
    head_angle: float  # direction of the muzzle
    nose: Point  # end of the muzzle

    def at(self, along: float, up: float) -> Point:
        """Return a body point: ``along`` the back from the hip, ``up`` across it, in units."""
        return _body(self.hip, self.pose.pitch, along, up)

    def on(self, along: float, up: float) -> Point:
        """Return a body point in fractions of the back's length and the rump's depth."""
        return self.at(self.back * along, self.species.rump * up)

    def on_head(self, angle: float, share: float) -> Point:
        """Return a head point by angle from the muzzle and fraction of the skull's radius."""
        return polar(self.head, self.head_angle + angle, self.species.head[0] * share)

    @property
    def hip_joint(self) -> Point:
        """Root of the hind legs."""
        return self.at(-self.species.rump * 0.04, -self.species.rump * 0.10)

    @property
    def shoulder_joint(self) -> Point:
        """Root of the front legs."""
        return self.at(self.back * 0.98, self.species.slope - self.species.chest * 0.16)


def frame(word: str, colour: str, action: str) -> Frame:
    """Compute the skeleton of an animal."""
    species = SPECIES[word]
    pose = POSES[action]
    if species.chest >= species.leg:
        pose = POSES.get(f"stout {action}", pose)
    back = species.length * (0.86 if pose.rest == "sit" else 1)
    low = {"sit": species.rump * 0.52, "lie": species.rump * 0.50}
    hip = (0.0, low.get(pose.rest, species.leg + species.rump * 0.34))
    length, angle, _, head_width = species.neck
    angle += pose.neck + pose.pitch * (0.55 if pose.rest == "sit" else 0.4)
    if action == "eating" and "trunk" in species.extras:
        angle = species.neck[1] - 26
    root = _body(hip, pose.pitch, back, species.chest * 0.14 + species.slope)
    end = polar(root, angle, length)
    if action == "eating" and "trunk" not in species.extras:
        end = (end[0], max(head_width * 1.1, end[1]))
    radius, tilt = species.head
    tilt += _head_turn(species, pose, action)
    head = (end[0] + radius * 0.30, end[1] + radius * 0.18)
    if action == "eating" and species.neck[0] < 20 and "trunk" not in species.extras:
        head = (head[0], max(radius * 1.02, head[1] - radius * 0.9))  # short necks: the head itself moves down
    return Frame(
        action, species, pose, coat(word, colour), back, hip, (root, end), angle, head, tilt,
        polar(head, tilt, species.muzzle[0]),
    )  # fmt: skip


def coat(word: str, colour: str) -> Coat:
    """Compute an animal's colours; ``colour`` is a name, or "" for its natural one."""
    species, black = SPECIES[word], colour == "black"
    body = paint(colour) if colour else species.body
    belly = species.belly
    if colour:
        belly = shade(body, {"white": 0.97, "black": 1.14}.get(colour, 1.22))
    dark = "#17181b" if black else shade(body, 0.74)
    legs = species.legs or body
    face = species.face or body
    return Coat(
        body=body,
        belly=belly,
        crease=shade(body, 0.86),
        far=dark,
        legs=legs,
        far_legs="#141518" if black else shade(legs, 0.74),
        face=face,
        ears=species.ears or face,
        mane=(species.mane if not colour else dark) if species.mane else "",
        detail="#08090a" if black else "#1d1a1a",
        black=black,
        dyed=bool(colour),
    )


def _body(hip: Point, pitch: float, along: float, up: float) -> Point:
    cosine, sine = math.cos(math.radians(pitch)), math.sin(math.radians(pitch))
    return hip[0] + along * cosine - up * sine, hip[1] + along * sine + up * cosine


def _head_turn(species: Species, pose: Pose, action: str) -> float:
    if action != "eating":
        return pose.neck * 0.35 + (10 if pose.rest == "sit" else 0)
    if "trunk" in species.extras:
        return 0.0
    return -36.0 if species.feet == "paw" else -46.0
