"""A split replaces a split, an empty folder or nothing, and never the user's own files."""

from pathlib import Path

import pytest

from vhbench.schema import VhbenchError
from vhbench.splits import manifests
from vhbench.splits.replacing import check_place, replace


def test_nothing_and_an_empty_folder_give_way(tmp_path: Path) -> None:
    check_place(tmp_path / "new")
    check_place(tmp_path)


def test_a_split_gives_way_unless_somebody_put_a_file_there(tmp_path: Path) -> None:
    for name in (manifests.MANIFEST, manifests.SCENES, "README.md", "ode_fictional/test-00000-of-00001.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    check_place(tmp_path)
    (tmp_path / "ode_fictional" / "notes.txt").write_text("mine")
    with pytest.raises(VhbenchError, match=r"notes\.txt: does not belong to the split"):
        check_place(tmp_path)


def test_another_folder_and_a_file_do_not(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    for place in (tmp_path, tmp_path / "thesis.tex"):
        with pytest.raises(VhbenchError, match="is not empty and not a split directory"):
            check_place(place)


def test_a_new_split_takes_the_place_of_the_former_one(tmp_path: Path) -> None:
    staging, directory = tmp_path / "staging", tmp_path / "mioh"
    for folder, text in ((directory, "old"), (staging, "new")):
        folder.mkdir()
        (folder / manifests.MANIFEST).write_text(text)
    replace(staging, directory)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["mioh"]
    assert (directory / manifests.MANIFEST).read_text() == "new"
