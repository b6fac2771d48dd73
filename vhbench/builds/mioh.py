"""MIOH's build: sources, pools and the 26 question types, one shard per type."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from vhbench.builds import mioh_sources
from vhbench.builds.mioh_sources import MiohSource
from vhbench.files import file_sha256, read_json
from vhbench.generators.mioh.filler import Filler
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.pressures import PressureThresholds
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.sizes import sizes
from vhbench.schema import Question, Rejection, Row, Scene, VhbenchError

VERSION: Final = "1.0.0"
"""Of the benchmark: MAJOR changes when scores are no longer comparable."""

_sha256 = lru_cache(maxsize=8)(file_sha256)
_SHARES: Final = ("near", "far", "clip_low", "clip_high")  # thresholds that are quantiles

DRAWN = PressureThresholds(small=0.004, large=0.006)
"""PressureThresholds for drawn scenes, whose things are smaller than those that photographers choose."""


@dataclass(frozen=True)
class MiohBuild:
    """Implements :class:`vhbench.protocols.Build`; configs ``mioh_easy|ni|hp|hn|hp_hn``.

    Attributes:
        sources_read: "scenes", "scenes:N", "coco:FILE", "paco:FILE", "svg:FILE"; each task takes the source that
            knows most about it.
        images: the folder that the files' images lie in.
        cells: "paper", a number, or task → pressure → number.
        types: which question types.
        thresholds: of the pressures; None for the source's defaults.
        clip: name or folder of a CLIP model, or "".
        skip_bad: leave bad entries of a file out and count them.
        size: side of drawn scenes in pixels.
        scratch: folder in which worker processes share the drawing of scenes; "": each draws for itself.
    """

    read: tuple[str, ...] = ("scenes",)
    images: str = ""
    cells: Any = "paper"
    types: tuple[str, ...] = tuple(QUESTION_TYPES)
    thresholds: PressureThresholds | None = None
    clip: str = ""
    skip_bad: bool = False
    size: int = 512
    scratch: str = ""
    seed: int = 0
    benchmark: str = "mioh"
    version: str = VERSION
    _sizes: Mapping[str, Mapping[str, int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sizes", sizes(self.cells))
        unknown = [name for name in self.types if name not in QUESTION_TYPES]
        if unknown:
            raise VhbenchError(f"unknown question type {unknown[0]!r}: must be among {', '.join(QUESTION_TYPES)}")
        for source in self.read:
            mioh_sources.check(source, self.images)

    @property
    def config(self) -> Mapping[str, Any]:
        """Every option, JSON types only; without the folders that sources lie in."""
        return {
            "sources": [mioh_sources.label(source) for source in self.read],
            "cells": {name: dict(self._sizes[name]) for name in self.types},
            "thresholds": {source.partition(":")[0]: asdict(self._thresholds(source)) for source in self.read},
            "pressures": f"rules and CLIP ({_named(self.clip)})" if self.clip else "rules alone, no CLIP",
            "skip_bad": self.skip_bad,
            "size": self.size,
        }

    @property
    def sources(self) -> Mapping[str, str]:
        """The files that were read and their SHA-256."""
        paths = [Path(place) for source in self.read if (place := mioh_sources.file_of(source))]
        return {path.name: _sha256(path) for path in paths}

    @property
    def shards(self) -> int:
        """One per question type."""
        return len(self.types)

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection]:
        """Yield the questions of one type, the scenes behind them, and the cells that could not be filled."""
        kind = QUESTION_TYPES[self.types[shard]]
        world, pool = self.pool(kind.task)
        earlier = {source for name in self.types[:shard] for source in self._sources_of(QUESTION_TYPES[name].task)}
        for source in self._sources_of(kind.task):
            yield from () if source in earlier else world.rejections.get(source, ())
        filler = Filler(kind, pool, self._sizes, seed=self.seed, source=world.name)
        used: set[int] = set()
        for made in filler.fill():
            yield Row(f"mioh_{_group(made.pressure)}", made) if isinstance(made, Question) else made
        for cell in filler.cells.values():
            used |= cell.scenes
        for index in sorted(used):
            yield pool.scenes[index]

    def pool(self, task: str) -> tuple[MiohSource, ScenePool]:
        """Read (once per process) the source that a task takes its questions from."""
        source, *absences = self._sources_of(task)
        return _pool(
            source,
            self.images,
            self.skip_bad,
            self._thresholds(source),
            self.clip,
            self.size,
            self.seed,
            self.scratch,
            absences[0] if absences else "",
        )

    def _sources_of(self, task: str) -> list[str]:
        """Return the source of a task, and the one that knows what is absent from its images."""
        source = mioh_sources.best_source(self.read, task)
        absences = mioh_sources.absences_for(source, self.read)
        return [source, absences] if absences else [source]

    def _thresholds(self, source: str) -> PressureThresholds:
        return self.thresholds or (DRAWN if source.startswith("scenes") else PressureThresholds())


def _named(model: str) -> str:
    """Return a model's name on the Hub; of a folder, its last part."""
    return Path(model).resolve().name if Path(model).is_dir() else model


def _group(pressure: str) -> str:
    return "ni" if pressure.startswith("ni") else pressure.replace("+", "_")


@lru_cache(maxsize=4)
def _pool(
    source: str,
    images: str,
    skip_bad: bool,
    thresholds: PressureThresholds,
    clip: str,
    size: int,
    seed: int,
    scratch: str,
    absences: str,
) -> tuple[MiohSource, ScenePool]:
    """Read a source once per process."""
    world = mioh_sources.read(
        source, images, skip_bad=skip_bad, size=size, seed=seed, scratch=scratch, absences=absences
    )
    pool = ScenePool(world.scenes, thresholds)
    if clip:
        from vhbench.adapters.clip import ClipScorer
        from vhbench.generators.mioh.pressures import CLIP_PROMPT

        texts = [CLIP_PROMPT.format(category) for category in pool.categories]
        pool.clip = ClipScorer(clip).matrix([scene.image for scene in world.scenes], texts)
    return world, pool


def read_cells(text: str) -> Any:
    """Read ``--cells``: "paper", a number, or a JSON file.

    Raises:
        VhbenchError: if the file cannot be read.
    """
    if text == "paper" or text.isdecimal():
        return text
    try:
        return read_json(text)
    except VhbenchError as error:
        raise VhbenchError(f"--cells {text}: must be paper, a number, or a JSON file: {error}") from error


def read_thresholds(pairs: Sequence[str], source: str) -> PressureThresholds | None:
    """Read ``--threshold NAME=VALUE`` options; None if there is none.

    Raises:
        VhbenchError: for an unknown name, or a value that is no number or out of range.
    """
    if not pairs:
        return None
    base = DRAWN if source.startswith("scenes") else PressureThresholds()
    names = asdict(base)
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in names:
            raise VhbenchError(f"--threshold {pair}: unknown name {name!r}: must be one of {', '.join(names)}")
        try:
            number = float(value)
        except ValueError:
            raise VhbenchError(f"--threshold {pair}: {value!r} is not a number") from None
        if not (0 <= number <= 1 if name in _SHARES else 0 <= number < math.inf):
            allowed = "from 0 to 1" if name in _SHARES else "finite and 0 or more"
            raise VhbenchError(f"--threshold {pair}: {value!r} is out of range: must be {allowed}")
        names[name] = type(names[name])(number)
    return PressureThresholds(**names)
