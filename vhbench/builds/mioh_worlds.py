"""Where MIOH's scenes come from: drawn pools, COCO, PACO, SVG; and which question types each can answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vhbench.builds import mioh_drawn
from vhbench.schema import Rejection, Scene, VhbenchError

TASKS: Final[dict[str, tuple[str, ...]]] = {
    "paco": ("attribute", "existence"),
    "svg": ("position",),
    "coco": ("existence", "counting", "position"),
    "scenes": ("existence", "attribute", "counting", "position"),
}
"""Source → the tasks that its annotations can answer, the more knowing source first."""

_NUMBER: Final = 240


@dataclass(frozen=True)
class World:
    """Scenes, and what of the source was left out."""

    name: str
    scenes: Sequence[Scene]
    rejections: tuple[Rejection, ...] = ()


def check(source: str, images: str) -> None:
    """Look at a source's name before anything is read.

    Raises:
        VhbenchError: if there is no such source, or it needs files that are not there.
    """
    name, _, place = source.partition(":")
    if name not in TASKS or (name != "scenes" and not place):
        raise VhbenchError(f"--source {source!r}: must be scenes, scenes:N, coco:FILE, paco:FILE or svg:FILE")
    if name == "scenes" and place and not (place.isdecimal() and int(place) > 0):
        raise VhbenchError(f"--source {source!r}: scenes:N takes a number of scenes")
    if name != "scenes" and not Path(place).is_file():
        raise VhbenchError(f"--source {source!r}: no file {place}")
    if name != "scenes" and not images:
        raise VhbenchError(f"--source {source!r} needs --images DIR, the folder that its images lie in")


def label(source: str) -> str:
    """Return a source's name without the folder that it lies in."""
    name, _, place = source.partition(":")
    return f"{name}:{Path(place).name}" if place else name


def file_of(source: str) -> str:
    """Return the file of a source, or ""."""
    name, _, place = source.partition(":")
    return "" if name == "scenes" else place


def best_source(sources: Sequence[str], task: str) -> str:
    """Return the source for a task: an annotated one that can answer it, else drawn scenes, else the first."""
    able = [s for s in sources if task in TASKS[s.partition(":")[0]]]
    order = ["coco", "paco", "svg", "scenes"] if task == "existence" else list(TASKS)
    return min(able, key=lambda s: order.index(s.partition(":")[0])) if able else sources[0]


def read(source: str, images: str, *, skip_bad: bool, size: int, seed: int, scratch: str = "") -> World:
    """Read or draw the scenes of a source; ``scratch`` is a folder in which processes share the drawing, or ""."""
    name, _, place = source.partition(":")
    if name == "scenes":
        scenes, failed = mioh_drawn.draw(int(place or _NUMBER), seed, size, scratch)
        return World(name, scenes, failed)
    from vhbench.adapters.coco import CocoScenes
    from vhbench.adapters.paco import PacoScenes
    from vhbench.adapters.svg import SvgScenes

    reader = {"coco": CocoScenes, "paco": PacoScenes, "svg": SvgScenes}[name]
    scenes = reader(Path(place), Path(images), skip_bad=skip_bad)
    rejections = (Rejection(where, f"bad entry: {reason}") for reason, where in scenes.faults.items)
    return World(name, scenes, tuple(rejections))
