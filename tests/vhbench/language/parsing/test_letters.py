"""Which option an answer names.

``letters.tsv`` holds questions, options and answers in the words of today's models; every label was written before any
reader was asked.
"""

import csv
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.files import read_json
from vhbench.language.parsing import failure, letter, letters_of, parse


def rows() -> Iterator[tuple[str, tuple[str, ...], str, str]]:
    with Path(__file__).with_name("letters.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            question, response = (
                row[name].replace("\\n", "\n").replace("\\\\", "\\") for name in ("question", "response")
            )
            yield question, tuple(row["choices"].split(" | ")), row["label"], response


def test_an_answer_is_read_as_a_careful_reader_would() -> None:
    misread = [row for row in rows() if letter(row[3], row[1], row[0]) != row[2]]
    assert misread == []


@pytest.mark.parametrize(
    "form", ["{0}", "**{0}**", "{0}\nA. Image 1\nB. Image 2\nC. Both\nD. Neither", "Question: {0}\nAnswer:"]
)
def test_the_question_restated_alone_is_no_answer(form: str) -> None:
    question = "Which of Image 2 and Image 3 shows a lemon?"
    assert letter(form.format(question), ("Image 1", "Image 2", "Both", "Neither"), question) == ""


@pytest.mark.parametrize("form", ["The answer is anything but {1}.", "{0} beats {1}.", "{0} over {1}"])
def test_a_letter_behind_a_preferred_one_is_not_read(form: str) -> None:
    read = [letter(form.format("ABCD"[i], "ABCD"[i - 1]), ("horse", "sheep", "train", "kite")) for i in range(4)]
    assert read in (list("ABCD"), [""] * 4)


@pytest.mark.parametrize(
    "form", ["The answer is not {1}, it is {0}.", "Not {1}, it is {0}", "It is not {1}, it's {0}."]
)
@pytest.mark.parametrize("options", [("horse", "sheep", "train", "kite"), ("Image 1", "Image 2", "Both", "Neither")])
def test_a_letter_after_a_denied_one_is_read(form: str, options: tuple[str, ...]) -> None:
    read = [letter(form.format("ABCD"[i], "ABCD"[i - 1]), options, "Which one is right?") for i in range(4)]
    assert read == list("ABCD")


@pytest.mark.parametrize(
    "form",
    ["boxed{{{}}}", r"\fbox{{{}}}", "{} maybe", "{} perhaps.", "Yes - {}}}", "Answer>{}}}", "is {}-", "It is {}-"],
)
def test_every_letter_is_read_alike(form: str) -> None:
    assert [letter(form.format(name), ("horse", "sheep", "train", "kite")) for name in "ABCD"] == list("ABCD")


@pytest.mark.parametrize("change", ["**{}**", "> {}", " {}\n", "{}<|im_end|>", "<think>Hm.</think>{}"])
def test_a_dressed_answer_is_read_alike(change: str) -> None:
    plain = [row for row in rows() if not re.search(r"[*_`#>|<{\[$\\\n]|\A\W|(?i:answer|question)", row[3])][::3]
    assert [row for row in plain if letter(change.format(row[3]), row[1], row[0]) != row[2]] == []


