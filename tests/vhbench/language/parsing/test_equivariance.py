"""No option is parsed worse than another: each form of response, with each set of options, in each position."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from vhbench.language.parsing import parse

FORMS = r"""
{L} | {L}. | ({L}) | ({L}) {T} | ({L}) {T}. | {L}. {T} | {L}) {T} | {L}: {T} | {L} - {T} | {T} | {T}. | **{L}**
**{L}. {T}** | **Answer:** {L} | **Answer: {L}** | Answer: {L} | Answer: ({L}) | Answer: {L}. {T} | Answer: {T}
The answer is {L} | The answer is {L}. | The answer is ({L}). | The answer is ({L}) {T} | The answer is ({L}) {T}.
The answer is {L}: {T}. | The answer is {L}. {T} | The correct answer is {L} | The correct answer is {L}.
The correct answer is **{L}**. | The correct answer is **({L}) {T}**. | The correct answer is option {L}.
The correct option is {L} | The correct option is ({L}) {T}. | The correct choice is {L}.
The best answer is ({L}). | My answer is {L} | My answer is {L}. | My final answer is ({L}). | Final answer: {L}
Final answer: **{L}** | Option {L} | Option {L}. | Option ({L}) | Option {L}: {T} | Option {L} is correct.
({L}) is correct. | I choose {L} | I choose {L}. | I choose ({L}) {T}. | I would choose ({L}) {T}.
I would choose option {L}. | I would select choice ({L}) {T}. | I would go with {L} | I would go with {L}.
{L} (confidence: high) | {L} (very sure). | {L} with high confidence. | {L} for sure | {L} definitely.
I pick {L}. | I conclude the answer is {L} | Comparing all of them, I conclude the matching one is {L}
After careful consideration, the answer is {L} | Comparing all of them, I conclude the correct option is {L}.
Looking at the images, the best choice is {L} | Therefore, the answer is {L} | Therefore, the answer is ({L}).
Therefore, the correct answer is:\n({L}) {T} | Therefore, the correct option is:\n\n**({L}) {T}**
So the answer is {L}. | So, the correct answer is {L} | Thus, {L}. | Thus, the answer is {L}: {T}.
Hence the answer is ({L}) | $\boxed{{{L}}}$ | {L}\n\nExplanation: it is what they show.
{L}. {T}\n\nThis is what the images show. | Based on the images, the correct answer is ({L}) {T}. | It is {L}.
It's {L} | Based on what is shown, I believe the answer is {L} | It must be {L}. | The letter is {L}
The right one is {L}. | {L} is the correct answer. | {L} is correct. | {L} because it fits the question.
Choice {L} | Choice: {L} | Selected option: {L} | {{"answer": "{L}"}} | <answer>{L}</answer>
<answer>({L}) {T}</answer> | The answer is letter {L}. | {L} is my answer. | {L} it is. | {L} is most likely correct.
Option {L} is the only one that fits. | A: {L} | {L} : {T} | Okay: {L}. {T} | Let's go with {L}.
I have to go with {L}. | This makes {L} the correct answer. | The option that is correct is ({L}) {T}.
I'm going with ({L}) {T}. | The answer is {L} rather than {W}. | {L} (I am 90% sure) | Ruling out ({W}), I select ({L}).
First I thought {W}, but on closer inspection it is {L}. | All but {L} are wrong. | Unlike {W}, {L} fits.
Every option except {L} can be excluded. | No option other than {L} fits. | At first glance {W}, on reflection {L}.
Even if {W} looks close, {L} is the answer. | Without more context I'd guess {L}. | {L} makes the most sense.
{L} best describes the image. | {L} due to the details | More likely {L} than {W}. | If forced to choose, {L}.
Hard to say, but probably {L}. | Contrary to {W}, {L} fits. | I'll go for {L} | One can see that {L} is right.
Excluding {W}, option {L} is left. | Let me compare them.\n\nWhat I see supports {L}.\n\n{L}. {T} | {L} it must be.
({W}) does not fit. Therefore ({L}). | {W}? No. {L}? Yes. | {W}. Incorrect\n{L}. Correct | This makes {L} correct.
{W} is less likely than {L}. | Nothing but {L} fits. | {L} comes out on top. | I rank {L} first. | {L} gets my vote.
If I were to guess, {L}. | ❌ {W}\n✅ {L} | {W} contradicts it. {L} agrees with it. | Without doubt it is {L}.
The best choice among the options is {L}. | I prefer {L} to {W}. | As opposed to {W}, {L} fits. | {L} probably.
({W}) {V}: this does not match.\n({L}) {T}: this matches. | {W}. {V} - incorrect\n{L}. {T} - correct
{L}. {T} - correct\n{W}. {V} - incorrect
[ ] {W}\n[x] {L} | ☐ {W}\n☑ {L}
As {W} does not fit, {L} is the answer. | {W} out, {L} in. | ❌ ({W}) {V}\n✅ ({L}) {T} | ({W}) {V} ❌\n({L}) {T} ✅
The answer is {L} according to the image. | I chose {L} after comparing. | The answer is {L} despite the blur.
Judging by the pictures, {L} it is | {L} alone fits. | ({W}) {V} (not shown). ({L}) {T} (shown).
It isn't ({W}). On reflection, the answer is {L}. | 选项{L}是正确的。 | 選択肢{L}が正しいです。 | 정답은 {L}입니다.
{L} clearly fits the images. | {L} undoubtedly matches. | {L} actually shows this. | {L} best captures what is seen.
{L} chosen. | {L} selected, because it fits. | {L} chosen because it fits. | {L} worked best. | {L} came first.
{L} supported by the images. | {L} considered correct. | {L} matching all details, it is my answer.
{L} being the best match, I choose it. | {L} we can conclude. | {L} all the way. | {L} most closely matches.
{L} still fits. | {L} never fails. | {L} ought to be right. | {L} overall. | {L} beyond doubt. | {L} no doubt.
{L} 100%. | {L} 10/10 sure | {L} describes it well. | The details fit {L} better than {W}. | <{L}> | Answer: <{L}>
({W}) is worse than ({L}). | {W} loses to {L}. | {W} falls short of {L}. | {W} ranks below {L}. | {L} outperforms {W}.
{L} picked over {W}. | First choice: {L}. Second choice: {W}. | 1st choice: {L}; 2nd choice: {W}
Best: {L}. Second best: {W}. | Most likely {L}, less likely {W}. | {W} is what I would say at first, but {L}.
I was going to say {W}; it is {L}. | I retract {W}. {L}. | Despite {W} being plausible, {L} is correct.
The images rule out {W} and support {L}.
{L} not {W}. | '{L}' is correct. | {L} followed closely by {W}. | ({W}) looks good but ({L}) is better.
{L} found to be right. | {L} without question. | {L} cannot be wrong.
({W}) contradicts the images, ({L}) agrees with them. | {L} can only be right.
{L} nominated, {W} rejected. | {L} established for that reason. | I consider {L} more plausible than {W}.
{L} rings true and {W} is mistaken. | I answer with {L} rather than {W}, which is wrong.
{W} was tempting, but {L} it is. | Nothing fits except {L}.
Hmm, {W}? Wait, no. It should be {L}. | Though {W} seems right, it's {L}. | {W} is possible, though {L} is more likely.
While {W} might appear to be correct, ({L}) is more accurate. | {W} is not as good as {L}.
I said {W}, but I meant {L}.
Some people would choose {W}; the right choice, though, is {L}. | I would have said {W}, but the images support {L}.
Wrong: {W}. Right: {L}. | In contrast to {W}, {L} matches. | Regardless of how tempting {W} is, {L} is correct.
{W} looks good, but {L} looks better. | {W} gets details wrong; ({L}) works. | As {W} is clearly false, {L} follows.
So I think {W}... Hmm, no. I think {L}. | Accordingly, {L}. | Though I'm not certain, {L}. | {L} more than {W}.
It may be tempting to select {W}, but {L} is the right answer.
{W} is only partially correct; {L} is completely correct.
Initially, I thought the answer was {W}, but after looking again, I believe it is {L}.
At first glance the answer might appear to be {W}, but a closer look shows it is {L}.
At first sight {W}; at second sight {L}. | None of the details support {W}; they support {L}.
First choice {L}, second choice {W}. | I rank {L} first and {W} second. | Ranking: {L} > {W}
Most likely {L}, then {W}. | No other option than {L} fits.
There is no better option than {L}. | {W}不对，{L}对。 | 不是{W}，而是{L}。
Let's see, {L}. | I initially thought {W}, but I now think {L}.
Let me look. Not {W}. {L}. {T} | Let me think. Of {W} and {L}, one fits better. Thus, {L}
I think it's ({L}) {T}. | {W}? Doesn't match. {L}? Matches. | No option is perfect, but {L} comes closest.
{W}, no wait, {L}. | I thought it was ({W}), but it's ({L}). | I nearly picked {W}. The right one is {L}.
{L} is what I would choose. | I'd rule out {W} and choose {L}. | It cannot be anything other than {L}.
The answer is \boxed{{{L}}}, not \boxed{{{W}}}. | Short answer: {L}. Long answer: {W} does not fit. | {L} 👍
{W} is not as good a match as {L}. | There's no way it's {W}; it has to be {L}. | I choose "{T}" over "{V}".
"""

OPTIONS = {
    "nouns": ("cat", "dog", "boat", "umbrella"),
    "numbers": ("1", "2", "3", "4"),
    "yes and no": ("yes", "no"),
    "sentences": ("yes, it is far", "no, it is not far"),
    "images": ("Image 1", "Image 2", "Image 3", "Image 4", "None of the above"),
    "articles": ("the cup", "a cup and a plate", "no cup", "not a cup", "a red cup"),
    "both": ("Image 1", "Image 2", "Both", "Neither"),
    "contained": ("dog", "hot dog", "a dog and a cat", "cat"),
    "points": ("Point A", "Point B", "Point C", "Point D"),
    "more": ("Image 1 shows more", "Image 2 shows more", "Both show the same number", "Neither shows any"),
    "none": ("cat", "dog", "bird", "cow", "None of the above"),
    "counts": ("0", "1", "2", "3", "None of the above"),
    "shares": ("10%", "20%", "30%", "Not enough information"),
}
ASKED = "Which one fits?"


def forms() -> Iterator[str]:
    """Yield each form, with line ends."""
    for line in FORMS.strip().splitlines():
        yield from (form.strip().replace("\\n", "\n") for form in line.split(" | "))


def responses(form: str, turn: int | None) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield letter, response and options: every option of every set, and the same set in reverse order.

    Forms have the letter L of an option, its text T, and the letter W and the text V of another option. A turn chooses
    one option of each set.
    """
    for choices in OPTIONS.values():
        places = [(options, n) for options in (choices, choices[::-1]) for n in range(len(options))]
        for options, n in places if turn is None else [places[turn % len(places)]]:
            m = (n + 1) % len(options)
            yield "ABCDE"[n], form.format(L="ABCDE"[n], T=options[n], W="ABCDE"[m], V=options[m]), options


