"""Rewritings as language models give them, right and wrong."""

import pytest

from vhbench.generators.vhexpansion import negation, validation
from vhbench.generators.vhexpansion.borders import tears
from vhbench.generators.vhexpansion.validation import why_not_negation

GOOD = [
    ("Is there a dog in the image?", "Is there no dog in the image?"),
    ("Is there a dog in the image?", "Is it false that there is a dog in the image?"),
    ("Are there any dogs?", "Are there no dogs?"),
    ("Are there any dogs?", "Is it not true that there are any dogs?"),
    ("Does the man ride a bike?", "Is it false that the man rides a bike?"),
    ("Does the man ride a bike?", "Does the man not ride a bike?"),
    ("Is the dog brown?", "Is the dog not brown?"),
    ("Is the dog brown?", "Is it not the case that the dog is brown?"),
    ("Does the keyboard have a backlight?", "Is it untrue that the keyboard has a backlight?"),
    ("Are all eggs white?", "Is it false that all eggs are white?"),
]

WRONG = [
    ("Is there a dog?", "Is there a dog?", "0 negations"),
    ("Is there a dog?", "Is it false that there is no dog?", "2 negations"),
    ("Is there a dog?", "Is there no cat?", "added 'cat', lost 'dog'"),
    ("Is the dog brown?", "Is it false that the dog is black?", "added 'black', lost 'brown'"),
    ("Is the dog brown?", "Isn't the dog brown?", "negated already"),
    ("Is the dog left of the cat?", "Is it false that the cat is left of the dog?", "changed their order"),
    ("Is the dog big?", "Is it false that the big dog is brown?", "added 'brown'"),
    ("Are all eggs white?", "Are all eggs not white?", "quantifier or conjunction"),
    ("Are all eggs white?", "Is it false that some eggs are white?", "added 'some', lost 'all'"),
    ("Do any dogs run?", "Do any dogs not run?", "quantifier or conjunction"),
    ("Is the dog big and brown?", "Is the dog not big and brown?", "quantifier or conjunction"),
    ("Is there a dog and a cat?", "Is there no dog and a cat?", "does not negate the whole"),
    ("Are there two dogs?", "Are there no two dogs?", "does not negate the whole"),
    ("Is there a dog that is brown?", "Is there a dog that is not brown?", "governs"),
    ("Is there a dog?", "There is no dog.", "begins with 'There'"),
    ("Is there a dog?", "There is no dog, is there?", "around the question"),
    ("How many dogs are there?", "How many dogs are not there?", "begins with 'How'"),
    ("Is there no dog?", "Is there a dog?", "the original: negated already"),
    ("Is there a dog? Answer yes or no.", "Is there no dog?", "around the question"),
    ("Is there a dog?", "Sure! Is there no dog?", "around the question"),
    ("Is there a dog?", "", "not one yes/no question"),
    ("Was the dog brown?", "Is it false that the dog is brown?", "added 'is'"),
]


@pytest.mark.parametrize(("question", "candidate"), GOOD)
def test_accepts(question: str, candidate: str) -> None:
    assert why_not_negation(question, candidate) == ""


@pytest.mark.parametrize(("question", "candidate", "reason"), WRONG)
def test_refuses(question: str, candidate: str, reason: str) -> None:
    assert reason in why_not_negation(question, candidate)


TORN = """
the left | is suitcase closer than the right suitcase
the bus | is stop sign behind the parked car
the top | is right window open
the cat | is under the dining table asleep
the man | is standing next to the person in the red box his brother
the answer | is to the arithmetic question in the image 17
the square in the center the same color | is as the square at the corner
this chicken | is soup
these two | are different cups
these dog | are toys
the jar with the lid | is off empty
the girl | is with the red balloon smiling
the left orange circle | is the same size as the right orange circle !
the forest | is fruit trees withering !
the wall | is natural wood !
the fire | is out !
the man in black | is tall !
this one | is red !
the bus stop sign | is behind the parked car !
"""


@pytest.mark.parametrize("line", TORN.strip().splitlines())
def test_a_border_is_judged_without_the_grammar_that_found_it(line: str) -> None:
    before, after = (part.split() for part in line.removesuffix(" !").split(" | "))
    assert tears(after[0], before, after[1:]) is not line.endswith("!")


@pytest.mark.parametrize("wrong", [1, 2, 3, 4])
def test_an_error_of_the_grammar_is_caught(wrong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (negation, validation):
        monkeypatch.setattr(module, "subject_length", lambda *_: wrong)
    question = "Is the top right window open?"
    assert (why_not_negation(question, negation.negate(question)) == "") is (wrong == 4)
