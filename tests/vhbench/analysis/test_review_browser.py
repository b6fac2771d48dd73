"""The pages of a review in a real browser."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from vhbench.analysis.review_pages import pages
from vhbench.images import to_png
from vhbench.schema import Question
from vhbench.seeding import rng


def photo(number: int) -> bytes:
    """A picture of some 60 kB that no other is like."""
    pixels = rng(number, "photo").integers(0, 256, (128, 160, 3), dtype=np.uint8)
    return to_png(Image.fromarray(pixels).resize((320, 256), Image.Resampling.NEAREST))


def question(number: int) -> Question:
    shown = tuple(photo(2 * number + place) for place in range(2))
    choices = ("Image 1", "Image 2")
    return Question(
        f"q{number}",
        kind="multiple_choice",
        question="Which image shows a <b>kite</b>?",
        question_type="E2",
        images=shown,
        answer="A",
        choices=choices,
    )


@pytest.mark.slow
def test_a_review_of_a_thousand_images_opens_and_keeps_what_was_answered(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    asked = 0
    for text, part in pages((question(number) for number in range(500)), "hash"):
        assert len(text.encode()) <= 25_000_000
        (file := tmp_path / f"review-{part.number}.html").write_text(text, encoding="utf-8")
        page, said = context.new_page(), list[str]()
        page.on("console", lambda line, said=said: said.append(line.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.goto(file.as_uri())
        page.get_by_label("Annotator").fill("ann")
        page.keyboard.press("Enter")
        assert page.locator("h1").inner_text() == "Which image shows a <b>kite</b>?"
        page.wait_for_function("[...document.images].every(image => image.complete && image.naturalWidth === 320)")
        for key in "aub":
            page.keyboard.press(key)
        page.reload()
        place = f"Part {part.number}, question 4 of {len(part.items)}, 3 answered"
        assert page.locator("#place").inner_text() == place  # it goes on where it was left
        with page.expect_download() as download:
            page.keyboard.press("s")
        saved = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
        first = {f"q{asked + place}": value for place, value in enumerate(("A", "unclear", "B"))}
        assert saved == {"hash": "hash", "part": part.number, "annotator": "ann", "judgments": first}
        assert said == []
        asked += len(part.items)
        page.close()
    assert asked == 500
    assert part.number > 1
    context.close()
