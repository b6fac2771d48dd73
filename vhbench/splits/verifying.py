"""Checks of a split directory on its own: one line per error."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import get_args

from vhbench.benchmarks import BENCHMARKS, tasks
from vhbench.files import file_sha256, quote_value
from vhbench.images import open_image
from vhbench.progress import following
from vhbench.schema import CANARY, Kind, Manifest, Question, Row, Scene, VhbenchError
from vhbench.splits import manifests
from vhbench.splits.checked_rows import CheckedRows
from vhbench.splits.hashing import combined, content_hash, digested, row_hash, truth_hash
from vhbench.splits.pairs import Pairs
from vhbench.splits.reading import read_rejections, read_rows, read_truths
from vhbench.splits.stored_scenes import scene_of

KINDS = get_args(Kind)

# columns that are empty in every row of a hidden test set
KEPT_BACK = ("answer", "pair_id", "negated", "objects", "candidates", "neutral")


def verify(directory: Path, *, progress: bool = True) -> list[str]:
    """Check a split directory from file hashes to pixels; return one line per error.

    ``progress`` reports it on stderr.
    """
    directory, faults = Path(directory), list[str]()
    try:
        manifest = manifests.read_manifest(directory)
        if faults := [*_damage(directory, manifest), *_strays(directory, manifest)]:
            return faults  # the content of damaged files is not checked
        scenes = _SceneFacts()
        faults += _scenes_faults(directory, manifest, scenes)
        faults += _row_faults(directory, manifest, scenes, progress)
        if Counter(rejection.reason for rejection in read_rejections(directory)) != Counter(manifest.rejections):
            faults.append(f"{directory / manifests.REJECTIONS}: has other numbers of rejections than the manifest")
    except VhbenchError as error:
        faults.append(str(error))
    return faults


def damage(directory: Path) -> list[str]:
    """Check the manifest and the hash of each listed file, ignoring other files."""
    try:
        return [*_damage(directory, manifests.read_manifest(directory))]
    except VhbenchError as error:
        return [str(error)]


def _damage(directory: Path, manifest: Manifest) -> Iterator[str]:
    for name, digest in manifest.files.items():
        try:
            path = manifests.inside(directory, name)
            if (actual := file_sha256(path)) != digest:
                yield f"{path}: has SHA-256 {actual[:12]}…, the manifest says {digest[:12]}…"
        except VhbenchError as error:
            yield str(error)


def _strays(directory: Path, manifest: Manifest) -> Iterator[str]:
    allowed = {*manifest.files, manifests.MANIFEST, *manifests.DERIVED}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if not path.is_dir() and name not in allowed and not name.startswith((".cache/", ".git/")):
            yield f"{path}: is not listed in the manifest"


@dataclass
class _SceneFacts:
    """Facts about the stored scenes: scene id → SHA-256 of its image ("" without one), missing ids, their hash.

    ``clean``: the SHA-256 of the images of scenes with content. Reports on attacked images, which no row names, have
    none.
    """

    images: dict[str, str] = field(default_factory=dict)
    clean: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    hash: str = ""


def _row_faults(directory: Path, manifest: Manifest, scenes: _SceneFacts, progress: bool) -> Iterator[str]:
    ids: set[str] = set()
    definition = BENCHMARKS.get(manifest.benchmark)
    hidden = manifests.is_hidden(manifest)
    pairs = Pairs(definition.pairs if definition else "")
    hashes = []
    faults: dict[bytes, str] = {}
    rows = following(read_rows(directory), "checking", sum(manifest.rows.values()), "rows", enabled=progress)
    for row, digests, images in digested(rows):
        question = row.question
        if question.id in ids:
            yield f"row {question.id!r}: the id occurs twice"
        ids.add(question.id)
        for digest, image in zip(digests, images, strict=True):
            if digest not in faults:
                faults[digest] = ""
                try:
                    open_image(image)  # its size is checked before it is decoded
                except VhbenchError as error:
                    faults[digest] = str(error)
            if fault := faults[digest]:
                yield f"row {question.id!r}: {fault}"
        hashes.append((row_hash(row.config, question, digests), b"".join(digests)))
        yield from _question_faults(row, manifest.benchmark, hidden=hidden)
        yield from _tie_faults(question, digests, scenes)
        if not hidden:
            yield from pairs.add(row, digests)
    yield from pairs.faults()
    if (actual := content_hash((row for row, _ in hashes), scenes.hash, manifest.config)) != manifest.content_hash:
        yield f"{directory}: content hash is {actual[:12]}…, the manifest says {manifest.content_hash[:12]}…"
    elif CheckedRows(directory, manifest).pairs() != hashes:
        yield f"{directory / manifests.DIGESTS}: expected the digests of the rows in their order"


def _tie_faults(question: Question, digests: Sequence[bytes], scenes: _SceneFacts) -> Iterator[str]:
    """Yield a row's scenes that are not stored, and images that differ from its scenes'."""
    for number, (name, digest) in enumerate(zip(question.scene_ids, digests, strict=False), start=1):
        if name not in scenes.images:
            if scenes.clean and name not in scenes.missing:
                scenes.missing.add(name)
                yield f"row {question.id!r}: scene {name!r} is not in {manifests.SCENES}, which has other scenes"
        elif not question.perturbation and scenes.images[name] not in ("", digest.hex()):
            yield f"row {question.id!r}: image {number} is not the image of scene {name!r}"
        elif question.perturbation and digest.hex() in scenes.clean:
            yield f"row {question.id!r}: image {number} is not perturbed, but the image of a scene"


def _question_faults(row: Row, benchmark: str, *, hidden: bool = False) -> Iterator[str]:
    """Yield the errors of a single row; in a hidden test set, withheld columns must be empty."""
    question = row.question
    where = f"row {question.id!r}"
    if question.benchmark != benchmark:
        yield f"{where}: belongs to {question.benchmark!r}, not {benchmark!r}"
    elif column := _foreign_column(row):
        yield f"{where}: {column} is {getattr(question, column)!r}, which is not of the config {row.config}"
    if question.canary != CANARY:
        yield f"{where}: lacks the canary"
    if question.kind not in KINDS:
        yield f"{where}: kind: expected one of {', '.join(KINDS)}, got {question.kind!r}"
    if question.scene_ids and len(question.scene_ids) != len(question.images):
        yield f"{where}: has {len(question.images)} images and {len(question.scene_ids)} scene ids"
    if not question.question.strip():
        yield f"{where}: has no question"
    if hidden:
        if revealed := [name for name in KEPT_BACK if getattr(question, name)]:
            yield f"{where}: reveals {', '.join(revealed)} of a hidden test set"
    elif fault := _answer_fault(question):
        yield f"{where}: {fault}"


def _foreign_column(row: Row) -> str:
    """Return the column by which a row does not belong in its config; "" if none, or for configs of the user's own."""
    name = row.question.benchmark
    task = tasks(name).get(row.config) if name in BENCHMARKS else None
    return task.differs(partial(getattr, row.question)) if task else ""


