"""Rewrites as language models give them, right and wrong."""

from pathlib import Path

import pytest

from vhbench.files import read_json
from vhbench.generators.vhexpansion.rewriting import clean, twin_of, why_not_negation

GOOD = [
    ("Is there a dog in the image?", "Is there no dog in the image?"),
    ("Is there a dog in the image?", "Is it false that there is a dog in the image?"),
    ("Are there any dogs?", "Are there no dogs?"),
    ("Are there any dogs?", "Is it not true that there are any dogs?"),
    ("Does the man ride a bike?", "Is it false that the man rides a bike?"),
    ("Is the dog brown?", "Is it not the case that the dog is brown?"),
    ("Are all eggs white?", "Is it false that all eggs are white?"),
    ("Did the boy ride a horse?", "Is it false that the boy rode a horse?"),
    ("Does the keyboard have a backlight?", "Is it untrue that the keyboard has a backlight?"),
    ("Is the man who is cooking wearing a hat?", "Is it false that the man who is cooking is wearing a hat?"),
    ("According to the chart, is the sum 3?", "Is it false that according to the chart the sum is 3?"),
    ("Did the man throw the ball?", "Is it false that the man threw the ball?"),
    ("Did the waiter bring the soup?", "Is it false that the waiter brought the soup?"),
    ("Did the boy put the cup on the shelf?", "Is it false that the boy put the cup on the shelf?"),
    ("Has the train left the station?", "Is it false that the train has left the station?"),
    ("Could the people on the roof see the sea?", "Is it false that the people on the roof could see the sea?"),
    ('Is the word on the second line "river"?', 'Is it false that the word on the second line is "river"?'),
    ("Is the cat hiding beneath the bed?", "Is it false that the cat is hiding beneath the bed?"),
    ("Is the room where the piano stands empty?", "Is it false that the room where the piano stands is empty?"),
    ("Is the swimmer in lane three ahead?", "Is it false that the swimmer in lane three is ahead?"),
    ("Is the bridge over the canal wide enough?", "Is it false that the bridge over the canal is wide enough?"),
    ("Is the tractor pulling a cart full of hay?", "Is it false that the tractor is pulling a cart full of hay?"),
    ("Is the man painting the door blue?", "Is it false that the man is painting the door blue?"),
    ("Is the sign written above the door?", "Is it false that the sign is written above the door?"),
    ("Would the door open inwards?", "Is it false that the door would open inwards?"),
    ("Is the mean of group A larger?", "Is it false that the mean of group A is larger?"),
    ("Had the baker just opened the oven?", "Is it false that the baker had just opened the oven?"),
    ("Is the mechanic tightening a bolt?", "Is it false that the mechanic is tightening a bolt?"),
    ("Is this safe to eat?", "Is it false that this is safe to eat?"),
    ("Are these edible mushrooms?", "Is it false that these are edible mushrooms?"),
    ("Is the man painting the fence the owner?", "Is it false that the man painting the fence is the owner?"),
]

