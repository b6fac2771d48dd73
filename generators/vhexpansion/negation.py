"""Negated twins of yes/no questions: same image, opposite answer (arXiv 2410.11242, section on negation).

As in the paper, "a", "an" or "any" in a simple existence question becomes "no", and other questions become "Is it false
that …" over their declarative sentence. ``negation_templates.tsv`` lists question patterns with their twins. The end of
a subject is fixed by the pattern and never searched for: patterns of "any" source allow one reading only, and those of
a benchmark describe how it writes, so that no other question matches them. A question that matches no pattern, or two
with different twins, has no natural twin. :func:`wrap` asks for the opposite of any yes/no question.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from vhbench.generators.vhexpansion.question_parts import AUXILIARIES, CannotNegate, Parts, without_quotations
from vhbench.language import lexicon
from vhbench.language.inflection import third_person

WRAPPER: Final = "Is it false that the right answer to this question is yes:"
MARKS: Final = (('"', '"'), ("“", "”"), ("«", "»"), ("‹", "›"), ("⟪", "⟫"))
"""Quotation marks in order of preference; the first pair absent from the text is used."""

NEGATIONS: Final = lexicon.words("negations") | frozenset(
    "none nobody nothing nowhere cannot false untrue incorrect wrong".split()
)
_SCOPES = re.compile(
    r"(?i)\b(most|all|some|any|each|every|both|many|few|only|least|no|not|never|if|when|unless|case)\b"
)
"""Words of a lead-in that the question depends on: "In most of the images, …"."""

_TWO_CLAUSES = re.compile(
    rf"(?i)\b(?:and|but|or|while|then) (?:{AUXILIARIES}) \w|\b(?:as well as|along with|plus|together with)\b"
    r"|, (?:while|whereas)\b|\band (?:everything|everyone|it|they|he|she) (?:is|are)\b|[;&]"
    r"|, ?(?:right|correct|yes|ok|okay|huh|eh)$"
)
_SIMPLE = re.compile(r"(?i)(?:is|are|was|were) there (?:an?|any) (?!of\b)")
_NOT_SIMPLE = re.compile(  # "there is no …" would not negate the whole
    r"(?i)\b(and|or|but|nor|either|both|all|every|each|some|any|many|much|most|several|few|fewer|little|half|only|just"
    r"|exactly|even|also|least|per|one|two|three|four|five|six|seven|eight|nine|ten|other|another|than|as well"
    r"|along with|together with|in addition|plus|minus|lot|lots|number|couple|pair|pairs|dozen|total|single|if|when"
    r"|while|because|though|although|unless|until|before|after|since|whether|\d+)\b|[\d&+/,;:]"
)
_PAST: Final = dict(
    pair.split("/")
    for pair in "have/had hold/held wear/wore ride/rode eat/ate drink/drank contain/contained get/got come/came "
    "go/went sell/sold keep/kept lie/lay sit/sat stand/stood catch/caught throw/threw become/became suffer/suffered "
    "carry/carried".split()
)


class _Template(NamedTuple):
    """Pattern of a question, and its twin with the pattern's groups in braces."""

    source: str
    question: re.Pattern[str]
    twin: str


def natural_twin(parts: Parts, source: str = "") -> str:
    """Return the natural twin of a question, with the text around it.

    Args:
        parts: the question.
        source: its benchmark, whose templates are added to those of any source.

    Raises:
        CannotNegate: if it is already negated, has two clauses, or if no template matches or several disagree.
    """
    asked = parts.asked
    if negations(asked):
        raise CannotNegate(f"negated already: {asked!r}")
    if is_two_clauses(asked) or _SCOPES.search(without_quotations(parts.lead)):
        raise CannotNegate(f"cannot tell what the negation would govern: {asked!r}")
    simple, *others = _templates()
    if is_simple_existence(asked):
        found = {_filled(simple, asked)}
    else:
        unclear = re.search(r"(?i)\bany\b|,", without_quotations(asked)) is not None
        known = {_filled(template, asked) for template in others if template.source == source} - {None}
        general = [template for template in others if template.source == "any" and not unclear]
        found = known or {_filled(template, asked) for template in general} - {None}
    if len(found) != 1 or (twin := found.pop()) is None:
        raise CannotNegate(f"no template has one twin: {asked!r}")
    first = twin[0].lower() if asked[0].islower() else twin[0].upper()
    return f"{parts.before}{parts.lead}{first}{twin[1:]}{parts.mark}{parts.after}"


