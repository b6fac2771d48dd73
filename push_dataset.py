#!/usr/bin/env python3
"""Release one built split directory on the Hugging Face Hub: one commit, one tag, all or nothing.

    python push_dataset.py out/ode --repo-id ORG/vhbench-ode --version 1.0.0

The split is verified first and its card is written. Large files go up one by one and stay invisible until a single
commit publishes everything; the tag ``v1.0.0`` is put on that commit. An interrupted push changes nothing that anyone
can see: run the same command again and it goes on. A version that is released stays as it is. The commit is then
pinned in ``tasks/release.yaml``, from which the tasks take their data.

The token comes from HF_TOKEN or from ``hf auth login``.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from vhbench.schema import Manifest, VhbenchError

RELEASE = Path(__file__).resolve().parent / "tasks" / "release.yaml"


def push(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A split directory, such as out/ode.")],
    repo_id: Annotated[str, typer.Option("--repo-id", metavar="ORG/NAME", help="Dataset repository on the Hub.")],
    version: Annotated[str, typer.Option("--version", metavar="X.Y.Z", help="Must be the version of the split.")],
    private: Annotated[bool, typer.Option("--private", help="Create the repository as a private one.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Verify, write the card, say what would be sent.")] = False,
    notes: Annotated[str, typer.Option("--notes", help="What changed, in Markdown, for the changelog.")] = "",
    pin: Annotated[Path, typer.Option("--pin", metavar="FILE", help="Where the commit is pinned.")] = RELEASE,
) -> None:
    """Release one built split directory: verified, one commit, one tag, all or nothing.

    The token comes from HF_TOKEN or from `hf auth login`. An interrupted push goes on where it stopped when the same
    command is run again.

    Example: `python push_dataset.py out/ode --repo-id ORG/vhbench-ode --version 1.0.0 --dry-run`
    """
    manifest = verified(directory, version)
    from vhbench.adapters import hub

    write_card(directory, manifest, repo_id, notes, dry_run=dry_run)
    release = hub.push(directory, repo_id, private=private, dry_run=dry_run)
    if dry_run:
        print(f"dry run: {repo_id} would get the tag {release.tag}, {len(release.uploaded)} files, nothing was sent")
        for sign, names in (("+", release.uploaded), ("-", release.deleted)):
            for name in names:
                print(f"  {sign} {name}")
        if not hub.logged_in():
            print("not logged in: what the Hub has already is not known, so every file counts as new")
        return
    if release.is_new:
        print(f"released {repo_id} {release.tag}: {len(release.uploaded)} files new, {len(release.deleted)} deleted")
    else:
        print(f"nothing new: {repo_id} has {release.tag} with this content already")
    print(f"commit {release.sha}")
    if write_pin(pin, manifest, repo_id, release.tag, release.sha):
        print(f"pinned in {pin}")


def verified(directory: Path, version: str) -> Manifest:
    """Return the manifest of a split without faults, its answers found anew.

    Raises:
        VhbenchError: if it has another version.
        SystemExit: if it has faults; they are printed, one per line.
    """
    from vhbench import audit, splits

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


def write_card(directory: Path, manifest: Manifest, repo_id: str, notes: str, *, dry_run: bool) -> None:
    """Write the card with the changelog of all versions, the released ones' and this one's."""
    from vhbench import card
    from vhbench.adapters import hub

    former = "" if dry_run else hub.released_changelog(repo_id)
    if notes or f"### {manifest.version}\n" not in former:
        former = card.changelog_entry(manifest, notes or ("A new version." if former else "First release."), former)
    card.write_card(directory, repo_id=repo_id, changelog=former, picture=card.sheet(directory))


def write_pin(file: Path, manifest: Manifest, repo_id: str, tag: str, sha: str) -> bool:
    """Pin a commit for the tasks, keeping the file's leading comment; return whether the file changed."""
    import yaml

    from vhbench.splits import layout

    text = file.read_text(encoding="utf-8") if file.exists() else ""
    comment = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    pins = yaml.safe_load(text) or {}
    pins[manifest.benchmark] = {
        "repo_id": repo_id,
        "revision": sha,
        "tag": tag,
        "content_hash": manifest.content_hash,
    }
    content = comment + yaml.safe_dump(pins, sort_keys=True)
    if content == text:
        return False
    layout.write_atomic(file, content.encode())
    return True


def main() -> None:
    """Run the command; bad input ends in one line on stderr and exit code 2."""
    try:
        typer.run(push)
    except VhbenchError as error:
        print(f"push_dataset: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
