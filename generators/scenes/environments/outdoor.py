"""Outdoor environments: each function paints one onto a canvas."""

import math
from collections.abc import Sequence

import numpy as np

from vhbench.generators.scenes.environments import brushes as brush
from vhbench.generators.scenes.environments.brushes import SIZE, Canvas

_GREEN = ("#94bd64", "#7fae4c", "#5f9440", "#477c33")
_BLADES = ("#3f7030", "#5f9a42", "#8fc063")
_TREE = ("#2f5d2a", "#437f38", "#6aa84f")
_FIR = ("#2c5140", "#37634c", "#5b8a68")
_SEA = ("#9fd0e6", "#5fa9d0", "#2f7fb5", "#1f6699")
_LAKE = ("#b7d6df", "#7fb3c9", "#4f8fb0", "#3b7a9c")
_SAND = ("#e8cf98", "#efd9a6", "#e3c488", "#d2ae70")
_SNOW = ("#dbe6f1", "#eef4fa", "#ffffff", "#e4edf6")


def plants(canvas: Canvas, colours: Sequence[str]) -> tuple[str, ...]:
    """Return plant colours for the state: green, dry, or under snow."""
    if canvas.state == "withered":
        return brush.withered(colours)
    if canvas.state == "snowy":
        return brush.hazy(colours, 0.55, "#ffffff")
    return tuple(colours)


def soil(canvas: Canvas, colours: Sequence[str]) -> tuple[str, ...]:
    """Return ground colours for the state; under snow, white."""
    return _SNOW if canvas.state == "snowy" else plants(canvas, colours)


def grow(canvas: Canvas, top: float, blades: Sequence[str] = _BLADES, *, count: int = 420) -> None:
    """Paint grass from ``top`` down, unless there is snow."""
    if canvas.state == "snowy":
        canvas.area("snow")
        return
    brush.tufts(canvas, top, plants(canvas, blades), count=count)
    canvas.area("grass")
    if canvas.state == "withered":
        canvas.area("tussock")


def meadow(canvas: Canvas, top: float) -> None:
    """Paint grassland from ``top`` down, or snow in the snowy state."""
    brush.ground(canvas, top, soil(canvas, _GREEN), word="snow" if canvas.state == "snowy" else "grass")
    grow(canvas, top + 8)


def far_trees(canvas: Canvas, base: float, height: float, *, word: str) -> None:
    """Paint a row of trees in the distance."""
    brush.ridge(canvas, base, height, plants(canvas, ("#35603a", "#4a7a45")), word=word, rough=0.7)


def grass(canvas: Canvas) -> None:
    """Paint open grassland with far hills."""
    brush.sky(canvas, 236)
    brush.ridge(canvas, 240, 44, ("#7fa6a0", "#8db58f"), word="mountain", rough=0.4)
    brush.ridge(canvas, 246, 20, plants(canvas, ("#6f9f5a", "#86b560")), word="", rough=0.35)
    meadow(canvas, 238)


def forest(canvas: Canvas) -> None:
    """Paint three rows of trees, the far ones in haze."""
    brush.sky(canvas, 300, clouds=1)
    canvas.rect(0, 90, SIZE, 220, "#dcebdc", 'fill-opacity="0.5"')
    for row, (count, y, height, haze) in enumerate(((10, 272, 225, 0.5), (8, 284, 262, 0.24), (6, 298, 300, 0.0))):
        leaves, needles = (brush.hazy(plants(canvas, tones), haze) for tones in (_TREE, _FIR))
        trunk = brush.hazy(("#5b4029",), haze)[0]
        for i, x in enumerate(brush.scatter(canvas, count, jitter=0.35)):
            tall, foot = height * canvas.uniform(0.85, 1.12), y + canvas.uniform(-2, 5)
            if (i + row) % 3:
                brush.broad_tree(canvas, x, foot, tall, leaves, trunk)
            else:
                brush.conifer(canvas, x, foot, tall, needles, trunk)
    brush.ground(canvas, 288, soil(canvas, ("#6f8f4a", "#587a3c", "#45652f", "#384f27")), word="ground")
    grow(canvas, 300, ("#2f5a28", "#4b7d38", "#7aa950"), count=300)
    canvas.area("forest")


