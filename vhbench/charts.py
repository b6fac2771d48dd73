"""Result figures: dots with intervals, and heat maps that fade with uncertainty.

Each dot has whiskers and its value and sample size as text. The colour of a heat-map cell fades as its interval widens,
as in value-suppressing uncertainty palettes (Correll, Moritz & Heer, CHI 2018), here with a neutral middle: pale means
"neither", because the value is in the middle or because it is uncertain.

Orange and blue are distinguishable with all common kinds of colour vision (Okabe & Ito), and text repeats the colours'
information.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import ceil, log2
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, Self

from vhbench.files import write_atomic
from vhbench.schema import VhbenchError

BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#8a8a8a", "#1a1a1a"
WHITE: Final = "#ffffff"
_READABLE: Final = 4.5  # contrast of text, by WCAG 2 AA
TILE: Final = (64, 24)  # width and height of a heat map's cell, in pixels
_ROW, _WORDS = 24, 12
_NOTES, _FOLD = 4, 110  # notes above a figure, and their line width in characters
_STYLE: Final[Mapping[str, Any]] = {
    "background": WHITE,
    "padding": 14,
    "view": {"stroke": None},
    "axis": {"labelFontSize": _WORDS, "titleFontSize": _WORDS, "titleFontWeight": "normal", "labelLimit": 320,
             "domain": False, "ticks": False, "gridColor": "#e4e4e4", "labelColor": INK, "titleColor": INK},
    "title": {"anchor": "start", "frame": "group", "fontSize": 15, "offset": 12, "color": INK,
              "subtitleFontSize": _WORDS, "subtitleColor": "#4d4d4d", "subtitlePadding": 5},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dot:
    """One row of a dot chart."""

    row: str  # its unique label
    value: float
    low: float | None  # lower end of its interval; None without one; likewise ``high``
    high: float | None
    text: str  # label next to it: value, interval and sample size
    guess: float | None = None  # chance level, marked by a tick; None for none
    pale: bool = False  # whether it is drawn in grey, as not significant

    @classmethod
    def of(cls, row: str, value: float, ends: Sequence[float] | None, count: str, unit: str = "", **more: Any) -> Self:
        """Return a row labelled with the value, in percent or points, its interval and the sample size ``count``."""
        low, high = ends or (None, None)
        between = "" if ends is None else f" [{low:.0f}, {high:.0f}]"
        text = f"{value:.0f}{unit}{between}, {count}".replace("-", "\N{MINUS SIGN}")
        return cls(row, value, low, high, text, **more)


@dataclass(frozen=True, slots=True)
class Tile:
    """One cell of a heat map."""

    row: str
    column: str
    value: float | None  # value on the colour scale; None without questions: the cell stays empty
    text: str = ""
    colour: str = WHITE  # of the cell, see :func:`shade`
    ink: str = INK  # text colour, black or white by contrast


def drawing() -> Any:
    """Return the plotting library; raise VhbenchError if it is not installed."""
    try:
        import altair
    except ImportError as error:
        raise VhbenchError(f"figures need vhbench[eval]: {error}") from error
    return altair


def save(chart: Any, file: Path) -> None:
    """Write a figure as PNG at twice its pixel size."""
    write_atomic(file, lambda opened: chart.configure(**_STYLE).save(opened, format="png", scale_factor=2))


def heading(title: str, notes: Sequence[str] = ()) -> Any:
    """Return a figure's title with the first of its notes, wrapped, since figures are shared without their text."""
    lines = [line for note in notes[:_NOTES] for line in wrap(note, _FOLD)]
    if more := len(notes) - _NOTES:
        lines += [f"… and {more} more: see the file next to it"] if more > 0 else []
    return drawing().Title(title, fontSize=17, **({"subtitle": lines} if lines else {}))


