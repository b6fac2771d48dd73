"""General rows to mix in, so that a model does not forget what else it can do: LLaVA's JSON, a row for each turn."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vhbench.files import below, read_image, shown
from vhbench.images import to_store
from vhbench.responses.json_rows import json_rows
from vhbench.schema import CANARY, VhbenchError
from vhbench.training.lessons import Lesson, Message

_MARK = "<image>"


def read_mix(path: Path, images: Path | None) -> tuple[list[Lesson], int]:
    """Read conversations in LLaVA's form: ``{"id", "image", "conversations": [{"from", "value"}, …]}``.

    Only the last answer of a row is learnt, so that a conversation of several turns becomes as many rows.

    Args:
        path: JSON, or JSON lines.
        images: the folder that they are below; None for that of the file.

    Returns:
        The rows, and the number of conversations without an image, which are left out.

    Raises:
        VhbenchError: naming the row, if one has another form, its image is not there, or it holds our canary.
    """
    found: list[Lesson] = []
    blind = 0
    for number, row in enumerate(json_rows(path, ("id", "image", "conversations")), start=1):
        place = f"{path}, row {number}"
        if CANARY.rpartition(":")[2] in str(row):
            raise VhbenchError(f"{place}: holds the canary of vhbench's test data, and must not be trained on")
        names = row.get("image") or []
        names = names if isinstance(names, list) else [names]
        if not names:
            blind += 1
            continue
        found += _turns(row, tuple(_image(images or path.parent, name, place) for name in names), number, place)
    return found, blind


def _image(folder: Path, name: Any, place: str) -> bytes:
    file = below(folder, name) if isinstance(name, str) else None
    if file is None:
        raise VhbenchError(f"{place}: no image {shown(name)} below {folder}; name the folder with --mix-images DIR")
    return to_store(read_image(file))


def _turns(row: Mapping[str, Any], images: tuple[bytes, ...], number: int, place: str) -> Iterator[Lesson]:
    talk = row.get("conversations")
    if not isinstance(talk, list) or len(talk) < 2:
        raise VhbenchError(f"{place}: conversations is {shown(talk)}; must be a list of turns of human and gpt")
    earlier: list[Message] = []
    for place_in, (asked, said) in enumerate(zip(talk[::2], talk[1::2], strict=False)):
        question, answer = (_value(turn, who, place) for turn, who in ((asked, "human"), (said, "gpt")))
        parts = _parts(question, len(images) if not place_in else 0, place)
        yield Lesson(
            id=f"mix-{row.get('id', number)}-{number}-{place_in}", images=images, prompt=tuple(parts), answer=answer,
            form="general", earlier=tuple(earlier),
        )  # fmt: skip
        earlier += [{"role": "user", "content": parts}, {"role": "assistant", "content": [_text(answer)]}]


def _value(turn: Any, who: str, place: str) -> str:
    value = turn.get("value") if isinstance(turn, Mapping) and turn.get("from") == who else None
    if not isinstance(value, str) or (who == "gpt" and not value.strip()):
        raise VhbenchError(
            f"{place}: turn {shown(turn)}: must be {{'from': '{who}', 'value': text}}, human and gpt in turn"
        )
    return value


def _parts(text: str, images: int, place: str) -> list[Message]:
    """Return the parts of a message; the first one shows the images, where it has marks or else before its text."""
    pieces = [piece.strip() for piece in text.split(_MARK)]
    marks = len(pieces) - 1
    if marks not in (0, images):
        raise VhbenchError(f"{place}: {marks} × {_MARK} for {images} images; must be as many, all in the first turn")
    if not marks:
        return [*[_IMAGE] * images, _text(text.strip())]
    found: list[Message] = [_text(pieces[0])] if pieces[0] else []
    for piece in pieces[1:]:
        found += [_IMAGE, *([_text(piece)] if piece else [])]
    return found


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


_IMAGE: Message = {"type": "image", "text": ""}


def taken(lessons: Sequence[Lesson], number: int) -> list[Lesson]:
    """Return the first so many rows; all for 0.

    Raises:
        VhbenchError: if there are fewer.
    """
    if number > len(lessons):
        raise VhbenchError(f"--mix-number {number:,}: the file has only {len(lessons):,} rows with an image")
    return list(lessons[: number or None])
