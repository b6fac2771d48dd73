"""A folder on the Hugging Face Hub: a leaderboard or its site, sent in one commit."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from vhbench.adapters import hub
from vhbench.files import file_sha256
from vhbench.schema import VhbenchError

RepoKind = Literal["dataset", "space"]


@dataclass(frozen=True, slots=True)
class SentFolder:
    """What a push of a folder came to.

    Attributes:
        sha: the commit; "" where nothing was sent.
        uploaded: files that were new or changed.
        deleted: files that the folder has no more.
    """

    sha: str
    uploaded: tuple[str, ...]
    deleted: tuple[str, ...]


def push_folder(
    folder: Path, repo_id: str, kind: RepoKind, *, message: str, owned: tuple[str, ...], dry_run: bool = False
) -> SentFolder:
    """Send a folder in one commit; files that are there already as they are stay, and so do those of others.

    Args:
        folder: what is sent of it: what ``owned`` names, and ``README.md``; nothing else, such as a key beside a board.
        repo_id: ORG/NAME; created if there is none.
        kind: a dataset, or a static Space.
        message: of the commit.
        owned: files and folders at the top that are ours, as patterns: what the folder lacks of them is deleted there.
        dry_run: find out what would be done, and do nothing.

    Raises:
        VhbenchError: if there is no token, the folder is empty, somebody else pushed meanwhile, or the Hub says no.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token

    hub.check_repo_id(repo_id)
    local = {path.relative_to(folder).as_posix(): path for path in _files(folder, owned)}
    if not local:
        raise VhbenchError(f"{folder}: there is nothing to send")
    if not get_token():
        raise VhbenchError("no token for the Hub: set HF_TOKEN, or log in with `hf auth login`")
    with hub.one_line(f"push to {repo_id}"):
        api = HfApi()
        api.whoami()
        head, remote = _there(api, repo_id, kind)
        if not head and not dry_run:
            api.create_repo(repo_id, repo_type=kind, space_sdk="static" if kind == "space" else None, exist_ok=True)
            head, remote = _there(api, repo_id, kind)
        new = tuple(name for name, path in local.items() if remote.get(name) not in _digests(path))
        gone = tuple(sorted(name for name in remote if _is_ours(name, owned) and name not in local))
        if dry_run or not (new or gone):
            return SentFolder("", new, gone)
        operations: list[Any] = [CommitOperationDelete(path_in_repo=name) for name in gone]
        operations += [CommitOperationAdd(path_in_repo=name, path_or_fileobj=local[name]) for name in new]
        done = api.create_commit(
            repo_id, operations, commit_message=message, repo_type=kind, revision="main", parent_commit=head or None
        )
    return SentFolder(str(done.oid), new, gone)


def _files(folder: Path, owned: tuple[str, ...]) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        ours = _is_ours(path.relative_to(folder).as_posix(), (*owned, "README.md"))
        if ours and path.is_file() and not path.is_symlink():
            yield path


def _is_ours(name: str, owned: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.split("/")[0], pattern) for pattern in owned)


def _there(api: Any, repo_id: str, kind: RepoKind) -> tuple[str, dict[str, str]]:
    """Return the commit of ``main`` and the digest of each file there; nothing where there is no repository."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        head = str(api.repo_info(repo_id, repo_type=kind, revision="main").sha)
    except RepositoryNotFoundError:
        return "", {}
    tree = api.list_repo_tree(repo_id, recursive=True, revision=head, repo_type=kind)
    files = [item for item in tree if hasattr(item, "blob_id")]
    return head, {item.path: item.lfs.sha256 if item.lfs else item.blob_id for item in files}


def _digests(path: Path) -> tuple[str, str]:
    """Return what the Hub calls a file: SHA-256 of large ones, Git's SHA-1 of small ones."""
    data = path.read_bytes()
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return file_sha256(path), blob
