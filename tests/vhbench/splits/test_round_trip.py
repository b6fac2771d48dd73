"""Rows go into a split directory and come out again, unchanged, whatever their order."""

import errno
import io
import random
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vhbench import splits
from vhbench.schema import Mask, Question, Rejection, Relation, Row, Scene, SceneObject, VhbenchError
from vhbench.splits import parquet


def png(colour: tuple[int, int, int], size: tuple[int, int] = (8, 8)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


IMAGES = [png((i, 2 * i, 255 - i)) for i in range(20)]


def question(number: int, *images: int, **columns: object) -> Question:
    return Question(
        id=f"q{number:04d}",
        images=tuple(IMAGES[i] for i in images or (number % 20,)),
        question=f"Is there a dog in picture {number}?",
        answer="yes" if number % 2 else "no",
        kind="yes_no",
        benchmark="ode",
        **columns,  # type: ignore[arg-type]
    )


ROWS = [Row("a" if n % 3 else "b", question(n, n % 20, (n * 7) % 20)) for n in range(500)]
SCENE = Scene(
    id="s1",
    image=IMAGES[0],
    width=8,
    height=8,
    objects=(
        SceneObject(1, "dog", (1, 2, 3, 4.5), 12.25, Mask((8, 8), "abc"), 0.5, None, (("colour", "red"),)),
        SceneObject(2, "cat", (0, 0, 1, 1), 1, known_attributes=frozenset({"b", "a"}), crowd=True),
    ),
    relations=(Relation(1, "left of", 2),),
    areas=("sky",),
    known=frozenset({"dog", "cat", "sky"}),
    provenance={"source": "scenes", "licence": "CC0-1.0"},
)


def write(directory: Path, rows: object = ROWS, **options: object) -> object:
    defaults = {"benchmark": "ode", "version": "1.0.0", "seed": 0, "config": {"n": 3}}
    return splits.write_split(directory, rows, **{**defaults, **options})  # type: ignore[arg-type]


def test_rows_come_back_with_their_images(tmp_path: Path) -> None:
    manifest = write(tmp_path / "ode", scenes=[SCENE, SCENE], rejections=[Rejection("x", "too small", {"area": 3})])

    expected = {(r.config, r.question.id): replace(r.question, benchmark_version="1.0.0") for r in ROWS}
    assert {(r.config, r.question.id): r.question for r in splits.read_rows(tmp_path / "ode")} == expected
    assert splits.read_manifest(tmp_path / "ode") == manifest
    assert manifest.rows == {"a": 333, "b": 167}
    assert manifest.rejections == {"too small": 1}
    assert splits.read_scenes(tmp_path / "ode") == {"s1": replace(SCENE, image=b"")}
    assert list(splits.read_rejections(tmp_path / "ode")) == [Rejection("x", "too small", {"area": 3})]
    assert splits.verify(tmp_path / "ode") == []
    assert splits.recompute_content_hash(tmp_path / "ode") == manifest.content_hash


def test_one_config_can_be_read_alone(tmp_path: Path) -> None:
    write(tmp_path / "ode")
    assert len(list(splits.read_questions(tmp_path / "ode", "b"))) == 167
    with pytest.raises(VhbenchError, match="no config 'c'; there are a, b"):
        list(splits.read_questions(tmp_path / "ode", "c"))


@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(tmp_path_factory: pytest.TempPathFactory, order: random.Random) -> None:
    folder = tmp_path_factory.mktemp("order")
    rows = ROWS[:40]
    first = write(folder / "first", rows)
    order.shuffle(rows)
    second = write(folder / "second", rows)
    assert first == second


def test_files_of_any_size_have_the_same_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = write(tmp_path / "whole")
    monkeypatch.setattr("vhbench.splits.shard_files.FILE_BYTES", 500)
    monkeypatch.setattr("vhbench.splits.shard_files.GROUP_ROWS", 7)
    monkeypatch.setattr("vhbench.splits.writing.WINDOW_BYTES", 900)
    parts = write(tmp_path / "parts")
    assert len(parts.files) > 10
    assert parts.content_hash == whole.content_hash
    assert splits.verify(tmp_path / "parts") == []


@pytest.mark.parametrize("column", ["id", "question", "answer", "pressure", "negated", "choices", "images", "config"])
def test_every_column_counts(tmp_path: Path, column: str) -> None:
    changes: dict[str, object] = {"negated": True, "choices": ("x",), "images": (IMAGES[1], IMAGES[0])}
    row = Row("a", question(0, 0, 1))
    if column == "config":
        other = replace(row, config="b")
    else:
        other = replace(row, question=replace(row.question, **{column: changes.get(column, "yes")}))
    assert write(tmp_path / "1", [row]).content_hash != write(tmp_path / "2", [other]).content_hash


def test_the_version_is_a_label_and_not_content(tmp_path: Path) -> None:
    assert write(tmp_path / "1").content_hash == write(tmp_path / "2", version="1.0.1").content_hash


def test_an_image_is_stored_once(tmp_path: Path) -> None:
    noise = random.Random(0).randbytes(69_000)
    rows = [Row("a", replace(question(n), images=(noise,) * 3)) for n in range(200)]
    manifest = write(tmp_path / "ode", rows)
    assert sum((tmp_path / "ode" / name).stat().st_size for name in manifest.files) < 100_000


def test_where_images_begin_to_repeat_a_file_with_a_dictionary_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vhbench.splits.writing.WINDOW_BYTES", 5 * len(IMAGES[0]))
    alone = [Row("a", question(n, n)) for n in range(10)]
    twins = [Row("a", question(10 + n, 10 + n // 2)) for n in range(20)]

    write(tmp_path / "alone", alone)
    write(tmp_path / "both", alone + twins)

    assert have_dictionaries(tmp_path / "alone") == [False]
    assert have_dictionaries(tmp_path / "both") == [False, True]
    assert splits.verify(tmp_path / "both") == []
    read = {row.question.id: row.question.images for row in splits.read_rows(tmp_path / "both")}
    assert read == {row.question.id: row.question.images for row in alone + twins}


def have_dictionaries(directory: Path) -> list[bool]:
    """Return for each file of config "a" whether its images are dictionary-encoded."""
    found = []
    for path in sorted(directory.glob("a/*.parquet")):
        group = pq.ParquetFile(path).metadata.row_group(0)
        leaves = [group.column(i) for i in range(group.num_columns)]
        found += [leaf.has_dictionary_page for leaf in leaves if leaf.path_in_schema == parquet.IMAGE_BYTES]
    return found


def test_memory_stays_flat_where_equal_images_are_objects_of_their_own(tmp_path: Path) -> None:
    noise = random.Random(0).randbytes(1 << 20)
    rows = (Row("a", replace(question(n), images=(bytes(bytearray(noise)),))) for n in range(200))
    tracemalloc.start()
    write(tmp_path / "ode", rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20


def test_no_file_stays_open_but_the_one_that_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vhbench.splits.shard_files.FILE_BYTES", 500)
    monkeypatch.setattr("vhbench.splits.writing.WINDOW_BYTES", 300)
    opened = []

    def rows() -> Iterator[Row]:
        for row in ROWS:
            opened.append(open_parts())
            yield Row("a", row.question)

    write(tmp_path / "ode", rows())
    assert len(list(tmp_path.glob("ode/a/*.parquet"))) > 10
    assert max(opened) <= 4


def open_parts() -> int:
    """Count the shard files that this process has open."""
    found = 0
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the folder itself is gone
            found += "part-" in str(link.readlink())
    return found


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(parquet, "open_writer", full)
    with pytest.raises(VhbenchError, match=r": cannot be written \(No space left on device\)"):
        write(tmp_path / "ode")
    assert list(tmp_path.iterdir()) == []


def test_images_may_be_files(tmp_path: Path) -> None:
    file = tmp_path / "0.png"
    file.write_bytes(IMAGES[0])
    rows = [Row("a", replace(question(0), images=(file,)))]
    assert write(tmp_path / "1", rows).content_hash == write(tmp_path / "2", [Row("a", question(0))]).content_hash
    file.unlink()
    with pytest.raises(VhbenchError, match=r"cannot read image .*0\.png: No such file"):
        write(tmp_path / "3", rows)
    assert not (tmp_path / "3").exists()


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([], {}, "the ode split would have no rows"),
        ([ROWS[0], ROWS[0]], {}, "row 'q0000': the id occurs twice"),
        (
            [Row("a", question(0, *range(20), *range(20), *range(20), *range(5)))],
            {},
            "has 65 images of 0 MiB; at most 64",
        ),
        ([ROWS[0]], {"benchmark": "mioh"}, "belongs to 'ode', not 'mioh'"),
        ([ROWS[0]], {"version": "1.0"}, "version: expected MAJOR.MINOR.PATCH"),
        ([Row("../a", question(1))], {}, r"config: expected letters"),
        ([Row("a", question(1, benchmark_version="2.0.0"))], {}, "has version 2.0.0, not 1.0.0"),
        ([Row("a", replace(question(1), images=()))], {}, "has 0 images"),
    ],
)
def test_bad_rows_leave_the_former_split_alone(
    tmp_path: Path, rows: object, options: dict[str, object], message: str
) -> None:
    before = write(tmp_path / "ode")
    with pytest.raises(VhbenchError, match=message):
        write(tmp_path / "ode", rows, **options)
    assert splits.verify(tmp_path / "ode") == []
    assert splits.read_manifest(tmp_path / "ode") == before
    assert [path.name for path in tmp_path.iterdir()] == ["ode"]
