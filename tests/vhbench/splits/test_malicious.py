"""A split made by somebody with bad intentions is refused, in one line, before it can do anything."""

import io
import json
import os
import pickle
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageFile
from toy_build import ToyBuild

from vhbench import splits
from vhbench.files import file_sha256
from vhbench.schema import Row, Scene, VhbenchError
from vhbench.splits import parquet
from vhbench.splits.stored_scenes import truth_of

ROWS = [item for item in ToyBuild(rows=4, shards=1).make(0) if isinstance(item, Row)]
SHARD = "a/test-00000-of-00001.parquet"


@pytest.fixture
def split(tmp_path: Path) -> Path:
    splits.write_split(tmp_path / "ode", ROWS, benchmark="ode", version="1.0.0", seed=0, config={})
    return tmp_path / "ode"


def edit(split: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest as an attacker would, who can make every hash fit."""
    file = split / "manifest.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))


def refused(split: Path) -> str:
    """Assert that nobody reads the split; return the first fault."""
    with pytest.raises(VhbenchError):
        list(splits.read_questions(split))
    faults = splits.verify(split)
    assert faults
    return faults[0]


@pytest.mark.parametrize(
    "name",
    ["../secret.parquet", "/etc/passwd", "a/../../x", "a/b/c.parquet", "..", "a//b", "a\\..\\b", "~/x", ".ssh/key", ""],
)
def test_a_path_that_leads_out(split: Path, name: str) -> None:
    edit(split, lambda data: data["files"].update({name: "0" * 64}))
    assert "expected a file name FILE or CONFIG/FILE" in refused(split)


@pytest.mark.parametrize("config", ["..", "../x", "/tmp", "a/b", ".hidden", "x" * 200])
def test_a_config_that_leads_out(split: Path, config: str) -> None:
    edit(split, lambda data: data["rows"].update({config: 1}))
    assert "expected letters, digits" in refused(split)


def test_a_link_that_leads_out(split: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.parquet"
    (split / SHARD).rename(outside)
    (split / SHARD).symlink_to(outside)
    assert "is a link that leads out of the split directory" in refused(split)


def test_a_folder_that_is_a_link(split: Path, tmp_path: Path) -> None:
    (split / "a").rename(tmp_path / "outside")
    (split / "a").symlink_to(tmp_path / "outside")
    assert "expected a folder for the config, got a link" in refused(split)


def write_shard(split: Path, table: pa.Table, **options: Any) -> None:
    pq.write_table(table, split / SHARD, **options)
    edit(split, lambda data: data["files"].update({SHARD: file_sha256(split / SHARD)}))


def table(split: Path, **columns: list[Any]) -> pa.Table:
    data = pq.read_table(split / SHARD)
    for name, values in columns.items():
        data = data.set_column(data.schema.get_field_index(name), name, pa.array(values, data.schema.field(name).type))
    return data


def test_an_image_that_names_a_file(split: Path) -> None:
    write_shard(split, table(split, images=[[{"bytes": b"x", "path": "/etc/passwd"}]] * 2))
    assert "an image names the file '/etc/passwd'" in refused(split)


def test_an_image_without_bytes(split: Path) -> None:
    write_shard(split, table(split, images=[[{"bytes": None, "path": None}]] * 2))
    assert "an image has no bytes" in refused(split)


def test_rows_that_unpack_to_far_more(split: Path) -> None:
    row = table(split).slice(0, 1)
    bomb = pa.concat_tables([row] * (parquet.MAX_GROUP_ROWS + 1)).combine_chunks()
    write_shard(split, bomb, compression="zstd")
    assert "claims 4097 rows" in refused(split)


def test_a_column_too_many(split: Path) -> None:
    data = table(split)
    write_shard(split, data.append_column("__reduce__", pa.array([b"x"] * len(data))))
    assert "has surplus columns __reduce__" in refused(split)


def repeated(text: str, rows: int) -> pa.DictionaryArray:
    """Return one text, repeated as often as a file of a few kilobytes can."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))


BOMB: dict[str, Any] = {
    "compression": "zstd",
    "dictionary_pagesize_limit": 1 << 30,
    "store_schema": False,
    "write_statistics": False,
}


def memory() -> int:
    """Return how many bytes Arrow has held at once so far."""
    return int(pa.default_memory_pool().max_memory())


@pytest.mark.parametrize("column", ["question", "objects"])
def test_a_text_that_is_repeated_until_memory_ends(split: Path, column: str) -> None:
    rows = pa.concat_tables([table(split).slice(0, 1)] * 4000)
    bomb = repeated("A" * (1 << 20), 4000)
    if column == "objects":
        bomb = pa.ListArray.from_arrays(pa.array(range(4001), pa.int32()), bomb)
    before = memory()
    write_shard(split, rows.set_column(rows.schema.get_field_index(column), column, bomb), **BOMB)
    assert (split / SHARD).stat().st_size < 500_000
    assert f"{SHARD}: its text unpacks to more than 64 MiB in column {column}" in refused(split)
    with pytest.raises(VhbenchError, match="unpacks to more than 64 MiB"):
        splits.recompute_content_hash(split)
    with pytest.raises(VhbenchError, match="unpacks to more than 64 MiB"):
        list(parquet.read_columns(split / SHARD, [column]))
    assert memory() - before < 256 << 20


def test_a_text_that_is_longer_than_any_question(split: Path) -> None:
    write_shard(split, table(split, question=["A" * (1 << 20), "A" * ((1 << 20) + 1)]))
    assert f"{SHARD}: column question has a text of 1,048,577 characters; at most 1,048,576" in refused(split)


def test_texts_that_each_repeat_the_one_before(split: Path) -> None:
    row = pa.concat_tables([table(split).slice(0, 1)] * 100)
    data = row.set_column(row.schema.get_field_index("question"), "question", pa.array(["A" * (1 << 20)] * 100))
    encoding = {"question": "DELTA_BYTE_ARRAY"}
    write_shard(split, data, use_dictionary=False, column_encoding=encoding, compression="zstd")
    assert (split / SHARD).stat().st_size < 500_000
    assert f"{SHARD}: row group 0 is damaged" in refused(split)


def test_text_that_is_not_utf_8(split: Path) -> None:
    data = table(split)
    binary = pa.array([b"\xff\xfe"] * len(data), pa.binary()).view(pa.string())
    write_shard(split, data.set_column(data.schema.get_field_index("question"), "question", binary))
    assert f"{SHARD}: column question is not UTF-8" in refused(split)


def test_images_of_a_fixed_size_could_be_repeated_without_bound(split: Path) -> None:
    data = table(split)
    kind = pa.list_(pa.struct([("bytes", pa.binary(3)), ("path", pa.string())]))
    images = pa.array([[{"bytes": b"abc", "path": None}]] * len(data), kind)
    write_shard(split, data.set_column(data.schema.get_field_index("images"), "images", images))
    assert f"{SHARD}: column images is list<element: struct<bytes: fixed_size_binary[3], path: string>>" in refused(
        split
    )


@pytest.mark.parametrize(
    ("how", "said"),
    [("mode", {"_type": "Image", "mode": "L"}), ("decode", {"_type": "Image", "decode": False}), ("none", "no JSON")],
)
@pytest.mark.parametrize("store_schema", [False, True])
def test_a_footer_that_has_datasets_show_other_images(split: Path, how: str, said: Any, store_schema: bool) -> None:
    """The rows are the same, and so is the content hash; a model would be shown grey pictures, or none."""
    data = pq.read_table(split / SHARD)
    told = json.loads(pq.read_schema(split / SHARD).metadata[b"huggingface"])
    told["info"]["features"]["images"]["feature"] = said
    text = json.dumps(told) if isinstance(said, dict) else said
    schema = data.schema.with_metadata({"huggingface": text} if store_schema else None)
    with pq.ParquetWriter(split / SHARD, schema, store_schema=store_schema) as writer:
        writer.write_table(data.cast(schema))
        if not store_schema:
            writer.add_key_value_metadata({"huggingface": text})
    edit(split, lambda data: data["files"].update({SHARD: file_sha256(split / SHARD)}))
    assert "expected the `datasets` features of a shard in its footer; got others" in refused(split)


def scenes_refused(split: Path, data: pa.Table, **options: Any) -> str:
    """Put other scenes into a split, with every hash right; return the one fault."""
    pq.write_table(data, split / "scenes.parquet", **options)
    digest = file_sha256(split / "scenes.parquet")
    edit(split, lambda data: data["files"].update({"scenes.parquet": digest}))
    with pytest.raises(VhbenchError):
        splits.read_scenes(split)
    [fault] = splits.verify(split)
    return fault


@pytest.mark.parametrize("rows_per_group", [2000, 50])
def test_scenes_that_are_repeated_until_memory_ends(split: Path, rows_per_group: int) -> None:
    truth = truth_of(Scene("s", b"", 1, 1, (), provenance={"note": "A" * (1 << 20)})).json
    data = pa.table({"id": [f"s{n}" for n in range(2000)], "image_sha256": [""] * 2000, "truth": repeated(truth, 2000)})
    before = memory()
    fault = scenes_refused(split, data, row_group_size=rows_per_group, **BOMB)
    assert (split / "scenes.parquet").stat().st_size < 100_000
    assert "scenes.parquet: its text unpacks to more than " in fault
    assert memory() - before < 256 << 20


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"id": ["s"], "image_sha256": [""]}, "has the columns id, image_sha256, not text id, image_sha256, truth"),
        ({"id": ["s"], "image_sha256": [""], "truth": [b"{}"]}, "not text id, image_sha256, truth"),
        ({"id": ["s"], "image_sha256": [""], "truth": ["{}", None][1:]}, "not text id, image_sha256, truth"),
        ({"id": ["s", "t"], "image_sha256": ["", ""], "truth": ["{}", None]}, "column truth holds a null"),
    ],
)
def test_scenes_of_another_form(split: Path, columns: dict[str, list[Any]], fault: str) -> None:
    assert fault in scenes_refused(split, pa.table(columns))


