"""Restricted oracles: perfect vision of a single image, or of objects and counts without owners of colours and sides.

The scenes are reduced to the restricted view, in which each option is true, false or open. An oracle with that view
takes what is known, else guesses uniformly among the open options, and answers "None of the above" only if nothing else
is left. So its accuracy is known exactly for each question: :func:`chance`. :func:`best` is what the question's design
concedes; a cell that exceeds it can be answered without the skill that it is meant to measure.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isnan, nan, sqrt
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from vhbench import splits
from vhbench.audit import phrases, question_solver
from vhbench.benchmarks import pressure_family
from vhbench.schema import Question, Scene, SceneObject, VhbenchError

Scenes = Sequence[Scene]
View = Callable[[Question, Scenes], Scenes]

ENOUGH: Final = 20  # minimum number of questions of a cell for checking a bound
_SLACK: Final = 0.03  # accuracy above the bound by design at which a cell leaks
# standard errors that no cell of a sound split exceeds by chance; over a hundred are looked at
_SIGNIFICANT: Final = 3.3
_COLUMNS = ("id", "kind", "question", "question_type", "choices", "answer", "scene_ids", "pressure")
_NONE = "None of the above"
_NAMED = re.compile(r"[Ii]mage (\d+)")


@dataclass(frozen=True, slots=True)
class Reached:
    """Accuracy of an oracle in a cell, as sums over its questions."""

    number: int = 0  # questions
    right: float = 0.0  # sum of the probabilities of a correct answer
    squares: float = 0.0  # sum of their squares
    best: float = 0.0  # sum of the bound by design, or NaN if the design sets no bound
    # for an oracle that compares numbers: pair → whether the answer is "no", and its score, which ranks yes/no
    # questions; the same text with other images is no further evidence
    texts: Mapping[str, tuple[bool, float]] = field(default_factory=dict)

    def __add__(self, other: "Reached") -> "Reached":
        """Pool two cells."""
        return Reached(
            self.number + other.number,
            self.right + other.right,
            self.squares + other.squares,
            self.best + other.best,
            {**self.texts, **other.texts},
        )

    @property
    def share(self) -> float:
        """Accuracy from 0 to 1; for scores of yes/no questions, how often the higher one has the likelier answer."""
        yes, no = self._ranked()
        if not yes or not no:
            return self.right / self.number
        above = sum((one > other) + (one == other) / 2 for one in yes for other in no) / (len(yes) * len(no))
        return max(above, 1 - above)

    @property
    def bound(self) -> float:
        """Best accuracy by design, from 0 to 1, or NaN."""
        return self.best / self.number

    @property
    def error(self) -> float:
        """Standard error of the accuracy."""
        yes, no = self._ranked()
        if yes and no:
            return sqrt((len(yes) + len(no) + 1) / (12 * len(yes) * len(no)))
        return sqrt(max(0.0, self.squares / self.number - self.share**2) / (len(self.texts) or self.number))

    def _ranked(self) -> tuple[list[float], list[float]]:
        """Return the scores of questions with the answer yes, and no."""
        scores = [[score for answer, score in self.texts.values() if answer is no] for no in (False, True)]
        return scores[0], scores[1]


Figures = dict[str, dict[tuple[str, str], Reached]]  # oracle → (question type, family of pressures) → accuracy


# -- views -----------------------------------------------------------------------------------------------------------


# What an oracle sees: the first or the second image that a question names, or else the first or the last; which objects
# are in each image, without counts, attributes and positions; also the counts and the attribute values, but not whose
# they are, nor sides; the values alone, as if all objects were present
VIEWS: Final[dict[str, View]] = {
    "one image": lambda question, scenes: _only(_places(question)[0], scenes),
    "another image": lambda question, scenes: _only(_places(question)[-1], scenes),
    "presence": lambda _, scenes: [_uncounted(_bare(scene)) for scene in scenes],
    "unbound": lambda question, scenes: [_unbound(question, scene) for scene in scenes],
    "values": lambda _, scenes: [_unowned(_crowded(scene), scene) for scene in scenes],
}

# Oracle that sees what "unbound" sees → score of an answer by the numbers of things in its images. It takes the option
# with the highest score. Yes/no questions offer nothing to compare with: there it compares questions.
_COUNTERS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "most instances": max,
    "fewest instances": lambda numbers: -min(filter(None, numbers), default=0),
}


def _places(question: Question) -> list[int]:
    numbers = [int(number) - 1 for number in _NAMED.findall(question.question)]
    return numbers or [0, len(question.scene_ids) - 1]


def _only(place: int, scenes: Scenes) -> Scenes:
    """Remove all knowledge of the other images."""
    nothing = Scene("", b"", 1, 1, ())
    return [scene if i == place else nothing for i, scene in enumerate(scenes)]


def _bare(scene: Scene) -> Scene:
    """Remove attribute values and positions."""
    objects = tuple(replace(thing, attributes=(), box=(0, 0, 1, 1)) for thing in scene.objects)
    return replace(scene, objects=objects, relations=(), known_predicates=frozenset())


def _unbound(question: Question, scene: Scene) -> Scene:
    """Remove positions and the owners of values; where all are listed, equal positions would deny a side."""
    if question.question_type.startswith("P"):
        return replace(_bare(scene), countable=frozenset())
    return _unowned(_bare(scene), scene)


def _uncounted(scene: Scene) -> Scene:
    """Remove counts; without them, an attribute or a relation of objects that are present is open.

    Of each category, the largest object stays: the areas of all would reveal their number to a learned oracle.
    """
    largest = {thing.category: thing for thing in sorted(scene.objects, key=lambda thing: thing.area)}
    return replace(scene, objects=tuple(largest.values()), countable=scene.countable - scene.categories())


def _crowded(scene: Scene) -> Scene:
    """Add an object of each known category."""
    kinds = frozenset(kind for thing in scene.objects for kind in thing.known_attributes)
    names = sorted(scene.known | scene.categories())
    objects = tuple(_thing(i, name, kinds) for i, name in enumerate(names))
    return replace(scene, objects=objects, countable=frozenset(names))


@lru_cache(maxsize=1 << 16)
def _thing(number: int, category: str, kinds: frozenset[str]) -> SceneObject:
    return SceneObject(number, category, (0, 0, 1, 1), 1, known_attributes=kinds)


def _unowned(scene: Scene, full: Scene) -> Scene:
    """Add the attribute values of the full scene, each carrier as an object of unknown category."""
    carriers = (SceneObject(-1, "", (0, 0, 1, 1), 1, attributes=thing.attributes) for thing in full.objects)
    return replace(scene, objects=(*scene.objects, *carriers))


# -- accuracy and its bound ------------------------------------------------------------------------------------------


def left_open(question: Question, scenes: Scenes, view: View) -> tuple[str, ...]:
    """Return the answers (letters, or yes and no) among which an oracle guesses; scenes are in the images' order."""
    return _open(question, view(question, scenes))


