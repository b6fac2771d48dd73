"""Names of options in responses, read by hand."""

import pytest

from vhbench.language.parsing.option_names import Mention, letters_of, names_of, normal, ordinal, spread
from vhbench.schema import VhbenchError

IMAGES = ("Image 1", "Image 2", "Both images", "None of the above")


@pytest.mark.parametrize(
    ("choices", "response", "named"),
    [
        (IMAGES, "The first image has it, image #2 has not.", "first image=A, image #2=B"),
        (IMAGES, "The second one; the 2nd; picture two; Image 12", "second one=B, the 2nd=B, picture two=B"),
        (IMAGES, "The last image", "last image=B"),
        (IMAGES, "Both, none of them", "Both=C, none of them=D"),
        (
            ("a red cup", "men running", "open umbrella"),
            "red cups, the cup is red, the men who are running, an umbrella that is open",
            "red cups=A, cup is red=A, men who are running=B, umbrella that is open=C",
        ),
        (("man that is running", "dog"), "a running man", "running man=A"),
        (("person holding baby", "to the left", "city"), "a person is holding a baby, on the left, cities",
         "person is holding a baby=A, on the left=B, cities=C"),
        (("child", "sheep", "glasses"), "children, sheep, a glass", "children=A, sheep=B"),
        (("Point A", "Point B", "Box C"), "point a, box C, B is closer", "point a=A, box C=C, B=B"),
        (("Point B", "Point A"), "point B, A is closer", "point B=A, A="),
        (("A is closer", "B is closer"), "A is closer; b is closer; the first option, the last choice, my last option",
         "A=A, b=B, first option=A, last choice=B"),
        (("cat", "dog"), 'The answer "cat". A dog', "cat=A, dog=B"),
        (("0", "1", "2"), "there are 2, one, 0", ""),
        (("yes", "no"), "yes, no", ""),
    ],
)  # fmt: skip
def test_the_options_that_a_response_names(choices: tuple[str, ...], response: str, named: str) -> None:
    found = names_of(choices).find(response)
    assert ", ".join(f"{response[one.start : one.end]}={one.letter}" for one in found) == named


def test_a_letter_may_stand_alone_or_be_marked() -> None:
    response = "(A), option B, [D], answer c, C."
    found = list(names_of(IMAGES).find(response))
    assert [(response[one.start : one.end], one.letter, one.by_letter) for one in found] == [
        ("(A)", "A", True), ("option B", "B", True), ("[D]", "D", True), ("answer c", "C", True), ("C", "C", False),
    ]  # fmt: skip
    assert all(one.of_letter for one in found)
    assert not Mention(0, 2, "A").of_letter
    assert list(names_of(IMAGES).find("a B-side, A dog")) == []


def test_the_kinds_images_and_counts_of_options() -> None:
    names = names_of(IMAGES)
    assert (names.kinds, names.images, names.counts) == ({"none": "D", "both": "C"}, {1: "A", 2: "B"}, {})
    assert [one.kind for one in names.find("both, neither, Image 1")] == ["both", "none", ""]
    others = names_of(("first image", "image twelve", "3 images", "the 2 image", "7"))
    assert (others.images, others.counts) == ({1: "A", 12: "B"}, {7: "E"})


def test_the_normal_form_of_a_text() -> None:
    texts = ("The cat", "a", "A big-eyed dog!", "two dogs", "\N{MINUS SIGN}5", "'tis dogs'")
    assert list(map(normal, texts)) == ["cat", "a", "big-eyed dog", "2 dogs", "-5", "tis dogs"]


def test_ordinals_in_words_and_digits() -> None:
    words = ("2", "2nd", "no 12th", "zeroth", "second", "twelfth", "thirteenth", "123")
    assert list(map(ordinal, words)) == [2, 2, 12, 0, 2, 12, 0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pictures 1, 2, and 3", "picture 1 and picture 2 and picture 3"),
        ("options A or B", "option A or option B"),
        ("the first, second and third images", "the first image and second image and third image"),
        ("The first or the second picture", "The first picture or second picture"),
        ("images 1 and 2 in a row", "images 1 and 2 in a row"),
        ("image 1", "image 1"),
    ],
)
def test_a_list_is_spread(text: str, expected: str) -> None:
    assert spread(text) == expected


def test_there_are_26_letters() -> None:
    assert (letters_of(0), letters_of(26)[-1]) == ("", "Z")
    with pytest.raises(VhbenchError, match="27 options: at most 26 have a letter"):
        letters_of(27)
