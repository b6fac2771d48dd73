"""Tables of questions: CSV, TSV, JSON, JSON lines, Excel and Parquet, as a file or a folder of Parquet files.

Every reader of a published set of questions is built on this one: it gives rows with their places, and checks fields
so that an error names the file, the row and the field.
"""

import csv
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vhbench.adapters.table_rows import READERS
from vhbench.files import below, cache_folder, shown, there, write_atomic
from vhbench.json_rows import each_row
from vhbench.language import parsing
from vhbench.schema import ImageData, Kind, Question, VhbenchError

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")
OPTION_FIELDS = tuple(
    tuple(f"{form}{mark}" for mark in marks)
    for marks in ("ABCDEFGH", "12345678")
    for form in ("", "option", "option_", "option ", "choice", "choice_", "choice ")
)
"""How tables call the fields of options that stand one by one; the first option's first."""

_IN_MEMORY = 64 << 20
"""Bytes of a table's images that are held in memory."""

_LETTER = re.compile(r"\(?[A-Ha-h][).:]?")
_MARK = re.compile(r"(?:^|(?<=[\s,;]))\(?([A-Ha-h])[).:]\s*")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table and where it stands: "pope.json, row 3"."""

    place: str
    values: Mapping[str, Any]

    def get(self, *names: str) -> Any:
        """Return the first of the fields that is there and not empty, upper or lower case; None if there is none."""
        lower = {str(key).strip().lower(): value for key, value in self.values.items()}
        return next((lower[n.lower()] for n in names if lower.get(n.lower()) not in (None, "")), None)

    def text(self, *names: str) -> str:
        """Return a field that must hold text or a number.

        Raises:
            VhbenchError: if none of the fields is there.
        """
        value = self.get(*names)
        if value is None:
            there = ", ".join(map(str, self.values))
            raise VhbenchError(f"{self.place}: no field {' or '.join(map(repr, names))}; there are {there}")
        if not isinstance(value, str | int | float):
            raise VhbenchError(f"{self.place}: field {names[0]!r} must be text, not {type(value).__name__}")
        return str(value).strip()

    def yes_no(self, *names: str) -> str:
        """Return "yes" or "no" from a field that must say one of them.

        Raises:
            VhbenchError: if the field is not there, or says anything else.
        """
        answer = parsing.label(self.text(*names))
        if not answer:
            allowed = "must be yes or no, true or false, 1 or 0"
            if _LETTER.fullmatch(self.text(*names)):
                allowed += (
                    f"; a letter needs its options, in a field 'options' or in {' and '.join(OPTION_FIELDS[0][:2])}"
                )
            raise VhbenchError(f"{self.place}: field {names[0]!r} is {shown(self.get(*names))}; {allowed}")
        return answer


@dataclass(slots=True)
class ImageFolder:
    """Finds the images that rows name: files below a folder, or bytes in the row.

    Equal bytes are kept once, in memory until they are :data:`_IN_MEMORY`, and in the cache from then on: a table may
    hold thousands of photos, and a build holds all of a table's questions.
    """

    folder: Path | None = None
    _known: dict[bytes, ImageData] = field(default_factory=dict)
    _held: int = 0

    def of(self, line: Line, *names: str) -> ImageData:
        """Return the image of a row.

        Raises:
            VhbenchError: if the field is not there, names no file of the folder, or leads out of it.
        """
        value = line.get(*names)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, Mapping):
            value = value.get("bytes") or value.get("path")
        if isinstance(value, bytes):
            return self._kept(value)
        if value is not None and not isinstance(value, str | int):
            raise VhbenchError(f"{line.place}: field {names[0]!r} must be one image, not {type(value).__name__}")
        return self.file(line, str(value) if value is not None else line.text(*names))

    def _kept(self, image: bytes) -> ImageData:
        digest = hashlib.sha256(image)
        if digest.digest() not in self._known:
            self._held += len(image)
            aside = self._held > _IN_MEMORY
            self._known[digest.digest()] = _put_aside(image, digest.hexdigest()) if aside else image
        return self._known[digest.digest()]

    def file(self, line: Line, *candidates: str) -> Path:
        """Return the first file below the folder that is there, by its name.

        Raises:
            VhbenchError: if none is there, or a name leads out of the folder.
        """
        if self.folder is None:
            raise VhbenchError(f"{line.place}: image {shown(candidates[0])} is a file; name its folder with --images")
        for name in candidates:
            try:
                path = below(self.folder, name)
            except VhbenchError as error:
                raise VhbenchError(f"{line.place}: image {error}") from error
            if path is not None:
                return path
        raise VhbenchError(f"{line.place}: no image {shown(candidates[0])} in {self.folder}")


def _put_aside(image: bytes, name: str) -> Path:
    path = cache_folder() / "images" / name
    if not path.is_file():
        write_atomic(path, image, durable=False)
    return path


def read_table(path: Path) -> Iterator[Line]:
    """Yield the rows of a table with their places, numbered from 1.

    Raises:
        VhbenchError: if the file cannot be read or has an unknown form.
    """
    count = 0
    for file in table_files(path):
        try:
            for number, values in enumerate(READERS.get(file.suffix, each_row)(file), start=1):
                count += 1
                yield Line(f"{file.name}, row {number}", values)
        except OSError as error:
            raise VhbenchError(f"cannot read {file}: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise VhbenchError(f"{file}: {not_utf8(error)}") from error
        except csv.Error as error:
            raise VhbenchError(f"{file}: {error}") from error
    if not count:
        raise VhbenchError(f"{path}: no rows")


def table_files(path: Path) -> list[Path]:
    """Return the files of a table: itself, or the Parquet or Excel files of a folder, in order.

    Raises:
        VhbenchError: if there is none.
    """
    if path.is_dir():
        found = sorted(path.rglob("*.parquet")) or sorted(path.glob("*.xlsx"))
        if not found:
            raise VhbenchError(f"{path}: no .parquet or .xlsx files in this folder")
        return found
    if path.suffix not in SUFFIXES:
        raise VhbenchError(f"{path}: must be {', '.join(SUFFIXES)} or a folder of .parquet files")
    if not there(path):
        raise VhbenchError(f"no such file or folder: {path}")
    return [path]


def not_utf8(error: UnicodeDecodeError) -> str:
    """Say what a file of another encoding needs."""
    found = error.object[error.start : error.start + 1].hex().upper()
    wide = error.object.startswith((b"\xff\xfe", b"\xfe\xff"))
    like = "it is UTF-16" if wide else "it may be Latin-1 or Windows-1252"
    return f"must be UTF-8 text, but has the byte 0x{found} ({like}); save it as UTF-8"


def options_of(line: Line) -> tuple[str, ...]:
    """Return the options of a row: those of its field, or of a field for each; () if it has none.

    Raises:
        VhbenchError: if there are fewer than two, or two alike.
    """
    value = line.get("options", "choices")
    if value is not None:
        return read_options(line, value)
    for names in OPTION_FIELDS:
        listed = [str(value) for value in (line.get(name) for name in names) if value is not None]
        if line.get(names[0]) is not None and line.get(names[1]) is not None:
            return read_options(line, listed)
    return ()


def read_options(line: Line, value: Any) -> tuple[str, ...]:
    """Return the options of a multiple-choice row: a list, or text as in "(a) open (b) closed".

    Raises:
        VhbenchError: if there are fewer than two, or two alike.
    """
    options = tuple(str(v).strip() for v in value) if isinstance(value, list | tuple) else split_options(str(value))
    if len(options) < 2 or len({o.lower() for o in options}) < len(options) or not all(options):
        raise VhbenchError(
            f"{line.place}: options {shown(value)} must be two or more different ones, as in '(a) x (b) y'"
        )
    return options


def split_options(text: str) -> tuple[str, ...]:
    """Split "(a) open (b) closed", or the same with "A." and line ends, into its options; () if it has no such form."""
    marks = list(_MARK.finditer(text))
    letters = "".join(mark[1].lower() for mark in marks)
    if len(letters) < 2 or letters != "abcdefgh"[: len(letters)] or text[: marks[0].start()].strip():
        return ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return tuple(text[mark.end() : end].strip(" \n\t,;") for mark, end in zip(marks, ends, strict=True))


def options_behind(question: str) -> tuple[str, tuple[str, ...]]:
    """Split "Is it open? (a) yes (b) no" into the question and its options; they are () if it ends in none."""
    mark = _MARK.search(question)
    options = split_options(question[mark.start() :]) if mark else ()
    if mark is None or not options:
        return question, ()
    return re.sub(r"(?i)\s*(options|choices):?\s*$", "", question[: mark.start()]).strip(), options


def choice(line: Line, options: tuple[str, ...], *names: str) -> str:
    """Return the letter of the right option, which a row gives as "(a)", "A" or in the option's words.

    Raises:
        VhbenchError: if it is none of them.
    """
    said = line.text(*names)
    words = [option.lower() for option in options]
    if said.lower() in words:
        return "ABCDEFGH"[words.index(said.lower())]
    letter = said.strip("().: ").upper()
    if letter and letter in "ABCDEFGH"[: len(options)] and len(letter) == 1:
        return letter
    raise VhbenchError(
        f"{line.place}: field {names[0]!r} is {shown(said)}; must be one of {', '.join(map(repr, options))}"
    )


def read_questions(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield the questions of any table with the fields image, question and answer.

    Further fields: ``id``; ``options``, or ``A``, ``B`` … (then the answer is one of them; of a letter's options
    also behind the question); ``pair_id`` with ``negated`` for twins that were written by hand. Images are files below
    ``images`` (or below the table's folder), or bytes.

    Raises:
        VhbenchError: naming the row and the field that is wrong.
    """
    found = ImageFolder(images or (path if path.is_dir() else path.parent))
    for index, line in enumerate(read_table(path), start=1):
        question = line.text("question", "text", "query")
        image = found.of(line, "image", "image_path", "images", "file_name")
        listed = options_of(line)
        if not listed and _LETTER.fullmatch(line.text("answer", "label")):
            question, listed = options_behind(question)
        said = choice(line, listed, "answer", "label") if listed else line.yes_no("answer", "label")
        yield single_image(
            str(line.get("id", "question_id") or index), image, question, said, choices=listed,
            question_type=str(line.get("question_type", "category", "type") or ""),
            pair_id=str(line.get("pair_id") or ""), negated=_negated(line),
        )  # fmt: skip


def _negated(line: Line) -> bool:
    return line.get("negated") is not None and line.yes_no("negated") == "yes"


def single_image(id: str, image: ImageData, text: str, answer: str, **columns: Any) -> Question:
    """Return a question about one image, of multiple choice if it has ``choices``; whose it is, a build says."""
    kind: Kind = "multiple_choice" if columns.get("choices") else "yes_no"
    return Question(id=id, images=(image,), question=text, answer=answer, kind=kind, **columns)