def misread(
    form: str, change: Callable[[str, Sequence[str]], str], turn: int | None = None
) -> list[tuple[str, str, str]]:
    """Return letter, prediction and response wherever they differ."""
    read = (
        (letter, parse("multiple_choice", changed, options, question=ASKED), changed)
        for letter, response, options in responses(form, turn)
        for changed in [change(response, options)]
    )
    return [found for found in read if found[0] != found[1]]


def test_the_table_has_at_least_sixty_forms() -> None:
    assert len(set(forms())) >= 60


@pytest.mark.parametrize("form", [*forms()])
def test_every_option_is_parsed_in_every_position(form: str) -> None:
    assert misread(form, lambda response, options: response) == []


UNDECIDED = r"""
If the light is on, the answer is {L}; if it is off, the answer is {W}. | Is it {L}? | Why is {L} an option?
It depends: {L} if seen from the left, {W} otherwise. | Assuming it is day, {L}; otherwise {W}. | Not {L}, not {W}.
I see a problem with {L}. | A look at the image does not help. | I doubt {L}. | {L} must be wrong. | I exclude {L}.
If so, {L}; if not, {W}. | {L} - {W} | The wrong answer is {L}. | I disagree with {L}. | {L} is the least likely.
({L}) {T}: wrong | ({L}) {T} is not visible. | It's unlikely to be {L}.
Provided that it is day, {L}. | Nothing speaks for {L}. | {L} was rejected.
Maybe {L}, maybe {W}. | Both {L} and {W} would fit. | {L} (50%) or {W} (50%) | A series of images would help.
Although {W} is right, {L} works. | Though {W} is the answer, {L} is correct. | {L} is right, but {W} is right too.
Even though {W} is right, the answer is {L}. | {L} is correct. {W} is correct. | {L} is correct and so is {W}.
{L}; {W} | {L}. {W}. | ({L}) ({W}) | ({L}) and ({W}) | {L} {W} {L} {W} | {L}, possibly {W}
{L} vs {W} | {L} plus {W}
I'd say {L}, or else {W}. | An incorrect answer would be {L}. | Nobody would choose {L}. | I would avoid {L}.
I will now examine {L}, then {W}. | {L} was my first idea. {W} was my second.
{L} is a mistake. | {L} has been ruled out.
{L} would have been right in another picture. | {L} is far from right. | {L} is hardly right. | {L} is the wrong answer.
{L} is the worst option. | {L} is nowhere to be seen. | ({L}) {T} is not what is shown.
{L} is excluded, and so is {W}.
{L} and {W} seem right. | Both {L} and {W} could be correct. | I have doubts about {L}. | {L} and {W} fit equally well.
{L} looks wrong. | Hardly {L}. | It is wrong to choose {L}. | It's {L} or it's {W}. | It is a mistake to choose {L}.
{L}... or {W}? | The first option is {L}. The second is {W}. | {L} is correct. {W} is also correct.
The answer is {L}. Wait, no. The answer is {W}. Wait, no. I am not sure. | {L} may be right; {W} may be right.
{L} unless it is a copy. | I'd say {L}. On the other hand, {W} fits too. | I can neither confirm {L} nor {W}.
Any option other than {L}. | 答案不是{L}。 | 不选{L}。 | Next, {L} needs to be checked. | Now {L}:
Let's look at the picture. I see {T}. Therefore, the | Next, consider {L}. It states that {T}. To check this, I
{L} is a poor match. | {L} is tempting. | I would hesitate to choose {L}. | {L} could be right, and so could {W}.
{L} comes to mind, but it's not right. | {L}, {W}: not shown | I can see why one would choose {L}.
{L} would be right only at night. | {L} would be a stretch.
So option {L} is | So option {L} is the | {L} is... | Option {L} states that | I conclude that {L} seems
({L}) shows the | Let's look at each.\n\n1. The first option is {L}. | {L}: 80 %, {W}: 20 % | {L} vs. {W}
{L}: yes\n{W}: yes | {L}: no\n{W}: no
The previous answer was {L}, but it is wrong. | Many models answer {L} here, which is wrong.
{L} makes no sense. | {L} was my first thought, but no. | I would say {L} if it were day. | {L}, or possibly {W}.
The answer is {L}. The answer is {W}. | Answer: {L}\nAnswer: {W} | {L} might be it, but so might {W}.
The format is: Answer: {L} | Please answer in the format "Answer: {L}". | An example of a valid answer is {L}.
The previous answer, {L}, was wrong. | {L} is wrong. Same for {W}. | {L} is wrong, as is {W}.
Suppose the answer is {L}. | {L} is my second choice. | {L}: 0/10 | As for {L}, it is blurry. | {L} is a trap.
{L} is a wrong description.
{L} misses a detail. | {L} shows something else. | I refuse to choose {L}. | Option {L} says: {T} | {L}... but no.
{L} could be right, but a detail is missing. | Were {L} correct, it would be night. | Cross out {L}. | {T} ❌ | ❌ {T}
"""


