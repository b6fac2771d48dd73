"""Release of a built split on the Hugging Face Hub: one commit, one tag, all or nothing.

The split is verified first and its card is written. Large files are uploaded one by one and stay invisible until a
single commit publishes everything; the tag ``v1.0.0`` is put on that commit. An interrupted push changes nothing
visible: run the same command again to resume. A released version is immutable, and one whose scores are not comparable
with the previous version's must raise MAJOR. The release then has one citable name, by which tasks and commands take it
(:class:`vhbench.adapters.hub_names.ReleaseName`).
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from vhbench import audit, card, splits
from vhbench.adapters import hub
from vhbench.adapters.hub_names import ReleaseName
from vhbench.adapters.hub_release import Release, ReleaseTarget, edit, logged_in, place, push, refuse_hidden
from vhbench.builds import hidden_edition
from vhbench.builds.hidden_seed import read_secret
from vhbench.files import json_bytes, resolved
from vhbench.release_options import PushOptions
from vhbench.schema import Manifest, VhbenchError
from vhbench.split_diff import compare
from vhbench.splits import manifests
from vhbench.terminal import in_a_line


def verify_release(directory: Path, version: str) -> Manifest:
    """Return the manifest of an error-free split, with its answers recomputed.

    Raises:
        VhbenchError: if it has another version.
        SystemExit: if it has errors; they are printed, one per line.
    """
    if faults := splits.verify(directory) or audit.audit(directory).faults:
        for fault in faults:
            print(in_a_line(fault), file=sys.stderr)
        raise SystemExit(1)
    manifest = splits.read_manifest(directory)
    if manifest.version != version:
        raise VhbenchError(
            f"{directory} has version {manifest.version}, not {version}; the version is a part of every row: "
            f"build it again with --version {version}"
        )
    return manifest


def publish(options: PushOptions, ask: Callable[[str], bool]) -> None:
    """Release a split, or its public part, and print the result; ``ask`` confirms that files be deleted or replaced.

    Raises:
        VhbenchError: if the split has errors, or must not or cannot be released.
    """
    directory, repo_id, online = options.directory, options.repo_id, logged_in()
    with TemporaryDirectory() as folder, nullcontext() if options.dry_run else splits.locked(directory):
        aside = Path(folder) if options.dry_run else None
        manifest = verify_release(directory, options.version)
        if options.hidden or options.secret or options.key:
            directory = _hide(options, manifest, aside)
            manifest = verify_release(directory, options.version)
        refuse_hidden(manifest, reveal=options.reveal)
        if online and not options.comparable_anyway:
            _refuse_hidden_change(directory, manifest, repo_id)
        put = place(repo_id, manifest) if online or not options.dry_run else ReleaseTarget()
        texts = ("README.md", "CHANGELOG.md")
        former = {name: hub.text_of(repo_id, name, put.head) if put.head else "" for name in texts}
        _write_card(directory, manifest, options, former, aside)
        sent = push(
            directory,
            repo_id,
            put=put,
            card=aside,
            private=options.private,
            reveal=options.reveal,
            dry_run=options.dry_run,
            approve=lambda names: _may(ask, repo_id, names, *_DELETE),
            overwrite=lambda names: _may(ask, repo_id, _lost(names, former), *_REPLACE),
        )
    if options.dry_run:
        return _print_plan(repo_id, sent, _lost(sent.replaced, former), online=online)
    if not sent.is_new:
        print(f"nothing new: {repo_id} has {sent.tag} with this content already")
    else:
        print(f"released {repo_id} {sent.tag}: {len(sent.uploaded)} files new, {len(sent.deleted)} deleted")
        if sent.is_backport:
            print(f"a newer version exists: main is unchanged, this version is on the branch {sent.branch}")
    print(f"commit {sent.sha}")
    print(f"VHBENCH_RELEASE={ReleaseName.of(manifest, repo_id)}")


_DELETE = (
    "-",
    "of the previous version that this one lacks",
    "delete them (previous versions keep them under their tags)?",
)
_REPLACE = "!", "that belong to no version of the benchmark", "replace them (only the repository's history keeps them)?"


def _may(ask: Callable[[str], bool], repo_id: str, names: Sequence[str], sign: str, which: str, question: str) -> bool:
    """Print files of a repository, and ask whether they may be changed; without any, nothing is asked."""
    if names:
        print(f"{repo_id} has {len(names)} files {which}:")
        _print_names(sign, names)
    return not names or ask(question)


def _print_names(sign: str, names: Sequence[str]) -> None:
    for name in names:
        print(in_a_line(f"  {sign} {name}"))


def _hide(options: PushOptions, manifest: Manifest, rehearsed: Path | None) -> Path:
    """Write the public part of a split, and its key unless ``rehearsed``; return the folder of the public part."""
    directory, secret = options.directory, options.secret
    if not options.hidden or secret is None:
        option = "--hidden" if options.hidden else "--secret" if secret else "--key"
        raise VhbenchError(f"{option}: expected both --hidden and --secret FILE, which release a hidden test set")
    folder = (rehearsed or directory.resolve().parent / "hidden") / manifest.benchmark
    answers = options.key or directory.resolve().parent / f"{manifest.benchmark}-{manifest.version}.key.jsonl"
    known = read_secret(secret)
    if answers.exists() and answers.samefile(secret):
        raise VhbenchError(f"--key {answers}: is the file of the secret; name another file")
    for split in (folder, directory):
        if resolved(answers).is_relative_to(resolved(split)):
            raise VhbenchError(f"--key {answers}: is inside {split} and would be published; choose another path")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with splits.locked(folder):
        public = hidden_edition.write(directory, known, folder, None if rehearsed else answers, overwrite=options.yes)
    shown, whole = (f"{sum(one.rows.values()):,}" for one in (public, manifest))
    print(f"{shown} of {whole} questions are public; the others would leak their answers")
    if rehearsed is None:
        print(f"public: {folder}; private key: {answers}")
    return folder


def _refuse_hidden_change(directory: Path, manifest: Manifest, repo_id: str) -> None:
    """Raise if MAJOR promises comparable scores with the newest lower release, and they are not."""
    major = manifests.parse_version(manifest.version)[0]
    refs = hub.refs(repo_id)
    former = refs.below(manifest.version) if refs and f"v{manifest.version}" not in refs.tags else ""
    if not former.startswith(f"v{major}."):
        return
    change = compare(hub.snapshot(repo_id, hub.commit_of(repo_id, former)), directory)
    if not change.comparable:
        raise VhbenchError(
            f"{change.verdict} ({', '.join(change.reasons)}, against {former} of {repo_id}): build it again with "
            f"--version {major + 1}.0.0, or override with --comparable-anyway"
        )


def _print_plan(repo_id: str, planned: Release, lost: Sequence[str], *, online: bool) -> None:
    print(f"dry run, nothing uploaded: {repo_id} would get {len(planned.uploaded)} files and the tag {planned.tag}")
    if planned.is_backport:
        print(f"a newer version exists: this one would go on a separate branch, {planned.branch}")
    _print_names("+", planned.uploaded)
    _print_names("-", planned.deleted)
    for name in lost:
        print(in_a_line(f"  ! {name} was not written by vhbench, and would be replaced"))
    if not online:
        print("not logged in: files on the Hub cannot be listed, so all are shown as new")


def _lost(names: Sequence[str], former: Mapping[str, str]) -> list[str]:
    """Return what replacing third-party files would lose; of a card, only replaced metadata."""
    lost = {name: name for name in names}
    if lost.pop("README.md", "") and (metadata := card.replaced_metadata(former.get("README.md", ""))):
        lost["README.md"] = f"README.md (metadata: {', '.join(metadata)})"
    return [lost[name] for name in sorted(lost)]


def _write_card(
    directory: Path, manifest: Manifest, options: PushOptions, former: Mapping[str, str], into: Path | None = None
) -> None:
    """Write the card with the changelog of all versions, keeping others' text of the released one (``former``)."""
    changelog = former.get("CHANGELOG.md", "")
    if options.notes or f"### {manifest.version}\n" not in changelog:
        changelog = card.changelog_entry(
            manifest, options.notes or ("A new version." if changelog else "First release."), changelog
        )
    card.write_card(
        directory,
        repo_id=options.repo_id,
        changelog=changelog,
        picture=card.sheet(directory),
        published=date.today().isoformat(),  # of the release, which no hash covers
        into=into,
        former=former.get("README.md", ""),
    )


