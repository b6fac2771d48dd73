"""Human verification, as MIOH's paper had it: three annotators, majority vote, disagreements dropped and listed."""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import orjson

from vhbench.schema import Question, VhbenchError, read_image

ALLOWED: Final = ("yes", "no", *"ABCDE", "unclear")

_KINDS: Final = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp", b"GIF8": "gif"}


def page(questions: Sequence[Question], content_hash: str) -> str:
    """Return a page with everything inside: images as data, no server, no network, no answers.

    Texts reach the page as JSON with ``<``, ``>`` and ``&`` escaped, and are put in as text, never as HTML.
    """
    images: dict[str, int] = {}
    items = []
    for q in questions:
        numbers = [images.setdefault(_data_url(read_image(image), q.id), len(images)) for image in q.images]
        choices = list(q.choices) if q.kind == "multiple_choice" else ["yes", "no"]
        items.append({"id": q.id, "text": q.question, "kind": q.kind, "choices": choices, "images": numbers})
    data = {"hash": content_hash, "images": list(images), "questions": items}
    text = orjson.dumps(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    template = files("vhbench.analysis").joinpath("review.html").read_text(encoding="utf-8")
    return template.replace("__DATA__", text)


def _data_url(image: bytes, place: str) -> str:
    kind = next((kind for head, kind in _KINDS.items() if image.startswith(head)), None)
    if kind is None:
        raise VhbenchError(f"question {place}: image of unknown kind: must be PNG, JPEG, WebP or GIF")
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


def read_judgments(path: Path, content_hash: str) -> dict[str, str]:
    """Read what one annotator saved: question id → "yes", "no", a letter or "unclear".

    Raises:
        VhbenchError: if the file is malformed or belongs to another split.
    """
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise VhbenchError(f"cannot read judgments {path}: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("judgments"), dict):
        raise VhbenchError(f"{path}: not a file saved from a review page")
    if found.get("hash") != content_hash:
        raise VhbenchError(f"{path}: judges a split with another content hash ({str(found.get('hash'))[:12]}…)")
    for key, value in found["judgments"].items():
        if value not in ALLOWED:
            raise VhbenchError(f"{path}: question {key}: judgment {value!r} must be one of {', '.join(ALLOWED)}")
    return dict(found["judgments"])


def tally(votes: Sequence[Mapping[str, str]], answers: Mapping[str, str]) -> dict[str, Any]:
    """Keep the questions whose answer most annotators gave, of all who were asked.

    Returns:
        ``kept``: ids; ``dropped``: id, the split's answer, the votes and why; ``agreement``: share of votes for the
        split's answer.

    Raises:
        VhbenchError: for a judgment of a question that the split does not have.
    """
    judged: dict[str, list[str]] = {}
    for annotator in votes:
        for key, value in annotator.items():
            if key not in answers:
                raise VhbenchError(f"judged question {key!r} is not in the split")
            judged.setdefault(key, []).append(value)
    kept, dropped = [], []
    for key in sorted(judged):
        most, number = max(Counter(judged[key]).items(), key=lambda item: (item[1], item[0]))
        if 2 * number <= len(judged[key]):
            dropped.append({"id": key, "answer": answers[key], "votes": judged[key], "why": "no majority"})
        elif most != answers[key]:
            dropped.append({"id": key, "answer": answers[key], "votes": judged[key], "why": f"majority says {most}"})
        else:
            kept.append(key)
    said = [value == answers[key] for key, values in judged.items() for value in values]
    return {
        "annotators": len(votes),
        "kept": kept,
        "dropped": dropped,
        "agreement": sum(said) / len(said) if said else None,
    }
