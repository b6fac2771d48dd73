"""Benchmark definitions: one frozen record each, and the tasks derived from them.

A record defines how a benchmark's answers are scored, grouped into cells, paired, built, analysed and described. Values
of the form ``"module:name"`` are imported on demand (:func:`load`), so this module stays light and below all that it
names.

To add a benchmark: a record in :data:`BENCHMARKS`, its build, and then ``vhbench tasks --write`` for its YAML files.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

from vhbench.schema import VhbenchError

Grouping = tuple[str, ...]  # columns whose combined values name a cell of a report

# column → its values in display order; other values follow alphabetically
VALUE_ORDER: Mapping[str, tuple[str, ...]] = {
    "criterion": ("standard", "long_tail", "random", "fictional"),
    "task": ("existence", "attribute", "relation", "counting", "position"),
    "mode": ("comprehensive", "selective", "comparative"),
    "pressure": ("easy", "ni2", "ni3", "ni4", "ni6", "ni8", "ni10", "hp", "hn", "hp+hn"),
}

# relation of rows with one ``pair_id``, see :mod:`vhbench.splits.pairs`; "" for none
PairRule = Literal["", "twins", "both answers", "easy twin"]
# Token limit for an answer with its reasoning, the same for all tasks and backends: lmms-eval's vLLM class never takes
# less than 4096, and its Claude class never more. A model without reasoning stops earlier, without overhead.
ROOM = 4096
ROTATIONS = (2, 3, 4, 5)  # numbers of rotations of the options that tasks ask; at most as many as there are options
WORDINGS = 3  # number of wordings of an answer instruction, see :mod:`vhbench.tasks.prompts`


@dataclass(frozen=True, slots=True)
class Family:
    """Tasks with the same prompts and scoring."""

    # of their template, ``tasks/<benchmark>/_<name>``, and of their metrics in
    # :data:`vhbench.tasks.metrics.registry.METRICS`
    name: str
    about: str  # first line of the template
    cells: tuple[Grouping, ...]  # groupings of the report, coarse to fine
    max_new_tokens: int = ROOM  # token limit of an answer, including reasoning
    # report entry → ``"module:function"`` that computes it from all records; None for no entry
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """A task of lmms-eval, or a group of them: one YAML file."""

    name: str  # name of the task; also of the config that it reads, unless it filters rows of all configs
    family: Family | None = None  # prompts and scoring; None for a group
    # column → values, a filter on the whole benchmark; None if it reads its own config
    keep: Mapping[str, tuple[str, ...]] | None = None
    holds: Mapping[str, str] = field(default_factory=dict)  # column → its value in each row of the config
    members: tuple[str, ...] = ()  # tasks of a group
    about: str = ""  # optional first line of the file
    command: str = ""  # command that builds a split with it
    max_new_tokens: int = 0  # token limit of an answer; 0 for that of its family
    # prefixes of the ids of each question's variants (:func:`vhbench.records.split_repetition`)
    variants: tuple[str, ...] = ()

    def keeps(self, value: Callable[[str], Any]) -> bool:
        """Return whether the filter keeps a row, given as column → value; without one, every row is kept."""
        return all(value(column) in allowed for column, allowed in (self.keep or {}).items())

    def differs(self, value: Callable[[str], Any]) -> str:
        """Return the column by which a row, given as column → value, is not of the config with this name; "" if none.

        >>> Task("mioh_hp", keep={"pressure": ("hp",)}).differs({"pressure": "hn"}.get)
        'pressure'
        """
        expected = {**(self.keep or {}), **{column: (own,) for column, own in self.holds.items()}}
        return next((column for column, allowed in expected.items() if value(column) not in allowed), "")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Definition of a benchmark."""

    name: str  # name of its splits, commands and reports, and prefix of its tasks
    title: str  # title on the dataset card
    asks: str  # its question to a model, in a sentence
    built: str  # how its questions are made
    limits: tuple[str, ...]  # limitations of its scores
    cite: str  # key of its paper in ``card/references.bib``
    families: Mapping[str, Family]  # kind of question → its prompts and scoring
    pairs: PairRule  # relation of rows with one ``pair_id``
    build: str  # its build, a dataclass of command options
    starter: Mapping[str, Any]  # build options of its starter split; ``{ode}`` is replaced by ODE's starter split
    tasks: str  # function without arguments that lists its tasks and groups
    analysis: str  # module with ``analyse`` and ``draw``; "" for none
    picture: str  # name of the analysis figure
    # groupings on the leaderboard's pages, the first in a version's table; empty for the coarsest cells of a report
    parts: tuple[Grouping, ...] = ()
    cell: Grouping = ("task",)  # columns of a question's cell, by which examples are filtered
    map: Grouping = ()  # row columns and column columns of a model's heat map; empty for none
    sheet: str = "vhbench.card:draw_sheet"  # function that draws a contact sheet of a split into a file
    # positive class of precision and recall. It is the detection of absence (AMBER's convention, as in ODE)
    positive: Literal["yes", "no"] = "no"
    # function from a split's caption vocabulary to a counter of a caption's claims
    claims: str = "vhbench.tasks.metrics.ode_captions:counter"
    # whether it has no tasks but the listed ones; else a split may bring configs with names of their own
    closed: bool = False

    def limited_task(self, value: Callable[[str], Any]) -> Task | None:
        """Return the task with a token limit of its own that keeps a row, given as column → value."""
        return next((task for task in tasks(self.name).values() if task.max_new_tokens and task.keeps(value)), None)

    def token_limit(self, row: Mapping[str, Any]) -> int:
        """Return the maximum number of new tokens of the response to a row."""
        return (self.limited_task(row.get) or self.families[row["kind"]]).max_new_tokens