@pytest.mark.parametrize("choices", [("cat", "dog", "boat", "umbrella"), ("Yes, it is far", "No, it is not", "No cup")])
def test_no_option_is_parsed_where_none_is_chosen(choices: Sequence[str]) -> None:
    said = [
        form.strip().replace("\\n", "\n").format(L="ABC"[n], W="BCA"[n], T=choices[n])
        for form in UNDECIDED.replace("\n", " | ").split(" | ")
        if form.strip()
        for n in range(3)
    ]
    assert [text for text in said if parse("multiple_choice", text, choices, question=ASKED)] == []


CHANGES: dict[str, Callable[[str, Sequence[str]], str]] = {
    "a thought in front": lambda response, options: f"<think>Let me look at each one.</think>\n{response}",
    "a sentence in front": lambda response, options: f"I looked at all of the images carefully. {response}",
    "the question in front": lambda response, options: f"{ASKED}\n{response}",
    "the options in front": lambda response, options: (
        "\n".join(f"({letter}) {text}" for letter, text in zip("ABCDE", options, strict=False)) + f"\n\n{response}"
    ),
    "bold": lambda response, options: response if "*" in response else f"**{response}**",
    "a line end": lambda response, options: f"{response}\n",
    "a wide space": lambda response, options: response.replace(" ", "\u00a0"),
}


