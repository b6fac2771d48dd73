"""Brushes for environments: each adds SVG to a 512 × 512 canvas and declares the words."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes.paints import mix, parse_hex, shade, to_hex

SIZE = 512  # side of the canvas in units; environments can be rendered at any resolution
_SCENERY = Path(__file__).with_name("scenery")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mood:
    """Light of a state: sky and cloud colours from top to horizon, tint, and sun."""

    sky: tuple[str, ...]
    cloud: tuple[str, str]
    tint: str = "#ffffff"
    sun: bool = False
    clouds: int = 4


_SUNNY = Mood(("#3f8fd6", "#7cbcec", "#d3ecf7"), ("#ffffff", "#dfe9f2"), sun=True)
_GLOOMY = Mood(("#76828b", "#97a2a9", "#c3cacd"), ("#c3cacf", "#98a3aa"), tint="#d8dcde", clouds=8)
_SUNSET = Mood(("#4a5a9c", "#d9788b", "#ffc980"), ("#f7c7b6", "#d694a0"), tint="#ffe6d2", clouds=5)
_NIGHT = Mood(("#0b1236", "#1d2a5c", "#3c4a80"), ("#4b5885", "#333f6e"), tint="#5c678f", clouds=2)
_SNOWY = Mood(("#a9b9c8", "#c5d2dd", "#e4ecf2"), ("#eef3f7", "#cfdae4"), tint="#f2f6fb", clouds=6)
_MOODS = {"sunny": _SUNNY, "gloomy": _GLOOMY, "sunset": _SUNSET, "night": _NIGHT, "snowy": _SNOWY, "withered": _SUNNY}


@dataclass(slots=True)
class Canvas:
    """SVG of an environment under construction, and the words it renders."""

    rng: np.random.Generator  # the only source of randomness
    state: str  # "sunny", "night" …
    parts: list[str] = field(default_factory=list)
    defs: list[str] = field(default_factory=list)
    areas: list[str] = field(default_factory=list)
    sky_parts: int = 0  # number of parts that are sky
    sky_foot: float = 0  # lower end of the sky parts

    @property
    def mood(self) -> Mood:
        """Light of the canvas's state."""
        return _MOODS.get(self.state, _SUNNY)

    def area(self, *words: str) -> None:
        """Declare words that are now in the image."""
        self.areas.extend(word for word in words if word not in self.areas)

    def gradient(self, colours: Sequence[str], *, horizontal: bool = False) -> str:
        """Define a vertical gradient and return the value for ``fill``."""
        name = f"g{len(self.defs)}"
        ends = 'x2="1" y2="0"' if horizontal else 'x2="0" y2="1"'
        step = 1 / max(1, len(colours) - 1)
        stops = "".join(f'<stop offset="{i * step:.3f}" stop-color="{c}"/>' for i, c in enumerate(colours))
        self.defs.append(f'<linearGradient id="{name}" x1="0" y1="0" {ends}>{stops}</linearGradient>')
        return f"url(#{name})"

    def glow(self, colour: str) -> str:
        """Define a soft round glow and return the value for ``fill``."""
        name = f"g{len(self.defs)}"
        stops = f'<stop offset="0" stop-color="{colour}"/><stop offset="1" stop-color="{colour}" stop-opacity="0"/>'
        self.defs.append(f'<radialGradient id="{name}">{stops}</radialGradient>')
        return f"url(#{name})"

    def rect(self, x: float, y: float, width: float, height: float, fill: str, extra: str = "") -> None:
        """Add a rectangle."""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" {extra}/>'
        )

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: str, extra: str = "") -> None:
        """Add an ellipse around (x, y)."""
        self.parts.append(f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{rx:.1f}" ry="{ry:.1f}" fill="{fill}" {extra}/>')

    def polygon(self, points: Sequence[Point], fill: str, extra: str = "") -> None:
        """Add a polygon."""
        self.parts.append(f'<path d="M{_points(points)}Z" fill="{fill}" {extra}/>')

    def lines(self, strokes: Sequence[Sequence[Point]], colour: str, width: float, opacity: float = 1) -> None:
        """Add lines of one colour and width as a single path."""
        path = "".join(f"M{_points(stroke)}" for stroke in strokes)
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:.2f}" stroke-opacity="{opacity:.2f}"'
            ' stroke-linecap="round" stroke-linejoin="round"/>'
        )

    def scenery(self, name: str) -> None:
        """Add the elements of a file of ``scenery/``, one a line."""
        self.parts += (_SCENERY / f"{name}.svg").read_text(encoding="utf-8").splitlines()[1:-1]

    def uniform(self, low: float, high: float) -> float:
        """Return a uniform number; same values as the generator's method, but faster."""
        return low + (high - low) * self.rng.random()

    def svg(self, *, parts: int | None = None) -> str:
        """Return the markup of the image, or of its first parts, without ``<svg>``."""
        return f"<defs>{''.join(self.defs)}</defs>{''.join(self.parts[:parts])}"


