"""Sharded, resumable builds: shards are written atomically, then merged.

Every shard is a small split directory in ``OUT/.BENCHMARK.FINGERPRINT.parts``. The fingerprint covers everything that
changes the rows: the build's config, its sources, and the code that its module imports. So an interrupted build
resumes, and shards of different builds never mix. Content depends on the seed and the shard's index alone: any number
of workers, jobs or machines, in any order and after any crash, yields the same content hash.

Processes that build into the same folder coordinate by file locks. Across machines the folder must be on a file system
whose ``flock`` works between them: NFS 4, GPFS, Lustre mounted with ``flock``.
"""

import hashlib
import multiprocessing
import os
import re
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from vhbench import splits
from vhbench.adapters.loading import visible_devices
from vhbench.builds import hidden_seed
from vhbench.builds.code import code_digest, code_files
from vhbench.builds.row_ids import RowNames
from vhbench.builds.split_build import SplitBuild, tail
from vhbench.files import canonical
from vhbench.options import options_of
from vhbench.progress import Progress
from vhbench.protocols import Note
from vhbench.schema import Manifest, Rejection, Row, Scene, VhbenchError
from vhbench.splits import manifests
from vhbench.splits.stored_scenes import StoredScene, scene_of, truth_of, write_rejections

__all__ = [
    "build_shard", "chosen", "code_digest", "code_files", "fingerprint", "parse_shard", "run",
]  # fmt: skip

_GIVEN_UP = 7 * 24 * 3600  # seconds after which an unfinished build is considered abandoned


def run(
    build: SplitBuild,
    out: Path,
    *,
    workers: int = 1,
    shard: tuple[int, int] | None = None,
    ray: str | None = None,
    gpus: float = 0,
    progress: bool = True,
    commitment: str = "",
    extra: Mapping[str, Any] | None = None,
) -> Manifest | None:
    """Build a split into ``out/<benchmark>``, resuming an interrupted build.

    Args:
        build: the build.
        out: parent folder of split directories.
        workers: number of processes on this machine.
        shard: (i, N) builds every N-th shard from the i-th on; the last of the N jobs to finish merges them all.
        ray: "local" starts a Ray cluster on this machine, "auto" connects to a running one, anything else is its
            address; ``out`` must then be visible to all of its machines under the same path.
        gpus: GPUs per Ray task; may be a fraction.
        progress: report progress on stderr.
        commitment: of a hidden test set, see :mod:`vhbench.builds.hidden_seed`; the split then omits the seed.
        extra: further manifest entries, which identify the build too.

    Returns:
        The manifest, or None if other jobs still have shards to build.

    Raises:
        VhbenchError: for invalid input, or if a worker was killed. Finished shards are kept for the next run.
    """
    out = Path(out)
    target = out / manifests.check_name(build.benchmark, "benchmark")
    index, jobs = shard or (0, 1)
    if build.shards < 1 or not 0 <= index < jobs:
        raise VhbenchError(
            f"shard: expected i/N with 0 ≤ i < N and something to build, got {index}/{jobs} of {build.shards}"
        )
    mark = fingerprint(build, commitment, extra)
    parts = out / f".{build.benchmark}.{mark}.parts"
    out.mkdir(parents=True, exist_ok=True)
    with splits.locked(target):
        if (done := _finished(target, mark)) is not None:
            shutil.rmtree(parts, ignore_errors=True)  # of a process that was killed after merging
            return done
        splits.check_place(target)
        parts.mkdir(exist_ok=True)
        in_use = FileLock(parts / f"in-use-{secrets.token_hex(4)}.lock").acquire()  # while locked, it is not removed
    how = {"workers": workers, "ray": ray, "gpus": gpus, "progress": progress}
    try:
        with in_use:
            _build_missing(build, parts, range(index, build.shards, jobs), how)
        with splits.locked(target):
            return _merge(build, parts, target, {**(extra or {}), "fingerprint": mark}, commitment, progress=progress)
    except (OSError, VhbenchError):
        # Another process with the same build may have merged everything and cleaned up.
        if (done := _finished(target, mark)) is not None:
            return done
        raise


