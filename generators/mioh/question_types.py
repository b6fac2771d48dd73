"""The 26 question types of MIOH (arXiv 2608.30653, table 1): the rows of ``question_types.tsv``.

To add one: a row there, with a shape from :mod:`drafts` or a new function there.
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
    """One of the 26.

    Attributes:
        id: the paper's, "E1" … "P7".
        task: which facts it is about.
        mode: how they are spread over the images.
        shape: makes a block of drafts from facts.
        text: its words; the fields are the shape's.
        asks: how many facts the shape takes.
        least: how many images must show a fact well.
        tied_to: the type whose questions come first here, about the same images in another mode, so that a wrong
            answer can be told to be of perception or of integration; "" for none.
        again: how its questions are asked once more.
        together: whether its options must be seen side by side, as lures for one another.
        fewest: the smallest number of images that it can be asked about.
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

    @property
    def in_turns(self) -> bool:
        """Whether its forms let the wrong options change places, so that no other order needs to be tried."""
        return self.together or self.fewest > 2


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
