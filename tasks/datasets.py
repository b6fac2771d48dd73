"""Data of the tasks: a local build, a pinned release, or the starter split, with checks.

In this order; the choice is reported on stderr:

1. ``VHBENCH_DATA=DIR``: split directories built on this machine (``DIR/ode/manifest.json`` …);
2. a release on the Hub: ``VHBENCH_RELEASE=hf://ORG/NAME@v1.0.0#sha256:…`` (several, comma-separated; not with
   ``VHBENCH_DATA``), or that of ``release.yaml``;
3. without either, the starter split, built once into the user's cache from synthetic scenes: no network, GPU, weights.

``dataset_kwargs: !function vhbench.tasks.datasets.ode_fictional_caption`` makes lmms-eval read the module attribute of
this name when it loads the task, which resolves the data (:func:`__getattr__`). It lists the files of the manifest, so
that other files in their folders, such as settings of ``datasets``, are ignored.
"""

import functools
import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from filelock import FileLock

from vhbench import splits, terminal
from vhbench.benchmarks import BENCHMARKS, of_task, task
from vhbench.columns import COLUMNS, HASHED
from vhbench.files import cache_folder, cached, convert, parse_yaml, read_text
from vhbench.images import open_image
from vhbench.provenance import DataSource
from vhbench.records import split_repetition
from vhbench.schema import Manifest, Record, VhbenchError, in_one_line
from vhbench.splits import manifests

P = ParamSpec("P")
T = TypeVar("T")

_AT_ONCE = 1000  # batch size for comparing rows

_INDEX, _VARIANT = "index", "variant"
"""Columns that :func:`select` and :func:`repeat` add: the row's index in its split, and the variant's prefix."""

OWN = Path(__file__).with_name("release.yaml")  # releases that this version of vhbench evaluates on


@dataclass(frozen=True, slots=True)
class Data:
    """A checked split directory and its source."""

    path: Path
    source: DataSource
    manifest: Manifest
    rows: splits.CheckedRows


def __getattr__(name: str) -> dict[str, Any]:
    """Return the arguments of ``datasets`` for a benchmark or config, lazily."""
    if of_task(name) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return or_exit(_loaded, name)


