"""Parser of responses to questions with numeric options."""

import re
from collections.abc import Mapping

from vhbench.language.inflection import NUMBER_WORDS
from vhbench.language.parsing.option_names import ORDINALS
from vhbench.language.parsing.stems import implies, stem

_WORDS = "|".join(word for word in NUMBER_WORDS if word != "one")
_ONE = (
    r"(?:(?<=only\s)|(?<=just\s)|(?<=exactly\s)|(?<=is\s)|(?<=are\s)|(?<=in\s)|(?<=has\s)|(?<=shows\s)|(?<=see\s)|(?<=total\s)|(?<=but\s)|(?<=or\s)|(?<=either\s)|(?<=say\s)|(?<=pick\s)|(?<=choose\s)|(?<=prefer\s)|(?<=it's\s)"
    r"|(?<=:\s)|(?<=contains\s))one(?!\s+(?:of|another)\b)|(?:\A|(?<=\n))one(?!\s+of\b)|a\s+single(?!\s+(?:letter|word|option|answer|choice))"
)
_NUMBER = re.compile(
    rf"(?i)(?<![\w.#−-])(?:(?P<digits>\d{{1,6}})(?![\w%]|\.\d|:\d)|(?P<word>{_WORDS})(?![\w-])|(?P<one>{_ONE})\b)"
)
_NAMES = re.compile(
    r"(?i)\b(?:images?|pictures?|photos?|figures?|frames?|options?|choices?|steps?|points?|rows?|columns?)\s*(?:#"
    r"|no\.?\s|number\s)?\s*"
    rf"(?:\d{{1,2}}|{_WORDS}|one)(?!\w|\.\d)(?:(?:\s*,\s*|\s*,?\s+and\s+)\d{{1,2}}(?=\s*[,.:;)]|\s+(?:and|have|show"
    rf"|contain|each)|\Z))*"
)
# number that only bounds the count, or is denied
_BOUND = re.compile(
    r"(?i)(?:\b(?:at\s+(?:least|most)|(?:more|less|fewer|greater)\s+than|over|under|above|below|up\s+to|not|instead\s+of|rather\s+than"
    r"|between\s+\d+§\s+and"
    r"|look(?:s|ed|ing)?\s+for)|(?:\bnot|n't)(?:\s+(?:see|find|count|say|pick|choose))?)\s+\d+§|\d+§\s+(?:isn't|is\s+(?:not|wrong|incorrect))\b|\d+§\s+(?:-|–|to)\s*\d+§?|\b1§\s*,\s*2§(?:\s*,\s*(?:and\s+)?\d+§)*"
)
_COUNTED = r"(\d+)§"
_ADDED = re.compile(
    r"(?i)\b(\d+)§[^.;:\n]*?\b(?:and|plus)\s+\1§|\b1§[^.;:\n]*?(?:\b(?:and|plus)|,)\s+(?:another|one)\b(?!\s+(?:of|that|which|who)\b)"
    r"|\d+§\s+(?:\w+\s+){0,3}?(?P<noun>\w{2,}?)(?:e?s)?\b[^.;:,\n]*?,?\s+(?:and|plus)\s+(?:another(?:\s+one)?|one)\s+"
    r"(?:(?:on|in|at|to|by|near|behind|under|beside|above|below)\b|(?:\w+\s+){0,2}(?P=noun)\b)"
)
_TOTALS = (
    r"(?:=|\b(?:makes|making|equals|gives|giving|add(?:s|ing)?\s+up\s+to|sums?\s+to))\s*(?:\w+\s+)?{n}",
    r"(?:so|therefore|thus|hence)\b[^.;\n]*?{n}",
    r"{n}(?:[ \t]+[\w-]+){{0,4}}?[ \t]*(?:,[ \t]*)?(?:in\s+total|altogether|total|in\s+all|overall|combined)\b",
    r"\b(?:total|sum|altogether|count|overall)\b(?:\s+(?:number|of|is|are|there|count|amounts|comes|to|images?"
    r"|\w+s))*\s*[:=]?\s*{n}",
    r"{n}\s+(?:out\s+)?of\s+(?:the\s+|these\s+|all\s+)?(?:\d|total)",
)
_NONE = re.compile(
    r"(?i)\A\W*no(?!\s+(?:answer|idea|way|option|choice|correct)\b)(?:\s+\w+){1,4}\W*\Z|\b(?:there\s+(?:is|are)\s+no(?:t\s+any)?(?!\s+(?:answer|way)\b)|there\s+(?:isn't|aren't)\s+an?y?|none(?!\s+of\s+(?:(?:the|these|your)\s+)?(?:above|options|choices|answers|business|these|them)\b)|no\s+\w+\s+(?:is|are)"
    r"\s+(?:visible|present|shown|there)"
    r"|no\s+(?:images?|pictures?)\s+(?:contains?|shows?|ha(?:s|ve)))\b"
)
_HOW_MANY = re.compile(
    r"(?i)\bhow\s+many\s+(?:[\w-]+\s+){0,3}?([\w-]+)\s+(?:are|is|can|do|does|have|has|show|contain)\b"
)
_IN_IMAGES = re.compile(r"(?i)\s*in\s+how\s+many\s+(?:images|pictures|photos)\b")
_TOGETHER = re.compile(r"(?i)\ball\s+(?:of\s+)?(?:the\s+)?images\s+together\b")
_IN_ONE = re.compile(rf"(?i)\b(?:some(?!\s+but)|each|{'|'.join(ORDINALS[1:])}|other)\b")  # "some" stands for "image 2"
_SUM = re.compile(r"(?i)=|\b(?:total|altogether|sum|combined|together|overall|all)\b")
_OF_OTHERS = re.compile(
    r"(?i)\b\d+§\s+(?!(?:images?|pictures?|photos?|out|of|in|are|is|and|or|total|altogether)\b)[a-z]"
)
_COUNTS = re.compile(r"(?i)\b(\d+)§\s+((?:[a-z-]+\s+){0,2}?(?:[a-z-]+[^s\W]s|people|men|women|children))\b")
_UNITS = ("instances", "ones", "individuals", "pieces", "copies", "times")
_OPENING = re.compile(
    r"(?i)\b(?:there\s+(?:is|are|seem|appear)|(?:i|we)\s+(?:can\s+)?(?:see|count)|(?:shows?|contains?|has|have"
    r"|features?|depicts?))\b"
)


