"""Pictures of results, one look for all: dots with their intervals, and heat maps that fade where little is known.

A number without its interval shouts. So each dot has whiskers, its value and its size in words beside it; and the
colour of a cell says only as much as its interval lets it: the wider, the paler, until nothing is left. That is the
rule of value-suppressing uncertainty palettes (Correll, Moritz & Heer, CHI 2018), with one value in the middle: pale
means "neither", whether because the value is in the middle or because it is not known.

Orange and blue are told apart by all common kinds of colour vision (Okabe & Ito), and words carry what colours do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from vhbench.files import check_output
from vhbench.schema import VhbenchError

BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#8a8a8a", "#1a1a1a"
WHITE: Final = "#ffffff"
_READABLE: Final = 4.5  # contrast of text, by WCAG 2 AA
TILE: Final = (64, 24)
"""Width and height of a heat map's cell, in pixels."""

_ROW, _WORDS = 24, 12
_NOTES, _FOLD = 4, 110
"""Notes above a picture, and characters after which a line of them is folded."""
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
    """One line of a chart of dots.

    Attributes:
        row: what it is of; each line has another one.
        value: where the dot is.
        low: where its interval begins; None where there is none, as none can be told.
        high: where it ends.
        text: what is written beside it: the value, the interval and of how many.
        guess: where guessing would be, marked by a tick; None for none.
    """

    row: str
    value: float
    low: float | None
    high: float | None
    text: str
    guess: float | None = None


@dataclass(frozen=True, slots=True)
class Tile:
    """One cell of a heat map.

    Attributes:
        row: its line.
        column: its column.
        value: what the colour tells, on the map's scale; None where nothing was asked: the cell stays empty.
        text: what is written in it.
        colour: of the cell, see :func:`shade`.
        ink: of its text, black or white, whichever is easier to read on it.
    """

    row: str
    column: str
    value: float | None
    text: str = ""
    colour: str = WHITE
    ink: str = INK


def drawing() -> Any:
    """Return the library that draws pictures.

    Raises:
        VhbenchError: if it is not installed.
    """
    try:
        import altair
    except ImportError as error:
        raise VhbenchError(f"the picture needs vhbench[eval]: {error}") from error
    return altair


def save(chart: Any, file: Path) -> None:
    """Write a picture as a PNG, with two pixels for each one that it is wide."""
    check_output(file)
    chart.configure(**_STYLE).save(str(file), scale_factor=2)


def heading(title: str, notes: Sequence[str] = ()) -> Any:
    """Return the title of a whole picture, and below it what is to be known first: a picture travels without its text.

    Args:
        title: in one line.
        notes: sentences; they are folded, and of many the first are shown.
    """
    lines = [line for note in notes[:_NOTES] for line in wrap(note, _FOLD)]
    if more := len(notes) - _NOTES:
        lines += [f"… and {more} more: see the file beside it"] if more > 0 else []
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
    """Draw lines of dots with whiskers, and what they say beside them.

    Args:
        rows: from top to bottom.
        title: above the chart.
        about: below the title: what the axis shows, and what to know; several lines as several texts.
        across: the ends of the axis; what reaches beyond them ends there.
        neutral: a value at which nothing is told, drawn as a dashed line.
        doubling: whether the axis doubles from tick to tick.
        width: of the part with the dots, in pixels.

    Raises:
        VhbenchError: if two lines have one name, and one would hide the other.
    """
    names = [row.row for row in rows]
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise VhbenchError(f"the line {twice!r} is there twice; each needs a name of its own")
    alt = drawing()
    least, most = across
    clipped = [
        asdict(row) | {end: None if at is None else min(max(at, least), most) for end, at in _ends(row)} for row in rows
    ]
    scale = alt.Scale(domain=across, nice=False, **({"type": "log", "base": 2} if doubling else {}))
    axis = alt.Axis(format="~r", **({"values": _doublings(across)} if doubling else {"tickCount": 5}))
    y = alt.Y("row:N", sort=names, title=None, axis=alt.Axis(labelPadding=8))
    base = alt.Chart(alt.Data(values=clipped)).encode(y=y)
    whiskers = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2.5, color=BLUE)
    words = base.mark_text(align="left", fontSize=_WORDS, color=INK)
    layers = [
        whiskers.encode(x=alt.X("low:Q", scale=scale), x2="high:Q"),
        base.mark_point(filled=True, size=75, color=BLUE, opacity=1).encode(
            x=alt.X("value:Q", title=None, scale=scale, axis=axis)
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


def heat_map(
    cells: Sequence[Tile], title: str, about: str | Sequence[str] = "", *, columns: Sequence[str], slanted: bool = False
) -> Any:
    """Draw cells; those that were not asked stay empty.

    Args:
        cells: line by line, from top to bottom.
        title: above the map.
        about: below the title.
        columns: from left to right.
        slanted: whether the names of the columns are too long to stand upright beside one another.
    """
    alt = drawing()
    lines = list(dict.fromkeys(cell.row for cell in cells))
    head = alt.Axis(labelAngle=-40 if slanted else 0, orient="top", labelPadding=6)
    base = alt.Chart(alt.Data(values=[asdict(cell) for cell in cells]), title=_title(alt, title, about)).encode(
        x=alt.X("column:N", sort=list(columns), title=None, axis=head),
        y=alt.Y("row:N", sort=lines, title=None, axis=alt.Axis(labelPadding=8)),
    )
    told = base.transform_filter("isValid(datum.value)")
    boxes = told.mark_rect(stroke="#c8c8c8", strokeWidth=0.7).encode(color=alt.Color("colour:N", scale=None))
    text = told.mark_text(fontSize=11.5).encode(text="text:N", color=alt.Color("ink:N", scale=None))
    empty = base.transform_filter("!isValid(datum.value)").mark_text(fontSize=11.5, color=GREY, text="\N{EN DASH}")
    width, height = TILE
    return (boxes + text + empty).properties(width=width * len(columns), height=height * max(1, len(lines)))


def key(values: Mapping[str, float], widths: Mapping[str, float], about: str) -> Any:
    """Draw what the colours of a heat map say: values across, and down the widths of their intervals.

    Args:
        values: name → position from -1 to 1, as :func:`shade` takes it.
        widths: name → width of the interval, as a share of what leaves nothing of the colour.
        about: above it.
    """
    cells = [
        Tile(row, column, 0, "", *shade(position, width))
        for row, width in widths.items()
        for column, position in values.items()
    ]
    return heat_map(cells, "", about, columns=list(values))


def shade(position: float, width: float | None) -> tuple[str, str]:
    """Return the colour of a cell and of its text.

    Args:
        position: from -1, orange, over 0, white, to 1, blue; what is beyond has the colour of the end.
        width: of the interval, from 0, which leaves the colour as it is, to 1, which leaves nothing of it; None where
            there is no interval, as nothing is known of others.

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
    """Return the contrast of two colours as WCAG 2 has it, from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    low, high = sorted(_luminance(colour) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _ends(row: Dot) -> list[tuple[str, float | None]]:
    return [("value", row.value), ("low", row.low), ("high", row.high), ("guess", row.guess)]


def _doublings(across: tuple[float, float]) -> list[float]:
    least, most = across
    values = [least]
    while values[-1] * 2 <= most:
        values.append(values[-1] * 2)
    return values


def _title(alt: Any, title: str, about: str | Sequence[str]) -> Any:
    lines = [about] if isinstance(about, str) else list(about)
    return alt.Title(title, subtitle=lines) if title else alt.Title(lines, fontSize=_WORDS, fontWeight="normal")
