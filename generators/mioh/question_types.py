"""The 26 question types of MIOH (arXiv 2608.30653, table 1), one line each.

To add one: an entry here, with a shape from :mod:`drafts` or a new function there.
"""

from dataclasses import dataclass
from typing import Literal

from vhbench.generators.mioh import drafts, ties
from vhbench.generators.mioh.drafts import Shape
from vhbench.generators.mioh.ties import Tie

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
    """

    id: str
    task: Task
    mode: Mode
    shape: Shape
    text: str
    asks: int = 1
    least: int = 1
    tied_to: str = ""
    again: Tie = ties.which_image


_ANY, _EVERY = "Is there {a} in any of the images?", "Is there {a} in every image?"
_ONE, _ALL = "occurs in at least one of the images?", "occurs in all of the images?"
_FIRST = "is in {first} and not in {second}?"
_TWO = "Which of {first} and {second} shows {a}?"

_TYPES = (
    QuestionType("E1", "existence", "comprehensive", drafts.in_any, _ANY),
    QuestionType("E2", "existence", "comprehensive", drafts.in_every, _EVERY, least=4),
    QuestionType("E3", "existence", "comprehensive", drafts.which_in_any, f"Which object {_ONE}", 4),
    QuestionType("E4", "existence", "comprehensive", drafts.which_in_all, f"Which object {_ALL}", 4, least=4),
    QuestionType("E5", "existence", "selective", drafts.which_image, "Which image shows {a}?", tied_to="E1"),
    QuestionType("E6", "existence", "comparative", drafts.which_of_two, _TWO, tied_to="E1", again=ties.which_of_two),
    QuestionType("E7", "existence", "comparative", drafts.which_first_only, f"Which object {_FIRST}", 4),
    QuestionType("A1", "attribute", "comprehensive", drafts.in_any, _ANY),
    QuestionType("A2", "attribute", "comprehensive", drafts.in_every, _EVERY, least=4),
    QuestionType("A3", "attribute", "comprehensive", drafts.which_in_any, f"Which of these {_ONE}", 4),
    QuestionType("A4", "attribute", "comprehensive", drafts.which_in_all, f"Which of these {_ALL}", 4, least=4),
    QuestionType("A5", "attribute", "selective", drafts.which_image, "Which image shows {a}?", tied_to="A1"),
    QuestionType("A6", "attribute", "comparative", drafts.which_of_two, _TWO, tied_to="A1", again=ties.which_of_two),
    QuestionType("A7", "attribute", "comparative", drafts.which_first_only, f"Which of these {_FIRST}", 4),
    QuestionType("C1", "counting", "comprehensive", drafts.how_many_images, "In how many images are there any {many}?"),
    QuestionType("C2", "counting", "comprehensive", drafts.total, "How many {many} are there in all images together?"),
    QuestionType(
        "C3", "counting", "comprehensive", drafts.which_total,
        "Which object occurs exactly {number} times in all images together?", 4,
    ),
    QuestionType(
        "C4", "counting", "selective", drafts.exact, "Which image shows exactly {it}?", tied_to="C2", again=ties.exact,
    ),
    QuestionType(
        "C5", "counting", "comparative", drafts.more, "Which image shows {more} {many}, {first} or {second}?",
        tied_to="C2", again=ties.more,
    ),
    QuestionType("P1", "position", "comprehensive", drafts.in_any, _ANY),
    QuestionType("P2", "position", "comprehensive", drafts.in_every, _EVERY, least=4),
    QuestionType("P3", "position", "comprehensive", drafts.which_in_any, f"Which of these {_ONE}", 4),
    QuestionType("P4", "position", "comprehensive", drafts.which_in_all, f"Which of these {_ALL}", 4, least=4),
    QuestionType("P5", "position", "selective", drafts.which_image, "Which image shows {a}?", tied_to="P1"),
    QuestionType("P6", "position", "selective", drafts.which_image, 'Where is "{it}"?', tied_to="P1"),
    QuestionType("P7", "position", "comparative", drafts.which_first_only, f"Which of these {_FIRST}", 4),
)  # fmt: skip

QUESTION_TYPES: dict[str, QuestionType] = {entry.id: entry for entry in _TYPES}