def _answer_fault(question: Question) -> str:
    if question.kind == "yes_no" and question.answer not in ("yes", "no"):
        return f"answer: expected yes or no, got {question.answer!r}"
    if question.kind == "multiple_choice":
        letters = ascii_uppercase[: len(question.choices)]
        if len(question.choices) < 2 or len(set(question.choices)) < len(question.choices):
            return f"choices: expected two or more different ones, got {list(question.choices)}"
        if question.answer not in tuple(letters):
            return f"answer: expected a letter from {letters[0]} to {letters[-1]}, got {question.answer!r}"
    if question.kind == "caption" and question.answer:
        return f"answer: expected none for a caption, got {question.answer!r}"
    return ""


def _scenes_faults(directory: Path, manifest: Manifest, stored: _SceneFacts) -> Iterator[str]:
    """Yield the errors of the scenes, and record facts for checking rows."""
    hashes = []
    for truth in read_truths(directory):
        hashes.append(truth_hash(truth.id, truth.image_sha256, truth.json))
        if truth.id in stored.images:
            yield f"scene {truth.id!r}: the id occurs twice"
        scene = scene_of(truth)
        stored.images[truth.id] = truth.image_sha256
        if scene.objects or scene.areas or scene.known:
            stored.clean.add(truth.image_sha256)
            if not truth.image_sha256:
                yield f"scene {truth.id!r}: lacks the hash of its image"
        yield from (f"scene {truth.id!r}: {fault}" for fault in _scene_faults(scene))
    if len(stored.images) != manifest.extra.get("scenes", 0):
        yield f"{directory}: has {len(stored.images)} scenes, the manifest says {manifest.extra.get('scenes', 0)}"
    stored.hash = combined(hashes) if hashes else ""
    if stored.hash != (expected := manifest.extra.get("scenes_hash", "")):
        yield f"{directory}: its scenes have the hash {stored.hash[:12]}…, the manifest says {quote_value(expected)}"


def _scene_faults(scene: Scene) -> Iterator[str]:
    """Yield the errors of a single scene."""
    ids = {thing.id for thing in scene.objects}
    if len(ids) != len(scene.objects):
        yield "its objects must have ids that differ"
    for relation in scene.relations:
        for end in (relation.subject, relation.object):
            if end not in ids:
                yield f"a relation ({relation.predicate!r}) names object {end}, which is not there"