def fingerprint(build: SplitBuild, commitment: str = "", extra: Mapping[str, Any] | None = None) -> str:
    """Return 16 hex digits that identify everything a split's content depends on."""
    seed = commitment or build.seed
    options = [build.benchmark, build.version, seed, dict(build.config), dict(build.sources), build.shards]
    return hashlib.sha256(canonical([*options, code_digest(type(build)), *filter(None, [extra])])).hexdigest()[:16]


def parse_shard(text: str) -> tuple[int, int]:
    """Parse "i/N" from the command line, i from 0; raise VhbenchError if it has another format."""
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if not match or not int(match[1]) < int(match[2]):
        raise VhbenchError(f"--shard: expected i/N with 0 ≤ i < N, such as 0/8, got {text!r}")
    return int(match[1]), int(match[2])


def _part(parts: Path, index: int) -> Path:
    return parts / f"{index:06d}"


def _is_built(parts: Path, index: int) -> bool:
    return (_part(parts, index) / manifests.MANIFEST).is_file()


def _all_built(build: SplitBuild, parts: Path) -> bool:
    return all(_is_built(parts, i) for i in range(build.shards))


def _finished(target: Path, mark: str) -> Manifest | None:
    """Return the manifest of a complete split that equals this build's output."""
    try:
        manifest = splits.read_manifest(target)
    except VhbenchError:
        return None
    whole = manifest.extra.get("fingerprint") == mark and not splits.damage(target)
    return manifest if whole else None


def _build_missing(build: SplitBuild, parts: Path, share: range, how: Mapping[str, Any]) -> None:
    """Build the missing shards of a share; if none, rebuild damaged ones of the whole build."""
    missing = dict.fromkeys(i for i in share if not _is_built(parts, i))
    _build_all(build, parts, list(missing), **how)
    if _all_built(build, parts):
        before = [i for i in range(build.shards) if i not in missing]
        damaged = {i: faults for i in before if (faults := splits.damage(_part(parts, i)))}
        for i, faults in damaged.items():
            print(f"shard {i} is damaged and built again: {faults[0]}", file=sys.stderr)
        if damaged:
            _build_all(build, parts, [*damaged], **how)


def _build_all(
    build: SplitBuild, parts: Path, todo: list[int], *, workers: int, ray: str | None, gpus: float, progress: bool
) -> None:
    with Progress(f"building {build.benchmark}", total=len(todo), unit="shards", enabled=progress) as bar:
        if ray is not None:
            done = _with_ray(build, parts, todo, ray, gpus)
        elif workers > 1 and len(todo) > 1:
            done = _with_processes(build, parts, todo, workers)
        else:
            done = (build_shard(build, parts, index) for index in todo)
        total = 0
        for rows in done:
            total += rows
            bar.advance(note=f"{total:,} rows")


def build_shard(build: SplitBuild, parts: Path, index: int) -> int:
    """Build one shard under a lock, unless it is complete; return its number of rows."""
    part = _part(parts, index)
    with FileLock(part.with_suffix(".lock")):
        if splits.damage(part):
            truths, rejections, notes = list[StoredScene](), list[Rejection](), dict[str, Any]()
            shutil.rmtree(part, ignore_errors=True)
            splits.write_split(
                part,
                _rows(build.make(index), truths, rejections, notes),
                benchmark=build.benchmark,
                version=build.version,
                seed=manifests.SECRET_SEED,
                config={},
                scenes=truths,
                rejections=rejections,
                extra=notes,  # filled while rows are written
                may_be_empty=True,
            )
    return sum(splits.read_manifest(part).rows.values())


