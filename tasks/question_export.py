"""Questions of a split as files for other harnesses, with lmms-eval's prompts (``vhbench export questions``)."""

import base64
import csv
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict

from PIL import Image

import vhbench
from vhbench import splits
from vhbench.adapters.harness_logs import SENT
from vhbench.benchmarks import benchmark
from vhbench.columns import RECORD
from vhbench.files import canonical, json_bytes, naming, read_image, read_typed, write_atomic
from vhbench.images import open_image, stored_format, to_display_rgb, to_png
from vhbench.provenance import digest, digest_of_prompts
from vhbench.records import split_repetition
from vhbench.schema import CANARY, Question, VhbenchError
from vhbench.tasks import prompts

FILE = "export.json"  # file that describes the export

_NAMED = re.compile(r"vhbench[_-][a-z_-]+[_-]([0-9a-f]{12})(?![0-9a-f])")
"""Name of an exported data set, with the start of the content hash; Inspect's files have hyphens."""

_LINES, _BYTES = 50_000, 200_000_000  # limits of one file of an OpenAI batch

_INSPECT = """# {title}, for Inspect (pip install inspect-ai): inspect eval {file} --model MODEL --no-log-images
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate


@task
def {name}() -> Task:
    questions = json_dataset(str(Path(__file__).with_name("{name}.jsonl")))
    return Task(dataset=questions, solver=generate(), config=GenerateConfig(max_tokens={limit}, temperature=0.0))
"""


@dataclass(frozen=True)
class _ExportPart:
    """The questions of a split with one token limit."""

    split: Path
    name: str  # it holds the content hash, as harnesses keep images by name
    limit: int  # of new tokens
    model: str  # of an OpenAI batch
    variants: Sequence[str] = ()  # their prefixes; none for the question itself

    def __iter__(self) -> Iterator[Question]:
        for config in splits.read_manifest(self.split).rows:
            for question in splits.read_questions(self.split, config):
                doc = _doc(question)
                if benchmark(question.benchmark).token_limit(doc) == self.limit:
                    yield from (replace(question, **each) for each in _varied(doc, self.variants))


def export(split: Path, to: str, out: Path, model: str = "", variants: Sequence[str] = ()) -> list[Path]:
    """Write the questions of a split for a harness, a key of :data:`TARGETS`; return the files, :data:`FILE` last.

    The model is that of an OpenAI batch; variants are prefixes, as of :class:`vhbench.benchmarks.Task`. Raises for an
    unknown harness, a missing model, or an existing output.
    """
    if to not in TARGETS:
        raise VhbenchError(f"--to: expected one of {', '.join(TARGETS)}; got {to!r}")
    if to == "openai-batch" and not model:
        raise VhbenchError("--to openai-batch: expected --model NAME, which each request names")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise VhbenchError(f"--out {out}: expected a new folder")
    out.mkdir(parents=True, exist_ok=True)
    form, write = TARGETS[to]
    manifest = splits.read_manifest(split)
    docs = {doc["id"]: doc for doc in _docs(split, variants)}
    if not docs:
        raise VhbenchError(f"--rotations: expected a split with multiple-choice questions, got {split}")
    limits = sorted({benchmark(doc["benchmark"]).token_limit(doc) for doc in docs.values()})
    stem = f"vhbench_{manifest.benchmark}_{manifest.content_hash[:12]}"
    parts = [
        _ExportPart(split, stem if len(limits) == 1 else f"{stem}_{limit}", limit, model, variants) for limit in limits
    ]
    files = [file for part in parts for file in write(part, out)]
    spec = {
        "to": to,
        "benchmark": manifest.benchmark,
        "version": manifest.version,
        "content_hash": manifest.content_hash,
        "vhbench": vhbench.__version__,
        "questions": len(docs),
        "prompt_form": form,
        "prompts": _digest(docs.values(), form),
        "variants": list(variants),
        "generation": {part.name: {"max_new_tokens": part.limit, "temperature": 0} for part in parts},
        "files": [str(file.relative_to(out)) for file in files],
        "canary": CANARY,
    }
    write_atomic(out / FILE, json_bytes(spec))
    return [*files, out / FILE]


