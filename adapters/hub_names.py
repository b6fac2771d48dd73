"""Citable names of releases on the Hub, ``hf://ORG/NAME@v1.0.0#sha256:…``, and the splits that they identify."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from vhbench import splits
from vhbench.adapters import hub
from vhbench.adapters.hub_release import require_access
from vhbench.schema import Manifest, VhbenchError
from vhbench.splits import manifests

T = TypeVar("T")

_NAME = re.compile(r"hf://([^@#]+)@(v[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}|[0-9a-f]{40})#sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class ReleaseName:
    """Citable name of a release."""

    repo_id: str  # ORG/NAME
    revision: str  # tag of the version, or a commit
    sha256: str  # of the manifest, which identifies the release wherever the tag points

    def __str__(self) -> str:
        return f"hf://{self.repo_id}@{self.revision}#sha256:{self.sha256}"

    @classmethod
    def of(cls, manifest: Manifest, repo_id: str) -> Self:
        """Return the name of a version in a repository."""
        return cls(repo_id, f"v{manifest.version}", manifests.manifest_digest(manifest))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a name; raise if it has another form.

        >>> ReleaseName.parse(f"hf://org/ode@v1.0.0#sha256:{'0' * 64}").revision
        'v1.0.0'
        """
        match = _NAME.fullmatch(text)
        if not match:
            raise VhbenchError(
                f"release {text[:200]!r}: expected hf://ORG/NAME@v1.0.0#sha256:DIGEST (64 lower-case hexadecimal "
                "digits), as `vhbench push` and the dataset card print it"
            )
        return cls(hub.check_repo_id(match[1]), match[2], match[3])

    @staticmethod
    def origin(directory: Path) -> tuple[str, str]:
        """Return repository and commit of a split in the Hub's cache; empty for other folders.

        >>> ReleaseName.origin(Path("hub/datasets--org--ode/snapshots") / ("0" * 40))[0]
        'org/ode'
        """
        *_, repository, _, commit = ("", "", "", *Path(directory).parts)
        kind, _, name = repository.partition("--")
        is_cached = kind == "datasets" and hub.is_commit(commit)
        return (name.replace("--", "/", 1), commit) if is_cached else ("", "")

    def manifest(self) -> Manifest:
        """Return the manifest, from the cache or the Hub; raise unless it is the one that the name identifies."""
        return _cached_or_fetched(lambda offline: self._found(offline=offline)[1])

    def folder(self) -> Path:
        """Return the local folder of the split, from the cache or the Hub; raise unless it is the named release."""

        def fetch(offline: bool) -> Path:
            folder, manifest = self._found(offline=offline)
            hub.check_whole(hub.download(self.repo_id, folder.name, offline=offline), manifest, str(self))
            return folder

        return _cached_or_fetched(fetch)

    def _found(self, *, offline: bool) -> tuple[Path, Manifest]:
        """Return the folder and the manifest, after comparing it with the name."""
        from huggingface_hub import hf_hub_download

        with hub.one_line(str(self)):
            file = hf_hub_download(
                self.repo_id, manifests.MANIFEST, repo_type="dataset", revision=self.revision, local_files_only=offline
            )
        folder = Path(file).parent
        manifest = splits.read_manifest(folder)
        if (found := manifests.manifest_digest(manifest)) != self.sha256:
            raise VhbenchError(
                f"{self}: expected a manifest with this SHA-256, got {found}; the tag was moved, or the name is of "
                "another release"
            )
        if self.revision.startswith("v") and self.revision != f"v{manifest.version}":
            raise VhbenchError(f"{self}: expected version {self.revision[1:]} of its tag, got {manifest.version}")
        return folder, manifest


def check_access(repo_id: str, version: str, *, online: bool) -> None:
    """Raise if a version could not be pushed to ORG/NAME, as far as this can be known before it is built.

    ``online`` checks the token and the branch too. An unreachable Hub is not an error: the machine that builds may have
    no network.
    """
    hub.check_repo_id(repo_id)
    try:
        if online:
            with hub.one_line(f"push to {repo_id}"):
                require_access(repo_id)
            refs = hub.refs(repo_id)
            require_access(repo_id, write=refs is not None and not refs.above(version))
    except VhbenchError as error:
        if error.__cause__ is None or getattr(error.__cause__, "response", None) is not None:
            raise


def _cached_or_fetched(fetch: Callable[[bool], T]) -> T:
    """Return a result from the cache if it is complete there, so that a tag that was moved since does no harm."""
    try:
        return fetch(True)
    except VhbenchError:
        return fetch(False)