def _open(question: Question, scenes: Scenes) -> tuple[str, ...]:
    if question.kind == "yes_no":
        answer = question_solver.read(question.question, scenes)
        return ("yes", "no") if answer is None else ("yes",) if answer else ("no",)
    values = {
        letter: question_solver.choice(question.question, text, scenes)
        for letter, text in zip(ascii_uppercase, question.choices, strict=False)
        if text != _NONE
    }
    sure = tuple(letter for letter, value in values.items() if value)
    return sure or tuple(k for k, value in values.items() if value is None) or tuple(
        ascii_uppercase[i] for i, text in enumerate(question.choices) if text == _NONE
    )  # fmt: skip


def chance(question: Question, scenes: Scenes, view: View) -> float:
    """Return the probability that an oracle answers a question correctly."""
    return _share(question, left_open(question, scenes, view))


def _share(question: Question, open_answers: Sequence[str]) -> float:
    return (question.answer in open_answers) / len(open_answers) if open_answers else 0.0


def best(question: Question, view: str) -> float:
    """Return the accuracy that the design of a question type concedes to a view, or NaN if it sets no bound.

    One of five answers is "None of the above". An oracle without the skill guesses among the other options; one that
    sees a single of n images knows the answer if that image alone shows it.
    """
    images, options = len(question.scene_ids), len(question.choices) or 2
    if view in _IMAGES:
        formula = _ONE_IMAGE.get(question.question_type)
        return formula(images, options - 1) if formula else nan
    if question.question_type[:1] not in _SCOPE[view]:
        return nan
    if question.question_type in _COUNTS:
        return _COUNTS[question.question_type]
    if _NONE not in question.choices:
        return 1 / options
    candidates = min(images, 4) if question.question_type in _EACH_IN_ONE else options - 1
    return max(0.2, 0.8 / candidates)


