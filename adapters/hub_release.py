"""Publishing on the Hugging Face Hub: a split under a tag, a leaderboard or its site.

Each is a single commit, so that it exists completely or not at all; third-party files are kept.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, Literal

from vhbench import splits
from vhbench.adapters import hub
from vhbench.files import file_sha256, quote_value
from vhbench.progress import Progress
from vhbench.schema import Manifest, VhbenchError
from vhbench.splits import manifests

RepoKind = Literal["dataset", "space"]
MAIN = "main"
_AT_ONCE, _THREADS = 64, 8  # files uploaded by one call, and at the same time
_Asked = Callable[[Sequence[str]], bool]  # predicate on file names


@dataclass(frozen=True, slots=True)
class Release:
    """Result of a push."""

    repo_id: str  # ORG/NAME
    sha: str  # commit; "" if nothing was sent
    tag: str = ""  # "v1.2.0", on that commit; "" for unversioned content
    uploaded: tuple[str, ...] = ()  # new or changed files
    deleted: tuple[str, ...] = ()  # our files that no longer exist
    is_new: bool = True  # whether anything was not there yet
    branch: str = MAIN  # "main", or a separate one for a version lower than a released one
    replaced: tuple[str, ...] = ()  # uploaded files that overwrite files not from a version of ours

    @property
    def is_backport(self) -> bool:
        """Whether a newer version exists, so that ``main`` stays unchanged."""
        return self.branch != MAIN


@dataclass(frozen=True, slots=True)
class ReleaseTarget:
    """Target of a version in a repository."""

    branch: str = MAIN  # "main"; a version lower than a released one gets its own branch, leaving ``main`` unchanged
    head: str = ""  # parent commit, "" without a repository
    tagged: str = ""  # commit of its tag, "" if it is unreleased
    files: Mapping[str, str] = field(default_factory=dict)  # name → digest, at the head
    ours: frozenset[str] = frozenset()  # files listed in a manifest of ours; all others are third-party

    def of_others(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names that exist as third-party files."""
        ours = self.ours.union(manifests.DERIVED) if manifests.MANIFEST in self.ours else self.ours
        return tuple(name for name in names if name in self.files and name not in ours)


def place(repo_id: str, manifest: Manifest) -> ReleaseTarget:
    """Return the target of a version; raise if the repository has another benchmark or an invalid manifest."""
    refs = hub.refs(repo_id)
    if refs is None:
        return ReleaseTarget()
    tag, newer = f"v{manifest.version}", refs.above(manifest.version)
    branch = f"backport-{tag}" if newer else MAIN
    below = refs.below(manifest.version)
    head = refs.branches.get(branch) or (hub.commit_of(repo_id, below) if newer and below else refs.branches[MAIN])
    with hub.one_line(repo_id):
        files = hub.remote_files(_api(), repo_id, head)
    return ReleaseTarget(
        branch=branch,
        head=head,
        tagged=hub.commit_of(repo_id, tag) if tag in refs.tags else "",
        files=files,
        ours=frozenset(files) & _listed(repo_id, head, files, manifest.benchmark),
    )


def push(
    directory: Path,
    repo_id: str,
    *,
    private: bool = False,
    dry_run: bool = False,
    reveal: bool = False,
    card: Path | None = None,
    put: ReleaseTarget | None = None,
    approve: _Asked = lambda names: True,
    overwrite: _Asked = lambda names: True,
) -> Release:
    """Release a split directory: one commit with every file, then one tag ``v<version>``.

    Files stay invisible until the commit: an interrupted push changes nothing visible, and a rerun resumes it. Files
    that no manifest of ours lists are kept.

    Args:
        directory: verified split directory with its card.
        repo_id: ORG/NAME; created if it does not exist.
        private: make the repository private.
        dry_run: report the changes without making any; without a login, every file counts as new.
        reveal: release the answers of a hidden test set.
        card: folder of the card and its companions, if not the split directory.
        put: known target of the version (:func:`place`), for which its card was written.
        approve: called with the names of files of the previous version before deleting them.
        overwrite: called with the names of third-party files before replacing them.

    Raises:
        VhbenchError: if the tag exists with other content, a private repository is public, the split is a hidden test
            set, the repository has another benchmark or third-party data, another push interfered, or the Hub rejects
            it.
    """
    hub.check_repo_id(repo_id)
    manifest = splits.read_manifest(directory)
    refuse_hidden(manifest, reveal=reveal)
    tag = f"v{manifest.version}"
    local = _local_files(directory, card or directory)
    if dry_run and not logged_in():  # without a login, a comparison is impossible
        return Release(repo_id, "", tag, tuple(sorted(local)), ())
    with hub.one_line(f"push to {repo_id}"):
        api = _api()
        require_access(repo_id, write=put is not None and bool(put.head) and put.branch == MAIN)
        _check_visibility(api, repo_id, private=private, create=not dry_run)
        known = put is not None and bool(put.head or dry_run)  # a newly created repository has a head by now
        found = put if put is not None and known else place(repo_id, manifest)
        if found.tagged:
            return _released_before(repo_id, tag, found, local, manifest)
        new = _changed(local, found.files)
        gone = tuple(sorted(found.ours - set(local) - set(manifests.DERIVED)))
        planned = Release(repo_id, found.head, tag, new, gone, branch=found.branch, replaced=found.of_others(new))
        _refuse_strays(planned, found, local, manifest)
        if dry_run:
            return planned
        _require_leave(planned, overwrite, approve)
        return _publish(api, planned, local)