WRONG = [
    ("Is there a dog?", "Is there a dog?", "no other question"),
    ("Is there a dog?", "Is it false that there is no dog?", "expected 1 negations, got 2"),
    ("Is there a dog?", "Is there no cat?", "other content: added ['cat'], lost ['dog']"),
    ("Is the dog brown?", "Is it false that the dog is black?", "other content: added ['black'], lost ['brown']"),
    ("Is the dog brown?", "Isn't the dog brown?", "the negation does not govern the whole question"),
    ("Is the dog left of the cat?", "Is it false that the cat is left of the dog?", "another order of words"),
    ("Is the dog big?", "Is it false that the big dog is brown?", "other content: added ['brown'], lost []"),
    ("Are all eggs white?", "Are all eggs not white?", "the negation does not govern the whole question"),
    ("Are all eggs white?", "Is it false that some eggs are white?", "other content: added ['some'], lost ['all']"),
    ("Do any dogs run?", "Do any dogs not run?", "the negation does not govern the whole question"),
    ("Is the dog big and brown?", "Is the dog not big and brown?", "the negation does not govern the whole question"),
    ("Is there a dog and a cat?", "Is there no dog and a cat?", "the negation does not govern the whole question"),
    ("Are there two dogs?", "Are there no two dogs?", "the negation does not govern the whole question"),
    (
        "Is there a dog that is brown?",
        "Is there a dog that is not brown?",
        "the negation does not govern the whole question",
    ),
    ("Is there a dog?", "There is no dog.", "not a yes/no question: 'There is no dog.'"),
    ("Is there a dog?", "There is no dog, is there?", "the negation does not govern the whole question"),
    ("How many dogs are there?", "How many dogs are not there?", "not a yes/no question: 'How many dogs are there?'"),
    ("Is there no dog?", "Is there a dog?", "expected 2 negations, got 0"),
    ("Is there a dog? Answer yes or no.", "Is there no dog?", "the text around the question changed"),
    ("Is there a dog?", "Sure! Is there no dog?", "the text around the question changed"),
    ("Is there a dog?", "", "not a yes/no question: ''"),
    ("Was the dog brown?", "Is it false that the dog is brown?", "another verb or tense"),
    ("Does the man ride a bike?", "Does the man not ride a bike?", "the negation does not govern the whole question"),
    ("Is the dog brown?", "Is the dog not brown?", "the negation does not govern the whole question"),
    ("Is the boy eating cake sad?", "Is it false that the boy is eating cake sad?", "splits a phrase"),
    ("Is the cup on the shelf red?", "Is it false that the cup is on the shelf red?", "splits a phrase"),
    ("Is the left light on?", "Is it false that the left is light on?", "splits a phrase"),
    ("Was the dog brown?", "Is it false that the dog is brown?", "another verb or tense"),
    ("Is this for a child?", "Is it false that this for is a child?", "splits a phrase"),
    ("Are these edible mushrooms?", "Is it false that these edible are mushrooms?", "splits a phrase"),
    ("Is this violin old?", "Is it false that this is violin old?", "splits a phrase"),
    ("Is the nurse taking Ann's pulse?", "Is it false that the nurse taking Ann's is pulse?", "splits a phrase"),
    ("Is the keeper about to dive left?", "Is it false that the keeper about to dive is left?", "splits a phrase"),
    ("Is the map upside down?", "Is it false that the map upside is down?", "splits a phrase"),
    ("Is the red car on the right?", "Is it false that is the red car on the right?", "splits a phrase"),
    ("Is the form signed by the tenant?", "Is it false that the form signed is by the tenant?", "splits a phrase"),
    ("Is the price of tea above 3?", "Is it false that the price is of tea above 3?", "splits a phrase"),
    ("Is the weld on the pipe cracked?", "Is it false that the weld is on the pipe cracked?", "splits a phrase"),
    ("Is the largest slice red?", "Is it false that the largest is slice red?", "splits a phrase"),
    ("Can the boat pass under the bridge?", "Is it false that the boat pass can under the bridge?", "splits a phrase"),
    ("Is the coffee in the mug lukewarm?", "Is it false that the coffee is in the mug lukewarm?", "splits a phrase"),
    ("Is the dish on the left suitable?", "Is it false that the dish is on the left suitable?", "splits a phrase"),
    ("Is the hiker by the rock tired?", "Is it false that the hiker is by the rock tired?", "splits a phrase"),
    ("Is vertex C above line 2?", "Is it false that vertex is C above line 2?", "splits a phrase"),
    ("Must cars coming in stop?", "Is it false that cars must coming in stop?", "splits a phrase"),
    ("Did he see it?", "Is it false that he saw?", "lost ['it', 'see']"),
    ("Did it fall?", "Is it false that it felled?", "other content"),
    ("Do the keys have rings?", "Is it false that the keys has rings?", "another verb or tense"),
    ("Does the dog jump?", "Is it false that the dog jump?", "another order of words"),
    ("Does the dog jump?", "Is it false that the dogs jump?", "other content"),
    ("Does the dog jump?", "Is it false that the dog jumped?", "other content"),
    ("Did the dog jump?", "Is it false that the dog jumps?", "other content"),
    ("Did the dog see the ball?", "Is it false that the dog see the bell?", "other content"),
    ("Is the pot full and is the pan empty?", "Is it false that the pot is full and is the pan empty?", "two clauses"),
]


@pytest.mark.parametrize(("question", "candidate"), GOOD)
def test_accepts(question: str, candidate: str) -> None:
    assert why_not_negation(question, candidate) == ""


@pytest.mark.parametrize(("question", "candidate", "reason"), WRONG)
def test_refuses(question: str, candidate: str, reason: str) -> None:
    assert reason in why_not_negation(question, candidate)


class Said:
    """A language model with one response."""

    name = "tiny"

    def __init__(self, said: str) -> None:
        self.said, self.asked = said, list[str]()

    def rewrite(self, prompt: str) -> str:
        self.asked.append(prompt)
        return self.said


def test_a_model_is_asked_where_no_template_matches() -> None:
    model = Said("Is it false that the man is wearing a scarf on the left?")
    found = twin_of("Is the man wearing a scarf on the left?", model)
    assert (found.text, found.form, found.by) == (model.said, "llm", "tiny")
    assert twin_of("Is there a dog?", model).form == "natural"
    assert len(model.asked) == 1


def test_as_in_the_paper_a_model_is_asked_for_all() -> None:
    found = twin_of("Is there a dog?", Said("Is there no dog?"), "llm")
    assert (found.text, found.form) == ("Is there no dog?", "llm")
    refused = twin_of("Is there a dog?", Said("Is there no cat?"), "llm")
    assert (refused.form, refused.refused) == ("wrapped", "Is there no cat?")


@pytest.mark.parametrize(
    "said", ["Is there no dog?", 'Twin: "Is there no dog?"', "**Is there no dog?**\n\nHope this helps!"]
)
def test_what_models_add_around_a_question_is_removed(said: str) -> None:
    assert clean(said).strip("*") == "Is there no dog?"


def test_most_verbs_in_a_wrong_place_are_refused(reference: Path) -> None:
    """Rewrites judged wrong by hand; the source of some is unknown."""
    wrong = read_json(reference / "negation" / "wrong_twins.json")
    accepted = [row["question"] for row in wrong if not why_not_negation(row["question"], row["wrong"])]
    assert len(accepted) <= 0.05 * len(wrong), accepted


def test_a_polite_question_is_negated_where_the_model_negates_it() -> None:
    question = "May I ask if the plants can survive in the water?"
    assert why_not_negation(question, "May I ask if it is false that the plants can survive in the water?") == ""
    assert why_not_negation(question, "Is it false that I may ask if the plants can survive in the water?")
