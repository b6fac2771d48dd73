"""Atomic replacement of a split: locked, crash-safe, without loss of user files."""

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from vhbench.files import is_temporary, sync_folder
from vhbench.schema import VhbenchError
from vhbench.splits import manifests
from vhbench.splits.verifying import damage

_PATIENCE = 10  # seconds until the wait is reported
_OURS = re.compile(r"[^/]+/test-\d{5}-of-\d{5}\.parquet|\.cache/.*", re.DOTALL)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Lock a split directory against other builds and card writers.

    Leftovers of killed processes are repaired first: a previous split that was set aside for an unfinished one is
    restored, and unfinished files are removed. The lock is the file ``.NAME.lock`` next to the directory; it remains
    there, and works between machines as far as the file system's ``flock`` does. Raises VhbenchError if the parent
    folder is missing or not writable.
    """
    directory = Path(directory).resolve()
    lock = FileLock(directory.with_name(f".{directory.name}.lock"))
    try:
        try:
            lock.acquire(timeout=_PATIENCE)
        except Timeout:
            print(f"vhbench: waiting for another process that writes {directory} …", file=sys.stderr)
            lock.acquire()
    except OSError as error:
        raise VhbenchError(f"{lock.lock_file}: cannot be locked ({error.strerror or error})") from error
    try:
        _mend(directory)
        yield
    finally:
        lock.release()


def replace(staging: Path, directory: Path) -> None:
    """Replace the previous split, if any, by a complete new one. Raises as :func:`check_place`."""
    check_place(directory)
    former = _former(directory)
    if directory.exists():
        shutil.rmtree(former, ignore_errors=True)
        directory.replace(former)
    staging.replace(directory)
    sync_folder(directory.parent)
    shutil.rmtree(former, ignore_errors=True)


def check_place(directory: Path) -> None:
    """Raise VhbenchError if a directory that a new split would replace has files other than a split's."""
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        return
    if not (directory / manifests.MANIFEST).is_file():
        raise VhbenchError(f"{directory}: is not empty and not a split directory; choose another place")
    ours = {manifests.MANIFEST, *manifests.PARTS, *manifests.DERIVED}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if not (path.is_dir() or name in ours or _OURS.fullmatch(name) or is_temporary(name)):
            raise VhbenchError(f"{path}: does not belong to the split to be replaced; move it elsewhere first")


def _former(directory: Path) -> Path:
    return directory.with_name(f".{directory.name}.old")


def _mend(directory: Path) -> None:
    former = _former(directory)
    if not directory.exists() and former.is_dir() and not damage(former):
        former.replace(directory)
    beside = directory.parent.glob(f".{directory.name}.*.tmp")
    for path in [*directory.glob(".*.tmp"), *beside]:
        if is_temporary(path.name):
            path.unlink(missing_ok=True)
