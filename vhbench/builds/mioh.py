"""MIOH build: sources, pools and the 26 question types, one shard per type."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Final, get_args

from vhbench.adapters.category_names import read_names
from vhbench.adapters.photos import Photos
from vhbench.audit import restricted_oracles
from vhbench.benchmarks import Task, benchmark
from vhbench.builds import mioh_sources, mioh_synthetic
from vhbench.builds.mioh_sources import MiohSource
from vhbench.builds.split_build import PART_HELP, SplitBuild, version_option
from vhbench.files import file_sha256, last_written, read_json
from vhbench.generators.mioh.filler import Filler
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.pressures import PRESSURES, PressureThresholds
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.question_types import Task as ObjectTask
from vhbench.generators.mioh.sizes import sizes
from vhbench.generators.scenes import read_part
from vhbench.options import check_numbers, option
from vhbench.protocols import Note
from vhbench.schema import Question, Rejection, Row, Scene, VhbenchError
from vhbench.splits import read_manifest

_SHARES: Final = ("near", "far", "clip_low", "clip_high")  # thresholds that are quantiles
_of_sources, _of_questions = partial(option, panel="Sources"), partial(option, panel="Questions")
_LEFT_OUT: Final = "type left out"  # first words of the filler's reason

# thresholds for synthetic scenes, whose objects are smaller than in photographs
DRAWN = PressureThresholds(small=0.005, large=0.006, related=0.0)


@dataclass(frozen=True, kw_only=True)
class MiohBuild(SplitBuild):
    """Build MIOH: object hallucination across several images under controlled pressure.

    26 question types (existence, attribute, counting, position; comprehensive, selective, comparative), each easy and
    under three pressures: number of images (NI), hard positives (HP), hard negatives (HN).

    Example: `vhbench build mioh --source coco:instances_train2017.json --images train2017 --out out`
    """

    benchmark = "mioh"

    version: str = version_option("2.0.0")  # 2: attribute and position questions need binding and sides everywhere
    source: tuple[str, ...] = _of_sources(
        "`scenes[:N]` (N synthetic images, 2,000 by default), `coco:INSTANCES.json` (COCO, COCO-ReM, or any file "
        "in that format), `paco:FILE` (attributes), `svg:FILE` (relations of Synthetic Visual Genome; a `coco:` file "
        "of the same images supplies absences). If repeated, each task uses the source with the richest annotations.",
        ("scenes",),
        repeat=True,
    )
    images: str = _of_sources("Folder of the annotated images.", "", metavar="DIR")
    rivals: str = _of_sources(
        "JSON list of groups of easily confused categories: where one is present, absence of the others counts as"
        " unknown. Replaces the built-in list (adapters/rivals.json).",
        "",
        metavar="FILE",
    )
    rename: tuple[str, ...] = _of_sources(
        'Wording of a category in questions, e.g. `"tv=TV or monitor"` (the default for tv).',
        (),
        metavar="NAME=WORDS",
        repeat=True,
    )
    keypoints: str = _of_sources(
        "COCO person keypoints (`person_keypoints_train2017.json`): exclude people whose head and torso are both "
        "invisible. Without it, people with a small box cut by the image border are excluded.",
        "",
        metavar="FILE",
    )
    skip_bad: bool = _of_sources("Skip invalid entries and report their number.", False)
    part: str = _of_sources(PART_HELP, "", metavar="I/N")
    size: int = _of_sources("Side of synthetic images in pixels.", 512, least=64, most=4096)
    cells: str = _of_questions(
        "Questions per cell: `paper` (3,484 in total), one number for each type and pressure (including HP+HN), or a "
        "JSON file mapping task → pressure → number.",
        "paper",
    )
    types: tuple[str, ...] = _of_questions(
        f"Question types, e.g. `E5,C4`; all {len(QUESTION_TYPES)} by default.",
        tuple(QUESTION_TYPES),
        show_default=False,
    )
    statistics: str = _of_questions(
        "COCO instances from which P(target | present) is estimated for hard negatives, e.g. "
        "`instances_train2017.json`; by default, the images of the split.",
        "",
        metavar="FILE",
    )
    tied: int = _of_questions(
        "Additional facts per object task with questions in every mode about the same images, to separate "
        "perception from integration failures.",
        0,
        least=0,
    )
    allow_missing: bool = _of_questions(
        "Accept cells with fewer questions than requested. Question types that the source cannot support are left out "
        "in any case.",
        False,
    )
    clip: str = _of_questions(
        "CLIP model for similarity-based pressure, e.g. `openai/clip-vit-large-patch14`. Without it, HP and HN "
        "use size, occlusion, truncation and co-occurrence alone.",
        "",
        metavar="NAME",
        model="",
    )
    threshold: tuple[str, ...] = _of_questions(
        "Threshold of a pressure, e.g. `small=0.02`; names are in `vhbench.generators.mioh.pressures`.",
        (),
        metavar="NAME=VALUE",
        repeat=True,
    )

    def check(self) -> None:
        """Validate all options before anything is built. Raises as :meth:`SplitBuild.check`."""
        check_numbers(self)
        if unknown := [name for name in self.types if name not in QUESTION_TYPES]:
            raise VhbenchError(f"unknown question type {unknown[0]!r}, expected one of {', '.join(QUESTION_TYPES)}")
        for source in self.source:
            mioh_sources.check(source, self.images)
            self.thresholds(source)
        self._check_part()
        for flag, place in (("rivals", self.rivals), ("keypoints", self.keypoints), ("statistics", self.statistics)):
            if place and not Path(place).is_file():
                raise VhbenchError(f"--{flag} {place}: no such file")
        read_names(self.rename, self.rivals)
        self._sizes  # noqa: B018 - reads the file
        for source in self.source:
            mioh_sources.hold(source, self.reading)
        if self.statistics:
            mioh_sources.statistics(self.statistics, self.rename)

    def _check_part(self) -> None:
        part = read_part(self.part)
        for source in self.source if self.part else ():
            number = mioh_sources.number_of(source)
            if not number:
                raise VhbenchError(
                    f"--part {self.part} with --source {source}: only synthetic scenes (scenes:N) have parts; photos "
                    "of a file show all its categories"
                )
            mioh_synthetic.check(number, self.seed, part)

    @property
    def config(self) -> Mapping[str, Any]:
        """All options, JSON types only, without the folders of the sources."""
        clip = Path(self.clip).resolve().name if Path(self.clip).is_dir() else self.clip
        return {
            "sources": [mioh_sources.label(source) for source in self.source],
            "cells": {name: dict(self._sizes[name]) for name in self.types},
            "thresholds": {source.partition(":")[0]: asdict(self.thresholds(source)) for source in self.source},
            "pressures": f"rules and CLIP ({clip})" if self.clip else "rules alone, no CLIP",
            "statistics": Path(self.statistics).name or "the images' own",
            "rivals": Path(self.rivals).name or "those that come along",
            "rename": list(self.rename),
            "keypoints": Path(self.keypoints).name,
            "skip_bad": self.skip_bad,
            "size": self.size,
            **({"part": self.part} if self.part else {}),
        }

    @property
    def sources(self) -> Mapping[str, str]:
        """Source files and their SHA-256."""
        annotated = [mioh_sources.file_of(source) for source in self.source]
        read = filter(None, [*annotated, self.rivals, self.keypoints, self.statistics])
        return {Path(place).name: _sha256(Path(place), last_written(Path(place))) for place in read}

    @property
    def shards(self) -> int:
        """One per question type."""
        return len(self.types)

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection | Note]:
        """Yield one type's questions, their scenes, and notes on unfilled cells."""
        kind = QUESTION_TYPES[self.types[shard]]
        world, pool = self.pool(kind.task)
        earlier = {source for name in self.types[:shard] for source in self._sources_of(QUESTION_TYPES[name].task)}
        for source in self._sources_of(kind.task):
            yield from () if source in earlier else world.rejections.get(source, ())
        photos = None if world.name == "scenes" else Photos(pool.scenes, skip_bad=self.skip_bad)
        pool.fit = photos.fit if photos else pool.fit
        filler = Filler(kind, pool, self._sizes, seed=self.seed, source=world.name)
        rows, known = list[Question](), dict[str, Scene]()
        for item in filler.fill():
            if isinstance(item, Question):
                rows.append(item)
                yield Row(f"mioh_{PRESSURES[item.pressure].group}", item)
            else:
                yield item
        yield Note("cells", filler.tally())
        for index in filler.used():
            scene = pool.scenes[index]
            known[scene.id] = replace(scene, image=b"")
            yield scene
        yield Note("restricted_oracles", restricted_oracles.checked(rows, known))
        yield from photos.left_out() if photos else ()

    def check_notes(self, notes: Mapping[str, Mapping[str, Any]]) -> None:
        """Raise VhbenchError, naming the short cells and the types left out, unless short ones are allowed."""
        missing = _missing(notes)
        short = [cell for reason in missing if not reason.startswith(_LEFT_OUT) for cell in missing[reason]]
        out = ", ".join(kind for reason in missing if reason.startswith(_LEFT_OUT) for kind in missing[reason])
        if short and not self.allow_missing:
            raise VhbenchError(
                f"fewer questions than requested in {', '.join(short)}; "
                f"{f'types left out: {out}; ' if out else ''}provide more images, "
                "request fewer questions (--cells), or accept them with --allow-missing: the same command then resumes"
            )

    def outcome(self, split: Path) -> Sequence[Sequence[str]]:
        """Return the table of types left out and short cells, by reason; empty if all cells are full."""
        missing = _missing(read_manifest(split).extra)
        rows = [[reason, ", ".join(cells)] for reason, cells in missing.items()]
        return [["reason", "missing types and cells (questions)"], *rows] if rows else ()

    @property
    def reading(self) -> mioh_sources.Reading:
        """Options for reading files."""
        return mioh_sources.Reading(self.images, self.skip_bad, self.rename, self.rivals, self.keypoints)

    def pool(self, task: str) -> tuple[MiohSource, ScenePool]:
        """Read (once per process) the source for a task's questions."""
        source, absences = (*self._sources_of(task), "")[:2]
        files = (mioh_sources.file_of(absences), self.rivals, self.keypoints, self.statistics)
        return _pool(self, source, absences, mioh_sources.written(source, *files))

    def _sources_of(self, task: str) -> list[str]:
        """Return a task's source, and the source of its absences if it has none (COCO for SVG)."""
        source = mioh_sources.best_source(self.source, task)
        others = [other for other in self.source if source.startswith("svg:") and other.startswith("coco:")]
        return [source, *others[:1]]

    @cached_property
    def _sizes(self) -> Mapping[str, Mapping[str, int]]:
        return sizes(_read_cells(self.cells), tied=self.tied)

    def thresholds(self, source: str) -> PressureThresholds:
        """Return the pressure thresholds for a source's scenes."""
        return _read_thresholds(self.threshold, DRAWN if source.startswith("scenes") else PressureThresholds())


