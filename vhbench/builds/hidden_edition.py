"""Public part of a hidden test set: questions and images that leak no answer.

Ids are derived from the secret, scene ids are random, and images are ordered by their hash, so that nothing can be
linked to other data, and no guess of the secret can be tested without building the split from it.
Reference answers, scene contents, pairs and scenes are left out; every row fills the same columns, whatever its answer.
Images are re-encoded as PNG of the displayed pixels, without metadata. Rows that would answer one another are not
released together (:func:`released`).

The manifest commits to the whole split with an HMAC-SHA-256, keyed by the secret, over benchmark, version, seed,
options and content hash. The commitment is dated by the commit of the release. With the revealed secret, anyone can
rebuild the split and compare it (:func:`faults`).
"""

import hmac
import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.benchmarks import benchmark, load
from vhbench.builds import hidden_seed, sharding
from vhbench.files import canonical, quote_value, read_image
from vhbench.images import kept_if_small, open_image, to_display_rgb, to_png
from vhbench.schema import TIE, Manifest, Question, QuestionBase, Row, VhbenchError
from vhbench.splits.answer_keys import KeyHead, refuse_other, write_key
from vhbench.splits.hashing import digested
from vhbench.splits.manifests import HIDDEN, is_hidden
from vhbench.splits.verifying import KEPT_BACK

_ELSEWHERE = re.compile(r"[@\\]|(?<!\d)/|/(?!\d)|\.\.")  # characters of paths and addresses; "1/2" does not count
_TOLD = ("commitment", "options")
_BLANK: dict[str, Any] = {field.name: field.default for field in fields(QuestionBase) if field.name in KEPT_BACK}


def write(
    directory: Path,
    secret: bytes,
    folder: Path,
    key: Path | None = None,
    *,
    overwrite: bool = False,
    like: Path | None = None,
) -> Manifest:
    """Write the public part of a split into a folder, and its answer key into a file.

    The whole split was built with the secret; a split in the folder is replaced, and with ``overwrite`` any file at
    ``key``. Scene ids are taken over from the public part ``like``, by default the one in the folder, if any. Raises
    VhbenchError if the split was not built with the secret or is already public, or another file exists at ``key``.
    """
    whole = splits.read_manifest(directory)
    if is_hidden(whole):
        raise VhbenchError(f"{directory}: is the public part of a hidden test set already")
    if fault := hidden_seed.check(whole, secret):
        raise VhbenchError(
            f"{directory}: {fault}; a hidden test set is built with `vhbench build … --seed-from-secret FILE`"
        )
    if key is not None and not overwrite:
        refuse_other(key, whole.benchmark, whole.version)
    config = {name: value for name, value in whole.config.items() if name != "vocabulary"}
    kept = {name: whole.extra[name] for name in _TOLD if name in whole.extra}
    names, shown = _scene_names(like or folder), dict[str, tuple[str, ...]]()

    def rows() -> Iterator[Row]:
        for row in _rows(directory, secret):
            question = public(row.question, secret, names)
            shown[question.id] = question.scene_ids
            yield replace(row, question=question)

    manifest = splits.write_split(
        folder,
        rows(),
        benchmark=whole.benchmark,
        version=whole.version,
        seed=whole.seed,
        config=config,
        sources=whole.sources,
        extra={**kept, HIDDEN: True, "commitment": commitment(whole, secret)},
    )
    if key is not None:
        vocabulary = whole.config.get("vocabulary") or {}
        head = KeyHead(whole.benchmark, whole.version, manifest.content_hash, vocabulary)
        if not overwrite:
            refuse_other(key, whole.benchmark, whole.version, manifest.content_hash)
        write_key(key, head, _kept(directory, secret, shown))
    return manifest


def released(directory: Path, secret: bytes) -> frozenset[str]:
    """Return the ids of rows to release, none of which answers another.

    "Is the dog in the image red?" leaks that there is a dog, and images replaced by a hard positive are those that
    showed the target. So of all questions about one image (for several images: about one fact, over all modes and
    pressures) the key selects one pair: a question and its counterpart with the opposite answer, with its changed
    images. Of pairs whose halves share an answer, it selects one row, and then equally many of every answer to each
    question type: facts that are false have fewer forms, so more of their yes/no questions would be selected. All
    captions stay, as they ask for nothing in particular.
    """
    whole = splits.read_manifest(directory)
    one_answer = benchmark(whole.benchmark).pairs == "easy twin"
    chosen: dict[str, tuple[bytes, str]] = {}
    rows: dict[str, list[str]] = {}
    free: list[str] = []
    answers: dict[str, tuple[str, str]] = {}
    columns = ["id", "kind", "pair_id", "perturbation", "scene_ids", "question_type", "answer"]
    for _, row in splits.read_columns(directory, columns):
        name, kind, pair, perturbation, images, question_type, answer = row.values()
        if kind == "caption":
            free.append(name)
            continue
        fact = pair.removesuffix(f"/{perturbation}").rpartition(TIE)[2] or name
        about, choice = (fact, name) if one_answer else (" ".join(images) or fact, fact)
        rank = _digest(secret, "choice", choice), choice
        chosen[about] = min(chosen.get(about, rank), rank)
        rows.setdefault(choice, []).append(name)
        answers[choice] = question_type, answer
    kept = [choice for _, choice in sorted(chosen.values())]
    if one_answer:
        kept = _balanced(kept, answers)
    return frozenset(free).union(*(rows[choice] for choice in kept))


