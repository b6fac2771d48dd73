"""Where MIOH's scenes come from: drawn pools, COCO, PACO, SVG; and which question types each can answer."""

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

TASKS: Final[dict[str, tuple[str, ...]]] = {
    "paco": ("attribute", "existence"),
    "svg": ("position",),
    "coco": ("existence", "counting", "position"),
    "scenes": ("existence", "attribute", "counting", "position"),
}
"""Source → the tasks that its annotations can answer, the more knowing source first."""

_NUMBER: Final = 1500  # fill the cells of the paper
_SAME: Final = 0.7  # intersection over union from which two boxes are of one thing


@dataclass(frozen=True)
class MiohSource:
    """Scenes, and for each source that they come from what of it was left out.

    Attributes:
        name: of the source.
        scenes: all of them.
        rejections: source → what was left out.
        suggesting: what suggests other things by being there; None: whatever is often seen with them.
    """

    name: str
    scenes: Sequence[Scene]
    rejections: Mapping[str, tuple[Rejection, ...]]
    suggesting: frozenset[str] | None = None


def check(source: str, images: str) -> None:
    """Look at a source's name before anything is read.

    Raises:
        VhbenchError: if there is no such source, or it needs files that are not there.
    """
    name, _, place = source.partition(":")
    if name not in TASKS or (name != "scenes" and not place):
        raise VhbenchError(f"--source {source!r}: must be scenes, scenes:N, coco:FILE, paco:FILE or svg:FILE")
    if name == "scenes" and place and not re.fullmatch(r"[1-9]\d{0,6}", place):
        raise VhbenchError(f"--source {source!r}: scenes:N takes a number of scenes, 1 to 9,999,999")
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


def absences_for(source: str, sources: Sequence[str]) -> str:
    """Return the source that knows what is absent where ``source`` does not: COCO for SVG; "" if there is none."""
    return next((s for s in sources if s.startswith("coco:")), "") if source.startswith("svg:") else ""


class Reading(NamedTuple):
    """How files are read: options of the build."""

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
    """Read or draw the scenes of a source; the arguments are options of the build.

    ``absences`` is a COCO source that knows what is absent from the same images, or "".
    """
    name = source.partition(":")[0]
    if name == "scenes":
        scenes, failed = mioh_synthetic.draw(number_of(source), seed, size, scratch, part)
        return MiohSource(name, scenes, {source: failed}, suggesting=frozenset(mioh_synthetic.HUBS))
    scenes = _scenes(source, how, written(source, how.rivals, how.keypoints))
    rejections = {source: _left_out(scenes.faults)}
    if not absences:
        return MiohSource(name, scenes, rejections)
    known = _scenes(absences, how, written(absences, how.rivals, how.keypoints))
    return MiohSource(name, WithAbsences(scenes, known), rejections | {absences: _left_out(known.faults)})


def number_of(source: str) -> int:
    """Return how many scenes are drawn for a source; 0 where it is no drawn one."""
    name, _, place = source.partition(":")
    return int(place or _NUMBER) if name == "scenes" else 0


def hold(source: str, how: Reading) -> None:
    """Read a file of annotations, so that what is wrong with it is told before anything is built; it is kept.

    Raises:
        VhbenchError: if it cannot be read, or an entry is bad.
    """
    if file_of(source):
        _scenes(source, how, written(source, how.rivals, how.keypoints))


@lru_cache(maxsize=3)
def _scenes(source: str, how: Reading, _written: tuple[int, ...]) -> Any:
    """Read a file once per process and change: COCO's serves two tasks itself, and says what is absent for a third."""
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
    """Read annotations of which only the numbers matter, once: no image of theirs is looked for."""
    return _statistics(path, rename, last_written(Path(path)))


@lru_cache(maxsize=2)
def _statistics(path: str, rename: tuple[str, ...], _: int) -> Sequence[Scene]:
    from vhbench.adapters.coco import CocoScenes

    return CocoScenes(Path(path), None, skip_bad=True, names=read_names(rename))


def written(source: str, *files: str) -> tuple[int, ...]:
    """Return when a source's file, and others that are read with it, were written: what is kept of them is of then."""
    return tuple(last_written(Path(place)) if place else 0 for place in (file_of(source), *files))


def _left_out(faults: "BadEntryPolicy") -> tuple[Rejection, ...]:
    found = [(where, f"bad entry: {reason}") for reason, where in faults.items]
    found += [(where, reason) for reason, where in faults.notes]
    return tuple(Rejection(f"{faults.path.name}: {where}", reason) for where, reason in found)


class WithAbsences(SceneSequence):
    """Scenes of SVG, which lists relations but does not say what is absent, with what COCO knows of the same images.

    An SVG image and a COCO image are the same if the former's id is the stem of the latter's file name. COCO is
    exhaustive for its categories. So one that it does not show, and that SVG does not name either, nor anything that
    people take for it, is absent; and one whose instances are the same in both, box by box, is all listed.
    """

    def __init__(self, scenes: "SvgScenes", known: "CocoScenes") -> None:
        """Find the images that both have."""
        self._scenes, self._known = scenes, known
        places = {Path(name).stem: i for i, name in enumerate(known.file_names())}
        self._twin = [places.get(key, -1) for key in scenes.keys]

    def __len__(self) -> int:
        return len(self._scenes)

    def bare(self, place: int) -> Scene:
        """Return the scene of one image without its objects."""
        return self._scenes.bare(place)

    def scene(self, place: int) -> Scene:
        """Make the scene of one image."""
        scene, twin = self._scenes[place], self._twin[place]
        if twin < 0:
            return scene
        other, there = self._known[twin], scene.categories()
        absent = other.known - other.categories() - there - self._known.names.confused_with(set(there))
        listed = {c for c in there & other.countable if _same_boxes(_boxes(scene, c), _boxes(other, c))}
        return replace(scene, known=scene.known | absent | listed, countable=scene.countable | absent | listed)


def _boxes(scene: Scene, category: str) -> list[Box]:
    return [o.box for o in scene.objects if o.category == category]


def _same_boxes(ones: list[Box], others: list[Box]) -> bool:
    """Tell whether each box has one of the others for itself."""
    left = list(others)
    for box in ones if len(ones) == len(others) else ():
        best = max(left, key=lambda other: iou(box, other))
        if iou(box, best) < _SAME:
            return False
        left.remove(best)
    return not left