def beach(canvas: Canvas) -> None:
    """Paint sand in front, the sea behind, and foam between."""
    brush.sky(canvas, 205)
    brush.water(canvas, 205, 300, _SEA, word="sea", waves=0.7)
    phase = canvas.uniform(0, 6)
    waves = ((x, 9 * math.sin(x * 0.010 + phase) + 4 * math.sin(x * 0.027 + phase)) for x in range(0, 521, 8))
    edge = [(float(x), 288 + wave) for x, wave in waves]
    canvas.polygon([(x, y - 7) for x, y in edge] + [(x, y + 1) for x, y in reversed(edge)], "#ffffff")
    canvas.polygon([*edge, (520, SIZE), (0, SIZE)], canvas.gradient(_SAND))
    canvas.polygon(edge + [(x, y + 14) for x, y in reversed(edge)], "#b08d58", 'fill-opacity="0.4"')
    for _ in range(60):
        x, y = canvas.uniform(0, SIZE), canvas.uniform(320, SIZE)
        canvas.ellipse(x, y, canvas.uniform(20, 80), canvas.uniform(1.5, 4), "#c59f60", 'fill-opacity="0.14"')
    canvas.area("sand", "beach", "waterfront")


def sea(canvas: Canvas) -> None:
    """Paint open water to the horizon."""
    brush.sky(canvas, 205)
    rough = canvas.state in ("gloomy", "stormy")
    brush.water(canvas, 205, SIZE, _SEA, word="sea", waves=2.0 if rough else 1.0)


def lake(canvas: Canvas) -> None:
    """Paint a lake in front of mountains, with a grassy shore."""
    brush.sky(canvas, 226)
    brush.ridge(canvas, 232, 100, ("#8ba0b4", "#6d8c94", "#648777"), word="mountain", rough=0.6, snow=True)
    far_trees(canvas, 236, 26, word="forest")
    canvas.area("tree")
    brush.water(canvas, 234, 420, _LAKE, word="lake", waves=0.4)
    shore = [(float(x), 398 + 12 * math.sin(x * 0.008 + 1)) for x in range(0, 521, 8)]
    canvas.polygon([*shore, (520, SIZE), (0, SIZE)], canvas.gradient(soil(canvas, _GREEN)[1:]))
    grow(canvas, 412, count=240)
    canvas.area("waterfront")


def river(canvas: Canvas) -> None:
    """Paint a river that winds through grassland from the hills."""
    brush.sky(canvas, 226)
    brush.ridge(canvas, 234, 64, ("#6f9a78", "#86b07a"), word="mountain", rough=0.45)
    meadow(canvas, 228)
    course = [
        (SIZE * (0.5 + 0.17 * math.sin(d * 4.2 + 0.6) * (1 - d * 0.3)), SIZE * (0.010 + 0.24 * d**1.3), 230 + 282 * d)
        for d in np.linspace(0, 1, 40).tolist()
    ]
    left, right = ([(middle + side * half, y) for middle, half, y in course] for side in (-1, 1))
    bed = [(x - 4, y) for x, y in left] + [(x + 4, y) for x, y in reversed(right)]
    canvas.polygon(bed, "#7a6a45", 'fill-opacity="0.5"')
    canvas.polygon(left + right[::-1], canvas.gradient(("#b9dbe6", "#6aaccd", "#3a83ad")))
    far, near = (zip(left[n::2], np.linspace(w, 190, 22 - n), strict=True) for n, w in ((3, 8), (4, 10)))
    ripples = [[(x + w * 0.2, y), (x + w * 0.55, y - 1.5)] for (x, y), w in far]
    ripples += [[(x + w * 0.7, y + 5), (x + w * 0.95, y + 4)] for (x, y), w in near]
    canvas.lines(ripples, "#ffffff", 1.6, 0.5)
    canvas.area("river", "water", "waterfront")


def mountain(canvas: Canvas) -> None:
    """Paint two ranges of snow-capped peaks above a meadow."""
    brush.sky(canvas, 262)
    brush.ridge(canvas, 270, 210, ("#98a5b6", "#76869a", "#667a73"), word="mountain", rough=0.6, snow=True)
    brush.ridge(canvas, 272, 128, ("#76828f", "#5b6a6e", "#567058"), word="mountain", rough=0.58)
    brush.ridge(canvas, 276, 32, plants(canvas, ("#3f6b40", "#55854b")), word="forest", rough=0.7)
    canvas.area("tree")
    meadow(canvas, 268)


