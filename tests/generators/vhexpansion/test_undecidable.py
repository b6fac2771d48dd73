"""Which questions are left out of perturbed images, by a table of questions that were labelled before the rule was."""

import csv
import re
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vhbench.generators.vhexpansion import undecidable
from vhbench.generators.vhexpansion.expansion import may_change
from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS
from vhbench.generators.vhexpansion.undecidable import TOPICS, undecided

TABLE = Path(__file__).with_name("undecidable_questions.tsv")
QUESTIONS = list(csv.reader(TABLE.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_a_question_is_left_out_where_its_answer_may_change() -> None:
    wrong = {}
    for question, left_out in QUESTIONS:
        told = {name: words for name in PERTURBATIONS if (words := may_change(question, name))}
        if set(told) != set(filter(None, left_out.split(","))):
            wrong[question] = f"expected {left_out}; got {told}"
    assert not wrong
    assert len(QUESTIONS) == len(dict(QUESTIONS)) > 300


def test_how_it_is_written_makes_no_difference() -> None:
    wrong = [
        (name, written)
        for question, _ in QUESTIONS
        for written in (question.upper(), question.replace('"', "”"), f"  {question.replace(' ', '  ')}\n")
        for name in PERTURBATIONS
        if may_change(written, name) != may_change(question, name)
    ]
    assert not wrong


@pytest.mark.parametrize("perturbation", PERTURBATIONS)
def test_each_perturbation_names_topics_that_are_there(perturbation: str) -> None:
    named = PERTURBATIONS[perturbation].unsure.split()
    assert named
    assert set(named) <= set(TOPICS)


def test_each_word_is_found_and_stands_once() -> None:
    told = yaml.safe_load(Path(undecidable.__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    for name, topic in told["topics"].items():
        words = topic.get("words", "").split()
        assert len(words) == len(set(words)), name
        for word in words:
            assert undecided(f"Is it {word}?", [name]), word


@given(st.text(max_size=300), st.sampled_from(sorted(TOPICS)))
def test_any_text_is_read(text: str, topic: str) -> None:
    found = undecided(text, [topic])
    assert not found or re.sub(r"\W", "", found) in re.sub(r"\W", "", text.lower().translate(undecidable._STRAIGHT))


@pytest.mark.parametrize("piece", ["an orange ", '"', "'x ", "number of ", "the image ", "sign a's ", "answer ", "a "])
def test_a_megabyte_is_read_at_once(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    before = time.process_time()
    for name in PERTURBATIONS:
        may_change(text, name)
    assert time.process_time() - before < 2
