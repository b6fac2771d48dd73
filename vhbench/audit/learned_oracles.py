"""Learned oracles of MIOH by scikit-learn: classifiers that see a part of the truth, trained on another split.

Rules answer only from what a view determines (:mod:`vhbench.audit.restricted_oracles`). A classifier also uses how
images of correct and incorrect answers differ otherwise: numbers and sizes of objects, their layout, the words, the
pixels. Each learns one question type from all pressures, option by option, and is tested on the other split, on images
from which it did not learn.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan, sqrt
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from vhbench import splits
from vhbench.audit import phrases, restricted_oracles
from vhbench.benchmarks import pressure_family
from vhbench.files import read_image
from vhbench.images import open_image, to_display_rgb
from vhbench.schema import Question, Scene, VhbenchError

Floats = npt.NDArray[np.float64]
# function that returns what a viewer sees, of shape (options, features)
Viewer = Callable[[Question, Sequence[Scene], "_SceneFeatures"], Floats]
_PARTS = 4  # maximum number of parts of a test, if the splits share images
_FIRST = 4  # images with features of their own; the others are summarized with them
_SIGNIFICANT = 3.3  # standard errors; hundreds of cells are tested, each in both directions
_SIDE, _LEVELS, _HASHED = 48, 3, 48
_UNKNOWN = -9.0
_IMAGE: Final = re.compile(r"[Ii]mage (\d+)")
_IMAGES: Final = ("one image", "another image")
_OTHERS: Final = ("yes", "Both", "Neither", "None of the above", "Both show the same number", "Neither shows any")


@dataclass
class Tested:
    """Correct answers of a viewer in a cell: sums over clusters of questions about the same objects."""

    number: int = 0  # questions
    best: float = 0.0  # sum of the bound by design
    # objects → sum of correct answers, number
    right: dict[tuple[str, ...], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    @property
    def share(self) -> float:
        """Accuracy from 0 to 1."""
        return sum(right for right, _ in self.right.values()) / self.number

    @property
    def bound(self) -> float:
        """Best accuracy by design, from 0 to 1."""
        return self.best / self.number

    @property
    def error(self) -> float:
        """Standard error of the accuracy by clusters, at least that of as many independent answers at the bound."""
        squares = sum((right - number * self.share) ** 2 for right, number in self.right.values())
        return sqrt(max(squares, self.number * self.bound * (1 - self.bound))) / self.number


Cells = dict[str, dict[tuple[str, str], Tested]]  # viewer → (question type, family of pressures) → answers


@dataclass(frozen=True, slots=True)
class _Sample:
    """A question with what each viewer sees of it."""

    question: Question
    views: Mapping[str, Floats]
    images: tuple[str, ...]  # SHA-256; ids of two datasets may be equal

    @property
    def letters(self) -> tuple[str, ...]:
        """Answers that are scored; "yes" alone for a yes/no question."""
        return tuple(ascii_uppercase[: len(self.question.choices)]) or ("yes",)


def compare_splits(directory: Path, other: Path) -> tuple[list[str], list[list[str]]]:
    """Test all viewers on each of two splits, trained on the other one.

    A line is returned per cell that a viewer answers significantly beyond the bound by design in both directions; and
    table rows: question type, and per viewer its accuracy on both splits and the bound by design. Raises VhbenchError
    if scikit-learn is missing, or either is no MIOH split with scenes, or both are the same.
    """
    first, second = (list(_read(path)) for path in (directory, other))
    hashes = [splits.read_manifest(path).content_hash for path in (directory, other)]
    if not first or not second or hashes[0] == hashes[1]:
        raise VhbenchError(f"--other-seed {other}: expected another MIOH split with scenes, built with another --seed")
    ways = _tested(second, first), _tested(first, second)
    kinds = sorted({sample.question.question_type for sample in first})
    rows = [["type", *VIEWERS], *([kind, *(_accuracies(ways, viewer, kind) for viewer in VIEWERS)] for kind in kinds)]
    return list(_leaks(*ways)), rows


def _leaks(ways: Cells, others: Cells) -> Iterator[str]:
    for viewer, cells in ways.items():
        for (kind, pressure), one in cells.items():
            both = [one, *filter(None, [others.get(viewer, {}).get((kind, pressure))])]
            if len(both) == 2 and all(
                way.number >= restricted_oracles.ENOUGH and way.share > way.bound + _SIGNIFICANT * way.error
                for way in both
            ):
                yield (
                    f"{kind} {pressure}: an oracle that learned from {viewer} reaches "
                    f"{' % and '.join(f'{100 * way.share:.1f}' for way in both)} % of "
                    f"{' and '.join(str(way.number) for way in both)} questions; expected at most "
                    f"{100 * one.bound:.1f} % (3.3 standard errors in both directions)"
                )


def _accuracies(ways: tuple[Cells, Cells], viewer: str, kind: str) -> str:
    cells_by_way = [[cell for (name, _), cell in way.get(viewer, {}).items() if name == kind] for way in ways]
    if not all(cells_by_way):
        return "n/a"
    numbers = [sum(cell.number for cell in cells) for cells in cells_by_way]
    shares = [100 * sum(c.share * c.number for c in cells) / n for cells, n in zip(cells_by_way, numbers, strict=True)]
    bound = 100 * sum(cell.best for cell in cells_by_way[0]) / numbers[0]
    return f"{shares[0]:.0f}, {shares[1]:.0f} (bound {bound:.0f})"


# -- learning --------------------------------------------------------------------------------------------------------


def _tested(train: Sequence[_Sample], test: Sequence[_Sample]) -> Cells:
    """Return the accuracy on ``test`` of classifiers trained on other images of ``train``, by cells with a bound."""
    accuracies: Cells = {}
    for examples, questions in _held_apart(train, test):
        kind = questions[0].question.question_type
        for viewer in VIEWERS if len(examples) >= restricted_oracles.ENOUGH else ():
            bounds = [_best(one.question, viewer) for one in questions]
            if all(map(isnan, bounds)):
                continue
            for one, bound, right in zip(questions, bounds, _answers(viewer, examples, questions), strict=True):
                cells = accuracies.setdefault(viewer, {})
                cell = cells.setdefault((kind, pressure_family(one.question.pressure)), Tested())
                cell.number, cell.best = cell.number + 1, cell.best + bound
                counts = cell.right[tuple(sorted(one.question.objects))]
                counts[:] = counts[0] + right, counts[1] + 1
    return accuracies


def _held_apart(train: Sequence[_Sample], test: Sequence[_Sample]) -> Iterator[tuple[list[_Sample], list[_Sample]]]:
    """Yield, for each type, samples to learn from and samples to test that share no image.

    Otherwise an oracle remembers photos. Each part of the test holds whole chains of samples that share images.
    """
    import networkx as nx

    for kind in sorted({sample.question.question_type for sample in test}):
        examples, tests = ([s for s in split if s.question.question_type == kind] for split in (train, test))
        graph: nx.Graph[str] = nx.Graph()
        for sample in (*examples, *tests):
            nx.add_path(graph, sample.images)
        shared = {name for s in examples for name in s.images} & {name for s in tests for name in s.images}
        chains = sorted((chain for chain in nx.connected_components(graph) if chain & shared), key=len, reverse=True)
        part = {image: index % _PARTS for index, chain in enumerate(chains) for image in chain}
        for number in range(_PARTS):
            if tested := [s for s in tests if part.get(s.images[0], 0) == number]:
                yield [s for s in examples if part.get(s.images[0]) != number], tested


def _answers(viewer: str, examples: Sequence[_Sample], questions: Sequence[_Sample]) -> Iterator[bool]:
    """Yield whether each question is answered correctly."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise VhbenchError(f"--other-seed needs scikit-learn: pip install 'vhbench[generate]' ({error})") from error
    labels = [letter == one.question.answer for one in examples for letter in one.letters]
    model: Any = (
        RandomForestClassifier(200, min_samples_leaf=2, random_state=0)
        if viewer == "pixels"
        else HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=8, min_samples_leaf=10, random_state=0)
    )
    with threadpool_limits(1):  # threads of OpenMP wait actively: minutes instead of seconds on a shared machine
        model.fit(np.concatenate([one.views[viewer] for one in examples]), labels)
        scores = model.predict_proba(np.concatenate([one.views[viewer] for one in questions]))[:, -1]
    at = 0
    for one in questions:
        chances, at = scores[at : at + len(one.letters)], at + len(one.letters)
        guess = one.letters[int(chances.argmax())] if one.question.choices else ("yes" if chances[0] >= 0.5 else "no")
        yield guess == one.question.answer


