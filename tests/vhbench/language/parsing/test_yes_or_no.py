"""Yes and no as a careful reader takes them: the words, the sentences, the questions."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vhbench.files import read_json
from vhbench.generators.vhexpansion.rewriting import twin_of
from vhbench.language import inflection, parsing
from vhbench.language.parsing.claims import claim

HERE = Path(__file__).parent
DOG = "Is there a dog in the image?"
NO_DOG = "Is there no dog in the image?"


def read(text: str, question: str) -> str:
    return parsing.parse("yes_no", text, question=question)


def table(name: str) -> Iterator[tuple[str, str, str]]:
    for row in (HERE / name).read_text(encoding="utf-8").splitlines()[1:]:
        label, question, answer = row.split("\t")
        yield label, question.replace("\\n", "\n"), answer.replace("\\n", "\n")


def shares(rows: list[tuple[str, str, str]]) -> tuple[float, float]:
    """Return the share read as labelled, and the share read as another answer than the label."""
    found = [(label, read(text, question)) for label, question, text in rows]
    right = sum(label == answer for label, answer in found)
    wrong = sum(answer not in ("", label) for label, answer in found)
    return right / len(found), wrong / len(found)


def test_answers_in_the_forms_of_current_models() -> None:
    """All were labelled before they were read."""
    misread = [row for row in table("yes_no.tsv") if read(row[2], row[1]) != row[0]]
    assert misread == []


def test_answers_that_are_left_unread() -> None:
    """A careful reader could tell; we say nothing, and never the opposite."""
    assert [row for row in table("yes_no_abstains.tsv") if read(row[2], row[1])] == []


CHANGES: tuple[Callable[[str], str], ...] = (
    "**{}**".format,
    "_{}_".format,
    "> {}".format,
    " {}\n".format,
    "<think>Hm.</think>{}".format,
    "{}<|im_end|>".format,
    lambda answer: answer.replace(" ", "  "),
    lambda answer: answer.replace("'", "’"),
)
"""What dresses an answer and leaves its words: the reading must not change."""
DRESSED = re.compile(r"[*_`#>|<{\[$\\~\n\"]|\A\W|(?i:answer|question|assistant)")


@pytest.mark.parametrize("change", CHANGES)
def test_a_dressed_answer_is_read_alike(change: Callable[[str], str]) -> None:
    rows = [row for row in table("yes_no.tsv") if not DRESSED.search(row[2])][::3]
    assert [row for row in rows if read(change(row[2]), row[1]) != row[0]] == []


@pytest.mark.parametrize("change", [str.upper, lambda answer: answer.removesuffix(".")], ids=["case", "full stop"])
def test_case_and_a_last_full_stop_change_no_plain_answer(change: Callable[[str], str]) -> None:
    rows = [row for row in table("yes_no.tsv") if row[1].startswith("Is there a") and not DRESSED.search(row[2])]
    assert len(rows) > 100
    assert [row for row in rows if read(change(row[2]), row[1]) != row[0]] == []


@pytest.mark.parametrize(
    ("name", "least", "most"), [("yes_no.json", 0.96, 0.01), ("yes_no_real.json", 0.97, 0.005)], ids=["written", "real"]
)
def test_the_labelled_answers_of_the_reference(reference: Path, name: str, least: float, most: float) -> None:
    rows = [(row["label"], row["question"], row["response"]) for row in read_json(reference / "answers" / name)]
    right, wrong = shares(rows)
    assert right >= least
    assert wrong <= most


YES_FORMS = [
    "Yes", "yes.", "YES!", "Yes, there is.", "**Yes**", "Answer: yes", "The answer is yes.", "So the answer is yes.",
    "\\boxed{Yes}", "\\boxed{\\text{Yes}}", "<answer>Yes</answer>", '{"answer": "Yes"}', "['Yes']", "(Yes)", "“Yes”",
    "y",
    "<think>Hm.</think>Yes", "Yes</s>", "Final answer: **Yes**", "I would say yes.", "I'd say yes", "My answer is yes",
    "Therefore, yes.", "Based on the image, yes.", "Most likely yes.", "It's hard to say, but I would guess yes.",
    "That would be a yes.", "Well, yes.", "Hmm, yes.", "In short: yes.", "Yes\n\nExplanation: it is near the bench.",
    "The correct option is Yes", "A: Yes", "Question: Is there a dog?\nAnswer: Yes", "Yes, as far as I can tell.",
]  # fmt: skip


@pytest.mark.parametrize("question", ["", DOG, NO_DOG], ids=["none", "plain", "negated"])
def test_yes_and_no_are_read_alike(question: str) -> None:
    """Where only the word differs, so does only the answer."""
    misread = {}
    for form in YES_FORMS:
        if question == NO_DOG and "there is" in form:
            continue  # what the sentence says is no mirror
        swapped = "n" if form == "y" else form.replace("Yes", "No").replace("yes", "no").replace("YES", "NO")
        if (found := (read(form, question), read(swapped, question))) != ("yes", "no"):
            misread[form] = found
    assert misread == {}


PAIRS = [
    ("True.", "False."), ("Correct.", "Incorrect."), ("Affirmative.", "Negative."), ("Definitely.", "Definitely not."),
    ("Certainly.", "Certainly not."), ("Absolutely!", "Absolutely not!"), ("Of course.", "Of course not."),
    ("Yeah", "Nah"), ("Yep.", "Nope."), ("It does.", "It does not."), ("It is.", "It isn't."), ("✅", "❌"),
    ("👍", "👎"),
    ("There is.", "There isn't."), ("It appears so.", "It doesn't appear so."), ("I think so.", "I don't think so."),
    ("Probably.", "Probably not."), ("That's right.", "That's wrong."), ("That is true.", "That is not true."),
    ("I agree.", "I disagree."), ("There is a dog.", "There is no dog."), ("I can see a dog.", "I can't see a dog."),
    ("A dog is visible.", "No dog is visible."), ("It has a dog.", "It has no dog."), ("One dog.", "No dog."),
    ("The image contains a dog.", "The image does not contain a dog."), ("Dogs are present.", "Dogs are not present."),
    ("A dog is present.", "A dog is absent."), ("It is a dog, not a cat.", "It is a cat, not a dog."),
    ("是", "不是"), ("はい", "いいえ"), ("네", "아니요"), ("Oui", "Non"), ("Ja", "Nein"), ("Sí", "No"), ("Sim", "Não"),
    ("Да", "Нет"), ("Sì", "No"), ("نعم", "لا"), ("हाँ", "नहीं"), ("有。", "没有。"), ("Oui, un chien.", "Non, un chat."),
]  # fmt: skip


@pytest.mark.parametrize(("assent", "denial"), PAIRS)
def test_assent_and_denial_are_read_alike(assent: str, denial: str) -> None:
    assert (read(assent, DOG), read(denial, DOG)) == ("yes", "no")


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("No.", NO_DOG, "no"),  # the word, as it stands
        ("No, there is a dog.", NO_DOG, "no"),
        ("Yes, there is no dog.", NO_DOG, "yes"),
        ("No, there is no dog.", NO_DOG, ""),  # half of all readers take the word, half the sentence
        ("There is no dog.", "", "no"),  # without its question a denial is no, and an affirmation is unknown
        ("There is a dog.", "", ""),
        ("White", "Is the dog black?", ""),  # a word may be said of anything, a sentence may not
        ("The dog is white.", "Is the dog black?", "no"),
        ("A", "Is there a dog? Options: A. Yes B. No", "yes"),
        ("B", "Is there a dog? Options: A. Yes B. No", "no"),
    ],
)
def test_conventions(text: str, question: str, expected: str) -> None:
    assert read(text, question) == expected


@pytest.mark.parametrize(
    ("question", "stems", "denied", "exists"),
    [
        (DOG, ("dog",), False, True),
        (NO_DOG, ("dog",), True, True),
        ("Is it false that the man rides a bike?", ("man", "rid", "bik"), True, False),
        ("<image>\nDoes the man ride a bike? Please answer yes or no.", ("man", "rid", "bik"), False, False),
        ("According to the map, is the dog not black?", ("dog", "black"), True, False),
        ("Isn't there a dog?", ("dog",), False, True),
        ('Is "no" the right answer to this question: "Is there no dog?" Answer yes or no.', ("dog",), False, True),
        ('Is the statement "There is a dog" false?', ("dog",), True, True),
    ],
)
def test_what_a_question_claims(question: str, stems: tuple[str, ...], denied: bool, exists: bool) -> None:
    asked = claim(question)
    assert asked
    assert (asked.stems, asked.denied, asked.exists) == (stems, denied, exists)


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        # Things of one kind stand in each other's place; a kind, and what is no thing of the kind, do not.
        ("The man plays the piano.", "Does the man play the violin?", "no"),
        ("The man plays the violin.", "Does the man play the violin?", "yes"),
        ("The man plays the game.", "Does the man play the violin?", ""),
        ("Only dogs are visible.", "Is there a cat?", "no"),
        ("Only chairs are visible.", "Is there a cat?", ""),
        # Two negations meet, or one reaches over what follows; "nor" counts where nothing else denies.
        ("There are no cats, dogs or birds.", DOG, "no"),
        ("There are no cats, but dogs.", DOG, "yes"),
        ("There is neither a cat nor a dog.", DOG, "no"),
        ("It is not true that there is no dog.", DOG, "yes"),
        ("No wheel is missing.", "Is a wheel missing?", "no"),
        ("A cat without a dog.", DOG, "no"),
        ("A cat instead of a dog.", DOG, "no"),
        ("A dog without a collar.", DOG, "yes"),
    ],
)
def test_kinds_and_negations(answer: str, question: str, expected: str) -> None:
    assert read(answer, question) == expected


@pytest.mark.parametrize("question", ["", "Describe the image.", "What is there?", "Is there not a dog?", "???"])
def test_what_claims_nothing(question: str) -> None:
    assert claim(question) is None


# The project's own questions, answered in sentences


NOUNS = ("dog", "fire hydrant", "orange", "scissors", "rice", "teddy bear", "picture", "watch", "sign", "traffic light")
QUESTIONS = (
    *(f"{inflection.is_or_are(1, n).capitalize()} there {inflection.with_article(n)} in the image?" for n in NOUNS),
    *(f"Are there exactly {inflection.count_phrase(3, n)} in the image?" for n in ("dog", "sign", "watch", "bus")),
    *("Does the image show a street?", "Does the image show the sky?", "Is the sky overcast in the image?"),
    *("Is it a sunny day in the image?", "Is it night in the image?", "Is the dog in the image black?"),
    *(
        "Are the two dogs in the image running?",
        "Is the person in the image sitting?",
        "Is the orange in the image blue?",
    ),
    *("Is the dog to the left of the cat in the image?", "Are the scissors above the cup in the image?"),
    *("Does the man ride a bike in this image?", "Is the bottom left corner empty?", "Is the door of the car open?"),
)


SUBJECT = re.compile(
    r"the (?:two )?\w+ in the image(?= \w)|it|the image|the sky|the dog(?= to)|the scissors(?= above)|the man"
    r"|the bottom left corner|the door of the car"
)


def oracle(question: str, answer: str) -> str:
    """Return a sentence that says how things are if an answer to a question is right."""
    first, _, asked = question.removesuffix("?").partition(" ")
    verb, no = first.lower(), answer == "no"
    if asked.startswith("there "):
        said = asked.removeprefix("there ")
        said = re.sub(r"^(?:(?:an?|any) )?", "no ", said) if no and "exactly" not in said else said
        return f"There {verb} {'not ' if no and 'exactly' in said else ''}{said}."
    subject = SUBJECT.match(asked)
    assert subject, question
    rest = asked[subject.end() :]
    if verb == "does":
        does = f" does not{rest}" if no else re.sub(r"^ (\w+)", r" \1s", rest)
        return f"{subject[0]}{does}.".capitalize()
    return f"{subject[0]} {verb}{' not' if no else ''}{rest}.".capitalize()


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_a_sentence_answers_a_question_and_its_negated_twin(question: str, answer: str) -> None:
    other = {"yes": "no", "no": "yes"}[answer]
    said = oracle(question, answer)
    assert read(said, question) == answer, said
    assert read(said, twin_of(question, source="amber").text) == other, said
    assert read(said, twin_of(question, wording="wrapped").text) == other, said
    assert read(said, f'Is "no" the right answer to this question: "{question}" Please answer yes or no.') == other, (
        said
    )


# Safety


@pytest.mark.parametrize(
    "text",
    [
        *("there is a dog and " * 60_000, "the dog is not " * 70_000, "not " * 250_000, "yes, " * 200_000),
        *("a: no\n" * 150_000, "!" * 1_000_000, "no " + " " * 1_000_000 + "x", "so the answer is " * 60_000),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_megabyte_is_read_in_well_under_a_second(text: str) -> None:
    start = time.process_time()
    assert read(text, DOG) in ("yes", "no", "")
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("response", "prediction"),
    [
        ("Dog", ""),  # repeats the question's word
        ("dogs.", ""),
        ("A dog.", ""),
        ("A dog, or a wolf.", ""),
        ("A brown dog.", "yes"),
        ("Present", "yes"),
        ("Yes, there is — no, sorry, that is a cat.", ""),  # withdrawn
        ("Yes. Wait, no.", "no"),
        ("NO PARKING", ""),
    ],
)
def test_an_echo_or_a_withdrawn_answer_is_none(response: str, prediction: str) -> None:
    assert parsing.parse("yes_no", response, question="Is there a dog in the image?") == prediction


@pytest.mark.parametrize(
    "form",
    ["| dog | {0} |\n| cat | {1} |", "dog: {0}\ncat: {1}", "- cat {1}\n- dog {0}", "{0} dog\n{1} cat", "| dog | {0} |"],
)
def test_a_table_of_signs_is_read_by_its_row(form: str) -> None:
    assert [read(form.format(*signs), DOG) for signs in ("✅❌", "❌✅")] == ["yes", "no"]
    assert [read(form.format(*signs), NO_DOG) for signs in ("✅❌", "❌✅")] == ["no", "yes"]


@pytest.mark.parametrize(
    "form",
    [
        *(
            'The answer is not "{1}" but "{0}".',
            "I was going to say {1}, but it's {0}.",
            '"{1}" is wrong. "{0}" is right.',
        ),
        *('It is not "{1}", it is "{0}".', "{0} rather than {1}.", "It might be {1}, but I would say {0}."),
    ],
)
def test_a_replaced_answer_is_none(form: str) -> None:
    assert [read(form.format(*words), DOG) for words in (("yes", "no"), ("no", "yes"))] == ["yes", "no"]


HEDGED = """
Is it false that there is a dog in the image? | Correct, there is no dog. | yes
Is it false that there is a dog in the image? | Incorrect, there is a dog. | no
Is it false that the dog is running? | False, the dog is running. |
Is it false that the dog is running? | Correct. |
Is it false that the dog is running? | That's right. |
Is it false that the dog is running? | Incorrect |
Is it true that the dog is running? | That's correct. | yes
Is the cup to the left of the plate in the image? | **Right** |
Is there a dog in the image? | No, there is a dog. |
Is the cat black? | No, although it has black spots. | no
Is there a dog? | I'm going to say yes. | yes
Is there a dog? | The answer "yes" would be a hallucination. |
Is there a dog? | I was about to answer yes, but the animal is a cat. |
Is there a dog? | It would be incorrect to answer yes. |
Is there a dog? | One could say yes, but it's a kite. |
Is there a dog? | The answer is not yes. |
Is there a dog? | The answer is anything but yes. |
Is there a dog? | I would say yes. | yes
Is there a dog? | Yes, if you count the statue. |
Is there a dog? | Yes, if you look closely. | yes
Is there a dog? | Yes: 10%, No: 90% |
Is there a dog? | Yes. Oops, no. | no
Is there a dog? | No, sorry, yes. | yes
Is there a dog in every image? | Yes, except in image 3. |
Is there a dog in every image? | Yes, in images 1, 2 and 4. |
Is there a dog in every image? | Yes, there is a dog in every image. | yes
"""


@pytest.mark.parametrize("row", HEDGED.strip().splitlines())
def test_a_word_that_is_weighed_conditional_or_contradicted_answers_nothing(row: str) -> None:
    question, answer, expected = (cell.strip() for cell in row.split("|"))
    assert read(answer, question) == expected