def _rows(
    stream: Iterator[Row | Scene | Rejection | Note],
    truths: list[StoredScene],
    rejections: list[Rejection],
    notes: dict[str, Any],
) -> Iterator[Row]:
    """Yield rows; collect scene truths (without images), rejections and notes."""
    for item in stream:
        if isinstance(item, Row):
            yield item
        elif isinstance(item, Scene):
            truths.append(truth_of(item))
        elif isinstance(item, Note):
            notes[item.name] = {**notes.get(item.name, {}), **item.entries}
        else:
            rejections.append(item)


def _with_processes(build: SplitBuild, parts: Path, todo: list[int], workers: int) -> Iterator[int]:
    """Build shards in other processes and, unless each has a GPU of its own, from the last one on in this one, too."""
    # Never "fork", which would copy threads and GPU handles in an unknown state.
    context = multiprocessing.get_context("spawn")
    started = (context.Value("i", 0), visible_devices() if build.on_gpu else ())
    others = min(workers, len(todo)) - (not build.on_gpu)
    pool = ProcessPoolExecutor(others, mp_context=context, initializer=_begin, initargs=started)
    try:
        futures = {pool.submit(build_shard, build, parts, index): index for index in todo}
        for future, index in [] if build.on_gpu else reversed([*futures.items()]):
            if any(other.done() and other.exception() for other in futures):
                break
            if future.cancel():
                del futures[future]
                yield build_shard(build, parts, index)
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool as error:
        raise VhbenchError(
            "a worker process was killed, possibly out of memory; finished shards are kept: run the same command "
            "again, with fewer --workers if needed"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(started: Any, devices: tuple[str, ...]) -> None:
    """Assign a worker its GPU, if any, and end it when its parent process has ended."""
    with started.get_lock():
        number, started.value = started.value, started.value + 1
    if devices:
        os.environ["CUDA_VISIBLE_DEVICES"] = devices[number % len(devices)]  # torch is not loaded yet
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _with_ray(build: SplitBuild, parts: Path, todo: list[int], address: str, gpus: float) -> Iterator[int]:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise VhbenchError("--ray needs Ray: pip install 'vhbench[ray]'") from None
    started = not ray.is_initialized()
    if started:
        local: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        ray.init(address=address, log_to_driver=False, **local)
    try:
        task = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=3)(build_shard)
        shared = ray.put(build)
        waiting = [task.remote(shared, parts.resolve(), index) for index in todo]
        while waiting:
            done, waiting = ray.wait(waiting)
            yield from ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise error.as_instanceof_cause() from error
    except ray.exceptions.RayError as error:
        raise VhbenchError(
            f"Ray lost a worker ({type(error).__name__}), possibly out of memory; finished shards are kept: "
            "run the same command again"
        ) from error
    finally:
        if started:
            ray.shutdown()


def _merge(
    build: SplitBuild, parts: Path, target: Path, facts: Mapping[str, Any], commitment: str, *, progress: bool
) -> Manifest | None:
    """Merge all shards under the lock of the split, unless some are missing or another job has merged them."""
    if (done := _finished(target, facts["fingerprint"])) is None:
        if not parts.exists():
            raise VhbenchError(
                f"{parts}: the shards are gone; another job has merged them and another build has replaced {target} "
                "since: use a separate folder for each build"
            )
        if not _all_built(build, parts):
            return None
        done = _write(build, [_part(parts, i) for i in range(build.shards)], target, facts, commitment, progress)
    shutil.rmtree(parts, ignore_errors=True)
    _sweep(target.parent, build.benchmark)
    return done


