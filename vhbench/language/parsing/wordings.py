"""Patterns of the phrases in ``wordings.tsv``, which has one phrase of a class a line.

A space matches any white space, and «name» the phrases of another class.
"""

import re
from pathlib import Path

from vhbench.tsv import records

_ROWS = records(Path(__file__).with_suffix(".tsv"), lambda kind, form: (kind, form), {})


def wording(name: str) -> str:
    """Return a pattern for any phrase of a class."""
    forms = "|".join(form for kind, form in _ROWS if kind == name)
    return re.sub("«(.+?)»", lambda part: wording(part[1]), forms).replace(" ", r"\s+")
