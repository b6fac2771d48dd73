"""The page on which people answer questions, in parts that a browser opens at once; and what is put on it."""

import base64
import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

import orjson
from PIL import Image

from vhbench.files import read_image
from vhbench.images import kept_if_small, open_image, to_display_rgb
from vhbench.schema import Question

_ROOM: Final = 24_000_000
"""Bytes of questions and images of a part: with the page 25 MB, which browsers open at once, and can be mailed."""

_SIDES: Final = (2048, 1280, 800, 512, 256, 128)  # to which an image is made smaller that would fill a part, in pixels
_KINDS: Final = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


@dataclass
class ReviewPart:
    """Some questions with their images.

    Attributes:
        number: from 1.
        alone: whether it is all there is.
    """

    number: int
    alone: bool = False
    items: list[bytes] = field(default_factory=list)
    images: dict[str, str] = field(default_factory=dict)
    size: int = 0

    def page(self, content_hash: str) -> str:
        """Return the page, with everything inside: no server, no network, no answers.

        Texts reach it as JSON with ``<``, ``>`` and ``&`` escaped, and are put in as text, never as HTML.
        """
        head = orjson.dumps({"hash": content_hash, "part": 0 if self.alone else self.number})
        lists = {"images": map(orjson.dumps, self.images.values()), "questions": self.items}
        rest = b"".join(b',"%s":[%s]' % (name.encode(), b",".join(values)) for name, values in lists.items())
        template = files("vhbench.analysis").joinpath("review.html").read_text(encoding="utf-8")
        return template.replace("__DATA__", (head[:-1] + rest + b"}").decode())


def pages(questions: Iterable[Question], content_hash: str) -> Iterator[tuple[str, ReviewPart]]:
    """Yield pages of at most 25 MB, each with what it holds; at most two are in memory."""
    part = ReviewPart(1)
    for question in questions:
        shown = [_shown(read_image(image), len(question.images)) for image in question.images]
        if part.items and part.size + _more(part, question, shown) > _ROOM:
            yield part.page(content_hash), part
            part = ReviewPart(part.number + 1)
        _put(part, question, shown)
    if part.items:
        part.alone = part.number == 1
        yield part.page(content_hash), part


def _more(part: ReviewPart, question: Question, shown: list[tuple[str, str]]) -> int:
    """Return how many bytes a question would add."""
    new = {digest: url for digest, url in shown if digest not in part.images}
    return len(_item(question, [])) + 5 * len(shown) + sum(map(len, new.values()))


def _put(part: ReviewPart, question: Question, shown: list[tuple[str, str]]) -> None:
    for digest, url in shown:
        if digest not in part.images:
            part.images[digest] = url
            part.size += len(url)
    places = list(part.images)
    part.items.append(_item(question, [places.index(digest) for digest, _ in shown]))
    part.size += len(part.items[-1])


def _item(q: Question, images: list[int]) -> bytes:
    choices = list(q.choices) if q.kind == "multiple_choice" else ["yes", "no"]
    item = {"id": q.id, "text": q.question, "kind": q.kind, "choices": choices, "images": images}
    text = orjson.dumps(item).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode()


@kept_if_small
def _shown(data: bytes, images: int) -> tuple[str, str]:
    """Return the key of an image, and its data URL.

    Raises:
        VhbenchError: if it cannot be decoded within bounds.
    """
    digest, opened = hashlib.sha256(data).hexdigest(), open_image(data)
    kind = next((kind for head, kind in _KINDS.items() if data.startswith(head)), "")
    budget = _ROOM * 3 // 4 // max(images, 4)
    if kind and len(data) <= budget:
        return digest, _url(kind, data)
    return digest, _url("jpeg", _smaller(to_display_rgb(opened), budget))


def _smaller(image: Image.Image, budget: int) -> bytes:
    """Return an image as JPEG within a size limit, scaled down if necessary."""
    data = b""
    for side in _SIDES:
        image.thumbnail((side, side))
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=90)
        data = buffer.getvalue()
        if len(data) <= budget:
            break
    return data


def _url(kind: str, data: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
