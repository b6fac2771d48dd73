"""What a pull request changes in a board, compared with the branch that it is for."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vhbench.files import quote_value
from vhbench.leaderboard.boards import ENTRIES, FILE, read_yaml
from vhbench.leaderboard.entries import FILE as ENTRY_FILE
from vhbench.schema import VhbenchError

_KINDS = {"A": "added", "D": "deleted"}


@dataclass(frozen=True, slots=True)
class PullRequest:
    """Changes of a board in git."""

    rules: bytes  # ``board.yaml`` of the base
    changes: Mapping[str, str]  # path relative to the board's folder → "added", "changed" or "deleted"
    owners: Mapping[str, str]  # model whose folder exists in the base → its submitter there, "" for the maintainers
    submitters: Mapping[str, str]  # added or changed entry → its submitter, if it can be read

    @property
    def entries(self) -> Mapping[str, str]:
        """MODEL/EDITION → whether that entry is added, changed or deleted."""
        kinds: dict[str, set[str]] = {}
        for path, kind in self.changes.items():
            if _is_entry(path):
                kinds.setdefault("/".join(PurePosixPath(path).parts[1:3]), set()).add(kind)
        return {name: kinds[name].pop() if len(kinds[name]) == 1 else "changed" for name in sorted(kinds)}

    def faults(self, submitter: str = "") -> Iterator[str]:
        """Yield the changes that a submitter ("" if unknown) may not make, one line each."""
        models = dict.fromkeys(PurePosixPath(path).parts[1] for path in self.changes if _is_entry(path))
        yield from (f"{quote_value(path)}: is outside of the submitter's own folder" for path in sorted(self.changes)
                    if not _is_entry(path))  # fmt: skip
        if len(models) > 1:
            yield f"changes the entries of {len(models)} models ({', '.join(models)}); expected one"
        for model in models:
            if model in self.owners and (not submitter or not _same(self.owners[model], submitter)):
                owner = quote_value(self.owners[model]) if self.owners[model] else "the maintainers"
                yield f"{model}: belongs to {owner}; got changes by {quote_value(submitter or 'an unknown account')}"
        for name, account in self.submitters.items():
            if submitter and not _same(account, submitter):
                yield f"{name}: expected submitter {quote_value(submitter)}, got {quote_value(account)}"


def _same(account: str, other: str) -> bool:
    return account.casefold() == other.casefold()  # as GitHub and the Hub compare them


def _is_entry(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return parts[0] == ENTRIES and len(parts) > 2 and ".." not in parts


def read_request(folder: Path, base: str) -> PullRequest:
    """Return what the working tree of a board changes of ``base``, a git revision such as origin/main.

    Raises VhbenchError if there is no such revision, or no board in it.
    """
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}").decode().strip()
    prefix = _git(folder, "rev-parse", "--show-prefix").decode().strip()
    start = _git(folder, "merge-base", commit, "HEAD").decode().strip()
    words = _listed(folder, "diff", "--no-renames", "--no-ext-diff", "--name-status", start)
    changes = {name: _KINDS.get(kind, "changed") for kind, name in zip(words[::2], words[1::2], strict=False)}
    new = _listed(folder, "ls-files", "--others", "--exclude-standard", "--full-name")
    changes |= dict.fromkeys(new, "added")
    kinds = {
        name.removeprefix(prefix) if name.startswith(prefix) else f"../{name}": kind for name, kind in changes.items()
    }
    owners = dict[str, str]()
    for name in _listed(folder, "ls-tree", "-r", "--name-only", commit, f"{ENTRIES}/"):
        parts = PurePosixPath(name).parts
        if len(parts) == 4 and parts[3] == ENTRY_FILE and not owners.get(parts[1]):
            owners[parts[1]] = _submitter(folder / name, _git(folder, "show", f"{commit}:{prefix}{name}")) or ""
    files = [path for path in kinds if _is_entry(path) and path.endswith(f"/{ENTRY_FILE}") and kinds[path] != "deleted"]
    accounts = {path: _submitter(folder / path) for path in sorted(files)}
    submitters = {path: account for path, account in accounts.items() if account is not None}
    return PullRequest(_git(folder, "show", f"{commit}:{prefix}{FILE}"), kinds, owners, submitters)


def _submitter(path: Path, text: bytes | None = None) -> str | None:
    try:
        return str(read_yaml(path, text).get("submitter", ""))
    except VhbenchError:  # an unreadable entry is refused with its own reason
        return None


def _listed(folder: Path, command: str, *words: str) -> list[str]:
    return [name for name in os.fsdecode(_git(folder, command, "-z", *words)).split("\0") if name]  # as pathlib does


def _git(folder: Path, *words: str) -> bytes:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip() or f"git {words[0]} {words[-1]} failed"
        raise VhbenchError(f"--against: expected a revision of the board's git repository ({message.splitlines()[0]})")
    return done.stdout