def _missing(notes: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return reason → types left out, or short cells with their numbers of questions."""
    missing: dict[str, list[str]] = {}
    for name, cell in notes["cells"].items():
        if reason := cell.get("reason", ""):
            kind = name.partition("/")[0]
            listed = missing.setdefault(reason, [])
            listed.append(kind if reason.startswith(_LEFT_OUT) else f"{name} ({cell['asked']} of {cell['wanted']})")
    return {reason: [*dict.fromkeys(names)] for reason, names in missing.items()}


@lru_cache(maxsize=8)
def _sha256(path: Path, _: int) -> str:
    """Return the SHA-256 of a file; the modification time is part of the cache key."""
    return file_sha256(path)


@lru_cache(maxsize=4)
def _pool(build: MiohBuild, source: str, absences: str, _: tuple[int, ...]) -> tuple[MiohSource, ScenePool]:
    """Read a source once per process and modification of its files."""
    world = mioh_sources.read(
        source, build.reading, size=build.size, seed=build.seed, scratch=build.scratch, absences=absences,
        part=read_part(build.part),
    )  # fmt: skip
    others = mioh_sources.statistics(build.statistics, build.rename) if build.statistics else None
    thresholds, planned = build.thresholds(source), world.suggesting
    pool = ScenePool(world.scenes, thresholds, statistics=others, suggesting=planned, sided_pairs=world.sided_pairs)
    if build.clip:
        from vhbench.adapters.clip import ClipScorer

        pool.clip = ClipScorer(build.clip).similarities([scene.image for scene in world.scenes], pool.clip_texts())
    return world, pool


def _read_cells(text: str) -> Any:
    """Parse ``--cells``: "paper", a number, or a JSON file."""
    if text == "paper" or text.isdecimal():
        return text
    try:
        return read_json(text)
    except VhbenchError as error:
        raise VhbenchError(f"--cells: expected paper, a number, or a JSON file, got {text}: {error}") from error


def _read_thresholds(pairs: Sequence[str], base: PressureThresholds) -> PressureThresholds:
    """Return thresholds with the changes of ``--threshold NAME=VALUE`` applied."""
    names = asdict(base)
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in names:
            raise VhbenchError(f"--threshold {pair}: unknown name {name!r}, expected one of {', '.join(names)}")
        try:
            number = float(value)
        except ValueError:
            raise VhbenchError(f"--threshold {pair}: {value!r} is not a number") from None
        if not (0 <= number <= 1 if name in _SHARES else 0 <= number < math.inf):
            allowed = "a number from 0 to 1" if name in _SHARES else "a finite number, 0 or more"
            raise VhbenchError(f"--threshold {pair}: expected {allowed}, got {value!r}")
        names[name] = type(names[name])(number)
    return PressureThresholds(**names)


def tasks() -> Iterator[Task]:
    """Yield MIOH's tasks: the whole benchmark, and one per mode, task and pressure."""
    groups = dict.fromkeys(pressure.group for pressure in PRESSURES.values())
    parts: dict[str, Mapping[str, tuple[str, ...]]] = {
        **{kind.mode: {"mode": (kind.mode,)} for kind in QUESTION_TYPES.values()},
        **{task: {"task": (task,)} for task in get_args(ObjectTask)},
        **{group: {"pressure": tuple(p for p in PRESSURES if PRESSURES[p].group == group)} for group in groups},
    }
    family, command = benchmark("mioh").families["multiple_choice"], "vhbench build mioh"
    yield Task("mioh", family, keep={}, command=command)
    for part, keep in parts.items():
        yield Task(f"mioh_{part}", family, keep=keep, command=command)