OF_OTHER_THINGS = {
    "How many dogs are in the image?": (
        "0 | 1 | 2 | 3",
        (
            "There are 2 cats.",
            "Two people are walking a dog.",
        ),
    ),
    "In how many images are there any cups?": (
        "0 | 1 | 2 | 3 | 4",
        (
            "Image 3 shows two cups.",
            "Image 2.",
        ),
    ),
    "How many cups are there in all images together?": (
        "1 | 2 | 3 | 4 | None of the above",
        (
            "Image 1 has 2 cups and Image 3 has 2 cups.",
            "There are 2 cups in image 1.",
            "Each image shows 2 cups.",
        ),
    ),
    "Which image shows exactly 2 cups?": (
        "Image 1 | Image 2 | Image 3 | Image 4 | None of the above",
        (
            "Image 1 shows three cups.",
            "There are three cups in Image 4.",
        ),
    ),
    "Which image shows more cups, Image 1 or Image 2?": (
        "The same number | Image 1 | Image 2 | Neither shows any",
        (
            "There are fewer cups in Image 2.",
            "Neither has more.",
            "Image 2 has three cups.",
        ),
    ),
    "Which of these occurs in all of the images?": (
        "red car | blue car | white dog | None of the above",
        (
            "The red car is in three of the four images.",
            "Only image 1 has a red car.",
            "The red car occurs in every image except the third.",
        ),
    ),
    "Which of these is in Image 1 and not in Image 2?": (
        "red car | blue car | white dog | None of the above",
        (
            "The red car is only in Image 2.",
            "Both images show a red car.",
        ),
    ),
}
"""Answers that name an option, or a number, for other images or things than the question asks for."""


@pytest.mark.parametrize("question", OF_OTHER_THINGS)
def test_what_is_said_of_other_images_and_things_is_no_answer(question: str) -> None:
    choices, answers = OF_OTHER_THINGS[question]
    assert [letter(answer, tuple(choices.split(" | ")), question) for answer in answers] == [""] * len(answers)


def test_the_reference_set(reference: Path) -> None:
    """Its README says how it was labelled; the issue asks for 95 % as labelled and 1 % read as another."""
    answers = [
        (row["label"], letter(row["response"], row["choices"]))
        for row in read_json(reference / "answers" / "multiple_choice.json")
    ]
    assert sum(label == read for label, read in answers) / len(answers) >= 0.99
    assert sum(read not in (label, "") for label, read in answers) == 0


@pytest.mark.parametrize(
    ("choices", "response", "label"),
    [
        (("Neither", "Image 1", "Both", "Image 2"), "Image 1 does not show it.", ""),
        (("Neither", "Image 1", "Both", "Image 2"), "Neither Image 1 nor Image 2.", "A"),
        (("Neither", "Image 1", "Both", "Image 2"), "Rather than Image 1, I'd say Image 2.", "D"),
        (("Neither", "Image 1", "Both", "Image 2"), "Image 1 (not Image 2)", "B"),
        (("dog", "cat", "horse"), "dog, no, horse.", ""),
        (("dog", "cat", "horse"), "dog, or rather horse.", ""),
        (("dog", "cat", "horse"), "dog (not cat)", "A"),
        (("Image 1", "Image 2"), "Not Image 1.", ""),
        (("Image 1", "Image 2", "None of the above"), "Not Image 1.", ""),
        (("Image 1", "Image 2", "Image 3"), "Neither Image 1 nor Image 3 do.", ""),
        (("dog", "cat", "horse"), "It is not the dog.", ""),
        (tuple(f"thing {index}" for index in range(40)), "thing 3", "D"),
    ],
)
def test_what_is_left_when_others_are_denied_is_not_inferred(
    choices: tuple[str, ...], response: str, label: str
) -> None:
    assert letter(response, choices) == label


OPTIONS = [
    ("Image 1", "Image 2", "Image 3", "None of the above"),
    ("Both", "Image 2", "Neither", "Image 1"),
    ("Image 1", "Neither shows any", "Both show the same number", "Image 2"),
    ("3", "0", "2", "7", "None of the above"),
    ("0", "2", "1", "3", "I don't know"),
    ("hot dog", "dog", "person", "wine glass", "None of the above"),
    ("red ball", "open umbrella", "man that is running", "blue kite"),
    ("ball to the left of a box", "box to the left of a ball", "lamp below a shelf"),
    ("A is closer", "B is closer"),
    ("Point A", "Point B", "Point C", "Point D"),
    ("the second image", "the third image"),
    ("yes", "no"),
]
FORMS = [
    "{}",
    "**{}**",
    "({})",
    "{}.",
    "The answer is {}.",
    "Answer: {}",
    "The correct answer is: **{}**",
    "Final answer: \\boxed{{\\text{{{}}}}}",
    "$\\boxed{{{}}}$",
    "<answer>{}</answer>",
    '{{"answer": "{}"}}',
    '```json\n{{"answer": "{}"}}\n```',
    "['{}']",
    "<|begin_of_box|>{}<|end_of_box|>",
    "<think>Is it another one? Maybe not.</think>{}",
    "analysisLook at them.assistantfinal{}",
    "{}<|im_end|>",
    "ASSISTANT: {}</s>",
    "My final answer is {}",
    "Therefore, the answer is ({})",
]


