"""Questions to join responses with: a split, or a table with reference answers."""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.adapters.table_rows import read_rows
from vhbench.columns import RECORD
from vhbench.files import quote_value
from vhbench.runs import column_aliases
from vhbench.schema import VhbenchError
from vhbench.splits import answer_keys
from vhbench.store import Store

_OF_CAPTIONS = ("objects", "candidates", "neutral")


def is_split(path: Path) -> bool:
    """Return whether a path is a split directory."""
    return (path / "manifest.json").is_file()


def has_vocabulary(path: Path | None) -> bool:
    """Return whether a path has a caption vocabulary: a split, or the key of a hidden test set."""
    return path is not None and (is_split(path) or answer_keys.is_key(path))


def annotated_words(path: Path) -> dict[str, tuple[str, ...]] | None:
    """Return a vocabulary of the objects and likely hallucinations that a table of captions lists; None for a split."""
    if is_split(path):
        return None
    rows = read_rows(path, column_aliases.KNOWN) if path.is_file() else ()
    questions = (column_aliases.asked(row, str(path)) for row in rows)
    return {word: () for row in questions for word in (*row.get("objects", ()), *row.get("candidates", ()))}


def known_questions(path: Path, kind: str = "") -> Store[tuple[str, dict[str, Any]]]:
    """Return the questions of a kind in a split, a key or a table, with config and fields; ids must be unique."""
    columns = [name for name in RECORD if kind in ("", "caption") or name not in _OF_CAPTIONS]
    numbers = array("Q")
    try:
        known: Store[tuple[str, dict[str, Any]]] = Store(_named(path, _rows(path, columns), kind, numbers))
    except (OverflowError, UnicodeEncodeError) as error:  # a number beyond 64 bits, half of a character
        raise VhbenchError(f"{path}, row {numbers[-1]}: {error}") from error
    if (index := known.repeated()) is not None:
        name = quote_value(known.name(index))
        raise VhbenchError(f"{path}, row {numbers[index]}: id {name} occurs twice; expected unique ids")
    return known


def _named(
    path: Path, configs: Iterator[tuple[str, dict[str, Any]]], kind: str, numbers: "array[int]"
) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """Yield the rows of a kind with their ids, recording their row numbers."""
    for number, (config, row) in enumerate(configs, start=1):
        if kind in ("", row.get("kind", kind)) or (kind == "multiple_choice" and row["benchmark"] == "mioh"):
            numbers.append(number)
            if not (name := str(row.get("id", ""))):
                raise VhbenchError(f"{path}, row {number}: expected a field 'id'")
            yield name, (config, row)


def _rows(path: Path, columns: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield config and known fields of each question in a key, a split or a table."""
    if answer_keys.is_key(path):
        for config, row in answer_keys.read_key(path):
            yield config, {name: row[name] for name in columns if row.get(name) not in (None, "", [])}
    elif is_split(path):
        if faults := splits.damage(path):  # edited reference answers would change the score
            raise VhbenchError(faults[0])
        for config, row in splits.read_columns(path, columns):
            yield config, {name: value for name, value in row.items() if value not in ("", (), [])}
    else:
        begin, known = f"{path}, row ", frozenset(columns)
        for number, row in enumerate(read_rows(path, column_aliases.KNOWN), start=1):
            question = column_aliases.asked(row, f"{begin}{number}")
            yield str(question.get("benchmark", "")), {name: value for name, value in question.items() if name in known}
