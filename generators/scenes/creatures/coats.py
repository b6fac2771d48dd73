"""Coat patterns, clipped to the silhouette of body and neck."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from vhbench.generators.scenes.creatures.frame import Frame
from vhbench.generators.scenes.creatures.sketch import Point, Sketch, between, hang, polar
from vhbench.generators.scenes.paints import shade


def zebra(sketch: Sketch, frame: Frame, rng: np.random.Generator) -> None:
    """Draw stripes down the body and across the neck."""
    ink = frame.coat.detail
    for i in range(9):
        u, width = -0.20 + i * 0.155, 4.2 if i % 2 else 3.4
        top, right = frame.on(u, 0.62), frame.at(frame.back * u + width, frame.species.rump * 0.62)
        middle = frame.at(frame.back * (u + 0.045) + width * 0.2, frame.species.rump * 0.05)
        sketch.polygon([top, right, middle, frame.on(u + 0.02, -0.55), frame.on(u + 0.005, 0.05)], ink)
    for i in range(5):
        t = 0.14 + i * 0.19
        point, width = between(*frame.neck, t), frame.species.neck[2] * (1 - t * 0.3)
        across = (polar(point, frame.neck_angle + 90, width), polar(point, frame.neck_angle - 86, width))
        sketch.stroke(across, ink, 3.6, curved=False)


def _wedge(sketch: Sketch, frame: Frame, u: float, edge: float, width: float, tip: Point, ink: str) -> None:
    """Add a triangle from an edge of the body, ``width`` wide, to a tip inside."""
    corner = frame.at(frame.back * u + width, frame.species.rump * edge)
    sketch.polygon([frame.on(u, edge), corner, frame.on(*tip)], ink)


def tiger(sketch: Sketch, frame: Frame, rng: np.random.Generator) -> None:
    """Draw wedges from the back down and from the belly up."""
    for i in range(8):
        u = i * 0.135
        _wedge(sketch, frame, u, 0.6, 4.4, (u + 0.05, -0.06 * (1 + i % 2)), frame.coat.detail)
    for i in range(7):
        u = 0.06 + i * 0.14
        _wedge(sketch, frame, u, -0.5, 3.4, (u + 0.02, -0.02), frame.coat.detail)


def tabby(sketch: Sketch, frame: Frame, rng: np.random.Generator) -> None:
    """Draw faint wedges on the back, in a darker shade of the coat."""
    for i in range(6):
        u = 0.05 + i * 0.17
        _wedge(sketch, frame, u, 0.6, 4, (u + 0.03, 0.02), frame.coat.far)


def rosette(sketch: Sketch, frame: Frame, rng: np.random.Generator) -> None:
    """Draw rings with a darker centre."""
    for i in range(9):
        for j in range(4):
            x, y = frame.on(-0.16 + i * 0.155 + (j % 2) * 0.07, 0.40 - j * 0.22)
            sketch.circle((x, y), 3.5, frame.coat.detail)
            sketch.circle((x + 0.5, y - 0.4), 1.7, shade(frame.coat.body, 0.82))
    for i in range(3):
        x, y = between(*frame.neck, i / 3)
        sketch.circle((x, y + 3), 2.6, frame.coat.detail)


def cow(sketch: Sketch, frame: Frame, rng: np.random.Generator) -> None:
    """Draw four large patches with uneven edges."""
    patches = ((0.12, 0.22, 0.17, 0.34), (0.56, 0.02, 0.20, 0.36), (0.98, 0.36, 0.14, 0.30), (0.78, -0.42, 0.10, 0.16))
    for u, v, wide, tall in patches:
        edge: list[Point] = []
        for k in range(7):
            angle = k / 7 * 2 * math.pi
            reach = 0.8 + 0.35 * rng.random(2)
            edge.append(frame.on(u + wide * math.cos(angle) * reach[0], v + tall * math.sin(angle) * reach[1]))
        sketch.blob(edge, frame.coat.detail)


def giraffe(sketch: Sketch, frame: Frame, rng: np.random.Generator) -> None:
    """Draw angular patches over body and neck."""
    for i in range(7):
        for j in range(4):
            _patch(sketch, frame.on(-0.14 + i * 0.20 + (j % 2) * 0.10, 0.42 - j * 0.27), 6.2, rng)
    width = frame.species.neck[2]
    for i in range(11):
        t = 0.05 + i * 0.09
        for side in (-1, 1):
            point = polar(between(*frame.neck, t), frame.neck_angle + 90 * side, width * (0.40 - 0.18 * t))
            _patch(sketch, point, 4.6, rng)


def _patch(sketch: Sketch, centre: Point, radius: float, rng: np.random.Generator) -> None:
    turns, reaches = rng.uniform(0, 20, 6), rng.uniform(0.8, 1.2, 6)
    corners = zip(turns.tolist(), reaches.tolist(), strict=True)
    shape = [polar(centre, 60 * k + 15 + turn, radius * reach) for k, (turn, reach) in enumerate(corners)]
    sketch.polygon(shape, "#a8622a")


def zebra_legs(sketch: Sketch, frame: Frame) -> None:
    """Draw bands across the near legs if they are extended."""
    species = frame.species
    for root, angles in ((frame.hip_joint, frame.pose.legs[2]), (frame.shoulder_joint, frame.pose.legs[0])):
        if angles is None:
            continue
        knee = hang(root, angles[0], species.leg * 0.5 + species.rump * 0.10)
        foot = hang(knee, angles[1], species.leg * 0.5)
        bands = [(root, knee, angles[0], t, w) for t, w in ((0.52, 0.86), (0.80, 0.70))]
        bands += [(knee, foot, angles[1], t, 0.5) for t in (0.2, 0.48, 0.74)]
        for start, end, angle, t, width in bands:
            point, half = between(start, end, t), species.leg_width[0] * width
            across = (polar(point, angle + 180, half), polar(point, angle, half))
            sketch.stroke(across, frame.coat.detail, 2.8, curved=False)


COATS: Mapping[str, Callable[[Sketch, Frame, np.random.Generator], None]] = {
    "zebra": zebra,
    "tiger": tiger,
    "tabby": tabby,
    "rosette": rosette,
    "cow": cow,
    "giraffe": giraffe,
}
"""Pattern → brush."""
