"""Data files of the site's scripts: names, pairwise numbers, and chunked examples.

Each is one function call with JSON, since a page opened from a folder can only load scripts. No text of a model or
split is used as a key, function name or part of a path.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from vhbench import splits
from vhbench.compare.tables import VERDICTS, verdict
from vhbench.images import open_image, to_display_rgb
from vhbench.leaderboard.rankings import EditionStandings, Rankings
from vhbench.leaderboard.site_views import EditionView
from vhbench.splits import answer_keys
from vhbench.statistics.all_pairs import AllPairs
from vhbench.tasks.metrics.registry import headline_of

PIECE = 200_000  # size in bytes after which a new file of examples begins: captions are much longer than letters
LARGEST_IMAGE = 300_000  # size in bytes above which the site has a smaller version of an image
MOST_SHOWN = 4000  # maximum shown characters of a response

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
# responses of a model, their predictions, and whether they are correct
ModelAnswers = tuple[Sequence[str], Sequence[str], Sequence[bool]]
_KINDS = ((b"\x89PNG\r\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"RIFF", "webp"))


def script(function: str, *values: object) -> bytes:
    """Return a function call with JSON arguments, for a script tag."""
    body = b",".join(orjson.dumps(value) for value in values)
    for sign, code in ((b"<", b"\\u003c"), (b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029")):
        body = body.replace(sign, code)
    return function.encode() + b"(" + body + b");\n"


def tenths(value: float, *, exact: bool = False) -> float | None:
    """Return a share as tenths of a point, None for NaN; an exact one, of a significant difference, never as 0.

    >>> tenths(0.0123), tenths(0.00004), tenths(0.00004, exact=True)
    (12, 0, 0.04)
    """
    if value != value:
        return None
    return round(1000 * value) or (float(f"{1000 * value:.1g}") if exact else 0)


def names(standings: Rankings, views: Sequence[EditionView]) -> bytes:
    """Return ``data/board.js``: models, editions, subsets, and the scores of every model in each."""
    models = [[model.slug, model.about.name, model.about.reference, model.tier] for model in standings.models]
    editions = []
    for one, view in zip(standings.editions, views, strict=True):
        members = list(one.members)
        family = one.questions.main.family.name
        scores = [[one.headline(number) for number in members]]
        scores += [[one.rescorings[n].parts[family][place] for n in members] for place in range(len(view.parts))]
        values = [[None if score.value is None else round(10 * score.value) for score in part] for part in scores]
        parts = [f"all questions: {view.headline}", *(f"{group}: {name}" for group, name in view.parts)]
        about = {"name": view.name, "title": view.title, "hidden": one.edition.hidden, "members": members}
        editions.append({**about, "parts": parts, "values": values})
    return script("board.start", {"models": models, "editions": editions, "verdicts": VERDICTS})


def pairs(standings: Rankings) -> Iterator[tuple[int, bytes]]:
    """Yield for each model its numbers from all others: edition → subset → value, low, high, verdict."""
    for model in standings.models:
        parts: list[list[list[float | None]] | None] = []
        for one in standings.editions:
            if model.number in one.members:
                at, better = list(one.members).index(model.number), headline_of(one.questions.main.family.name)
                rows = zip(one.pairs, one.significant, strict=True)
                parts.append([_flat(pair, significant[at], at, better.higher_is_better) for pair, significant in rows])
            else:
                parts.append(None)
        yield model.number, script("board.pairs", model.number, parts)


def _flat(
    pairs: AllPairs, significant: npt.NDArray[np.bool_], at: int, higher_is_better: bool | None
) -> list[float | None]:
    """Return a flat list of four numbers per other model; verdicts as indices into :data:`VERDICTS`."""
    numbers: list[float | None] = []
    columns = (column[at].tolist() for column in (pairs.value, pairs.low, pairs.high, pairs.p))
    for value, low, high, p, sure in zip(*columns, significant.tolist(), strict=True):
        word = verdict(value, significant=sure, tested=p == p, higher_is_better=higher_is_better)
        numbers += [tenths(value), tenths(low, exact=sure), tenths(high, exact=sure), VERDICTS.index(word)]
    return numbers


def write_examples(one: EditionStandings, out: Path) -> None:
    """Write the questions of an edition, unless hidden, with all responses: correctness bits, and chunks."""
    if one.edition.hidden or answer_keys.is_key(one.questions.source):
        return
    folder = out / "data" / one.edition.name
    folder.mkdir(parents=True)
    members = sorted(one.rescorings)
    models = [(one.responses[number], one.rescorings[number]) for number in members]
    answers = [(responses, rescoring.predictions, rescoring.right.tolist()) for responses, rescoring in models]
    cells = [one.questions.cell(place) for place in range(len(one.questions.rows))]
    subsets = list(dict.fromkeys(cells))
    where = {cell: number for number, cell in enumerate(subsets)}
    bits = np.packbits(np.stack([one.rescorings[number].right for number in members], axis=1), axis=1)
    starts, rows, size = [0], list[bytes](), 0
    for place, images in enumerate(_images(one, out / "images")):
        rows.append(orjson.dumps(_example(one.questions.rows[place], place, images, answers)))
        size += len(rows[-1])
        if size > PIECE or place == len(cells) - 1:
            number = len(starts) - 1
            piece = [orjson.Fragment(row) for row in rows]
            (folder / f"{number}.js").write_bytes(script("board.piece", one.edition.name, number, piece))
            starts, rows, size = [*starts, place + 1], [], 0
    index = {
        "ids": [row["id"] for row in one.questions.rows],
        "cells": subsets,
        "cell": [where[cell] for cell in cells],
        "models": members,
        "starts": starts[:-1],
    }
    (folder / "index.js").write_bytes(script("board.index", one.edition.name, index))
    text = base64.b64encode(bits.tobytes()).decode()
    (folder / "bits.js").write_bytes(script("board.bits", one.edition.name, text))


def _example(row: Mapping[str, Any], place: int, images: Sequence[str], answers: Sequence[ModelAnswers]) -> list[Any]:
    """Return question, options, answer, images, distinct responses with predictions, and each model's response."""
    texts = dict[tuple[str, str, bool], int]()
    numbers = []
    for responses, predictions, right in answers:
        response = responses[place]
        if len(response) > MOST_SHOWN:
            response = f"{response[:MOST_SHOWN]} … ({len(response):,} characters)"
        numbers.append(texts.setdefault((response, predictions[place], right[place]), len(texts)))
    code: Any = "".join(ALPHABET[n] for n in numbers) if len(texts) <= len(ALPHABET) else numbers
    answer = row["answer"] or ", ".join(row["objects"])
    return [row["question"], row["choices"], answer, images, [[text, parsed] for text, parsed, _ in texts], code]


