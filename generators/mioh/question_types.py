"""The 26 question types of MIOH (arXiv 2608.30653, table 1), from ``question_types.tsv``.

To add a type, add a row there, with a shape from :mod:`drafts` or a new function in that module.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vhbench.generators.mioh import drafts, tied_questions
from vhbench.generators.mioh.drafts import Shape
from vhbench.generators.mioh.tied_questions import Tie
from vhbench.tsv import records

Task = Literal["existence", "attribute", "counting", "position"]
Mode = Literal["comprehensive", "selective", "comparative"]


@dataclass(frozen=True, slots=True)
class QuestionType:
    """One MIOH question type.

    Attributes:
        id: the paper's id, "E1" … "P7".
        task: kind of facts.
        mode: distribution of the facts over the images.
        shape: function that makes a block of drafts from facts.
        text: question template with the shape's fields.
        asks: number of facts the shape takes.
        least: minimum number of images that must show a fact well.
        tied_to: type whose questions are reused first, about the same images in another mode, to distinguish perception
            from integration failures; "" for none.
        again: function that converts the tied type's questions.
        together: whether its options must co-occur in images as distractors for each other.
        fewest: smallest possible number of images.
    """

    id: str
    task: Task
    mode: Mode
    shape: Shape
    text: str
    asks: int
    least: int
    tied_to: str
    again: Tie
    together: bool
    fewest: int


_READERS: Mapping[str, Callable[[str], Any]] = {
    "asks": int,
    "least": int,
    "shape": lambda cell: getattr(drafts, cell),
    "together": "yes".__eq__,
    "fewest": int,
    "again": lambda cell: getattr(tied_questions, cell),
}

QUESTION_TYPES: dict[str, QuestionType] = {
    entry.id: entry for entry in records(Path(__file__).with_suffix(".tsv"), QuestionType, _READERS)
}
