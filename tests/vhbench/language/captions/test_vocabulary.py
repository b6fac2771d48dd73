"""Mentions of a vocabulary's words in texts."""

import pytest

from vhbench.language.captions.vocabulary import Vocabulary, list_of_words, lower, placed
from vhbench.schema import VhbenchError

WORDS = Vocabulary.build([["dining table", "table"], ["toilet"], ["seat"], ["wine glass"], ["dog", "Puppy"], ["bear"]])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A dog, two puppies.", "dog=dog puppies=dog"),
        ("Dining tables and a table", "Dining tables=dining table table=dining table"),
        ("a dining-table", "dining-table=dining table"),
        ("dining. Table", "Table=dining table"),
        ("wine glasses, glass", "wine glasses=wine glass"),
        ("a toilet with a seat", "toilet=toilet"),
        ("a seat", "seat=seat"),
        ("dog/bear", "dog=dog bear=bear"),
        ("hotdog", ""),
    ],
)
def test_the_mentions_in_a_text(text: str, found: str) -> None:
    for _ in range(2):  # read, and then from the cache
        assert " ".join(f"{text[one.start : one.end]}={one.node}" for one in WORDS.find(text)) == found


def test_a_word_names_an_object() -> None:
    assert [WORDS.node(word) for word in ("puppy", " Puppy ", "table", "cat")] == ["dog", "dog", "dining table", None]


def test_lower_case_moves_no_character() -> None:
    assert lower("ABC") == "abc"
    dotted = "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"  # two characters in lower case
    assert lower(f"A{dotted}B") == f"a{dotted}b"


def test_spans_in_chunks_become_spans_in_the_text() -> None:
    text = "a dog on  dogs"
    chunks = text.split(" ")
    hits = [[], [("dog", 0, 3)], [], [], [("dog", 0, 4)]]
    found = placed(chunks, hits)
    assert [(word, text[start:end]) for word, start, end in found] == [("dog", "dog"), ("dog", "dogs")]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([["dog"], []], "the vocabulary has an object without a name"),
        ([[" ", "dog"]], "the vocabulary has an object without a name"),
        ([["dog"], ["cat", "Dog"]], "the word 'dog' names two objects, 'dog' and 'cat'"),
    ],
)
def test_a_vocabulary_with_an_error_is_refused(lines: list[list[str]], message: str) -> None:
    with pytest.raises(VhbenchError) as refused:
        Vocabulary.build(lines)
    assert str(refused.value) == message


def test_words_are_a_list_of_words() -> None:
    assert list_of_words(("a", "b"), "words") == ["a", "b"]
    for words, message in (
        ("ab", "words: expected a list of words, got 'ab'"),
        ({"a": 1}, "words: expected a list of words, got {'a': 1}"),
        (3, "words: expected a list of words, got 3"),
        (["a", 1], "words: 1 is not a word"),
    ):
        with pytest.raises(VhbenchError) as refused:
            list_of_words(words, "words")
        assert str(refused.value) == message
