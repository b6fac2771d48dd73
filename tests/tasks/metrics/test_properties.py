"""What holds for any input: order does not matter, duplicates are refused, right answers help, scores have a range."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.language.parsing import letter
from vhbench.language.parsing import yes_no as read_yes_no
from vhbench.schema import Record, VhbenchError
from vhbench.seeding import rng
from vhbench.tasks.metrics import amber, chair, multiple_choice, symmetric_accuracy, yes_no

SYNONYMS = {"dog": ("puppy", "hot dog stand"), "cat": ("kitten",), "bus": (), "wine glass": (), "person": ("man",)}
WORDS = ["dog", "Dogs", "puppies", "cat", "a", "bus", "buses", "wine glasses", "wine", "men", "/", ".", "'s", "hot-dog"]
ANSWERS = ["Yes", "no.", "I know", "", "No, it is not", "There is no dog", "YES!", "Yes and no"]
FEW = settings(max_examples=40)

captions = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=6)
objects = st.lists(st.sampled_from(sorted(SYNONYMS)), max_size=3)
answered = st.lists(st.tuples(st.sampled_from(ANSWERS), st.sampled_from(["yes", "no"])), max_size=12)


def numbers(value: Any) -> Iterator[float]:
    """Yield every float in a result, but the score that wrong answers lower below 0."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from () if name == "penalized_accuracy" else numbers(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, float):
        yield value


@FEW
@given(st.lists(st.tuples(st.text("ab dogs", max_size=20), objects), max_size=6), st.randoms())
def test_chair(rows: list[tuple[str, list[str]]], random: Any) -> None:
    numbered = [{"image_id": i, "caption": caption} for i, (caption, _) in enumerate(rows)]
    gold = {i: truth for i, (_, truth) in enumerate(rows)}
    result = chair.score(numbered, gold, synonyms=SYNONYMS)
    shuffled = random.sample(numbered, len(numbered))
    again = chair.score(shuffled, gold, synonyms=SYNONYMS)
    for name in ("CHAIR_i", "CHAIR_s", "recall", "counters", "intervals"):
        assert result[name] == again[name]
    printed = result.pop("printed")
    assert all(0 <= number <= 1 for number in numbers(result))
    assert all(0 <= number <= 100 for number in numbers(printed))


@FEW
@given(captions)
def test_mentions_are_where_they_say(texts: list[str]) -> None:
    for text in texts:
        for found in chair.vocabulary_of(SYNONYMS).find(text):
            assert text[found.start : found.end].lower().replace("-", " ").startswith(found.word[0])


@FEW
@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert read_yes_no(text) in ("yes", "no", "")
    assert letter(text, ["cat", "dog", "None of the above"]) in ("A", "B", "C", "")
    for compat in (True, False):
        found = chair.vocabulary_of(SYNONYMS, compat=compat).find(text)
        assert all(0 <= mention.start < mention.end <= len(text) for mention in found)


@FEW
@given(answered, st.sampled_from(["yes", "no"]))
def test_yes_no(rows: list[tuple[str, str]], positive: str) -> None:
    answers, labels = [answer for answer, _ in rows], [label for _, label in rows]
    result = yes_no.score(answers, labels, positive=positive, allow_failed=True)
    backwards = yes_no.score(answers[::-1], labels[::-1], positive=positive, allow_failed=True)
    assert result["counters"] == backwards["counters"]
    assert result["intervals"] == backwards["intervals"]
    assert all(0 <= number <= 1 for number in numbers(result))
    more = yes_no.score([*answers, "Yes."], [*labels, "yes"], positive=positive, allow_failed=True)
    assert more["accuracy"] >= (result["accuracy"] or 0)


@FEW
@given(st.lists(st.tuples(st.sampled_from(ANSWERS), st.sampled_from(ANSWERS), st.booleans()), max_size=10))
def test_symmetric(cases: list[tuple[str, str, bool]]) -> None:
    rows = list(twins(cases))
    result = symmetric_accuracy.score(rows, allow_failed=True)
    backwards = symmetric_accuracy.score(rows[::-1], allow_failed=True)
    assert result["symmetric_accuracy"] == backwards["symmetric_accuracy"]
    assert all(-1e-12 <= number <= 1 + 1e-12 for number in numbers(result))
    if cases:
        more = symmetric_accuracy.score([*rows, *twins([("yes", "no", True)], start=len(cases))], allow_failed=True)
        assert more["symmetric_accuracy"] >= result["symmetric_accuracy"]
        # Both right is at most as frequent as one right, and at least what the rest leaves (Fréchet).
        assert 2 * result["accuracy"] - 1 <= result["symmetric_accuracy"] + 1e-12
        assert result["symmetric_accuracy"] <= result["accuracy"] + 1e-12


def twins(cases: list[tuple[str, str, bool]], start: int = 0) -> Iterator[Record]:
    for i, (said, negated, truth) in enumerate(cases, start):
        gold = "yes" if truth else "no"
        other = "no" if truth else "yes"
        yield Record(id=f"{i}", pair_id=f"{i}", answer=gold, response=said)
        yield Record(id=f"{i}n", pair_id=f"{i}", answer=other, response=negated, negated=True)


