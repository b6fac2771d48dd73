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
    ("Did the man buy a hat?", "Is it false that the man bought a hat?"),
    ("Did the sailor panic?", "Is it false that the sailor panicked?"),
    ("Did the sailor beat the drum?", "Is it false that the sailor beat the drum?"),
    ("Did the sailor bet the farm?", "Is it false that the sailor bet the farm?"),
    ("Did the balloon burst?", "Is it false that the balloon burst?"),
    ("Did the tree cast a shadow?", "Is it false that the tree cast a shadow?"),
    ("Did the clerk quit?", "Is it false that the clerk quit?"),
    ("Did the runner sweat?", "Is it false that the runner sweat?"),
    ("Is the left side brighter?", "Is it false that the left side is brighter?"),
    ("Is the middle one red?", "Is it false that the middle one is red?"),
    ("Has someone left the door open?", "Is it false that someone has left the door open?"),
    ("Would the man fall if he moved?", "Is it false that the man would fall if he moved?"),
    ("Did the man hide the bag?", "Is it false that the man hid the bag?"),
    ("Did the boy draw a cat?", "Is it false that the boy drew a cat?"),
    ("Did the nurse teach the boys?", "Is it false that the nurse taught the boys?"),
    ("Did the farmer shear the sheep?", "Is it false that the farmer sheared the sheep?"),
    ("Did the boy stop the car?", "Is it false that the boy stopped the car?"),
    ("Did the girl carry the bag?", "Is it false that the girl carried the bag?"),
    ("Did the girl enjoy the ride?", "Is it false that the girl enjoyed the ride?"),
    ("Did the dog bite the cat?", "Is it false that the dog bit the cat?"),
    ("Did the man fight the bull?", "Is it false that the man fought the bull?"),
    ("Did the girl think about it?", "Is it false that the girl thought about it?"),
    ("Did the glass break?", "Is it false that the glass broke?"),
    ("Did the sailor spin the wheel?", "Is it false that the sailor spun the wheel?"),
    ("Did the boy hit the ball?", "Is it false that the boy hit the ball?"),
    ("Did the cook cut the bread?", "Is it false that the cook cut the bread?"),
    ("Does the man shut the door?", "Is it false that the man shuts the door?"),
    ("Does the boy do it?", "Is it false that the boy does it?"),
    ("Did the man have a hat?", "Is it false that the man had a hat?"),
    ("Did the plan benefit the town?", "Is it false that the plan benefited the town?"),
    ("Did the car travel north?", "Is it false that the car travelled north?"),
    ("Did the boy dream of it?", "Is it false that the boy dreamt of it?"),
    ("Did the boy dream of it?", "Is it false that the boy dreamed of it?"),
    ("Did the sailor sing?", "Is it false that the sailor sang?"),
    ("Is the right side darker?", "Is it false that the right side is darker?"),
    ("Is the last one open?", "Is it false that the last one is open?"),
    ("Is the red one bigger?", "Is it false that the red one is bigger?"),
    ("Could the vase break if it fell?", "Is it false that the vase could break if it fell?"),
    ("Would the boat sink if it leaked?", "Is it false that the boat would sink if it leaked?"),
    ("Has someone left the window open?", "Is it false that someone has left the window open?"),
    ("Is the man holding the door open?", "Is it false that the man is holding the door open?"),
    ("Is the boy painting the wall green?", "Is it false that the boy is painting the wall green?"),
    ("Does the dog on the left have spots?", "Is it false that the dog on the left has spots?"),
    ("Are these wild mushrooms?", "Is it false that these are wild mushrooms?"),
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
    ("Did the girl push the boy?", "Is it false that the girl pull the boy?", "other content"),
    ("Did the girl see it?", "Is it false that the girl said it?", "other content"),
    ("Did the dog chase it?", "Is it false that the dog chose it?", "other content"),
    ("Did the boy bring it?", "Is it false that the boy broke it?", "other content"),
    ("Did the boy wash it?", "Is it false that the boy want it?", "other content"),
    ("Did the boy open it?", "Is it false that the boy own it?", "other content"),
    ("Is the left hand raised?", "Is it false that the left is hand raised?", "splits a phrase"),
    ("Is the man with the beard Santa?", "Is it false that the man is with the beard Santa?", "splits a phrase"),
    ("Is the man holding the dog wet?", "Is it false that the man is holding the dog wet?", "splits a phrase"),
    ("Did the man catch the ball?", "Is it false that the man cut the ball?", "other content"),
    ("Did the woman sell the car?", "Is it false that the woman saw the car?", "other content"),
    ("Did the boy take the book?", "Is it false that the boy told the book?", "other content"),
    ("Did the cook bake the cake?", "Is it false that the cook bit the cake?", "other content"),
    ("Did the dog find the bone?", "Is it false that the dog fed the bone?", "other content"),
    ("Did the girl make the bed?", "Is it false that the girl met the bed?", "other content"),
    ("Did the man lead the horse?", "Is it false that the man left the horse?", "other content"),
    ("Did the man lift the horse?", "Is it false that the man lost the horse?", "other content"),
    ("Did the woman drink tea?", "Is it false that the woman drank coffee?", "other content"),
    ("Did the woman grab the bag?", "Is it false that the woman gave the bag?", "other content"),
    ("Did the waiter serve her?", "Is it false that the waiter saw her?", "other content"),
    ("Did the boy throw it?", "Is it false that the boy told it?", "other content"),
    ("Did the boy ride it?", "Is it false that the boy ran it?", "other content"),
    ("Did the boy throw it?", "Is it false that the boy throwed it?", "other content"),
    ("Did the boy stop?", "Is it false that the boy stood?", "other content"),
    ("Does the boy push it?", "Is it false that the boy pulls it?", "other content"),
    (
        "Does the man put the cup on the shelf?",
        "Is it false that the man put the cup on the shelf?",
        "another order of words",
    ),
    (
        "Did the girl who had a hat push the boy?",
        "Is it false that the girl who had a hat push the boy?",
        "another order of words",
    ),
    ("Did the girl see the cut?", "Is it false that the girl see the cut?", "another order of words"),
    (
        "Does the girl who has a hat push the boy?",
        "Is it false that the girl who has a hat push the boy?",
        "another order of words",
    ),
    (
        "Did the girl see the man push the cart?",
        "Is it false that the girl see the man pushed the cart?",
        "other content",
    ),
    ("Did the man fell the tree?", "Is it false that the man fall the tree?", "other content"),
    ("Did the cat jump?", "Is it false that the cat joined?", "other content"),
    ("Did the man hug her?", "Is it false that the man hit her?", "other content"),
    ("Did the cat hide?", "Is it false that the cat held?", "other content"),
    ("Did the boy draw it?", "Is it false that the boy drank it?", "other content"),
    ("Is the left arm bent?", "Is it false that the left is arm bent?", "splits a phrase"),
    ("Is the right side mirror broken?", "Is it false that the right side is mirror broken?", "splits a phrase"),
    ("Is the woman in the veil Mary?", "Is it false that the woman is in the veil Mary?", "splits a phrase"),
    (
        "Is the singer behind the drums Phil Collins?",
        "Is it false that the singer is behind the drums Phil Collins?",
        "splits a phrase",
    ),
    (
        "Is the woman hugging the child sick?",
        "Is it false that the woman is hugging the child sick?",
        "splits a phrase",
    ),
    ("Is the boy holding the cup thirsty?", "Is it false that the boy is holding the cup thirsty?", "splits a phrase"),
    ("Is the girl pushing the cart tired?", "Is it false that the girl is pushing the cart tired?", "splits a phrase"),
    ("Is the man leaving the house sad?", "Is it false that the man is leaving the house sad?", "splits a phrase"),
    ("Did the boy want to win?", "Is it false that the boy want to won?", "other content"),
    ("Did the man help the dog swim?", "Is it false that the man help the dog swam?", "other content"),
    ("Is the boy carrying the bag late?", "Is it false that the boy is carrying the bag late?", "splits a phrase"),
    ("Does the dog on the left have spots?", "Is it false that the dog has on the left spots?", "another order"),
    (
        "Is the player wearing number 9 hurt?",
        "Is it false that the player is wearing number 9 hurt?",
        "splits a phrase",
    ),
    ('Is the word above the door "Hi"?', 'Is it false that the word is above the door "Hi"?', "splits a phrase"),
    ("Was the picture taken from a plane?", "Is it false that the picture taken was from a plane?", "splits a phrase"),
    ("Is the girl in pink Alice?", "Is it false that the girl is in pink Alice?", "splits a phrase"),
    ("Are these wild mushrooms?", "Is it false that these wild are mushrooms?", "splits a phrase"),
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
