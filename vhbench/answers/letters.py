"""The option of a multiple-choice question that an answer names."""

import re
from collections.abc import Mapping, Sequence

from vhbench.answers.cleaning import SAYS, plain
from vhbench.english import NUMBERS

_DIGITS: Mapping[str, str] = {word: str(number) for number, word in enumerate(NUMBERS)}
_ARTICLE = re.compile(r"^(?:a|an|the)\s+")
_SAME = {
    "first image": "image 1",
    "second image": "image 2",
    "third image": "image 3",
    "fourth image": "image 4",
    "none of (?:these|them|the (?:options|others?|above options|given options|choices))": "none of the above",
    "^none$": "none of the above",
}


def letter(text: str, choices: Sequence[str], question: str = "") -> str:
    """Read the option that an answer names: by its letter or by its words.

    Args:
        text: the model's words.
        choices: the options' texts; the first is A.
        question: what was asked.

    Returns:
        The letter in upper case, or "" if none or more than one is named.

    >>> options = ["Both", "Neither", "Image 1", "Image 2"]
    >>> [letter(text, options) for text in ("B", "(c)", "Answer: D", "Neither image shows it.", "A or B", "A dog")]
    ['B', 'C', 'D', 'B', '', '']
    """
    letters = "".join(chr(ord("A") + i) for i in range(len(choices)))
    said = plain(text).strip()
    found = _named_letter(said, letters)
    if found is not None:
        return found
    return _named_option(_normal(said), dict(zip(letters, map(_normal, choices), strict=True)))


def _named_letter(text: str, letters: str) -> str | None:
    """Return a letter, "" for several, None for none."""
    capital, either = f"[{letters}]", f"[{letters}{letters.lower()}]"
    whole = re.fullmatch(rf"\W*({either})\W*", text)
    if whole:
        return str(whole[1]).upper()
    said = re.findall(rf"(?i:{SAYS}(?:option\s+)?)({either})(?![\w'])(?!\s*(?:or|and)\s+{capital})", text)
    if said:
        return str(said[-1]).upper()
    if re.search(rf"(?<![\w'])({capital})\s*(?:,|or|and|/|&)\s*(?!\1){capital}(?![\w'])", text):
        return ""
    lead = re.match(rf"\W*(?:\(({either})\)|({either})(?=[).:]|\s*\n))", text)
    if lead:
        return str(lead[1] or lead[2]).upper()
    marks = rf"(?<![\w'])(?<!not )(?:\(({either})\)|({capital})(?=[).:,\n]|\s*$)|(?i:option|choice)\s+({either})(?!\w))"
    named = {"".join(groups).upper() for groups in re.findall(marks, text)}
    return None if not named else named.pop() if len(named) == 1 else ""


def _named_option(text: str, options: Mapping[str, str]) -> str:
    """Return the letter of the one option whose words the text has; a longer option hides one inside it."""
    for name, option in options.items():
        if text == option:
            return name
    left = text
    named: set[str] = set()
    for name, option in sorted(options.items(), key=lambda item: -len(item[1])):
        pattern = rf"(?<!\w){re.escape(option)}(?!\w)"
        if option and re.search(pattern, left):
            named.add(name)
            left = re.sub(pattern, " ", left)
    for word in ("both", "neither"):
        # "Both image 1 and image 2 do": the images are what both stands for.
        others = {name for name in named if options[name] != word}
        if len(others) < len(named) and all(options[name].startswith("image ") for name in others):
            return (named - others).pop()
    return named.pop() if len(named) == 1 else ""


def _normal(text: str) -> str:
    found = re.sub(r"[^\w\s'-]", " ", text.lower()).split()
    plain = _ARTICLE.sub("", " ".join(_DIGITS.get(word, word) for word in found))
    for words, usual in _SAME.items():
        plain = re.sub(rf"\b{words}\b", usual, plain)
    return plain
