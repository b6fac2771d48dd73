"""Negated twins of yes/no questions: same image, opposite answer (arXiv 2410.11242, section on negation).

As in the paper, "a", "an" or "any" in a simple existence question becomes "no", and other questions become "Is it false
that …" over their declarative sentence. ``negation_templates.tsv`` lists question patterns with their twins. The end of
a subject is fixed by the pattern and never searched for: patterns allow one reading only, and those of a benchmark may
also list how it writes. A question that matches no pattern, or two with different twins, has no natural twin.
:func:`wrap` asks for the opposite of any yes/no question.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

from vhbench.generators.vhexpansion.question_parts import AUXILIARIES, CannotNegate, Parts, without_quotations
from vhbench.language import lexicon
from vhbench.language.inflection import third_person

WRAPPER: Final = "Is it false that the right answer to this question is yes:"
MARKS: Final = (('"', '"'), ("“", "”"), ("«", "»"), ("‹", "›"), ("⟪", "⟫"))
"""Quotation marks in order of preference; the first pair absent from the text is used."""

_NEGATIONS = {*lexicon.words("negations"), *"none nobody nothing nowhere cannot false untrue incorrect wrong".split()}
_SIMPLE = re.compile(r"(?i)(?:is|are|was|were) there (?:an?|any) (?!of\b)")
_Template = tuple[str, str, str]
"""Sources (a regular expression), pattern of a question, and its twin with the pattern's groups in braces."""

_compiled = cache(re.compile)  # those of all sources take a second


def natural_twin(parts: Parts, source: str = "") -> str:
    """Return the natural twin of a question, with the text around it; ``source`` is its benchmark, for its templates.

    Raises :class:`CannotNegate` if it is already negated, has two clauses, or if no template matches or several do.
    """
    text = parts.asked[:1].upper() + parts.asked[1:]
    if negations(re.sub(r" titled .*", "", text)):
        raise CannotNegate(f"negated already: {text!r}")
    if len(text) > 1000 or has("CLAUSES", text) or has("SHOWN", text) or has("SCOPES", parts.lead):
        raise CannotNegate(f"too long, or of ambiguous scope: {text!r}")
    simple, *others = _table()[1]
    if is_simple_existence(text):
        twins = {_filled(simple, text)}
    else:
        known = {_filled(template, text) for template in others if re.fullmatch(template[0], source)} - {None}
        general = [template for template in others if template[0] == "any" and not has("UNCLEAR", text)]
        twins = known or {_filled(template, text) for template in general} - {None}
    if len(twins) != 1 or (twin := twins.pop()) is None:
        raise CannotNegate(f"no template has one twin: {text!r}")
    first = twin[0].lower() if parts.asked[0].islower() else twin[0].upper()
    return f"{parts.before}{parts.lead}{first}{twin[1:]}{parts.mark}{parts.after}"


def wrap(parts: Parts) -> str:
    """Return the wrapped twin of a yes/no question, whatever its grammar.

    Text around the question stays outside; marks within the question are never the ones around it.
    """
    text = parts.lead + parts.asked + (parts.mark or "?")
    text = text[:1].upper() + text[1:]
    absent = (pair for pair in MARKS if not set(pair) & set(parts.before + text + parts.after))
    opening, closing = next(absent, MARKS[-1])
    return f"{parts.before}{WRAPPER} {opening}{text}{closing}{parts.after}"


def is_simple_existence(text: str) -> bool:
    """Return whether "no" for "a" negates the whole: "Is there a …" about one kind of object.

    >>> is_simple_existence("Is there a dog in the image"), is_simple_existence("Is there a dog on every bench")
    (True, False)
    """
    match = _SIMPLE.match(text)
    rest = without_quotations(text[match.end() :]) if match else ""
    return re.fullmatch(_table()[0]["EXISTS"], rest, re.I) is not None and not has("NOTSIMPLE", rest)


