import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.generators.vhexpansion.negation import negate, quote
from vhbench.generators.vhexpansion.question_parts import CannotNegate
from vhbench.generators.vhexpansion.rewriting import twin_of
from vhbench.generators.vhexpansion.validation import why_not_negation

TWINS = [
    # simple existence: "a", "an", "any" become "no"
    ("Is there a dog in the image?", "Is there no dog in the image?"),
    ("Is there an umbrella in the imange?", "Is there no umbrella in the imange?"),
    ("Are there any dogs in the image?", "Are there no dogs in the image?"),
    ("Is there a dog that is running?", "Is there no dog that is running?"),
    ('Is there a sign that says "no parking"?', 'Is there no sign that says "no parking"?'),
    # existence that "no" would not negate as a whole
    ("Is there a dog and a cat?", "Is it false that there is a dog and a cat?"),
    ("Is there a dog or a cat?", "Is it false that there is a dog or a cat?"),
    ("Is there only a dog?", "Is it false that there is only a dog?"),
    ("Is there a lot of traffic?", "Is it false that there is a lot of traffic?"),
    ("Are there two bicycles in this image?", "Is it false that there are two bicycles in this image?"),
    (
        "Is there direct contact between the dog and car?",
        "Is it false that there is direct contact between the dog and car?",
    ),
    ("Is there a person in every car?", "Is it false that there is a person in every car?"),
    ("Is there a cup on both tables?", "Is it false that there is a cup on both tables?"),
    ("Is there an even number of dogs?", "Is it false that there is an even number of dogs?"),
    ("Is there at least one dog?", "Is it false that there is at least one dog?"),
    # the auxiliary moves behind the subject, wherever that ends
    ("Is the sky sunny in this image?", "Is it false that the sky is sunny in this image?"),
    ("Is the sky azure in this image?", "Is it false that the sky is azure in this image?"),
    ("Is the orange orange in this image?", "Is it false that the orange is orange in this image?"),
    ("Is the dog in the image?", "Is it false that the dog is in the image?"),
    ("Is the dog in the image brown?", "Is it false that the dog in the image is brown?"),
    ("Is the man in the red shirt?", "Is it false that the man is in the red shirt?"),
    ("Is the man in the red shirt smiling?", "Is it false that the man in the red shirt is smiling?"),
    ("Is the traffic light red?", "Is it false that the traffic light is red?"),
    ("Is the color of the car red?", "Is it false that the color of the car is red?"),
    ("Are the butterfly's wings open?", "Is it false that the butterfly's wings are open?"),
    ("Is the wall behind the bed in the room empty?", "Is it false that the wall behind the bed in the room is empty?"),
    ("Is the car to the left of the tree red?", "Is it false that the car to the left of the tree is red?"),
    ("Is the flag on the left of the person?", "Is it false that the flag is on the left of the person?"),
    ("Is Mickey Mouse in the image?", "Is it false that Mickey Mouse is in the image?"),
    ("Are the cat and the dog asleep?", "Is it false that the cat and the dog are asleep?"),
    ("Is the forest fruit trees withering?", "Is it false that the forest is fruit trees withering?"),
    ("Is this a hammerhead shark?", "Is it false that this is a hammerhead shark?"),
    ("Is this person wearing a hat?", "Is it false that this person is wearing a hat?"),
    ("Are both dogs the same color?", "Is it false that both dogs are the same color?"),
    ("Does the man ride a bike?", "Is it false that the man rides a bike?"),
    ("Does the traffic light show red?", "Is it false that the traffic light shows red?"),
    ("Has the door of the truck been opened?", "Is it false that the door of the truck has been opened?"),
    ("Can you see stems of bananas?", "Is it false that you can see stems of bananas?"),
    ("Is it true that the dog is brown?", "Is it false that the dog is brown?"),
    # scopes within "there is …" stay as they are
    ("Is there a bird on some of the roofs?", "Is it false that there is a bird on some of the roofs?"),
    ("Is there a cup on three shelves?", "Is it false that there is a cup on three shelves?"),
    ("Is there an apple per plate?", "Is it false that there is an apple per plate?"),
    # the verb takes its ending, and loses it never
    ("Does the girl carry a bag?", "Is it false that the girl carries a bag?"),
    ("Does the wagon have a roof of wood?", "Is it false that the wagon has a roof of wood?"),
    ("Do the two boats face the shore?", "Is it false that the two boats face the shore?"),
    ("Do you see the moon?", "Is it false that you see the moon?"),
    # one reading alone is possible
    ("Is the top right window dirty?", "Is it false that the top right window is dirty?"),
    ("Is the left lamp on?", "Is it false that the left lamp is on?"),
    ("Is the ladder leaning on the wall blue?", "Is it false that the ladder leaning on the wall is blue?"),
    (
        "Is the small plate wider than the large plate?",
        "Is it false that the small plate is wider than the large plate?",
    ),
    ("Are these two towers the same height?", "Is it false that these two towers are the same height?"),
    # what stands around the question stays
    ("is there a cat in the photo", "is there no cat in the photo"),
    ("In the image, is the man sitting?", "In the image, is it false that the man is sitting?"),
    ("Is there a dog? Please answer yes or no.", "Is there no dog? Please answer yes or no."),
    ("Look at the image. Is there a dog?", "Look at the image. Is there no dog?"),
    (
        'For the question "What is it?", is "a dog" the correct answer?',
        'For the question "What is it?", is it false that "a dog" is the correct answer?',
    ),
]

