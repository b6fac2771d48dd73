"""Rationales over several images: which of them show an object, and how many instances."""

import re
from collections.abc import Iterable, Sequence

from vhbench.audit import phrases
from vhbench.language import inflection
from vhbench.schema import Scene

Scenes = Sequence[Scene]
_REST = ("None of the above", "I don't know")


def in_any(scenes: Scenes, phrase: str) -> str:
    """Describe which images show an object, or that none does."""
    shown, _ = _parted(phrase, scenes)
    return _show(shown, phrase) if shown else f"None of the images shows {phrase}"


def in_every(scenes: Scenes, phrase: str) -> str:
    """Describe that every image shows an object, or which do not."""
    _, lacking = _parted(phrase, scenes)
    return _show(lacking, phrase, "not") if lacking else f"Every image shows {phrase}"


def which_image(scenes: Scenes, choices: Sequence[str], right: str, phrase: str) -> str:
    """Describe which of the images among the options show an object, and which do not."""
    shown, lacking = _parted(phrase, scenes, [n for n in map(_number, choices) if n])
    if not shown:
        return _show(lacking, phrase, "not")
    return _show(shown, phrase) + (f"; {_names(lacking)} {'do' if len(lacking) > 1 else 'does'} not" if lacking else "")


def where_is(scenes: Scenes, choices: Sequence[str], right: str, phrase: str) -> str:
    """Do the same as :func:`which_image` for an object named without its article."""
    return which_image(scenes, choices, right, inflection.a(phrase))


def numbers_of(scenes: Scenes, choices: Sequence[str], right: str, noun: str) -> str:
    """Describe how many instances each image among the options shows."""
    return _counts(scenes, noun, [n for n in map(_number, choices) if n])


def more(scenes: Scenes, choices: Sequence[str], right: str, noun: str, first: str, second: str) -> str:
    """Describe how many instances two images show."""
    return _counts(scenes, noun, [_number(first), _number(second)])


def which_of_two(scenes: Scenes, choices: Sequence[str], right: str, first: str, second: str, phrase: str) -> str:
    """Describe which of two images show an object."""
    shown, lacking = _parted(phrase, scenes, [_number(first), _number(second)])
    if len(shown) == 2:
        return f"Both {_names(shown)} show {phrase}"
    if not shown:
        return f"Neither {inflection.listing([_image(n) for n in lacking]).replace(' and ', ' nor ')} shows {phrase}"
    return f"{_image(shown[0])} shows {phrase} and {_image(lacking[0])} does not"


def which_in_any(scenes: Scenes, choices: Sequence[str], right: str) -> str:
    """Describe which images show the correct option, and that none shows the others."""
    others = _either([inflection.a(option) for option in choices if option not in (*_REST, right)])
    if right in _REST:
        return f"None of the images shows {others}"
    return f"{in_any(scenes, inflection.a(right))}; none of the images shows {others}"


def which_in_all(scenes: Scenes, choices: Sequence[str], right: str) -> str:
    """Describe that every image shows the correct option, and where each other one is missing."""
    lacking: dict[int, list[str]] = {}
    for option in (inflection.a(option) for option in choices if option not in (*_REST, right)):
        lacking.setdefault(_parted(option, scenes)[1][0], []).append(option)
    absences = [f"{_image(number)} does not show {_either(options)}" for number, options in sorted(lacking.items())]
    reasons = inflection.listing(absences)
    return reasons if right in _REST else f"Every image shows {inflection.a(right)}; {reasons}"


def which_first_only(scenes: Scenes, choices: Sequence[str], right: str, first: str, second: str) -> str:
    """Describe that only one image shows the correct option, and why others are incorrect."""
    one, two = _number(first), _number(second)
    if right not in _REST:
        return f"{_image(one)} shows {inflection.a(right)} and {_image(two)} does not"
    options = [inflection.a(option) for option in choices if option not in _REST]
    absent = [option for option in options if phrases.holds(option, scenes[one - 1]) is False]
    both = [option for option in options if option not in absent]
    reasons = [f"{_image(one)} does not show {_either(absent)}"] if absent else []
    return "; ".join([*reasons, f"{_image(two)} shows {inflection.listing(both)} too"] if both else reasons)


def how_many_images(scenes: Scenes, choices: Sequence[str], right: str, noun: str) -> str:
    """Describe which images show an object, and their number."""
    name = phrases.category(noun, scenes)
    shown = [number for number, scene in enumerate(scenes, 1) if phrases.present(name, scene)]
    return f"{_show(shown, noun)}, which makes {len(shown)}" if shown else f"None of the images shows any {noun}"


def total(scenes: Scenes, choices: Sequence[str], right: str, noun: str) -> str:
    """Describe how many instances each image shows, and their sum."""
    counts = [phrases.count(phrases.category(noun, scenes), scene) or 0 for scene in scenes]
    return f"{_counts(scenes, noun, range(1, len(scenes) + 1))}, which makes {sum(counts)}"


def which_total(scenes: Scenes, choices: Sequence[str], right: str) -> str:
    """Describe how many instances of each option all images show together."""
    totals = []
    for option in (option for option in choices if option not in _REST):
        name = phrases.category(option, scenes)
        count = sum(phrases.count(name, scene) or 0 for scene in scenes)
        unit = inflection.measured(name)
        totals.append(inflection.count_phrase(count, unit) if count else f"no {inflection.plural(unit)}")
    return f"All images together show {inflection.listing(totals)}"


def _parted(phrase: str, scenes: Scenes, numbers: Iterable[int] = ()) -> tuple[list[int], list[int]]:
    """Return the numbers (from 1) of images that show an object, and those that do not; unknown ones in neither."""
    positions = list(numbers) or range(1, len(scenes) + 1)
    shown = {number: phrases.holds(phrase, scenes[number - 1]) for number in positions}
    return [n for n, holds in shown.items() if holds], [n for n, holds in shown.items() if holds is False]


def _counts(scenes: Scenes, noun: str, numbers: Iterable[int]) -> str:
    name = phrases.category(noun, scenes)
    counts = [f"{phrases.count(name, scenes[n - 1])} in {_image(n)}" for n in numbers]
    return f"The numbers of {inflection.plural(inflection.measured(name))} are {inflection.listing(counts)}"


def _show(numbers: Sequence[int], phrase: str, never: str = "") -> str:
    if never:
        return f"{_names(numbers)} {'do' if len(numbers) > 1 else 'does'} not show {phrase}"
    return f"{_names(numbers)} {'show' if len(numbers) > 1 else 'shows'} {phrase}"


def _names(numbers: Sequence[int]) -> str:
    return inflection.listing([_image(number) for number in numbers])


def _either(options: Sequence[str]) -> str:
    return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"


def _image(number: int) -> str:
    return f"Image {number}"


def _number(option: str) -> int:
    """Return the image number in an option, 0 for none."""
    match = re.fullmatch(r"[Ii]mage (\d+)", option)
    return int(match[1]) if match else 0