def dots(
    rows: Sequence[Dot],
    title: str,
    about: str | Sequence[str] = "",
    *,
    across: tuple[float, float] = (0, 100),
    neutral: float | None = None,
    doubling: bool = False,
    width: int = 300,
) -> Any:
    """Draw rows of dots with whiskers and labels, from top to bottom.

    The ``title`` is above the chart, below it ``about``: axis label and caveats, several lines as several texts.
    ``across`` are the ends of the axis, which clip wider intervals; ``neutral`` is the value without effect, drawn as a
    dashed line; ``doubling``: the axis doubles from tick to tick; ``width`` is that of the part with the dots, in
    pixels. Raises VhbenchError if two rows share a label, and one would hide the other.
    """
    names = [row.row for row in rows]
    if twice := next((name for index, name in enumerate(names) if name in names[:index]), None):
        raise VhbenchError(f"expected unique names of lines, got {twice!r} twice")
    alt = drawing()
    least, most = across
    clipped = [asdict(row) for row in rows]
    for row, name in product(clipped, ("value", "low", "high", "guess")):
        row[name] = None if row[name] is None else min(max(row[name], least), most)
    scale = alt.Scale(domain=across, nice=False, **({"type": "log", "base": 2} if doubling else {}))
    doublings = [least * 2.0**i for i in range(int(log2(most / least)) + 1)] if doubling else []
    axis = alt.Axis(format="~r", **({"values": doublings} if doubling else {"tickCount": 5}))
    y = alt.Y("row:N", sort=names, title=None, axis=alt.Axis(labelPadding=8))
    base = alt.Chart(alt.Data(values=clipped)).encode(y=y)
    whiskers = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.5)
    words = base.mark_text(align="left", fontSize=_WORDS, color=INK)
    colour = alt.condition("datum.pale", alt.value(GREY), alt.value(BLUE))
    layers = [
        whiskers.encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=colour),
        base.mark_point(filled=True, size=75, opacity=1).encode(
            x=alt.X("value:Q", title=None, scale=scale, axis=axis), color=colour
        ),
        words.encode(x=alt.value(width + 12), text="text:N"),
    ]
    if any(row.guess is not None for row in rows):
        tick = base.transform_filter("isValid(datum.guess)").mark_tick(color=ORANGE, thickness=2.5, size=18, opacity=1)
        layers.insert(0, tick.encode(x=alt.X("guess:Q", scale=scale)))
    if neutral is not None:
        line = alt.Chart(alt.Data(values=[{"at": neutral}])).mark_rule(color=GREY, strokeDash=[4, 3])
        layers.insert(0, line.encode(x=alt.X("at:Q", scale=scale)))
    return alt.layer(*layers).properties(width=width, height=_ROW * len(rows), title=_title(alt, title, about))


def symmetric(rows: Sequence[Dot]) -> tuple[float, float]:
    """Return the ends of an axis around 0 for all rows in percentage points, rounded up to tens."""
    most = max(abs(end) for row in rows for end in (row.value, row.low, row.high) if end is not None)
    reach = 10.0 * ceil(max(most, 1) / 10)
    return -reach, reach


def heat_map(
    cells: Sequence[Tile], title: str, about: str | Sequence[str] = "", *, columns: Sequence[str], slanted: bool = False
) -> Any:
    """Draw a heat map of cells row by row, under a title and text; those without questions stay empty.

    Column labels that are too long to be horizontal are ``slanted``.
    """
    alt = drawing()
    lines = list(dict.fromkeys(cell.row for cell in cells))
    head = alt.Axis(labelAngle=-40 if slanted else 0, orient="top", labelPadding=6)
    base = alt.Chart(alt.Data(values=[asdict(cell) for cell in cells]), title=_title(alt, title, about)).encode(
        x=alt.X("column:N", sort=list(columns), title=None, axis=head),
        y=alt.Y("row:N", sort=lines, title=None, axis=alt.Axis(labelPadding=8)),
    )
    valued = base.transform_filter("isValid(datum.value)")
    boxes = valued.mark_rect(stroke="#c8c8c8", strokeWidth=0.7).encode(color=alt.Color("colour:N", scale=None))
    text = valued.mark_text(fontSize=11.5).encode(text="text:N", color=alt.Color("ink:N", scale=None))
    empty = base.transform_filter("!isValid(datum.value)").mark_text(fontSize=11.5, color=GREY, text="\N{EN DASH}")
    width, height = TILE
    return (boxes + text + empty).properties(width=width * len(columns), height=height * max(1, len(lines)))


def key(values: Mapping[str, float], widths: Mapping[str, float], about: str) -> Any:
    """Draw a heat map's colour key below a text: positions (:func:`shade`) across, interval widths down, by name."""
    pairs = product(widths.items(), values.items())
    cells = [Tile(row, column, 0, "", *shade(at, width)) for (row, width), (column, at) in pairs]
    return heat_map(cells, "", about, columns=list(values))


def shade(position: float, width: float | None) -> tuple[str, str]:
    """Return the colour of a cell and of its text.

    The position is from -1, orange, over 0, white, to 1, blue; clipped. The width of the interval is from 0 (full
    colour) to 1 (no colour); None without an interval, as the uncertainty is not known.

    >>> shade(1, 0), shade(-1, 0.5), shade(1, None)
    (('#0072b2', '#ffffff'), ('#eaae80', '#1a1a1a'), ('#ffffff', '#1a1a1a'))
    """
    full = BLUE if position > 0 else ORANGE
    strength = min(1.0, abs(position)) * (0.0 if width is None else max(0.0, 1 - width))
    parts = [round(255 + (int(full[i : i + 2], 16) - 255) * strength) for i in (1, 3, 5)]
    colour = "#" + "".join(f"{part:02x}" for part in parts)
    ink = max((INK, WHITE), key=lambda ink: contrast(ink, colour))
    return colour, ink if contrast(ink, colour) >= _READABLE else "#000000"


def contrast(first: str, second: str) -> float:
    """Return the WCAG 2 contrast of two colours, from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    low, high = sorted(_luminance(colour) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _title(alt: Any, title: str, about: str | Sequence[str]) -> Any:
    lines = [about] if isinstance(about, str) else list(about)
    return alt.Title(title, subtitle=lines) if title else alt.Title(lines, fontSize=_WORDS, fontWeight="normal")