def _refuse_strays(planned: Release, found: ReleaseTarget, local: Mapping[str, "_File"], manifest: Manifest) -> None:
    """Raise if remaining third-party files would make tasks reject the release."""
    left = found.files.keys() - set(planned.deleted) - local.keys()
    if strays := sorted(name for name in left if manifests.is_stray(name, manifest)):
        raise VhbenchError(
            f"{planned.repo_id} has data that no version of the benchmark put there ({len(strays)} files, such as "
            f"{quote_value(strays[0])}), and tasks refuse rows that no hash covers: delete them first, or name another "
            "repository"
        )


def _require_leave(planned: Release, overwrite: _Asked, approve: _Asked) -> None:
    """Ask before replacing or deleting files; raise if the answer is no."""
    if planned.replaced and not overwrite(planned.replaced):
        raise VhbenchError(f"{planned.repo_id}: not released, because files of others would be replaced")
    if planned.deleted and not approve(planned.deleted):
        count = len(planned.deleted)
        raise VhbenchError(f"{planned.repo_id}: not released, because {count} files would be deleted")


def _publish(api: Any, planned: Release, local: Mapping[str, "_File"]) -> Release:
    """Create the commit, if anything changed, and its tag."""
    head = planned.sha
    if planned.uploaded or planned.deleted:
        if planned.branch != MAIN:
            api.create_branch(planned.repo_id, branch=planned.branch, revision=head, repo_type="dataset", exist_ok=True)
        head = _commit(api, planned, local, f"Release {planned.tag}", progress=True)

    hub.retried(
        lambda: api.create_tag(planned.repo_id, repo_type="dataset", tag=planned.tag, revision=head, exist_ok=True)
    )
    if hub.commit_of(planned.repo_id, planned.tag) != head:
        raise VhbenchError(f"{planned.repo_id}: another push made the tag {planned.tag}; run the command again")
    return replace(planned, sha=head)


def push_folder(
    folder: Path, repo_id: str, kind: RepoKind, *, message: str, owned: tuple[str, ...], dry_run: bool = False
) -> Release:
    """Send a folder in one commit; unchanged and third-party files are kept.

    Args:
        folder: folder; only files matching ``owned`` and ``README.md`` are sent, never, say, a key next to a
            leaderboard.
        repo_id: ORG/NAME; created if it does not exist.
        kind: a dataset, or a static Space.
        message: commit message.
        owned: patterns of our top-level files and folders; remote matches missing in the folder are deleted.
        dry_run: report the changes without making any; without a login, every file counts as new.

    Raises:
        VhbenchError: if there is no token, the folder is empty, another push interfered, or the Hub rejects it.
    """
    hub.check_repo_id(repo_id)
    found = ((path.relative_to(folder).as_posix(), path) for path in sorted(folder.rglob("*")))
    local = {
        name: _local_file(name, path)
        for name, path in found
        if _is_ours(name, (*owned, "README.md")) and path.is_file() and not path.is_symlink()
    }
    if not local:
        raise VhbenchError(f"{folder}: expected at least one file to upload")
    if dry_run and not logged_in():  # without a login, a comparison is impossible
        return Release(repo_id, "", "", tuple(sorted(local)))
    with hub.one_line(f"push to {repo_id}"):
        api = _api()
        require_access(repo_id)
        about = hub.if_there(lambda: api.repo_info(repo_id, repo_type=kind, revision=MAIN))
        if about is None and not dry_run:
            api.create_repo(repo_id, repo_type=kind, space_sdk="static" if kind == "space" else None, exist_ok=True)
            about = api.repo_info(repo_id, repo_type=kind, revision=MAIN)
        head = str(about.sha) if about else ""
        remote = hub.remote_files(api, repo_id, head, kind) if head else {}
        gone = tuple(sorted(name for name in remote if _is_ours(name, owned) and name not in local))
        planned = Release(repo_id, "", "", _changed(local, remote), gone)
        if dry_run or not (planned.uploaded or gone):
            return planned
        commit = _commit(api, replace(planned, sha=head), local, message, kind=kind, progress=False)
        return replace(planned, sha=commit)


