"""What a model's words mean: "yes", "no", a letter, or "" where that cannot be told."""

from collections.abc import Sequence

from vhbench.tasks.metrics import parsers


def parse(kind: str, response: str, choices: Sequence[str] = ()) -> str:
    """Return the answer in a response; a caption has none.

    An unknown answer counts as wrong, and its share is reported as ``unparsed``.

    >>> parse("yes_no", "No, there is no dog."), parse("multiple_choice", "(B)", ("Image 1", "Image 2"))
    ('no', 'B')
    """
    if kind == "yes_no":
        return parsers.yes_no(response)
    if kind == "multiple_choice":
        return parsers.letter(response, choices)
    return ""
