"""Response parsing: yes, no, an option letter, or "" where a response is ambiguous.

:func:`parse` handles any kind of question, :func:`yes_no` and :func:`letter` their own kind. :func:`failure` detects
failed requests and refusals, :func:`cut_off` truncated responses.
``YES_NO[name](text)`` gives "yes", "no" or "". It has the parsers of POPE, ODE, AMBER, VHTest and lmms-eval with their
original behaviour, errors included; ``default`` is the recommended one, and the only one that uses the question.
:func:`label` parses yes/no labels in tables.
"""

from collections.abc import Callable, Mapping, Sequence

from vhbench.language.parsing import failures
from vhbench.language.parsing.cleaning import after_thoughts, caption_text, plain
from vhbench.language.parsing.letters import letter
from vhbench.language.parsing.option_names import letters_of
from vhbench.language.parsing.reference_parsers import amber, lmms_eval, ode, pope, vhtest
from vhbench.language.parsing.truncation import cut_off
from vhbench.language.parsing.yes_or_no import bare, yes_no
from vhbench.schema import Failure, VhbenchError

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
Reader = Callable[[str, str], str]  # response and question → prediction


def parse(kind: str, response: str, choices: Sequence[str] = (), *, question: str = "") -> str:
    """Return the prediction in a response; "" for captions, failed requests and refusals.

    An unparsed response counts as incorrect, and the rate is reported as ``unparsed``.

    >>> parse("yes_no", "No, there is no dog."), parse("multiple_choice", "(B)", ("Image 1", "Image 2"))
    ('no', 'B')
    """
    if failure(response, choices):
        return ""
    if kind == "yes_no":
        return yes_no(response, question)
    return letter(response, choices, question) if kind == "multiple_choice" else ""


def failure(response: str, choices: Sequence[str] = (), *, unread: bool = False) -> Failure:
    """Return "failed" for a failed request, "refused" for a refusal, "" for an answer.

    "None", which a program writes for a missing response, answers where an option means it. Of responses without a
    prediction (``unread``), those that say that they cannot tell are "abstained".

    >>> failure("None"), failure("None", ("1", "0")), failure("None", ("cat", "Neither")), failure("I can't help you.")
    ('failed', '', '', 'refused')
    >>> failure("I cannot tell."), failure("I cannot tell.", unread=True)
    ('', 'abstained')
    """
    if choices and response.strip() == "None" and letter(response, choices):
        return ""
    return failures.failure(response) or ("abstained" if unread and failures.unsure(response) else "")


def label(text: str) -> str:
    """Return "yes" or "no" for a bare label (word, letter, truth value, 1 or 0); otherwise "".

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
    """Return a parser of response and question, by name or from a function of the response.

    >>> yes_no_reader("pope")("There is nothing.", "Is there a dog?")
    'yes'
    """
    reader = parser if callable(parser) else YES_NO.get(parser)
    if reader is None:
        raise VhbenchError(f"unknown parser {parser!r}, expected one of {', '.join(YES_NO)}")
    return yes_no if reader is yes_no else lambda response, question: reader(response)
