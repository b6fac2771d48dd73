"""Reading from the Hugging Face Hub: pinned snapshots, release status, one-line errors."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, Self, TypeVar

import orjson

from vhbench import splits
from vhbench.files import json_bytes
from vhbench.schema import Manifest, VhbenchError
from vhbench.splits import manifests

T = TypeVar("T")

_SHA = re.compile(r"[0-9a-f]{40}")
_NUMBER = r"(0|[1-9][0-9]{0,5})"
_TAG = re.compile(rf"v{_NUMBER}\.{_NUMBER}\.{_NUMBER}")
_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_YANK = ("reason", "revision", "content_hash")
_LONGEST_WAIT = 300  # seconds; a longer Retry-After is not obeyed
_PATIENCE = 5  # seconds that a start waits for the Hub's word on a release that is cached
_HTTP_LIBRARIES = ("httpx", "httpx2", "httpcore", "requests", "urllib3")


def is_commit(revision: object) -> bool:
    """Return whether a revision is a commit of the Hub, and no branch or tag, which may move.

    >>> is_commit("a1" * 20), is_commit("main")
    (True, False)
    """
    return isinstance(revision, str) and _SHA.fullmatch(revision) is not None


def snapshot(repo_id: str, revision: str, *, offline: bool = False) -> Path:
    """Return the local folder of a released split at one commit, downloading missing files unless ``offline``.

    Do not use ``load_dataset(repo, revision=…)`` instead: offline, it loads whichever version was cached last. The
    revision is a commit of 40 hexadecimal digits: tags and branches can move and are rejected. Raises if the commit
    does not exist, or is unreachable and not completely cached.
    """
    check_repo_id(repo_id)
    if not is_commit(revision):
        raise VhbenchError(
            f"{repo_id}: expected a commit of 40 hexadecimal digits (a tag or branch can move), got {revision!r}"
        )
    folder = download(repo_id, revision, offline=offline)
    check_whole(folder, splits.read_manifest(folder), f"{repo_id} at commit {revision}")
    return folder


def download(repo_id: str, commit: str, *, offline: bool) -> Path:
    """Return the folder of a commit in the cache, after downloading missing files; raise if the cache gives another."""
    from huggingface_hub import snapshot_download

    what = f"{repo_id} at commit {commit}"
    with one_line(what):
        folder = Path(snapshot_download(repo_id, repo_type="dataset", revision=commit, local_files_only=offline))
    if folder.name != commit:
        raise VhbenchError(f"{what}: the cache gave {folder.name} instead")
    return folder


def check_whole(folder: Path, manifest: Manifest, what: str) -> None:
    """Raise if a downloaded split lacks a file or has rows that its manifest does not list."""
    # Offline, some client versions return a snapshot whose download was interrupted.
    if missing := [name for name in manifest.files if not manifests.inside(folder, name).is_file()]:
        raise VhbenchError(f"{what}: the copy in {folder} lacks {missing[0]}; go online once to complete it")
    splits.check_no_strays(folder, manifest)


@dataclass(frozen=True, slots=True)
class Refs:
    """Branches and version tags of a repository."""

    branches: dict[str, str]  # name → commit
    tags: dict[str, str]  # name → commit, for version tags such as "v1.2.0"

    @property
    def newest_last(self) -> list[str]:
        """The version tags in the order of their versions."""
        return sorted(self.tags, key=_parts_of)

    def below(self, version: str) -> str:
        """Return the tag of the newest version lower than this one, or ""."""
        return next((t for t in self.newest_last[::-1] if _parts_of(t) < manifests.parse_version(version)), "")

    def above(self, version: str) -> str:
        """Return the tag of the newest version if it is higher than this one, else ""."""
        return next((t for t in self.newest_last[-1:] if _parts_of(t) > manifests.parse_version(version)), "")


def _parts_of(tag: str) -> tuple[int, int, int]:
    return manifests.parse_version(tag.removeprefix("v"))


def refs(repo_id: str) -> Refs | None:
    """Return the branches and tags of a repository, None if it does not exist; raise if the Hub cannot be reached."""
    from huggingface_hub import HfApi

    with one_line(check_repo_id(repo_id)):
        remote = if_there(lambda: HfApi().list_repo_refs(repo_id, repo_type="dataset"))
        if remote is None:
            return None
        # The target of an annotated tag is not the commit; such tags are resolved by name when needed.
        tags = {ref.name: str(ref.target_commit) for ref in remote.tags if _TAG.fullmatch(ref.name)}
        return Refs({branch.name: str(branch.target_commit) for branch in remote.branches}, tags)


def commit_of(repo_id: str, revision: str = "main", kind: str = "dataset") -> str:
    """Return the current commit of a tag or branch; raise if it does not exist, or the Hub cannot be reached."""
    from huggingface_hub import HfApi

    with one_line(f"{check_repo_id(repo_id)} at {revision}"):
        return str(HfApi().repo_info(repo_id, repo_type=kind, revision=revision).sha)


def remote_files(api: Any, repo_id: str, revision: str, kind: str = "dataset") -> dict[str, str]:
    """Return the digest of each file at a commit."""
    tree = api.list_repo_tree(repo_id, recursive=True, revision=revision, repo_type=kind)
    files = [item for item in tree if hasattr(item, "blob_id")]
    return {item.path: item.lfs.sha256 if item.lfs else item.blob_id for item in files}


def text_of(repo_id: str, name: str, revision: str = "main", *, offline: bool = False) -> str:
    """Return a small file of a repository as text, "" without one; raise if the Hub cannot be reached."""
    file = file_of(repo_id, name, revision, offline=offline)
    try:
        return file.read_text(encoding="utf-8") if file else ""
    except UnicodeDecodeError as error:
        raise VhbenchError(f"{repo_id}: {name} is not UTF-8 text ({error})") from error


def file_of(repo_id: str, name: str, revision: str = "main", *, offline: bool = False) -> Path | None:
    """Return a repository file in the cache, under its commit's folder, or None; raise if the Hub cannot be reached."""
    from huggingface_hub import hf_hub_download

    with one_line(check_repo_id(repo_id)):
        how: dict[str, Any] = {"repo_type": "dataset", "revision": revision, "local_files_only": offline}
        file = if_there(lambda: hf_hub_download(repo_id, name, **how))
        return None if file is None else Path(file)


