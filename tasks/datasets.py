"""Data of the tasks: a local build, a pinned release, or the starter split, with checks.

In this order; the choice is reported on stderr:

1. ``VHBENCH_DATA=DIR``: split directories built on this machine (``DIR/ode/manifest.json`` …);
2. the Hub repository and commit pinned in ``release.yaml`` (``VHBENCH_RELEASE`` names another file);
3. the starter split, built once into the user's cache from synthetic scenes: no network, no GPU, no weights.

``dataset_kwargs: !function vhbench.tasks.datasets.ode_fictional_caption`` makes lmms-eval read the module attribute of
this name when it loads the task, which resolves the data (:func:`__getattr__`). It lists the files of the manifest, so
that other files in their folders, such as settings of ``datasets``, are ignored.
"""

import functools
import glob
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from vhbench import splits, terminal
from vhbench.benchmarks import BENCHMARKS, of_task, task
from vhbench.columns import RECORD
from vhbench.files import cache_folder, canonical, parse_yaml, read_text
from vhbench.provenance import DataSource
from vhbench.schema import Manifest, VhbenchError, in_one_line
from vhbench.splits import manifests

P = ParamSpec("P")
T = TypeVar("T")

_AT_ONCE = 1000
"""Batch size for comparing rows."""

_PICTURES_AT_ONCE = 10
"""Batch size for comparing images."""

_CHECKED: set[tuple[str, Path, str]] = set()
"""Fingerprints of ``datasets``, with the split, whose images were compared."""

_PIN = ("repo_id", "revision", "content_hash")


@dataclass(frozen=True, slots=True)
class Data:
    """A checked split directory and its source."""

    path: Path
    source: DataSource
    manifest: Manifest


def __getattr__(name: str) -> dict[str, Any]:
    """Return the arguments of ``datasets`` for a benchmark or config, lazily."""
    if of_task(name) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return or_exit(_loaded, name)


def _loaded(name: str) -> dict[str, Any]:
    """Return the arguments of ``datasets`` for a benchmark or a config."""
    found = files(name)
    if "::" in str(found[0]):
        raise VhbenchError(
            f"{found[0]}: expected a path without '::', which `datasets` takes for an archive; rename it"
        )
    return {"data_files": {"test": [glob.escape(str(path)) for path in found]}}