def _loaded(name: str) -> dict[str, Any]:
    """Return the arguments of ``datasets`` for a benchmark or a config."""
    paths = files(name)
    if "::" in str(paths[0]):
        raise VhbenchError(
            f"{paths[0]}: expected a path without '::', which `datasets` takes for an archive; rename it"
        )
    # Images are read from the shards when they are needed: the cache of `datasets` would be twice as large as these.
    columns = [column for column in COLUMNS if column != "images"]
    return {"data_files": {"test": [glob.escape(str(path)) for path in paths]}, "columns": columns}


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

    Raises if the configured data is missing, damaged or not the pinned version: there is no other source then.
    """
    path, source = _locate(benchmark)
    manifest = splits.read_manifest(path)
    if manifest.benchmark != benchmark:
        raise VhbenchError(f"{path}: expected benchmark '{benchmark}', got '{manifest.benchmark}'")
    splits.check_no_strays(path, manifest)
    rows = splits.CheckedRows(path, manifest)
    _refuse_yanked(benchmark, manifest, source)
    _say(f"{benchmark} {manifest.version} from {source}: {path}")
    return Data(path, source, manifest, rows)


def _refuse_yanked(benchmark: str, manifest: Manifest, source: DataSource) -> None:
    """Raise if the version was withdrawn, according to manifest or Hub; report a newer one."""
    reason, newer = str(manifest.extra.get("yanked") or ""), ""
    if source.release:
        from vhbench.adapters import hub
        from vhbench.adapters.hub_names import ReleaseName

        repo_id, tag = (name := ReleaseName.parse(source.release)).repo_id, name.revision
        status = hub.standing(
            repo_id,
            manifest.version,
            source.revision,
            tag=tag if tag.startswith("v") else "",
            content_hash=manifest.content_hash,
        )
        reason, newer = reason or status.yanked, status.newer
        if status.moved:
            _say(f"the tag {tag} of {repo_id} was moved or deleted; the release is the one that was named")
    hint = f"; {newer} is available" if newer else ""
    if reason and os.environ.get("VHBENCH_ALLOW_YANKED") != "1":
        raise VhbenchError(
            f"{benchmark} {manifest.version} was withdrawn: {reason}{hint}. Pin another version, or set "
            "VHBENCH_ALLOW_YANKED=1 to recompute old numbers"
        )
    if reason or hint:
        withdrawn = f" was withdrawn ({reason})" if reason else " is evaluated"
        _say(f"{benchmark} {manifest.version}{withdrawn}{hint}")


def files(name: str) -> list[Path]:
    """Return the Parquet files of a benchmark, or of a config such as ``ode_fictional_caption``; raise without it."""
    owner = of_task(name)
    data = resolve(owner.name if owner else name)
    configs = data.manifest.rows
    if name not in BENCHMARKS and name not in configs:
        raise VhbenchError(
            f"task {name}: expected a config of this name in {data.source} at {data.path}; got "
            f"{', '.join(sorted(configs))}. Build one with `{task(name).command} --out OUT` and set VHBENCH_DATA=OUT"
        )
    return data.rows.shards(sorted(configs) if name in BENCHMARKS else [name])


def select(docs: Any, **columns: str | tuple[str, ...]) -> Any:
    """Keep the rows whose columns have the given values, without decoding images; check the version of each.

    Raises if it differs from the manifest's, other rows were loaded than the manifest's, or no row is left.
    """
    benchmark = _only(docs, "benchmark")
    data = resolve(benchmark)
    if (other := _only(docs, "benchmark_version")) != data.manifest.version:
        raise VhbenchError(
            f"expected rows of version '{data.manifest.version}' of the manifest, got '{other}': two versions are mixed"
        )
    checked = _checked(docs, data)
    keep = list(range(len(docs)))
    for name, allowed in columns.items():
        values = docs[name][:]
        keep = [i for i in keep if values[i] in ((allowed,) if isinstance(allowed, str) else allowed)]
    if not keep:
        condition = ", ".join(f"{name} {allowed!r}" for name, allowed in columns.items())
        present = ", ".join(f"{name}: {' '.join(sorted(set(docs[name][:])))}" for name in columns)
        raise VhbenchError(f"{data.path}: expected {benchmark} questions with {condition}; got {present}")
    if "caption" in docs["kind"][:] and not manifests.is_hidden(data.manifest):
        vocabulary(benchmark)  # fail before a model has written thousands of captions
    return checked if len(keep) == len(docs) else checked.select(np.array(keep))


def repeat(docs: Any, variants: Sequence[str]) -> Any:
    """Return selected rows with their variants, those of a row in succession."""
    benchmark = _only(docs, "benchmark")
    every = docs.with_format(None).select(np.repeat(np.arange(len(docs)), len(variants)))
    return every.add_column(_VARIANT, list(variants) * len(docs)).with_transform(_Use(benchmark))


def _checked(docs: Any, data: Data) -> Any:
    """Return loaded rows that are compared with the split now, and again with their images when they are used.

    The cache of `datasets` is keyed by paths and times, so it may hold rows of an older build under the same ids. The
    comparison of all rows is remembered for these very files of the cache; concurrent processes wait for one of them.
    """
    from datasets import Image

    first = data.rows.begin(docs[0], len(docs))
    files = [(path, path.stat()) for path in (Path(file["filename"]) for file in docs.cache_files)]
    stats = [[str(path), at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns] for path, at in files]
    key = [data.manifest.content_hash, str(data.path), first, stats]

    def check(_: list[int]) -> list[bool]:
        for start in range(0, len(docs), _AT_ONCE):
            batch = docs.select_columns(list(HASHED))[start : start + _AT_ONCE]
            rows = (dict(zip(batch, values, strict=True)) for values in zip(*batch.values(), strict=True))
            data.rows.check(rows, range(first + start, first + len(docs)))
        return [True]

    if files:
        with FileLock(f"{stats[0][0]}.checked.lock"):  # next to the lock of `datasets`
            list(cached("checked", [key], check))
    else:
        check([])
    docs = docs.remove_columns([name for name in ("images",) if name in docs.column_names])
    mark = f"{data.manifest.content_hash[:16]}{first}x{len(docs)}"  # `datasets` would take a second to hash a column
    docs = docs.add_column(_INDEX, np.arange(first, first + len(docs)), new_fingerprint=mark)
    # lmms-eval leaves out columns of images where it needs none. This one is filled by the transform.
    docs = docs.add_column("images", [None] * len(docs), new_fingerprint=f"{mark}i", feature=Image(decode=False))
    return docs.with_transform(_Use(data.manifest.benchmark))


@dataclass(frozen=True, slots=True)
class _Use:
    """Transform of ``datasets`` for rows in use: whole rows are compared with the split, and get their images."""

    benchmark: str

    def __call__(self, batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """Return a batch of rows, or of single columns, which stay as they are."""
        if _INDEX not in batch or not batch.keys() >= set(HASHED):
            return batch
        rows = (dict(zip(batch, values, strict=True)) for values in zip(*batch.values(), strict=True))
        or_exit(resolve(self.benchmark).rows.check, rows, batch[_INDEX])
        if _VARIANT in batch:
            rows = (dict(zip(HASHED, values, strict=True)) for values in zip(*(batch[n] for n in HASHED), strict=True))
            varied = [split_repetition(prefix).vary(row) for row, prefix in zip(rows, batch[_VARIANT], strict=True)]
            batch = batch | {name: [row[name] for row in varied] for name in HASHED}
        if "images" in batch:
            return batch | {"images": [Images(self.benchmark, index) for index in batch[_INDEX]]}
        return batch


@dataclass(frozen=True, slots=True)
class Images(Sequence[Any]):
    """Images of a row, read, compared with the split and decoded when they are needed."""

    benchmark: str
    row: int

    @property
    def digests(self) -> list[bytes]:
        """SHA-256 of each image."""
        return resolve(self.benchmark).rows.digests(self.row)

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.digests)

    def __getitem__(self, number: Any) -> Any:
        """Return one image, or the images of a slice, as PIL images."""
        encoded = or_exit(resolve(self.benchmark).rows.images, self.row)[number]
        return open_image(encoded) if isinstance(encoded, bytes) else [open_image(data) for data in encoded]

    def __iter__(self) -> Iterator[Any]:
        """Yield the images; their shard is read once."""
        yield from self[:]


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
    own, rows = task(name), splits.read_manifest(split).rows
    if not own.keep:  # {}: the whole benchmark; None: its own config
        return rows.get(name, 0) if own.keep is None else sum(rows.values())
    n_rows = sum(own.keeps(row.__getitem__) for _, row in splits.read_columns(split, list(own.keep)))
    return max(1, len(own.variants)) * n_rows


def vocabulary(benchmark: str) -> dict[str, list[str]]:
    """Return the caption vocabulary, word → surface forms; raise if the split's manifest has none."""
    data = resolve(benchmark)
    return vocabulary_of(data.path, data.manifest)


