"""The page on which people answer questions, in parts that a browser opens at once; and what is put on it."""

import base64
import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

import orjson
from PIL import Image, ImageDraw

from vhbench.contact_sheet import font
from vhbench.files import read_image
from vhbench.images import kept_if_small, open_image, to_display_rgb, to_png
from vhbench.schema import Question, VhbenchError

MOST_BYTES: Final = 25_000_000  # what one part holds at most: browsers open it at once, and it can be sent to people
_ROOM: Final = 24_000_000  # of it for questions and images
_SIDES: Final = (2048, 1280, 800, 512, 256, 128)  # to which an image is made smaller that would fill a part, in pixels
_ESCAPED: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}
_KINDS: Final = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


@dataclass
class ReviewPart:
    """Some questions with their images."""

    number: int  # from 1
    alone: bool = False  # whether it is all there is
    items: list[bytes] = field(default_factory=list)
    images: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what cannot be shown, and why; one line each
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
        images = [_displayable(read_image(image), len(question.images)) for image in question.images]
        new = {digest: url for digest, url, _ in images if digest not in part.images}
        added = len(_item(question, [])) + 5 * len(images) + sum(map(len, new.values()))
        if part.items and part.size + added > _ROOM:
            yield part.page(content_hash), part
            part = ReviewPart(part.number + 1)
        for number, (digest, url, fault) in enumerate(images, start=1):
            if digest not in part.images:
                part.images[digest] = url
                part.size += len(url)
            if fault:
                part.notes.append(f"question {question.id}, image {number}: {fault}; the page shows a note instead")
        places = list(part.images)
        part.items.append(_item(question, [places.index(digest) for digest, _, _ in images]))
        part.size += len(part.items[-1])
    if part.items:
        part.alone = part.number == 1
        yield part.page(content_hash), part


def _item(q: Question, images: list[int]) -> bytes:
    choices = list(q.choices) if q.kind == "multiple_choice" else ["yes", "no"]
    item = {"id": q.id, "text": q.question, "kind": q.kind, "choices": choices, "images": images}
    return orjson.dumps(item).decode().translate(_ESCAPED).encode()


@kept_if_small
def _displayable(data: bytes, images: int) -> tuple[str, str, str]:
    """Return the key of an image, its data URL, and the reason why it cannot be shown, or "".

    It is decoded here, within bounds: no browser is handed what unpacks to gigabytes, or what it cannot decode.
    """
    digest = hashlib.sha256(data).hexdigest()
    try:
        opened = open_image(data)
    except VhbenchError as error:
        note = Image.new("RGB", (480, 120), "white")
        ImageDraw.Draw(note).text((12, 12), "This image cannot be shown.\nPress U.", fill="black", font=font(18))
        ImageDraw.Draw(note).text((12, 80), str(error)[:80], fill="grey", font=font(11))
        return digest, _url("png", to_png(note)), str(error)
    kind = next((kind for head, kind in _KINDS.items() if data.startswith(head)), "")
    budget = _ROOM * 3 // 4 // max(images, 4)
    if kind and len(data) <= budget:
        return digest, _url(kind, data), ""
    smaller = to_display_rgb(opened)
    for side in _SIDES:
        smaller.thumbnail((side, side))
        buffer = io.BytesIO()
        smaller.save(buffer, "JPEG", quality=90)
        if buffer.tell() <= budget:
            break
    return digest, _url("jpeg", buffer.getvalue()), ""


def _url(kind: str, data: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
