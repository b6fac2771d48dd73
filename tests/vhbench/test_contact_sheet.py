"""Sheets show each question with its images and words."""

import io

import numpy as np
import pytest
from PIL import Image

from vhbench.contact_sheet import FORM, TILE, comparison_sheet, contact_sheet
from vhbench.schema import Question, Row, VhbenchError


def png(width: int, height: int, colour: str = "red", mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, (width, height), colour).save(buffer, "PNG")
    return buffer.getvalue()


def question(*images: bytes, text: str = "Is it?", perturbation: str = "") -> Question:
    return Question("q", images=images, question=text, answer="yes", kind="yes_no", benchmark="ode",
                    perturbation=perturbation)  # fmt: skip


def has(sheet: Image.Image, colour: tuple[int, int, int]) -> bool:
    return bool((np.asarray(sheet) == colour).all(axis=2).any())


@pytest.mark.parametrize(("rows", "across"), [(1, 1), (3, 3), (5, 4)])
def test_tiles_stand_side_by_side(rows: int, across: int) -> None:
    sheet = contact_sheet([Row("a", question(png(40, 40)))] * rows)
    assert sheet.width == across * (TILE + 10) + 10
    assert sheet.height > -(-rows // across) * TILE


def test_every_image_of_a_question_is_there() -> None:
    colours = [(255, 0, 0), (0, 128, 0), (0, 0, 255), (255, 255, 0), (0, 255, 255)]
    images = [png(30, 60, "#{:02x}{:02x}{:02x}".format(*colour)) for colour in colours]
    sheet = contact_sheet([Row("a", question(*images))])
    assert all(has(sheet, colour) for colour in colours)


def test_long_words_are_broken_into_lines() -> None:
    short, long = (contact_sheet([Row("a", question(png(9, 9), text="W" * n))]) for n in (1, 400))
    assert long.width == short.width
    assert long.height >= short.height + 8 * 18


def test_what_shows_through_is_white() -> None:
    sheet = contact_sheet([Row("a", question(png(9, 9, "#ff000000", "RGBA")))])
    assert not has(sheet, (255, 0, 0))


def test_forms_stand_beside_their_original() -> None:
    forms = [question(png(9, 9, "red")), question(png(9, 9, "blue"), perturbation="jpeg")]
    sheet = comparison_sheet([(forms, question(b"", text="Is it not?"))])
    assert sheet.width == 2 * (FORM + 10) + 10
    assert has(sheet, (255, 0, 0))
    assert has(sheet, (0, 0, 255))


def test_a_damaged_image_is_named() -> None:
    with pytest.raises(VhbenchError, match="question 'q', image 2: image cannot be decoded"):
        contact_sheet([Row("a", question(png(9, 9), b"x"))])
