"""Training set files: Parquet or an image folder for TRL, LLaVA's JSON, each with a card."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import vhbench
from vhbench.files import canonical, json_bytes, write_atomic
from vhbench.images import stored_format
from vhbench.schema import VhbenchError
from vhbench.training import training_card
from vhbench.training.examples import FACETS, TrainingExample

PROVENANCE = "provenance.json"
_ROWS_A_GROUP = 200
_PART = pa.struct([("type", pa.string()), ("text", pa.string())])
MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.list_(_PART))]))
IMAGES = pa.list_(pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
_SHORT = ("id", "form", "right", "rejected_by")


def write(
    folder: Path,
    lessons: Sequence[TrainingExample],
    layout: str,
    provenance: Mapping[str, Any],
    *,
    preferences: bool = False,
) -> str:
    """Write rows with their card and provenance into a new or empty folder; return a line about them.

    Args:
        folder: created if missing.
        lessons: in output order.
        layout: "parquet" (one file, images in it), "folder" (``metadata.jsonl`` and images), "llava" (``llava.json``),
            "sharegpt" (``sharegpt.json``, for LLaMA-Factory).
        provenance: JSON types only.
        preferences: pairs for DPO (``prompt``, ``chosen``, ``rejected``) instead of ``messages``.

    Raises:
        VhbenchError: if there is nothing to write; and as :func:`check_free`.
    """
    if not lessons:
        raise VhbenchError(f"{folder}: no rows left to write")
    check_free(folder, layout)
    folder.mkdir(parents=True, exist_ok=True)
    files = _LAYOUTS[layout](folder, lessons, preferences)
    counts = training_card.counts(lessons)
    digests = {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    record = {**provenance, "vhbench": vhbench.__version__, "counts": counts, "files": digests}
    write_atomic(folder / PROVENANCE, json_bytes(record))
    write_atomic(folder / "README.md", training_card.card(record, layout, preferences=preferences).encode())
    forms, right = (", ".join(f"{name} {n:,}" for name, n in counts[key].items()) for key in ("form", "right"))
    several = sum(len(lesson.images) > 1 for lesson in lessons) if layout == "llava" else 0
    note = f"; {several:,} have several images, which LLaVA-NeXT's trainer reads and LLaVA-1.5's does not"
    return (
        f"{folder}: {counts['rows']:,} rows about {counts['images']:,} images ({forms}; reference answers: "
        f"{right or 'none'}){note if several else ''}"
    )


def check_free(folder: Path, layout: str = "parquet", *, preferences: bool = False) -> None:
    """Raise unless an output folder is missing or empty, and the rows have the layout (LLaVA's has no preferences)."""
    if layout not in _LAYOUTS:
        raise VhbenchError(f"--layout: expected one of {', '.join(_LAYOUTS)}, got {layout}")
    if preferences and layout == "llava":
        raise VhbenchError(
            "--layout: expected parquet, folder or sharegpt for preference pairs, got llava, whose JSON has none"
        )
    if folder.exists() and not folder.is_dir():
        raise VhbenchError(f"--out: expected a new folder, got the file {folder}")
    if folder.exists() and any(folder.iterdir()):
        raise VhbenchError(f"--out {folder}: is not empty; rows of two exports would mix")


def _columns(lesson: TrainingExample, preferences: bool) -> dict[str, Any]:
    """Return an example's row in TRL's format, without its images."""
    chosen, rejected = (
        {"role": "assistant", "content": [{"type": "text", "text": text}]} for text in (lesson.answer, lesson.rejected)
    )
    pair: dict[str, Any] = {"prompt": lesson.asked, "chosen": [chosen], "rejected": [rejected]}
    talk = pair if preferences else {"messages": [*lesson.asked, chosen]}
    return {**talk, **{name: getattr(lesson, name) for name in _SHORT}, **{n: lesson.facets.get(n, "") for n in FACETS}}


def _parquet(folder: Path, lessons: Sequence[TrainingExample], preferences: bool) -> list[Path]:
    talk = ("prompt", "chosen", "rejected") if preferences else ("messages",)
    types = {"images": IMAGES} | dict.fromkeys(talk, MESSAGES) | dict.fromkeys((*_SHORT, *FACETS), pa.string())
    path = folder / "data" / "train-00000-of-00001.parquet"
    rows = ({"images": stored(lesson.images)} | _columns(lesson, preferences) for lesson in lessons)
    write_parquet(path, types, rows)
    return [path]


def stored(images: Iterable[bytes]) -> list[dict[str, Any]]:
    """Return encoded images as ``datasets`` stores them."""
    return [{"bytes": image, "path": None} for image in images]


def write_parquet(path: Path, types: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows that ``datasets`` reads with their types; it decodes the column ``images``.

    Each image is stored once per row group: the leaf is a dictionary, however large.
    """
    features = {name: _feature(kind) for name, kind in types.items()}
    features["images"] = {"feature": {"_type": "Image"}, "_type": "List"}
    about = {b"huggingface": json.dumps({"info": {"features": features}}).encode()}
    schema = pa.schema(list(types.items()), metadata=about)
    path.parent.mkdir(exist_ok=True)

    def write_rows(file: Any) -> None:
        remaining = iter(rows)
        with pq.ParquetWriter(file, schema, compression="zstd", dictionary_pagesize_limit=1 << 30) as writer:
            while group := list(islice(remaining, _ROWS_A_GROUP)):
                writer.write_table(pa.Table.from_pylist(group, schema=schema))

    write_atomic(path, write_rows)


def _feature(kind: Any) -> dict[str, Any]:
    """Return the feature of ``datasets`` for a type of Arrow."""
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": {pa.float64(): "float64", pa.bool_(): "bool"}.get(kind, str(kind)), "_type": "Value"}


def _folder(folder: Path, lessons: Sequence[TrainingExample], preferences: bool) -> list[Path]:
    names = write_images(folder, chain.from_iterable(lesson.images for lesson in lessons))
    path = folder / "metadata.jsonl"
    rows = ({"images_file_names": [names[i] for i in one.images], **_columns(one, preferences)} for one in lessons)
    write_atomic(path, b"".join(canonical(row) + b"\n" for row in rows))
    return [path]


def _llava(folder: Path, lessons: Sequence[TrainingExample], preferences: bool) -> list[Path]:
    rows = []
    for lesson, images, turns in _talks(folder, lessons):
        shown = {"image": images[0] if len(images) == 1 else images} if images else {}
        answer = {"from": "gpt", "value": lesson.answer}
        rows.append({"id": lesson.id, **shown, "conversations": [*turns, answer]})
    path = folder / "llava.json"
    write_atomic(path, json_bytes(rows))
    return [path]


def _sharegpt(folder: Path, lessons: Sequence[TrainingExample], preferences: bool) -> list[Path]:
    """Write the rows for LLaMA-Factory: images in lists, and the description that it reads in the data folder."""
    rows = []
    for lesson, images, turns in _talks(folder, lessons):
        answers = {"chosen": lesson.answer, "rejected": lesson.rejected} if preferences else {}
        ends = {name: {"from": "gpt", "value": text} for name, text in answers.items()}
        talk = turns if preferences else [*turns, {"from": "gpt", "value": lesson.answer}]
        rows.append({"id": lesson.id, "conversations": talk, "images": images, **ends})
    columns = {"messages": "conversations", "images": "images"}
    ranking = {"ranking": True} if preferences else {}
    columns |= {"chosen": "chosen", "rejected": "rejected"} if preferences else {}
    about = {"file_name": "sharegpt.json", "formatting": "sharegpt", **ranking, "columns": columns}
    path = folder / "sharegpt.json"
    write_atomic(path, json_bytes(rows))
    write_atomic(folder / "dataset_info.json", json_bytes({"vhbench": about}))
    return [path]


def _talks(
    folder: Path, lessons: Sequence[TrainingExample]
) -> Iterator[tuple[TrainingExample, list[str], list[dict[str, str]]]]:
    """Write the images; yield each example with its image paths and the turns before its answer."""
    names = write_images(folder, chain.from_iterable(lesson.images for lesson in lessons))
    for lesson in lessons:
        turns = []
        for message in lesson.asked:  # in LLaVA's format: "<image>\n" for each image
            texts = ("<image>" if part["type"] == "image" else part["text"] for part in message["content"])
            turns.append({"from": _FROM[message["role"]], "value": "\n".join(texts)})
        yield lesson, [names[image] for image in lesson.images], turns


_FROM = {"user": "human", "assistant": "gpt"}


def write_images(folder: Path, images: Iterable[bytes]) -> dict[bytes, str]:
    """Write each image once, named by its hash; return image → path relative to the folder."""
    names: dict[bytes, str] = {}
    for image in images:
        if image not in names:
            suffix = stored_format(image).lower().replace("jpeg", "jpg")
            names[image] = f"images/{hashlib.sha256(image).hexdigest()[:24]}.{suffix}"
            write_atomic(folder / names[image], image, durable=False)
    return names


_LAYOUTS: Mapping[str, Callable[[Path, Sequence[TrainingExample], bool], list[Path]]] = {
    "parquet": _parquet,
    "folder": _folder,
    "llava": _llava,
    "sharegpt": _sharegpt,
}
"""Layout → its writer."""