def load(name: str) -> Any:
    """Import ``"module:attribute"``, or a module."""
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def benchmark(name: str) -> Benchmark:
    """Return a benchmark by its name; raise VhbenchError if it is unknown."""
    if name not in BENCHMARKS:
        raise VhbenchError(f"unknown benchmark '{name}', expected one of {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def of_task(name: str) -> Benchmark | None:
    """Return the benchmark of a task, group or config; None for foreign names, such as lmms-eval's own AMBER.

    >>> of_task("ode_long_tail").name, of_task("mioh").name, of_task("odessa"), of_task("amber_g")
    ('ode', 'mioh', None, None)
    """
    owner = _by_prefix(name)
    return None if owner and owner.closed and name not in tasks(owner.name) else owner


def _by_prefix(name: str) -> Benchmark | None:
    matches = [b for key, b in BENCHMARKS.items() if name == key or name.startswith(f"{key}_")]
    return max(matches, key=lambda b: len(b.name), default=None)


EASY_IMAGES = 4  # images of MIOH's easy questions; two in questions that compare two images


def pressure_family(pressure: str) -> str:
    """Return the MIOH paper's name of a pressure: "ni8" and "ni10" are "ni".

    Numbers up to that of an easy question are not a pressure but points of a curve.

    >>> pressure_family("ni8"), pressure_family("ni2"), pressure_family("hp+hn")
    ('ni', 'curve', 'hp+hn')
    """
    family = pressure.rstrip("0123456789")
    number = pressure[len(family) :]
    return "curve" if number and int(number) <= EASY_IMAGES else family


@cache
def tasks(name: str) -> Mapping[str, Task]:
    """Return the tasks and groups of a benchmark by name; raise VhbenchError if a config has its name."""
    by_name = {task.name: task for task in (*load(benchmark(name).tasks)(), *_variants(benchmark(name)))}
    if name in by_name and by_name[name].family is not None and by_name[name].keep is None:
        raise VhbenchError(f"task {name}: names the whole benchmark; call the config that it reads {name}_<something>")
    return by_name


def _variants(entry: Benchmark) -> Iterator[Task]:
    """Yield the tasks that repeat a benchmark's questions with rotated options, or other answer instructions."""
    kinds = tuple(kind for kind in entry.families if kind != "caption")
    if not kinds:
        return
    family, common = entry.families[kinds[0]], {"perturbation": ("",)}
    for number in ROTATIONS if "multiple_choice" in kinds else ():
        keep = {"kind": ("multiple_choice",), **common}
        yield Task(f"{entry.name}_rotations_{number}", family, keep=keep, variants=_prefixes("r", number))
    wordings = _prefixes("w", WORDINGS)
    yield Task(f"{entry.name}_wordings", family, keep={"kind": kinds, **common}, variants=wordings)


def _prefixes(kind: str, number: int) -> tuple[str, ...]:
    """Return the prefixes of so many rotations ("r") of a question's options, or wordings ("w") of its instruction."""
    return tuple(f"{kind}{place}#" for place in range(1, number + 1))


def task(name: str) -> Task:
    """Return a task by its name or config; raise VhbenchError if its name has no benchmark's prefix."""
    if (owner := _by_prefix(name)) is None:
        raise VhbenchError(f"unknown task '{name}', expected a name that begins with one of {', '.join(BENCHMARKS)}")
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
    cells=(("source", "perturbation"), ("source", "perturbation", "negated"), ("source", "mode")),
    extra={"pairs": "vhbench.tasks.metrics.symmetric_accuracy:score"},
)

