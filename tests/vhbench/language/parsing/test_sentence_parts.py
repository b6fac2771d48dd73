"""Clauses of sentences, cut by hand."""

import pytest

from vhbench.language.parsing import yes_no
from vhbench.language.parsing.sentence_parts import Part, finite, parts, sentences
from vhbench.language.parsing.stems import words


@pytest.mark.parametrize(
    ("question", "response", "expected"),
    [
        ("Is there a dog?", "There is no cat, nor is there a dog.", "no"),
        ("Is there a dog?", "There is no cat. Nor is there a dog.", "no"),
        ("Is there a cat?", "There is no cat, nor is there a dog.", "no"),
        ("Is there a dog?", "There is no cat, and there is a dog.", "yes"),
        ("Is the man tall?", "The man is not happy, nor is he tall.", "no"),
    ],
)
def test_a_clause_with_nor_denies(question: str, response: str, expected: str) -> None:
    assert yes_no(response, question) == expected
