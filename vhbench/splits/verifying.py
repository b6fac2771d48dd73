"""What can be wrong with a split directory by itself: one line per fault."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from vhbench.images import open_image
from vhbench.schema import CANARY, Manifest, Question, Row, VhbenchError, read_image
from vhbench.splits import layout
from vhbench.splits.hashing import content_hash, file_sha256, row_hash
from vhbench.splits.reading import read_rows, read_scenes

KINDS = ("caption", "yes_no", "multiple_choice")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def verify(directory: Path) -> list[str]:
    """Check a split directory from the file hashes down to the pixels.

    Args:
        directory: a split directory.

    Returns:
        One line per fault; empty where all is well.
    """
    directory = Path(directory)
    if faults := check_files(directory):
        return faults  # what damaged files hold is not worth a look
    try:
        manifest = layout.read_manifest(directory)
        faults += _row_faults(directory, manifest)
        faults += _scene_faults(directory, manifest)
    except VhbenchError as error:
        faults.append(str(error))
    return faults


def check_files(directory: Path) -> list[str]:
    """Check the manifest, the hash of each file that it lists, and that there are no others."""
    try:
        return [*_check_files(directory, layout.read_manifest(directory))]
    except VhbenchError as error:
        return [str(error)]


def _check_files(directory: Path, manifest: Manifest) -> Iterator[str]:
    for name, digest in manifest.files.items():
        try:
            path = layout.inside(directory, name)
            if (found := file_sha256(path)) != digest:
                yield f"{path}: has SHA-256 {found[:12]}…, the manifest says {digest[:12]}…"
        except VhbenchError as error:
            yield str(error)
        except OSError as error:
            yield f"{directory / name}: cannot be read ({error.strerror or error})"
    allowed = {*manifest.files, layout.MANIFEST, *layout.DERIVED}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if not path.is_dir() and name not in allowed and not name.startswith((".cache/", ".git/")):
            yield f"{path}: is not listed in the manifest"


def _row_faults(directory: Path, manifest: Manifest) -> Iterator[str]:
    ids: set[str] = set()
    twins: Counter[str] = Counter()
    negated: Counter[str] = Counter()
    hashes = []
    images = _Images()
    for row in read_rows(directory):
        question = row.question
        if question.id in ids:
            yield f"row {question.id!r}: the id occurs twice"
        ids.add(question.id)
        digests = []
        for image in question.images:
            digest, fault = images.look(read_image(image))
            digests.append(digest)
            if fault:
                yield f"row {question.id!r}: {fault}"
        hashes.append(row_hash(row.config, question, digests))
        yield from question_faults(row, manifest.benchmark)
        if question.pair_id:
            (negated if question.negated else twins)[question.pair_id] += 1
    for pair in sorted(negated.keys() - twins.keys()):
        yield f"pair {pair!r}: has a negated question and not the question itself"
    if (found := content_hash(hashes)) != manifest.content_hash:
        yield f"{directory}: content hash is {found[:12]}…, the manifest says {manifest.content_hash[:12]}…"


def question_faults(row: Row, benchmark: str) -> Iterator[str]:
    """Yield what is wrong with one row by itself."""
    question = row.question
    where = f"row {question.id!r}"
    if question.benchmark != benchmark:
        yield f"{where}: belongs to {question.benchmark!r}, not {benchmark!r}"
    if question.canary != CANARY:
        yield f"{where}: lacks the canary"
    if question.kind not in KINDS:
        yield f"{where}: kind {question.kind!r} must be one of {', '.join(KINDS)}"
    if question.scene_ids and len(question.scene_ids) != len(question.images):
        yield f"{where}: has {len(question.images)} images and {len(question.scene_ids)} scene ids"
    if not question.question.strip():
        yield f"{where}: has no question"
    if fault := _answer_fault(question):
        yield f"{where}: {fault}"


def _answer_fault(question: Question) -> str:
    if question.kind == "yes_no" and question.answer not in ("yes", "no"):
        return f"answer {question.answer!r} must be yes or no"
    if question.kind == "multiple_choice":
        letters = _LETTERS[: len(question.choices)]
        if len(question.choices) < 2 or len(set(question.choices)) < len(question.choices):
            return f"choices {list(question.choices)} must be two or more different ones"
        if question.answer not in tuple(letters):
            return f"answer {question.answer!r} must be a letter from {letters[0]} to {letters[-1]}"
    if question.kind == "caption" and question.answer:
        return f"answer {question.answer!r} must be empty for a caption"
    return ""


def _scene_faults(directory: Path, manifest: Manifest) -> Iterator[str]:
    scenes = read_scenes(directory)
    if len(scenes) != manifest.extra.get("scenes", 0):
        yield f"{directory}: has {len(scenes)} scenes, the manifest says {manifest.extra.get('scenes', 0)}"


class _Images:
    """Looks at each image once."""

    def __init__(self) -> None:
        self._seen: dict[bytes, str] = {}

    def look(self, data: bytes) -> tuple[bytes, str]:
        """Return the SHA-256 of an image and what is wrong with it, or ""."""
        digest = hashlib.sha256(data).digest()
        if digest not in self._seen:
            self._seen[digest] = image_fault(data)
        return digest, self._seen[digest]


def image_fault(data: bytes) -> str:
    """Say what is wrong with an encoded image, or return "". Its size is read before its pixels are unpacked."""
    try:
        open_image(data)
    except VhbenchError as error:
        return str(error)
    return ""