def _balanced(names: list[str], answers: Mapping[str, tuple[str, str]]) -> list[str]:
    """Keep, per question type, the first rows of every answer, as many as the rarest answer has."""
    by_answer: dict[str, dict[str, list[str]]] = {}
    for name in names:
        question_type, answer = answers[name]
        by_answer.setdefault(question_type, {}).setdefault(answer, []).append(name)
    return [name for of in by_answer.values() for kept in of.values() for name in kept[: min(map(len, of.values()))]]


def public(question: Question, secret: bytes, names: dict[bytes, str]) -> Question:
    """Return the public fields of a row; ``names`` has the scene ids by the SHA-256 of images, and gets new ones."""
    shown = tuple(_clean(read_image(image)) for image in question.images)
    name = _name(secret, "row", question.id.encode())
    scenes = tuple(names.setdefault(sha256(image).digest(), secrets.token_hex(8)) for image in shown)
    return replace(question, id=name, images=shown, scene_ids=scenes, **_BLANK)


def commitment(whole: Manifest, secret: bytes) -> str:
    """Return the commitment of the public manifest, in hex."""
    seed = hidden_seed.seed_of(secret, whole.benchmark, whole.version)
    committed = [whole.benchmark, whole.version, seed, whole.config, whole.content_hash]
    return _digest(secret, "edition", canonical(committed)).hex()


def faults(directory: Path, secret: bytes, rebuilt: Path | None = None) -> list[str]:
    """Check a split against a revealed secret: its commitment, and its content by rebuilding.

    Without a split that was ``rebuilt`` with the secret, it is built here, if the manifest has the options. Raises
    VhbenchError if it cannot be built here.
    """
    manifest = splits.read_manifest(directory)
    if not is_hidden(manifest) and (fault := hidden_seed.check(manifest, secret)):
        return [f"{directory}: {fault}"]
    if rebuilt is None and "options" not in manifest.extra and not is_hidden(manifest):
        return [f"{directory}: the manifest has no options to build it from, which every secret edition's has"]
    with tempfile.TemporaryDirectory(prefix="vhbench-") as folder:
        split = rebuilt or _rebuild(manifest, secret, Path(folder) / "whole")
        whole = splits.read_manifest(split)
        if is_hidden(whole) or splits.recompute_content_hash(split) != whole.content_hash:
            return [f"{split}: expected a complete split with content hash {whole.content_hash} of its manifest"]
        if not is_hidden(manifest):
            public_part = whole
        elif manifest.extra.get("commitment") != commitment(whole, secret):
            return [f"{directory}: the manifest commits to another secret or split than that of {whole.content_hash}"]
        else:
            public_part = write(split, secret, Path(folder) / "public" / manifest.benchmark, like=directory)
    errors = []
    if public_part.content_hash != manifest.content_hash:
        gives = f"gives content hash {public_part.content_hash[:12]}…, not {manifest.content_hash[:12]}…"
        errors.append(f"{directory}: the secret {gives}")
    if (public_part.config, public_part.extra.get("options")) != (manifest.config, manifest.extra.get("options")):
        errors.append(f"{directory}: was not built with the config and options that its manifest has")
    return errors


def _rebuild(manifest: Manifest, secret: bytes, folder: Path) -> Path:
    """Build the whole split that a secret yields, from a manifest's options."""
    recorded = manifest.extra.get("options")
    if not isinstance(recorded, dict):
        raise VhbenchError("the manifest has no options to build it from: name a split built with it (--rebuilt DIR)")
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in recorded.items()}
    seed = hidden_seed.seed_of(secret, manifest.benchmark, manifest.version)
    try:
        _check_options(options)
        build = load(benchmark(manifest.benchmark).build)(**options, seed=seed, version=manifest.version)
        build.check()
        sharding.run(build, folder, commitment=hidden_seed.commitment_of(secret, manifest.benchmark, manifest.version))
    except (VhbenchError, TypeError) as error:
        raise VhbenchError(
            f"it cannot be built here ({error}); build it with `vhbench build {manifest.benchmark} … "
            "--seed-from-secret FILE`, and name it with --rebuilt DIR"
        ) from error
    return folder / manifest.benchmark


def _check_options(options: Mapping[str, object]) -> None:
    """Raise if options name a file or address: a third-party manifest could read files or send an API key."""
    for name, value in options.items():
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and _ELSEWHERE.search(text):
                raise VhbenchError(f"expected option {quote_value(name)} without path or URL, got {quote_value(text)}")


def _scene_names(split: Path) -> dict[bytes, str]:
    """Return the scene ids of a public part by the SHA-256 of its images; empty if it is not complete."""
    if splits.damage(split):
        return {}
    rows = digested(splits.read_rows(split))
    return {digest: name for row, each, _ in rows for digest, name in zip(each, row.question.scene_ids, strict=True)}


def _rows(directory: Path, secret: bytes) -> Iterator[Row]:
    names = released(directory, secret)
    return (row for row in splits.read_rows(directory) if row.question.id in names)


def _kept(directory: Path, secret: bytes, shown: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, Question]]:
    """Yield config and question of the key's rows, with the ids of the public rows and scenes."""
    for row in _rows(directory, secret):
        name = _name(secret, "row", row.question.id.encode())
        yield row.config, replace(row.question, id=name, scene_ids=shown[name])


@kept_if_small
def _clean(image: bytes) -> bytes:
    """Re-encode an image as PNG of the displayed pixels, without metadata."""
    seen = to_display_rgb(open_image(image))
    seen.info.clear()
    return to_png(seen)


def _name(secret: bytes, what: str, value: bytes) -> str:
    return _digest(secret, what, value).hex()[:16]


def _digest(secret: bytes, what: str, value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return hmac.digest(secret, b" ".join((b"vhbench hidden", what.encode(), sha256(data).digest())), "sha256")
