"""The questions that responses are joined with are those that a manifest stands for."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vhbench import splits
from vhbench.runs import questions
from vhbench.schema import Question, Row, VhbenchError

QUESTION = Question(
    id="q", images=(b"x",), question="Is there a dog?", answer="no", kind="yes_no", benchmark="ode", scene_ids=("s",)
)


def split(folder: Path, answer: str) -> Path:
    """Write a split of one question."""
    row = Row("existence", replace(QUESTION, answer=answer))
    splits.write_split(folder, [row], benchmark="ode", version="1.0.0", seed=0, config={}, sources={})
    return folder


def test_shards_that_the_manifest_does_not_stand_for_are_not_asked(tmp_path: Path) -> None:
    ours, other = split(tmp_path / "a", "no"), split(tmp_path / "b", "yes")
    assert list(questions.known_questions(ours)) == ["q"]
    name = "existence/test-00000-of-00001.parquet"
    (ours / name).write_bytes((other / name).read_bytes())
    with pytest.raises(
        VhbenchError, match=r"existence/test-00000-of-00001\.parquet: has SHA-256 \w{12}…, the manifest"
    ):
        questions.known_questions(ours)


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ("id,answer\nx,A\nb,A\na,A\nb,B\na,A\n", r"a\.csv, row 4: id 'b' occurs twice"),
        ("id,answer\nx,A\n,B\n", r"a\.csv, row 2: expected a field 'id'"),
    ],
)
def test_each_question_has_an_id_of_its_own(rows: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(rows)
    with pytest.raises(VhbenchError, match=fault):
        questions.known_questions(tmp_path / "a.csv")


def test_words_are_those_that_the_rows_of_a_table_list(tmp_path: Path) -> None:
    rows = [{"id": "1", "objects": ["dog"]}, {"id": "2", "candidates": ["cat", "dog"]}, {"id": "3", "answer": "no"}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert questions.annotated_words(tmp_path / "a.json") == {"dog": (), "cat": ()}
    assert questions.annotated_words(tmp_path / "none") == {}
    assert questions.annotated_words(split(tmp_path / "split", "no")) is None
