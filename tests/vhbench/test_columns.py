"""The columns of released files: a change here is a new format."""

from dataclasses import fields

from vhbench import columns
from vhbench.schema import Question, Record


def test_the_columns_stand_as_in_released_files() -> None:
    assert (
        *("id", "images", "question", "choices", "answer", "kind", "benchmark", "task", "mode", "pressure"),
        *("criterion", "pairing", "question_type", "source", "perturbation", "pair_id", "negated", "objects"),
        *("candidates", "neutral", "scene_ids", "benchmark_version", "canary"),
    ) == columns.COLUMNS
    assert columns.LISTS == ("choices", "objects", "candidates", "neutral", "scene_ids")
    assert columns.FLAGS == ("negated",)


def test_a_record_has_the_columns_of_its_question_and_what_the_model_said() -> None:
    shared = {field.name for field in fields(Question)} & {field.name for field in fields(Record)}
    assert shared == set(columns.RECORD)
    assert {field.name for field in fields(Record)} - shared == {
        "response",
        "prediction",
        "failure",
        "cut_off",
        "tokens",
    }
    assert set(columns.COLUMNS) - shared == {"images", "benchmark_version", "canary"}


def test_what_identifies_a_row_and_sorts_it() -> None:
    assert set(columns.COLUMNS) - set(columns.HASHED) == {"images", "benchmark_version"}
    assert set(columns.CELLS) < set(columns.RECORD)
    question = Question("q", images=(b"",), question="?", answer="no", kind="yes_no", benchmark="ode", negated=True)
    assert columns.hashed(question) == {name: getattr(question, name) for name in columns.HASHED}
