"""Contact sheets of questions with their images, for visual inspection of a split."""

import textwrap
from collections.abc import Callable, Sequence
from string import ascii_uppercase

from PIL import Image, ImageDraw, ImageFont

from vhbench.images import open_image, to_display_rgb
from vhbench.schema import Question, Row, VhbenchError

TILE = 380  # width of one question's tile, in pixels
FORM = 256  # width of one variant of an image in comparisons
_MARGIN = 10
_LINE = 18
_LONGEST = 2000  # maximum characters of a text, which bounds the height of a tile
_INK, _GREY, _GREEN = (20, 20, 24), (120, 120, 128), (0, 110, 50)

_ACROSS = 4  # tiles per row

Words = tuple[str, tuple[int, int, int], int]  # A text, its colour and its size


def contact_sheet(rows: Sequence[Row], *, picture: Callable[[Question, int], Image.Image] | None = None) -> Image.Image:
    """Draw one tile per question, four in a row: its numbered images, text, options and reference answer.

    ``picture`` returns an image of a question by its index, for example with annotations.
    """
    picture = picture or picture_of
    tiles = [
        _tile([picture(row.question, i) for i in range(len(row.question.images))], _words(row), TILE) for row in rows
    ]
    return _grid([tiles[i : i + _ACROSS] for i in range(0, len(tiles), _ACROSS)])


def comparison_sheet(rows: Sequence[tuple[Sequence[Question], Question]]) -> Image.Image:
    """Draw one row per question: its named original and perturbed images, and its text with its negated twin's."""
    lines = []
    for forms, twin in rows:
        captions = [words for q in (forms[0], twin) for words in ((q.question, _INK, 14), (q.answer, _GREEN, 14))]
        words = [[(form.perturbation or "original", _GREY, 12)] for form in forms]
        words[0] += captions
        lines.append([_tile([picture_of(form, 0)], text, FORM) for form, text in zip(forms, words, strict=True)])
    return _grid(lines)


def _grid(lines: Sequence[Sequence[Image.Image]]) -> Image.Image:
    """Stack rows of equally wide tiles."""
    heights = [max(tile.height for tile in line) for line in lines]
    widths = [sum(tile.width + _MARGIN for tile in line) for line in lines]
    sheet = Image.new("RGB", (max(widths, default=0) + _MARGIN, sum(heights) + _MARGIN * (len(lines) + 1)), "white")
    top = _MARGIN
    for line, height in zip(lines, heights, strict=True):
        for number, image in enumerate(line):
            sheet.paste(image, (_MARGIN + number * (image.width + _MARGIN), top))
        top += height + _MARGIN
    return sheet


def _tile(pictures: Sequence[Image.Image], words: Sequence[Words], width: int) -> Image.Image:
    """Draw images, numbered if there are several, above texts."""
    strip = _strip(pictures, width)
    lines = [(line, ink, size) for text, ink, size in words for line in _wrap(text, size, width)]
    result = Image.new("RGB", (width, strip.height + _LINE * len(lines) + 12), (246, 246, 248))
    result.paste(strip, (0, 0))
    draw = ImageDraw.Draw(result)
    for number, (text, ink, size) in enumerate(lines):
        draw.text((6, strip.height + 6 + _LINE * number), text, fill=ink, font=font(size))
    return result


def picture_of(question: Question, index: int) -> Image.Image:
    """Return an image of a question as displayed; raise VhbenchError, naming the question, if it cannot be decoded."""
    try:
        return to_display_rgb(open_image(question.images[index]))
    except VhbenchError as error:
        raise VhbenchError(f"question {question.id!r}, image {index + 1}: {error}") from error


def _strip(pictures: Sequence[Image.Image], width: int) -> Image.Image:
    """Arrange a question's images in a strip; at most three times as high as wide."""
    across = 1 if len(pictures) == 1 else 2 if len(pictures) <= 4 else 3 if len(pictures) <= 9 else 4
    side = width // across
    small = [_fitted(picture, side) for picture in pictures]
    for number, picture in enumerate(small if len(pictures) > 1 else (), start=1):
        draw = ImageDraw.Draw(picture)
        draw.rectangle((0, 0, 20, 18), fill=_INK)
        draw.text((4, 1), str(number), fill="white", font=font(14))
    rows = [small[i : i + across] for i in range(0, len(small), across)]
    heights = [2 + max(picture.height for picture in row) for row in rows]
    strip = Image.new("RGB", (width, sum(heights)), "white")
    for number, row in enumerate(rows):
        for column, picture in enumerate(row):
            strip.paste(picture, (column * side, sum(heights[:number])))
    return strip


def _fitted(picture: Image.Image, side: int) -> Image.Image:
    scale = min((side - 2) / picture.width, 3 * side / picture.height)
    size = max(1, round(scale * picture.width)), max(1, round(scale * picture.height))
    return picture.resize(size, Image.Resampling.LANCZOS)


def _words(row: Row) -> list[Words]:
    """Return the text below a question's images."""
    question = row.question
    facets = (row.config, question.question_type, question.criterion, question.pressure, question.perturbation)
    head = " · ".join([question.id, *dict.fromkeys(filter(None, facets))])
    words = [(head, _GREY, 12), (question.question, _INK, 15)]
    for letter, choice in zip(ascii_uppercase, question.choices, strict=False):
        words.append((f"{letter}. {choice}", _GREEN if letter == question.answer else _INK, 14))
    answer = question.answer or "the image shows " + ", ".join(question.objects)
    return [*words, (f"Answer: {answer}", _GREEN, 15)]


def _wrap(text: str, size: int, width: int) -> list[str]:
    """Wrap text to a tile by its average character width; truncate what does not fit."""
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    letter = font(size).getlength(text) / max(1, len(text))
    return textwrap.wrap(text, int((width - 12) / (1.08 * letter or 1)))


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the font of the sheets."""
    return ImageFont.load_default(size)