def _images(one: EditionStandings, folder: Path) -> Iterator[list[str]]:
    """Yield the image files of each question, written once under their hash."""
    folder.mkdir(exist_ok=True)
    source, files = one.questions.source, dict[bytes, str]()
    checked = splits.CheckedRows(source, splits.read_manifest(source))
    index = {row["id"]: number for number, (_, row) in enumerate(splits.read_columns(source, ["id"]))}
    for row in one.questions.rows:
        digests = checked.digests(index[row["id"]])
        if not files.keys() >= set(digests):
            files |= {
                d: _write(d, data, folder) for d, data in zip(digests, checked.images(index[row["id"]]), strict=True)
            }
        yield [files[digest] for digest in digests]


def _write(digest: bytes, data: bytes, folder: Path) -> str:
    kind = next((kind for begin, kind in _KINDS if data.startswith(begin)), "")
    as_is = kind and len(data) <= LARGEST_IMAGE
    file = folder / f"{digest.hex()[:20]}.{kind if as_is else 'jpg'}"
    if file.exists():
        return file.name
    if as_is:
        file.write_bytes(data)
    else:  # large, or a format that browsers may not support
        image = to_display_rgb(open_image(data))
        image.thumbnail((1024, 1024))
        image.save(file, "JPEG", quality=90)
    return file.name
