"""Negated twins: by a template where the question matches one, else by a language model or the wrapper."""

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vhbench.generators.vhexpansion.negation import WRAPPER, natural_twin, wrap
from vhbench.generators.vhexpansion.question_parts import CannotNegate, split_question
from vhbench.generators.vhexpansion.rewriting import twin_of, why_not_negation

TWINS = [
    ("Is there a dog in the image?", "Is there no dog in the image?"),
    ("Is there an umbrella in the imange?", "Is there no umbrella in the imange?"),
    ("Are there any dogs in the image?", "Are there no dogs in the image?"),
    ("Is there a dog that is running?", "Is there no dog that is running?"),
    ('Is there a sign that says "no parking"?', 'Is there no sign that says "no parking"?'),
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
    ("Is the sky sunny in this image?", "Is it false that the sky is sunny in this image?"),
    ("Is the dog in the image?", "Is it false that the dog is in the image?"),
    ("Is the man in the red shirt?", "Is it false that the man is in the red shirt?"),
    ("Is the traffic light red?", "Is it false that the traffic light is red?"),
    ("Is the color of the car red?", "Is it false that the color of the car is red?"),
    ("Is the flag on the left of the person?", "Is it false that the flag is on the left of the person?"),
    ("Is Mickey Mouse in the image?", "Is it false that Mickey Mouse is in the image?"),
    ("Are the cat and the dog asleep?", "Is it false that the cat and the dog are asleep?"),
    ("Is this a hammerhead shark?", "Is it false that this is a hammerhead shark?"),
    ("Is this person wearing a hat?", "Is it false that this person is wearing a hat?"),
    ("Does the man ride a bike?", "Is it false that the man rides a bike?"),
    ("Is the color of the door brown?", "Is it false that the color of the door is brown?"),
    ("Is the sum of the numbers 12?", "Is it false that the sum of the numbers is 12?"),
    ('Is the name of the shop "Ann"?', 'Is it false that the name of the shop is "Ann"?'),
    ("Is the price of the tea 3 dollars?", "Is it false that the price of the tea is 3 dollars?"),
    ("Can the man reach the shelf?", "Is it false that the man can reach the shelf?"),
    ("Has the door of the truck been opened?", "Is it false that the door of the truck has been opened?"),
    ("Can you see stems of bananas?", "Is it false that you can see stems of bananas?"),
    ("Is it true that the dog is brown?", "Is it false that the dog is brown?"),
    ("Is there a bird on some of the roofs?", "Is it false that there is a bird on some of the roofs?"),
    ("Is there a cup on three shelves?", "Is it false that there is a cup on three shelves?"),
    ("Is there an apple per plate?", "Is it false that there is an apple per plate?"),
    ("Does the girl carry a bag?", "Is it false that the girl carries a bag?"),
    ("Do the two boats face the shore?", "Is it false that the two boats face the shore?"),
    ("Do you see the moon?", "Is it false that you see the moon?"),
    ("Is the top right window dirty?", "Is it false that the top right window is dirty?"),
    ("Is the left lamp on?", "Is it false that the left lamp is on?"),
    (
        "Is the small plate wider than the large plate?",
        "Is it false that the small plate is wider than the large plate?",
    ),
    ("is there a cat in the photo", "is there no cat in the photo"),
    ("In the image, is the man sitting?", "In the image, is it false that the man is sitting?"),
    ("Is there a dog? Please answer yes or no.", "Is there no dog? Please answer yes or no."),
    ("Look at the image. Is there a dog?", "Look at the image. Is there no dog?"),
    (
        'For the question "What is it?", is "a dog" the correct answer?',
        'For the question "What is it?", is it false that "a dog" is the correct answer?',
    ),
    ("Is the stop light yellow?", "Is it false that the stop light is yellow?"),
    ("<image>\nIs it late?", "<image>\nIs it false that it is late?"),
    ("Is it late?\n(A) Yes (B) No", "Is it false that it is late?\n(A) Yes (B) No"),
    ("I am in a hurry. Is it late?", "I am in a hurry. Is it false that it is late?"),
    ("<image 1> <image 2> Is it late?", "<image 1> <image 2> Is it false that it is late?"),
    ("[IMG] Is it late?", "[IMG] Is it false that it is late?"),
    ("Q: Is it late? A:", "Q: Is it false that it is late? A:"),
]

