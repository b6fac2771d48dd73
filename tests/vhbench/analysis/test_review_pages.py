"""The page on which people judge questions: what is on it, how large it is, and what a browser is spared."""

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from vhbench.analysis import review_pages
from vhbench.analysis.review_pages import MOST_BYTES, pages
from vhbench.schema import Question


def question(number: int, *images: bytes) -> Question:
    return Question(
        f"q{number}", images=images, question="Is there a dog?", answer="yes", kind="yes_no", benchmark="mioh"
    )


def noise(number: int, side: int = 32, kind: str = "PNG") -> bytes:
    """An image that hardly compresses."""
    buffer = io.BytesIO()
    pixels = np.random.default_rng(number).integers(0, 256, (side, side, 3), np.uint8)
    Image.fromarray(pixels).save(buffer, kind)
    return buffer.getvalue()


def data_of(page: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.split('id="data">')[1].split("</script>")[0])
    return data


def test_a_page_holds_no_answer_and_no_markup_of_the_data() -> None:
    nasty = "</script><img src=x onerror=alert(1)>"
    q = Question(
        "q<b>",
        images=(b"\x89PNG....",),
        question=nasty,
        answer="C",
        kind="multiple_choice",
        benchmark="mioh",
        choices=(nasty, "b", "c"),
    )
    page, _ = next(review_pages.pages([q], "hash"))
    assert "</script><img" not in page
    data = data_of(page)
    assert data["questions"][0]["text"] == nasty
    assert "answer" not in data["questions"][0]


def test_an_image_is_on_a_page_once() -> None:
    one, two = noise(1), noise(2)
    data = data_of(next(review_pages.pages([question(1, one, two), question(2, two, one, two)], "hash"))[0])
    assert [len(data["images"]), *(q["images"] for q in data["questions"])] == [2, [0, 1], [1, 0, 1]]
    assert data["part"] == 0


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Make parts a hundred times smaller."""
    monkeypatch.setattr(review_pages, "_ROOM", 240_000)
    return 240_000


def test_a_large_review_comes_in_parts(small: int) -> None:
    rows = [question(i, noise(i, 120), noise(i + 1, 120)) for i in range(20)]  # 43 kB an image
    found = list(pages(iter(rows), "hash"))
    assert len(found) >= 4
    assert [part.number for _, part in found] == list(range(1, len(found) + 1))
    shown = [data_of(text) for text, _ in found]
    assert [q["id"] for data in shown for q in data["questions"]] == [row.id for row in rows]
    assert [data["part"] for data in shown] == [part.number for _, part in found]
    for (text, part), data in zip(found, shown, strict=True):
        assert len(text) < small + 20_000
        assert not part.alone
        for q in data["questions"]:
            assert max(q["images"]) < len(data["images"])


def test_an_image_that_would_fill_a_part_is_made_smaller(small: int) -> None:
    ((text, part),) = pages([question(1, *(noise(i, 500) for i in range(4)))], "hash")
    data = data_of(text)
    assert len(text) < small + 20_000
    assert all(url.startswith("data:image/jpeg") for url in data["images"])
    assert part.notes == []


def bomb(side: int) -> bytes:
    """A PNG of a few kB that unpacks to gigabytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 9999))
        + chunk(b"IEND", b"")
    )


BAD = {
    "no image": (b"\x89PNG....", "cannot be decoded"),
    "cut": (noise(1)[:200], "cannot be decoded"),
    "a script": (b"<svg onload=alert(1)>", "cannot be decoded"),
    "bomb": (bomb(9_000), "of 9000 × 9000 pixels; at most 64 megapixels"),
    "larger bomb": (bomb(60_000), "exceeds limit of"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_browser_cannot_show_has_a_placeholder_and_a_line(name: str) -> None:
    bad, why = BAD[name]
    ((text, part),) = pages([question(1, noise(1), bad)], "hash")
    (note,) = part.notes
    assert note.startswith("question q1, image 2: image ")
    assert why in note
    assert note.endswith("; the page shows a note instead")
    _, url = data_of(text)["images"]
    assert url.startswith("data:image/png;base64,")
    assert len(url) < 20_000


def test_the_limit_is_that_of_a_mail(tmp_path: Path) -> None:
    assert MOST_BYTES == 25_000_000
    assert MOST_BYTES - review_pages._ROOM > 100_000