def snow(canvas: Canvas) -> None:
    """Paint a snow field with firs and white mountains."""
    brush.sky(canvas, 240)
    brush.ridge(canvas, 248, 110, ("#d5e0ed", "#b3c3d7", "#a6b9ce"), word="mountain", rough=0.55, snow=True)
    for x in brush.scatter(canvas, 9):
        brush.conifer(canvas, x, 254, canvas.uniform(70, 125), ("#3d5f57", "#4c7268", "#eef4f8"))
    brush.ground(canvas, 246, ("#d3dfec", "#e3ecf5", "#edf3f9", "#dbe6f1"), word="snow")


def desert(canvas: Canvas) -> None:
    """Paint dunes under a wide sky."""
    brush.sky(canvas, 245, clouds=1)
    brush.ridge(canvas, 252, 48, ("#e6b877", "#cf9655"), word="desert", rough=0.3)
    brush.ridge(canvas, 290, 54, ("#edc485", "#d9a461"), word="desert", rough=0.3)
    brush.ground(canvas, 280, ("#e9bd7c", "#efcb90", "#e2b36e", "#cf9a55"), word="desert")
    canvas.area("sand")


def street(canvas: Canvas) -> None:
    """Paint a road with pavement, houses and street trees."""
    brush.sky(canvas, 215)
    brush.houses(canvas, 262, 150)
    pavement, asphalt = ("#c9c4ba", "#bdb7ac"), ("#6b6f73", "#5c6064", "#54585c", "#4a4e52")
    if canvas.state == "snowy":
        pavement, asphalt = ("#f4f7fa", "#e3e9ef"), ("#b9c0c6", "#9aa1a7", "#858c92", "#787f85")
        canvas.area("snow")
    brush.ground(canvas, 256, pavement, word="sidewalk", patches=6)
    for x in (0.16, 0.52, 0.86):
        brush.broad_tree(canvas, (x + canvas.uniform(-0.05, 0.05)) * SIZE, 279, 122, plants(canvas, _TREE))
    canvas.rect(0, 290, SIZE, 7, "#8d8a84")
    brush.ground(canvas, 296, asphalt, word="road", patches=24)
    canvas.scenery("road")
    canvas.area("street", "ground")


def court(canvas: Canvas) -> None:
    """Paint a tennis court, seen along its length."""
    brush.sky(canvas, 226)
    far_trees(canvas, 232, 28, word="tree")
    brush.ground(canvas, 228, ("#2f7d5b", "#2c7a66", "#2a6f63"), word="court", patches=10)
    canvas.scenery("court")
    canvas.area("ground")


def track(canvas: Canvas) -> None:
    """Paint a running track with lanes."""
    brush.sky(canvas, 226)
    far_trees(canvas, 232, 28, word="tree")
    meadow(canvas, 228)
    brush.ground(canvas, 272, ("#c25a3c", "#b54f33", "#a8452c"), word="track", patches=16)
    canvas.scenery("track")
    canvas.area("ground")


def airport(canvas: Canvas) -> None:
    """Paint a runway with distant terminal buildings."""
    brush.sky(canvas, 236)
    brush.houses(canvas, 250, 40)
    canvas.areas.remove("house")
    brush.ground(canvas, 246, plants(canvas, ("#8fae6a", "#7fa35a")), word="grass", patches=8)
    brush.ground(canvas, 276, ("#8a8e92", "#7c8084", "#6f7377"), word="runway", patches=20)
    canvas.scenery("runway")
    canvas.area("airport", "ground")


def pier(canvas: Canvas) -> None:
    """Paint a wooden pier that runs into the sea."""
    brush.sky(canvas, 205)
    brush.water(canvas, 205, SIZE, _SEA, word="sea", waves=0.9)
    canvas.polygon(
        [(205, 240), (307, 240), (740, SIZE), (-228, SIZE)], canvas.gradient(("#a9784a", "#9b6b3e", "#8f6138"))
    )
    canvas.scenery("pier")
    canvas.area("pier", "floor")


def sky_only(canvas: Canvas) -> None:
    """Paint only sky."""
    brush.sky(canvas, SIZE, clouds=8)


