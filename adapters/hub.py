"""Reading from the Hugging Face Hub: snapshots by commit, what is known of them by now, and its errors in one line."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import orjson

from vhbench import splits
from vhbench.files import json_bytes
from vhbench.schema import VhbenchError
from vhbench.splits import manifests

T = TypeVar("T")

_SHA = re.compile(r"[0-9a-f]{40}")
_NUMBER = r"(0|[1-9][0-9]{0,5})"
_TAG = re.compile(rf"v{_NUMBER}\.{_NUMBER}\.{_NUMBER}")
_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_YANK = ("reason", "revision", "content_hash")
_HTTP_LIBRARIES = ("httpx", "httpx2", "httpcore", "requests", "urllib3")


def snapshot(repo_id: str, revision: str, *, cache_dir: Path | None = None, offline: bool = False) -> Path:
    """Return the local folder of a released split at one commit, downloading what is missing.

    Never use ``load_dataset(repo, revision=…)`` instead: offline it serves whatever version was cached last.

    Args:
        repo_id: ORG/NAME.
        revision: the commit, 40 hexadecimal digits. Tags and branches can move, so they are refused.
        cache_dir: the Hub's cache; None for the usual one.
        offline: use only what is cached. ``HF_HUB_OFFLINE=1`` does the same.

    Raises:
        VhbenchError: if the commit does not exist, or cannot be reached and is not cached as a whole.
    """
    check_repo_id(repo_id)
    if not isinstance(revision, str) or not _SHA.fullmatch(revision):
        raise VhbenchError(
            f"{repo_id}: revision {revision!r} must be the 40 hexadecimal digits of a commit; a tag or branch can move"
        )
    from huggingface_hub import snapshot_download

    what = f"{repo_id} at commit {revision}"
    with one_line(what):
        folder = Path(
            snapshot_download(
                repo_id, repo_type="dataset", revision=revision, cache_dir=cache_dir, local_files_only=offline
            )
        )
    if folder.name != revision:
        raise VhbenchError(f"{what}: the cache gave {folder.name} instead")
    # Offline, some versions of the client hand out a snapshot whose download was cut.
    manifest = splits.read_manifest(folder)
    if missing := [name for name in manifest.files if not manifests.inside(folder, name).is_file()]:
        raise VhbenchError(f"{what}: the copy in {folder} lacks {missing[0]}; go online once to complete it")
    splits.check_no_strays(folder, manifest)
    return folder


@dataclass(frozen=True, slots=True)
class Refs:
    """What the names of a repository stand for.

    Attributes:
        branches: name → commit.
        tags: name → commit, of the tags that are versions, such as "v1.2.0".
    """

    branches: dict[str, str]
    tags: dict[str, str]

    def below(self, version: str) -> str:
        """Return the tag of the newest version that is lower than this one; "" if there is none."""
        lower = [tag for tag in self.tags if parts_of(tag) < manifests.parse_version(version)]
        return max(lower, key=parts_of, default="")

    def above(self, version: str) -> str:
        """Return the tag of the newest version, if that is higher than this one; else ""."""
        newest = max(self.tags, key=parts_of, default="")
        return newest if newest and parts_of(newest) > manifests.parse_version(version) else ""


def parts_of(tag: str) -> tuple[int, int, int]:
    """Return the numbers of a version's tag: "v1.2.0" gives (1, 2, 0)."""
    return manifests.parse_version(tag.removeprefix("v"))


def refs(repo_id: str) -> Refs | None:
    """Return the branches and tags of a repository, None where there is none.

    Raises:
        VhbenchError: if the Hub cannot be asked.
    """
    from huggingface_hub import HfApi

    with one_line(check_repo_id(repo_id)):
        found = if_there(lambda: HfApi().list_repo_refs(repo_id, repo_type="dataset"))
        if found is None:
            return None
        # An annotated tag's own target is not the commit: those are asked for by name, when they are needed.
        tags = {ref.name: str(ref.target_commit) for ref in found.tags if _TAG.fullmatch(ref.name)}
        return Refs({branch.name: str(branch.target_commit) for branch in found.branches}, tags)


def commit_of(repo_id: str, revision: str) -> str:
    """Return the commit that a tag or a branch stands for now.

    Raises:
        VhbenchError: if there is none, or the Hub cannot be asked.
    """
    from huggingface_hub import HfApi

    with one_line(f"{check_repo_id(repo_id)} at {revision}"):
        return str(HfApi().repo_info(repo_id, repo_type="dataset", revision=revision).sha)


def text_of(repo_id: str, name: str, revision: str = "main") -> str:
    """Return a small file of a repository as text, "" if there is none.

    Raises:
        VhbenchError: if the Hub cannot be asked, or the file is no text.
    """
    file = file_of(repo_id, name, revision)
    try:
        return file.read_text(encoding="utf-8") if file else ""
    except UnicodeDecodeError as error:
        raise VhbenchError(f"{repo_id}: {name} is not UTF-8 text ({error})") from error


def file_of(repo_id: str, name: str, revision: str = "main") -> Path | None:
    """Return a file of a repository in the local cache, in the folder of its commit; None if there is none.

    Raises:
        VhbenchError: if the Hub cannot be asked.
    """
    from huggingface_hub import hf_hub_download

    with one_line(check_repo_id(repo_id)):
        file = if_there(lambda: hf_hub_download(repo_id, name, repo_type="dataset", revision=revision))
        return None if file is None else Path(file)


def if_there(ask: Callable[[], T]) -> T | None:
    """Return what the Hub's client gives; None where there is no such repository or file."""
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        return ask()
    except (LocalEntryNotFoundError, GatedRepoError):  # each is one of the others, and says something else
        raise
    except (EntryNotFoundError, RepositoryNotFoundError):
        return None