def test_a_rejection_without_an_end(split: Path) -> None:
    (split / "rejections.jsonl").write_bytes(b'{"id": "r", "reason": "' + b"A" * (1 << 20) + b'", "detail": {}}\n')
    with pytest.raises(VhbenchError, match=r"rejections\.jsonl, line 1: not a rejection"):
        list(splits.read_rejections(split))


@pytest.mark.parametrize("name", ["payload.pkl", "ode.py", "a/test-extra.parquet", "a/train-00000-of-00001.parquet"])
def test_a_file_that_no_split_has(split: Path, name: str) -> None:
    # A manifest may list what it likes: a pickle would be released, and rows be scored that no content hash covers.
    (split / name).write_bytes((split / SHARD).read_bytes())
    edit(split, lambda data: data["files"].update({name: file_sha256(split / SHARD)}))
    assert f"manifest.json: lists {name}; a split has CONFIG/test-00000-of-00001.parquet …" in refused(split)


class Evil:
    """Would make a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.folder),)


def test_a_pickle_is_never_opened(split: Path, tmp_path: Path) -> None:
    evil = pickle.dumps(Evil(tmp_path / "harm"))
    (split / "data.pkl").write_bytes(evil)
    assert splits.verify(split) == [f"{split / 'data.pkl'}: is not listed in the manifest"]
    (split / "data.pkl").unlink()
    (split / SHARD).write_bytes(evil)
    edit(split, lambda data: data["files"].update({SHARD: file_sha256(split / SHARD)}))
    assert "not a readable Parquet file" in refused(split)
    assert not (tmp_path / "harm").exists()


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims to be enormous."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 99)) + chunk(b"IEND", b"")
    )


def ppm() -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (4, 4)).save(buffer, "PPM")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("image", "fault"),
    [
        (bomb(10_000, 10_000), "image of 10000 × 10000 pixels; at most 64 megapixels"),
        (bomb(60_000, 60_000), "image cannot be decoded"),
        (bomb(100, 100), "image cannot be decoded"),
        (b"<svg onload='alert(1)'/>", "image cannot be decoded"),
        (ppm(), "image cannot be decoded"),
    ],
)
def test_an_image_that_is_a_bomb_or_none(
    tmp_path: Path, image: bytes, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)  # as lmms-eval does for its whole process
    rows = [replace(ROWS[0], question=replace(ROWS[0].question, images=(image,)))]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="1.0.0", seed=0, config={})
    assert fault in splits.verify(tmp_path / "ode")[0]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda data: data.update(format="pickle"), "format: expected 'vhbench-split-1'"),
        (lambda data: data.update(content_hash="0" * 64), "content hash is"),
        (lambda data: data.update(content_hash="x"), "expected 64 lower-case hexadecimal digits"),
        (lambda data: data.update(version="1.0.0; rm"), "expected MAJOR.MINOR.PATCH"),
        (lambda data: data.update(version="2.0.0"), "two versions are mixed"),
        (lambda data: data.update(canary=""), "canary: expected 'vhbench:canary:"),
        (lambda data: data["rows"].update(a=-1), "expected a positive number"),
        (lambda data: data["rows"].update(a=7), "config 'a' has 2 rows, its manifest says 7"),
        (lambda data: data["rows"].update(c=7), "the shards of config 'c' are not complete"),
        (lambda data: data["files"].pop(SHARD), "the shards of config 'a' are not complete"),
        (lambda data: data["files"].update({SHARD: "0" * 64}), "has SHA-256"),
    ],
)
def test_a_manifest_that_lies(split: Path, change: Callable[[dict[str, Any]], None], fault: str) -> None:
    edit(split, change)
    assert fault in splits.verify(split)[0]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": "vhbench-split-1"}', "\x00"])
def test_a_manifest_that_is_none(split: Path, text: str) -> None:
    (split / "manifest.json").write_text(text)
    assert "manifest.json" in refused(split)


def test_a_truncated_shard(split: Path) -> None:
    data = (split / SHARD).read_bytes()
    (split / SHARD).write_bytes(data[: len(data) // 2])
    assert "has SHA-256" in splits.verify(split)[0]
    with pytest.raises(VhbenchError, match="not a readable Parquet file, perhaps truncated"):
        list(splits.read_questions(split))


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"answer": "maybe"}, "answer: expected yes or no"),
        ({"kind": "essay"}, "kind: expected one of caption, yes_no, multiple_choice"),
        ({"kind": "multiple_choice", "choices": ("x", "y"), "answer": "C"}, "answer: expected a letter from A to B"),
        ({"kind": "multiple_choice", "choices": ("x", "x"), "answer": "A"}, "expected two or more different ones"),
        ({"kind": "caption"}, "answer: expected none for a caption"),
        ({"question": " "}, "has no question"),
        ({"canary": "x"}, "lacks the canary"),
        ({"scene_ids": ("a", "b")}, "has 1 images and 2 scene ids"),
        ({"pair_id": "p", "negated": True}, "expected one question that is not negated, got 0"),
    ],
)
def test_a_row_that_makes_no_sense(tmp_path: Path, columns: dict[str, Any], fault: str) -> None:
    rows = [replace(ROWS[0], question=replace(ROWS[0].question, **columns))]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="1.0.0", seed=0, config={})
    assert fault in splits.verify(tmp_path / "ode")[0]


def test_a_manifest_that_takes_the_memory(split: Path) -> None:
    manifest = split / "manifest.json"
    text = manifest.read_bytes()
    assert len(text) < 1 << 20, "those that we write stay far below"
    manifest.write_bytes(text.rstrip()[:-1] + b', "more": [' + b"[]," * (3 << 20) + b"1]}")
    with pytest.raises(VhbenchError, match="has 9 MiB; at most 8"):
        splits.read_manifest(split)