def sky(canvas: Canvas, horizon: float, *, clouds: int | None = None) -> None:
    """Paint the sky down to the horizon with sun, stars, moon and clouds, depending on state."""
    canvas.rect(0, horizon, SIZE, 90, canvas.mood.sky[-1])  # fills gaps behind objects on the horizon
    canvas.rect(0, 0, SIZE, horizon + 2, canvas.gradient(canvas.mood.sky))
    canvas.area("sky")
    if canvas.state == "night":
        _stars(canvas, horizon)
    elif canvas.mood.sun:
        x, y = canvas.uniform(0.12, 0.88) * SIZE, max(40.0, horizon * 0.26)
        canvas.ellipse(x, y, 95, 95, canvas.glow("#fff0b8"), 'fill-opacity="0.85"')
        canvas.ellipse(x, y, 25, 25, "#fff6cf")
        canvas.area("sun")
    for _ in range(canvas.mood.clouds if clouds is None else clouds):
        cloud(canvas, canvas.uniform(0, SIZE), canvas.uniform(0.12, 0.62) * horizon, canvas.uniform(38, 72))
    canvas.sky_parts, canvas.sky_foot = len(canvas.parts), horizon + 90


def _stars(canvas: Canvas, horizon: float) -> None:
    for _ in range(60):
        x, y, r = canvas.uniform(0, SIZE), canvas.uniform(0, horizon * 0.85), canvas.uniform(0.5, 1.5)
        canvas.ellipse(x, y, r, r, "#fffbe6", f'fill-opacity="{canvas.uniform(0.5, 1):.2f}"')
    x, y = canvas.uniform(0.62, 0.88) * SIZE, horizon * 0.26
    canvas.ellipse(x, y, 62, 62, canvas.glow("#8f9bd0"), 'fill-opacity="0.6"')
    canvas.ellipse(x, y, 25, 25, "#f7f0cf")
    for dx, dy, r in ((-8, -6, 5), (7, 4, 6.5), (-3, 10, 4)):
        canvas.ellipse(x + dx, y + dy, r, r, "#e6dcb4")
    canvas.area("star", "moon")


def cloud(canvas: Canvas, x: float, y: float, width: float) -> None:
    """Paint a cumulus of overlapping puffs with a flat, shaded bottom."""
    light, dark = canvas.mood.cloud
    puffs = [(canvas.uniform(-0.85, 0.85), canvas.uniform(0, 1), canvas.uniform(0.22, 0.4)) for _ in range(9)]
    for colour, lift, opacity in ((dark, 0.0, 0.85), (light, 0.11, 0.92)):
        for dx, dy, r in puffs:
            height = (1 - abs(dx)) * 0.34 * dy + lift
            canvas.ellipse(
                x + dx * width, y - height * width, r * width, r * width * 0.62, colour, f'fill-opacity="{opacity}"'
            )
    canvas.area("cloud")


def ridge(
    canvas: Canvas,
    base: float,
    height: float,
    colours: Sequence[str],
    *,
    word: str,
    rough: float = 0.5,
    snow: bool = False,
) -> None:
    """Paint a range with foot at ``base``; ``rough`` is 0.3 (hills) to 0.65 (peaks)."""
    xs = np.linspace(0, SIZE, 129)
    line = base - height * _fractal(canvas.rng, len(xs), rough)
    outline = [*zip(xs.tolist(), line.tolist(), strict=True), (SIZE, base + 60.0), (0.0, base + 60.0)]
    canvas.polygon(outline, canvas.gradient(colours))
    if snow:
        level = base - height * 0.62  # everything above it is white, with a ragged lower edge
        jag = level + 9 * np.array([math.sin(x * 0.21) for x in xs]) + canvas.rng.uniform(-6, 6, len(xs))
        lower = np.maximum(line, jag)
        points = list(zip(xs.tolist(), line.tolist(), strict=True))
        points += list(zip(xs[::-1].tolist(), lower[::-1].tolist(), strict=True))
        canvas.polygon(points, canvas.gradient(("#ffffff", "#dbe6f1")), 'fill-opacity="0.95"')
    if word:
        canvas.area(word)


def _fractal(rng: np.random.Generator, count: int, rough: float) -> npt.NDArray[np.float64]:
    """Return a random profile of ``count`` values in [0, 1]."""
    xs, total = np.linspace(0, 1, count), np.zeros(count)
    for octave in range(6):
        knots = 3 * 2**octave + 2
        total += rough**octave * np.interp(xs, np.linspace(0, 1, knots), rng.random(knots))
    low, high = float(total.min()), float(total.max())
    return np.asarray((total - low) / max(high - low, 1e-9), dtype=np.float64)