OF_SOURCES = [
    ("mme", "Is this movie titled no way home (2021)?", "Is it false that this movie is titled no way home (2021)?"),
    ("mme", "Is this movie titled o, art thou? (2000)?", "Is it false that this movie is titled o, art thou? (2000)?"),
    (
        "mme",
        "Is the actress inside the red box called Ann van der Hall?",
        "Is it false that the actress inside the red box is called Ann van der Hall?",
    ),
    (
        "mme",
        'Should the value of "a" in the picture equal -1.5?',
        'Is it false that the value of "a" in the picture should equal -1.5?',
    ),
    ("mme", "Is the code in C shown in the picture?", ""),
    ("mme", "Is a java code shown in the picture?", "Is it false that a java code is shown in the picture?"),
    ("mme", "Is this picture taken outdoors?", "Is it false that this picture is taken outdoors?"),
    ("ode", "Is the dog in the image brown?", "Is it false that the dog in the image is brown?"),
    ("ode", "Are the two men in the image waving?", "Is it false that the two men in the image are waving?"),
    ("ode", "Is the sky overcast in the image?", "Is it false that the sky is overcast in the image?"),
    ("ode", "Does the image show a street?", "Is it false that the image shows a street?"),
    ("amber", "Is the sky azure in this image?", "Is it false that the sky is azure in this image?"),
    ("amber", "Does the dog catch a ball in this image?", ""),
    ("eventhallusion", "Did the man get a cup and drink from it?", ""),  # "got a cup and drink" is no English
    ("eventhallusion", "Did the man get up, sit down and leave?", ""),
    ("hallusionbench", "Does Egypt have pyramids and export cotton?", ""),
    ("amber", "Does the man ride a bike in this image?", "Is it false that the man rides a bike in this image?"),
    (
        "mme",
        "Is the answer to the arithmetic question in the image 65? Please answer yes or no.",
        "Is it false that the answer to the arithmetic question in the image is 65? Please answer yes or no.",
    ),
    (
        "mme",
        "Is this movie titled god is the father (1990)?",
        "Is it false that this movie is titled god is the father (1990)?",
    ),
    (
        "eventhallusion",
        "Is the man using a knife to cut the bread?",
        "Is it false that the man is using a knife to cut the bread?",
    ),
    ("eventhallusion", "Are the cat and the dog running?", "Is it false that the cat and the dog are running?"),
    ("hallusionbench", "Are all the birds here gulls?", "Is it false that all the birds here are gulls?"),
    (
        "hallusionbench",
        "Is the grey box on the left the same color as the red box?",
        "Is it false that the grey box on the left is the same color as the red box?",
    ),
    ("mme", "Is the output of the code in the image 5?", "Is it false that the output of the code in the image is 5?"),
    ("mme", "Does the fruit in the image taste sour?", "Is it false that the fruit in the image tastes sour?"),
    ("mme", "Can the bird in the photo swim?", "Is it false that the bird in the photo can swim?"),
    ("mme", "Was this photo taken at night?", "Is it false that this photo was taken at night?"),
    ("mme", "Is the boat in the photo moving fast?", "Is it false that the boat in the photo is moving fast?"),
    ("mme", "Is the cat in the photo black and white?", "Is it false that the cat in the photo is black and white?"),
    (
        "mme",
        "Does this movie belong to the genre of horror?",
        "Is it false that this movie belongs to the genre of horror?",
    ),
    ("mme", "Is the fruit in the picture sour?", "Is it false that the fruit in the picture is sour?"),
    *(
        (source, question, "")  # its subject goes on, or its last part may be the predicate
        for source, question in [
            ("mme", "Is the man in the picture with a beard smiling?"),
            ("mme", "Is the person on the left of the image older than the child?"),
            ("mme", "Is the dog behind the fence brown?"),
            ("mme", "Is the number on the door in the picture frame 12?"),
            ("mme", "Is the actor inside the red bounding box named Tom smiling?"),
            ("mme", "Is the town square in the photo?"),
            ("mme", "Is the flower bed in the garden?"),
            ("mme", "Is the ball in the picture hook?"),
            ("mme", "Does the girl in the photo booth laugh?"),
            ("mme", "Can the bird in the image cage fly?"),
            ("mme", "Is the man in the picture running fast a thief?"),
            ("mme", "Is smoking permitted in public bad?"),
            ("hallusionbench", "Is Tom painting the largest wall?"),
            ("hallusionbench", "Did Tom see Ann have lunch?"),
            ("hallusionbench", "Are the cats in this figure that sleep black?"),
            ("eventhallusion", "Is the man picking apples from the tree the farmer?"),
            ("eventhallusion", "Is the girl standing next to the boy counting money?"),
            ("eventhallusion", "Is the person using a knife to cut bread a chef?"),
            ("eventhallusion", "Is the ball in the air always moving?"),
            ("eventhallusion", "Is the man holding the dog wet?"),
            ("eventhallusion", "Are the children jumping rope girls?"),
            ("eventhallusion", "Did the car park close?"),
            ("eventhallusion", "Is the dog taking a shower or playing in the rain?"),
            ("mmvp", "Does the elephant have long or short tusks?"),
        ]
    ),
]
"""Source, question, its natural twin, "" for none."""

