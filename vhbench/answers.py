"""What a model's words say: yes, no, an option letter, or "" where that cannot be told.

:func:`parse` reads the response to a question of any kind, :func:`letter` to a multiple-choice question.
``YES_NO[name](text)`` gives "yes", "no" or "". The parsers of POPE, ODE, AMBER, VHTest and lmms-eval are there as those
benchmarks have them, faults included; ``default`` is the one to use: words and never substrings ("I know" is not "no"),
negations ("I do not see one"), a leading answer wins ("Yes, though it is not red"), otherwise unknown.
:func:`label` reads what a table writes for yes or no.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

from vhbench.english import NUMBERS
from vhbench.schema import VhbenchError

Parser = Callable[[str], str]

_ENOUGH = 5_000
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>|^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\(?:boxed|text)\s*\{([^{}]*)\}")
_MARKUP = re.compile(r"[*_`#]+|</?\w+>")
# Runs of signs and spaces are possessive (*+, ++): without giving back, a long run is read once and not once per end.
_SAYS = r"(?:answer|choice|option|conclusion)\s*+(?:[\"']\s*+)?(?:is|:|=|would be|should be)++\s*+(?:[:\"'(]++\s*+)?"

_YES = r"(?:yes|yeah|yep|yup)"
_NO = r"(?:no|nope|nah)"
_END = r"(?=\s*(?:[.,;:!?\"')\]]|$))"
_LEADING = re.compile(rf"\W*(?:(?P<yes>{_YES}|y(?=\W*$)|true{_END})|(?P<no>{_NO}|n(?=\W*$)|false{_END}))\b")
_NO_LEAD = re.compile(r"\W*no\s+(?:doubt|problem|question|idea|one|matter|way to)\b")
_BOTH = re.compile(rf"\W*(?:{_YES}\W+(?:and|or)\W+{_NO}|{_NO}\W+(?:and|or)\W+{_YES})\b")
_SAID = re.compile(rf"{_SAYS}(?:(?P<yes>{_YES}|true)|(?P<no>{_NO}|false))\b")
_YES_WORD = re.compile(rf"(?P<negated>\b(?:not|n't)\W+)?\b{_YES}\b")
_NO_WORD = re.compile(rf"\b{_NO}\b{_END}")
_OPENING = re.compile(
    r"\A(?:\W*+(?:(?:sure|okay|ok|well|certainly|absolutely|so|thanks?)|(?:based|looking|judging|according|from|in|upon|after"
    r"|given|considering|as|with)\b[^,.;!?]*)[,:!]\s*)+"
)
_UNSURE = re.compile(
    r"(?:\b(?:not|cannot|unable|impossible|hard|difficult)|n't)\b[^.;!?]*"
    r"\b(?:sure|certain|know|tell|determine|determined|say|clear|possible|answer|confirm|enough)\b"
    r"|\b(?:unclear|uncertain|unsure|unknown|ambiguous|maybe|perhaps|possibly)\b"
)
_NEGATION = re.compile(r"\b(?:not|never|cannot)\b|n't\b")
_NO_THING = re.compile(
    r"\b(?:there(?:'s| is| are| was| were| appears? to be| seems? to be)|(?:i|we|you) (?:can )?(?:see|find|observe)"
    r"|(?:has|have|contains?|shows?|includes?)) (?:absolutely |clearly )?no\b"
    r"|^\W*(?:no|none|neither)\b"
)
_CLAUSE = re.compile(r"[.;!?,\n]| but | although | though | however ")


def parse(kind: str, response: str, choices: Sequence[str] = ()) -> str:
    """Return the answer in a response; a caption has none.

    An unknown answer counts as wrong, and its share is reported as ``unparsed``.

    >>> parse("yes_no", "No, there is no dog."), parse("multiple_choice", "(B)", ("Image 1", "Image 2"))
    ('no', 'B')
    """
    if kind == "yes_no":
        return yes_no(response)
    return letter(response, choices) if kind == "multiple_choice" else ""


def label(text: str) -> str:
    """Return "yes" or "no" if that is all a text says, as a word, a letter or a truth value; otherwise "".

    >>> [label(text) for text in ("Yes.", "n", "TRUE", "yes, it is")]
    ['yes', 'no', 'yes', '']
    """
    word = text.strip().rstrip(".!").lower()
    return "yes" if word in ("yes", "y", "true") else "no" if word in ("no", "n", "false") else ""


def yes_no(text: str) -> str:
    """Read a yes/no answer by words.

    A sentence that only describes ("There is a dog.") is unknown: without its question nobody can tell what it affirms.
    "True" and "False" are answers where they stand as one, alone or at the beginning.

    >>> [yes_no(text) for text in ("Yes.", "no, it is not", "I do not see a dog.", "The answer is: **No**")]
    ['yes', 'no', 'no', 'no']
    >>> [yes_no(text) for text in ("I know", "It is nothing", "Maybe", "I'm not sure", "Yes and no", "")]
    ['', '', '', '', '', '']
    >>> [yes_no(text) for text in ("True", "False. There is no dog.", "There is a dog.", "True to life, it is red")]
    ['yes', 'no', '', '']
    """
    text = _plain(text).lower()
    if _BOTH.match(text):
        return ""
    found = _last(_SAID, text) if _NO_LEAD.match(text) else _LEADING.match(text) or _last(_SAID, text)
    if found:
        return "yes" if found["yes"] else "no"
    return _in_a_sentence(text)


def _in_a_sentence(text: str) -> str:
    """Read a text that does not begin with yes or no: a single yes or no in it, or a negated first clause."""
    yes, no = _YES_WORD.search(text), _NO_WORD.search(text)
    if yes or no:
        return "" if (yes and no) or (yes and yes["negated"]) else "yes" if yes else "no"
    clause = _CLAUSE.split(_OPENING.sub("", text, count=1).strip(), maxsplit=1)[0][:300]
    if _UNSURE.search(clause) or _NO_LEAD.match(clause):
        return ""
    negations = len(_NEGATION.findall(clause)) + bool(_NO_THING.search(clause))
    return "no" if negations == 1 else ""


def pope(text: str) -> str:
    """Read as POPE's evaluate.py: "no" where the first sentence has the token No, not or no, otherwise "yes"."""
    tokens = text.split(".")[0].replace(",", "").split(" ")
    return "no" if {"No", "not", "no"} & set(tokens) else "yes"