def ground(canvas: Canvas, top: float, colours: Sequence[str], *, word: str, patches: int = 40) -> None:
    """Paint ground from ``top`` to the bottom, with patches that grow towards the viewer."""
    canvas.rect(0, top, SIZE, SIZE - top, canvas.gradient(colours))
    for _ in range(patches):
        depth = canvas.uniform(0, 1) ** 1.6
        y, rx = top + (SIZE - top) * depth, (20 + 150 * depth) * canvas.uniform(0.5, 1.3)
        tone = shade(colours[-1], canvas.uniform(0.82, 1.3))
        canvas.ellipse(
            canvas.uniform(0, SIZE), max(top + 3 + 16 * depth, y), rx, 2 + 15 * depth, tone, 'fill-opacity="0.13"'
        )
    canvas.area(word)


def tufts(canvas: Canvas, top: float, colours: Sequence[str], *, count: int = 420, height: float = 22) -> None:
    """Paint grass that grows towards the viewer; thin triangles are faster than strokes."""
    for band in range(5):
        near = (band + 0.5) / 5
        half = 0.5 + 0.9 * near
        for colour in colours:
            path = ""
            for _ in range(count // (5 * len(colours))):
                y = top + (SIZE - top) * (band + canvas.uniform(0, 1)) / 5
                x, tall = canvas.uniform(0, SIZE), height * (0.25 + near) * canvas.uniform(0.5, 1)
                for lean in (-1, 0, 1):
                    tip = lean * tall * 0.3 + canvas.uniform(-2, 2)
                    path += f"M{x - half:.1f} {y:.1f}L{x + tip:.1f} {y - tall:.1f}L{x + half:.1f} {y:.1f}Z"
            canvas.parts.append(f'<path d="{path}" fill="{colour}" fill-opacity="0.85"/>')


def water(canvas: Canvas, top: float, bottom: float, colours: Sequence[str], *, word: str, waves: float = 1) -> None:
    """Paint water with wavelets; ``waves`` is 0.3 (calm lake) to 2 (rough sea)."""
    canvas.rect(0, top, SIZE, bottom - top, canvas.gradient(colours))
    for band in range(6):
        near = (band + 0.5) / 6
        for colour, count in (("#ffffff", 9 + 5 * band), (shade(colours[-1], 0.62), 9 + 3 * band)):
            strokes = [_wavelet(canvas, top, bottom, band / 6, near, waves) for _ in range(count)]
            canvas.lines(strokes, colour, (0.7 + 1.7 * near) * min(1.4, waves + 0.2), 0.20 + 0.16 * near)
    canvas.area(word, "water")


def _wavelet(canvas: Canvas, top: float, bottom: float, start: float, near: float, waves: float) -> list[Point]:
    y = top + (bottom - top) * min(0.98, start + canvas.uniform(0.01, 0.17))
    x, length = canvas.uniform(-10, SIZE), (5 + 34 * near) * canvas.uniform(0.5, 1.2)
    crest = 4 * near * waves
    return [(x + length * t / 6, y - crest * math.sin(math.pi * t / 6)) for t in range(7)]


def broad_tree(
    canvas: Canvas, x: float, y: float, height: float, greens: Sequence[str], trunk: str = "#5b4029"
) -> None:
    """Paint a tree with a round crown, its foot at (x, y)."""
    width = height * 0.045
    canvas.polygon(
        [(x - width, y), (x - width * 0.5, y - height * 0.6), (x + width * 0.5, y - height * 0.6), (x + width, y)],
        trunk,
    )
    radius, middle = height * 0.29, y - height * 0.69
    clumps = [(canvas.uniform(0, 6.283), math.sqrt(canvas.uniform(0, 1)), canvas.uniform(0.3, 0.46)) for _ in range(11)]
    for tone, lift, scale in zip(greens, (0.10, 0.0, -0.14), (1.12, 1.0, 0.68), strict=True):
        for angle, reach, size in clumps:
            dx, dy = math.cos(angle) * reach * radius * 0.82, math.sin(angle) * reach * radius * 0.68
            if scale < 1 and dx + dy > 0.1 * radius:
                continue
            canvas.ellipse(
                x + dx, middle + dy + lift * radius, size * scale * radius, size * scale * radius * 0.88, tone
            )
    canvas.area("tree")


def conifer(canvas: Canvas, x: float, y: float, height: float, greens: Sequence[str], trunk: str = "#5b4029") -> None:
    """Paint a fir, its foot at (x, y); the third tone is the lit side (white: snow)."""
    canvas.rect(x - height * 0.02, y - height * 0.14, height * 0.04, height * 0.14, trunk)
    for tier in range(5):
        foot, half = y - height * (0.1 + 0.155 * tier), height * 0.21 * (1 - tier * 0.17)
        tip = foot - height * (0.30 - 0.012 * tier)
        edge = [(x - half + half * k / 3, foot + (height * 0.016 if k % 2 else 0)) for k in range(7)]
        canvas.polygon([(x, tip), *edge], greens[tier % 2])
        canvas.polygon([(x, tip), (x - half * 0.95, foot), (x - half * 0.35, foot)], greens[2], 'fill-opacity="0.55"')
    canvas.area("tree")


def houses(canvas: Canvas, base: float, height: float) -> None:
    """Paint a row of houses with lit and dark windows; its foot is at ``base``."""
    x = -20.0
    while x < SIZE:
        width, tall = canvas.uniform(46, 96), height * canvas.uniform(0.6, 1.1)
        colour = str(canvas.rng.choice(("#c9886a", "#d8b48a", "#a9b7c4", "#b5786c", "#c7c0a8", "#9fb0a0")))
        canvas.rect(x, base - tall, width, tall, colour)
        canvas.rect(x, base - tall, width, 6, shade(colour, 0.72))
        canvas.rect(x + width * 0.87, base - tall, width * 0.13, tall, shade(colour, 0.88))
        _windows(canvas, x, base - tall + 14, width * 0.87, tall - 18)
        x += width + 2
    canvas.area("building", "house", "window")


def _windows(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    columns, rows = max(2, int(width / 19)), max(1, int(height / 28))
    for column in range(columns):
        for row in range(rows):
            glass = str(canvas.rng.choice(("#5b7c94", "#7fa3b8", "#f2dc9a"), p=(0.5, 0.35, 0.15)))
            if canvas.state == "night":
                glass = "#ffe9a8" if glass == "#f2dc9a" else "#44566a"
            left, top = x + width * (column + 0.28) / columns, y + height * (row + 0.1) / rows
            canvas.rect(left, top, width * 0.46 / columns, min(15.0, height * 0.55 / rows), glass)


def wall(canvas: Canvas, bottom: float, colours: Sequence[str], *, pattern: str = "", ink: str = "#ffffff") -> None:
    """Paint an indoor wall; ``pattern`` is "stripe", "tile" or ""."""
    canvas.rect(0, 0, SIZE, bottom, canvas.gradient(colours))
    if pattern == "stripe":
        for i in range(0, 28, 2):
            canvas.rect(i * SIZE / 28, 0, SIZE / 28, bottom, ink, 'fill-opacity="0.16"')
    elif pattern == "tile":
        side = SIZE / 16
        grid: list[list[Point]] = [[(i * side, 0), (i * side, bottom)] for i in range(17)]
        grid += [[(0, j * side), (SIZE, j * side)] for j in range(int(bottom / side) + 1)]
        canvas.lines(grid, ink, 1.3, 0.7)
    canvas.area("wall")


def floor(canvas: Canvas, top: float, colours: Sequence[str], *, kind: str = "wood") -> None:
    """Paint boards ("wood") or tiles ("tile") in perspective, with a skirting board."""
    ground(canvas, top, colours, word="floor", patches=14)
    ink = shade(colours[-1], 0.62)
    fan: list[list[Point]] = [[(SIZE / 2 + i * 19, top), (SIZE / 2 + i * 110, SIZE)] for i in range(-13, 14)]
    if kind == "tile":
        depths = [1 / (1 + k * 0.5) for k in range(10)]
        fan += [[(0, top + (SIZE - top) * d), (SIZE, top + (SIZE - top) * d)] for d in depths]
    canvas.lines(fan, ink, 1.3, 0.55)
    canvas.rect(0, top - 10, SIZE, 11, "#f4efe6")


def falling_snow(canvas: Canvas, count: int = 150) -> None:
    """Paint snowflakes over everything."""
    for _ in range(count):
        r = canvas.uniform(0.7, 2.2)
        canvas.ellipse(canvas.uniform(0, SIZE), canvas.uniform(0, SIZE), r, r, "#ffffff", 'fill-opacity="0.8"')


def scatter(canvas: Canvas, count: int, *, jitter: float = 0.3) -> Iterator[float]:
    """Yield evenly spaced positions across the canvas, with jitter."""
    for i in range(count):
        yield (i + 0.5 + canvas.uniform(-jitter, jitter)) / count * SIZE


def hazy(colours: Sequence[str], amount: float, haze: str = "#cfe0e8") -> tuple[str, ...]:
    """Mix colours with haze, as distance does."""
    return tuple(mix(colour, haze, amount) for colour in colours)


def withered(colours: Sequence[str]) -> tuple[str, ...]:
    """Turn greens into the browns and yellows of dry plants, shade by shade."""
    return tuple(to_hex((0.11, 0.42, min(0.75, parse_hex(colour)[2] * 1.25 + 0.06))) for colour in colours)


def _points(points: Sequence[Point]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
