"""Sources of VHExpansion's initial cases: published benchmarks, vhbench splits, tables."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby, zip_longest
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.adapters import published_benchmarks, tables
from vhbench.files import read_text, resolved
from vhbench.generators.vhexpansion import expansion
from vhbench.generators.vhexpansion.binary import binary
from vhbench.schema import Question, Rejection, Scene, VhbenchError
from vhbench.splits.manifests import HIDDEN_SOURCE, MANIFEST


def form_of(source: str) -> tuple[str, Path]:
    """Return a source's format (named, as in ``pope:FILE``, or recognized) and path; raise VhbenchError if missing."""
    form, colon, rest = source.partition(":")
    named = form if colon and form in FORMS else ""
    path = Path(rest if named else source).expanduser()
    if not path.exists():
        raise VhbenchError(
            f"--source {source}: no such file or folder; expected FORMAT:PATH, FORMAT one of {', '.join(FORMS)}"
        )
    if named:
        return named, path
    signs = {
        "split": (path / MANIFEST).is_file(),
        "pope": "pope" in path.name.lower(),
        "mmvp": (path / "Questions.csv").is_file(),
        "hallusionbench": path.name == "HallusionBench.json",
    }
    return next((form for form, is_it in signs.items() if is_it), "table"), path


def read_split(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield the questions of a split with one image and a closed answer; captions are skipped.

    Configs alternate, and so do the pairs of each: the first N questions cover every kind, with as many yes as no
    answers.
    """
    turns = [_pairs(splits.read_questions(path, config)) for config in splits.read_manifest(path).rows]
    for question in chain.from_iterable(chain.from_iterable(zip_longest(*turns, fillvalue=()))):
        if question.kind != "caption" and len(question.images) == 1 and not question.perturbation:
            yield question


def _pairs(questions: Iterator[Question]) -> Iterator[tuple[Question, ...]]:
    """Yield the questions about the same images, those of one pair together."""
    for _, group in groupby(questions, key=lambda question: question.images):
        pairs: dict[str, list[Question]] = {}
        for question in group:
            pairs.setdefault(question.pair_id or question.id, []).append(question)
        yield from map(tuple, pairs.values())


def hidden_source(source: str) -> dict[str, str]:
    """Return the manifest entry for a source that is a hidden test set or derived from one.

    A file of a hidden split, read as a table, counts as well.
    """
    path = resolved(form_of(source)[1])
    split = next((folder for folder in (path, *path.parents) if (folder / MANIFEST).is_file()), None)
    if split is None:
        return {}
    try:
        manifest = splits.read_manifest(split)
    except VhbenchError:
        if split == path:
            raise
        return {}  # unrelated split
    commitment = manifest.extra.get("commitment") or manifest.extra.get(HIDDEN_SOURCE)
    return {HIDDEN_SOURCE: str(commitment)} if commitment else {}


@dataclass(frozen=True, slots=True)
class Cases:
    """Yes/no questions by image, in order of first appearance, and rows that are not questions about one image."""

    groups: tuple[tuple[Question, ...], ...]
    left_out: tuple[Rejection, ...] = ()


@lru_cache(maxsize=2)
def read_cases(
    source: str, images: str, name: str, limit: int, version: str, listed: str = "", labels: str = ""
) -> Cases:
    """Read a source; with a file of ids in ``listed``, only those cases and their twins; with ``labels`` as answers.

    Raises VhbenchError naming the invalid row and field, or if no question is left.
    """
    chosen = _listed(listed)
    form, path = form_of(source)
    folder = Path(images).expanduser() if images else None
    if folder is not None and not folder.is_dir():
        raise VhbenchError(f"--images {images}: no such folder")
    groups: dict[object, list[Question]] = {}
    ids: set[str] = set()
    left_out: list[Rejection] = []
    if labels and form != "pope":
        raise VhbenchError(f"--labels {labels}: expected with --source pope:PATH, got the format {form}")
    every = FORMS[form](path, folder)
    for item in _relabelled(every, Path(labels).expanduser(), folder) if labels else every:
        if isinstance(item, Rejection):
            left_out.append(item)
            continue
        for question in binary(item, one=form in ONE_CASE_EACH):
            if 0 < limit <= len(ids):
                break
            own: dict[str, Any] = {"benchmark": "vhexpansion", "source": name, "benchmark_version": version}
            question = replace(question, id=expansion.clean_id(question.id), **own)
            if question.id in ids:
                raise VhbenchError(f"{path}: id {question.id!r} occurs twice")
            ids.add(question.id)
            if chosen and question.id not in chosen and question.pair_id not in chosen:
                continue
            groups.setdefault(_key(question), []).append(question)
    if not ids:
        raise VhbenchError(f"{path}: expected yes/no or multiple-choice questions about one image, got none")
    if unknown := sorted(chosen - ids - {q.pair_id for group in groups.values() for q in group}):
        raise VhbenchError(f"{listed}: {path} has no case {unknown[0]!r} ({len(unknown):,} of {len(chosen):,})")
    _check_twins([q for group in groups.values() for q in group], path)
    return Cases(tuple(tuple(group) for group in groups.values()), tuple(left_out))


def _relabelled(
    questions: Iterator[Question | Rejection], labels: Path, images: Path | None
) -> Iterator[Question | Rejection]:
    """Yield questions with the labels of a file (criterion "relabelled" if changed); reject those it leaves out."""
    files = (sorted(labels.glob("*repope*.json")) if labels.is_dir() else []) or [labels]
    relabelled = [q for file in files for q in FORMS["pope"](file, images) if isinstance(q, Question)]
    known = {(category, *_asked(q)): q.answer for q in relabelled for category in ("", q.question_type)}
    unnamed = not any(q.question_type for q in relabelled)  # a file without categories is of the source's
    for question in questions:
        if isinstance(question, Rejection):
            yield question
        elif (answer := known.get(("" if unnamed else question.question_type, *_asked(question)))) is None:
            yield Rejection(question.id, "label_withdrawn", {"question": question.question})
        else:
            yield replace(question, answer=answer, criterion="relabelled" if answer != question.answer else "")


def _asked(question: Question) -> tuple[object, ...]:
    return question.scene_ids, question.question


def _listed(file: str) -> set[str]:
    """Return the case ids in a file, one per line; empty if no file is named."""
    ids = {line[0].strip() for line in re.finditer(r"[^\r\n]+", read_text(file))} - {""} if file else set[str]()
    if file and not ids:
        raise VhbenchError(f"--cases {file}: expected case ids, one per line; got none")
    return ids


@lru_cache(maxsize=2)
def scenes_of(source: str) -> dict[str, Scene]:
    """Return a split's scenes, for recomputing answers; empty for other sources."""
    form, path = form_of(source)
    return splits.read_scenes(path) if FORMS[form] is read_split else {}


def _check_twins(questions: list[Question], path: Path) -> None:
    """Check a source's own twins: present, about the same image, with the opposite answer."""
    originals = {q.pair_id or q.id: q for q in questions if not q.negated}
    for twin in questions:
        if not twin.negated:
            continue
        original = originals.get(twin.pair_id)
        if original is None:
            raise VhbenchError(f"{path}: twin {twin.id!r} has no original: no other row has pair_id {twin.pair_id!r}")
        if original.answer == twin.answer or _key(original) != _key(twin):
            raise VhbenchError(
                f"{path}: twin {twin.id!r}: expected the image of its original {original.id!r} and the other answer"
            )


def _key(question: Question) -> object:
    image = question.images[0]
    return hashlib.sha256(image).digest() if isinstance(image, bytes) else image


Reader = Callable[..., Iterator[Question | Rejection]]

FORMS: dict[str, Reader] = {
    **published_benchmarks.READERS,
    "split": read_split,
    "ode": read_split,
    "table": tables.read_questions,
}

# formats with one yes/no case per multiple-choice question: the paper has 300 of MMVP
ONE_CASE_EACH = frozenset({"mmvp"})