ODE = Benchmark(
    name="ode",
    title="ODE: open-set evaluation of hallucinations",
    asks="Does the model describe scenes that no training set contains?",
    built="Concept pairs are sampled from a co-occurrence graph by four criteria (standard, long-tail, random, "
    "fictional); each pair is rendered as a new image, with caption, existence and attribute questions.",
    limits=(
        "Synthetic and generated images differ from photos: scores may not transfer.",
        "Captions are judged only on categories with known presence or absence.",
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
    asks="Can the model distinguish objects across several images?",
    built="Four object tasks in three modes of reasoning give 26 question types over several images, each under three "
    "pressures: number of images, hard positives, hard negatives.",
    limits=("With incomplete annotations, negative questions use only categories with known absence.",),
    cite="min2026mioh",
    families={"multiple_choice": MULTIPLE_CHOICE, "yes_no": MULTIPLE_CHOICE},
    pairs="easy twin",
    build="vhbench.builds.mioh:MiohBuild",
    starter={"source": ("scenes:480",), "cells": "5", "size": 384, "tied": 6},
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
    asks="Does a correct answer survive negation and a slightly changed image?",
    built="Each test case is expanded by its negated twin, by common perturbations of the image, and by adversarial "
    "ones; symmetric accuracy counts a pair only if both answers are correct.",
    limits=("Labels of the original test cases are not corrected.",),
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
_AMBER_REFERENCE = {"reference": "vhbench.tasks.static_captions:amber_reference"}
AMBER = Benchmark(
    name="amber",
    title="AMBER: hallucinations in captions and yes/no answers",
    asks="Does the model describe photos, and judge what they show, without hallucinations?",
    built="Captions of 1,004 photos with annotated objects and likely hallucinations; yes/no questions about "
    "existence, attributes (state, number, action) and relations.",
    limits=(
        "Photos and answers have been public since 2023 and may be in training data.",
        "Nouns are matched with a closed vocabulary; `vhbench score amber --language` uses the reference's tools.",
    ),
    cite="wang2023amber",
    families={
        "caption": replace(CAPTIONS, cells=(), extra=_AMBER_REFERENCE),
        "yes_no": replace(YES_NO, cells=(("task",), ("task", "question_type")), extra=_AMBER_REFERENCE),
    },
    pairs="",
    build="vhbench.builds.amber:AmberBuild",
    starter={"source": "ode:{ode}"},
    tasks="vhbench.builds.amber:tasks",
    analysis="vhbench.analysis.static_scores",
    picture="scores",
    parts=(("task",),),
    cell=("task", "question_type"),
    claims="vhbench.tasks.metrics.amber:counter",
    closed=True,
)
CHAIR = Benchmark(
    name="chair",
    title="CHAIR: objects in captions that are not in the image",
    asks="Which objects does a caption name that are not in the photo?",
    built="A pinned sample of COCO photos is described twice, with at most 64 and 512 new tokens; objects are those of "
    "the annotations and of the reference captions.",
    limits=(
        "Scores depend on the length of captions: compare models at one token limit, and along the curve of lengths.",
        "COCO annotations are incomplete, and its photos are in the training data of most models.",
    ),
    cite="rohrbach2018chair",
    families={
        "caption": replace(
            CAPTIONS,
            cells=(("question_type",),),
            extra={
                "reference": "vhbench.tasks.static_captions:chair_reference",
                "by_length": "vhbench.tasks.static_captions:by_length",
            },
        )
    },
    pairs="",
    build="vhbench.builds.chair:ChairBuild",
    starter={"source": "ode:{ode}", "sample": 0},
    tasks="vhbench.builds.chair:tasks",
    analysis="vhbench.analysis.static_scores",
    picture="scores",
    cell=("question_type",),
    claims="vhbench.tasks.metrics.chair:counter",
    closed=True,
)

BENCHMARKS: dict[str, Benchmark] = {entry.name: entry for entry in (ODE, MIOH, VHEXPANSION, AMBER, CHAIR)}
