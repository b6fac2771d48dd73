"""Restricted oracles: perfect vision of a single image, or of presence without counts.

The scenes are reduced to the restricted view, in which each option is true, false or open. An oracle with that view
takes what is known, else guesses uniformly among the open options, and answers "None of the above" only if nothing else
is left. So its accuracy is known exactly for each question: :func:`chance`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from string import ascii_uppercase
from typing import Final

from vhbench import splits
from vhbench.audit import phrases, question_solver
from vhbench.audit.phrases import Maybe
from vhbench.schema import Question, Scene

Scenes = Sequence[Scene]
View = Callable[[Question, Scenes], Scenes]
Figures = Mapping[str, Mapping[str, tuple[float, int]]]
"""Oracle → question type → accuracy (a share), and number of questions."""

ENOUGH: Final = 20
"""Minimum number of questions of a type for checking a bound."""

_BOUNDS: Final[dict[tuple[str, str], float]] = {
    **{(view, kind): 0.5 for view in ("one image", "another image") for kind in ("E7", "A7", "P7")},
    **{(view, kind): 0.45 for view in ("one image", "another image") for kind in ("E4", "A4", "P4")},
    ("presence", "C3"): 0.4,
    ("presence", "C4"): 0.4,
    ("presence", "C5"): 0.5,
}
"""Maximum accuracy of an oracle on question types that require what it lacks."""

_READ = ("kind", "question", "question_type", "choices", "answer", "scene_ids")
_NONE = "None of the above"
_NAMED = re.compile(r"[Ii]mage (\d+)")


def one_image(question: Question, scenes: Scenes) -> Scenes:
    """Keep the first image that a question names, or else the first."""
    return _only(_places(question)[0], scenes)


def another_image(question: Question, scenes: Scenes) -> Scenes:
    """Keep the second image that a question names, or else the last."""
    return _only(_places(question)[-1], scenes)


def presence(question: Question, scenes: Scenes) -> Scenes:
    """Keep object presence, and for counting questions no counts."""
    if not any(re.fullmatch(pattern, question.question) for pattern, _ in _COUNTED):
        return scenes
    return [replace(scene, countable=scene.countable - scene.categories()) for scene in scenes]


def _places(question: Question) -> list[int]:
    named = [int(number) - 1 for number in _NAMED.findall(question.question)]
    return named or [0, len(question.scene_ids) - 1]


def _only(place: int, scenes: Scenes) -> Scenes:
    """Remove all knowledge of the other images."""
    nothing = Scene("", b"", 1, 1, ())
    return [scene if i == place else nothing for i, scene in enumerate(scenes)]


VIEWS: Final[dict[str, View]] = {"one image": one_image, "another image": another_image, "presence": presence}


def left_open(question: Question, scenes: Scenes, view: View) -> tuple[str, ...]:
    """Return the answers (letters, or yes and no) among which an oracle guesses.

    Args:
        question: with its options.
        scenes: scenes of its images, in their order.
        view: restriction of the oracle.
    """
    seen = view(question, scenes)
    if question.kind == "yes_no":
        found = question_solver.read(question.question, seen)
        return ("yes", "no") if found is None else ("yes",) if found else ("no",)
    values = {
        letter: _option(question.question, text, seen)
        for letter, text in zip(ascii_uppercase, question.choices, strict=False)
        if text != _NONE
    }
    sure = tuple(letter for letter, value in values.items() if value)
    return sure or tuple(k for k, value in values.items() if value is None) or tuple(
        ascii_uppercase[i] for i, text in enumerate(question.choices) if text == _NONE
    )  # fmt: skip


def chance(question: Question, scenes: Scenes, view: View) -> float:
    """Return the probability that an oracle answers a question correctly."""
    found = left_open(question, scenes, view)
    return (question.answer in found) / len(found) if found else 0.0


def add(found: dict[str, dict[str, tuple[float, int]]], question: Question, scenes: Scenes) -> None:
    """Add a question to each oracle's accuracy on its type."""
    for name, view in VIEWS.items():
        share, number = found.setdefault(name, {}).get(question.question_type, (0.0, 0))
        total = share * number + chance(question, scenes, view)
        found[name][question.question_type] = (total / (number + 1), number + 1)


def of_split(directory: Path) -> Figures:
    """Return each oracle's accuracy on a MIOH split with scenes; no image is read."""
    truths, found = splits.packed_scenes(directory), dict[str, dict[str, tuple[float, int]]]()
    for _, group in splits.read_columns(directory, ["id", *_READ]):
        for name, *values in zip(*group.values(), strict=True):
            question = Question(name, images=(), **dict(zip(_READ, values, strict=True)))
            scenes = [truths[scene] for scene in question.scene_ids if scene in truths]
            if len(scenes) == len(question.scene_ids) > 0:
                add(found, question, scenes)
    return found