def wrap(parts: Parts) -> str:
    """Return the wrapped twin of a yes/no question, whatever its grammar.

    Text around the question stays outside; marks within the question are never the ones around it.
    """
    asked = parts.lead + parts.asked + (parts.mark or "?")
    asked = asked[:1].upper() + asked[1:]
    around = asked + parts.before + parts.after
    opening, closing = next((pair for pair in MARKS if not set(pair) & set(around)), MARKS[-1])
    return f"{parts.before}{WRAPPER} {opening}{asked}{closing}{parts.after}"


def is_simple_existence(asked: str) -> bool:
    """Return whether "no" for "a" negates the whole: "Is there a …" about one kind of object.

    >>> is_simple_existence("Is there a dog in the image"), is_simple_existence("Is there a dog on every bench")
    (True, False)
    """
    found = _SIMPLE.match(asked)
    return found is not None and not _NOT_SIMPLE.search(without_quotations(asked[found.end() :]))


def is_two_clauses(asked: str) -> bool:
    """Return whether a question has two clauses, or a tag."""
    return _TWO_CLAUSES.search(without_quotations(asked)) is not None


def negations(text: str) -> int:
    """Return the number of negations, without those in quotations."""
    return sum(word in NEGATIONS or word.endswith(("n't", "n’t")) for word in words(text))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without quotations."""
    return re.findall(r"[\w$%'’.-]*\w[\w'’%]*|[<>=+]", without_quotations(text).lower())


def _filled(template: _Template, asked: str) -> str | None:
    """Return the twin of a question; None if it does not match."""
    found = template.question.fullmatch(asked)
    if not found:
        return None

    def slot(name: re.Match[str]) -> str:
        text = found[name[1]] or ""
        text = text.lower() if re.fullmatch(f"(?i){AUXILIARIES}", text) else text
        return third_person(text) if name[2] == "s" else _past(text) if name[2] == "d" else text

    return re.sub(r"  +", " ", re.sub(r"\{(\w+)(?::(\w))?\}", slot, template.twin))


def _past(verb: str) -> str:
    return _PAST.get(verb) or (verb + "d" if verb.endswith("e") else f"{verb}ed")


@cache
def _templates() -> tuple[_Template, ...]:
    """Read the templates; the first is that of simple existence."""
    slots, found = dict[str, str](), list[_Template]()
    for line in Path(__file__).with_name("negation_templates.tsv").read_text(encoding="utf-8").splitlines():
        kind, first, second = [*line.split("\t"), "", ""][:3]
        if kind == "slot":
            slots[first] = "(?:" + re.sub(r"<(\w+)>", lambda name: slots[name[1]], second) + ")"
        elif line and not line.startswith("#"):
            question = re.sub(r"\{([A-Z]+)(\d*)\}", _group(slots), _any_case(first))
            found.append(_Template(kind, re.compile(question), second))
    return tuple(found)


def _group(slots: dict[str, str]) -> Callable[[re.Match[str]], str]:
    def group(name: re.Match[str]) -> str:
        either = "(?i:" if name[1] in ("BE", "MODAL") else "(?:"
        return f"(?P<{name[1]}{name[2]}>{either}{slots[name[1]]}))"

    return group


def _any_case(pattern: str) -> str:
    """Let the first word begin with a small letter too, as after a lead-in."""
    if found := re.match(r"(\w)(?=\w* )", pattern):
        return f"[{found[1]}{found[1].lower()}]{pattern[1:]}"
    return re.sub(r"^\(\?P<(AUX|BE)>([^)]*)\)", r"(?P<\1>(?i:\2))", pattern)
