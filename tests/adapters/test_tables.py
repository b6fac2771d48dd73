"""Tables of questions: what is read, and what a bad row is told."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from vhbench.adapters import table_rows, tables
from vhbench.adapters.tables import read_questions, split_options
from vhbench.files import read_image
from vhbench.schema import VhbenchError
from vhbench.seeding import rng


def png(colour: str = "red") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def images(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        (folder / name).write_bytes(png())
    return folder


def write(path: Path, *rows: object, end: str = "\n") -> Path:
    path.write_bytes("".join(json.dumps(row) + end for row in rows).encode())
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
def test_any_table_gives_the_same_questions(tmp_path: Path, images: Path, suffix: str) -> None:
    rows = [
        {"id": "x", "image": "a.png", "question": "Is it red?", "answer": "Yes", "options": ""},
        {"id": "y", "image": "b.png", "question": "Which?", "answer": "(b)", "options": "(a) up (b) down"},
    ]
    file = tmp_path / f"table{suffix}"
    if suffix in (".csv", ".tsv"):
        mark = "\t" if suffix == ".tsv" else ","
        file.write_text("\n".join(mark.join(row) for row in [rows[0].keys(), *(r.values() for r in rows)]))
    elif suffix == ".jsonl":
        write(file, *rows)
    elif suffix == ".json":
        file.write_text(json.dumps(rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), file)
    first, second = read_questions(file, images)
    assert (first.id, first.answer, first.kind) == ("x", "yes", "yes_no")
    assert (second.choices, second.answer) == (("up", "down"), "B")


def test_many_images_of_a_table_lie_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tables, "_IN_MEMORY", len(png()))  # as if it were 64 MB
    rows = [(colour, "Is it red?", "yes", png(colour)) for colour in ("red", "blue", "green", "blue", "red")]
    columns = dict(zip(("id", "question", "answer", "image"), map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table({**columns, "id": list("12345")}), tmp_path / "table.parquet")
    [red], [blue], [green], again, once_more = (q.images for q in read_questions(tmp_path / "table.parquet", None))
    assert red == png("red")
    assert (read_image(blue), read_image(green)) == (png("blue"), png("green"))
    assert (again, once_more) == ((blue,), (red,))
    assert sorted((tmp_path / "cache" / "images").iterdir()) == sorted([blue, green])


def test_photos_of_a_table_are_not_all_in_memory(tmp_path: Path) -> None:
    photos = [rng(0, "photo", i).bytes(1_000_000) for i in range(80)]
    columns = pa.table({"id": [str(i) for i in range(80)], "image": photos})
    file = tmp_path / "table.parquet"
    pq.write_table(columns, file, write_batch_size=1)  # a page for two or three photos
    del columns
    before = pa.total_allocated_bytes()
    taken = [(pa.total_allocated_bytes() - before, row["image"]) for row in table_rows._parquet(file)]
    assert [photo for _, photo in taken] == photos
    assert max(size for size, _ in taken) < 80_000_000 / 2


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("(a) open (b) closed", ("open", "closed")),
        ("A. open\nB. half open\nC. closed", ("open", "half open", "closed")),
        ("a) 1, b) 2", ("1", "2")),
        ("(b) open (a) closed", ()),
        ("open or closed", ()),
        ("(a) open", ()),
    ],
)
def test_options_in_text(text: str, options: tuple[str, ...]) -> None:
    assert split_options(text) == options


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.txt", b"", "expected .csv, .tsv"),
        ("x.jsonl", b"", "the file is empty"),
        ("x.jsonl", b"\n{oops", "x.jsonl, line 2:"),
        ("x.jsonl", b"[1, 2]", "x.jsonl, row 1: is 1, not a JSON object"),
        ("x.parquet", b"PAR1nonsense", "not a readable Parquet file"),
        ("x.xlsx", b"nonsense", "not a readable Excel file"),
        ("x.csv", b"\xff\xfe\x00bad", "x.csv"),
        ("x.csv", b"id,question,answer,image,options\n1,q?,a,a.png,(a) x\n", "expected two or more different options"),
        ("x.csv", b"id,question,answer,image,options\n1,q?,c,a.png,(a) x (b) y\n", "expected one of 'x', 'y'"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, images: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(VhbenchError, match=message):
        list(read_questions(tmp_path / name, images))


QUESTIONS = (
    ("id", "image", "question", "answer"),
    ("x", "a.png", "Is it red, or not?", "Yes"),
    ("y", "b.png", "é?", "0"),
)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("head", ["", "\ufeff", "sep={}\n", "\ufeffsep={}\r\n"])
def test_the_header_tells_the_separator(tmp_path: Path, images: Path, suffix: str, mark: str, head: str) -> None:
    lines = [mark.join(f'"{cell}"' if mark in cell else cell for cell in row) for row in QUESTIONS]
    file = tmp_path / f"table{suffix}"
    file.write_text(head.format(mark) + "\n".join(lines), encoding="utf-8")
    read = [(q.id, q.question, q.answer) for q in read_questions(file, images)]
    assert read == [("x", "Is it red, or not?", "yes"), ("y", "é?", "no")]


@pytest.mark.parametrize(
    ("encoding", "like"),
    [("latin-1", "0xE9 (it may be Latin-1 or Windows-1252)"), ("utf-16", "0xFF (it is UTF-16)")],
)
def test_another_encoding_is_told_what_it_needs(tmp_path: Path, images: Path, encoding: str, like: str) -> None:
    file = tmp_path / "table.csv"
    file.write_text("\n".join(";".join(row) for row in QUESTIONS), encoding=encoding)
    with pytest.raises(VhbenchError) as caught:
        list(read_questions(file, images))
    assert str(caught.value) == f"{file}: expected UTF-8 text, got the byte {like}; save it as UTF-8"


def test_a_separator_in_a_text_without_quotes_is_named(tmp_path: Path, images: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("\n".join(",".join(row) for row in QUESTIONS), encoding="utf-8")
    with pytest.raises(VhbenchError, match=r"table.csv, row 1: has more fields than the header; .* ',' must stand in"):
        list(read_questions(file, images))
    file.write_text("id,image,question,answer\nx,a.png,Is it red?,1,,\n", encoding="utf-8")  # as spreadsheets leave it
    assert [q.answer for q in read_questions(file, images)] == ["yes"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        *((said, "yes") for said in ("1", 1, 1.0, True, "TRUE", "Y")),
        *((said, "no") for said in ("0", 0, 0.0, False, "false", "No.")),
    ],
)
def test_an_answer_may_be_a_number_or_a_truth_value(tmp_path: Path, images: Path, said: object, answer: str) -> None:
    row = {"image": "a.png", "question": "Is it red?", "answer": said}
    for file in (tmp_path / "t.jsonl", tmp_path / "t.parquet"):
        if file.suffix == ".jsonl":
            write(file, row)
        else:
            pq.write_table(pa.Table.from_pylist([row]), file)
        assert [q.answer for q in read_questions(file, images)] == [answer]


@pytest.mark.parametrize("said", ["2", "-1", "0.5", 2, "1/0", "maybe", "A"])
def test_other_numbers_and_letters_are_no_answer(tmp_path: Path, images: Path, said: object) -> None:
    file = write(tmp_path / "t.jsonl", {"image": "a.png", "question": "Is it red?", "answer": said})
    with pytest.raises(
        VhbenchError, match=r"t.jsonl, row 1: field 'answer': expected yes or no, true or false, 1 or 0"
    ):
        list(read_questions(file, images))


@pytest.mark.parametrize("fields", [("A", "B"), ("a", "b"), ("option_A", "option_b"), ("Option 1", "option 2")])
@pytest.mark.parametrize("said", ["B", "(b)", "b.", "Closed"])
def test_options_may_stand_in_fields_of_their_own(
    tmp_path: Path, images: Path, fields: tuple[str, str], said: str
) -> None:
    row = {
        "image": "a.png",
        "question": "Open or closed?",
        "answer": said,
        **dict(zip(fields, ("open", "closed"), strict=True)),
    }
    (question,) = read_questions(write(tmp_path / "t.jsonl", row), images)
    assert (question.choices, question.answer, question.kind) == (("open", "closed"), "B", "multiple_choice")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Open or closed? (a) open (b) closed", "Open or closed?"),
        ("Open or closed?\nA. open\nB. closed", "Open or closed?"),
        ("Open or closed?\nOptions: A) open, B) closed", "Open or closed?"),
    ],
)
def test_options_may_stand_behind_the_question(tmp_path: Path, images: Path, text: str, asked: str) -> None:
    row = {"image": "a.png", "question": text, "answer": "B"}
    (question,) = read_questions(write(tmp_path / "t.jsonl", row), images)
    assert (question.question, question.choices, question.answer) == (asked, ("open", "closed"), "B")
    (yes_no,) = read_questions(write(tmp_path / "t.jsonl", {**row, "answer": "yes"}), images)
    assert (yes_no.question, yes_no.kind) == (text, "yes_no")


def test_a_letter_without_options_is_told_what_it_needs(tmp_path: Path, images: Path) -> None:
    file = write(tmp_path / "t.jsonl", {"image": "a.png", "question": "Open or closed?", "answer": "(a)"})
    with pytest.raises(VhbenchError, match="a letter needs its options, in a field 'options' or in A and B"):
        list(read_questions(file, images))


@pytest.mark.parametrize(("said", "negated"), [("1", True), ("true", True), (False, False), ("0", False), ("", False)])
def test_a_twin_is_told_by_any_truth_value(tmp_path: Path, images: Path, said: object, negated: bool) -> None:
    row = {"image": "a.png", "question": "Is it red?", "answer": 1, "pair_id": "p", "negated": said}
    assert [q.negated for q in read_questions(write(tmp_path / "t.jsonl", row), images)] == [negated]


def test_a_twin_that_is_told_by_anything_else_is_refused(tmp_path: Path, images: Path) -> None:
    row = {"image": "a.png", "question": "Is it red?", "answer": 1, "pair_id": "p", "negated": "perhaps"}
    with pytest.raises(VhbenchError, match="row 1: field 'negated': expected yes or no"):
        list(read_questions(write(tmp_path / "t.jsonl", row), images))


def test_a_missing_file_or_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="no such file or folder"):
        list(read_questions(tmp_path / "none.csv", None))
    with pytest.raises(VhbenchError, match=r"no \.parquet or \.xlsx files in this folder"):
        list(read_questions(tmp_path, None))