def glacier(canvas: Canvas) -> None:
    """Paint a wall of ice above cold water."""
    brush.sky(canvas, 236)
    brush.ridge(canvas, 246, 170, ("#f4fafd", "#bfe2ef", "#7fc0da"), word="glacier", rough=0.65)
    brush.ridge(canvas, 248, 84, ("#ffffff", "#d6eef6", "#96cde2"), word="glacier", rough=0.68)
    brush.water(canvas, 240, SIZE, ("#a9d3dd", "#6fb0c4", "#3f8fae", "#2f7d9c"), word="sea", waves=0.7)
    for _ in range(7):
        x, y, w = canvas.uniform(0, SIZE), canvas.uniform(262, 330), canvas.uniform(14, 44)
        canvas.polygon([(x - w, y), (x - w * 0.5, y - w * 0.35), (x + w * 0.3, y - w * 0.3), (x + w, y)], "#f1f9fc")
    canvas.area("snow")


def island(canvas: Canvas) -> None:
    """Paint a sandy island with grass, surrounded by the sea."""
    brush.sky(canvas, 215)
    brush.water(canvas, 215, SIZE, _SEA, word="sea", waves=0.9)
    canvas.ellipse(256, 412, 276, 90, "#ffffff", 'fill-opacity="0.7"')
    canvas.ellipse(256, 410, 268, 84, canvas.gradient(_SAND))
    canvas.ellipse(256, 400, 208, 58, canvas.gradient(plants(canvas, _GREEN[:3])))
    canvas.area("island", "sand", "grass", "beach")


def park(canvas: Canvas) -> None:
    """Paint a lawn with trees and a path."""
    brush.sky(canvas, 244)
    for x in brush.scatter(canvas, 12):
        brush.broad_tree(canvas, x, 250, canvas.uniform(80, 120), brush.hazy(plants(canvas, _TREE), 0.3))
    meadow(canvas, 242)
    path = [(0.53, 244), (0.56, 244), (0.52, 300), (0.62, 380), (0.90, SIZE), (0.34, SIZE), (0.40, 380), (0.46, 300)]
    canvas.polygon([(x * SIZE, float(y)) for x, y in path], "#d9c7a0")
    for x in (0.12, 0.88):
        brush.broad_tree(canvas, x * SIZE, 290, 210, plants(canvas, _TREE))
    canvas.area("path", "ground")


def railway(canvas: Canvas) -> None:
    """Paint rails that cross a meadow."""
    brush.sky(canvas, 226)
    brush.ridge(canvas, 236, 70, ("#7fa6a0", "#8db58f"), word="mountain", rough=0.45)
    meadow(canvas, 230)
    brush.ground(canvas, 330, ("#a39a8c", "#8f8678", "#7d7568"), word="ground", patches=30)
    canvas.scenery("rails")
    canvas.area("rail")


def reef(canvas: Canvas) -> None:
    """Paint coral on the sea floor."""
    canvas.rect(0, 0, SIZE, SIZE, canvas.gradient(("#7fd0e6", "#3fa6cf", "#1f7db3", "#155f93")))
    canvas.scenery("beams")
    brush.ground(canvas, 400, ("#d8c79a", "#cdb987", "#bfa974"), word="sand", patches=18)
    for colour in ("#e0637c", "#f0a04b", "#b06fc4", "#e88a6a", "#f3c64f") * 2:
        x, y, height = canvas.uniform(10, 500), canvas.uniform(400, 425), canvas.uniform(36, 66)
        strokes: list[list[brush.Point]] = []
        for lean in (-0.5, -0.2, 0.12, 0.42):
            top = (x + lean * height, y - height * canvas.uniform(0.7, 1))
            middle = (x + lean * height * 0.6, y - height * 0.45)
            strokes += [[(x, y), middle, top], [middle, (middle[0] + 0.2 * height, middle[1] - 0.3 * height)]]
        canvas.lines(strokes, colour, height * 0.13)
    for _ in range(18):
        r = canvas.uniform(2, 5)
        canvas.ellipse(
            canvas.uniform(0, SIZE), canvas.uniform(40, 380), r, r, "none", 'stroke="#e8f8ff" stroke-opacity="0.7"'
        )
    canvas.area("reef", "water", "sea")