def _is_ours(name: str, owned: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.split("/")[0], pattern) for pattern in owned)


def edit(repo_id: str, head: str, texts: Mapping[str, str], message: str) -> str:
    """Replace small files of ``main`` in one commit on its head, and return it; raise if another push interfered."""
    from huggingface_hub import CommitOperationAdd

    operations = [CommitOperationAdd(path_in_repo=name, path_or_fileobj=text.encode()) for name, text in texts.items()]
    with hub.one_line(repo_id):
        api = _api()
        require_access(repo_id)
        done = api.create_commit(
            repo_id, operations, commit_message=message, repo_type="dataset", revision=MAIN, parent_commit=head
        )
    return str(done.oid)


def refuse_hidden(manifest: Manifest, *, reveal: bool) -> None:
    """Raise if a split is, or derives from, a hidden test set whose answers must stay hidden."""
    if reveal or manifests.is_hidden(manifest):
        return
    if manifest.extra.get(manifests.HIDDEN_SOURCE):
        raise VhbenchError(
            f"{manifest.benchmark} {manifest.version} was built from a hidden test set, and its rows contain "
            "the answers: push it with --reveal once the evaluation is over"
        )
    if manifest.extra.get("commitment"):
        raise VhbenchError(
            f"{manifest.benchmark} {manifest.version} is a hidden test set (its manifest commits to a secret), and "
            "its rows contain the answers: push it without them (--hidden), or with --reveal after the evaluation"
        )


def logged_in() -> bool:
    """Return whether a Hub token exists, in HF_TOKEN or from ``hf auth login``."""
    from huggingface_hub import get_token

    return bool(get_token())


def _api() -> Any:
    from huggingface_hub import HfApi

    return HfApi()


def require_access(repo_id: str, *, write: bool = False) -> None:
    """Raise without a valid token and, with ``write``, if ``main`` is protected, which a planned upload shows."""
    from huggingface_hub import CommitOperationAdd

    if not logged_in():
        raise VhbenchError("no token for the Hub: set HF_TOKEN, or log in with `hf auth login`")
    _api().whoami()
    if write:
        asked = [CommitOperationAdd("README.md", b"-")]
        with hub.one_line(f"branch {MAIN} of {repo_id}"):
            _api().preupload_lfs_files(repo_id, asked, repo_type="dataset", revision=MAIN)


def _check_visibility(api: Any, repo_id: str, *, private: bool, create: bool) -> None:
    """Create a missing repository; raise before sending if --private is set and it is public."""
    if not _is_private(api, repo_id, missing=True) and private:
        raise VhbenchError(
            f"{repo_id} already exists and is public, so --private has no effect: make it private in its "
            "settings, or name another repository"
        )
    if create:
        api.create_repo(repo_id, repo_type="dataset", private=private, exist_ok=True)
        if private and not _is_private(api, repo_id, missing=False):
            raise VhbenchError(f"{repo_id} was created as a public repository; nothing was uploaded")


def _is_private(api: Any, repo_id: str, *, missing: bool) -> bool:
    about = hub.if_there(lambda: api.repo_info(repo_id, repo_type="dataset"))
    return bool(about.private) if about else missing


