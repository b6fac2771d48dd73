import pytest

from vhbench.generators.vhexpansion.binary import binary
from vhbench.generators.vhexpansion.rewriting import twin_of
from vhbench.schema import Question

CASES = [
    (
        "Is the door open or closed?",
        ("Open", "Closed"),
        ["Is the door open?", "Is the door closed?"],
    ),
    (
        "Is the dog facing left or right from the camera's side?",
        ("Right", "Left"),
        [
            "Is the dog facing right from the camera's side?",
            "Is the dog facing left from the camera's side?",
        ],
    ),
    (
        "In the picture, is the cup red, green, or blue?",
        ("red", "green", "blue"),
        ["In the picture, is the cup red?", "In the picture, is the cup green?", "In the picture, is the cup blue?"],
    ),
    (
        "How many wheels can you see?",
        ("1", "2"),
        [
            'For the question "How many wheels can you see?", is "1" the correct answer?',
            'For the question "How many wheels can you see?", is "2" the correct answer?',
        ],
    ),
    (
        'Does the sign say "stop" or "go"?',
        ("It is hidden", "go"),
        [
            "For the question \"Does the sign say 'stop' or 'go'?\", is \"It is hidden\" the correct answer?",
            "For the question \"Does the sign say 'stop' or 'go'?\", is \"go\" the correct answer?",
        ],
    ),
]


@pytest.mark.parametrize(("text", "choices", "expected"), CASES)
def test_one_yes_no_question_per_option(text: str, choices: tuple[str, ...], expected: list[str]) -> None:
    asked = Question(
        "q", images=(b"",), question=text, answer="B", kind="multiple_choice", benchmark="vhexpansion", choices=choices
    )
    questions = binary(asked)
    assert [q.question for q in questions] == expected
    assert [q.answer for q in questions] == ["no", "yes", "no"][: len(choices)]
    assert [q.id for q in questions] == ["q-a", "q-b", "q-c"][: len(choices)]
    assert {(q.kind, q.choices) for q in questions} == {("yes_no", ())}


@pytest.mark.parametrize(("text", "choices", "expected"), CASES)
def test_what_comes_out_can_be_negated(text: str, choices: tuple[str, ...], expected: list[str]) -> None:
    for question in expected:
        assert "is it false that" in twin_of(question).text.lower()


def test_yes_and_no_as_options_leave_one_question() -> None:
    asked = Question(
        "q",
        images=(b"",),
        question="Is it red?",
        answer="B",
        kind="multiple_choice",
        benchmark="vhexpansion",
        choices=("Yes", "No"),
    )
    (question,) = binary(asked)
    assert (question.id, question.question, question.answer, question.kind) == ("q", "Is it red?", "no", "yes_no")


def test_a_yes_no_question_stays() -> None:
    asked = Question("q", images=(b"",), question="Is it red?", answer="yes", kind="yes_no", benchmark="vhexpansion")
    assert binary(asked) == [asked]


def test_one_case_for_each_question_by_an_option_that_its_words_alone_choose() -> None:
    drawn = []
    for number in range(40):
        told = {"question": f"Is lamp {number} on or off?", "choices": ("on", "off"), "kind": "multiple_choice"}
        pair = [
            question
            for right in "AB"
            for question in binary(Question(f"q{number}-{right}", images=(b"",), answer=right, **told), one=True)
        ]
        assert pair[0].question == pair[1].question
        assert [q.id for q in pair] == [f"q{number}-A", f"q{number}-B"]
        assert {q.answer for q in pair} == {"yes", "no"}
        drawn.append(pair[0].question.endswith("on?"))
    assert 5 < sum(drawn) < 35