@pytest.mark.parametrize(("number", "change"), [*enumerate(CHANGES)])
def test_what_does_not_change_the_answer_does_not_change_the_prediction(number: int, change: str) -> None:
    """Each form with each set of options; the position is another one for each change and from form to form."""
    found = [misread(form, CHANGES[change], turn) for turn, form in enumerate(forms(), start=number)]
    assert [one for of_form in found for one in of_form] == []


STATED = {
    "Image 1": """
Image 1 shows {x} and Image 2 shows {y}. | Image 1 shows {x} while Image 2 shows {y}. | Only Image 1 has {x}.
Image 2 shows {y}, whereas Image 1 shows {x}. | While Image 2 shows {y}, Image 1 shows {x}.
Image 1: {x}. Image 2: {y}.
The first image shows {x}, the second one shows {y}. | Both images show {y}. Image 1 also shows {x}.
Both images are in color. Image 1 shows {x}. | Neither image is blurry. Image 1 shows {x}.
Both show {y}; {x} is in Image 1.
Of both images, only Image 1 shows {x}. | Image 2 features {y} instead of {x}; Image 1 features {x}.
Both images show {y}, but only Image 1 shows {x} too. | Image 2 has {y}, not {x}. Image 1 has {x}.
""",
    "Both": """
Both images show {x}. | Both show {x}, neither shows a truck. | Neither shows a truck; both show {x}. | Both do.
Image 1 has {x} and so does Image 2. | Image 1 shows {x}. Image 2 also shows {x}. | Both pictures contain it.
""",
    "Neither": """
Neither shows {x}; both show {y}. | Both images show {y}, neither shows {x}. | Neither, since both show {y}.
Neither does. | Image 1 shows {y} and Image 2 shows {y}. Neither shows {x}. | Neither one contains it.
No {z} is visible in either image.
""",
    "": """
Both images show {y}. | Neither shows {y}. | Neither is blurry. | Both are photographs. | Image 1 shows {y}.
Image 1 shows {y} and Image 2 shows {y}. | There are two trucks in both images. | Image 1 shows {y} without {x}.
Image 1 is without {x}. | Image 2 shows {y} instead of {x}. | Image 1 is brighter than Image 2.
Image 1 has {y}, but not {x}. | There are dogs in both images, and {x} in Image 2.
""",
}
"""What is stated of two images → responses to "Which of Image 1 and Image 2 shows {x}?"; "": something else."""