WRAPPED = [
    "Is the sky azure in this image?",
    "Is the orange orange in this image?",
    "Is the dog in the image brown?",
    "Is the man in the red shirt smiling?",
    "Are the butterfly's wings open?",
    "Is the wall behind the bed in the room empty?",
    "Is the car to the left of the tree red?",
    "Is the forest fruit trees withering?",
    "Are both dogs the same color?",
    "Does the traffic light show red?",
    "Does the wagon have a roof of wood?",
    "Is the ladder leaning on the wall blue?",
    "Are these two towers the same height?",
    "Is the fan left on?",
    "Does the cliff face look steep?",
    "Is the woman wearing a scarf on the left?",
    "Is the cup on the shelf in the kitchen?",
    "Is the van in lane 4?",
    "Is the number on the door in room 12?",
    "Is the answer to question 4?",
    "Is the price of item 3 dollars?",
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
    "Is this chicken soup?",
    "Are these dog toys?",
    "Are these two different cups?",
    "Is the jar with the lid off empty?",
    "Is there any of the men smiling?",
    "Is there no dog?",
    "In most of the images, is it late?",
    "If x = 2, is y > 3?",
    "Is the arch in St. Louis?",
    "Is the pot full and is the pan empty?",
    "There is a dog, isn't there?",
    "May I ask if it is late?",
    "Is it open (yes or no)?",
    "Is the boy holding a kite or a ball?",
    "You see a dog?",
    "Could the man think he should be a doctor?",
    "Will the girl let the cat be petted?",
    "Has the man said he had been there?",
    "Are you two friends?",
    "Are you ladies dancing?",
    "Did he lie about the cake?",
    "Are the people eating tourists?",
    "Is the man cooking the chef?",
    "Is the child crying the girl?",
    "May I ask if the dog is black and if the cat is white?",
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

IN_MARKS = [
    ('"Is the dog brown?"', '"Is it false that the dog is brown?"'),
    ("“Is the dog brown?”", "“Is it false that the dog is brown?”"),
    ('"Is the dog brown"?', '"Is it false that the dog is brown"?'),
    ('"In the photo, is it late?"', '"In the photo, is it false that it is late?"'),
    ('‘Does the sign say "stop"?’', '‘Is it false that the sign says "stop"?’'),
    ('<image> "Is there a dog?" Answer yes or no.', '<image> "Is there no dog?" Answer yes or no.'),
    ('Question: "Is there a dog? Answer yes or no."', 'Question: "Is there no dog? Answer yes or no."'),
]
"""Questions wholly in quotation marks."""

WRAPPERS = [
    (
        "Is the bottom left corner empty? Answer yes or no.",
        f'{WRAPPER} "Is the bottom left corner empty?" Answer yes or no.',
    ),
    ("<image>\nIs the jar open?", f'<image>\n{WRAPPER} "Is the jar open?"'),
    ("In the image, is the jar open?", f'{WRAPPER} "In the image, is the jar open?"'),
    ('Is the word "GO" red?', f'{WRAPPER} “Is the word "GO" red?”'),
    ('Is “A” left of "B"?', f'{WRAPPER} «Is “A” left of "B"?»'),
    ('"Is the jar open?"', f'"{WRAPPER} “Is the jar open?”"'),
]


@pytest.mark.parametrize(("question", "twin"), [*TWINS, *IN_MARKS])
def test_twins(question: str, twin: str) -> None:
    found = twin_of(question)
    assert (found.text, found.form) == (twin, "natural")
    with pytest.raises(CannotNegate, match=r"negated already|asks for more"):
        natural_twin(split_question(twin))


def test_the_check_of_rewrites_accepts_most_twins() -> None:
    """It refuses twins without a question mark, and a question quoted in another one."""
    refused = [question for question, twin in TWINS if why_not_negation(question, twin)]
    assert refused == [
        "Is there a dog or a cat?",
        "is there a cat in the photo",
        'For the question "What is it?", is "a dog" the correct answer?',
    ]


@pytest.mark.parametrize(("source", "question", "twin"), OF_SOURCES)
def test_templates_of_a_benchmark(source: str, question: str, twin: str) -> None:
    found = twin_of(question, source=source)
    assert (found.text if found.form == "natural" else "") == twin
    assert twin_of(question, source="another").text in (twin, wrap(split_question(question)))


@pytest.mark.parametrize(
    ("question", "twin"),
    [
        ("Does the man have another dog?", ""),
        ("Does the woman wear anything red?", ""),
        ("Does the man have longer hair?", ""),
        ("Does the woman eat bread?", "Is it false that the woman eats bread?"),
        ("Are there two parking meters?", "Is it false that there are two parking meters?"),
        ("Is there a dog too?", "Is it false that there is a dog too?"),
    ],
)
def test_no_word_is_cut(question: str, twin: str) -> None:
    assert twin_of(question).text == (twin or wrap(split_question(question)))


@pytest.mark.parametrize(
    ("source", "question"),
    [
        ("mme", "Is the woman holding the racket about to serve?"),
        ("mme", "Is the man with his hands up surrendering?"),
        ("mme", "Is the building behind the trees under construction?"),
        ("mme", "Are the men running soldiers?"),
        ("mme", "Is the dog barking the puppy?"),
        ("mme", "Is the ball on the table tennis racket?"),
        ("hallusionbench", "Is the line on top the longest?"),
        ("eventhallusion", "Has the box moved to the left been opened?"),
    ],
)
def test_a_subject_is_not_cut_before_its_end(source: str, question: str) -> None:
    assert twin_of(question, source=source).form == "wrapped"


def test_a_participle_is_no_noun() -> None:
    twin = twin_of("Is the baby held by the mother?", source="mme").text
    assert twin == "Is it false that the baby is held by the mother?"


AMBIGUOUS = {
    "any": [
        "In none of the pictures, is there a dog?", "In two of the images, is there a cat?",
        "On the left or on the right, is there a dog?", "Is the animal running a horse?",
        "Is the vehicle turning a bus?", "Is the box on the right light?", "Is the glass sinking orange?",
    ],
    "mme": [
        "Is this for a child?", "Is this from a movie?", "Is the text below in French?", "Is the light above on?",
        "Is the woman seated in the chair in charge?", "Is the sign on the door in Chinese?",
        "Is the photo on the wall of a cat?", "Is the car parked on the street for sale?", "Is the man running tired?",
        "Is the boy crying hungry?", "Is the person sitting down Chinese?", "Is the man inside dangerous?",
        "Is the person running away a thief?", "Was this taken in Paris?", "Is this common in Japan?",
        "Are these edible for humans?", "Is the bag at the back heavy?", "Is the man at the front bald?",
        "Is the wizard playing also hungry?", "Is the crowd at the back too big?", "Is the man smoking the same size?",
        "Are the two toys made of wood orange?", "Is the box in the car light?",
        "Is the first singer from Paris Spanish?", "Is that orange hungry in the image?",
        "Is the couple dancing melting?", "Is the lamp under the bed between us?",
    ],
    "hallusionbench": ["Are the dots in the middle of the two figures of the same size?"],
    "eventhallusion": [
        "Is the way the man is holding the correct tool correct?", "Is the dog tied to the tree in pain?",
        "Is the person driving the truck from Texas?", "Is the worker drilling holes in danger?",
        "Has the ball moved to the left broken?",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("source", "question"), [(source, text) for source, own in AMBIGUOUS.items() for text in own])
def test_a_subject_that_may_end_at_two_words_has_no_natural_twin(source: str, question: str) -> None:
    assert twin_of(question, source=source).form == "wrapped"


NAMED = [
    "Is the city in Germany Munich?",
    "Is the country in Asia China?",
    "Is the man in London Boris Johnson?",
    "Is the museum in Paris The Louvre?",
    "Is the person in the picture from Canada Justin Bieber?",
    "Is the state above Florida Georgia?",
    "Is the point between A and B C?",
    "Is the car in front a Toyota?",
    "Is the man in front a doctor?",
    "Is the dog on top a poodle?",
    "Is the man behind a doctor?",
    "Is the boy up front a student?",
    "Is the box on top the heaviest?",
    "Is the man wearing Nike Jordan?",
    "Is the man painted by Picasso Jaime Sabartes?",
    "Is the person above a woman?",
    "Is the area of the circle larger than the square equal to 5?",
    "Is the area of the triangle larger than the circle red?",
    "Is the man inside Tom?",
    "Is the word below Paris?",
    "Are the people behind tourists?",
    "Is the man standing in front a guard?",
]
"""Questions whose last noun phrase may be the predicate."""


@pytest.mark.parametrize("question", NAMED)
def test_a_last_noun_phrase_may_be_the_predicate(question: str) -> None:
    twins = {source: twin_of(question, source=source).text for source in ("mme", "hallusionbench")}
    assert twins == dict.fromkeys(twins, wrap(split_question(question)))


@pytest.mark.parametrize(
    ("question", "twin"),
    [
        ("Is the city in the picture New York?", "Is it false that the city in the picture is New York?"),
        ("Is the dog in front of the man?", "Is it false that the dog is in front of the man?"),
        ("Is the umbrella behind the man?", "Is it false that the umbrella is behind the man?"),
        ("Is the cat behind a chair?", "Is it false that the cat is behind a chair?"),
        ("Is the tower in Paris?", "Is it false that the tower is in Paris?"),
        ("Is the car in the image a Toyota?", "Is it false that the car in the image is a Toyota?"),
    ],
)
def test_one_noun_phrase_is_no_second_one(question: str, twin: str) -> None:
    assert twin_of(question, source="mme").text == twin


NO_ONE_READING = [
    "Are there any left?",
    "Are there any visible in the picture?",
    "Had the door been closed would the cat have stayed?",
    "Should it rain will the match stop?",
    "Are those the boy is eating cherries?",
    "Is that the boy is wearing a hat?",
    "Does he eat the cake and the dog drink the water?",
    "Does the man hold a cup and the woman drink tea?",
    "Does she wear a hat and on rainy days carry an umbrella?",
    "Does she go eat lunch?",
    "Did she come sit down?",
    "Has it rained yet?",
    "Could the horse fly bite?",
    "Does the bike ride the man took look fun?",
    "Does the video display the shop sells work?",
    "Is the color red in the image?",
    "Is this light blue?",
    "Is this sky blue?",
    "Is this oven baked?",
    "Is the bird flying a duck?",
    "Is the building burning a house?",
    "Are the animals grazing cows?",
    "Is the plant growing a tree?",
    "Is the vehicle in the picture moving a truck?",
    "Is the bird watching a hobby?",
    "Is the man fishing a monk?",
    "Is the woman using a pen to write the author?",
    "Is the couple dancing tourists?",
    "Is the runner up a woman?",
    "Is the stand in an actor?",
    "Is the man in the video call on the phone?",
    "Is the boy in the picture puzzle?",
    "Is this film directed by Hitchcock a thriller?",
    "Is this artwork displayed in the Louvre famous?",
    "Does the woman in the photo print look happy?",
    "Does the dog in the picture come sit?",
    "Does the man in the picture wear a hat and the woman hold a cup?",
    "Is the man holding a cup mad?",
    "Is the woman wearing glasses at the table?",
    "Is the woman holding the cup on the table?",
    "Had he fallen would Tom have cried?",
    "Is the food cooking noodles?",
    "Is Rome the oldest city open?",
    "Is this artwork titled Sunflowers famous?",
    "Is the man in the video camera?",
    "Is the look out a sailor?",
    "Is the toy a child broke?",
]


@pytest.mark.parametrize("question", NO_ONE_READING)
def test_a_question_of_several_readings_has_no_natural_twin(question: str) -> None:
    twins = {
        source: twin_of(question, source=source).text for source in ("", "mme", "hallusionbench", "eventhallusion")
    }
    assert twins == dict.fromkeys(twins, wrap(split_question(question)))


@pytest.mark.parametrize(
    ("question", "twin"),
    [
        ("Are there any open windows?", "Are there no open windows?"),
        ("Is there a dog more?", "Is it false that there is a dog more?"),
        ("Does it have wheels and an engine?", "Is it false that it has wheels and an engine?"),
        ("Does she go to work?", "Is it false that she goes to work?"),
        ("Does Will need help?", "Is it false that Will needs help?"),
        ("Does May come before June?", "Is it false that May comes before June?"),
        ("Are those the keys he lost?", "Is it false that those are the keys he lost?"),
        ("Is the girl blowing bubbles?", "Is it false that the girl is blowing bubbles?"),
        (
            "Is the boy using a net to catch butterflies?",
            "Is it false that the boy is using a net to catch butterflies?",
        ),
        ("Does the video show a volcano erupting?", "Is it false that the video shows a volcano erupting?"),
    ],
)
def test_a_question_of_one_reading_has_a_natural_twin(question: str, twin: str) -> None:
    assert twin_of(question).text == twin


@pytest.mark.parametrize(
    ("question", "twin"),
    [
        ("Is the animal in the picture a mammal?", "Is it false that the animal in the picture is a mammal?"),
        (
            "Is the device in the photo used for cooking?",
            "Is it false that the device in the photo is used for cooking?",
        ),
        ("Is the dog on the right in the image?", "Is it false that the dog is on the right in the image?"),
        ("Are the women in the image holding hands?", "Is it false that the women in the image are holding hands?"),
        ("Is the tower as high as the church?", "Is it false that the tower is as high as the church?"),
    ],
)
def test_one_predicate_of_a_benchmark(question: str, twin: str) -> None:
    assert twin_of(question, source="mme").text == twin


@pytest.mark.parametrize("question", ["Are there more dogs or cats?", "Is there more red or blue in the flag?"])
def test_a_choice_of_the_more_frequent_one_is_refused(question: str) -> None:
    with pytest.raises(CannotNegate, match="asks for more"):
        twin_of(question)


@pytest.mark.parametrize("word", ["of the dog ", "in the picture ", "holding a dog ", "and the dog "])
def test_a_question_of_thousands_of_words_is_wrapped_at_once(word: str) -> None:
    question, start = f"Is the {word * 3_000}red?", time.process_time()
    twin = twin_of(question, source="mme")
    why_not_negation(question, f"Is it false that {question[3:]}")
    assert twin.form == "wrapped"
    assert time.process_time() - start < 1


SCOPED = [
    "Is there a cat sometimes?",
    "Is there a cat in the majority of the rooms?",
    "Is there a cat in a majority of rooms?",
    "Is there a cat in a third of the pictures?",
    "Is there a fence in order to protect the dog?",
    "Is there a fan due to the heat?",
    "Is there a fan owing to the heat?",
    "Is there a fan thanks to the heat?",
    "Is there a towel so the man can dry himself?",
    "From time to time, is there a dog?",
    "On Sundays, is there a dog?",
    "At times, is there a dog?",
    "Is there a good deal of noise?",
    "Is there a certain pattern?",
    "Is there a dog maybe?",
    "Is there a dog twice?",
    "Is there a dog as opposed to a cat?",
    "Is there a cat often?",
    "Is there a cat once in a while?",
    "Is there a dog perhaps?",
    "Is there a dog now and then?",
    "Is there a dog on occasion?",
    "Is there a dog at times?",
    "Is there a dog on Sundays?",
    "Is there a dog at night?",
    "Is there a dog in general?",
    "Is there a dog on average?",
    "Is there a dog daily?",
    "Is there a dog for the most part?",
    "Is there a dog in the bulk of the images?",
    "Is there a dog in a quarter of the images?",
    "Is there a dog in a handful of rooms?",
    "Is there a dog in certain rooms?",
    "Is there a dog in different rooms?",
    "Is there a dog rather than a cat?",
    "Is there a dog in place of a cat?",
    "Is there a dog in lieu of a cat?",
    "Is there a dog in spite of the rain?",
    "Is there a dog because of the rain?",
    "Is there a dog despite the rain?",
    "Is there a lamp with the exception of the kitchen?",
    "Is there a lamp apart from the candle?",
    "Is there a lamp aside from the candle?",
    "Is there a lamp beyond the candle?",
    "Is there a lamp other than the candle?",
    "Is there a wall to keep the dog out?",
    "Is there a wall in case of fire?",
    "Is there a wall so that the dog stays?",
    "Is there a rail lest the child fall?",
    "Is there a majority of women?",
    "Is there a minority of men?",
    "Is there a handful of coins?",
    "Is there a bunch of people?",
    "Is there a large amount of food?",
    "Is there a great many people?",
    "Is there a hundred dogs?",
    "Is there a particular color?",
    "Is there a specific reason?",
    "Is there a dog thrice?",
    "Is there a dog again?",
    "Is there a dog today?",
    "Is there a dog possibly?",
    "Is there a dog unlike a cat?",
    "Is there a dog versus a cat?",
    "Is there a rope by which the man climbs?",
    "Is there a dog in the rest of the pictures?",
    "Is there a dog in the vast majority of images?",
    "Is there a dog in two thirds of the images?",
    "Now and then, is there a dog?",
    "In winter, is there a dog?",
    "At night, is there a dog?",
    "In the mornings, is there a dog?",
    "On occasion, is there a dog?",
    "In general, is there a dog?",
    "In a third of the images, is there a dog?",
    "In the majority of images, is there a dog?",
    "On weekends, is there a dog?",
    "For the most part, is there a dog?",
    "In these pictures, is there a dog?",
    "Is there a dog by and large?",
    "Is there a dog in parts of the image?",
    "Is there a dog in a few rooms?",
    "Is there a dog in a number of rooms?",
    "Is there a dog in a pair of images?",
    "Is there a dog in a range of images?",
    "Is there a dog in a variety of rooms?",
    "Is there a dog in a set of rooms?",
    "Is there a dog in a series of images?",
    "Is there a dog in a small set of images?",
    "Is there a dog in a subset of the images?",
    "Is there a dog in a sequence of frames?",
    "Is there a dog in a group of images?",
    "Is there a dog in the remainder of the images?",
    "Is there a dog on a regular basis?",
    "Is there a dog on a daily basis?",
    "Is there a dog in the course of the day?",
    "Is there a dog in the absence of a cat?",
    "Is there a dog in the event of a fire?",
    "Is there a dog with the possibility of rain?",
    "Is there a dog on the assumption that it rains?",
    "Is there a dog in the opinion of the man?",
    "Is there a dog at a frequency of ten?",
    "Is there a dog at intervals?",
    "Is there a dog at dawn?",
    "Is there a dog at a minimum?",
    "Is there a dog at most?",
    "Is there a dog in contrast to a cat?",
    "Is there a dog in addition to a cat?",
    "Is there a dog in the company of a cat?",
    "Is there a dog on top of that?",
    "Is there a dog on account of the cat?",
    "Is there a dog on behalf of the man?",
    "Is there a dog by virtue of the cat?",
    "Is there a dog with regard to the cat?",
    "Is there a dog in relation to the cat?",
    "Is there a dog in that the cat barks?",
    "Is there a dog in the sense of a pet?",
    "Is there a dog in a sense?",
    "Is there a dog in a way?",
    "Is there a dog at first?",
    "Is there a dog at last?",
    "Is there a dog at once?",
    "Is there a dog for a moment?",
    "Is there a dog as expected?",
    "Is there a dog as usual?",
    "Is there a dog like a cat?",
    "Is there a dog indeed?",
    "Is there a dog though?",
    "Is there a good many dogs?",
    "Is there a large quantity of sand?",
    "Is there a small percentage of men?",
    "Is there a multitude of people?",
    "Is there a plethora of signs?",
    "Is there a lack of food?",
    "Is there a shortage of chairs?",
    "Is there an absence of people?",
    "Is there an abundance of food?",
    "Is there an excess of food?",
    "Is there a given number?",
    "At the latest, is there a dog?",
    "In a pair of images, is there a dog?",
]
"""Questions whose existence is limited to a part, a time or a purpose."""


@pytest.mark.parametrize("question", SCOPED)
def test_no_is_written_only_in_simple_existence(question: str) -> None:
    statement = re.sub(r"^Is there", "Is it false that there is", question)
    assert twin_of(question).text in (statement, wrap(split_question(question)))


@pytest.mark.parametrize("rest", ["dog in the image", "red car on the street", "man with a hat", "bus next to a tree"])
def test_existence_at_a_place_is_simple(rest: str) -> None:
    assert twin_of(f"Is there a {rest}?").text == f"Is there no {rest}?"


@pytest.mark.parametrize(
    ("source", "question"),
    [
        ("mmvp", "Did she hold the cup but drink water?"),
        ("mmvp", "Did he eat the cake yet drink water?"),
        ("mmvp", "Is he who holds the cup tall?"),
        ("mmvp", "Can he who runs swim?"),
        ("mmvp", "Is he they saw tall?"),
        ("mmvp", "Is I am Legend a movie?"),
        ("mmvp", "Is we were soldiers a movie?"),
        ("mmvp", "Is the number on bus 5?"),
        ("mmvp", "Is the number on dress 7?"),
        ("mmvp", "Is the number on a 7?"),
        ("amber", "Is the dog's tail long in this image?"),
        ("amber", "Is the wall clock new in this image?"),
        ("amber", "Is the coffee table natural wood in this image?"),
        ("amber", "Does the car park close in this image?"),
        ("amber", "Is the water bottle full in this image?"),
    ],
)
def test_no_twin_that_is_not_english(source: str, question: str) -> None:
    assert twin_of(question, source=source).text == wrap(split_question(question))


@pytest.mark.parametrize("noun", ["traffic light", "fire hydrant", "stop sign"])
def test_a_compound_noun_in_a_table_named_amber(noun: str) -> None:
    twin = twin_of(f"Is the {noun} red in this image?", source="amber").text
    assert twin == f"Is it false that the {noun} is red in this image?"


@pytest.mark.parametrize(
    "question",
    ["Are there two dogs or three?", "Is there one dog or two?", "Are there 3 cats or 4?", "Is there a man or none?"],
)
def test_a_choice_of_numbers_is_refused(question: str) -> None:
    with pytest.raises(CannotNegate, match="asks for more"):
        twin_of(question)


@pytest.mark.parametrize("text", ["Are the two {}in the picture red?", "Is the man holding the {}dog?"])
@pytest.mark.parametrize("word", ["red ", "big ", "red and blue "])
def test_repeated_adjectives_take_no_exponential_time(text: str, word: str) -> None:
    start = time.process_time()
    twin_of(text.format(word * 40), source="mme")
    assert time.process_time() - start < 10


@pytest.mark.parametrize("place", ["in front of everyone", "for everybody", "everywhere you look", "on everything"])
def test_one_for_each_is_no_simple_existence(place: str) -> None:
    assert twin_of(f"Is there a chair {place}?").text == f"Is it false that there is a chair {place}?"


@pytest.mark.parametrize("question", WRAPPED)
def test_a_question_of_no_template_is_wrapped(question: str) -> None:
    found = twin_of(question)
    assert (found.text, found.form) == (wrap(split_question(question)), "wrapped")
    assert found.text[len(WRAPPER) + 2 : -1] == question
    assert why_not_negation(question, found.text) == ""
    with pytest.raises(CannotNegate):
        twin_of(question, wording="natural")


@pytest.mark.parametrize(("question", "twin"), WRAPPERS)
def test_the_wrapper_quotes_the_question_alone(question: str, twin: str) -> None:
    assert twin_of(question, wording="wrapped").text == twin


def test_a_question_quoted_in_another_one_stays_a_quotation() -> None:
    assert twin_of('Is "Is it open?" on the sign?').text == f'{WRAPPER} “Is "Is it open?" on the sign?”'
    assert twin_of('Does the sign say "Is it open?"?').text == 'Is it false that the sign says "Is it open?"?'


@pytest.mark.parametrize(
    "question",
    [
        *NO_YES_NO_QUESTION,
        '"Which dog is brown?"',
        '"Is it brown or black?"',
        'What does the sign say: "Is it open?"',
        '"Is it late?" or "Is it early?"',
        "Is this true? It is late.",
    ],
)
def test_other_texts_are_refused(question: str) -> None:
    with pytest.raises(CannotNegate) as refused:
        twin_of(question)
    assert "\0" not in str(refused.value)


def pope_questions(reference: Path) -> list[str]:
    files = sorted((reference / "POPE").glob("coco*/*.json"))
    return [json.loads(line)["text"] for file in files for line in file.read_text().splitlines() if line.strip()]


def test_every_pope_question_has_a_natural_twin(reference: Path) -> None:
    questions = pope_questions(reference)
    assert len(questions) == 9_000 + 8_910
    for question in set(questions):
        assert twin_of(question, source="pope").text == re.sub(r"\b(a|an)\b", "no", question, count=1)


def test_amber_questions_have_natural_twins_but_for_ungrammatical_ones(reference: Path) -> None:
    rows = json.loads((reference / "AMBER" / "query" / "query_discriminative.json").read_text())
    questions = Counter(row["query"] for row in rows)
    assert questions.total() == 14_216
    wrapped = {question for question in questions if twin_of(question, source="amber").form == "wrapped"}
    assert (len(wrapped), sum(questions[question] for question in wrapped)) == (34, 43)
    assert all(question.startswith("Does the ") for question in wrapped)
    for question in questions.keys() - wrapped:
        twin = twin_of(question, source="amber").text
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


@given(st.text(alphabet="abc ,.?!'\"“”\n\0isthere", max_size=40))
def test_any_text_has_a_twin_or_a_reason(text: str) -> None:
    try:
        twin = twin_of(text, wording="wrapped")
    except CannotNegate:
        return
    assert why_not_negation(text, twin.text) == "", twin


def test_no_twin_is_one_that_was_judged_wrong_by_hand(reference: Path) -> None:
    rows = json.loads((reference / "negation" / "wrong_twins.json").read_text())
    assert len(rows) == 151
    for row in rows:
        assert twin_of(row["question"], source=row["source"].lower()).text != row["wrong"]


@pytest.mark.parametrize(
    ("question", "twin"),
    [
        ("Is there a trash can in the image?", "Is there no trash can in the image?"),
        ("Is there a dog next to a can?", "Is there no dog next to a can?"),
        ("Is there a man can see the image?", "Is it false that there is a man can see the image?"),
    ],
)
def test_a_can_is_a_thing_at_the_end_of_its_phrase(question: str, twin: str) -> None:
    assert twin_of(question).text == twin
