"""The benchmarks: one frozen record each, with all that differs between them; and the tasks that follow from them.

Whoever needs to know how a benchmark's answers are scored, sorted into cells, paired, built, analysed or described
reads it here. What a record names as ``"module:name"`` is imported when it is asked for (:func:`load`), so that this
module stays light and lies below all that it names.

To add a benchmark: a record in :data:`BENCHMARKS`, its build, and then ``vhbench tasks --write`` for its YAML files.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from vhbench.schema import VhbenchError

Grouping = tuple[str, ...]
"""Columns whose values, taken together, name a cell of a report."""

VALUE_ORDER: Mapping[str, tuple[str, ...]] = {
    "criterion": ("standard", "long_tail", "random", "fictional"),
    "task": ("existence", "attribute", "relation", "counting", "position"),
    "mode": ("comprehensive", "selective", "comparative"),
    "pressure": ("easy", "ni2", "ni3", "ni4", "ni6", "ni8", "ni10", "hp", "hn", "hp+hn"),
}
"""Column → its values in the order in which people read them; others come after, by the alphabet."""

PairRule = Literal["", "twins", "both answers", "easy twin"]
"""What ties rows of one ``pair_id``, see :mod:`vhbench.splits.pairs`; "" where nothing does."""


ROOM = 4096
"""Tokens for an answer and the thoughts before it, the same in every task and on every backend.

vLLM's class of lmms-eval never takes less than its own 4096, and Claude's never more; with these a model is cut off
alike wherever it runs. A model that does not think stops by itself, and pays nothing.
"""


@dataclass(frozen=True, slots=True)
class Family:
    """Tasks that are asked and scored in the same way.

    Attributes:
        name: of their template, ``tasks/<benchmark>/_<name>``, and of their metrics in
            :data:`vhbench.tasks.metrics.registry.METRICS`.
        about: the template's first line.
        cells: the groupings of the report, coarse to fine.
        max_new_tokens: how long an answer may be, the thoughts before it included.
        rows: the function in :mod:`vhbench.tasks.slices` that puts a task's rows in order.
        extra: name in the report → ``"module:function"`` from all records to more of it.
    """

    name: str
    about: str
    cells: tuple[Grouping, ...]
    max_new_tokens: int = ROOM
    rows: str = "whole"
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """A task of lmms-eval, or a group of them: one YAML file.

    Attributes:
        name: of the task; also of the split's config that it reads, unless it keeps rows of all configs.
        family: how it is asked and scored; None for a group.
        keep: column → values, of the rows that it takes from the whole benchmark; None where it reads its own config.
        members: the tasks of a group.
        about: the file's first line, where there is something to say.
        command: what builds a split that has it.
    """

    name: str
    family: Family | None = None
    keep: Mapping[str, tuple[str, ...]] | None = None
    members: tuple[str, ...] = ()
    about: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark, whole.

    Attributes:
        name: of its splits, commands and reports, and the beginning of its tasks' names.
        title: on the dataset card.
        asks: what it asks of a model, in a sentence.
        built: how its questions come about.
        limits: what its scores do not say.
        cite: key of its paper in ``card/references.bib``.
        families: kind of question → how such questions are asked and scored.
        pairs: what ties rows of one ``pair_id``.
        build: its build, a dataclass that is also its command's options.
        starter: the options of the build of its starter split; ``{ode}`` stands for ODE's starter split.
        tasks: a function without arguments that lists its tasks and groups.
        analysis: a module with ``analyse`` and ``draw``; "" for none.
        picture: how the picture of the analysis is called.
        parts: the groupings of its questions on the leaderboard's pages, the first in the table of an edition;
            empty for the coarsest cells of a report.
        cell: the columns that name the cell of a question, by which examples are filtered.
        map: the columns that are the rows and the columns of the map of a model; empty for none.
        sheet: a function that draws a contact sheet of a split into a file.
        positive: the class that precision and recall are about. What matters is to notice that something is not there
            (AMBER's convention, which ODE follows).
    """

    name: str
    title: str
    asks: str
    built: str
    limits: tuple[str, ...]
    cite: str
    families: Mapping[str, Family]
    pairs: PairRule
    build: str
    starter: Mapping[str, Any]
    tasks: str
    analysis: str
    picture: str
    parts: tuple[Grouping, ...] = ()
    cell: Grouping = ("task",)
    map: Grouping = ()
    sheet: str = "vhbench.card:draw_sheet"
    positive: Literal["yes", "no"] = "no"