REFUSED = [
    ("Is there no dog in the image?", "negated already ('no')"),
    ("Is it false that the sky is blue?", "negated already ('false')"),
    ("Isn't there a dog?", 'negated already ("Isn\'t")'),
    ("Is the dog not brown?", "negated already ('not')"),
    ("Is there a dog that isn’t brown?", "negated already ('isn’t')"),
    ("Is the man without a hat?", "negated already ('without')"),
    ("There is a dog, isn't there?", "begins with 'There'"),
    ("Is it a dog, right?", "a tag question"),
    ("How many dogs are there?", "begins with 'How'"),
    ("What is in the image?", "begins with 'What'"),
    ("Describe this image.", "begins with 'Describe'"),
    ("Is the dog brown or black?", "asks for a choice"),
    ("Is there a dog? Is there a cat?", "not one yes/no question"),
    ("Is the man who stands there old?", "cannot tell the subject"),
    ("Is the dog?", "cannot tell the subject"),
    ("", "not one yes/no question"),
    ("?", "not one yes/no question"),
]


QUOTE = 'Is "no" the right answer to this question: '
QUOTED = [
    ("Is the bottom left corner empty?", QUOTE + '"Is the bottom left corner empty?"'),
    ("Is there no dog?", QUOTE + '"Is there no dog?"'),
    # what stands around the question stays outside
    ("Is it late? Please answer yes or no.", QUOTE + '"Is it late?" Please answer yes or no.'),
    ("<image>\nIs it late?", '<image>\nIs "no" the right answer to this question: "Is it late?"'),
    ("Is it late?\n(A) Yes (B) No", QUOTE + '"Is it late?"\n(A) Yes (B) No'),
    ("In the image, is it late?", 'In the image, is "no" the right answer to this question: "Is it late?"'),
    ("I am in a hurry. Is it late?", 'I am in a hurry. Is "no" the right answer to this question: "Is it late?"'),
    # but not what bears on it
    ("In most of the images, is it late?", QUOTE + '"In most of the images, is it late?"'),
    ("If x = 2, is y > 3?", QUOTE + '"If x = 2, is y > 3?"'),
    ("Is this true? It is late.", QUOTE + '"Is this true? It is late."'),
    # a question that has quotation marks in it is put into others
    ('Is the word "GO" red?', QUOTE + '“Is the word "GO" red?”'),
    ('Is “A” left of "B"?', QUOTE + '«Is “A” left of "B"?»'),
    # abbreviations end no sentence
    ("Is the arch in St. Louis?", QUOTE + '"Is the arch in St. Louis?"'),
    # two questions in one, tags, polite ones
    ("Is the pot full and is the pan empty?", QUOTE + '"Is the pot full and is the pan empty?"'),
    ("There is a dog, isn't there?", QUOTE + '"There is a dog, isn\'t there?"'),
    ("May I ask if it is late?", QUOTE + '"May I ask if it is late?"'),
    ("Is it open (yes or no)?", QUOTE + '"Is it open (yes or no)?"'),
    ("Is the boy holding a kite or a ball?", QUOTE + '"Is the boy holding a kite or a ball?"'),
    ("Is the film from the city or region of Rome?", QUOTE + '"Is the film from the city or region of Rome?"'),
    # numbered image marks and labels
    ("<image 1> <image 2> Is it late?", '<image 1> <image 2> Is "no" the right answer to this question: "Is it late?"'),
    ("[IMG] Is it late?", '[IMG] Is "no" the right answer to this question: "Is it late?"'),
    ("Q: Is it late? A:", 'Q: Is "no" the right answer to this question: "Is it late?" A:'),
    ("You see a dog?", QUOTE + '"You see a dog?"'),
]