@pytest.mark.parametrize("form", FORMS)
def test_an_oracle_is_right_in_every_form(form: str) -> None:
    for choices in OPTIONS:
        for name, choice in zip("ABCDE", choices, strict=False):
            for words in (name, choice, f"{name}. {choice}", f"({name}) {choice}", f"{name}) {choice}"):
                response = form.format(words)
                assert failure(response) == ""
                assert parse("multiple_choice", response, choices) == name, (response, choices)


@pytest.mark.parametrize(
    "form", ["<think>It is {}", "<think>\\boxed{{{}}}", "analysisI would say {}", "Not {}, nor any that I know"]
)
def test_what_is_only_thought_or_denied_is_not_said(form: str) -> None:
    read = {(choices, name): letter(form.format(f"option {name}"), choices) for choices in OPTIONS for name in "AB"}
    assert [key for key, found in read.items() if found == key[1]] == []


@given(st.permutations(["horse", "traffic light", "bench", "kite"]), st.integers(0, 3))
def test_an_option_is_found_wherever_it_stands(choices: list[str], index: int) -> None:
    named = choices[index]
    for response in (named, f"A {named}.", f"The {named}s", f"It is the {named}, not the {choices[index - 1]}."):
        assert letter(response, choices) == "ABCD"[index]


@pytest.mark.parametrize(
    "piece", ["Image 1 ", "A, ", "(A) ", "not ", "1 ", "so ", "A or ", "first, ", " ", "none of the ", "than "]
)
def test_a_million_signs_are_read_at_once(piece: str) -> None:
    text = f"x {piece * (1_000_000 // len(piece))}x"
    for choices in (OPTIONS[0], OPTIONS[3], OPTIONS[6]):
        letter("B", choices)
        begin = time.process_time()
        letter(text, choices, "Which image is closer?")
        assert time.process_time() - begin < 2  # 0.1 s; a pattern that goes back over its run takes minutes


def test_more_options_than_letters_end_in_one_line() -> None:
    from vhbench.schema import VhbenchError
    from vhbench.tasks.metrics import multiple_choice

    row = {"id": "a", "question": "Which?", "choices": ["x"] * 1_200_000, "answer": "A", "response": "A"}
    with pytest.raises(VhbenchError, match="question 'a': 1,200,000 options: at most 26 have a letter"):
        multiple_choice.score([row])
    with pytest.raises(VhbenchError, match="27 options"):
        letters_of(27)
    assert letters_of(26).endswith("Z")


@pytest.mark.parametrize(
    ("choices", "response", "label"),
    [
        (("dog", "cat"), "| dog | ❌ |\n| cat | ✅ |", "B"),
        (("Image 1", "Image 2", "Image 3"), "图2", "B"),
        (("Image 1", "Image 2", "Image 3"), "选C", "C"),
        (("the first", "the second", "the third"), "Not possible to determine which (the second or the third)", ""),
        (("yes", "no"), "I would select choice (B) no, it is not far", "B"),
        (("dog", "cat", "None of the above"), "I would choose (C) None of the above.", "C"),
    ],
)
def test_tables_other_scripts_and_an_options_own_denial(choices: tuple[str, ...], response: str, label: str) -> None:
    assert letter(response, choices) == label


