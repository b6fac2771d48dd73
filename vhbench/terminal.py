"""What a terminal is shown: texts from foreign files cannot move its cursor, clear it, or turn writing around."""

import io
import re
import sys
from typing import Any, TextIO

_PLAIN = r"(?:0|[1-4]|2[2-4]|3[1-69]|9[1-6])"
_COLOUR = rf"\x1b\[(?:{_PLAIN}(?:;{_PLAIN})*|(?:[1-4];)*3[1-6];40)m"
"""What rich writes for us. Black and white, other backgrounds and blinking, which may hide a text, are none of it."""

_PROGRESS = r"\A\r|\A(?:\x1b\[A)+\Z"
"""What begins a line of a progress bar; and what alone is written to go back to one further up."""

_BAD = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
"""Control characters but tab and line feed, those that turn the direction of writing, and halves of characters."""

_ANYWHERE = re.compile(f"[{_BAD}]")
_BUT_COLOURS = re.compile(f"(?P<kept>{_COLOUR})|[{_BAD}]")
_BUT_PROGRESS = re.compile(f"(?P<kept>{_COLOUR}|{_PROGRESS})|[{_BAD}]")


def escaped(text: str) -> str:
    r"""Return a text with what a terminal would obey written out.

    >>> print(escaped("a\x1b[2Jb\x07"))
    a\x1b[2Jb\x07
    """
    return _ANYWHERE.sub(_written, text)


def in_a_line(text: str) -> str:
    r"""Return a text with what a terminal would obey written out, and what would begin another line.

    A name that somebody made up can then not say what only we say, in a line of its own.

    >>> print(in_a_line("q1\nno faults"))
    q1\nno faults
    """
    return escaped(text).replace("\n", "\\n").replace("\t", "\\t")


def protect() -> None:
    """Escape from now on whatever is written to stdout and stderr; on a terminal, colours and progress bars stay."""
    sys.stdout = _Escaping(sys.stdout, _BUT_COLOURS)
    sys.stderr = _Escaping(sys.stderr, _BUT_PROGRESS)


def _written(match: re.Match[str]) -> str:
    if match.re.groups and match["kept"]:
        return match["kept"]
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class _Escaping:
    """A text stream that escapes what is written to it, and is the one below it in all else but its bytes."""

    def __init__(self, stream: TextIO, pattern: re.Pattern[str]) -> None:
        self._stream = stream
        self._pattern = pattern if stream.isatty() else _ANYWHERE
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")  # what an encoding lacks is no reason to fail

    def write(self, text: str) -> int:
        """Write a text, escaped."""
        self._stream.write(self._pattern.sub(_written, text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write texts, escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach"):  # where the encoding is ASCII, typer would write past us
            raise AttributeError(name)
        return getattr(self._stream, name)