_IMAGES: Final = ("one image", "another image")
# view → first letters of the question types that require what it lacks
_SCOPE: Final = {"presence": "ACP", "unbound": "AP", "values": "A", **dict.fromkeys(_COUNTERS, "AP")}
# accuracy from presence without counts: zeros are known, which C5 × HN rests on
_COUNTS: Final = {"C1": nan, "C2": nan, "C3": 0.4, "C4": 0.4, "C5": 0.5}
_EACH_IN_ONE: Final = ("A3", "P3")  # question types whose first four images each show the objects of another option

# question type → accuracy from one of n images if k options besides "None of the above" are offered
_ONE_IMAGE: Final[Mapping[str, Callable[[int, int], float]]] = {
    **dict.fromkeys(("E1", "E2", "A1", "A2", "P1", "P2"), lambda n, k: 0.5 + 0.5 / n),  # the exception may be in it
    **dict.fromkeys(("E3", "A3", "P3"), lambda n, k: 0.8 * (1 / n + (1 - 1 / n) / k)),
    **dict.fromkeys(("E5", "A5", "P5", "P6"), lambda n, k: 0.8 / n + 0.8 / k),
    **dict.fromkeys(("E6", "A6"), lambda n, k: 0.5),
    **dict.fromkeys(("E4", "A4", "P4", "E7", "A7", "P7"), lambda n, k: 0.4),  # two of four options stay open
}


def reduced(question: Question, scenes: Scenes, view: str, memo: dict[tuple[str, str], Scene]) -> list[Scene]:
    """Return the scenes as a view leaves them; ``memo`` caches those that depend on no other image."""
    if view in _IMAGES:
        return [*VIEWS[view](question, scenes)]
    key = view + question.question_type[:1]
    for scene in scenes:
        if (scene.id, key) not in memo:
            memo[scene.id, key] = VIEWS[view](question, [scene])[0]
    return [memo[scene.id, key] for scene in scenes]


def add(figures: Figures, question: Question, scenes: Scenes, memo: dict[tuple[str, str], Scene] | None = None) -> None:
    """Add a question to each oracle's accuracy; not if the full scenes leave its answer open."""
    if _open(question, scenes) != (question.answer,):
        return
    cell, memo = (question.question_type, pressure_family(question.pressure)), {} if memo is None else memo
    for name in (*VIEWS, *_COUNTERS):
        if name in _SCOPE and name != "presence" and question.question_type[:1] not in _SCOPE[name]:
            continue
        remaining = reduced(question, scenes, "unbound" if name in _COUNTERS else name, memo)
        answers, texts = _open(question, remaining), {}
        if name in _COUNTERS:
            scores = {a: _COUNTERS[name](n) for a, n in _numbers(question, remaining).items() if a in answers}
            answers = tuple(a for a in answers if question.choices and scores[a] == max(scores.values())) or answers
            texts = {question.pair_id or question.id: (question.answer == "no", scores.get("yes", 0.0))}
        right = _share(question, answers)
        cells = figures.setdefault(name, {})
        cells[cell] = cells.get(cell, Reached()) + Reached(1, right, right**2, best(question, name), texts)


def _numbers(question: Question, scenes: Scenes) -> dict[str, list[float]]:
    """Return, per answer, the numbers of things that it is about in the images on which it rests."""
    options = question.choices or ("yes",)
    named = [scenes[int(number) - 1] for number in _NAMED.findall(question.question)]
    about = phrases.asked_phrases(question.question, question.choices)
    numbers = {}
    for letter, option in zip(ascii_uppercase if question.choices else ("yes",), options, strict=False):
        phrase = option if option in about else about[0]
        image = _NAMED.fullmatch(option)
        if len(named) == 2:  # one image against the other
            one, two = (phrases.pairs(phrase, scene) for scene in named)
            turned = image is not None and scenes[int(image[1]) - 1] is named[1]
            numbers[letter] = [0.0 if phrase != option and not image else two - one if turned else one - two]
        else:
            of_images = [scenes[int(image[1]) - 1]] if image else scenes
            numbers[letter] = [float(phrases.pairs(phrase, scene)) for scene in of_images]
    return numbers


def of_split(directory: Path) -> Figures:
    """Return each oracle's accuracy on a MIOH split with scenes; no image is read."""
    truths, figures = splits.packed_scenes(directory), Figures()
    for _, row in splits.read_columns(directory, _COLUMNS):
        question = Question(images=(), **row)
        scenes = [truths[scene] for scene in question.scene_ids if scene in truths]
        if len(scenes) == len(question.scene_ids) > 0:
            add(figures, question, scenes)
    return figures


