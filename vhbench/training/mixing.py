"""General instruction data against forgetting: LLaVA's JSON, one row per turn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vhbench.files import is_inside, quote_value, read_image
from vhbench.images import to_store
from vhbench.json_rows import each_row
from vhbench.near_duplicates import Fingerprint
from vhbench.schema import CANARY, VhbenchError
from vhbench.seeding import rng
from vhbench.training.examples import Message, TrainingExample

_MARK = "<image>"

Picture = tuple[bytes, Fingerprint | None]  # an image and its fingerprint

Keep = Callable[[bytes, Fingerprint | None, str], bool]
"""Whether an image (with its fingerprint and location) may be trained on."""


def read_mix(
    path: Path, images: Path | None, number: int = 0, *, seed: int = 0, keep: Keep = lambda image, seen, place: True
) -> tuple[list[TrainingExample], int]:
    """Read conversations in LLaVA's format.

    A row is ``{"id", "image", "conversations": [{"from", "value"}, …]}``.

    Only a row's last answer is trained on, so a multi-turn conversation becomes several rows. Only sampled images are
    opened: LLaVA's files list more than a hundred thousand.

    Args:
        path: JSON, or JSON lines.
        images: folder of the images; None for the file's folder.
        number: number of sampled rows; 0 for all.
        seed: random seed.
        keep: called with each image and its location; rows with a rejected image are left out.

    Returns:
        The rows in file order, and the number of conversations without an image, which are left out.

    Raises:
        VhbenchError: naming the row, if its format is invalid, its image is missing, or it has vhbench's canary; and if
            there are fewer rows than ``number``.
    """
    talks = list(_talks(path))
    seen = [talk for talk in talks if talk.names]
    turns = [(i, turn) for i, talk in enumerate(seen) for turn in range(len(talk.row["conversations"]) // 2)]
    order = rng(seed, "mix").permutation(len(turns)) if number else range(len(turns))
    examples: dict[tuple[int, int], TrainingExample] = {}
    folder, before = images or path.parent, dict[str, Picture]()
    for place in order:
        at, turn = turns[int(place)]
        talk = seen[at]
        pictures = tuple(_image(folder, name, talk.place, before) for name in talk.names)
        if all(keep(*picture, talk.place) for picture in pictures):
            examples[at, turn] = _turn(talk, tuple(image for image, _ in pictures), turn)
        if 0 < number == len(examples):
            break
    if number > len(examples):
        raise VhbenchError(f"--mix-number {number:,}: the file has only {len(examples):,} rows with an image")
    return [examples[key] for key in sorted(examples)], len(talks) - len(seen)


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation: its row, location and image names."""

    row: Mapping[str, Any]
    number: int
    place: str
    names: Sequence[Any]


def _talks(path: Path) -> Iterator[_Talk]:
    mark = CANARY.rpartition(":")[2]
    for number, row in enumerate(each_row(path, ("id", "image", "conversations")), start=1):
        place = f"{path}, row {number}"
        if mark in str(row):
            raise VhbenchError(f"{place}: holds the canary of vhbench's test data, and must not be trained on")
        talk = row.get("conversations")
        if not isinstance(talk, list) or len(talk) < 2:
            raise VhbenchError(
                f"{place}: conversations: expected a list of turns of human and gpt, got {quote_value(talk)}"
            )
        names = row.get("image") or []
        yield _Talk(row, number, place, names if isinstance(names, list) else [names])


def _image(folder: Path, name: Any, place: str, before: dict[str, Picture]) -> Picture:
    """Return an image as stored, and its fingerprint; ``before`` is the cache."""
    if isinstance(name, str) and name in before:
        return before[name]
    file = is_inside(folder, name) if isinstance(name, str) else None
    if file is None:
        raise VhbenchError(
            f"{place}: no image {quote_value(name)} below {folder}; name the folder with --mix-images DIR"
        )
    image = to_store(read_image(file))
    try:
        before[name] = image, Fingerprint.of(image)
    except VhbenchError as error:
        raise VhbenchError(f"{place}, image {name}: {error}") from error
    return before[name]


def _turn(talk: _Talk, images: tuple[bytes, ...], last: int) -> TrainingExample:
    """Return the row that trains one answer, with the messages before it."""
    earlier: list[Message] = []
    turns = talk.row["conversations"]
    for turn in range(last + 1):
        prompt, reply = turns[2 * turn : 2 * turn + 2]
        question, answer = (_value(part, who, talk.place) for part, who in ((prompt, "human"), (reply, "gpt")))
        parts = _parts(question, 0 if turn else len(images), talk.place)
        before = tuple(earlier)
        earlier += [{"role": "user", "content": parts}, {"role": "assistant", "content": [_text(answer)]}]
    return TrainingExample(
        id=f"mix-{talk.row.get('id', talk.number)}-{talk.number}-{last}", images=images, prompt=tuple(parts),
        answer=answer, form="general", earlier=before,
    )  # fmt: skip


def _value(turn: Any, who: str, place: str) -> str:
    value = turn.get("value") if isinstance(turn, Mapping) and turn.get("from") == who else None
    if not isinstance(value, str) or (who == "gpt" and (not value.strip() or _MARK in value)):
        raise VhbenchError(
            f"{place}: turn {quote_value(turn)}: expected {{'from': '{who}', 'value': text}}, human and gpt in turn, "
            f"and no answer with {_MARK}"
        )
    return value


def _parts(text: str, images: int, place: str) -> list[Message]:
    """Return a message's parts; the first has the images, at its marks or before its text."""
    pieces = [piece.strip() for piece in text.split(_MARK)]
    marks = len(pieces) - 1
    if marks not in (0, images):
        raise VhbenchError(
            f"{place}: expected one {_MARK} per image, all in the first turn, got {marks} for {images} images"
        )
    if not marks:
        return [*[_IMAGE] * images, _text(text.strip())]
    parts: list[Message] = [_text(pieces[0])] if pieces[0] else []
    for piece in pieces[1:]:
        parts += [_IMAGE, *([_text(piece)] if piece else [])]
    return parts


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


_IMAGE: Message = {"type": "image", "text": ""}
