"""Terminal output that is safe against control characters in third-party files."""

import io
import re
import sys
from typing import Any, TextIO

_PLAIN = r"(?:0|[1-4]|2[2-4]|3[1-69]|9[1-6])"
# rich's colours, without those that may hide text: black, white, backgrounds, blinking
_COLOUR = rf"\x1b\[(?:{_PLAIN}(?:;{_PLAIN})*|(?:[1-4];)*3[1-6];40)m"
_PROGRESS = r"\A\r|\A(?:\x1b\[A)+\Z"  # start of a progress bar's line; and sequences that move up to an earlier one
# control characters but tab and line feed, bidirectional ones, and surrogates
_BAD = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_ANYWHERE = re.compile(f"[{_BAD}]")
_BUT_COLOURS = re.compile(f"(?P<kept>{_COLOUR})|[{_BAD}]")
_BUT_PROGRESS = re.compile(f"(?P<kept>{_COLOUR}|{_PROGRESS})|[{_BAD}]")


def escaped(text: str) -> str:
    r"""Return a text with control characters escaped.

    >>> print(escaped("a\x1b[2Jb\x07"))
    a\x1b[2Jb\x07
    """
    return _ANYWHERE.sub(_written, text)


def in_a_line(text: str) -> str:
    r"""Return a text with control characters and line ends escaped.

    So a third-party name cannot imitate vhbench's messages in its own line.

    >>> print(in_a_line("q1\nno error"))
    q1\nno error
    """
    return escaped(text).replace("\n", "\\n").replace("\t", "\\t")


def protect() -> None:
    """Escape all further output; on a terminal, colours and progress bars stay."""
    sys.stdout = _Escaping(sys.stdout, _BUT_COLOURS)
    sys.stderr = _Escaping(sys.stderr, _BUT_PROGRESS)


def _written(match: re.Match[str]) -> str:
    if match.re.groups and match["kept"]:
        return match["kept"]
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class _Escaping:
    """A text stream that escapes its input and otherwise delegates to another stream."""

    def __init__(self, stream: TextIO, pattern: re.Pattern[str]) -> None:
        self._stream = stream
        self._pattern = pattern if stream.isatty() else _ANYWHERE
        self._is_log = pattern is _BUT_PROGRESS and not stream.isatty()
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")  # unencodable characters are not an error

    def write(self, text: str) -> int:
        """Write a text, escaped. In a log, each update of a progress bar is a separate line."""
        shown = "\n" + text[1:] if self._is_log and text.startswith("\r") else text
        self._stream.write(self._pattern.sub(_written, shown))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write texts, escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach"):  # with an ASCII encoding, typer would bypass the escaping
            raise AttributeError(name)
        return getattr(self._stream, name)