def negations(text: str) -> int:
    """Return the number of negations, without those in quotations."""
    return sum(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in words(text))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without quotations."""
    return re.findall(r"[\w$%'’.-]*\w[\w'’%]*|[<>=+]", without_quotations(text).lower())


def has(slot: str, text: str) -> bool:
    """Return whether a slot occurs in a text outside its quotations."""
    return re.search(_table()[0][slot], without_quotations(text), re.I) is not None


def _filled(template: _Template, sentence: str) -> str | None:
    """Return the twin of a question; None if it does not match."""
    _, question, twin = template
    match = _compiled(question).fullmatch(sentence)
    if not match or (re.search(r":[sd]\}", twin) and has("FURTHER", sentence)):  # another verb would keep its form
        return None

    def slot(name: re.Match[str]) -> str:
        text = match[name[1]] or ""
        text = text.lower() if name[1] != "S" and re.fullmatch(f"(?i){AUXILIARIES}", text) else text
        return forms(text, past=name[2] == "d")[0] if name[2] else text

    return re.sub(r"  +", " ", re.sub(r"\{(\w+)(?::(\w))?\}", slot, twin))


def may_state(question: str, statement: str) -> bool:
    """Return whether the first verb of a question may stand where a statement has it.

    >>> may_state("Is the left light on", "the left light is on"), may_state("Is the cat red", "the is cat red")
    (True, False)
    """
    (verb, *rest), stated = (
        words(re.sub(r"«»|(?<=\w )[A-Z]\b(?!['’.])", "x", without_quotations(text))) for text in (question, statement)
    )
    slots = _table()[0]
    for end in range(1, min(len(rest), 100)):
        if [*rest[:end], verb, *rest[end:]] in (stated[: len(rest) + 1], stated[-len(rest) - 1 :]):  # next to the lead
            subject, after = " ".join(rest[:end]), " ".join(rest[end:])
            cut = re.fullmatch(slots["UNENDING"], subject) or re.match(slots["INVERTED"], f"{subject}|{verb} {after} ")
            is_be = re.fullmatch(slots["BE"], verb)
            if is_be and (named := re.search(slots["NAMED"], question)) and len(words(named[1])) < len(rest[end:]):
                return False  # "the man is with the beard Santa"
            participle = f"{slots['DONE']} (?!of )" if is_be else slots["DID"]
            start = f"^(?:(?:{slots['ADV']}|already|now|almost|nearly|[a-z]+ly) )*{participle}"
            return not cut and _is_one_predicate(re.sub(start, "", after))
    return verb in ("do", "does", "did")


def _is_one_predicate(text: str) -> bool:
    """Return whether no part of a text after a subject may be the predicate of the text in front of that part.

    Noun phrases of several words end in no adjective, and hold no listed noun.

    >>> _is_one_predicate("holding the dog on the big sofa"), _is_one_predicate("holding the dog wet")
    (True, False)
    """
    slots, phrase, last = _table()[0], list[str](), ""
    plain = re.sub(f"(?: ones?)?{slots['IMG']}$", "", without_quotations(text))
    words_of = re.sub(slots["ASIDE"], "", plain).split()
    for place, word in enumerate([*words_of, ""], start=1):
        kind = next((name for name in ("DETER", "JOIN", "VING", "ADV") if re.fullmatch(slots[name], word)), "")
        if last == "to" and not (kind or phrase) and word.islower():
            last = "infinitive"
        elif word and not kind:
            phrase.append(word)
        elif phrase:
            bare = re.fullmatch(slots["ADJ"], phrase[0]) and last in ("DETER", "JOIN")
            stray = kind in ("DETER", "VING") or (last and (kind == "ADV" or (kind and place == len(words_of))))
            several = len(phrase) > 1 or last in ("infinitive", "VING") or bare
            if stray or (several and has("SPLIT", " ".join(phrase))):
                return False
        if kind or not word:
            phrase, last = [], word if word == "to" else kind
    return not has("SECOND", " ".join(words_of))


def forms(verb: str, *, past: bool) -> list[str]:
    """Return the third person of a verb, or its pasts: listed ones, else the regular one, doubled where it may be."""
    listed = dict(pair.split("/", 1) for pair in _table()[0]["PAST"][3:-1].split("|"))
    if not past or verb in listed:
        return listed[verb].split("/") if past else [third_person(verb)]
    stem = re.sub(r"(?<=[^aeiou])y$", "i", re.sub(r"c$", "ck", verb)).removesuffix("e")
    doubled = [f"{verb}{verb[-1]}ed"] if re.search(r"[^aeiou][aeiou][^aeiouwxyc]$", verb) else []
    return doubled if doubled and re.fullmatch("[^aeiou]*[aeiou].", verb) else [f"{stem}ed", *doubled]


@cache
def _table() -> tuple[dict[str, str], tuple[_Template, ...]]:
    """Read the slots and the templates; the first template is that of simple existence."""
    slots, templates = dict[str, str](), list[_Template]()
    for line in Path(__file__).with_name("negation_templates.tsv").read_text(encoding="utf-8").splitlines():
        whole = re.sub(r"(?<!P)<([A-Z]+)>", lambda name: slots[name[1]], line)
        kind, first, second = [*whole.split("\t"), "", ""][:3]
        if kind == "slot":
            slots[first] = f"(?:{second})"
        elif line and not line.startswith("#"):
            question = re.sub(r"\{([A-Z]+)(\d*)\}", lambda name: f"(?P<{name[1]}{name[2]}>{slots[name[1]]})", first)
            templates.append((kind, question, second))
    return slots, tuple(templates)