@pytest.mark.parametrize("truth", STATED)
@pytest.mark.parametrize(
    ("x", "y", "z"),
    [("a cat", "a dog", "cat"), ("a red ball", "a blue ball", "red ball"), ("a man with a hat", "a woman", "man")],
)
def test_a_statement_about_two_images_is_no_answer_unless_it_is_about_what_is_asked(
    truth: str, x: str, y: str, z: str
) -> None:
    options = ("Both", "Image 2", "Neither", "Image 1")
    said = [form.strip().format(x=x, y=y, z=z) for form in STATED[truth].strip().replace("\n", " | ").split(" | ")]
    read = {
        text: parse("multiple_choice", text, options, question=f"Which of Image 1 and Image 2 shows {x}?")
        for text in said
    }
    assert read == dict.fromkeys(said, "ABCD"[options.index(truth)] if truth else "")


def test_an_image_without_the_attribute_is_not_affirmed() -> None:
    said = ["Image 1 has an umbrella, but not a red one.", "Image 1 has an umbrella, but it is not red."]
    options = ("Image 1", "Image 2", "Both", "Neither")
    assert [parse("multiple_choice", text, options, question="Which image has a red umbrella?") for text in said] == [
        "",
        "",
    ]
    question = "Which of Image 1 and Image 2 is blurry?"
    said = ["Both are sharp.", "Neither is blurry.", "Image 2 is sharp, while Image 1 is blurry."]
    assert [parse("multiple_choice", text, options, question=question) for text in said] == ["", "D", "A"]


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("At least 2", ""), ("At most 3 dogs", ""), ("more than 2", ""), ("Fewer than 4", ""), ("up to 3", ""),
        ("2-3", ""), ("between 2 and 4", ""), ("Not 2 but 3", "C"), ("exactly 2", "B"), ("over 3, namely 4", "D"),
        ("3 in total, 1 with a hat", ""), ("3 in total", "C"), ("4 cups in total: 3 in Image 1 and 1 in Image 2", "D"),
    ],
)  # fmt: skip
def test_a_number_that_only_bounds_the_count_is_no_answer(said: str, label: str) -> None:
    assert parse("multiple_choice", said, ("1", "2", "3", "4"), question="How many are there?") == label


