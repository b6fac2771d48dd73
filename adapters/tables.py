"""Question tables: CSV, TSV, JSON, JSON lines, Excel and Parquet files or Parquet folders.

All readers of published question sets build on this module. It yields rows with their locations and validates fields,
so that errors name the file, the row and the field.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vhbench.adapters.table_rows import read_rows, suffixes
from vhbench.files import cache_folder, is_inside, path_exists, quote_value, write_atomic
from vhbench.language import parsing
from vhbench.schema import ImageData, Kind, Question, VhbenchError

OPTION_FIELDS = tuple(
    tuple(f"{form}{mark}" for mark in marks)
    for marks in ("ABCDEFGH", "12345678")
    for form in ("", "option", "option_", "option ", "choice", "choice_", "choice ")
)
"""Field names of options in separate columns, the first option's first."""

_IN_MEMORY = 64 << 20  # bytes of a table's images that are held in memory

_LETTER = re.compile(r"\(?[A-Ha-h][).:]?")
_MARK = re.compile(r"(?:^|(?<=[\s,;]))\(?([A-Ha-h])[).:]\s*")


@dataclass(frozen=True, slots=True)
class Line:
    """Row of a table with its location: "pope.json, row 3"."""

    place: str
    values: Mapping[str, Any]

    def get(self, *names: str) -> Any:
        """Return the first non-empty field among the names, case-insensitive, or None."""
        lower = {str(key).strip().lower(): value for key, value in self.values.items()}
        return next((lower[n.lower()] for n in names if lower.get(n.lower()) not in (None, "")), None)

    def text(self, *names: str) -> str:
        """Return a field of text or a number; raise if none of the fields exists."""
        value = self.get(*names)
        if value is None:
            there = ", ".join(map(str, self.values))
            raise VhbenchError(f"{self.place}: no field {' or '.join(map(repr, names))}; there are {there}")
        if not isinstance(value, str | int | float):
            raise VhbenchError(f"{self.place}: field {names[0]!r}: expected text, got {type(value).__name__}")
        return str(value).strip()

    def yes_no(self, *names: str) -> str:
        """Return "yes" or "no" from a field; raise if it does not exist or has another value."""
        answer = parsing.label(self.text(*names))
        if not answer:
            value = quote_value(self.get(*names))
            if _LETTER.fullmatch(self.text(*names)):
                value += (
                    f"; a letter needs its options, in a field 'options' or in {' and '.join(OPTION_FIELDS[0][:2])}"
                )
            raise VhbenchError(
                f"{self.place}: field {names[0]!r}: expected yes or no, true or false, 1 or 0, got {value}"
            )
        return answer


@dataclass(slots=True)
class ImageFolder:
    """Lookup of row images: files in a folder, or bytes in the row.

    Identical bytes are stored once, in memory up to :data:`_IN_MEMORY` and in the disk cache beyond that. A table may
    contain thousands of photos, and a build holds all questions of a table.
    """

    folder: Path | None = None
    _known: dict[bytes, ImageData] = field(default_factory=dict)
    _held: int = 0

    def of(self, line: Line, *names: str) -> ImageData:
        """Return the image of a row; raise if its field or file does not exist, or the file is outside the folder."""
        value = line.get(*names)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, Mapping):
            value = value.get("bytes") or value.get("path")
        if isinstance(value, bytes):
            return self._kept(value)
        if value is not None and not isinstance(value, str | int):
            raise VhbenchError(f"{line.place}: field {names[0]!r}: expected one image, got {type(value).__name__}")
        return self.file(line, str(value) if value is not None else line.text(*names))

    def _kept(self, image: bytes) -> ImageData:
        digest = hashlib.sha256(image)
        if digest.digest() not in self._known:
            self._held += len(image)
            aside = self._held > _IN_MEMORY
            path = cache_folder() / "images" / digest.hexdigest()
            if aside and not path.is_file():
                write_atomic(path, image, durable=False)
            self._known[digest.digest()] = path if aside else image
        return self._known[digest.digest()]

    def file(self, line: Line, *candidates: str) -> Path:
        """Return the first existing file in the folder; raise if none exists, or a name is outside the folder."""
        if self.folder is None:
            raise VhbenchError(
                f"{line.place}: image {quote_value(candidates[0])} is a file; name its folder with --images"
            )
        for name in candidates:
            try:
                path = is_inside(self.folder, name)
            except VhbenchError as error:
                raise VhbenchError(f"{line.place}: image {error}") from error
            if path is not None:
                return path
        raise VhbenchError(f"{line.place}: no image {quote_value(candidates[0])} in {self.folder}")


def read_table(path: Path) -> Iterator[Line]:
    """Yield the rows of a table with their locations, numbered from 1; raise if it cannot be read."""
    for file in table_files(path):
        for number, values in enumerate(read_rows(file), start=1):
            yield Line(f"{file.name}, row {number}", values)


