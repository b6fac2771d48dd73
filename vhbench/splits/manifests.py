"""File names in a split directory, and the manifest file."""

import re
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from vhbench.files import convert, json_bytes, path_exists, quote_value, read_json, resolved
from vhbench.schema import CANARY, Manifest, VhbenchError

MANIFEST = "manifest.json"
SCENES = "scenes.parquet"
DIGESTS = "digests.parquet"
REJECTIONS = "rejections.jsonl"
PARTS = (SCENES, DIGESTS, REJECTIONS)  # listed files other than shards
FORMAT = "vhbench-split-1"
YANKED = "yanked.json"  # in a repository: version → reason for its withdrawal
# files generated from the manifest, which does not list them
DERIVED = ("README.md", "CHANGELOG.md", "eval.yaml", "croissant.json", "contact_sheet.png", ".gitattributes", YANKED)
SECRET_SEED = -1  # seed in the manifest of a hidden test set, instead of the real one
HIDDEN = "hidden"  # manifest extra: the split is the public part of a hidden test set, without answers
HIDDEN_SOURCE = "hidden_source"  # manifest extra: commitment of the hidden test set that the split is derived from
_LARGEST = 8 << 20  # maximum manifest size in bytes (parsed, it takes 30 times that); vhbench's have a tenth
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,95}")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
_SHARD = re.compile(r"([^/]+)/test-(\d{5})-of-(\d{5})\.parquet")
_LITTER = re.compile(r"\.DS_Store|\._.*|Thumbs\.db|desktop\.ini")
_ROWS = re.compile(r"\.huggingface\.yaml|.*\.parquet")

_Positive = Annotated[int, Meta(ge=1)]
_Count = Annotated[int, Meta(ge=0)]
_Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
_DIGITS = "64 lower-case hexadecimal digits"


def shard_name(config: str, index: int, total: int) -> str:
    """Return the path of a shard relative to its split directory."""
    return f"{config}/test-{index:05d}-of-{total:05d}.parquet"


def is_hidden(manifest: Manifest) -> bool:
    """Return whether a split is the public part of a hidden test set, without answers."""
    return manifest.extra.get(HIDDEN) is True


def check_name(name: str, subject: str) -> str:
    """Return a config's or benchmark's name if it is a safe folder name; raise VhbenchError if it is not."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or ".." in name:
        raise VhbenchError(
            f"{subject}: expected letters, digits and _ . + -, beginning with a letter or digit, got {name!r}"
        )
    return name


def parse_version(version: str) -> tuple[int, int, int]:
    """Return (major, minor, patch); raise VhbenchError if the version is not MAJOR.MINOR.PATCH."""
    match = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if not match:
        raise VhbenchError(f"version: expected MAJOR.MINOR.PATCH, such as 1.0.0, got {version!r}")
    major, minor, patch = (int(part) for part in match.groups())
    return major, minor, patch


def inside(directory: Path, name: str) -> Path:
    """Return the path of a file that a manifest lists, always inside its directory.

    Raises VhbenchError for absolute paths, ``..``, odd characters, and links that lead elsewhere.
    """
    parts = name.split("/") if isinstance(name, str) else []
    if not 1 <= len(parts) <= 2 or not all(_NAME.fullmatch(part) and ".." not in part for part in parts):
        raise VhbenchError(f"{directory / MANIFEST}: expected a file name FILE or CONFIG/FILE, got {name!r}")
    path = directory / name
    # A folder as a whole may be a link (the Hub's cache links files into a shared store), a file may link only to a
    # file.
    if path.is_symlink() and not (resolved(path).is_file() and _in_hub_cache(path)):
        raise VhbenchError(f"{path}: is a link that leads out of the split directory")
    if path.parent != directory and path.parent.is_symlink():
        raise VhbenchError(f"{path.parent}: expected a folder for the config, got a link")
    return path


def _in_hub_cache(path: Path) -> bool:
    """Return whether a link is huggingface_hub's: REPO/snapshots/SHA/FILE → REPO/blobs/ID, or → HUB/blobs/ID[:2]/ID."""
    # The split directory may be reached by a link: only the location of the file's own link counts.
    file, place = resolved(path), resolved(path.parent)
    repo = next((parent.parent for parent in place.parents if parent.name == "snapshots"), None)
    return repo is not None and file.parent in (repo / "blobs", repo.parent / "blobs" / file.name[:2])


