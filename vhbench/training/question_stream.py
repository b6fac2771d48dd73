"""Endless stream of fresh questions about synthetic scenes, for reinforcement learning.

Each block is a small build of a benchmark with its own seed (:mod:`vhbench.builds`), held in memory. All blocks
draw from one part of the concepts, so that no object or place of another part's test split is ever shown.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vhbench import benchmarks, splits
from vhbench.builds.split_build import SplitBuild
from vhbench.columns import CELLS
from vhbench.files import json_bytes, read_image, write_atomic
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.ode.criteria import CRITERIA
from vhbench.generators.scenes import read_part
from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS
from vhbench.images import open_image, to_display_rgb
from vhbench.schema import Question, Row, Scene, VhbenchError
from vhbench.seeding import rng
from vhbench.training import leakage
from vhbench.training.examples import prompt
from vhbench.training.options import RlOptions
from vhbench.training.sample_selection import units

_ODE_PAIRS, _MIOH_SCENES, _MIOH_CELLS = 8, 480, 40
"""Size of a block: pairs per criterion; scenes, and questions per type."""


def questions(options: RlOptions) -> Iterator[Question]:
    """Yield questions without end.

    Both answers of a pair, and else a yes and a no of one type and pressure, follow one another, multiple-choice
    questions in twos: a batch of an even number of questions holds whole pairs. Raises for an unknown benchmark, an
    invalid part, or a test split about concepts of the part.
    """
    if unknown := [name for name in options.benchmark if name not in _BLOCKS]:
        raise VhbenchError(f"--benchmark: expected one of {', '.join(_BLOCKS)}; got {unknown[0]!r}")
    images, scenes = _scored(options)
    sources = [_units(name, options, images, scenes) for name in options.benchmark]
    return chain.from_iterable(chain.from_iterable(zip(*sources, strict=True)))


def _scored(options: RlOptions) -> tuple[frozenset[str], frozenset[str]]:
    """Return images (SHA-256) and scenes of the test splits, which are not about concepts of the stream's part."""
    part = read_part(options.part)
    if part.of < 2:
        raise VhbenchError(f"--part {options.part!r}: expected I/N with N at least 2, such as 1/2; test on another one")
    contents = [leakage.read_contents(test) for test in options.tests]
    for test, scored in zip(options.tests, contents, strict=True):
        shared = sorted(word for word in scored.concepts if part.holds(word))
        if not options.share_concepts and (shared or not leakage.has_concepts(test)):
            reason = f"is about concepts of this part ({', '.join(shared[:3])})" if shared else "hides its concepts"
            raise VhbenchError(
                f"--test {test}: {reason}; expected a split of another part than --part {options.part}, or "
                "--share-concepts to compare images and scenes alone"
            )
    none = frozenset[str]()
    return none.union(*(scored.images for scored in contents)), none.union(*(scored.scenes for scored in contents))


def _units(name: str, options: RlOptions, images: frozenset[str], scenes: frozenset[str]) -> Iterator[list[Question]]:
    total = 0
    for block in count():
        seed = int(rng(options.seed, "stream", name, block).integers(2**31))
        level = 1 + total // options.curriculum if options.curriculum else len(PRESSURES)
        with TemporaryDirectory() as folder:
            rows = _rows(_BLOCKS[name](options, seed, level, Path(folder)))
            closed = [_renamed(question, seed) for question in rows if question.kind != "caption"]
        closed = _once(closed, seed) if name == "mioh" else closed
        fresh = [
            question
            for question in closed
            if scenes.isdisjoint(question.scene_ids)
            and images.isdisjoint(hashlib.sha256(read_image(image)).hexdigest() for image in question.images if images)
        ]
        total += len(fresh)
        yield from _in_pairs(fresh, seed)


def _once(questions: Sequence[Question], seed: int) -> list[Question]:
    """Keep one question of each case: with other numbers of images, it has the same text and answer."""
    kept: dict[tuple[str, str], int] = {}
    for index in rng(seed, "once").permutation(len(questions)).tolist():
        kept.setdefault((questions[index].question_type, questions[index].pair_id or questions[index].id), index)
    return [questions[index] for index in sorted(kept.values())]


def _in_pairs(questions: Sequence[Question], seed: int) -> Iterator[list[Question]]:
    """Yield pairs in random order: a yes and a no (:func:`~vhbench.training.sample_selection.units`), else any two."""
    pairs = units(questions)
    single: list[Question] = []
    for index in rng(seed, "pairs").permutation(len(pairs)):
        unit = pairs[index]
        if len(unit) == 1:
            single += unit
            unit, single = (single, []) if len(single) == 2 else ([], single)
        if unit:
            yield unit