def _listed(repo_id: str, head: str, files: Mapping[str, str], benchmark: str) -> set[str]:
    """Return the manifest and the files it lists at a commit; raise if it is not ours."""
    file = hub.file_of(repo_id, manifests.MANIFEST, head) if manifests.MANIFEST in files else None
    if file is None:
        return set()
    try:
        manifest = manifests.read_manifest(file.parent)
    except VhbenchError as error:
        raise VhbenchError(f"{repo_id} has a manifest.json that is not vhbench's ({error}): name another") from error
    if manifest.benchmark != benchmark:
        raise VhbenchError(
            f"{repo_id} holds the benchmark '{manifest.benchmark}', not '{benchmark}': name another repository"
        )
    return {*manifest.files, manifests.MANIFEST}


def _commit(
    api: Any,
    planned: Release,
    local: Mapping[str, "_File"],
    message: str,
    *,
    kind: RepoKind = "dataset",
    progress: bool,
) -> str:
    """Upload large files, then commit everything on top of ``planned.sha``; return the commit."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.utils import disable_progress_bars, enable_progress_bars

    where: dict[str, Any] = {"repo_type": kind, "revision": planned.branch}
    operations: list[Any] = [CommitOperationDelete(path_in_repo=name) for name in planned.deleted]
    sent = {name: local[name] for name in planned.uploaded}
    files = list(sent.values())
    disable_progress_bars()
    try:
        total = sum(file.size for file in files)
        with Progress(f"uploading {planned.tag}", total=total, unit="bytes", enabled=progress) as bar:
            send = partial(api.preupload_lfs_files, planned.repo_id, num_threads=_THREADS, free_memory=False, **where)
            for batch in (files[start : start + _AT_ONCE] for start in range(0, len(files), _AT_ONCE)):
                added = [CommitOperationAdd(path_in_repo=file.name, path_or_fileobj=file.path) for file in batch]
                hub.retried(partial(send, added))
                operations += added
                bar.advance(sum(file.size for file in batch), note=batch[-1].name)
    finally:
        enable_progress_bars()

    def commit() -> str:
        head = str(api.repo_info(planned.repo_id, repo_type=kind, revision=planned.branch).sha)
        remote = hub.remote_files(api, planned.repo_id, head, kind) if head != planned.sha else {}
        if remote and not _changed(sent, remote) and remote.keys().isdisjoint(planned.deleted):
            return head  # the answer to the last call was lost
        how = {"commit_message": message, "parent_commit": planned.sha}
        return str(api.create_commit(planned.repo_id, operations, **how, **where).oid)

    return hub.retried(commit)


def _released_before(
    repo_id: str, tag: str, target: ReleaseTarget, local: Mapping[str, "_File"], manifest: Manifest
) -> Release:
    """Check that the tagged release equals this split, except for cards, and return it."""
    remote = hub.remote_files(_api(), repo_id, target.tagged)
    names = (_listed(repo_id, target.tagged, remote, manifest.benchmark) | set(local)) - set(manifests.DERIVED)
    changed = sorted(name for name in names if name not in local or not local[name].equals(remote.get(name)))
    if changed:
        raise VhbenchError(
            f"{repo_id} has the tag {tag} with other content ({len(changed)} files differ, such as {changed[0]}); "
            "a released version stays as it is: build a new one with a higher --version"
        )
    return Release(repo_id, target.tagged, tag, is_new=False, branch=target.branch)


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    path: Path
    size: int
    sha256: str
    blob: str

    def equals(self, remote: str | None) -> bool:
        """Return whether a Hub digest matches: SHA-256 of large files, Git's SHA-1 of small ones."""
        return remote in (self.sha256, self.blob)


def _local_files(directory: Path, card: Path) -> dict[str, _File]:
    files = dict.fromkeys([*splits.read_manifest(directory).files, manifests.MANIFEST], Path(directory))
    # Only ``vhbench yank`` records withdrawals; a downloaded folder has the state of its download.
    derived = (name for name in manifests.DERIVED if name != manifests.YANKED and (Path(card) / name).is_file())
    files |= dict.fromkeys(derived, Path(card))
    return {name: _local_file(name, manifests.inside(folder, name)) for name, folder in files.items()}


def _local_file(name: str, path: Path) -> _File:
    size = path.stat().st_size
    blob = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        hashlib.file_digest(file, lambda: blob)
    return _File(name, path, size, file_sha256(path), blob.hexdigest())


def _changed(local: Mapping[str, _File], remote: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of files that are new or changed."""
    return tuple(sorted(name for name, file in local.items() if not file.equals(remote.get(name))))