def config_files(manifest: Manifest) -> dict[str, list[str]]:
    """Return the shards of each config in order; raise VhbenchError for a missing, superfluous or unassigned one."""
    shards: dict[str, list[str]] = {config: [] for config in sorted(manifest.rows)}
    for name in sorted(manifest.files):
        if match := _SHARD.fullmatch(name):
            if match[1] not in shards:
                raise VhbenchError(f"manifest.json: {name} belongs to no config in 'rows': {', '.join(shards)}")
            shards[match[1]].append(name)
    for config, names in shards.items():
        if not names or names != [shard_name(config, i, len(names)) for i in range(len(names))]:
            raise VhbenchError(f"manifest.json: the shards of config {config!r} are not complete: {names}")
    return shards


def check_no_strays(directory: Path, manifest: Manifest) -> None:
    """Check that a split has no rows outside the files that its manifest lists; raise VhbenchError naming the first.

    Loading a folder with ``datasets`` returns the rows of every file in it, or of those that a ``.huggingface.yaml``
    names, and no hash covers them. So a config's folder must have no other files, hidden ones included; next to the
    configs, non-data files such as a licence or an erratum are allowed. Files of file managers are never loaded.
    """
    directory = Path(directory)
    for folder in (directory, *(path for path in sorted(directory.iterdir()) if path.is_dir())):
        for path in sorted(folder.iterdir()):
            if is_stray(path.relative_to(directory).as_posix(), manifest):
                raise VhbenchError(f"{path}: is not listed in the manifest, so its content is unchecked; remove it")


def is_stray(name: str, manifest: Manifest) -> bool:
    """Return whether a relative path may have unhashed rows; see check_no_strays."""
    folder, _, rest = name.rpartition("/")
    if name in manifest.files or _LITTER.fullmatch(rest):
        return False
    return folder.partition("/")[0] in manifest.rows or ("/" not in folder and bool(_ROWS.fullmatch(rest)))


def read_manifest(directory: Path) -> Manifest:
    """Read ``manifest.json``; raise VhbenchError if it is missing (unfinished build), unreadable or invalid."""
    path = directory / MANIFEST
    if not path_exists(path):
        problem = "no manifest.json (not a split, or its build did not finish)" if directory.is_dir() else "no folder"
        raise VhbenchError(f"{directory}: expected a split directory such as out/ode, got {problem}")
    data = read_json(path, _LARGEST)
    file_format = data.get("format") if isinstance(data, dict) else data
    if file_format != FORMAT:
        raise VhbenchError(f"{path}: format: expected {FORMAT!r}, got {quote_value(file_format)}")
    manifest: Manifest = convert(data, Manifest, str(path))
    try:
        _check(manifest)
    except VhbenchError as error:
        raise VhbenchError(f"{path}: {error}") from error
    return manifest


def _check(manifest: Manifest) -> None:
    check_name(manifest.benchmark, "benchmark")
    parse_version(manifest.version)
    if manifest.canary != CANARY:
        raise VhbenchError(f"canary: expected {CANARY!r}, got {manifest.canary!r}")
    for config, count in manifest.rows.items():
        convert(count, _Positive, f"rows of {check_name(config, 'config')!r}", "a positive number")
    for reason, count in manifest.rejections.items():
        convert(count, _Count, f"rejections for {quote_value(reason)}", "a number")
    for name, digest in {"content_hash": manifest.content_hash, **manifest.files}.items():
        convert(digest, _Sha256, f"the SHA-256 of {quote_value(name)}", _DIGITS)
    if (commitment := manifest.extra.get("commitment", "")) != "":
        convert(commitment, _Sha256, "commitment", _DIGITS)
    for name in manifest.files:
        inside(Path(), name)
        if name not in PARTS and not _SHARD.fullmatch(name):
            raise VhbenchError(
                f"lists {name}; a split has {shard_name('CONFIG', 0, 1)} …, {', '.join(PARTS)} and nothing else"
            )
    config_files(manifest)


def manifest_digest(manifest: Manifest) -> str:
    """Return the SHA-256 of the manifest file, in hex: of all claims about a split, and of its files."""
    return sha256(manifest_bytes(manifest)).hexdigest()


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the manifest file's content: JSON, indented, with sorted keys."""
    return json_bytes({"format": FORMAT, **asdict(manifest)}, sort=True)
