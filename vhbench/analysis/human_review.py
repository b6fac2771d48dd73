"""Human verification, as MIOH's paper had it: three annotators, majority vote, disagreements dropped and listed."""

import base64
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import orjson

from vhbench.files import canonical, read_image, read_json
from vhbench.schema import Question, VhbenchError
from vhbench.seeding import rng

ANNOTATORS: Final = 3
"""How many the protocol wants."""

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


ASKED_OF_TWINS: Final = "Are the right answers to these two questions opposite, whatever the picture shows?"


def twins(questions: Iterable[Question], count: int, seed: int = 0) -> list[Question]:
    """Return questions about pairs of VHExpansion, for people to judge: is the twin the opposite of its question?

    As the paper's authors verified a hundred by hand. Pairs of unchanged images stand for their perturbed ones, which
    have the same words; equal words are judged once. The wordings (natural, quoted …) take turns.

    Args:
        questions: of a split of VHExpansion.
        count: how many pairs at most.
        seed: decides which.
    """
    clean = [q for q in questions if q.pair_id and not q.perturbation]
    asked = {q.pair_id: q for q in clean if not q.negated}
    pairs = {(asked[q.pair_id].question, q.question): q for q in clean if q.negated and q.pair_id in asked}
    waiting: dict[str, list[tuple[str, str]]] = {}
    found = sorted(pairs)
    for index in rng(seed, "review", "twins").permutation(len(found)).tolist():
        waiting.setdefault(pairs[found[index]].mode, []).append(found[index])
    turns = sorted((place, mode, pair) for mode, mode_pairs in waiting.items() for place, pair in enumerate(mode_pairs))
    return [
        replace(pairs[pair], question=f"{ASKED_OF_TWINS}\n1. {pair[0]}\n2. {pair[1]}", answer="yes")
        for _, _, pair in turns[:count]
    ]


def of_twins(content_hash: str) -> str:
    """Return what judgments of twins name as their split, so that they are not taken for answers."""
    return f"{content_hash}-twins"


def _data_url(image: bytes, place: str) -> str:
    kind = next((kind for head, kind in _KINDS.items() if image.startswith(head)), None)
    if kind is None:
        raise VhbenchError(f"question {place}: image of unknown kind: must be PNG, JPEG, WebP or GIF")
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


def read_judgments(paths: Sequence[Path], content_hash: str) -> list[dict[str, str]]:
    """Read what annotators saved, one file each: question id → "yes", "no", a letter or "unclear".

    Raises:
        VhbenchError: if a file is malformed, belongs to another split, or is there twice, by its path or content; or
            two are by the same annotator.
    """
    files_of: dict[str, Path] = {}
    contents: dict[bytes, Path] = {}
    seen: set[Path] = set()
    votes = []
    for path in paths:
        content, annotator, judgments = _read(path, content_hash)
        if path.resolve() in seen:
            raise VhbenchError(f"{path}: this file is there twice; needed: one file for each annotator")
        seen.add(path.resolve())
        if annotator and (other := files_of.setdefault(annotator, path)) is not path:
            raise VhbenchError(f"{path}: annotator {annotator!r} has judged in {other} already; needed: one file each")
        if (other := contents.setdefault(content, path)) is not path:
            raise VhbenchError(f"{path}: has the same content as {other}; needed: one file for each annotator")
        votes.append(judgments)
    return votes


def _read(path: Path, content_hash: str) -> tuple[bytes, str, dict[str, str]]:
    """Return a file's content, the annotator's name and the judgments."""
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("judgments"), dict):
        raise VhbenchError(f"{path}: not a file saved from a review page")
    if found.get("hash") != content_hash:
        raise VhbenchError(f"{path}: judges a split with another content hash ({str(found.get('hash'))[:12]}…)")
    for key, value in found["judgments"].items():
        if value not in ALLOWED:
            raise VhbenchError(f"{path}: question {key}: judgment {value!r} must be one of {', '.join(ALLOWED)}")
    return canonical(found), str(found.get("annotator") or ""), dict(found["judgments"])


def tally(votes: Sequence[Mapping[str, str]], answers: Mapping[str, str]) -> dict[str, Any]:
    """Keep the questions to which most annotators, of all who sent judgments, gave the split's answer.

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
        why = _fault(judged[key], answers[key], len(votes))
        if why:
            dropped.append({"id": key, "answer": answers[key], "votes": judged[key], "why": why})
        else:
            kept.append(key)
    said = [value == answers[key] for key, values in judged.items() for value in values]
    return {
        "annotators": len(votes),
        "kept": kept,
        "dropped": dropped,
        "agreement": sum(said) / len(said) if said else None,
    }


def _fault(votes: Sequence[str], answer: str, annotators: int) -> str:
    """Tell why a question is dropped, or ""."""
    if 2 * len(votes) <= annotators:
        return f"judged by {len(votes)} of {annotators}"
    most, number = max(Counter(votes).items(), key=lambda item: (item[1], item[0]))
    if 2 * number <= annotators:
        return "no majority"
    return "" if most == answer else f"majority says {most}"
