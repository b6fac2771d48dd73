"""The steps of releasing one built split directory on the Hugging Face Hub: one commit, one tag, all or nothing.

The split is verified first and its card is written. Large files go up one by one and stay invisible until a single
commit publishes everything; the tag ``v1.0.0`` is put on that commit. An interrupted push changes nothing that anyone
can see: run the same command again and it goes on. A version that is released stays as it is, and one whose scores
cannot be compared with those on the version before must raise MAJOR. The commit is then pinned in a file from which
the tasks take their data.
"""

import re
import sys
import tempfile
from pathlib import Path

import yaml

from vhbench import audit, card, splits
from vhbench.adapters import hub
from vhbench.adapters.lmms_eval import tasks_folder
from vhbench.comparison import compare
from vhbench.files import write_atomic
from vhbench.schema import Manifest, VhbenchError
from vhbench.splits import manifests


def record(manifest: Manifest, release: hub.Release, pin: Path | None) -> None:
    """Pin a release for the tasks, where nothing else is said in this checkout or else here, and say where."""
    own = own_pins()
    file = pin or own or Path("release.yaml")
    if write_pin(file, manifest, release.repo_id, release.tag, release.sha):
        print(f"pinned in {file}")
        if own is None or file.resolve() != own:
            print(f"the tasks read it with VHBENCH_RELEASE={file.absolute()}")


def own_pins() -> Path | None:
    """Return the pins that this version of vhbench evaluates on; None where they are installed, and not to be written.

    In a checkout that is ``tasks/release.yaml``, with ``pyproject.toml`` beside the folder.
    """
    folder = tasks_folder()
    return folder / "release.yaml" if folder.with_name("pyproject.toml").is_file() else None


def verified(directory: Path, version: str) -> Manifest:
    """Return the manifest of a split without faults, its answers found anew.

    Raises:
        VhbenchError: if it has another version.
        SystemExit: if it has faults; they are printed, one per line.
    """
    if faults := splits.verify(directory) or audit.audit(directory).faults:
        for fault in faults:
            print(fault, file=sys.stderr)
        raise SystemExit(1)
    manifest = splits.read_manifest(directory)
    if manifest.version != version:
        raise VhbenchError(
            f"{directory} has version {manifest.version}, not {version}; the version is a part of every row: "
            f"build it again with --version {version}"
        )
    return manifest


def refuse_hidden_change(directory: Path, manifest: Manifest, repo_id: str) -> None:
    """Compare a split with the newest lower release, whose rows are fetched only where MAJOR is the same.

    Raises:
        VhbenchError: if scores cannot be compared, though MAJOR promises that they can.
    """
    major = manifests.parse_version(manifest.version)[0]
    former = hub.former_release(repo_id, manifest.version)
    if former is None or not former[0].startswith(f"v{major}."):
        return
    found = compare(hub.snapshot(repo_id, former[1]), directory)
    if not found.comparable:
        raise VhbenchError(
            f"{found.verdict} ({', '.join(found.reasons)}, against {former[0]} of {repo_id}): build it again with "
            f"--version {major + 1}.0.0, or insist with --comparable-anyway"
        )


def rehearse(directory: Path, manifest: Manifest, repo_id: str, notes: str) -> None:
    """Say what a push would send. The card is written into a temporary folder; the split stays as it is."""
    online = hub.logged_in()
    with tempfile.TemporaryDirectory() as folder:
        former = hub.released_changelog(repo_id) if online else ""
        write_card(directory, manifest, repo_id, notes, former, into=Path(folder))
        release = hub.push(directory, repo_id, dry_run=True, card=Path(folder))
    print(f"dry run: {repo_id} would get the tag {release.tag}, {len(release.uploaded)} files, nothing was sent")
    for sign, names in (("+", release.uploaded), ("-", release.deleted)):
        for name in names:
            print(f"  {sign} {name}")
    if not online:
        print("not logged in: what the Hub has already is not known, so every file counts as new")


def write_card(
    directory: Path, manifest: Manifest, repo_id: str, notes: str, former: str, *, into: Path | None = None
) -> None:
    """Write the card with the changelog of all versions, the released ones' (``former``) and this one's."""
    if notes or f"### {manifest.version}\n" not in former:
        former = card.changelog_entry(manifest, notes or ("A new version." if former else "First release."), former)
    card.write_card(directory, repo_id=repo_id, changelog=former, picture=card.sheet(directory), into=into)


def write_pin(file: Path, manifest: Manifest, repo_id: str, tag: str, sha: str) -> bool:
    """Pin a commit for the tasks; of the file, only this benchmark's lines change. Return whether it changed."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    pin = {"repo_id": repo_id, "revision": sha, "tag": tag, "content_hash": manifest.content_hash}
    content = pinned(text, manifest.benchmark, pin)
    if content == text:
        return False
    write_atomic(file, content.encode())
    return True


def pinned(text: str, benchmark: str, pin: dict[str, str]) -> str:
    """Return the YAML of all pins with one benchmark's values changed, or added at the end; comments stay."""
    lines = [line for line in text.splitlines() if line.strip() != "{}"]
    start = next((i for i, line in enumerate(lines) if line.startswith(f"{benchmark}:")), len(lines))
    rest = range(start + 1, len(lines))
    end = next((i for i in rest if re.match(r"\S", lines[i])), len(lines))
    values = {name: yaml.safe_dump({name: pin[name]}, width=1_000).rstrip() for name in sorted(pin)}
    block = [f"{benchmark}:{_comment(lines[start]) if start < len(lines) else ''}"]
    for line in lines[start + 1 : end]:
        name = line.partition(":")[0].strip()
        if name in values:
            block.append(f"  {values.pop(name)}{_comment(line)}")
        elif not line.strip() or line.lstrip().startswith("#"):
            block.append(line)
    place = 1 + max((i for i, line in enumerate(block) if line.strip()), default=0)
    block[place:place] = [f"  {value}" for value in values.values()]
    return "\n".join([*lines[:start], *block, *lines[end:]]) + "\n"


def _comment(line: str) -> str:
    """Return the comment that trails a value, with the space before it, or ""."""
    found = re.search(r"\s+#.*$", line)
    return found[0] if found else ""