def counted(text: str, options: Mapping[int, str], question: str = "") -> str:
    """Return the option of a text's total or only number; "" for several, and for one of other things.

    >>> options = {4: "A", 2: "B", 5: "C", 3: "D"}
    >>> [counted(text, options) for text in ("2 here and 1 there, so 3 in total", "two dogs", "2 dogs, 4 cats")]
    ['D', 'B', '']
    """
    text = re.sub(r"(?<=\d)[-–](?=\d)", " to ", re.sub('[§"]', "", re.sub(r"(?i)[\"']one[\"']", "1", text)))
    text = re.sub(r"(?i)(?:n't|\s+not)\s+(?:\w+\s+)?a\s+single\b", " no", text)
    if len(text.split()) > 2 or _IN_IMAGES.match(question):
        text = _NAMES.sub("some", re.sub(r"(?m)^\s*\d{1,2}[.)][^\S\n]+", "", text))
    marked = _without_others(_BOUND.sub("some", _marked(text)), question)
    numbers = [int(number) for number in re.findall(_COUNTED, marked)]
    if not numbers:
        return options.get(0, "") if _NONE.search(text) else ""
    if len(set(numbers)) == 1:
        part = _TOGETHER.search(question) and _IN_ONE.search(marked) and not _SUM.search(marked)
        return "" if part or _ADDED.search(marked) else options.get(numbers[0], "")  # "one here and one there"
    for pattern in _TOTALS:
        if totals := [*re.finditer("(?i)" + pattern.format(n=_COUNTED), marked)]:
            total, start, end = int(totals[-1][1]), *totals[-1].span(1)
            before, after = ([*map(int, re.findall(_COUNTED, part))] for part in (marked[:start], marked[end:]))
            apart = "in\\s+total" in pattern and after and total not in (sum(before), sum(after))
            return "" if apart else options.get(total, "")  # "3 in total, 1 with a cat"
    head = re.split(r"[.:;\n(]|,\s", marked, maxsplit=1)[0]
    first = re.findall(_COUNTED, head)
    if len(first) == 1 and _OPENING.search(head) and "some" not in head:
        return options.get(int(first[0]), "")
    return ""


def _marked(text: str) -> str:
    """Write each number in digits, with a mark behind it."""
    return _NUMBER.sub(lambda match: f" {_value(match)}§ ", text)


def _value(match: re.Match[str]) -> int:
    if match["digits"]:
        return int(match["digits"])
    return 1 if match["one"] else NUMBER_WORDS[match["word"].lower()]


def numbers_of(text: str) -> set[int] | None:
    """Return the numbers of a text that do not name an image; None for a bound, such as "at least 3"."""
    marked = _marked(_NAMES.sub("it", text))
    return None if _BOUND.search(marked) else {int(number) for number in re.findall(_COUNTED, marked)}


def _without_others(marked: str, question: str) -> str:
    """Replace the numbers of things that the question does not ask for."""
    if _IN_IMAGES.match(question):
        return _OF_OTHERS.sub(lambda match: f"some {match[0][-1]}", marked)
    counted_noun = _HOW_MANY.search(question)
    if not counted_noun:
        return marked
    noun = stem(counted_noun[1].lower())

    def kept(match: re.Match[str]) -> str:
        things = match[2].split()[-1].lower()
        return match[0] if things in _UNITS or implies(stem(things), noun) else f"some {match[2]}"

    return _COUNTS.sub(kept, marked)
