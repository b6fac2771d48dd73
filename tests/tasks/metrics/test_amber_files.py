"""AMBER's inputs are rows, however they are given."""

from vhbench.tasks.metrics.amber_files import read_annotations


def test_annotations_are_a_row_or_rows_or_a_mapping_of_rows() -> None:
    dog, cat = {"id": 1, "truth": ["dog"]}, {"id": 2, "truth": "cat"}
    assert read_annotations(dog) == {"1": dog}
    assert read_annotations([dog, cat]) == {"1": dog, "2": cat}
    assert read_annotations({"first": dog, "second": cat}) == {"1": dog, "2": cat}