def or_exit(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function for lmms-eval; invalid data exits with one line and code 2.

    lmms-eval would retry an ordinary exception five times and exit with code 0.
    """
    try:
        return function(*args, **kwargs)
    except VhbenchError as error:
        _say(str(error))
        raise SystemExit(2) from error


def _say(text: str) -> None:
    """Print on stderr, with control characters of files and the Hub escaped."""
    print(f"vhbench: {terminal.escaped(in_one_line(text))}", file=sys.stderr)


@functools.cache
def resolve(benchmark: str) -> Data:
    """Find the data of a benchmark and check it against its manifest.

    Raises:
        VhbenchError: if the configured data is missing, damaged or not the pinned version. There is no
            other source then.
    """
    path, source, pin = _locate(benchmark)
    expected = pin.get("content_hash")
    manifest = splits.read_manifest(path)
    if manifest.benchmark != benchmark:
        raise VhbenchError(f"{path}: expected benchmark '{benchmark}', got '{manifest.benchmark}'")
    if expected and manifest.content_hash != expected:
        raise VhbenchError(
            f"{path}: expected the pinned content hash {expected}, got {manifest.content_hash}; the data was changed"
        )
    splits.check_no_strays(path, manifest)
    if (found := splits.recompute_content_hash(path)) != manifest.content_hash:
        raise VhbenchError(
            f"{path}: expected content hash {manifest.content_hash} of its manifest; its rows have {found}"
        )
    _refuse_yanked(benchmark, manifest, pin)
    _say(f"{benchmark} {manifest.version} from {source}: {path}")
    return Data(path, source, manifest)


def _refuse_yanked(benchmark: str, manifest: Manifest, pin: Mapping[str, str]) -> None:
    """Raise if the version was withdrawn, according to manifest, pin or Hub; report a newer one."""
    reason, newer = str(manifest.extra.get("yanked") or pin.get("yanked") or ""), ""
    if pin:
        from vhbench.adapters import hub

        tag = str(pin.get("tag") or "")
        found = hub.standing(
            pin["repo_id"], manifest.version, pin["revision"], tag=tag, content_hash=manifest.content_hash
        )
        reason, newer = reason or found.yanked, found.newer
        if found.moved:
            _say(f"the tag {tag} of {pin['repo_id']} was moved or deleted; the pin holds")
    there = f"; {newer} is available" if newer else ""
    if reason and os.environ.get("VHBENCH_ALLOW_YANKED") != "1":
        raise VhbenchError(
            f"{benchmark} {manifest.version} was withdrawn: {reason}{there}. Pin another version, or set "
            "VHBENCH_ALLOW_YANKED=1 to recompute old numbers"
        )
    if reason or there:
        withdrawn = f" was withdrawn ({reason})" if reason else " is evaluated"
        _say(f"{benchmark} {manifest.version}{withdrawn}{there}")


def files(name: str) -> list[Path]:
    """Return the Parquet files of a benchmark, or of a config such as ``ode_fictional_caption``.

    Raises:
        VhbenchError: if the configured split was built without it.
    """
    owner = of_task(name)
    data = resolve(owner.name if owner else name)
    found = manifests.config_files(data.manifest)
    if name not in BENCHMARKS and name not in found:
        raise VhbenchError(
            f"task {name}: expected a config of this name in {data.source} at {data.path}; got "
            f"{', '.join(sorted(found))}. Build one with `{task(name).command} --out OUT` and set VHBENCH_DATA=OUT"
        )
    configs = sorted(found) if name in BENCHMARKS else [name]
    return [manifests.inside(data.path, file) for config in configs for file in found[config]]


def select(docs: Any, **columns: str | tuple[str, ...]) -> Any:
    """Keep the rows whose columns have the given values, without decoding images; check the version of each.

    Raises:
        VhbenchError: if a row's version differs from the manifest's, other rows were loaded than those of the manifest,
            or no row is left.
    """
    benchmark = _only(docs, "benchmark")
    version = resolve(benchmark).manifest.version
    if (found := _only(docs, "benchmark_version")) != version:
        raise VhbenchError(
            f"expected rows of version '{version}' of the manifest, got '{found}': two versions are mixed"
        )
    _check_whole(docs, resolve(benchmark))
    keep = list(range(len(docs)))
    for name, allowed in columns.items():
        values = docs[name][:]
        keep = [i for i in keep if values[i] in ((allowed,) if isinstance(allowed, str) else allowed)]
    if not keep:
        asked = ", ".join(f"{name} {allowed!r}" for name, allowed in columns.items())
        there = ", ".join(f"{name}: {' '.join(sorted(set(docs[name][:])))}" for name in columns)
        raise VhbenchError(f"{resolve(benchmark).path}: expected {benchmark} questions with {asked}; got {there}")
    if "caption" in docs["kind"][:] and not manifests.is_hidden(resolve(benchmark).manifest):
        vocabulary(benchmark)  # fail before a model has written thousands of captions
    return docs.select(keep)


def _check_whole(docs: Any, data: Data) -> None:
    """Check that ``datasets`` loaded exactly the rows of its configs.

    Its cache is keyed by paths and times, so it may return rows of an older build under the same ids.
    """
    columns = tuple(name for name in RECORD if name in docs.column_names)
    known = _rows(data.path, columns)
    counts: Counter[str] = Counter()
    for batch in docs.select_columns(list(columns)).iter(_AT_ONCE):
        for name, found in zip(batch["id"], _digests(batch, columns), strict=True):
            if name not in known:
                raise VhbenchError(f"row {name!r} was loaded but is not in {data.path}; two builds are mixed")
            config, digest = known[name]
            if found != digest:
                raise VhbenchError(
                    f"row {name!r} was loaded with other values than in {data.path}; two builds are mixed. The cache "
                    "of `datasets` may be of an older build: remove it (HF_DATASETS_CACHE)"
                )
            counts[config] += 1
    _check_images(docs, data)
    for config, count in sorted(counts.items()):
        if count != data.manifest.rows[config]:
            raise VhbenchError(
                f"{data.path}: expected {data.manifest.rows[config]} rows of config {config!r} in its manifest; "
                f"{count} were loaded"
            )


def _check_images(docs: Any, data: Data) -> None:
    """Check the images against the split, once for several tasks with the same data."""
    loaded = (getattr(docs, "_fingerprint", ""), data.path, data.manifest.content_hash)
    if "images" not in docs.column_names or loaded in _CHECKED:
        return
    known = _images(*loaded[1:])
    for batch in docs.select_columns(["id", "images"]).with_format("arrow").iter(_PICTURES_AT_ONCE):
        for name, images in zip(batch["id"].to_pylist(), batch["images"], strict=True):
            # Views of the memory map: copies of photos would fill the memory.
            if _joined(_digest(image["bytes"].as_buffer() or b"") for image in images) != known[name]:
                raise VhbenchError(
                    f"row {name!r} was loaded with other images than in {data.path}; two builds are mixed. The cache "
                    "of `datasets` may be of an older build: remove it (HF_DATASETS_CACHE)"
                )
    _CHECKED.add(loaded)


@functools.cache
def _images(path: Path, content_hash: str) -> dict[str, bytes]:
    """Return id → digest of the images of each row of a split with this content hash."""
    found: dict[str, bytes] = {}
    for _, group in splits.read_columns(path, ["id", "images"]):
        different = {id(image): image for images in group["images"] for image in images}  # rows share their images
        digests = {key: _digest(image) for key, image in different.items()}
        for name, images in zip(group["id"], group["images"], strict=True):
            found[name] = _joined(digests[id(image)] for image in images)
    return found


def _digest(data: Any) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _joined(digests: Iterable[bytes]) -> bytes:
    return _digest(b"".join(digests))


@functools.cache
def _rows(path: Path, columns: tuple[str, ...]) -> dict[str, tuple[str, bytes]]:
    """Return id → config and digest of some columns of each row of a split."""
    return {
        name: (config, digest)
        for config, group in splits.read_columns(path, columns)
        for name, digest in zip(group["id"], _digests(group, columns), strict=True)
    }


def _digests(group: Mapping[str, Sequence[Any]], columns: Sequence[str]) -> Iterator[bytes]:
    for values in zip(*(group[name] for name in columns), strict=True):
        yield hashlib.blake2b(canonical(values), digest_size=16).digest()


@functools.cache
def number_of_questions(name: str, content_hash: str) -> int | None:
    """Count a task's questions in the split with this content hash; None if it is not on this machine.

    It is searched in VHBENCH_DATA and the starter splits, without building or downloading.
    """
    owner = of_task(name)
    if owner is None:
        return None
    starters = cache_folder() / "starter"
    roots = [Path(os.environ["VHBENCH_DATA"]).expanduser()] if os.environ.get("VHBENCH_DATA") else []
    for split in (root / owner.name for root in (*roots, *(sorted(starters.iterdir()) if starters.is_dir() else ()))):
        if (split / manifests.MANIFEST).is_file():
            with suppress(VhbenchError):  # damaged: reported when it is evaluated
                if splits.read_manifest(split).content_hash == content_hash:
                    return _count(name, split)
    return None


def _count(name: str, split: Path) -> int:
    """Count the rows of a task."""
    keep, rows = task(name).keep, splits.read_manifest(split).rows
    if not keep:  # {}: the whole benchmark; None: its own config
        return rows.get(name, 0) if keep is None else sum(rows.values())
    return sum(
        all(value in allowed for value, allowed in zip(values, keep.values(), strict=True))
        for _, group in splits.read_columns(split, list(keep))
        for values in zip(*group.values(), strict=True)
    )


def vocabulary(benchmark: str) -> dict[str, list[str]]:
    """Return the caption vocabulary: word → surface forms.

    Raises:
        VhbenchError: if the split's manifest has none.
    """
    data = resolve(benchmark)
    return vocabulary_of(data.path, data.manifest)


def vocabulary_of(split: Path, manifest: Manifest) -> dict[str, list[str]]:
    """Return the caption vocabulary of a split. Raises like :func:`vocabulary`."""
    words = manifest.config.get("vocabulary")
    if not isinstance(words, dict) or not words:
        raise VhbenchError(
            f"{split}: expected config['vocabulary'] in manifest.json, {{word: [surface forms]}}, to score its "
            f"captions; build the split again with `vhbench build {manifest.benchmark}`"
        )
    return words


def _locate(benchmark: str) -> tuple[Path, DataSource, Mapping[str, str]]:
    """Return (folder, source, pin; empty if not pinned)."""
    if root := os.environ.get("VHBENCH_DATA"):
        path = Path(root).expanduser() / benchmark
        if not (path / "manifest.json").is_file():
            present = sorted(p.parent.name for p in Path(root).expanduser().glob("*/manifest.json"))
            holds = f"it holds {', '.join(present)}" if present else "it has no built split"
            raise VhbenchError(f"VHBENCH_DATA={root}: expected {benchmark}/manifest.json; {holds}")
        return path, DataSource(kind="folder", folder=root), {}
    if pin := release().get(benchmark):
        from vhbench.adapters import hub

        path = hub.snapshot(pin["repo_id"], pin["revision"])
        source = DataSource(kind="hub", repo_id=pin["repo_id"], revision=pin["revision"], tag=str(pin.get("tag") or ""))
        return path, source, pin
    from vhbench.builds.starter import starter

    return starter(benchmark), DataSource(kind="starter"), {}


def release() -> dict[str, dict[str, str]]:
    """Return the pins: benchmark → repo_id, revision (a commit SHA), tag and content_hash.

    Raises:
        VhbenchError: if the file cannot be read or a pin lacks a field.
    """
    file = Path(os.environ.get("VHBENCH_RELEASE") or Path(__file__).with_name("release.yaml"))
    pins = parse_yaml(read_text(file), f"cannot read the release file {file}") or {}
    if not isinstance(pins, dict):
        raise VhbenchError(f"{file}: expected a mapping of benchmarks to pins, got a {type(pins).__name__}")
    for benchmark, pin in pins.items():
        if benchmark not in BENCHMARKS:
            raise VhbenchError(f"{file}: expected pins of {', '.join(BENCHMARKS)}; got '{benchmark}'")
        fields = pin if isinstance(pin, dict) else {}
        wrong = [name for name in _PIN if not isinstance(fields.get(name), str) or not fields[name]]
        if wrong:
            raise VhbenchError(f"{file}: pin '{benchmark}': expected {', '.join(_PIN)}; missing {', '.join(wrong)}")
    return pins


def _only(docs: Any, column: str) -> str:
    values = sorted(set(docs[column][:]))
    if len(values) != 1:
        raise VhbenchError(f"column {column}: expected one value, got {values}")
    return str(values[0])
