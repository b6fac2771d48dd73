"""Answer key of a hidden test set, which its maintainer keeps for scoring submissions.

A file of JSON lines. The first identifies the version; each further one has a row under its public id: its config, and
all columns needed for scoring.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from vhbench.columns import RECORD
from vhbench.files import canonical, convert, write_atomic
from vhbench.schema import Question, VhbenchError

FORMAT = "vhbench-key-1"
_MAX_LINE = 16 << 20  # a third-party key could be one endless line
_START = canonical({"format": FORMAT})[:-1]


@dataclass(frozen=True, slots=True)
class KeyHead:
    """Version that a key belongs to: content hash of its public part, and words to match in captions, if any."""

    benchmark: str
    version: str
    content_hash: str
    vocabulary: Mapping[str, list[str]]


def write_key(path: Path, head: KeyHead, rows: Iterable[tuple[str, Question]]) -> None:
    """Write a key: rows with their configs, under their public ids; raise VhbenchError if it cannot be written."""
    lines = [canonical({"format": FORMAT}), canonical(asdict(head))]
    lines += [canonical([config, {name: getattr(question, name) for name in RECORD}]) for config, question in rows]
    try:
        write_atomic(path, b"".join(line + b"\n" for line in lines), private=True)
    except OSError as error:
        raise VhbenchError(f"cannot write the key {path}: {error.strerror or error}") from error


def is_key(path: Path) -> bool:
    """Return whether a file is a key."""
    try:
        if not path.is_file():  # opening a pipe would wait for its writer
            return False
        with path.open("rb") as file:
            return file.read(len(_START)) == _START
    except OSError:
        return False


def read_head(path: Path) -> KeyHead:
    """Return the version that a key belongs to; raise VhbenchError if it is not a key."""
    lines = _lines(path)
    next(lines)
    head: KeyHead = convert(next(lines, None), KeyHead, str(path))
    return head


def refuse_other(path: Path, benchmark: str, version: str, content_hash: str = "") -> None:
    """Raise if a key would overwrite any file other than a key of the same version; "": its hash is not known yet."""
    if not path.exists() or path.is_dir():
        return
    head = read_head(path) if is_key(path) else None
    same = head is not None and (head.benchmark, head.version) == (benchmark, version)
    if head is None or not same or content_hash not in ("", head.content_hash):
        content = f"the key of {head.benchmark} {head.version} {head.content_hash[:12]}…" if head else "no key"
        raise VhbenchError(
            f"{path}: already exists, and is {content}; choose another file with --key, or overwrite it with --yes"
        )


def read_key(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a key, with their configs; raise VhbenchError at an invalid line."""
    lines = enumerate(_lines(path), start=1)
    next(lines)
    next(lines, None)
    for number, line in lines:
        config, row = convert(line, tuple[str, dict[str, Any]], f"{path}, line {number}")
        yield config, row


def _lines(path: Path) -> Iterator[Any]:
    if not is_key(path):
        raise VhbenchError(f"{path}: expected the key of a hidden test set, as written by `vhbench push --hidden`")
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(_MAX_LINE + 1), b""), 1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise VhbenchError(f"{path}, line {number}: is not JSON ({error})") from error
