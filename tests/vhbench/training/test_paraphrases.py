"""Rewordings have the same answer: whatever is asked of a scene, the audit's reading of both is the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.generators.vhexpansion.rewriting import twin_of
from vhbench.training.paraphrases import paraphrases, rephrased, why_not_paraphrase

QUESTIONS = [
    "Is there a dog in the image?",
    "Are there sunglasses in the picture?",
    "Is the dog in the image brown?",
    "Does the image show a street?",
    "Are there exactly two dogs in the image?",
    "Is it a sunny day in the image?",
    "Can you see the man?",
]
TWINS = [
    "Is there no dog in the image?",
    "Is it false that there are sunglasses in the picture?",
    "Is it false that the dog in the image is brown?",
    "Is it false that the image shows a street?",
    "Is it false that there are exactly two dogs in the image?",
    "Is it false that it is a sunny day in the image?",
    'Is it false that the right answer to this question is yes: "Is the left one red?"',
]


@pytest.mark.parametrize("question", [*QUESTIONS, *TWINS, "Is the left or the right one red?", "How?"])
@pytest.mark.parametrize("seed", range(3))
def test_they_are_as_many_as_asked_for_and_all_different(question: str, seed: int) -> None:
    found = paraphrases(question, 5, source="ode", seed=seed)
    assert len({question, *found}) == 6
    assert found == paraphrases(question, 5, source="ode", seed=seed)
    assert all(text.rstrip('"').endswith("?") for text in found)


@pytest.mark.parametrize("question", [*QUESTIONS, *TWINS])
def test_a_rule_keeps_what_is_negated_negated_and_adds_nothing(question: str) -> None:
    for text in paraphrases(question, 5, source="ode"):
        if not text.endswith(question):
            assert why_not_paraphrase(question, text) == "", text


def test_the_twins_are_those_of_the_questions() -> None:
    questions = (*QUESTIONS[:6], "Is the left one red?")
    assert [twin_of(question, source="ode").text for question in questions] == TWINS


def test_by_hand() -> None:
    assert set(paraphrases("Is there no dog in the image?", 4)) == {
        "Is no dog to be seen in the image?",
        "Is no dog visible in the image?",
        "Does no dog appear in the image?",
        "Is it true that there is no dog in the image?",
    }
    assert "Does an orange cat appear in the image?" in paraphrases("Is there an orange cat in the image?", 9)


@pytest.mark.parametrize(
    ("candidate", "why"),
    [
        ("Can you see a brown dog in the picture?", ""),
        ("Is there a brown dog in the image?", "it is the same"),
        ("Is there no brown dog in the image?", "it is negated"),
        ("Isn't there a brown dog?", "it is negated"),
        ("Is there a black dog in the image?", "added ['black'], lost ['brown']"),
        ("What do you see?", "no yes/no question"),
        ("Yes", "no yes/no question"),
        ("", "no yes/no question"),
    ],
)
def test_what_a_language_model_says_is_held_to_the_question(candidate: str, why: str) -> None:
    told = why_not_paraphrase("Is there a brown dog in the image?", candidate)
    assert (why in told and bool(told)) if why and "yes/no" not in why else bool(told) == bool(why), told


@settings(max_examples=50)
@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    assert isinstance(why_not_paraphrase(QUESTIONS[0], text), str)


class Parrot:
    """A rewriter with prepared answers."""

    name = "parrot"

    def __init__(self, *said: str) -> None:
        self.said, self.prompts = list(said), list[str]()

    def rewrite(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.said.pop(0)


def test_rules_stand_in_for_what_a_language_model_gets_wrong() -> None:
    model = Parrot("Can you see a dog in the image?", "Is there a cat in the image?")
    found, refused = rephrased("Is there a dog in the image?", 4, model)
    assert found[0] == "Can you see a dog in the image?"
    assert refused == ["Is there a cat in the image?"]
    assert len(set(found)) == 4
    assert "Do not write: Can you see a dog" in model.prompts[1]


def test_plurals_and_any_are_put_as_statements_put_them() -> None:
    assert set(paraphrases("Are there no cars in the photo?", 4)) == {
        "Are no cars to be seen in the photo?", "Are no cars visible in the photo?", "Do no cars appear in the photo?",
        "Is it true that there are no cars in the photo?",
    }  # fmt: skip
    assert all(" there are some people " in text for text in paraphrases("Are there any people in the image?", 4))
    assert "Is it true that there is some water?" in paraphrases("Is there any water?", 5)
