"""MIOH scene sources (synthetic, COCO, PACO, SVG) and the question types each can answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vhbench.adapters.category_names import read_names
from vhbench.builds import mioh_synthetic
from vhbench.files import last_written
from vhbench.generators.scenes import WHOLE, ConceptPart
from vhbench.protocols import SceneSequence
from vhbench.schema import Box, Rejection, Scene, VhbenchError, iou

if TYPE_CHECKING:
    from vhbench.adapters.annotation_errors import BadEntryPolicy
    from vhbench.adapters.coco import CocoScenes
    from vhbench.adapters.svg import SvgScenes

# source → tasks that its annotations can answer, the more detailed source first
TASKS: Final[dict[str, tuple[str, ...]]] = {
    "paco": ("attribute", "existence"),
    "svg": ("position",),
    "coco": ("existence", "counting", "position"),
    "scenes": ("existence", "attribute", "counting", "position"),
}

_NUMBER: Final = 2000  # enough to fill the paper's cells
_SAME: Final = 0.7  # intersection over union from which two boxes show one object


@dataclass(frozen=True)
class MiohSource:
    """Scenes, with the rejections of each source."""

    name: str  # source name
    scenes: Sequence[Scene]  # all scenes
    rejections: Mapping[str, tuple[Rejection, ...]]  # source → rejected entries
    # objects whose presence suggests others; None: whatever co-occurs often with them
    suggesting: frozenset[str] | None = None
    # pairs of objects with questions about their sides, and then about no other relation; None: all
    sided_pairs: frozenset[frozenset[str]] | None = None


def check(source: str, images: str) -> None:
    """Validate a source's name; raise VhbenchError if it is unknown, or needs files that are missing."""
    name, _, place = source.partition(":")
    if name not in TASKS or (name != "scenes" and not place):
        raise VhbenchError(f"--source: expected scenes, scenes:N, coco:FILE, paco:FILE or svg:FILE, got {source!r}")
    if name == "scenes" and place and not re.fullmatch(r"[1-9]\d{0,6}", place):
        raise VhbenchError(f"--source: expected scenes:N with N from 1 to 9,999,999, got {source!r}")
    if name != "scenes" and not Path(place).is_file():
        raise VhbenchError(f"--source {source!r}: no file {place}")
    if name != "scenes" and not images:
        raise VhbenchError(f"--source {source!r} needs --images DIR, the folder of its images")


def label(source: str) -> str:
    """Return a source's name without its folder."""
    name, _, place = source.partition(":")
    return f"{name}:{Path(place).name}" if place else name


def file_of(source: str) -> str:
    """Return the file of a source, or ""."""
    name, _, place = source.partition(":")
    return "" if name == "scenes" else place


def best_source(sources: Sequence[str], task: str) -> str:
    """Return a task's source: annotated if it can answer, else synthetic, else the first."""
    able = [s for s in sources if task in TASKS[s.partition(":")[0]]]
    order = ["coco", "paco", "svg", "scenes"] if task == "existence" else list(TASKS)
    return min(able, key=lambda s: order.index(s.partition(":")[0])) if able else sources[0]


class Reading(NamedTuple):
    """Options for reading files."""

    images: str
    skip_bad: bool = False
    rename: tuple[str, ...] = ()
    rivals: str = ""
    keypoints: str = ""


def read(
    source: str,
    how: Reading,
    *,
    size: int = 0,
    seed: int = 0,
    scratch: str = "",
    absences: str = "",
    part: ConceptPart = WHOLE,
) -> MiohSource:
    """Read or render a source's scenes; the arguments are options of the build.

    ``absences`` is a COCO source with absent categories for the same images, or "".
    """
    name = source.partition(":")[0]
    if name == "scenes":
        number = number_of(source)
        scenes, failed = mioh_synthetic.draw(number, seed, size, scratch, part)
        sided_pairs = mioh_synthetic.sided_pairs(number, seed, part)
        return MiohSource(name, scenes, {source: failed}, frozenset(mioh_synthetic.HUBS), sided_pairs)
    scenes = _scenes(source, how, written(source, how.rivals, how.keypoints))
    rejections = {source: _left_out(scenes.faults)}
    if not absences:
        return MiohSource(name, scenes, rejections)
    known = _scenes(absences, how, written(absences, how.rivals, how.keypoints))
    return MiohSource(name, WithAbsences(scenes, known), rejections | {absences: _left_out(known.faults)})


