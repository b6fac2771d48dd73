"""Clauses of sentences, cut by hand."""

import pytest

from vhbench.language.parsing import yes_no
from vhbench.language.parsing.sentence_parts import Part, finite, parts, sentences
from vhbench.language.parsing.stems import Word, words


def w(text: str) -> tuple[Word, ...]:
    return tuple(words(text))


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


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("on the shelf there is a cup", [Part(w("there is a cup on the shelf"))]),
        ("on the sofa, there is a dog", [Part(w("there is a dog"), lead=w("on the sofa"))]),
        ("no cats, dogs or birds", [Part(w("no cats")), Part(w("dogs or birds"), negated=True, continues=True)]),
        ("the man sits and the dog runs", [Part(w("the man sits and the dog runs"))]),
        ("so the dog is black", [Part(w("so the dog is black"), weight=2)]),
        ("it seems that it is black", [Part(w("it seems that it is black"), weight=0)]),
        (
            "i see a dog because it barks",
            [Part(w("i see a dog")), Part(w("because it barks"), weight=0, continues=True)],
        ),
        (
            "the dog is brown and is not big",
            [Part(w("the dog is brown")), Part(w("is not big"), w("dog"))],
        ),
        (
            "the man has a hat, but a dog",
            [Part(w("the man has a hat")), Part(w("but a dog"), w("man"), continues=True)],
        ),
        ("he is as tall as a dog", [Part(w("he is as tall")), Part(w("as a dog"), continues=True)]),
        ("i think so there is a dog", [Part(w("i think")), Part(w("so there is a dog"), weight=2)]),
        ('a "dog" is here', [Part(w("a dog is here"))]),
        ("under the table a dog is", [Part(w("under the table a dog is"))]),
    ],
)
def test_the_clauses_of_a_sentence(sentence: str, expected: list[Part]) -> None:
    assert parts(sentence) == expected
    assert [part.text for part in parts(sentence)] == [part.text for part in expected]


def test_a_sentence_ends_at_a_stop_but_not_inside_a_number() -> None:
    assert sentences("a 2.5 m pole. b! c? d; e\nf… ") == ["a 2.5 m pole", " b", " c", " d", " e", "f"]


def test_a_part_with_a_verb_is_finite() -> None:
    texts = ("the dog runs", "they show dogs", "the man is", "dog runs", "the grass", "the dogs", "red bus")
    assert [finite(words(text)) for text in texts] == [True] * 3 + [False] * 4