def stream(benchmark: str | tuple[str, ...], **settings: Any) -> Iterator[dict[str, Any]]:
    """Yield rows for TRL's ``GRPOTrainer`` without end: ``IterableDataset.from_generator(stream, gen_kwargs={…})``.

    The settings are those of :class:`~vhbench.training.options.RlOptions`, of which ``part`` is required.
    """
    names = (benchmark,) if isinstance(benchmark, str) else tuple(benchmark)
    options = RlOptions(benchmark=names, **settings)
    for question in questions(options):
        row = training_row(question, options)
        yield row | {"images": [to_display_rgb(open_image(image)) for image in row["images"]]}


def training_row(question: Question, options: RlOptions) -> dict[str, Any]:
    """Return a question as a row: TRL's ``prompt`` and encoded ``images``, and the columns that rewards read."""
    return {
        "id": question.id,
        "prompt": [{"role": "user", "content": list(prompt(question, options.form))}],
        "images": [read_image(image) for image in question.images],
        **{name: str(getattr(question, name)) for name in COLUMNS},
        **{name: list(getattr(question, name)) for name in ("choices", "scene_ids")},
        **{name: getattr(options, name) for name in ("strict", "wrong", "abstain")},
    }


COLUMNS = ("kind", "question", "answer", "benchmark", *CELLS, "pair_id")  # columns of text in a row


def _rows(build: SplitBuild) -> Iterator[Question]:
    """Yield the questions of a build, with their images in memory."""
    build.check()
    for shard in range(build.shards):
        for item in build.make(shard):
            if isinstance(item, Row):
                yield replace(item.question, images=tuple(map(read_image, item.question.images)))


def _renamed(question: Question, seed: int) -> Question:
    """Return a question with ids that are unique in the stream."""
    tied = f"{question.benchmark}-{seed}-{question.pair_id}" if question.pair_id else ""
    return replace(question, id=f"{question.benchmark}-{seed}-{question.id}", pair_id=tied)


def _ode(options: RlOptions, seed: int, level: int, folder: Path) -> SplitBuild:
    return _build(
        "ode", pairs=_ODE_PAIRS, seed=seed, part=options.part, size=options.size, criteria=tuple(CRITERIA)[:level]
    )


def _mioh(options: RlOptions, seed: int, level: int, folder: Path) -> SplitBuild:
    """Build all types under one of the first pressures: under another one, a case has the same text and answer."""
    groups = list(dict.fromkeys("ni" if p.images else p.name for p in PRESSURES.values()))[:level]
    group = groups[int(rng(seed, "pressure").integers(len(groups)))]
    types = [kind.task for kind in QUESTION_TYPES.values()]
    cells = {task: {group: types.count(task) * _MIOH_CELLS} for task in types}
    write_atomic(folder / "cells.json", json_bytes(cells))
    source, shared = (f"scenes:{_MIOH_SCENES}",), {"seed": seed, "part": options.part, "size": options.size}
    return _build("mioh", source=source, cells=str(folder / "cells.json"), allow_missing=True, **shared)


def _vhexpansion(options: RlOptions, seed: int, level: int, folder: Path) -> SplitBuild:
    """Expand a block of ODE, whose images are clean at the first level."""
    source, perturb = _ode(options, seed, len(CRITERIA), folder), tuple(PERTURBATIONS)[: level - 1] or ("none",)
    source.check()
    items = [item for shard in range(source.shards) for item in source.make(shard)]
    rows, scenes = [one for one in items if isinstance(one, Row)], [one for one in items if isinstance(one, Scene)]
    splits.write_split(
        folder / "ode", rows, scenes=scenes, benchmark="ode", version=source.version, seed=seed, config={}
    )
    return _build("vhexpansion", source=f"ode:{folder / 'ode'}", seed=seed, perturb=perturb, compression=1)


def _build(name: str, **options: Any) -> SplitBuild:
    build: SplitBuild = benchmarks.load(benchmarks.benchmark(name).build)(**options)
    return build


_BLOCKS: dict[str, Callable[[RlOptions, int, int, Path], SplitBuild]] = {
    "ode": _ode,
    "mioh": _mioh,
    "vhexpansion": _vhexpansion,
}
"""Benchmark → build of one block: options, the block's seed, the number of open levels, a scratch folder."""