def ode(text: str) -> str:
    """Read as ODE's inference.py: the text before a comma, line break or full stop; else any "no" inside any word."""
    for end in (",", "\n", "."):
        head = text.split(end)[0]
        if head in ("Yes", "yes", "No", "no"):
            return head.lower()
    return "no" if any(part in text for part in ("No", "not", "no")) else ""


def amber(text: str) -> str:
    """Read as AMBER's inference.py: exactly "Yes" or "No"."""
    return {"Yes": "yes", "No": "no"}.get(text, "")


def vhtest(text: str) -> str:
    """Read as VHTest's script: how the text begins ("North" is no)."""
    start = text[:3].lower()
    return "yes" if start == "yes" else "no" if start.startswith("no") else ""


def lmms_eval(text: str) -> str:
    """Read as lmms-eval's POPE task: the whole text."""
    answer = text.lower().strip()
    return answer if answer in ("yes", "no") else ""


YES_NO: Mapping[str, Parser] = {
    "default": yes_no,
    "pope": pope,
    "ode": ode,
    "amber": amber,
    "vhtest": vhtest,
    "lmms_eval": lmms_eval,
}


def yes_no_parser(parser: str | Parser) -> Parser:
    """Return a parser by its name; a function is returned as it is."""
    if callable(parser):
        return parser
    if parser not in YES_NO:
        raise VhbenchError(f"unknown parser {parser!r}; must be one of {', '.join(YES_NO)}")
    return YES_NO[parser]


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


def letter(text: str, choices: Sequence[str]) -> str:
    """Read the option that an answer names: by its letter or by its words.

    Args:
        text: the model's words.
        choices: the options' texts; the first is A.

    Returns:
        The letter in upper case, or "" if none or more than one is named.

    >>> options = ["Both", "Neither", "Image 1", "Image 2"]
    >>> [letter(text, options) for text in ("B", "(c)", "Answer: D", "Neither image shows it.", "A or B", "A dog")]
    ['B', 'C', 'D', 'B', '', '']
    """
    letters = "".join(chr(ord("A") + i) for i in range(len(choices)))
    plain = _plain(text).strip()
    found = _named_letter(plain, letters)
    if found is not None:
        return found
    return _named_option(_normal(plain), dict(zip(letters, map(_normal, choices), strict=True)))


def _named_letter(text: str, letters: str) -> str | None:
    """Return a letter, "" for several, None for none."""
    capital, either = f"[{letters}]", f"[{letters}{letters.lower()}]"
    whole = re.fullmatch(rf"\W*({either})\W*", text)
    if whole:
        return str(whole[1]).upper()
    said = re.findall(rf"(?i:{_SAYS}(?:option\s+)?)({either})(?![\w'])(?!\s*(?:or|and)\s+{capital})", text)
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


def _plain(text: str) -> str:
    """Drop thoughts and markup, straighten quotes."""
    if len(text) > 2 * _ENOUGH:  # a model that runs on and on must not stop the scoring
        text = text[:_ENOUGH] + " " + text[-_ENOUGH:]
    text = _THOUGHT.sub(" ", unicodedata.normalize("NFKC", text))
    text = _BOXED.sub(r" \1 ", text)
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    return _MARKUP.sub("", text).strip()


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found: Iterable[re.Match[str]] = pattern.finditer(text)
    return next(iter(list(found)[::-1]), None)
