"""Sheets to look at: every drawing, creature × action and environment × state; and the table of colours.

A drawing that a stranger could not name is a wrong label, so whoever adds one looks at it here::

    python -m vhbench.generators.scenes.gallery OUT
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import resvg_py
from PIL import Image, ImageDraw

from vhbench.generators.scenes import catalog, colours, environments
from vhbench.generators.scenes.creatures import CREATURES
from vhbench.generators.scenes.drawings import Drawing, draw

Pixels = npt.NDArray[np.uint8]
Cell = tuple[str, Pixels]
"""A label and an RGBA picture."""

PAPER = (186, 204, 178)
LABEL = 14
HALF = 0.5


def picture(drawing: Drawing, size: int, *, scale: float = 0) -> Pixels:
    """Return RGBA pixels of a drawing, shape (size, size, 4), centred; ``scale`` is pixels per unit (0: fill)."""
    scale = scale or 0.92 * size / max(drawing.width, drawing.height)
    left, top = (size - drawing.width * scale) / 2, (size - drawing.height * scale) / 2
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}">'
        f'<g transform="translate({left:.2f} {top:.2f}) scale({scale:.5f})">{drawing.svg}</g></svg>'
    )
    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))
    pixels = np.asarray(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED))
    return np.ascontiguousarray(pixels[..., [2, 1, 0, 3]], dtype=np.uint8)


def visible(drawing: Drawing, size: int = 120) -> Pixels:
    """Return the opaque pixels of a drawing, shape (n, 3)."""
    pixels = picture(drawing, size)
    return pixels[pixels[..., 3] > 230][:, :3]


def all_drawings(size: int = 120) -> Iterator[Cell]:
    """Yield every drawing in its own colours."""
    for entry in catalog.CATALOG.values():
        yield entry.name, picture(draw(entry.word), size)


def all_colours(size: int = 120) -> Iterator[Cell]:
    """Yield every drawing that can be painted, in every colour."""
    for entry in catalog.CATALOG.values():
        for name in entry.colours:
            yield f"{name} {entry.name}", picture(draw(entry.word, colour=name), size)


def all_states(size: int = 120) -> Iterator[Cell]:
    """Yield every drawing that has states, in each of them, at one scale."""
    for entry in catalog.CATALOG.values():
        shown = {state: draw(entry.word, state=state) for state in entry.states}
        longest = max((max(drawing.width, drawing.height) for drawing in shown.values()), default=1)
        for state, drawing in shown.items():
            yield f"{state} {entry.name}", picture(drawing, size, scale=0.94 * size / longest)


def all_actions(size: int = 140) -> Iterator[Cell]:
    """Yield every creature in every action, at one scale per creature."""
    for number, word in enumerate(CREATURES):
        actions = ("", *catalog.find(word).actions)
        poses = [draw(word, action=action, variant=number + i) for i, action in enumerate(actions)]
        scale = 0.94 * size / max(max(pose.width, pose.height) for pose in poses)
        for action, pose in zip(actions, poses, strict=True):
            yield f"{word} {action or catalog.DEFAULT_ACTION}", picture(pose, size, scale=scale)


def all_environments(size: int = 200) -> Iterator[Cell]:
    """Yield every environment in every state."""
    for environment in environments.ENVIRONMENTS.values():
        for number, state in enumerate(environment.states):
            painted = environments.backdrop(environment.name, state=state, variant=number, size=size)
            yield f"{environment.name}, {state}", np.dstack([painted.pixels, np.full((size, size), 255, np.uint8)])


def sheet(cells: Sequence[Cell], columns: int) -> Image.Image:
    """Put labelled pictures of one size side by side."""
    size = cells[0][1].shape[0]
    rows = -(-len(cells) // columns)
    page = Image.new("RGB", (columns * size, rows * (size + LABEL)), PAPER)
    pen = ImageDraw.Draw(page)
    for number, (label, pixels) in enumerate(cells):
        x, y = number % columns * size, number // columns * (size + LABEL)
        pen.text((x + 2, y), label[: size // 6], fill=0)
        image = Image.fromarray(pixels)
        page.paste(image, (x, y + LABEL), image)
    return page


def weak_colours(entries: Iterable[catalog.Entry], limit: float = HALF) -> list[tuple[str, str, float]]:
    """Return (word, colour, share) where less than ``limit`` of the visible area has the colour asked for."""
    return [
        (entry.word, name, share)
        for entry in entries
        for name in entry.colours
        if (share := colours.matches(visible(draw(entry.word, colour=name)), name)) < limit
    ]


def main(folder: Path) -> None:
    """Write the sheets into a folder and print the colours that are weak."""
    folder.mkdir(parents=True, exist_ok=True)
    sheets = {
        "drawings": (all_drawings(), 14),
        "colours": (all_colours(), 22),
        "actions": (all_actions(), 11),
        "states": (all_states(), 10),
        "environments": (all_environments(), 8),
    }
    for name, (cells, columns) in sheets.items():
        sheet(list(cells), columns).save(folder / f"{name}.png")
    for word, name, share in weak_colours(catalog.CATALOG.values(), HALF + 0.05):
        print(f"{word:16} {name:8} {share:.2f}{'  too little' if share < HALF else ''}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "gallery"))