def vocabulary_of(split: Path, manifest: Manifest) -> dict[str, list[str]]:
    """Return the caption vocabulary of a split. Raises like :func:`vocabulary`."""
    words = manifest.config.get("vocabulary")
    if not isinstance(words, dict) or not words:
        owner = BENCHMARKS.get(manifest.benchmark)
        if owner is not None and "caption" not in owner.families:
            raise VhbenchError(f"{split}: expected a split with captions, got one of {owner.name}, which has none")
        raise VhbenchError(
            f"{split}: expected config['vocabulary'] in manifest.json, {{word: [surface forms]}}, to score its "
            f"captions; build the split again with `vhbench build {manifest.benchmark}`"
        )
    return words


def belonging(records: Iterable[Record], split: Path, option: str) -> Iterator[Record]:
    """Yield the records; raise, naming the option, if one is of another split than that whose words score captions."""
    ids = splits.read_ids(split)
    for record in records:
        if split_repetition(record.id)[1] not in ids:
            raise VhbenchError(
                f"response {record.id!r} belongs to no question of {split}, whose vocabulary would score captions; "
                f"give the evaluated split with {option} DIR"
            )
        yield record


def _locate(benchmark: str) -> tuple[Path, DataSource]:
    """Return the split directory of a benchmark and its source."""
    if root := os.environ.get("VHBENCH_DATA"):
        if os.environ.get("VHBENCH_RELEASE"):
            raise VhbenchError("VHBENCH_DATA and VHBENCH_RELEASE are both set; unset one of them")
        path = Path(root).expanduser() / benchmark
        if not (path / "manifest.json").is_file():
            present = sorted(p.parent.name for p in Path(root).expanduser().glob("*/manifest.json"))
            holds = f"it holds {', '.join(present)}" if present else "it has no built split"
            raise VhbenchError(f"VHBENCH_DATA={root}: expected {benchmark}/manifest.json; {holds}")
        return path, DataSource(kind="folder", folder=root)
    if release := releases().get(benchmark):
        from vhbench.adapters.hub_names import ReleaseName

        path = ReleaseName.parse(release).folder()
        return path, DataSource(kind="hub", release=release, revision=path.name)
    if names := os.environ.get("VHBENCH_RELEASE"):
        raise VhbenchError(f"VHBENCH_RELEASE={names}: expected a release of {benchmark} among them, got none")
    from vhbench.builds.starter import starter

    return starter(benchmark), DataSource(kind="starter")


def releases() -> dict[str, str]:
    """Return benchmark → name of its release: of ``VHBENCH_RELEASE``, comma-separated, before this version's own.

    Raises if a name is invalid, two are of one benchmark, or ``release.yaml`` does not have this form.
    """
    mapping = parse_yaml(read_text(OWN), f"cannot read {OWN}") or {}
    own = dict(convert(mapping, dict[str, str], str(OWN), "a mapping of benchmarks to names of releases"))
    overrides: dict[str, str] = {}
    for name in filter(None, map(str.strip, os.environ.get("VHBENCH_RELEASE", "").split(","))):
        from vhbench.adapters.hub_names import ReleaseName

        benchmark = ReleaseName.parse(name).manifest().benchmark
        if benchmark in overrides:
            both = f"{overrides[benchmark]} and {name}"
            raise VhbenchError(f"VHBENCH_RELEASE: expected one release of {benchmark}, got {both}")
        overrides[benchmark] = name
    return own | overrides


def _only(docs: Any, column: str) -> str:
    values = sorted(set(docs[column][:]))
    if len(values) != 1:
        raise VhbenchError(f"column {column}: expected one value, got {values}")
    return str(values[0])