def withdraw(repo_id: str, version: str, reason: str) -> str:
    """Mark a released version as withdrawn, in one commit, and return it; raise VhbenchError if the Hub rejects it."""
    manifests.parse_version(version)
    if not reason:
        raise VhbenchError("expected --reason with the reason for withdrawing the version")
    refs = hub.refs(repo_id)
    if refs is None or f"v{version}" not in refs.tags:
        known = ", ".join(refs.newest_last) if refs else ""
        raise VhbenchError(f"{repo_id} has no version {version}; it has {known or 'none'}")
    head, revision = hub.commit_of(repo_id), hub.commit_of(repo_id, f"v{version}")
    released = hub.file_of(repo_id, manifests.MANIFEST, revision)
    content_hash = splits.read_manifest(released.parent).content_hash if released else ""
    yank = hub.Yank(version, reason, revision, content_hash)
    texts = {name: hub.text_of(repo_id, name, head) for name in ("README.md", manifests.YANKED, manifests.MANIFEST)}
    marked = {
        "README.md": _with_notice(texts["README.md"], version, reason),
        manifests.YANKED: hub.Yank.text([*hub.Yank.read(texts[manifests.YANKED]), yank]),
        manifests.MANIFEST: _marked(texts[manifests.MANIFEST], version, reason),
    }
    changed = {name: text for name, text in marked.items() if text != texts[name]}
    return edit(repo_id, head, changed, f"Withdraw v{version}") if changed else head


def _with_notice(readme: str, version: str, reason: str) -> str:
    r"""Return a card with a withdrawal notice at the top.

    >>> _with_notice("# A card", "1.0.0", "12 answers were wrong")
    '> **Withdrawn: version 1.0.0.** 12 answers were wrong\n\n# A card'
    """
    front = card.FRONT_MATTER.match(readme)
    start = len(readme) - len(readme[front.end() :].lstrip()) if front else 0
    former = re.compile(rf"> \*\*Withdrawn: version {re.escape(version)}\.\*\*[^\n]*\n\n?")
    notice = f"> **Withdrawn: version {version}.** {card.cell(reason)}\n\n"
    return readme[:start] + notice + former.sub("", readme[start:])


def _marked(manifest: str, version: str, reason: str) -> str:
    """Return a manifest's text, marked as withdrawn if it has that version.

    >>> [_marked(text, "1.0.0", "bad") for text in ("", "[]", "no JSON", '{"version": "1.0.0"}')]
    ['', '[]', 'no JSON', '{"version": "1.0.0"}']
    """
    try:
        data = orjson.loads(manifest) if manifest else {}
    except orjson.JSONDecodeError:
        return manifest
    extra = data.get("extra") if isinstance(data, dict) else None
    if not isinstance(extra, dict) or data.get("version") != version:
        return manifest
    return json_bytes(data | {"extra": extra | {"yanked": reason}}, sort=True).decode()