@dataclass(frozen=True, slots=True)
class Standing:
    """What has become of a released version.

    Attributes:
        yanked: why it was withdrawn, "" if it was not.
        newer: the tag of the newest version, if that is a higher one.
        moved: whether its tag stands for another commit by now.
    """

    yanked: str = ""
    newer: str = ""
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Yank:
    """A withdrawn version; the commit and the content hash tell it where its tag is gone or was never named.

    Attributes:
        version: "1.2.0".
        reason: why it was withdrawn.
        revision: the commit that its tag stood for, "" where that is not known.
        content_hash: that of its manifest, "" where that is not known.
    """

    version: str
    reason: str
    revision: str = ""
    content_hash: str = ""

    def means(self, version: str, revision: str, content_hash: str) -> bool:
        """Tell whether this is the version, the commit or the content that was withdrawn; "" is never."""
        pairs = ((self.version, version), (self.revision, revision), (self.content_hash, content_hash))
        return any(own and own == other for own, other in pairs)


def standing(repo_id: str, version: str, revision: str, *, tag: str = "", content_hash: str = "") -> Standing:
    """Return what has become of a released version, as far as the Hub or its cache tells now; it may not be reached.

    Args:
        repo_id: ORG/NAME.
        version: what its manifest says, whatever tags there are.
        revision: the commit that is evaluated.
        tag: the tag under which it was pinned, "" for none.
        content_hash: that of its manifest.

    >>> standing("not a name", "1.0.0", "0" * 40)
    Standing(yanked='', newer='', moved=False)
    """
    reason, newer, moved = "", "", False
    with suppress(VhbenchError):
        if found := refs(repo_id):
            newer = found.above(version)
            moved = bool(tag) and (tag not in found.tags or commit_of(repo_id, tag) != revision)
    with suppress(VhbenchError):  # where the Hub cannot be reached, what it said the last time
        known = yanks(text_of(repo_id, manifests.YANKED))
        reason = next((yank.reason for yank in known if yank.means(version, revision, content_hash)), "")
    return Standing(reason, newer, moved)


def yanks(text: str) -> list[Yank]:
    """Return what a repository's yanked.json says, by version; what cannot be read there is left out.

    >>> yanks('{"1.0.0": "wrong answers"}')  # as the first releases wrote it
    [Yank(version='1.0.0', reason='wrong answers', revision='', content_hash='')]
    """
    try:
        found = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return []
    entries = sorted(found.items()) if isinstance(found, dict) else []
    told = [(version, entry if isinstance(entry, dict) else {"reason": entry}) for version, entry in entries]
    return [Yank(version, *(str(entry.get(name) or "") for name in _YANK)) for version, entry in told]


def yanks_json(yanks: Iterable[Yank]) -> str:
    """Return the text of a yanked.json; of two entries for a version the later one counts."""
    entries = {yank.version: {name: getattr(yank, name) for name in _YANK} for yank in yanks}
    return json_bytes(entries, sort=True).decode()


def check_repo_id(repo_id: str) -> str:
    """Return a dataset's name on the Hub if it has the form ORG/NAME.

    Raises:
        VhbenchError: if it has not.
    """
    if not isinstance(repo_id, str) or not _REPO.fullmatch(repo_id) or ".." in repo_id:
        raise VhbenchError(f"repository {repo_id!r}: must be ORG/NAME of letters, digits and _ . -")
    return repo_id


@contextmanager
def one_line(what: str) -> Iterator[None]:
    """Turn the Hub client's many exceptions into one line, without tokens, that says what to do."""
    try:
        yield
    except Exception as error:
        if isinstance(error, VhbenchError) or not _is_hub_error(error):
            raise
        raise VhbenchError(f"{what}: {_explain(error)}") from error


def _is_hub_error(error: BaseException | None) -> bool:
    # A failed upload arrives as a plain RuntimeError, whose cause says what happened.
    if error is None:
        return False
    library = type(error).__module__.partition(".")[0]
    known = library in ("huggingface_hub", *_HTTP_LIBRARIES) or isinstance(error, OSError)
    return known or _is_hub_error(error.__cause__)


def _explain(error: Exception) -> str:
    from huggingface_hub import errors

    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if isinstance(error, errors.RevisionNotFoundError):
        return "there is no such commit, or it was deleted"
    if isinstance(error, errors.GatedRepoError):
        return "its owner must let you in: log in with `hf auth login`, and ask for access on its page"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "there is no such repository, or you may not see it"
    if status == 429:
        wait = str(getattr(response, "headers", {}).get("Retry-After", ""))
        return f"the Hub was asked too often; run it again {f'in {wait} seconds' if wait.isdecimal() else 'later'}"
    if isinstance(error, (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled)):
        return _explain_cause(error) or "not in the local cache, and the Hub cannot be reached"
    if status == 401:
        return "the Hub does not accept the token"
    if status == 403:
        return "the token may not write here"
    if status in (409, 412):
        return "somebody else pushed at the same time; run it again"
    text = re.sub(r"hf_\w+", "hf_…", " ".join(str(error).split()))[:300]
    return f"{text or type(error).__name__}; run it again, it goes on where it stopped"


def _explain_cause(error: BaseException) -> str:
    """Return what the Hub said where its client only says "not cached"; "" if the Hub said nothing."""
    cause = error.__cause__
    status = getattr(getattr(cause, "response", None), "status_code", None)
    return _explain(cause) if isinstance(cause, Exception) and status in (401, 403, 404, 429) else ""