NO_YES_NO_QUESTION = [
    "How many dogs are there?",
    "In the picture, what is on the table?",
    "On which side is the dog?",
    "Describe this image.",
    "The dog is brown.",
    "Is the dog brown or black?",
    "Is there a dog? Is there a cat?",
    "Can you tell me what this is?",
    "",
]

UNCERTAIN = [
    "Is the fan left on?",  # the fan | left on, the fan left | on
    "Is the stop light yellow?",  # the stop | light yellow
    "Does the cliff face look steep?",  # faces, or looks
    "Is the woman wearing a scarf on the left?",
    "Is the cup on the shelf in the kitchen?",
    "Is the van in lane 4?",
    "Is only the van red?",
    "Is there a fork as well as a spoon?",
    "Is there a fork & a spoon?",
    "Is there a fork and is there a spoon?",
    "Is there a dog on any bench?",
    "Is the cup that is on the table red?",
    "Is the toy the boy is holding broken?",
    'Is the word "EXIT" painted on the wall?',
    "Is the short, round man singing?",
    "Did the man leave the house?",
    "Does the dog walking in this image?",
    "Is this chicken soup?",  # this | chicken soup, this chicken | soup
    "Are these dog toys?",
    "Are these two different cups?",
    "Is the jar with the lid off empty?",
    "Is there any of the men smiling?",
]


@pytest.mark.parametrize(("question", "twin"), QUOTED)
def test_quoted_twins(question: str, twin: str) -> None:
    assert quote(question) == twin
    assert why_not_negation(question, twin) == ""


IN_MARKS = [
    ('"Is the dog brown?"', '"Is it false that the dog is brown?"'),
    ("“Is the dog brown?”", "“Is it false that the dog is brown?”"),
    ("'Is the dog's tail brown?'", "'Is it false that the dog's tail is brown?'"),
    ('"Is the dog brown"?', '"Is it false that the dog is brown"?'),
    ('"In the photo, is it late?"', '"In the photo, is it false that it is late?"'),
    ('‘Does the sign say "stop"?’', '‘Is it false that the sign says "stop"?’'),
    ('<image> "Is there a dog?" Answer yes or no.', '<image> "Is there no dog?" Answer yes or no.'),
    ('Question: "Is there a dog? Answer yes or no."', 'Question: "Is there no dog? Answer yes or no."'),
]
"""Questions wholly in quotation marks."""


@pytest.mark.parametrize(("question", "twin"), IN_MARKS)
def test_marks_around_the_whole_question_quote_nothing(question: str, twin: str) -> None:
    assert negate(question) == twin
    assert why_not_negation(question, twin) == ""
    quoted = quote(question)
    assert quoted.count('Is "no" the right answer') + quoted.count('is "no" the right answer') == 1
    assert why_not_negation(question, quoted) == "", "the marks of the twin take the place of the question's"
    assert not re.search('["“”]{2}', quoted)


@pytest.mark.parametrize(
    "question",
    [
        '"Which dog is brown?"',
        '"Is it brown or black?"',
        'What does the sign say: "Is it open?"',
        '"Is it late?" or "Is it early?"',
    ],
)
def test_what_is_no_yes_no_question_is_none_in_marks(question: str) -> None:
    with pytest.raises(CannotNegate) as refused:
        quote(question)
    assert "\0" not in str(refused.value)