def table(found: Figures) -> list[list[str]]:
    """Return table rows: question type, number, accuracy per oracle in percent, bound."""
    kinds = dict.fromkeys(kind for of_view in found.values() for kind in of_view)
    rows = []
    for kind in kinds:
        number = max(of_view[kind][1] for of_view in found.values() if kind in of_view)
        shown = [_shown(view, kind, of_view[kind][0]) for view, of_view in found.items() if kind in of_view]
        rows.append([kind, f"{number:,}", *shown])
    return rows


def _shown(view: str, kind: str, share: float) -> str:
    most = _BOUNDS.get((view, kind))
    return f"{100 * share:.1f}" + (f" (at most {100 * most:.0f})" if most else "")


def tables(found: Figures) -> Iterator[list[tuple[str, ...]]]:
    """Yield for each task the rows of a table: each oracle's accuracy in percent, a column per question type."""
    kinds = sorted({kind for of_view in found.values() for kind in of_view})
    for task in dict.fromkeys(kind[0] for kind in kinds):
        own = [kind for kind in kinds if kind[0] == task]
        rows = [
            (f"{view} only", *(f"{100 * of_view[kind][0]:.0f}" if kind in of_view else "n/a" for kind in own))
            for view, of_view in found.items()
        ]
        yield [("accuracy (%)", *own), *rows]


def warnings(found: Figures) -> list[str]:
    """Return a line for each type on which an oracle exceeds its bound."""
    return [
        f"{kind}: an oracle restricted to {view} reaches {100 * found[view][kind][0]:.1f} % of "
        f"{found[view][kind][1]} questions; expected at most {100 * most:.0f} %"
        for (view, kind), most in _BOUNDS.items()
        if kind in found.get(view, {}) and found[view][kind][1] >= ENOUGH and found[view][kind][0] > most + 1e-9
    ]


# -- counts with known bounds ----------------------------------------------------------------------------------------


def _option(text: str, option: str, scenes: Scenes) -> Maybe:
    for pattern, answer in _COUNTED:
        if match := re.fullmatch(pattern, text):
            return answer(scenes, option, *match.groups())
    return question_solver.choice(text, option, scenes)


def _bounds(phrase: str, scenes: Scenes) -> list[tuple[float, float]]:
    """Return per image the minimum and maximum possible count of a category."""
    name, found = phrases.category(phrase, scenes), list[tuple[float, float]]()
    for scene in scenes:
        number = phrases.count(name, scene) if name else None
        there = phrases.present(name, scene) if name else None
        found.append((number, number) if number is not None else (1 if there else 0, 0 if there is False else inf))
    return found


def _equals(low: float, high: float, number: int) -> Maybe:
    return False if not low <= number <= high else True if low == high else None


def _total(scenes: Scenes, phrase: str, number: str) -> Maybe:
    ends = _bounds(phrase, scenes)
    return _equals(sum(low for low, _ in ends), sum(high for _, high in ends), int(number))


def _exactly(scenes: Scenes, option: str, number: str, phrase: str) -> Maybe:
    place = int(option.split()[-1]) - 1
    return _equals(*_bounds(phrase, scenes)[place], number=int(number))


def _more(scenes: Scenes, option: str, word: str, phrase: str, *named: str) -> Maybe:
    one, two = (_bounds(phrase, scenes)[int(name.split()[-1]) - 1] for name in named)
    if word == "fewer":
        one, two = two, one
    cases: dict[str, Maybe] = {
        named[0].lower(): _ahead(one, two),
        named[1].lower(): _ahead(two, one),
        "neither shows any": phrases.all_of([_equals(*one, number=0), _equals(*two, number=0)]),
        "both show the same number": _same(one, two),
    }
    return cases.get(option.lower())


def _ahead(one: tuple[float, float], two: tuple[float, float]) -> Maybe:
    return True if one[0] > two[1] else False if one[1] <= two[0] else None


def _same(one: tuple[float, float], two: tuple[float, float]) -> Maybe:
    """Return whether both show the same count, other than zero."""
    apart = one[0] > two[1] or two[0] > one[1] or one[1] == 0 or two[1] == 0
    return False if apart else True if one[0] == one[1] == two[0] == two[1] else None


_IMAGE = r"([Ii]mage \d+)"
_COUNTED: tuple[tuple[str, Callable[..., Maybe]], ...] = (
    (r"How many (.+) are there in all images together\?", lambda s, o, a: _total(s, a, o)),
    (r"Which object occurs exactly (\d+) times in all images together\?", lambda s, o, n: _total(s, o, n)),
    (r"Which image shows exactly (\d+) (.+)\?", _exactly),
    (rf"Which image shows (more|fewer) (.+), {_IMAGE} or {_IMAGE}\?", _more),
)