@FEW
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["A", "(b)", "cat", "C. bus", "A or B", ""]),
            st.sampled_from("ABC"),
            st.sampled_from(["easy", "ni2", "hp+hn"]),
            st.sampled_from(["existence", "counting"]),
        ),
        max_size=10,
    )
)
def test_multiple_choice(cases: list[tuple[str, str, str, str]]) -> None:
    rows = [
        Record(id=f"{i}", choices=("cat", "dog", "bus"), answer=answer, response=said, pressure=pressure, task=task)
        for i, (said, answer, pressure, task) in enumerate(cases)
    ]
    result = multiple_choice.score(rows)
    backwards = multiple_choice.score(rows[::-1])
    assert result["by"] == backwards["by"]
    assert result["cells"] == backwards["cells"]
    assert result["aggregate"] == backwards["aggregate"]
    assert all(0 <= number <= 1 for number in numbers(result))
    more = multiple_choice.score([*rows, Record(id="more", choices=("cat", "dog"), answer="B", response="dog")])
    assert more["withheld"] or more["accuracy"] >= (result["accuracy"] or 0)


@FEW
@given(st.lists(st.lists(st.sampled_from(["dog", "Cats", "bus", "sky", "a"]), max_size=5).map(" ".join), max_size=5))
def test_amber(texts: list[str]) -> None:
    rows = [
        Record(id=f"{i}", kind="caption", response=text, objects=("dog", "sky"), candidates=("cat",))
        for i, text in enumerate(texts)
    ]
    rows += [Record(id="q", kind="yes_no", question_type="existence", answer="no", response="No.")]
    result = amber.score_records(rows, relation={"bus": []})
    assert result["scores"] == amber.score_records(rows[::-1], relation={"bus": []})["scores"]
    assert all(0 <= number <= 1 for number in numbers(result["scores"]))
    assert all(0 <= number <= 100 for number in numbers(result["printed"]))


def test_duplicates_are_refused() -> None:
    row = Record(id="1", pair_id="1", answer="yes", response="yes", choices=("a", "b"))
    for refused in (
        lambda: yes_no.score_records([row, row], positive="yes"),
        lambda: symmetric_accuracy.score([row, row]),
        lambda: multiple_choice.score([{"id": "1", "answer": "A", "choices": ["a", "b"]}] * 2),
        lambda: chair.score([{"image_id": 1, "caption": "a dog"}] * 2, {1: ["dog"]}, synonyms=SYNONYMS),
        lambda: amber.score([{"id": 1, "response": ""}] * 2, annotations=[{"id": 1, "truth": "no"}], relation={}),
    ):
        with pytest.raises(VhbenchError, match="twice"):
            refused()


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("q", [0.1, 0.7])
def test_a_guesser_meets_both_theorems(p: float, q: float) -> None:
    generator = rng(0, "guesser", p, q)
    number = 20_000
    truth = generator.random(number) < q
    said = generator.random((number, 2)) < p
    cases = [
        ("yes" if a else "no", "yes" if b else "no", bool(t)) for (a, b), t in zip(said.tolist(), truth, strict=True)
    ]
    result = symmetric_accuracy.score(list(twins(cases)))
    assert result["symmetric_accuracy"] == pytest.approx(p * (1 - p), abs=0.012)  # Theorem 2: whatever q is
    assert result["original_accuracy"] == pytest.approx(1 + (2 * p - 1) * q - p, abs=0.012)  # Theorem 1
    assert result["chance"] == pytest.approx(p * (1 - p), abs=0.012)
    assert result["chance_accuracy"] == pytest.approx(1 + (2 * p - 1) * q - p, abs=0.012)


def test_what_is_blind_is_said_to_be() -> None:
    """Who looks at no image has its blind level, however it treats originals and twins."""
    generator = rng(0, "blind")
    number, q = 4_000, 0.4
    truth = generator.random(number) < q
    tossed, other, lost = (generator.random(number) < 0.5 for _ in range(3))
    yes_no = ("no", "yes")
    ways = {
        "yes to originals, no to twins": [("yes", "no")] * number,
        "twins contradict": [(yes_no[int(a)], yes_no[1 - int(a)]) for a in tossed],
        "each by itself": [(yes_no[int(a)], yes_no[int(b)]) for a, b in zip(tossed, other, strict=True)],
        "half unread": [("yes", "" if a else "no") for a in lost],
    }
    expected = {
        "yes to originals, no to twins": q,
        "twins contradict": 0.5,
        "each by itself": 0.25,
        "half unread": q / 2,
    }
    for way, said in ways.items():
        cases = [(*pair, bool(t)) for pair, t in zip(said, truth, strict=True)]
        result = symmetric_accuracy.score(list(twins(cases)))
        assert result["permutation_baseline"] == pytest.approx(expected[way], abs=0.02), way
        assert result["symmetric_accuracy"] == pytest.approx(result["permutation_baseline"], abs=0.03), way
        by_itself = 0.25 if way == "twins contradict" else expected[way]
        assert result["chance"] == pytest.approx(by_itself, abs=0.02), way