def checked(questions: Iterable[Question], scenes: Mapping[str, Scene]) -> dict[str, dict[str, Any]]:
    """Return the figures of questions as JSON (:func:`stored`).

    Raises:
        VhbenchError: naming the cells that can be answered without the skill they measure.
    """
    figures, memo = Figures(), dict[tuple[str, str], Scene]()
    for question in questions:
        add(figures, question, [scenes[name] for name in question.scene_ids], memo)
    if errors := leaks(figures):
        raise VhbenchError("; ".join(errors))
    return stored(figures)


def stored(figures: Figures) -> dict[str, dict[str, Any]]:
    """Return figures as JSON: cell ("A5/hn") → oracle → number, accuracy, standard error, best."""
    cells: dict[str, dict[str, Any]] = {}
    for view, of_view in figures.items():
        for (kind, pressure), one in of_view.items():
            estimate = {"n": one.number, "accuracy": round(one.share, 4), "error": round(one.error, 4)}
            bound = {} if isnan(one.bound) else {"best": round(one.bound, 4)}
            cells.setdefault(f"{kind}/{pressure}", {})[view] = estimate | bound
    return cells


def leaks(figures: Figures) -> list[str]:
    """Return a line for each cell that an oracle answers beyond the bound by design.

    One image either shows the answer or leaves a guess, and options about several facts differ in numbers of things, so
    that accuracy also varies by chance: there the excess must be significant as well, or be more than two questions
    where images of one fact show equal numbers by design. Numbers are also compared over all pressures of a type.
    """
    pooled = {name: dict(cells) for name, cells in figures.items()}
    for name in _COUNTERS.keys() & figures.keys():
        for kind in {kind for kind, _ in figures[name]}:
            parts = (cell for (other, _), cell in figures[name].items() if other == kind)
            pooled[name][kind, "under all pressures"] = sum(parts, Reached())
    return [
        f"{kind} {pressure}: an oracle restricted to {view} reaches {100 * cell.share:.1f} % of {cell.number} "
        f"questions; expected at most {100 * (cell.bound + slack):.1f} %"
        for view, cells in pooled.items()
        for (kind, pressure), cell in cells.items()
        if (slack := max(_SLACK, _luck(view, kind, cell))) and cell.number >= ENOUGH and cell.share > cell.bound + slack
    ]


def _luck(view: str, kind: str, cell: Reached) -> float:
    """Return the excess over the bound that a sound cell may have by chance."""
    if view in _COUNTERS and kind in ("A5", "A6", "P5", "P6"):
        return 2 / cell.number
    return _SIGNIFICANT * cell.error if view in (*_IMAGES, *_COUNTERS) else 0


def table(figures: Figures) -> list[list[str]]:
    """Return table rows: question type, number, and per oracle the accuracy and the bound by design, in percent."""
    rows = [["type", "questions", *figures]]
    for kind in sorted({kind for view in figures.values() for kind, _ in view}):
        matches = ((cell for (other, _), cell in view.items() if other == kind) for view in figures.values())
        pooled = [sum(cells, Reached()) for cells in matches]
        number = max(cell.number for cell in pooled)
        reached = ({"accuracy": c.share, "best": c.bound} if c.number else {} for c in pooled)
        rows.append([kind, f"{number:,}", *map(_percent, reached)])
    return rows


def cell_table(directory: Path, noted: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[list[str]]:
    """Return such rows per cell, ± 1.96 standard errors of independent questions.

    ``noted`` are the figures of the build (:func:`checked`); if empty, as after a review, they are computed.
    """
    cells = noted or stored(of_split(directory))
    views = [view for view in (*VIEWS, *_COUNTERS) if any(view in of_cell for of_cell in cells.values())]
    rows = [["type", "questions", *views]]
    for cell, reached in sorted(cells.items()):
        number = max(estimate["n"] for estimate in reached.values())
        rows.append([cell.replace("/", " "), f"{number:,}", *(_percent(reached.get(view, {})) for view in views)])
    return rows


def _percent(reached: Mapping[str, float]) -> str:
    if not reached:
        return "n/a"
    around = f" ± {196 * reached['error']:.1f}" if reached.get("error") else ""
    bound = reached.get("best", nan)
    return f"{100 * reached['accuracy']:.1f}{around}" + ("" if isnan(bound) else f" (bound {100 * bound:.0f})")
