"""The Hugging Face Hub: snapshots by commit, and releases that are there as a whole or not at all."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.files import file_sha256
from vhbench.progress import Progress
from vhbench.schema import VhbenchError
from vhbench.splits import manifests

_SHA = re.compile(r"[0-9a-f]{40}")
_TAG = re.compile(r"v(\d{1,6})\.(\d{1,6})\.(\d{1,6})", re.ASCII)
_REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_HTTP_LIBRARIES = ("httpx", "httpx2", "httpcore", "requests", "urllib3")
_KEPT = (".gitattributes",)
"""Files that the Hub makes itself: never deleted by a release."""


@dataclass(frozen=True, slots=True)
class Release:
    """What a push came to.

    Attributes:
        repo_id: ORG/NAME.
        sha: the commit.
        tag: "v1.2.0", on that commit.
        uploaded: files that were new or changed.
        deleted: files that were there before and are no more.
        is_new: False if everything was there already.
    """

    repo_id: str
    sha: str
    tag: str
    uploaded: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    is_new: bool = True


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
    with _one_line(what):
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


def push(
    directory: Path,
    repo_id: str,
    *,
    private: bool = False,
    progress: bool = True,
    dry_run: bool = False,
    card: Path | None = None,
) -> Release:
    """Release a split directory: one commit with every file, then one tag ``v<version>`` on that commit.

    Files go up first, one by one, and stay invisible until the commit; so an interrupted push changes nothing that
    anyone can see, and running it again goes on where it stopped.

    Args:
        directory: a verified split directory with its card.
        repo_id: ORG/NAME; created if there is none.
        private: for a new repository.
        progress: tell about progress on stderr.
        dry_run: find out what would be done and do nothing; works without a login, too, but then every file counts
            as new.
        card: the folder of the card and its companions, where that is not the split directory.

    Raises:
        VhbenchError: if the tag exists with other content, somebody else pushed meanwhile, or the Hub says no.
    """
    from huggingface_hub import HfApi

    check_repo_id(repo_id)
    tag = f"v{splits.read_manifest(directory).version}"
    local = _local_files(directory, card or directory)
    api = HfApi()
    if dry_run and not logged_in():  # with what is there already nobody can compare it
        return Release(repo_id, "", tag, tuple(sorted(local)), ())
    with _one_line(f"push to {repo_id}"):
        _require_login(api)
        if not dry_run:
            api.create_repo(repo_id, repo_type="dataset", private=private, exist_ok=True)
        head, tagged = _refs(api, repo_id, tag, missing_ok=dry_run)
        if tagged:
            return _released_before(api, repo_id, tag, tagged, local)
        remote = _remote_files(api, repo_id, head) if head else {}
        new = tuple(sorted(name for name, file in local.items() if not file.equals(remote.get(name))))
        gone = tuple(sorted(set(remote) - set(local) - set(_KEPT)))
        if dry_run:
            return Release(repo_id, head, tag, new, gone)
        if new or gone:
            head = _commit(api, repo_id, head, tag, [local[name] for name in new], gone, progress=progress)
        api.create_tag(repo_id, repo_type="dataset", tag=tag, revision=head, exist_ok=False)
    return Release(repo_id, head, tag, new, gone)


def former_release(repo_id: str, version: str) -> tuple[str, str] | None:
    """Return the tag and the commit of the newest release below a version; None if there is none, or it is released.

    Raises:
        VhbenchError: if the Hub cannot be asked.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    api = HfApi()
    with _one_line(check_repo_id(repo_id)):
        try:
            names = [ref.name for ref in api.list_repo_refs(repo_id, repo_type="dataset").tags]
        except RepositoryNotFoundError:
            return None
        tags = {tuple(int(part) for part in match.groups()): match[0] for match in map(_TAG.fullmatch, names) if match}
        lower = [parts for parts in tags if parts < manifests.parse_version(version)]
        if f"v{version}" in names or not lower:
            return None
        tag = tags[max(lower)]
        return tag, str(api.repo_info(repo_id, repo_type="dataset", revision=tag).sha)


def released_changelog(repo_id: str) -> str:
    """Return the CHANGELOG.md at the head of a repository, or "" if there is none."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, RepositoryNotFoundError

    with _one_line(check_repo_id(repo_id)):
        try:
            return Path(hf_hub_download(repo_id, "CHANGELOG.md", repo_type="dataset")).read_text(encoding="utf-8")
        except LocalEntryNotFoundError:
            raise
        except (EntryNotFoundError, RepositoryNotFoundError):
            return ""


def _commit(
    api: Any, repo_id: str, head: str, tag: str, files: list["_File"], gone: tuple[str, ...], *, progress: bool
) -> str:
    """Upload what is large, then publish everything at once; return the commit."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.utils import disable_progress_bars, enable_progress_bars

    operations: list[Any] = [CommitOperationDelete(path_in_repo=name) for name in gone]
    disable_progress_bars()
    try:
        total = sum(file.size for file in files)
        with Progress(f"uploading {tag}", total=total, unit="bytes", enabled=progress) as bar:
            for file in files:
                operation = CommitOperationAdd(path_in_repo=file.name, path_or_fileobj=file.path)
                api.preupload_lfs_files(repo_id, [operation], repo_type="dataset", free_memory=False)
                operations.append(operation)
                bar.advance(file.size, note=file.name)
    finally:
        enable_progress_bars()
    commit = api.create_commit(
        repo_id, operations, commit_message=f"Release {tag}", repo_type="dataset", parent_commit=head
    )
    return str(commit.oid)


