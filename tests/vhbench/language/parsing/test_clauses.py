"""Clauses of a response, with the options that each affirms (+) and denies (-), cut by hand."""

import pytest

from vhbench.language.parsing.clauses import OptionClause, clauses_of, text_after
from vhbench.language.parsing.option_names import Mention, names_of

ANIMALS = ("cat", "dog", "bird", "None of the above")
IMAGES = ("Image 1", "Image 2", "Both images", "None of the above")


def clauses(response: str, choices: tuple[str, ...] = ANIMALS, question: str = "") -> list[OptionClause]:
    return clauses_of(response, names_of(choices), question)


def judged(response: str, choices: tuple[str, ...] = ANIMALS, question: str = "") -> list[str]:
    signs = []
    for clause in clauses(response, choices, question):
        affirmed = "".join(f"+{one.letter}" for one in clause.affirmed)
        signs.append(affirmed + "".join(f"-{letter}" for letter in sorted(clause.denied)))
    return signs


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("A is wrong. Same for B.", ["-A", "-B"]),
        ("A and B are wrong, so C.", ["-A-B", "+C"]),
        ("Not A, B or C.", ["-A-B-C"]),
        ("Neither A nor B fits, none of them.", ["-A-B"]),
        ("A is not right and B is not right too", ["-A-B"]),
        ("A: no\nB: yes", ["-A", "+B"]),
        ("(B) dog: no, (A) cat", ["+A-B"]),
        ("While the cat is there, the dog fits better.", ["+A", "+B"]),
        ("Option B says: dog, but it is A.", ["", "+A"]),
        ("None is perfect, but A is best.", ["", "+A"]),
        ("A rather than B", ["+A-B"]),
        ("I choose A over B.", ["+A-B"]),
        ("A is worse than B", ["+B-A"]),
        ("A fits less well than B.", ["+B-A"]),
        ("(D) None of the above", ["+D"]),
        ("Let me look at A. Let me look at B", [""]),
        ("The answer is B because the", [""]),
        ("B, and the", ["+B"]),
    ],
)
def test_what_a_clause_affirms_and_denies(response: str, expected: list[str]) -> None:
    assert judged(response) == expected


def test_the_question_decides_what_is_asked_for() -> None:
    assert judged("The cat is farther than the dog.", question="Which animal is closer?") == ["+B-A"]
    assert judged("Image 1 is farther away.", IMAGES[:2], "Which is closer, Image 1 or Image 2?") == ["+B-A"]
    assert judged("The dog is visible. The cat is not.", question="What is not visible?") == ["", "+A"]
    assert judged("The dog is visible. The cat is not.", question="What is visible?") == ["+B", "-A"]


def test_both_may_mean_other_things() -> None:
    assert judged("Both the man and the cat are in Image 1.", IMAGES) == ["+A"]
    assert judged("Both images.", IMAGES) == ["+C"]
    assert judged("Image 1, Image 2 and both images are right.", IMAGES) == ["+A+B+C"]


def test_a_condition_and_a_question_are_no_answers() -> None:
    found = clauses("If it were darker, I would say B. Is it C? It is A.")
    assert [(clause.pick, clause.is_question) for clause in found] == [("B", True), ("C", True), ("A", False)]


def test_the_properties_of_a_clause() -> None:
    one, several, named = clauses("B. A and C")[0], clauses("Image 1, Image 2", IMAGES)[0], clauses("I see a dog")[0]
    assert (one.pick, one.remainder.strip(), one.concludes, one.in_one_list) == ("B", "", True, True)
    assert (several.pick, several.letters, several.concludes, several.in_one_list) == ("", {"A", "B"}, False, True)
    assert (named.pick, named.remainder, named.concludes) == ("B", "I see a ", False)
    assert not clauses("A is here with B")[0].in_one_list
    assert [clause.denied_by_letter for clause in clauses("Not A. Not a dog. Not (B) dog.")] == [True, False, False]


def test_the_text_of_an_option_after_its_letter() -> None:
    names = names_of(ANIMALS)
    texts = (": dog, yes", ") **dog** is", " doghouse", " dog wait", " cat")
    assert [text_after(text, Mention(0, 1, "B"), names) for text in texts] == [
        ", yes", "** is", " doghouse", " dog wait", " cat",
    ]  # fmt: skip
