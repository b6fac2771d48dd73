"""Drawing surface for creatures: y upwards while drawing, tight SVG output."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Point = tuple[float, float]


def polar(origin: Point, angle: float, distance: float) -> Point:
    """Return the point at an angle (degrees, counter-clockwise from right) and a distance."""
    radians = math.radians(angle)
    return origin[0] + distance * math.cos(radians), origin[1] + distance * math.sin(radians)


def around(centre: Point, shape: Iterable[tuple[float, float]], *, turn: float = 0, scale: float = 1) -> list[Point]:
    """Return the points at (angle, distance) pairs around a centre."""
    return [polar(centre, turn + angle, scale * distance) for angle, distance in shape]


def hang(origin: Point, angle: float, distance: float) -> Point:
    """Return the end of a hanging limb; the angle is from straight down, forward positive."""
    radians = math.radians(angle)
    return origin[0] + distance * math.sin(radians), origin[1] - distance * math.cos(radians)


def between(start: Point, end: Point, share: float) -> Point:
    """Return the point at a fraction of the segment."""
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


@dataclass(slots=True)
class Sketch:
    """SVG elements with their bounding points."""

    prefix: str  # prefix of ids, so that several sketches fit into one document
    elements: list[str] = field(default_factory=list)
    defs: list[str] = field(default_factory=list)
    bounds: list[Point] = field(default_factory=list)
    material: str = ""  # of what is drawn next; "" for the word's own

    @property
    def _of(self) -> str:
        return f' data-of="{self.material}"' if self.material else ""

    def circle(self, centre: Point, radius: float, fill: str) -> None:
        """Add a circle."""
        self.ellipse(centre, radius, radius, fill)

    def ellipse(self, centre: Point, rx: float, ry: float, fill: str, *, turn: float = 0) -> None:
        """Add an ellipse, rotated counter-clockwise by degrees."""
        x, y = centre
        rotate = f' transform="rotate({-turn:.1f} {x:.2f} {-y:.2f})"' if turn and rx != ry else ""
        self.elements.append(
            f'<ellipse cx="{x:.2f}" cy="{-y:.2f}" rx="{rx:.2f}" ry="{ry:.2f}" fill="{fill}"{rotate}{self._of}/>'
        )
        cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        half_x, half_y = math.hypot(rx * cosine, ry * sine), math.hypot(rx * sine, ry * cosine)
        self.bounds += [(x - half_x, y - half_y), (x + half_x, y + half_y)]

    def polygon(self, points: Sequence[Point], fill: str) -> None:
        """Add a polygon with straight sides."""
        self.elements.append(f'<path d="{straight(points)}Z" fill="{fill}"{self._of}/>')
        self.bounds += points

    def blob(self, points: Sequence[Point], fill: str) -> None:
        """Add a closed smooth shape through the points."""
        self.elements.append(f'<path d="{smooth(points, closed=True)}Z" fill="{fill}"{self._of}/>')
        self.bounds += _samples(points, closed=True)

    def stroke(self, points: Sequence[Point], colour: str, width: float, *, curved: bool = True) -> None:
        """Add an open line with round ends."""
        path = smooth(points, closed=False) if curved else straight(points)
        self.elements.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:.2f}"'
            f' stroke-linecap="round" stroke-linejoin="round"{self._of}/>'
        )
        half = width / 2
        for x, y in _samples(points, closed=False) if curved else points:
            self.bounds += [(x - half, y - half), (x + half, y + half)]

    def taper(self, start: Point, start_radius: float, end: Point, end_radius: float, fill: str) -> None:
        """Add a limb: two circles and the area between them."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = math.hypot(dx, dy) or 1e-6
        nx, ny = -dy / length, dx / length
        self.circle(start, start_radius, fill)
        self.circle(end, end_radius, fill)
        self.polygon(
            [
                (start[0] + nx * start_radius, start[1] + ny * start_radius),
                (end[0] + nx * end_radius, end[1] + ny * end_radius),
                (end[0] - nx * end_radius, end[1] - ny * end_radius),
                (start[0] - nx * start_radius, start[1] - ny * start_radius),
            ],
            fill,
        )

    def clipped(self, outlines: Sequence[str], inner: "Sketch") -> None:
        """Add another sketch's elements, clipped to path outlines."""
        name = f"{self.prefix}clip{len(self.defs)}"
        paths = "".join(f'<path d="{outline}"/>' for outline in outlines)
        self.defs.append(f'<clipPath id="{name}">{paths}</clipPath>')
        self.elements.append(f'<g clip-path="url(#{name})">{"".join(inner.elements)}</g>')

    def finish(self) -> tuple[str, float, float]:
        """Return markup translated to (0, 0), with its width and height."""
        left, right = min(x for x, _ in self.bounds), max(x for x, _ in self.bounds)
        low, high = min(y for _, y in self.bounds), max(y for _, y in self.bounds)
        defs = f"<defs>{''.join(self.defs)}</defs>" if self.defs else ""
        body = f'<g transform="translate({-left:.2f} {high:.2f})">{defs}{"".join(self.elements)}</g>'
        return body, right - left, high - low


def straight(points: Sequence[Point]) -> str:
    """Return path data of straight lines."""
    return "M" + "L".join(f"{x:.2f} {-y:.2f}" for x, y in points)


def smooth(points: Sequence[Point], *, closed: bool) -> str:
    """Return path data of a Catmull-Rom spline through the points."""
    path = f"M{points[0][0]:.2f} {-points[0][1]:.2f}"
    for _, c1, c2, end in _segments(points, closed=closed):
        path += f"C{c1[0]:.2f} {-c1[1]:.2f} {c2[0]:.2f} {-c2[1]:.2f} {end[0]:.2f} {-end[1]:.2f}"
    return path


def _segments(points: Sequence[Point], *, closed: bool) -> list[tuple[Point, Point, Point, Point]]:
    """Return the Bézier segments of a Catmull-Rom spline."""
    count = len(points)

    def at(i: int) -> Point:
        return points[i % count] if closed else points[min(max(i, 0), count - 1)]

    segments = []
    for i in range(count if closed else count - 1):
        before, start, end, after = at(i - 1), at(i), at(i + 1), at(i + 2)
        c1 = start[0] + (end[0] - before[0]) / 6, start[1] + (end[1] - before[1]) / 6
        c2 = end[0] - (after[0] - start[0]) / 6, end[1] - (after[1] - start[1]) / 6
        segments.append((start, c1, c2, end))
    return segments


def _samples(points: Sequence[Point], *, closed: bool) -> list[Point]:
    """Return points along the spline, dense enough to bound it."""
    samples = [points[0]]
    for p0, p1, p2, p3 in _segments(points, closed=closed):
        for t in (0.2, 0.4, 0.6, 0.8, 1.0):
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            samples.append(
                (a * p0[0] + b * p1[0] + c * p2[0] + d * p3[0], a * p0[1] + b * p1[1] + c * p2[1] + d * p3[1])
            )
    return samples
