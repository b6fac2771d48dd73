"""A thought without a tag that is cut off anywhere is no answer; one that concludes is."""

import pytest

from vhbench.language.parsing import parse
from vhbench.language.parsing.reasoning_traces import unfinished

IMAGES = ("Image 1", "Image 2", "Image 3", "Image 4", "None of the above")
THOUGHTS = (
    "Got it, let's go through the images. Image 1: a desk and a lamp, nobody there. Image 2: a yard with a horse and",
    "Okay, so I need to find out if there's a horse. The left half shows a barn, and next to the barn there's a brown",
    "Hmm, let me think. The user wants to know if a horse is there. I can see a cart, two wheels, and something behind",
)


@pytest.mark.parametrize("thought", THOUGHTS)
def test_a_thought_cut_off_anywhere_is_no_answer(thought: str) -> None:
    for end in range(12, len(thought) + 1):
        assert parse("yes_no", thought[:end], question="Is there a horse in the image?") == "", thought[:end]
        assert parse("multiple_choice", thought[:end], IMAGES) == "", thought[:end]


@pytest.mark.parametrize("thought", THOUGHTS)
@pytest.mark.parametrize(
    ("end", "answer"), [(". So the answer is yes.", "yes"), (". Answer: No", "no"), (".\n\nNo", "no")]
)
def test_a_thought_that_concludes_is_read(thought: str, end: str, answer: str) -> None:
    assert parse("yes_no", thought + end, question="Is there a horse in the image?") == answer


def test_a_sentence_that_ends_is_no_unfinished_thought() -> None:
    assert not unfinished("Let me look. There is no dog.")
    assert not unfinished("A dog is on the grass")