def number_of(source: str) -> int:
    """Return how many scenes are rendered for a source; 0 unless it is synthetic."""
    name, _, place = source.partition(":")
    return int(place or _NUMBER) if name == "scenes" else 0


def hold(source: str, how: Reading) -> None:
    """Read and cache an annotation file; raise VhbenchError if it cannot be read, or an entry is invalid."""
    if file_of(source):
        _scenes(source, how, written(source, how.rivals, how.keypoints))


@lru_cache(maxsize=3)
def _scenes(source: str, how: Reading, _written: tuple[int, ...]) -> Any:
    """Read a file once per process and modification; COCO's may serve three tasks."""
    from vhbench.adapters.coco import CocoScenes
    from vhbench.adapters.coco_entries import read_keypoints
    from vhbench.adapters.paco import PacoScenes
    from vhbench.adapters.svg import SvgScenes

    name, _, place = source.partition(":")
    names, images = read_names(how.rename, how.rivals), Path(how.images)
    if name == "svg":
        return SvgScenes(Path(place), images, skip_bad=how.skip_bad, names=names)
    reader = {"coco": CocoScenes, "paco": PacoScenes}[name]
    people = read_keypoints(Path(how.keypoints)) if how.keypoints else None
    return reader(Path(place), images, skip_bad=how.skip_bad, names=names, keypoints=people)


def statistics(path: str, rename: tuple[str, ...]) -> Sequence[Scene]:
    """Read annotations for their counts only, once, without their images."""
    return _statistics(path, rename, last_written(Path(path)))


@lru_cache(maxsize=2)
def _statistics(path: str, rename: tuple[str, ...], _: int) -> Sequence[Scene]:
    from vhbench.adapters.coco import CocoScenes

    return CocoScenes(Path(path), None, skip_bad=True, names=read_names(rename))


def written(source: str, *files: str) -> tuple[int, ...]:
    """Return the modification times of a source's files, as a cache key."""
    return tuple(last_written(Path(place)) if place else 0 for place in (file_of(source), *files))


def _left_out(faults: "BadEntryPolicy") -> tuple[Rejection, ...]:
    notes = [(where, f"bad entry: {reason}") for reason, where in faults.items]
    notes += [(where, reason) for reason, where in faults.notes]
    return tuple(Rejection(f"{faults.path.name}: {where}", reason) for where, reason in notes)


class WithAbsences(SceneSequence):
    """SVG scenes, which list no absences, combined with COCO's annotations.

    An SVG image and a COCO image are the same if the SVG id is the stem of the COCO file name. COCO is exhaustive for
    its categories: a category is absent if COCO does not annotate it and SVG names neither it nor a synonym. A category
    is fully annotated if its instances match box by box in both.
    """

    def __init__(self, scenes: "SvgScenes", known: "CocoScenes") -> None:
        """Match the images that are in both sources."""
        self._scenes, self._known = scenes, known
        places = {Path(name).stem: i for i, name in enumerate(known.file_names())}
        self._twin = [places.get(key, -1) for key in scenes.keys]

    def __len__(self) -> int:
        return len(self._scenes)

    def bare(self, index: int) -> Scene:
        """Return the scene of one image without its objects."""
        return self._scenes.bare(index)

    def scene(self, index: int) -> Scene:
        """Return the scene of one image."""
        scene, twin = self._scenes[index], self._twin[index]
        if twin < 0:
            return scene
        other, there = self._known[twin], scene.categories()
        absent = other.known - other.categories() - there - self._known.names.confused_with(set(there))
        listed = {c for c in there & other.countable if _same_boxes(_boxes(scene, c), _boxes(other, c))}
        return replace(scene, known=scene.known | absent | listed, countable=scene.countable | absent | listed)


def _boxes(scene: Scene, category: str) -> list[Box]:
    return [o.box for o in scene.objects if o.category == category]


def _same_boxes(ones: list[Box], others: list[Box]) -> bool:
    """Return whether each box can be matched one-to-one to a box of the other list."""
    left = list(others)
    for box in ones if len(ones) == len(others) else ():
        best = max(left, key=lambda other: iou(box, other))
        if iou(box, best) < _SAME:
            return False
        left.remove(best)
    return not left