def load(name: str) -> Any:
    """Import what a record names: ``"module:attribute"``, or a module."""
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def benchmark(name: str) -> Benchmark:
    """Return a benchmark by its name.

    Raises:
        VhbenchError: if there is none.
    """
    if name not in BENCHMARKS:
        raise VhbenchError(f"no benchmark '{name}'; must be one of {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def of_task(name: str) -> Benchmark | None:
    """Return the benchmark that a task, group or config belongs to, by the beginning of its name; None for others'.

    >>> of_task("ode_long_tail").name, of_task("mioh").name, of_task("odessa")
    ('ode', 'mioh', None)
    """
    found = [b for key, b in BENCHMARKS.items() if name == key or name.startswith(f"{key}_")]
    return max(found, key=lambda b: len(b.name), default=None)


EASY_IMAGES = 4
"""Images of MIOH's easy questions; of those that compare two images, two."""


def pressure_family(pressure: str) -> str:
    """Return the MIOH paper's name of a pressure: the numbers of images that press ("ni8", "ni10") are "ni".

    As many as an easy question has, or fewer, are no pressure but points of a curve.

    >>> pressure_family("ni8"), pressure_family("ni2"), pressure_family("hp+hn")
    ('ni', 'curve', 'hp+hn')
    """
    family = pressure.rstrip("0123456789")
    number = pressure[len(family) :]
    return "curve" if number and int(number) <= EASY_IMAGES else family


@cache
def tasks(name: str) -> Mapping[str, Task]:
    """Return the tasks and groups of a benchmark by name.

    Raises:
        VhbenchError: if a task that reads a config of its own is called as the benchmark, which names all its configs.
    """
    found = {task.name: task for task in load(benchmark(name).tasks)()}
    if name in found and found[name].family is not None and found[name].keep is None:
        raise VhbenchError(f"task {name}: names the whole benchmark; call the config that it reads {name}_<something>")
    return found


def task(name: str) -> Task:
    """Return a task by its name; of a split with configs of its own, the one that a config of this name has.

    Raises:
        VhbenchError: if no benchmark's name begins it.
    """
    owner = of_task(name)
    if owner is None:
        raise VhbenchError(f"no benchmark has a task '{name}'; its name must begin with {', '.join(BENCHMARKS)}")
    known = tasks(owner.name).get(name)
    families = list(owner.families.values())
    own = next((family for family in families if name.endswith(f"_{family.name}")), families[-1])
    return known or Task(name, own, command=f"vhbench build {owner.name}")


CAPTIONS = Family(
    "caption",
    "captioning: which words of the vocabulary does the model say, and are they there?",
    cells=(("criterion",), ("pairing",), ("criterion", "pairing")),
)
YES_NO = Family(
    "yes_no",
    'discriminative: yes/no questions on existence and attributes. The positive class is "no", as in AMBER.',
    cells=(("pairing",), ("criterion", "pairing"), ("question_type",), ("criterion", "pairing", "question_type")),
)
MULTIPLE_CHOICE = Family(
    "multiple_choice",
    "multiple-choice questions over several images. One template; each task keeps its rows.",
    cells=(("task",), ("mode",), ("pressure",), ("task", "pressure"), ("question_type", "pressure")),
    extra={"by_number_of_images": "vhbench.tasks.metrics.image_numbers:curve"},
)
PAIRS = Family(
    "pairs",
    "a question and its negated twin on the same image; a pair counts when both are right.",
    cells=(("source", "perturbation"), ("source", "perturbation", "negated"), ("source", "mode", "negated")),
    rows="pairs",
    extra={"pairs": "vhbench.tasks.metrics.symmetric_accuracy:score"},
)

ODE = Benchmark(
    name="ode",
    title="ODE: open-set evaluation of hallucinations",
    asks="Does the model see what is there, in scenes that no training set holds?",
    built="Pairs of concepts are drawn from a graph of co-occurrences by four criteria (standard, long-tail, random, "
    "fictional); each pair becomes a new image; questions ask for a caption, for existence and for attributes.",
    limits=(
        "Drawn images are not photographs: a model may be better or worse on them than on photos.",
        "Captions are judged within the categories whose presence and absence are known.",
    ),
    cite="tu2025ode",
    families={"caption": CAPTIONS, "yes_no": YES_NO},
    pairs="both answers",
    build="vhbench.builds.ode:OdeBuild",
    starter={"pairs": 10},
    tasks="vhbench.builds.ode:tasks",
    analysis="vhbench.analysis.ode_hallucinations",
    picture="analysis",
    parts=(("criterion",), ("criterion", "pairing"), ("task",)),
    cell=("criterion", "pairing", "question_type"),
    map=("criterion", "pairing"),
)
MIOH = Benchmark(
    name="mioh",
    title="MIOH: fine-grained multi-image object hallucination",
    asks="Can the model keep objects apart over several images?",
    built="Four object tasks in three modes of reasoning give 26 types of questions over several images, asked under "
    "three pressures: number of images, hard positives, hard negatives.",
    limits=("Where annotations name objects only partly, negative questions stay within what is annotated.",),
    cite="min2026mioh",
    families={"multiple_choice": MULTIPLE_CHOICE, "yes_no": MULTIPLE_CHOICE},
    pairs="easy twin",
    build="vhbench.builds.mioh:MiohBuild",
    starter={"source": ("scenes:450",), "cells": "5", "size": 384, "tied": 6},
    tasks="vhbench.builds.mioh:tasks",
    analysis="vhbench.analysis.mioh_failures",
    picture="heat_map",
    parts=(("task",), ("mode",), ("pressure",)),
    cell=("question_type", "pressure"),
    map=("question_type", "pressure"),
)
VHEXPANSION = Benchmark(
    name="vhexpansion",
    title="VHExpansion: automatically expanded visual hallucination tests",
    asks="Does a right answer survive negation and a slightly changed image?",
    built="Each test case is expanded by its negated twin, by common perturbations of the image, and by adversarial "
    "ones; symmetric accuracy counts a pair only if both answers are right.",
    limits=("Labels of the original test cases are taken as they are.",),
    cite="liu2024vhexpansion",
    families={"yes_no": PAIRS},
    pairs="twins",
    build="vhbench.builds.vhexpansion:VHExpansionBuild",
    starter={"source": "ode:{ode}", "limit": 60},
    tasks="vhbench.builds.vhexpansion:tasks",
    analysis="vhbench.analysis.vhexpansion_drops",
    picture="analysis",
    parts=(("source", "perturbation"),),
    cell=("source", "perturbation"),
    sheet="vhbench.builds.vhexpansion_sheet:draw_sheet",
)

BENCHMARKS: dict[str, Benchmark] = {entry.name: entry for entry in (ODE, MIOH, VHEXPANSION)}