@pytest.mark.parametrize("question", ['Does the sign say "Is it open?"', 'Is "Is it open?" on the sign?'])
def test_a_question_that_is_quoted_in_another_one_stays_a_quotation(question: str) -> None:
    assert quote(question) == f'Is "no" the right answer to this question: “{question}”'
    assert why_not_negation(question, quote(question)) == ""


@pytest.mark.parametrize("question", NO_YES_NO_QUESTION)
def test_only_what_is_no_yes_no_question_is_refused(question: str) -> None:
    with pytest.raises(CannotNegate):
        twin_of(question)


@pytest.mark.parametrize("question", UNCERTAIN)
def test_where_the_rule_is_not_certain_the_question_is_quoted(question: str) -> None:
    with pytest.raises(CannotNegate):
        negate(question)
    assert twin_of(question).form == "quoted"


@pytest.mark.parametrize(("question", "twin"), TWINS)
def test_twins(question: str, twin: str) -> None:
    assert negate(question) == twin


@pytest.mark.parametrize(("question", "reason"), REFUSED)
def test_refuses_and_says_why(question: str, reason: str) -> None:
    with pytest.raises(CannotNegate, match=re.escape(reason)):
        negate(question)


@pytest.mark.parametrize("question", [question for question, _ in TWINS])
def test_a_twin_passes_the_validator_and_is_not_negated_again(question: str) -> None:
    assert why_not_negation(question, negate(question)) == ""
    with pytest.raises(CannotNegate, match="negated already"):
        negate(negate(question))


def pope_questions(reference: Path) -> list[str]:
    files = sorted((reference / "POPE").glob("coco*/*.json"))
    return [json.loads(line)["text"] for file in files for line in file.read_text().splitlines() if line.strip()]


def amber_questions(reference: Path) -> list[str]:
    rows = json.loads((reference / "AMBER" / "query" / "query_discriminative.json").read_text())
    return [row["query"] for row in rows]


def test_every_pope_question_has_a_twin(reference: Path) -> None:
    questions = pope_questions(reference)
    assert len(questions) == 9_000 + 8_910
    for question in set(questions):
        twin = negate(question)
        assert twin == re.sub(r"\b(a|an)\b", "no", question, count=1)
        assert why_not_negation(question, twin) == ""
        with pytest.raises(CannotNegate, match="negated already"):
            negate(twin)


def test_every_amber_question_has_a_twin_with_its_subject_found(reference: Path) -> None:
    questions = amber_questions(reference)
    assert len(questions) == 14_216
    broken = 0
    for question in set(questions):
        twin = twin_of(question).text
        if question.startswith("Does") and twin == quote(question):
            broken += 1  # "Does the dog walking in this image?"
            continue
        assert why_not_negation(question, twin) == "", (question, twin)
        # In all of AMBER the subject is "the" and one word, or "there": an independent rule for what must come out.
        if match := re.fullmatch(r"Is (the \S+) (.+)", question):
            assert twin == f"Is it false that {match[1]} is {match[2]}"
        elif match := re.fullmatch(r"Does (the \S+) (\S+)( .+)", question):
            said = re.sub(r"(?<=[^aeiou])ys$", "ies", re.sub(r"(?<=ch)s$|(?<=go)s$", "es", f"{match[2]}s"))
            assert twin == f"Is it false that {match[1]} {said}{match[3]}"
        elif match := re.fullmatch(r"(Is|Are) there (?!an? )(.+)", question):
            assert twin == f"Is it false that there {match[1].lower()} {match[2]}"
        else:
            assert twin == re.sub(r"\b(a|an)\b", "no", question, count=1)
    assert broken == 34


@given(st.text(alphabet="abc ,.?!'\"“”\n\0isthere", max_size=40))
def test_any_text_has_a_twin_or_a_reason(text: str) -> None:
    for make in (negate, quote):
        try:
            twin = make(text)
        except CannotNegate:
            continue
        assert why_not_negation(text, twin) == "", twin


def test_no_twin_is_one_that_was_judged_wrong_by_hand(reference: Path) -> None:
    rows = json.loads((reference / "negation" / "wrong_twins.json").read_text())
    assert len(rows) == 151
    for row in rows:
        assert why_not_negation(row["question"], row["wrong"]), row
        assert twin_of(row["question"]).text != row["wrong"]
