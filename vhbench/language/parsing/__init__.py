"""What a model's words say: yes, no, an option letter, or "" where that cannot be told.

:func:`parse` reads the response to a question of any kind, :func:`yes_no` and :func:`letter` to one of theirs, and
:func:`failure` says whether a response is an answer at all: a failed request is none, nor is a refusal; :func:`cut_off`
whether it stops midway.
``YES_NO[name](text)`` gives "yes", "no" or "". The parsers of POPE, ODE, AMBER, VHTest and lmms-eval are there as those
benchmarks have them, faults included; ``default`` is the one to use, and the one that is given the question.
:func:`label` reads what a table writes for yes or no.
"""

from collections.abc import Callable, Mapping, Sequence

from vhbench.language.parsing.cleaning import after_thoughts, caption_text, plain
from vhbench.language.parsing.failures import failure
from vhbench.language.parsing.letters import letter
from vhbench.language.parsing.option_names import letters_of
from vhbench.language.parsing.reference_parsers import amber, lmms_eval, ode, pope, vhtest
from vhbench.language.parsing.truncation import cut_off
from vhbench.language.parsing.yes_or_no import bare, yes_no
from vhbench.schema import VhbenchError

__all__ = [
    "YES_NO",
    "Parser",
    "after_thoughts",
    "amber",
    "bare",
    "caption_text",
    "cut_off",
    "failure",
    "label",
    "letter",
    "letters_of",
    "ode",
    "parse",
    "plain",
    "yes_no",
    "yes_no_reader",
]

Parser = Callable[[str], str]
Reader = Callable[[str, str], str]
"""Response and question → answer."""


def parse(kind: str, response: str, choices: Sequence[str] = (), *, question: str = "") -> str:
    """Return the answer in a response to a question; a caption has none, nor has what is no answer at all.

    An unknown answer counts as wrong, and its share is reported as ``unparsed``.

    >>> parse("yes_no", "No, there is no dog."), parse("multiple_choice", "(B)", ("Image 1", "Image 2"))
    ('no', 'B')
    """
    if failure(response):
        return ""
    if kind == "yes_no":
        return yes_no(response, question)
    return letter(response, choices, question) if kind == "multiple_choice" else ""


def label(text: str) -> str:
    """Return "yes" or "no" if that is all a text says, as a word, a letter, a truth value or 1 and 0; otherwise "".

    >>> [label(text) for text in ("Yes.", "n", "TRUE", "0", "1.0", "yes, it is")]
    ['yes', 'no', 'yes', 'no', 'yes', '']
    """
    word = text.strip().rstrip(".!").lower()
    return (
        "yes" if word in ("yes", "y", "true", "1", "1.0") else "no" if word in ("no", "n", "false", "0", "0.0") else ""
    )


YES_NO: Mapping[str, Parser] = {
    "default": yes_no,
    "pope": pope,
    "ode": ode,
    "amber": amber,
    "vhtest": vhtest,
    "lmms_eval": lmms_eval,
}


def yes_no_reader(parser: str | Parser) -> Reader:
    """Return what reads a response to a question, by its name or from a function of the response alone.

    >>> yes_no_reader("pope")("There is nothing.", "Is there a dog?")
    'yes'
    """
    found = parser if callable(parser) else YES_NO.get(parser)
    if found is None:
        raise VhbenchError(f"unknown parser {parser!r}; must be one of {', '.join(YES_NO)}")
    return yes_no if found is yes_no else lambda response, question: found(response)
