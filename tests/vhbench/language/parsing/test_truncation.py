"""Whether an answer stops midway: told only where its words show it."""

import pytest

from vhbench.language.parsing import cut_off, parse
from vhbench.language.parsing.truncation import unfinished


@pytest.mark.parametrize(
    "text",
    [
        "A dog runs over the beach. Behind it there is a",
        "A dog and",
        "A man in front of his",
        "The room is bright. On the left stands a wooden chai",
        "Two cats sleep on a sofa. The sofa is red,",
        "一只狗在跑。它的后面有一",
    ],
)
def test_a_caption_that_breaks_off(text: str) -> None:
    assert cut_off(text, "caption")


@pytest.mark.parametrize(
    "text",
    [
        "A dog on the beach",
        "a dog, a cat and a tree",
        "A dog runs over the beach.",
        "A dog runs. **It is brown.**",
        'The sign says "Stop."',
        "The sign says “Stop”",
        "The picture shows (from the left) a dog. It runs (fast)",
        "It shows a dog. What a day!",
        "There are these objects.\n\n- a dog\n- a cat",
        "There are these objects.\n| dog | 2 |",
        "一只狗在跑。",
        "A dog at 3.5 m",
        "",
    ],
)
def test_a_caption_that_does_not(text: str) -> None:
    assert not cut_off(text, "caption")


@pytest.mark.parametrize("kind", ["caption", "yes_no", "multiple_choice"])
def test_thoughts_are_cut_off_where_nothing_follows_them(kind: str) -> None:
    assert cut_off("<think>The image shows a dog, so", kind)
    assert cut_off("<think>The image shows a dog.</think>", kind)
    assert not cut_off("<think>The image shows a</think>A dog.", kind)
    assert not cut_off("", kind), "nothing was said: that is a failure, and no cut"


def test_answers_need_no_full_stop() -> None:
    assert not cut_off("There is a dog. Yes", "yes_no")
    assert not cut_off("It is the second. Answer: B", "multiple_choice")


def test_a_long_text_is_told_at_once() -> None:
    assert cut_off("word. " * 200_000 + "and the", "caption")
    assert not cut_off(" \n" * 300_000, "caption")


# Thoughts without a tag

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


def test_not_applicable_is_no_truncated_caption() -> None:
    assert [cut_off(text, "caption") for text in ("N/A", "n/a", "A dog on a")] == [False, False, True]