def if_there(ask: Callable[[], T]) -> T | None:
    """Return the Hub client's result, or None if the repository or file does not exist."""
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        return ask()
    except (LocalEntryNotFoundError, GatedRepoError):  # subclasses of the errors below with a different meaning
        raise
    except (EntryNotFoundError, RepositoryNotFoundError):
        return None


@dataclass(frozen=True, slots=True)
class ReleaseStatus:
    """Release status of a version."""

    yanked: str = ""  # reason for the withdrawal, or ""
    newer: str = ""  # tag of the newest version if it is higher, or ""
    moved: bool = False  # whether its tag points to another commit now


@dataclass(frozen=True, slots=True)
class Yank:
    """Withdrawn version; commit and content hash identify it without its tag."""

    version: str  # "1.2.0"
    reason: str  # for the withdrawal
    revision: str = ""  # commit of its tag, or "" if unknown
    content_hash: str = ""  # of its manifest, or "" if unknown

    def means(self, version: str, revision: str, content_hash: str) -> bool:
        """Return whether version, commit or content hash match; "" never matches."""
        pairs = ((self.version, version), (self.revision, revision), (self.content_hash, content_hash))
        return any(own and own == other for own, other in pairs)

    @classmethod
    def read(cls, text: str) -> list[Self]:
        """Return the entries of a repository's yanked.json by version, skipping unreadable ones.

        >>> Yank.read('{"1.0.0": "wrong answers"}')  # as the first releases wrote it
        [Yank(version='1.0.0', reason='wrong answers', revision='', content_hash='')]
        """
        try:
            content = orjson.loads(text or "{}")
        except orjson.JSONDecodeError:
            return []
        entries = sorted(content.items()) if isinstance(content, dict) else []
        reasons = [(version, entry if isinstance(entry, dict) else {"reason": entry}) for version, entry in entries]
        return [cls(version, *(str(entry.get(name) or "") for name in _YANK)) for version, entry in reasons]

    @staticmethod
    def text(yanks: Iterable["Yank"]) -> str:
        """Return the text of a yanked.json; later entries for a version take precedence."""
        entries = {yank.version: {name: getattr(yank, name) for name in _YANK} for yank in yanks}
        return json_bytes(entries, sort=True).decode()


