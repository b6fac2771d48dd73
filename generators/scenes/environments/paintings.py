"""Painting of environments: the steps of ``paintings.json``, and brushes that one environment alone uses.

A step names a brush and its arguments, or lists words that are now in the image. Its colours are those listed or those
of a palette; with ``plants`` they follow the state, and ``haze`` is mixed into them.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from vhbench.files import read_typed
from vhbench.generators.scenes.environments import brushes as brush
from vhbench.generators.scenes.environments.brushes import SIZE, Canvas

_GREEN = ("#94bd64", "#7fae4c", "#5f9440", "#477c33")
_BLADES = ("#3f7030", "#5f9a42", "#8fc063")
_TREE = ("#2f5d2a", "#437f38", "#6aa84f")
_FIR = ("#2c5140", "#37634c", "#5b8a68")
_SEA = ("#9fd0e6", "#5fa9d0", "#2f7fb5", "#1f6699")
_SAND = ("#e8cf98", "#efd9a6", "#e3c488", "#d2ae70")
_SNOW = ("#dbe6f1", "#eef4fa", "#ffffff", "#e4edf6")
_PALETTES = {"tree": _TREE, "sea": _SEA, "sand": _SAND, "wood": ("#c79a63", "#b98a52", "#a87a45")}

_Step = dict[str, Any] | list[str]
_PAINTINGS = read_typed(Path(__file__).with_suffix(".json"), dict[str, list[_Step]], "table of paintings")


def painter(name: str) -> Callable[[Canvas], None]:
    """Return the function that paints an environment, given its name in ``paintings.json``."""
    return partial(_paint, steps=_PAINTINGS[name])


def _paint(canvas: Canvas, steps: Sequence[_Step]) -> None:
    brushes = {**vars(brush), **vars(Canvas), **globals()}
    for step in steps:
        if isinstance(step, list):
            canvas.area(*step)
            continue
        options = {name: value for name, value in step.items() if name not in ("brush", "colours", "plants", "haze")}
        if "colours" in step:
            listed = step["colours"]
            colours: Sequence[str] = _PALETTES[listed] if isinstance(listed, str) else listed
            colours = plants(canvas, colours) if "plants" in step else colours
            options["colours"] = brush.hazy(colours, step["haze"]) if "haze" in step else colours
            if step["brush"] in vars(Canvas):
                options["fill"] = canvas.gradient(options.pop("colours"))
        brushes[step["brush"]](canvas, **options)


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


def row(
    canvas: Canvas, tree: str, count: int, base: float, heights: tuple[float, float], colours: Sequence[str]
) -> None:
    """Paint a row of trees, "broad" ones or firs."""
    for x in brush.scatter(canvas, count):
        (brush.broad_tree if tree == "broad" else brush.conifer)(canvas, x, base, canvas.uniform(*heights), colours)


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


def shore(canvas: Canvas, top: float) -> None:
    """Paint a winding shore with grass or snow."""
    edge = [(float(x), top + 12 * math.sin(x * 0.008 + 1)) for x in range(0, 521, 8)]
    canvas.polygon([*edge, (520, SIZE), (0, SIZE)], canvas.gradient(soil(canvas, _GREEN)[1:]))


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


def floes(canvas: Canvas, count: int) -> None:
    """Paint pieces of ice on the water."""
    for _ in range(count):
        x, y, w = canvas.uniform(0, SIZE), canvas.uniform(262, 330), canvas.uniform(14, 44)
        canvas.polygon([(x - w, y), (x - w * 0.5, y - w * 0.35), (x + w * 0.3, y - w * 0.3), (x + w, y)], "#f1f9fc")


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


def window(canvas: Canvas, between: tuple[float, float], curtains: Sequence[str] = ()) -> None:
    """Paint a window that shows the sky of the state, and curtains if they have colours."""
    x, y = canvas.uniform(*between), 46
    canvas.rect(x, y, 123, 150, "#f7f3ea")
    pane = canvas.gradient(canvas.mood.sky[1:])
    for column in range(2):
        for row in range(2):
            canvas.rect(x + 9 + column * 55, y + 9 + row * 68, 49, 61, pane)
    canvas.rect(x - 8, y + 146, 139, 10, "#e6dfd0")
    canvas.area("window")
    if curtains:
        for side in (x - 34, x + 112):
            canvas.rect(side, 34, 45, 190, canvas.gradient(curtains, horizontal=True))
        canvas.rect(x - 44, 28, 211, 7, "#8a5a32", 'rx="3"')
        canvas.area("curtain")


def panes(canvas: Canvas, lefts: Sequence[float]) -> None:
    """Paint a row of high windows that show the sky of the state."""
    for x in lefts:
        canvas.rect(x, 84, 122, 112, "#f7f7f5")
        canvas.rect(x + 7, 91, 108, 98, canvas.gradient(canvas.mood.sky[1:]))
