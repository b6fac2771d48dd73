"""AMBER's inputs are rows, however they are given."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from vhbench.schema import VhbenchError
from vhbench.tasks.metrics.amber_files import read_annotations, read_relation, read_responses, read_safe_words

responses_once = partial(read_responses, refuse_repeats=True)


def test_annotations_are_a_row_or_rows_or_a_mapping_of_rows() -> None:
    dog, cat = {"id": 1, "truth": ["dog"]}, {"id": 2, "truth": "cat"}
    assert read_annotations(dog) == {"1": dog}
    assert read_annotations([dog, cat]) == {"1": dog, "2": cat}
    assert read_annotations({"first": dog, "second": cat}) == {"1": dog, "2": cat}


@pytest.mark.parametrize(
    ("read", "given", "message"),
    [
        (read_annotations, [{"id": 1, "truth": "no"}, {"id": 2}], "annotation 1: expected an 'id' and 'truth'"),
        (read_annotations, [{"truth": "no"}], "annotation 0: expected an 'id' and 'truth'"),
        (responses_once, [{"id": 1, "response": None}, {"id": 2, "response": 3}], "response 1: expected an 'id' and "
         "the text 'response'"),
        (responses_once, [{"response": "A dog."}], "response 0: expected an 'id' and the text 'response'"),
        (read_relation, [1], "relation: expected a mapping word → list of associated words, got [1]"),
    ],
)  # fmt: skip
def test_what_is_no_input_is_named(read: Any, given: Any, message: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        read(given)
    assert str(raised.value) == message


def test_responses_may_be_missing_and_repeated_only_where_that_is_allowed() -> None:
    rows = [{"id": 1, "response": "Yes"}, {"id": 2, "response": ""}, {"id": 1, "response": None}]
    assert read_responses(rows, refuse_repeats=False) == [("1", "Yes"), ("2", ""), ("1", "")]
    with pytest.raises(VhbenchError, match="response id"):
        read_responses(rows, refuse_repeats=True)


def test_safe_words_are_words_or_the_lines_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "safe.txt").write_text("light\n\nthe sea\n")
    for given in (["light", "the sea"], tmp_path / "safe.txt", str(tmp_path / "safe.txt")):
        assert list(read_safe_words(given)) == ["light", "the sea"]