def _write(
    build: SplitBuild, parts: list[Path], target: Path, facts: Mapping[str, Any], commitment: str, progress: bool
) -> Manifest:
    total = sum(sum(splits.read_manifest(part).rows.values()) for part in parts)
    names = RowNames(build.seed, build.benchmark)
    if not total:
        raise _nothing_left(build, parts, target, commitment)
    build.check_notes(notes := _notes(parts))
    with Progress(f"merging {build.benchmark}", total=total, unit="rows", enabled=progress) as bar:

        def rows() -> Iterator[Row]:
            drafts = chain.from_iterable(map(splits.read_rows, names.shuffled(parts)))
            for row in hidden_seed.guarded(drafts, build.seed) if commitment else drafts:
                yield names.given(row)
                bar.advance()

        def truths() -> Iterator[StoredScene]:
            scenes = chain.from_iterable(map(splits.read_truths, parts))
            return (replace(t, id=hidden_seed.scene_name(t.id, build.seed)) for t in scenes) if commitment else scenes

        manifest = splits.write_split(
            target,
            rows(),
            benchmark=build.benchmark,
            version=build.version,
            seed=manifests.SECRET_SEED if commitment else build.seed,
            config=hidden_seed.without_seeds(dict(build.config)) if commitment else build.config,
            sources=build.sources,
            scenes=(hidden_seed.redacted(truth, build.seed) for truth in truths()) if commitment else truths(),
            rejections=_rejections(build, parts, commitment),
            order=names.order,
            extra={
                **facts,
                "shards": build.shards,
                **({"commitment": commitment, "options": chosen(build)} if commitment else {}),
                **notes,
                **build.facts(map(scene_of, truths())),
            },
        )
    _left_out(target).unlink(missing_ok=True)  # from an earlier run without rows
    return manifest


def chosen(build: SplitBuild) -> dict[str, Any]:
    """Return a build's non-default options, without the folders of files."""
    usual = {f.name: f.default for f in fields(type(build))}
    values = {name: getattr(build, name) for name in options_of(type(build)) if name not in ("seed", "version")}
    return {name: _without_folders(value) for name, value in values.items() if value != usual[name]}


def _without_folders(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_without_folders(one) for one in value]
    return tail(value) if isinstance(value, str) else value


def _notes(parts: list[Path]) -> dict[str, dict[str, Any]]:
    """Return the tables that shards filled, without :func:`vhbench.splits.write_split`'s."""
    tables: dict[str, dict[str, Any]] = {}
    for part in parts:
        for name, entries in splits.read_manifest(part).extra.items():
            if isinstance(entries, dict):
                tables.setdefault(name, {}).update(entries)
    return tables


def _rejections(build: SplitBuild, parts: list[Path], commitment: str) -> Iterator[Rejection]:
    rejections = chain.from_iterable(map(splits.read_rejections, parts))
    return (hidden_seed.redacted_rejection(r, build.seed) for r in rejections) if commitment else rejections


def _nothing_left(build: SplitBuild, parts: list[Path], target: Path, commitment: str) -> VhbenchError:
    """Write the rejections of a build without rows; return the error that counts them."""
    path = _left_out(target)
    reasons = write_rejections(path, _rejections(build, parts, commitment))
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    why = f"{', '.join(f'{count:,} × {reason}' for reason, count in ranked)}; all are listed in {path}"
    return VhbenchError(f"the {build.benchmark} split would have no rows ({why if reasons else 'nothing was made'})")


def _left_out(target: Path) -> Path:
    return target.with_name(f"{target.name}.{manifests.REJECTIONS}")


def _sweep(out: Path, benchmark: str) -> None:
    """Remove leftovers of abandoned builds: shards and MIOH's synthetic pools.

    A locked folder is left alone. So is one with finished shards, which may wait for the next job of a Slurm array,
    until it has not changed for a week.
    """
    for folder in out.glob(f".{benchmark}.*.parts"):
        waits = any(folder.glob(f"*/{manifests.MANIFEST}")) and time.time() - folder.stat().st_mtime < _GIVEN_UP
        if not (waits or _is_locked(folder)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_locked(folder: Path) -> bool:
    try:
        for path in folder.glob("*.lock"):
            with FileLock(path).acquire(timeout=0):
                pass
    except (Timeout, OSError):
        return True
    return False