class _Export(TypedDict, total=False):
    content_hash: str
    prompts: str
    prompt_form: Literal["chat", "simple"]
    variants: list[str]


class PromptCheck:
    """Whether another harness's log is of the split, with the prompts and image order of lmms-eval."""

    def __init__(self) -> None:
        """Create the state before the first response."""
        self.others = 0  # responses to other prompts, of logs that have the prompts
        self._images: dict[str, set[tuple[str, ...]]] = defaultdict(set)  # id → starts of their hashes
        self._datasets: set[str] = set()

    def see(self, question: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        """Compare the prompt in a row of a log, if it has one, with the question's in either form."""
        if (sent := response.get(SENT)) is None:
            return
        self._datasets.add(sent.dataset)
        if sent.prompt is not None and {"question", "kind"} <= question.keys():
            doc = {"choices": (), "scene_ids": (), **question}
            self.others += sent.prompt not in (prompts.sent(doc, "chat"), prompts.to_text(doc))
        names = [re.fullmatch(r"([0-9a-f]{32})\.\w+", re.split(r"[/\\]", file)[-1]) for file in sent.images]
        if named := tuple(name[1] for name in names if name):
            self._images[split_repetition(str(question["id"]))[1]].add(named)

    def notes(self, logs: Sequence[Path], split: Path) -> Iterator[str]:
        """Yield warnings about logs, also by the exports next to or above them; raise if one is of another split."""
        if self.others:
            yield f"{self.others:,} prompts differ from lmms-eval's; scores are not comparable"
        if other := sum(self._images[q.id] != {names} for q, names in self._pictured(split)):
            yield f"{other:,} questions have other images or another order than in lmms-eval; scores are not comparable"
        own = splits.read_manifest(split).content_hash
        exports = {log: next((at / FILE for at in log.parents[:2] if (at / FILE).is_file()), None) for log in logs}
        for file in filter(None, dict.fromkeys(exports.values())):
            spec = read_typed(file, _Export, "vhbench export")
            if (actual := spec.get("content_hash", "")) != own:
                raise VhbenchError(f"{file}: expected an export of {split} with hash {own[:12]}…, got {actual[:12]}…")
            if spec.get("prompts") != _digest(_docs(split, spec.get("variants", ())), spec.get("prompt_form", "")):
                yield f"{file}: its prompts differ from lmms-eval's; scores are not comparable"
        for name in sorted({*self._datasets, *(log.name for log in logs)}):
            if (match := _NAMED.search(name)) and match[1] != own[:12]:
                raise VhbenchError(f"expected responses to {split} with hash {own[:12]}…, got a log of {match[0]}")
        unproven = [str(log) for log in logs if not (exports[log] or _NAMED.search(log.name))]
        if unproven and any(not _NAMED.search(name) for name in self._datasets):
            yield f"{', '.join(unproven)}: neither its name nor an {FILE} names the evaluated split"

    def _pictured(self, split: Path) -> Iterator[tuple[Question, tuple[str, ...]]]:
        for q in splits.read_questions(split) if self._images else ():
            if q.id in self._images:
                yield q, tuple(hashlib.sha256(_encoded(image)[0]).hexdigest()[:32] for image in q.images)


def _docs(split: Path, variants: Sequence[str]) -> Iterator[dict[str, Any]]:
    for _, row in splits.read_columns(split, list(RECORD)):
        yield from _varied(row, variants)


def _varied(doc: dict[str, Any], variants: Sequence[str]) -> list[dict[str, Any]]:
    """Return the variants of a row, or the row itself; no captions, and rotations only of options."""
    if not variants:
        return [doc]
    kinds = {"r": ("multiple_choice",), "w": ("multiple_choice", "yes_no")}.get(
        split_repetition(variants[0]).variant[0], ()
    )
    return [split_repetition(prefix).vary(doc) for prefix in variants] if doc["kind"] in kinds else []


def _digest(docs: Any, form: str) -> str:
    return digest_of_prompts({doc["id"]: digest(prompts.sent(doc, form)) for doc in docs})


def _doc(question: Question) -> dict[str, Any]:
    return {name: getattr(question, name) for name in RECORD}


def _encoded(image: Any) -> tuple[bytes, str]:
    """Return an image's bytes as stored, and its format; with transparency, those of its displayed pixels."""
    data = read_image(image)
    opened = open_image(data)
    return (to_png(to_display_rgb(opened)), "PNG") if opened.has_transparency_data else (data, stored_format(data))


def _content(question: Question, to_part: Callable[[bytes, str], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a chat model's content with each image as a harness takes it."""
    images = iter(question.images)
    blank = [Image.new("RGB", (1, 1))] * len(question.images)
    [message] = prompts.to_messages({**_doc(question), "images": blank})
    return [to_part(*_encoded(next(images))) if "url" in part else part for part in message["content"]]


def _vlmevalkit(part: _ExportPart, out: Path) -> Iterator[Path]:
    """Write one TSV. Without columns A, B … VLMEvalKit sends the text as it is, behind the images."""
    file, first = out / f"{part.name}.tsv", dict[bytes, str]()
    with naming(file), file.open("w", encoding="utf-8", newline="") as opened:
        table = csv.writer(opened, delimiter="\t", lineterminator="\n")
        table.writerow(("index", "image", "question", "canary"))
        for question in part:
            images = [_encoded(image)[0] for image in question.images]
            texts = [base64.b64encode(image).decode() for image in images]
            cell = json.dumps(texts)
            if len(images) == 1:  # an image that another row has is named by that row's index
                other = first.setdefault(hashlib.sha256(images[0]).digest(), question.id)
                cell = texts[0] if other == question.id else other
            table.writerow((question.id, cell, prompts.to_text(_doc(question)), CANARY))
    yield file


def _openai_batch(part: _ExportPart, out: Path) -> Iterator[Path]:
    """Write files of requests within the limits of a batch."""

    def to_part(data: bytes, form: str) -> dict[str, Any]:
        url = f"data:image/{form.lower()};base64,{base64.b64encode(data).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}

    lines: list[bytes] = []
    number = size = 0
    for question in part:
        messages = [{"role": "user", "content": _content(question, to_part)}]
        body = {"model": part.model, "messages": messages, "max_completion_tokens": part.limit, "temperature": 0}
        request = {"custom_id": question.id, "method": "POST", "url": "/v1/chat/completions", "body": body}
        line = canonical(request) + b"\n"
        if lines and (len(lines) == _LINES or size + len(line) > _BYTES):
            yield _write(out / f"{part.name}-{number:05d}.jsonl", b"".join(lines))
            lines, size, number = [], 0, number + 1
        lines.append(line)
        size += len(line)
    yield _write(out / f"{part.name}-{number:05d}.jsonl", b"".join(lines))


def _inspect(part: _ExportPart, out: Path) -> Iterator[Path]:
    """Write a task file, its questions, and their images."""

    def to_part(data: bytes, form: str) -> dict[str, Any]:
        file = out / "images" / f"{hashlib.sha256(data).hexdigest()[:32]}.{form.lower()}"
        if not file.exists():
            _write(file, data)
        return {"type": "image", "image": f"images/{file.name}"}

    lines = []
    for question in part:
        messages = [{"role": "user", "content": _content(question, to_part)}]
        metadata = {"canary": CANARY, "benchmark": question.benchmark, "cluster": " ".join(question.scene_ids)}
        row = {"id": question.id, "input": messages, "target": question.answer, "metadata": metadata}
        lines.append(canonical(row) + b"\n")
    yield _write(out / f"{part.name}.jsonl", b"".join(lines))
    title = benchmark(splits.read_manifest(part.split).benchmark).title
    text = _INSPECT.format(title=title, file=f"{part.name}.py", name=part.name, limit=part.limit)
    yield _write(out / f"{part.name}.py", text)


def _write(file: Path, content: bytes | str) -> Path:
    write_atomic(file, content.encode() if isinstance(content, str) else content, durable=False)
    return file


TARGETS: Mapping[str, tuple[Literal["chat", "simple"], Callable[[_ExportPart, Path], Iterator[Path]]]] = {
    "vlmevalkit": ("simple", _vlmevalkit),
    "inspect": ("chat", _inspect),
    "openai-batch": ("chat", _openai_batch),
}
"""Harness → the form of its prompts, and the function that writes its files."""
