"""A sheet of questions with their images: what a person looks at before trusting a split."""

import colorsys
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vhbench import masks
from vhbench.images import open_image
from vhbench.schema import Question, Row, Scene, VhbenchError

TILE = 380
"""Width of one question's tile, in pixels."""

_MARGIN = 10
_INK, _GREY, _GREEN = (20, 20, 24), (120, 120, 128), (0, 110, 50)


def contact_sheet(
    rows: Sequence[Row], scenes: Mapping[str, Scene], *, columns: int = 4, boxes: bool = False, masks: bool = False
) -> Image.Image:
    """Draw one tile per question: its images, numbered, its words, its choices and its answer.

    Args:
        rows: the questions, in the order in which they are read.
        scenes: the truth by scene id, for boxes and masks; a question without a scene gets neither.
        columns: tiles side by side.
        boxes: draw each object's box and name.
        masks: tint each object's visible part.
    """
    tiles = [_tile(row, scenes, boxes=boxes, masks=masks) for row in rows]
    lines = [tiles[i : i + columns] for i in range(0, len(tiles), columns)]
    heights = [max(tile.height for tile in line) for line in lines]
    width = min(columns, max(1, len(tiles))) * (TILE + _MARGIN) + _MARGIN
    sheet = Image.new("RGB", (width, sum(heights) + _MARGIN * (len(lines) + 1)), "white")
    top = _MARGIN
    for line, height in zip(lines, heights, strict=True):
        for number, tile in enumerate(line):
            sheet.paste(tile, (_MARGIN + number * (TILE + _MARGIN), top))
        top += height + _MARGIN
    return sheet


def _tile(row: Row, scenes: Mapping[str, Scene], *, boxes: bool, masks: bool) -> Image.Image:
    question = row.question
    strip = _strip([_picture(question, i, scenes, boxes=boxes, masks=masks) for i in range(len(question.images))])
    lines = _lines(row)
    height = strip.height + 6 + sum(18 for _ in lines) + 6
    tile = Image.new("RGB", (TILE, height), (246, 246, 248))
    tile.paste(strip, (0, 0))
    draw = ImageDraw.Draw(tile)
    top = strip.height + 6
    for text, ink, size in lines:
        draw.text((6, top), text, fill=ink, font=_font(size))
        top += 18
    return tile


def _picture(question: Question, index: int, scenes: Mapping[str, Scene], *, boxes: bool, masks: bool) -> Image.Image:
    try:
        picture = open_image(question.images[index]).convert("RGB")
    except VhbenchError as error:
        raise VhbenchError(f"question {question.id!r}, image {index + 1}: {error}") from error
    scene = scenes.get(question.scene_ids[index]) if index < len(question.scene_ids) else None
    if scene is not None and masks:
        picture = _tinted(picture, scene)
    if scene is not None and boxes:
        _draw_boxes(picture, scene)
    return picture


def _tinted(picture: Image.Image, scene: Scene) -> Image.Image:
    pixels = np.asarray(picture).copy()
    for number, thing in enumerate(scene.objects):
        if thing.mask is not None and thing.mask.size == pixels.shape[:2]:
            mask = masks.decode(thing.mask)
            pixels[mask] = (0.45 * pixels[mask] + 0.55 * np.array(_colour(number))).astype(np.uint8)
    return Image.fromarray(pixels)


def _draw_boxes(picture: Image.Image, scene: Scene) -> None:
    draw = ImageDraw.Draw(picture)
    scale_x, scale_y = picture.width / scene.width, picture.height / scene.height
    size = max(11, round(picture.width / 34))
    for number, thing in enumerate(scene.objects):
        x, y, width, height = thing.box
        corners = (x * scale_x, y * scale_y, (x + width) * scale_x - 1, (y + height) * scale_y - 1)
        draw.rectangle(corners, outline=_colour(number), width=max(2, picture.width // 256))
        label = f"{thing.id} {thing.category}"
        place = (corners[0] + 2, max(0.0, corners[1] - size - 3))
        draw.rectangle(draw.textbbox(place, label, font=_font(size)), fill=_colour(number))
        draw.text(place, label, fill="white", font=_font(size))


def _strip(pictures: Sequence[Image.Image]) -> Image.Image:
    """Put a question's images side by side, numbered if there are several."""
    if not pictures:
        return Image.new("RGB", (TILE, 1), "white")
    across = 1 if len(pictures) == 1 else 2 if len(pictures) <= 4 else 3 if len(pictures) <= 9 else 4
    side = TILE // across
    sizes = [_fitted(picture, side) for picture in pictures]
    heights = [height + 2 for _, height in sizes]
    rows = [range(i, min(i + across, len(pictures))) for i in range(0, len(pictures), across)]
    strip = Image.new("RGB", (TILE, sum(max(heights[i] for i in row) for row in rows)), "white")
    top = 0
    for row in rows:
        for column, i in enumerate(row):
            strip.paste(pictures[i].resize(sizes[i], Image.Resampling.LANCZOS), (column * side, top))
            if len(pictures) > 1:
                _number(strip, (column * side, top), i + 1)
        top += max(heights[i] for i in row)
    return strip


def _fitted(picture: Image.Image, side: int) -> tuple[int, int]:
    """Return a size with the picture's proportions: as wide as its place, and at most three times as high."""
    scale = min(side / picture.width, 3 * side / picture.height)
    return max(1, round(scale * picture.width) - 2), max(1, round(scale * picture.height) - 2)


def _number(strip: Image.Image, corner: tuple[int, int], number: int) -> None:
    draw = ImageDraw.Draw(strip)
    draw.rectangle((*corner, corner[0] + 20, corner[1] + 18), fill=_INK)
    draw.text((corner[0] + 4, corner[1] + 1), str(number), fill="white", font=_font(14))


def _lines(row: Row) -> list[tuple[str, tuple[int, int, int], int]]:
    """Return a tile's text: (line, colour, size)."""
    question = row.question
    facets = (row.config, question.question_type, question.criterion, question.pressure, question.perturbation)
    lines = [(text, _GREY, 12) for text in _wrap(" · ".join([question.id, *dict.fromkeys(filter(None, facets))]), 12)]
    lines += [(text, _INK, 15) for text in _wrap(question.question, 15)]
    for letter, choice in zip(ascii_uppercase, question.choices, strict=False):
        right = letter == question.answer
        lines += [(text, _GREEN if right else _INK, 14) for text in _wrap(f"{letter}. {choice}", 14)]
    told = question.answer or "the picture shows " + ", ".join(question.objects)
    return lines + [(text, _GREEN, 15) for text in _wrap(f"Answer: {told}", 15)]


def _wrap(text: str, size: int) -> list[str]:
    """Break text into lines that fit a tile; a word too long for a line is cut."""
    font, lines, line = _font(size), [], ""
    for word in text.split():
        while font.getlength(word) > TILE - 12:
            cut = next(n for n in range(len(word), 0, -1) if n == 1 or font.getlength(word[:n]) <= TILE - 12)
            lines += [line, word[:cut]] if line else [word[:cut]]
            line, word = "", word[cut:]
        longer = f"{line} {word}".strip()
        if font.getlength(longer) > TILE - 12:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line] if line else lines


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _colour(number: int) -> tuple[int, int, int]:
    """Return a colour per object, far from those of its neighbours (steps of the golden ratio around the wheel)."""
    red, green, blue = colorsys.hsv_to_rgb(number * 0.618 % 1, 0.85, 0.85)
    return int(red * 255), int(green * 255), int(blue * 255)
