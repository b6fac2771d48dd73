"""Stems of words, their relations, and their roles in a sentence."""

import pytest

from vhbench.language.parsing.stems import PICTURE, another, compares, excludes, implies, opposite, stem, words


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dogs", "dog"),
        ("flies", "fly"),
        ("ties", "tie"),
        ("bus", "bus"),
        ("boxes", "box"),
        ("brushes", "brush"),
        ("running", "run"),
        ("falling", "fall"),
        ("carried", "carry"),
        ("red", "red"),
        ("sing", "sing"),
        ("classes", "class"),
        ("quickly", "quick"),
        ("ugly", "ugly"),
        ("the", "the"),
        ("plate", "plat"),
    ],
)
def test_the_stem_of_a_word(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_relations_between_stems() -> None:
    assert excludes(stem("red"), stem("blue"))
    assert not excludes(stem("red"), stem("red"))
    assert not excludes(stem("red"), stem("dog"))
    assert another(stem("horse"), stem("cow"))
    assert not another(stem("horse"), stem("red"))
    assert opposite(stem("longer"), stem("shorter"))
    assert not opposite(stem("longer"), stem("longer"))
    assert [compares(word) for word in ("longer", "long")] == [True, False]
    assert [implies("dog", "dog"), implies("dog", "animal"), implies("animal", "dog")] == [True, True, False]


def roles(text: str) -> list[tuple[str, str]]:
    return [(word.stem, word.role) for word in words(text)]


def test_the_role_of_a_word() -> None:
    assert roles("it is not the dog.") == [
        ("it", "pronoun"), ("is", "verb"), ("not", "negation"), ("the", "function"), ("dog", ""), (".", "stop"),
    ]  # fmt: skip
    assert roles("clearly 1,200 >= 12") == [("clear", "neutral"), ("1200", ""), (">=", "sign"), ("12", "")]


def test_a_picture_on_a_wall_is_not_the_image() -> None:
    def pictured(text: str) -> list[bool]:
        return [word.stem == PICTURE for word in words(text) if word.surface == "picture"]

    assert pictured("picture") == pictured("the picture") == pictured("a picture of") == [True]
    assert pictured("a picture") == pictured("no picture hangs") == pictured("dog picture") == [False]