def _released_before(api: Any, repo_id: str, tag: str, sha: str, local: Mapping[str, "_File"]) -> Release:
    """Check that what is released under a tag is this split; cards may have been written by another vhbench."""
    remote = _remote_files(api, repo_id, sha)
    names = (set(remote) | set(local)) - set(manifests.DERIVED) - set(_KEPT)
    changed = sorted(name for name in names if name not in local or not local[name].equals(remote.get(name)))
    if changed:
        raise VhbenchError(
            f"{repo_id} has the tag {tag} with other content ({len(changed)} files differ, such as {changed[0]}); "
            "a released version stays as it is: build a new one with a higher --version"
        )
    return Release(repo_id, sha, tag, is_new=False)


def _refs(api: Any, repo_id: str, tag: str, *, missing_ok: bool) -> tuple[str, str]:
    """Return the head of ``main`` and the commit behind a tag; "" for what is not there."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        refs = api.list_repo_refs(repo_id, repo_type="dataset")
    except RepositoryNotFoundError:
        if missing_ok:
            return "", ""
        raise
    heads = {branch.name: str(branch.target_commit) for branch in refs.branches}
    tagged = ""
    if tag in {ref.name for ref in refs.tags}:
        # Asked for by name: an annotated tag's own target is not the commit.
        tagged = str(api.repo_info(repo_id, repo_type="dataset", revision=tag).sha)
    return heads.get("main", ""), tagged


@dataclass(frozen=True, slots=True)
class _File:
    """A file to be released."""

    name: str
    path: Path
    size: int
    sha256: str
    blob: str

    def equals(self, remote: str | None) -> bool:
        """Tell whether the Hub's digest is this file's: SHA-256 of large files, Git's SHA-1 of small ones."""
        return remote in (self.sha256, self.blob)


def _local_files(directory: Path, card: Path) -> dict[str, _File]:
    files = dict.fromkeys([*splits.read_manifest(directory).files, manifests.MANIFEST], Path(directory))
    files |= {name: Path(card) for name in manifests.DERIVED if (Path(card) / name).is_file()}
    return {name: _local_file(name, manifests.inside(folder, name)) for name, folder in files.items()}


def _local_file(name: str, path: Path) -> _File:
    size = path.stat().st_size
    blob = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        hashlib.file_digest(file, lambda: blob)
    return _File(name, path, size, file_sha256(path), blob.hexdigest())


def _remote_files(api: Any, repo_id: str, revision: str) -> dict[str, str]:
    """Return the digest of each file at a commit."""
    tree = api.list_repo_tree(repo_id, recursive=True, revision=revision, repo_type="dataset")
    files = [item for item in tree if hasattr(item, "blob_id")]
    return {item.path: item.lfs.sha256 if item.lfs else item.blob_id for item in files}


def logged_in() -> bool:
    """Tell whether there is a token for the Hub, in HF_TOKEN or from ``hf auth login``."""
    from huggingface_hub import get_token

    return bool(get_token())


def _require_login(api: Any) -> None:
    if not logged_in():
        raise VhbenchError("no token for the Hub: set HF_TOKEN, or log in with `hf auth login`")
    api.whoami()


def check_repo_id(repo_id: str) -> str:
    """Return a dataset's name on the Hub if it has the form ORG/NAME.

    Raises:
        VhbenchError: if it has not.
    """
    if not isinstance(repo_id, str) or not _REPO.fullmatch(repo_id) or ".." in repo_id:
        raise VhbenchError(f"repository {repo_id!r}: must be ORG/NAME of letters, digits and _ . -")
    return repo_id


@contextmanager
def _one_line(what: str) -> Iterator[None]:
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

    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, errors.RevisionNotFoundError):
        return "there is no such commit"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "there is no such repository, or you may not see it"
    if isinstance(error, (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled)):
        return "not in the local cache, and the Hub cannot be reached"
    if status == 401:
        return "the Hub does not accept the token"
    if status == 403:
        return "the token may not write here"
    if status in (409, 412):
        return "somebody else pushed at the same time; run it again"
    text = re.sub(r"hf_\w+", "hf_…", " ".join(str(error).split()))[:300]
    return f"{text or type(error).__name__}; run it again, it goes on where it stopped"