@pytest.mark.parametrize(
    ("choices", "response", "label"),
    [
        (("10%", "20%", "30%", "40%"), "About 20% of them.", "B"),
        (("1", "2", "3", "4"), "Two dogs (3% of the picture).", "B"),
        (("1", "2", "3", "4"), "I am 90% certain there are three dogs.", "C"),
    ],
)
def test_a_percentage_is_a_number_only_where_options_are_percentages(
    choices: tuple[str, ...], response: str, label: str
) -> None:
    assert letter(response, choices) == label


@pytest.mark.parametrize("said", ["N/A", "n/a", "**N/A**", "The answer is N/A.", "N.A."])
def test_not_applicable_is_no_letter(said: str) -> None:
    assert letter(said, ["a dog", "a cat"]) == ""
    assert letter(said, ["a dog", "N/A"]) == "B"
    assert parse("yes_no", said) == ""


@pytest.mark.parametrize(
    "said",
    [
        "A sports car is parked.", "A to-do list.", "A not-so-happy dog.", "A man holds a rake.", "A biceps curl.",
        "A series of steps.", "A bus stops here.", "A dog barks.", "A yes or no would do.", "A bright light shines.",
        "A likely answer", "A most unusual view.", "A correct answer is not listed.", "A look at it does not help.",
        "A clearly visible dog stands there.", "A brightly lit street.", "A nearly empty glass.", "A still life.",
        "A never ending road.", "A matching pair of shoes.", "A painting hangs there.", "A tired and hungry dog.",
        "A covered bridge.", "A can is on a desk.", "A can of soda.", "A family is eating.", "A see-through bag.",
        "A 100% cotton shirt.", "A hundred people.", "A red bed.", "A once great building.", "A used car.",
    ],
)  # fmt: skip
def test_an_article_is_no_letter(said: str) -> None:
    assert letter(said, ("cat", "table", "lorry", "spade"), "What is in the image?") == ""


def test_a_long_list_of_letters_is_read_in_linear_time() -> None:
    def seconds(number: int) -> float:
        begin = time.process_time()
        parse("multiple_choice", "A) " * number, ("Neither", "Image 2", "Both", "Image 1"), question="Where is it?")
        return time.process_time() - begin

    few, many = (min(seconds(number + i) for i in range(3)) for number in (320, 1280))
    assert many < 8 * few  # 4 times as many letters take 16 times as long if each searches the whole list


@pytest.mark.parametrize(
    "form",
    [
        *("| {1} | ❌ |\n| {0} | ✅ |", "| Option | Shown |\n|---|---|\n| {0} | ✓ |\n| {1} | ✗ |", "{1}: ✗\n{0}: ✓"),
        *('"{0}", not "{1}".', 'The answer is not "{1}" but "{0}".', '"{1}" is wrong. "{0}" is right.'),
        *('I would not say "{1}". I would say "{0}".', '"{0}" rather than "{1}".'),
    ],
)
@pytest.mark.parametrize(
    "options",
    [
        ("horse", "sheep", "train", "None of the above"),
        *(("Image 1", "Neither", "Both", "Image 2"), ("bored", "not sure", "happy", "sad"), ("Yes", "No")),
        ("It is raining.", "It is not raining.", "There is no rain.", "A man is in the rain."),
    ],
)
def test_the_right_one_of_two_texts_is_read(form: str, options: tuple[str, ...]) -> None:
    read = [
        letter(form.format(options[i], options[i - 1]), options, "Which one is right?") for i in range(len(options))
    ]
    assert read == list("ABCD"[: len(options)])


@pytest.mark.parametrize("options", [("yes, it is far", "no, it is not far"), ("No, it is close", "Yes, it is far")])
def test_yes_and_no_name_the_options_that_begin_so(options: tuple[str, ...]) -> None:
    question = "Is the car far from the tree?"
    read = {word: letter(word, options, question) for word in ("Yes.", "No.", "No, it's not.")}
    yes = "AB"[options[0].startswith("No")]
    assert read == {"Yes.": yes, "No.": "BA"["AB".index(yes)], "No, it's not.": "BA"["AB".index(yes)]}
