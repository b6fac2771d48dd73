"""What is loaded is compared with the hash of the split, row by row and image by image."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_build import ToyBuild

from vhbench import splits
from vhbench.builds import sharding
from vhbench.columns import HASHED
from vhbench.schema import Question, VhbenchError
from vhbench.splits import checked_rows, manifests

COUNTS = {"a": 9, "b": 6}  # of three shards with five rows each, "ababa"


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    sharding.run(ToyBuild(shards=3), folder, progress=False)
    return folder / "ode"


@pytest.fixture
def rows(split: Path) -> splits.CheckedRows:
    checked_rows._read_images.cache_clear()
    return splits.CheckedRows(split, splits.read_manifest(split))


def columns(question: Question) -> dict[str, object]:
    return {name: getattr(question, name) for name in HASHED if name != "images"}


def of(split: Path, config: str) -> list[Question]:
    """The questions of a config, in the order of its shards."""
    return list(splits.read_questions(split, config))


def test_there_is_a_digest_for_each_row(rows: splits.CheckedRows) -> None:
    assert rows.manifest.rows == COUNTS
    assert len(rows.pairs()) == 15
    assert all(len(own) == 32 and len(images) == 32 for own, images in rows.pairs())


def test_each_image_is_that_of_its_row(split: Path, rows: splits.CheckedRows) -> None:
    for config, start in (("a", 0), ("b", 9)):
        questions = of(split, config)
        assert len(questions) == COUNTS[config]
        for number, question in enumerate(questions):
            assert rows.images(start + number) == question.images


def test_the_shards_of_a_config_are_its_files(split: Path, rows: splits.CheckedRows) -> None:
    names = {config: manifests.config_files(rows.manifest)[config] for config in COUNTS}
    assert rows.shards(["b"]) == [split / name for name in names["b"]]
    assert rows.shards(["a", "b"]) == [split / name for config in "ab" for name in names[config]]


def test_a_config_is_known_by_its_first_row(split: Path, rows: splits.CheckedRows) -> None:
    for config, start in (("a", 0), ("b", 9)):
        loaded = [columns(question) for question in of(split, config)]
        assert rows.begin(loaded[0], len(loaded)) == start
        rows.check(loaded, range(start, 15))
    with pytest.raises(VhbenchError, match="expected 6 rows of config 'b' in its manifest; 5 were loaded"):
        rows.begin(columns(of(split, "b")[0]), 5)


def test_a_row_with_another_answer_is_named(split: Path, rows: splits.CheckedRows) -> None:
    first, second, *_ = map(columns, of(split, "a"))
    changed = second | {"answer": "no"}
    with pytest.raises(VhbenchError, match=f"row '{second['id']}' was loaded with other values"):
        rows.check([first, changed], [0, 1])
    with pytest.raises(VhbenchError, match="was loaded with other values"):
        rows.begin(first | {"answer": "no"}, 9)


def test_digests_that_were_changed_are_an_error(split: Path, tmp_path: Path) -> None:
    manifest = splits.read_manifest(split)
    copy = tmp_path / "digests.parquet"
    copy.write_bytes((split / "digests.parquet").read_bytes() + b" ")
    with pytest.raises(VhbenchError, match=r"digests\.parquet: expected SHA-256 .* of the manifest"):
        splits.CheckedRows(tmp_path, manifest)


def test_the_content_hash_of_a_file_of_digests_is_computed_once(
    split: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path))
    manifest, computed = splits.read_manifest(split), list[int]()
    whole = checked_rows.content_hash

    def counted(hashes: list[bytes], *facts: Any) -> str:
        computed.append(len(hashes))
        return whole(hashes, *facts)

    monkeypatch.setattr(checked_rows, "content_hash", counted)
    splits.CheckedRows(split, manifest)
    splits.CheckedRows(split, manifest)
    assert computed == [15]
    for claim in ({"content_hash": "0" * 64}, {"config": {"vocabulary": {"dog": []}}}, {"extra": {"scenes_hash": "0"}}):
        with pytest.raises(VhbenchError, match=f"expected content hash {claim.get('content_hash', '')}"):
            splits.CheckedRows(split, replace(manifest, **claim))
