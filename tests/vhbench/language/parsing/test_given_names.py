"""Names that a question gives, and names that an answer gives in their place."""

import pytest

from vhbench.language.parsing import parse

FILM = "Is this movie titled heat (1995)? Please answer yes or no."
PAINTER = "Is this artwork created by monet, claude? Please answer yes or no."
COUNTRY = "Is the country marked in green Chile?"
SIGN = 'Does the sign say "Open 24 Hours"?'
TOWER = "Is this an image of Big Ben? Please answer yes or no."


@pytest.mark.parametrize(
    ("question", "answer", "label"),
    [
        (FILM, "The movie is titled Heat.", "yes"),
        (FILM, "This movie is titled Alien (1979).", "no"),
        (FILM, "The movie is titled Heat (1986).", "no"),
        (FILM, "It is not titled Alien.", ""),
        (PAINTER, "This artwork was created by Claude Monet.", "yes"),
        (PAINTER, "It was painted by Edgar Degas.", "no"),
        (PAINTER, "The artwork was created by Edgar Degas.", "no"),
        (COUNTRY, "The country marked in green is Chile.", "yes"),
        (COUNTRY, "The country marked in green is Argentina.", "no"),
        (COUNTRY, "The country marked in green is large.", ""),
        (SIGN, 'The sign says "Open 24 Hours".', "yes"),
        (SIGN, 'The sign says "Closed on Sunday".', "no"),
        (SIGN, 'The sign may say "Closed on Sunday".', ""),
        (TOWER, "This is an image of the Eiffel Tower.", "no"),
        (TOWER, "This is an image of a tower.", ""),
    ],
)
def test_one_name_in_place_of_another_denies_it(question: str, answer: str, label: str) -> None:
    assert parse("yes_no", answer, question=question) == label
