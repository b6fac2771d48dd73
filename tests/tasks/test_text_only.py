"""Planted leaks of words are found, whatever their kind; words that tell nothing give what guessing gives."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from vhbench.schema import QuestionBase
from vhbench.seeding import rng
from vhbench.tasks import text_only

WORDS = "dog cat boat sink bear lamp kite tree cake road ship frog moon sofa drum".split()
COLOURS = "red blue green white".split()


def images(questions: Sequence[QuestionBase]) -> list[str]:
    return [" ".join(question.scene_ids) for question in questions]


def floor(questions: Sequence[QuestionBase]) -> text_only.TextOnlyBaseline:
    """The floor of all questions, which are in clusters by image."""
    guesses = text_only.guess(questions, images)
    assert guesses is not None
    found = guesses.floor()
    assert found is not None
    return found


def existence(image: int, word: str, answer: str, **more: object) -> QuestionBase:
    name = f"{image:03}-{word}"
    asked = {"question": f"Is there a {word} in the image?", "answer": answer, "task": "existence", "kind": "yes_no"}
    return QuestionBase(**{"id": name, "scene_ids": (f"s{image}",), "pair_id": name, **asked, **more})  # type: ignore[arg-type]


def balanced(images: int = 60) -> list[QuestionBase]:
    """Each image has one yes and one no, and which words they are about is dealt by a coin."""
    random = rng(0, "balanced")
    found = []
    for image in range(images):
        shown, absent = random.permutation(WORDS)[:2].tolist()
        found += [existence(image, shown, "yes"), existence(image, absent, "no")]
    return found


def test_words_that_tell_nothing_give_chance() -> None:
    found = floor(balanced())
    assert found.value == pytest.approx(0.5, abs=0.12)
    assert not found.leaks_answers
    assert found.chance == 0.5


def dealt_evenly(question: str = "Is there a {} in the image?", rounds: int = 4) -> list[QuestionBase]:
    """Each word is asked about exactly as often where it is shown as where it is not, two questions an image."""
    random = rng(4, "evenly")
    answers = {word: random.permutation(["yes", "no"] * rounds).tolist() for word in WORDS}
    words = [word for _ in range(2 * rounds) for word in random.permutation(WORDS).tolist()]
    return [
        existence(n // 2, word, answers[word].pop(), id=f"q{n:03}", question=question.format(word))
        for n, word in enumerate(words)
    ]


def test_words_that_are_balanced_teach_nothing_and_nor_does_the_reverse_of_them() -> None:
    guesses = text_only.guess(dealt_evenly(), images)
    assert guesses is not None
    others = np.arange(guesses.hits.shape[2]) != guesses.folds[:, None]
    right = guesses.hits[:, others].mean(axis=1)
    assert right == pytest.approx(0.5, abs=0.05), "what is not right here the reverse gets"
    found = guesses.floor()
    assert found is not None
    assert found.value == pytest.approx(0.5, abs=0.05)


def test_balanced_words_hide_no_hint_of_others() -> None:
    """What a thing does tells the answer, and which thing it is does not: words learned by heart would mislead."""
    random = rng(5, "hidden")
    asked = []
    for one in dealt_evenly("Is the {} doing it?"):
        telling, other = ("walking", "sitting") if one.answer == "yes" else ("sitting", "walking")
        asked.append(replace(one, question=f"{one.question[:-9]} {telling if random.random() < 0.85 else other}?"))
    found = floor(asked)
    assert found.value > 0.75
    assert found.leaks_answers


@pytest.mark.parametrize("seed", range(4))
def test_a_lucky_guesser_earns_nothing(seed: int) -> None:
    # Forty coins and eight guessers: the best of them, looked up afterwards, would lie above chance nearly always.
    random = rng(seed, "lucky")
    asked = [existence(i, WORDS[i % 15], "yes" if random.random() < 0.5 else "no") for i in range(40)]
    assert not floor(asked).leaks_answers


@pytest.mark.parametrize(
    "form", ["Is there a {} in the image ?", "is there a {} in the image?", "Is there a {} in the image? ", "{}?"]
)
def test_how_a_question_is_written_tells(form: str) -> None:
    """Words alone, without signs and capitals, are the same here for yes and for no."""
    asked = [replace(q, question=form.format(q.question[11:-14])) if q.answer == "no" else q for q in balanced()]
    assert floor(asked).value > 0.9


def test_a_word_that_is_mostly_absent_is_looked_up() -> None:
    random = rng(1, "planted")
    asked = []
    for image in range(80):
        for word in random.permutation(WORDS)[:2].tolist():
            usual = "yes" if WORDS.index(word) % 2 else "no"
            asked.append(existence(image, word, usual if random.random() < 0.8 else "no" if usual == "yes" else "yes"))
    found = floor(asked)
    assert found.value == pytest.approx(0.8, abs=0.07)
    assert found.leaks_answers


def test_what_leaks_in_one_criterion_is_found_there() -> None:
    asked = []
    for image in range(60):
        for criterion in ("standard", "fictional"):
            for place in (image % 15, (image + 7) % 15):
                turned = (place % 2 == 0) == (criterion == "standard")
                answer = "yes" if turned else "no"
                asked.append(replace(existence(image, WORDS[place], answer), criterion=criterion))
    asked = [replace(question, id=f"{question.criterion}-{question.id}") for question in asked]
    random = rng(2, "noise")
    asked = [q if q.criterion == "fictional" else replace(q, answer=str(random.choice(["yes", "no"]))) for q in asked]
    guesses = text_only.guess(asked, images)
    assert guesses is not None
    found = {key: guesses.floor(places) for key, places in guesses.by(["criterion"]).items()}
    fictional, standard = found["fictional",], found["standard",]
    assert fictional is not None
    assert standard is not None
    assert (fictional.value > 0.95, fictional.leaks_answers) == (True, True)
    assert (standard.value < 0.65, standard.leaks_answers) == (True, False)


def test_two_words_together_are_looked_up() -> None:
    # Neither the colour nor the thing tells anything alone.
    asked = []
    for image in range(160):
        word, colour = WORDS[image % 5], COLOURS[(image // 5) % 4]
        answer = "yes" if (image % 5 + image // 5 % 4) % 2 else "no"
        asked.append(existence(image, word, answer, question=f"Is the {word} in the image {colour}?"))
    assert floor(asked).value > 0.9


CHOICES = {
    "the middle number": lambda i: ([str(4 + i % 3), str(5 + i % 3), str(6 + i % 3)], str(5 + i % 3)),
    "an option that is always right": lambda i: (["Neither", f"Image {i % 7}", f"Image {7 + i % 5}"], "Neither"),
    "the one that shares its words": lambda i: (
        [f"{COLOURS[i % 4]} {WORDS[i % 13]}", f"{COLOURS[(i + 1) % 4]} {WORDS[i % 13]}", f"{COLOURS[i % 4]} drum"],
        f"{COLOURS[i % 4]} {WORDS[i % 13]}",
    ),
    "the longest": lambda i: ([f"a {WORDS[i % 13]}", f"a large old {WORDS[(i + 3) % 13]}", "a drum"], None),
}


@pytest.mark.parametrize("leak", CHOICES)
def test_options_that_give_themselves_away(leak: str) -> None:
    random = rng(3, leak)
    asked = []
    for image in range(60):
        options, right = CHOICES[leak](image)
        right = right or max(options, key=len)
        options = random.permutation(options).tolist()
        letter = "ABC"[options.index(right)]
        asked.append(
            QuestionBase(
                f"q{image:03}", question="Which?", choices=tuple(options), answer=letter, scene_ids=(str(image),)
            )
        )
    found = floor(asked)
    assert found.value > 0.9
    assert found.chance == pytest.approx(1 / 3)


def test_letters_dealt_evenly_tell_nothing() -> None:
    asked = [
        QuestionBase(
            f"q{i:03}",
            question="Which?",
            choices=("a dog", "a cat", "a cup"),
            answer="ABC"[i // 2 % 3],
            scene_ids=(str(i),),
        )
        for i in range(60)
    ]
    assert not floor(asked).leaks_answers


def test_a_pair_counts_when_both_halves_are_right() -> None:
    asked = []
    for image in range(40):
        word = WORDS[image % 15]
        answer, other = ("yes", "no") if image % 15 < 7 else ("no", "yes")
        case = existence(image, word, answer)
        twin = replace(
            case, id=f"{case.id}/negated", question=f"Is there no {word} in the image?", answer=other, negated=True
        )
        asked += [case, twin]
    guesses = text_only.guess(asked, images)
    assert guesses is not None
    found = guesses.pairs()
    assert found is not None
    assert (found.n, found.chance) == (40, 0.5)
    assert found.value > 0.9
    halves = [existence(image, "dog", "yes", pair_id=f"half {image}") for image in range(40)]
    alone = [existence(image, "dog", "yes", pair_id="") for image in range(40)]
    twice = [replace(one, id=f"{one.id}/again") for one in halves]
    for more in (halves, alone, halves + twice):
        others = text_only.guess(asked + more, images)
        assert others is not None
        pairs = others.pairs()
        assert pairs is not None
        assert pairs.n == 40, "only a question and its negation are a pair"
    blind = text_only.guess([replace(q, question="Is it so?") for q in asked], images)
    assert blind is not None
    told = blind.pairs()
    assert told is not None
    assert not told.leaks_answers


def test_few_images_tell_nothing() -> None:
    assert text_only.guess(balanced(9), images) is None
    assert text_only.guess([], images) is None
    guesses = text_only.guess(balanced(), images)
    assert guesses is not None
    alone = next(iter(guesses.by(["scene_ids"]).values()))
    assert guesses.floor(alone) is None


def test_the_order_of_the_questions_changes_nothing() -> None:
    asked = balanced(30)
    assert floor(asked) == floor(asked[::-1])
    captions = [QuestionBase("c", kind="caption", answer="", scene_ids=("s1",))]
    assert floor([*captions, *asked]) == floor(asked)


def test_of_very_many_questions_whole_clusters_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_only, "MOST", 50)
    found = text_only.guess(balanced(60), images)
    assert found is not None
    assert len(found.questions) == 50
    assert len(set(found.clusters)) == 25