def _best(question: Question, viewer: str) -> float:
    """Return the accuracy that a question's design concedes to a viewer, or NaN."""
    if viewer == "words":  # "I don't know" is never correct
        return 1 / (len(question.choices) - ("I don't know" in question.choices) or 2)
    if viewer == "pixels":  # colours of an image correlate with its objects
        return restricted_oracles.best(question, "presence") if question.question_type[0] in "AP" else nan
    return restricted_oracles.best(question, viewer)


# -- features --------------------------------------------------------------------------------------------------------


def _read(directory: Path) -> Iterator[_Sample]:
    truths, seen_before = splits.packed_scenes(directory), _SceneFeatures()
    for row in splits.read_rows(directory):
        question = row.question
        scenes = [truths[name] for name in question.scene_ids if name in truths]
        if question.benchmark == "mioh" and len(scenes) == len(question.images):
            views = {name: viewer(question, scenes, seen_before) for name, viewer in VIEWERS.items()}
            images = tuple(hashlib.sha256(read_image(image)).hexdigest() for image in question.images)
            yield _Sample(replace(question, images=()), views, images)


class _SceneFeatures:
    """What each image shows, computed once per image."""

    def __init__(self) -> None:
        self._pixels: dict[str, Floats] = {}
        self.reduced: dict[tuple[str, str], Scene] = {}
        self._values: dict[tuple[str, ...], list[float]] = {}

    def pixels(self, name: str, image: Any) -> Floats:
        """Return the shares of coarse colours, and mean and standard deviation of the channels."""
        if name not in self._pixels:
            pixels = np.asarray(to_display_rgb(open_image(image)).resize((_SIDE, _SIDE))).reshape(-1, 3)
            bins = (pixels.astype(int) * _LEVELS // 256) @ [_LEVELS**2, _LEVELS, 1]
            shares = np.bincount(bins, minlength=_LEVELS**3) / len(bins)
            self._pixels[name] = np.concatenate([shares, pixels.mean(axis=0) / 255, pixels.std(axis=0) / 255])
        return self._pixels[name]

    def value(self, question: Question, option: str, scene: Scene, view: str) -> list[float]:
        """Return what an image shows of the phrase, objects and values named in an option, else in the question."""
        phrase = (*phrases.asked_phrases(question.question, [option]), option)[0]
        key = (scene.id, view if scene.id else "", phrase)
        if key not in self._values:
            self._values[key] = _value(phrase, scene, view)
        return self._values[key]


def _truth(view: str) -> Viewer:
    """Return a viewer of what a restricted oracle sees, image by image."""

    def see(question: Question, scenes: Sequence[Scene], before: _SceneFeatures) -> Floats:
        remaining = restricted_oracles.reduced(question, scenes, view, before.reduced)
        sure = restricted_oracles.left_open(question, remaining, lambda _, reduced: reduced)
        values = [[before.value(question, option, scene, view) for scene in remaining] for option in _options(question)]
        flags = [[float(letter in sure), len(sure)] for letter in ascii_uppercase[: len(values)]]
        return np.hstack([_spread(question, np.array(values, float)), flags])

    return see


def _value(phrase: str, scene: Scene, view: str) -> list[float]:
    """Return whether a phrase holds in an image, its objects and values there, and numbers of things."""
    holds = phrases.holds(phrase, scene) if scene.id else None
    words = f" {phrase.lower()} "
    things = [thing for thing in scene.objects if thing.category]
    smallest = {t.category: t.area for t in sorted(things, key=lambda t: -t.area) if f" {t.category.lower()} " in words}
    areas = [area / (scene.width * scene.height) for _, area in sorted(smallest.items())]
    values = sum(f" {value} " in words for thing in scene.objects for _, value in thing.attributes)
    return [
        nan if holds is None else float(holds),
        len(areas),
        *(*areas, nan, nan)[:2],
        len({thing.category for thing in things}),
        sum(thing.area for thing in things) / (scene.width * scene.height),
        nan if view == "presence" else values,
        sum(thing.category in smallest for thing in things),
        phrases.pairs(phrase, scene),
        nan if view == "presence" else len(things),
        bool(scene.id),
    ]


def _words(question: Question, _: Sequence[Scene], __: _SceneFeatures) -> Floats:
    """See the question and its options alone."""
    features = np.zeros((len(options := _options(question)), 2 * _HASHED + 3))
    for place, option in enumerate(options):
        for start, text in ((0, option), (_HASHED, question.question)):
            for word in re.findall(r"\w+", text.lower()):
                features[place, start + crc32(word.encode()) % _HASHED] += 1
        features[place, -3:] = place, len(option), len(question.scene_ids)
    return features


def _pixels(question: Question, scenes: Sequence[Scene], before: _SceneFeatures) -> Floats:
    """See coarse colours of the images, and the words."""
    pixels = [before.pixels(name, image) for name, image in zip(question.scene_ids, question.images, strict=True)]
    values = np.array([pixels] * len(_options(question)))
    return np.hstack([_spread(question, values), _words(question, scenes, before)])


def _options(question: Question) -> tuple[str, ...]:
    return question.choices or ("yes",)


def _spread(question: Question, values: Floats) -> Floats:
    """Return the features of each option from those of each image, of shape (options, images, features).

    They are the features of the first images, those named in the question before the others; of the image that an
    option is; their least, mean and largest value; and the differences from the mean option.
    """
    numbers = [int(number) - 1 for number in _IMAGE.findall(question.question)]
    order = [*numbers, *(i for i in range(values.shape[1]) if i not in numbers)]
    rows = []
    for option, row in zip(_options(question), values[:, order], strict=True):
        match = _IMAGE.fullmatch(option)
        image = values[0, int(match[1]) - 1] if match else np.full(row.shape[1], nan)
        first = np.full((_FIRST, row.shape[1]), nan)
        first[: len(row)] = row[:_FIRST]
        kind = [_OTHERS.index(option) if option in _OTHERS else -1, float(option) if option.isdigit() else nan]
        rows.append(np.concatenate([first.ravel(), image, np.fmin.reduce(row), np.fmax.reduce(row), _mean(row), kind]))
    features = np.array(rows)
    filled: Floats = np.nan_to_num(np.hstack([features, features - _mean(features)]), nan=_UNKNOWN)
    return filled


def _mean(values: Floats) -> Floats:
    """Return the mean over the first axis of what is known."""
    mask = ~np.isnan(values)
    total, number = np.where(mask, values, 0).sum(axis=0), mask.sum(axis=0)
    mean: Floats = np.divide(total, number, out=np.full(total.shape, nan), where=number > 0)
    return mean


# name → what a classifier sees
VIEWERS: Final[Mapping[str, Viewer]] = {
    **{view: _truth(view) for view in (*_IMAGES, "presence", "unbound")},
    "words": _words,
    "pixels": _pixels,
}