def table_files(path: Path) -> list[Path]:
    """Return the files of a table: itself, or a folder's Parquet or Excel files, in order; raise if there is none."""
    if path.is_dir():
        files = sorted(path.rglob("*.parquet")) or sorted(path.glob("*.xlsx"))
        if not files:
            raise VhbenchError(f"{path}: no .parquet or .xlsx files in this folder")
        return files
    tables = {suffix: form for suffix, form in suffixes().items() if form.unpack is None}
    if path.suffix not in tables:
        allowed = ", ".join(sorted(tables, key=lambda suffix: tables[suffix].read is None))
        raise VhbenchError(f"expected {allowed} or a folder of .parquet files, got {path}")
    if not path_exists(path):
        raise VhbenchError(f"no such file or folder: {path}")
    return [path]


def options_of(line: Line) -> tuple[str, ...]:
    """Return the options of a row (:func:`read_options`), from one field or one field each; () if it has none."""
    value = line.get("options", "choices")
    if value is not None:
        return read_options(line, value)
    for names in OPTION_FIELDS:
        listed = [str(value) for value in (line.get(name) for name in names) if value is not None]
        if line.get(names[0]) is not None and line.get(names[1]) is not None:
            return read_options(line, listed)
    return ()


def read_options(line: Line, value: Any) -> tuple[str, ...]:
    """Return two or more different options from a list, or from text such as "(a) open (b) closed"; raise otherwise."""
    options = tuple(str(v).strip() for v in value) if isinstance(value, list | tuple) else split_options(str(value))
    if len(options) < 2 or len({o.lower() for o in options}) < len(options) or not all(options):
        raise VhbenchError(
            f"{line.place}: expected two or more different options, as in '(a) x (b) y', got {quote_value(value)}"
        )
    return options


def split_options(text: str) -> tuple[str, ...]:
    """Split "(a) open (b) closed", also with "A." and line ends, into options, or return ()."""
    marks = list(_MARK.finditer(text))
    letters = "".join(mark[1].lower() for mark in marks)
    if len(letters) < 2 or letters != "abcdefgh"[: len(letters)] or text[: marks[0].start()].strip():
        return ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return tuple(text[mark.end() : end].strip(" \n\t,;") for mark, end in zip(marks, ends, strict=True))


def options_behind(question: str) -> tuple[str, tuple[str, ...]]:
    """Split "Is it open? (a) yes (b) no" into question and options, which may be ()."""
    mark = _MARK.search(question)
    options = split_options(question[mark.start() :]) if mark else ()
    if mark is None or not options:
        return question, ()
    return re.sub(r"(?i)\s*(options|choices):?\s*$", "", question[: mark.start()]).strip(), options


def choice(line: Line, options: tuple[str, ...], *names: str) -> str:
    """Return the letter of the correct option, given as "(a)", "A" or the option's text; raise if it matches none."""
    answer = line.text(*names)
    words = [option.lower() for option in options]
    if answer.lower() in words:
        return "ABCDEFGH"[words.index(answer.lower())]
    letter = answer.strip("().: ").upper()
    if letter and letter in "ABCDEFGH"[: len(options)] and len(letter) == 1:
        return letter
    raise VhbenchError(
        f"{line.place}: field {names[0]!r}: expected one of {', '.join(map(repr, options))}, got {quote_value(answer)}"
    )


def read_questions(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield the questions of any table with the fields image, question and answer.

    Optional fields: ``id``; ``options``, or ``A``, ``B`` … (the answer is then one of them; options of a letter may
    also follow the question); ``pair_id`` with ``negated`` for hand-written twins. Images are files in ``images`` (or
    in the table's folder), or bytes. Raises with the row and the invalid field.
    """
    folder = ImageFolder(images or (path if path.is_dir() else path.parent))
    for index, line in enumerate(read_table(path), start=1):
        question = line.text("question", "text", "query")
        image = folder.of(line, "image", "image_path", "images", "file_name")
        listed = options_of(line)
        if not listed and _LETTER.fullmatch(line.text("answer", "label")):
            question, listed = options_behind(question)
        answer = choice(line, listed, "answer", "label") if listed else line.yes_no("answer", "label")
        yield single_image(
            str(line.get("id", "question_id") or index), image, question, answer, choices=listed,
            question_type=str(line.get("question_type", "category", "type") or ""),
            pair_id=str(line.get("pair_id") or ""),
            negated=line.get("negated") is not None and line.yes_no("negated") == "yes",
        )  # fmt: skip


def single_image(id: str, image: ImageData, text: str, answer: str, **columns: Any) -> Question:
    """Return a question about one image, multiple choice if it has ``choices``."""
    kind: Kind = "multiple_choice" if columns.get("choices") else "yes_no"
    return Question(id=id, images=(image,), question=text, answer=answer, kind=kind, **columns)
