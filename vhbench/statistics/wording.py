"""Estimates as text: the same form in every table and sentence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vhbench.statistics.multiple_testing import not_testable
from vhbench.terminal import in_a_line

LATEX = {mark: f"\\{mark}" for mark in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}  # special characters → their LaTeX


def rank_range(first: int, last: int, dash: str = "–") -> str:
    """Return a range of ranks.

    >>> rank_range(1, 3), rank_range(2, 2)
    ('1–3', '2')
    """
    return f"{first}" if first == last else f"{first}{dash}{last}"


def number(value: float, digits: int = 1) -> str:
    """Return a number with a real minus sign, and no minus zero.

    >>> number(1.25), number(-0.04), number(-3.0)
    ('1.2', '0.0', '−3.0')
    """
    text = f"{value:.{digits}f}"
    return (text if text.strip("-0.") else text.lstrip("-")).replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """Return a difference with its sign.

    >>> signed(1.25), signed(-0.04), signed(-3.0)
    ('+1.2', '0.0', '−3.0')
    """
    text = number(value)
    return f"+{text}" if value > 0 and text != "0.0" else text


def interval(ends: Sequence[float] | None, scale: float = 1) -> str:
    """Return the ends of an interval in brackets; "n/a" where a single cluster gives none.

    >>> interval((-0.22, 0.282), scale=100), interval(None)
    ('[−22.0, 28.2]', 'n/a')
    """
    return "n/a" if ends is None else f"[{number(scale * ends[0])}, {number(scale * ends[1])}]"


def confidence(ends: Sequence[float] | None, scale: float = 1) -> str:
    """Return an interval as a phrase.

    >>> confidence((1, 2)), confidence(None)
    ('95 % CI [1.0, 2.0]', 'no CI (one cluster)')
    """
    return "no CI (one cluster)" if ends is None else f"95 % CI {interval(ends, scale)}"


def mix(shares: Mapping[str, float]) -> str:
    """Return what something consists of.

    >>> mix({"natural": 0.916, "wrapped": 0.084})
    'natural 91.6 %, wrapped 8.4 %'
    """
    return ", ".join(f"{name} {number(100 * share)} %" for name, share in shares.items())


def p_value(p: float | None) -> str:
    """Return a p-value; "" if there is none."""
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def verdict(claim: Mapping[str, Any], prefix: str = "") -> str:
    """Return the result of a joint test (:func:`vhbench.statistics.paired.joint_test`), whose keys may have a prefix.

    >>> verdict({"p": 0.5, "significant": False}), verdict({"p": None, "discordant_clusters": 1})
    ('not significant (p = 0.500)', 'n/a (1 discordant cluster, need 6)')
    """
    p = claim[f"{prefix}p"]
    if p is None:
        return not_testable(claim[f"{prefix}discordant_clusters"])
    equals = "p < 0.001" if p < 0.001 else f"p = {p_value(p)}"
    return f"{'significant' if claim[f'{prefix}significant'] else 'not significant'} ({equals})"


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table, its header first; a first cell that repeats the one above is left blank."""
    table = [tuple(map(in_a_line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    last = ""
    for row in table:
        cells = row if row[0] != last else ("", *row[1:])
        last = row[0]
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
