"""Rows of a JSON file, one after another: a file of any size takes the memory of its largest row."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from vhbench.files import LARGEST_ROW, open_file, shown
from vhbench.schema import VhbenchError

_CHUNK = 1 << 20
_NEAR_END = 16
"""A fault so near to the end of what was read may be a word that goes on."""

_FEW = 64
"""Fields of an object that are looked at to know it as a row."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_TEXT = r'"([^"\\\x00-\x1f]*+)"'
_PAIR = re.compile(_SPACE.pattern.join(("", _TEXT, ":", _TEXT, ",")))
"""A member that is a text without an escape, and is not the last."""
_DECODER = json.JSONDecoder()

Pair = tuple[str, Any]


def json_rows(path: Path, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of an array, of JSON lines, of objects one after another, or of one object id → answer.

    Args:
        path: the file.
        names: fields by which an object is known as a row; an object that has none of them maps ids to answers, or
            to objects with the fields of a row.

    Raises:
        VhbenchError: with the file, and the line or row of what cannot be read.
    """
    with open_file(path, None) as file:
        yield from _rows(_Stream(path, file), frozenset(names))


def _rows(window: "_Stream", names: frozenset[str]) -> Iterator[dict[str, Any]]:
    number = 0
    if not window.next():
        raise VhbenchError(f"{window.path}: the file is empty; JSON or JSON lines are needed")
    while mark := window.next():
        if mark == "[" and not number:
            for value in window.elements():
                number += 1
                yield _row(window, value, number)
            continue
        if mark != "{" or number:
            number += 1
            row = window.line()
            yield _row(window, window.value() if row is None else row, number)
            continue
        members = window.members()  # one by one: they may be a million answers
        first = list(islice(members, _FEW))
        if not first or any(name.strip().lower() in names for name, _ in first):
            number += 1
            yield dict(chain(first, window.limited(members)))
        else:
            yield from map(_answer_of, chain(first, members))


def _answer_of(pair: Pair) -> dict[str, Any]:
    """Return a row of an object that maps ids to answers."""
    name, said = pair
    return {"id": name, **said} if isinstance(said, Mapping) else {"id": name, "response": said}


def _row(window: "_Stream", value: Any, number: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise VhbenchError(f"{window.path}, row {number}: is {shown(value)}, not a JSON object")
    return value


class _Stream:
    """What has been read of a file and not yet been used."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self._file = path, file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text, self._place, self._line, self._bytes, self._ended = "", 0, 1, 0, False
        self._forgotten = self._tried = 0

    def next(self) -> str:
        """Skip spaces; return the character that is next, "" at the end."""
        while True:
            self._place = _SPACE.match(self._text, self._place).end()  # type: ignore[union-attr]
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._more():
                return ""

    def line(self) -> dict[str, Any] | None:
        """Read the rest of a line that is an object, in a fifth of the time that :meth:`value` takes.

        Returns:
            None, with nothing read, where it is none, or not all of one; what this parser refuses (NaN, half of a
            character, numbers without bounds) the other one may take.
        """
        if self._used() < self._tried:
            return None  # another object of a line that has several
        end = self._text.find("\n", self._place)
        self._tried = self._forgotten + (end if end >= 0 else len(self._text))
        try:
            value = msgspec.json.decode(self._text[self._place : end]) if end >= 0 else None
        except (msgspec.MsgspecError, RecursionError):
            return None
        if not isinstance(value, dict):
            return None
        self._place = end
        return value

    def value(self) -> Any:
        """Read a value."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
            except (ValueError, RecursionError) as error:
                fault = getattr(error, "msg", "nested too deeply" if isinstance(error, RecursionError) else str(error))
                at = getattr(error, "pos", self._place)
                unfinished = fault.startswith("Unterminated") or at >= len(self._text) - _NEAR_END
                if unfinished and len(self._text) - self._place > LARGEST_ROW:
                    raise self._fault(f"a row of more than {LARGEST_ROW:,} characters", self._place) from None
                if unfinished and self._more():
                    continue
                raise self._fault(fault, max(at, self._place)) from None
            if isinstance(value, (int, float)) and len(self._text) - end < _NEAR_END and self._more():
                continue  # a number may go on: 1.5e, and then +16
            self._place = end
            return value

    def elements(self) -> Iterator[Any]:
        """Read an array, value by value."""
        self._place += 1
        if self.next() == "]":
            self._place += 1
            return
        while True:
            self.next()
            yield self.value()
            if self._sign(",]") == "]":
                return

    def members(self) -> Iterator[Pair]:
        """Read an object, member by member."""
        self._place += 1
        if self.next() == "}":
            self._place += 1
            return
        while True:
            while pair := _PAIR.match(self._text, self._place):
                self._place = pair.end()
                yield pair[1], pair[2]
            if self.next() != '"':
                raise self._fault("Expecting property name enclosed in double quotes", self._place)
            name = self.value()
            self._sign(":")
            self.next()
            yield name, self.value()
            if self._sign(",}") == "}":
                return

    def limited(self, members: Iterator[Pair]) -> Iterator[Pair]:
        """Read the members of a row, which is no larger than a row may be."""
        begin = self._used()
        for pair in members:
            if self._used() - begin > LARGEST_ROW:
                raise self._fault(f"a row of more than {LARGEST_ROW:,} characters", self._place)
            yield pair

    def _used(self) -> int:
        """Return how many characters have been used."""
        return self._forgotten + self._place

    def _sign(self, allowed: str) -> str:
        found = self.next()
        if not found or found not in allowed:
            raise self._fault(f"Expecting {allowed[0]!r} delimiter", self._place)
        self._place += 1
        return found

    def _more(self) -> bool:
        """Read on, twice as much as is left, and forget what was used; False at the end of the file."""
        if self._ended:
            return False
        left = len(self._text) - self._place
        data = self._file.read(max(_CHUNK, 2 * left))
        self._ended = not data
        try:
            text = self._decode(data, self._ended)
        except UnicodeDecodeError as error:
            raise VhbenchError(f"{self.path}: not UTF-8 text (near byte {self._bytes + error.start})") from None
        if self._ended and not text:
            return False
        self._bytes += len(data)
        self._line += self._text.count("\n", 0, self._place)
        self._forgotten += self._place
        self._text, self._place = self._text[self._place :] + text, 0
        return True

    def _fault(self, fault: str, place: int) -> VhbenchError:
        line = self._line + self._text.count("\n", 0, place)
        return VhbenchError(f"{self.path}, line {line}: not JSON ({fault})")