def standing(repo_id: str, version: str, revision: str, *, tag: str = "", content_hash: str = "") -> ReleaseStatus:
    """Return a version's release status from the Hub, or from its cache if the Hub does not answer in time.

    The version is that of its manifest, whatever tag ("" for none) it was pinned by; the revision is a commit.

    >>> standing("not a name", "1.0.0", "0" * 40)
    ReleaseStatus(yanked='', newer='', moved=False)
    """
    found: list[ReleaseStatus] = []

    def ask(*, offline: bool = False) -> None:
        reason, newer, moved = "", "", False
        with suppress(VhbenchError):
            if not offline and (there := refs(repo_id)):
                newer = there.above(version)
                moved = bool(tag) and (tag not in there.tags or commit_of(repo_id, tag) != revision)
        with suppress(VhbenchError):  # if the Hub is unreachable, use the cached file
            known = Yank.read(text_of(repo_id, manifests.YANKED, offline=offline))
            reason = next((yank.reason for yank in known if yank.means(version, revision, content_hash)), "")
        found.append(ReleaseStatus(reason, newer, moved))

    asking = Thread(target=ask, daemon=True)  # without network, the client tries for minutes
    asking.start()
    asking.join(_PATIENCE)
    if not found:
        ask(offline=True)
    return found[0]


def check_repo_id(repo_id: str) -> str:
    """Return a dataset's name on the Hub; raise if it is not ORG/NAME."""
    if not isinstance(repo_id, str) or not _REPO.fullmatch(repo_id) or ".." in repo_id:
        raise VhbenchError(f"repository: expected ORG/NAME of letters, digits and _ . -, got {repo_id!r}")
    return repo_id


@contextmanager
def one_line(what: str) -> Iterator[None]:
    """Convert the Hub client's exceptions into one line with a fix and without tokens."""
    try:
        yield
    except Exception as error:
        if isinstance(error, VhbenchError) or not _is_hub_error(error):
            raise
        raise VhbenchError(f"{what}: {_explain(error)}") from error


def retried(call: Callable[[], T]) -> T:
    """Call the Hub up to six times; after a failure that may pass, wait a second, then twice as long each time.

    The call may be repeated although the Hub completed the request, if its answer was lost.
    """
    for number in range(5):
        try:
            return call()
        except Exception as error:
            if (wait := _wait(error, number)) is None:
                raise
            time.sleep(wait)
    return call()


def _wait(error: BaseException | None, number: int) -> float | None:
    """Return the seconds until a failed call may be repeated; None if it would fail again."""
    if error is None:
        return None
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status in (429, 500, 502, 503, 504):
        header = str(getattr(response, "headers", {}).get("Retry-After", ""))
        return min(float(header), _LONGEST_WAIT) if header.isdecimal() else float(2**number)
    if status is None and (isinstance(error, ConnectionError) or _library(error) in _HTTP_LIBRARIES):
        return float(2**number)
    return _wait(error.__cause__, number)


def _library(error: BaseException) -> str:
    return type(error).__module__.partition(".")[0]


def _is_hub_error(error: BaseException | None) -> bool:
    # A failed upload raises a plain RuntimeError, whose cause has the reason.
    if error is None:
        return False
    known = _library(error) in ("huggingface_hub", *_HTTP_LIBRARIES) or isinstance(error, OSError)
    return known or _is_hub_error(error.__cause__)


def _explain(error: Exception) -> str:
    from huggingface_hub import errors

    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if isinstance(error, errors.RevisionNotFoundError):
        return "there is no such commit, or it was deleted"
    if isinstance(error, errors.GatedRepoError):
        return "access is restricted: log in with `hf auth login`, and request access on its page"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "repository not found, or no access to it"
    if status == 429:
        wait = str(getattr(response, "headers", {}).get("Retry-After", ""))
        return f"rate limit of the Hub; run the command again {f'in {wait} seconds' if wait.isdecimal() else 'later'}"
    if isinstance(error, (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled)):
        return _explain_cause(error) or "not in the local cache, and the Hub cannot be reached"
    if status == 401:
        return "the Hub does not accept the token"
    if status == 403:
        return "the token has no write access, or the branch is protected: allow it in the repository's settings"
    if status in (409, 412):
        return "another push interfered; run the command again"
    text = re.sub(r"hf_\w+", "hf_…", " ".join(str(error).split()))[:300]
    return f"{text or type(error).__name__}; run the command again to resume"


def _explain_cause(error: BaseException) -> str:
    """Return the Hub's error behind the client's "not cached", or ""."""
    cause = error.__cause__
    status = getattr(getattr(cause, "response", None), "status_code", None)
    return _explain(cause) if isinstance(cause, Exception) and status in (401, 403, 404, 429) else ""