@pytest.mark.parametrize("said", ["A+B", "A + B", "A/B", "A & B"])
def test_two_letters_are_no_answer(said: str) -> None:
    assert parse("multiple_choice", said, ("apple", "pear", "plum", "fig"), question=ASKED) == ""


def test_a_letter_that_may_be_the_label_of_another_option_is_not_read() -> None:
    options = ("Point D", "Point C", "Point B", "Point A")
    said = [
        "Both A and B are correct.",
        "While B might be correct, A is more accurate.",
        "B looks good, yet A is better.",
    ]
    assert [parse("multiple_choice", text, options, question=ASKED) for text in said] == [""] * 3
    assert [parse("multiple_choice", f"{x} is the answer.", options, question=ASKED) for x in "ABCD"] == list("ABCD")


def test_the_worse_one_is_meant_where_it_is_asked_for() -> None:
    read = [
        parse("multiple_choice", "Image 1 is worse than Image 2.", ("Image 1", "Image 2"), question=question)
        for question in ("Which image is of better quality?", "Which image is worse?")
    ]
    assert read == ["B", "A"]


def test_no_answer_is_not_the_count_zero() -> None:
    said = ["No answer.", "There is no way to decide between A and B.", "No dogs", "There are no dogs."]
    read = [parse("multiple_choice", text, ("0", "1", "2"), question="How many dogs are there?") for text in said]
    assert read == ["", "", "A", "A"]
