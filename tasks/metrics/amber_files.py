"""AMBER's inputs from files or objects, validated: responses, annotations, relation, safe words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vhbench.files import read_text
from vhbench.language.captions.vocabulary import list_of_words
from vhbench.records import loaded, refuse_duplicates
from vhbench.schema import VhbenchError


def read_responses(responses: Any, *, refuse_repeats: bool) -> list[tuple[str, str]]:
    """Return pairs (id, response) of rows or of a JSON or JSON lines file.

    >>> read_responses([{"id": 1, "response": "Yes"}], refuse_repeats=True)
    [('1', 'Yes')]
    """
    out: list[tuple[str, str]] = []
    for place, row in enumerate(_rows(responses, "responses")):
        if not isinstance(row, Mapping) or row.get("id") is None or not isinstance(row.get("response", 0), str | None):
            raise VhbenchError(f"response {place}: expected an 'id' and the text 'response'")
        out.append((str(row["id"]), row["response"] or ""))  # null: a failed request
    if refuse_repeats:
        refuse_duplicates((name for name, _ in out), "response id")
    return out


def read_annotations(annotations: Any) -> dict[str, Mapping[str, Any]]:
    """Return id → annotation of rows, of a mapping whose values are the rows, or of a JSON file of either."""
    rows = _rows(annotations, "annotations")
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping) or row.get("id") is None or "truth" not in row:
            raise VhbenchError(f"annotation {place}: expected an 'id' and 'truth'")
    refuse_duplicates((str(row["id"]) for row in rows), "annotation id")
    return {str(row["id"]): row for row in rows}


def read_relation(relation: Any) -> Mapping[str, Sequence[str]]:
    """Return word → associated words, from a mapping or a JSON file."""
    data = loaded(relation)
    if not isinstance(data, Mapping):
        raise VhbenchError(f"relation: expected a mapping word → list of associated words, got {data!r:.60}")
    return {str(word): list_of_words(words, f"relation of {word!r}") for word, words in data.items()}


def read_safe_words(words: Any) -> Sequence[str]:
    """Return words, or those of a file with one per line."""
    return (
        [*filter(None, read_text(words).splitlines())]
        if isinstance(words, (str, Path))
        else list_of_words(words, "safe words")
    )


def word_list(name: str, row: Mapping[str, Any], key: str, fold: Callable[[str], str]) -> list[str]:
    """Return the case-folded words of a caption's "truth" or "hallu"; none for None or ""."""
    return [fold(word) for word in list_of_words(row.get(key) or (), f"annotation {name!r}: {key}")]


def _rows(source: Any, name: str) -> list[Any]:
    data = loaded(source)
    if isinstance(data, Mapping):
        return [data] if "id" in data else list(data.values())
    if isinstance(data, bytes) or not isinstance(data, Iterable):
        raise VhbenchError(f"{name}: expected rows with an 'id', or a JSON file of them; got {data!r:.60}")
    return list(data)
