"""Row-by-row differences and comparability of two versions of a split."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vhbench import splits
from vhbench.columns import HASHED, hashed
from vhbench.progress import Progress
from vhbench.schema import Manifest, Row, VhbenchError
from vhbench.splits import manifests
from vhbench.terminal import escaped

# columns without effect on scores: they select no prompt, judgement, task or cell
_UNSCORED = frozenset({"canary", "scene_ids"})
_SCORED_OPTIONS = ("vocabulary",)  # options that metrics read from the manifest: the caption vocabulary
_COMPARED = ("config", "images", *HASHED)
_DIGEST = 8

_SHOWN = 60  # maximum characters of an option's value in the output


@dataclass(frozen=True, slots=True)
class SplitDiff:
    """Result of :func:`compare`."""

    first: Manifest
    second: Manifest
    same: bool  # both have the same questions
    added: tuple[str, ...]  # ids that only the second has, likewise ``removed``
    removed: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]  # id → names of the columns that differ; "images" and "config" among them

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the build's options that differ."""
        old, new = self.first.config, self.second.config
        return tuple(name for name in sorted({*old, *new}) if old.get(name) != new.get(name))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why scores are not comparable, in a few words each; empty where they are."""
        moved = sum(not _UNSCORED.issuperset(names) for names in self.changed.values())
        counts = {"added": len(self.added), "removed": len(self.removed), "changed": moved}
        reasons = [
            f"{count:,} {'question' if count == 1 else 'questions'} {what}" for what, count in counts.items() if count
        ]
        return (*reasons, *(f"{name} changed" for name in _SCORED_OPTIONS if name in self.options))

    @property
    def comparable(self) -> bool:
        """Whether scores are comparable: the same questions, judged and grouped identically."""
        return not self.reasons

    @property
    def code(self) -> int:
        """0: comparable; 1: not comparable, by version; 3: not comparable despite the versions."""
        return 0 if self.comparable else 3 if self._same_major else 1

    @property
    def verdict(self) -> str:
        """The last line: whether scores are comparable."""
        versions = f"{self.first.version} and {self.second.version}"
        if self.comparable and self._same_major:
            return f"scores on {versions} are comparable"
        if self.comparable:
            return f"scores on {versions} are comparable, although MAJOR differs"
        if self.code == 1:
            return f"scores on {versions} are not comparable, as MAJOR differs"
        return f"scores on {versions} are NOT comparable although MAJOR is the same: increase MAJOR of the newer"

    def lines(self, examples: int) -> Iterator[str]:
        """Yield the changes, with a few ids for each kind."""
        for name in ("benchmark", "version", "seed"):
            old, new = getattr(self.first, name), getattr(self.second, name)
            yield f"{name}: {old}" if old == new else f"{name}: {old} → {new}"
        for name in self.options:
            yield f"option {_cut(name)}: {_shown(self.first.config.get(name), self.second.config.get(name))}"
        if self.same:
            yield "questions: unchanged"
        for config in sorted({*self.first.rows, *self.second.rows}):
            old, new = self.first.rows.get(config, 0), self.second.rows.get(config, 0)
            if old != new:
                yield f"config {config}: {old:,} → {new:,} questions"
        yield from _listed("added", self.added, examples)
        yield from _listed("removed", self.removed, examples)
        by_columns: dict[tuple[str, ...], list[str]] = {}
        for name, what in self.changed.items():
            by_columns.setdefault(what, []).append(name)
        for what, names in sorted(by_columns.items()):
            yield from _listed(f"changed in {', '.join(what)}", tuple(names), examples)

    @property
    def _same_major(self) -> bool:
        first, second = (manifests.parse_version(manifest.version)[0] for manifest in (self.first, self.second))
        return first == second


def compare(first: Path, second: Path) -> SplitDiff:
    """Compare two split directories; raise VhbenchError if one fails its manifest, or their benchmarks differ."""
    old_manifest, new_manifest = splits.read_manifest(first), splits.read_manifest(second)
    if old_manifest.benchmark != new_manifest.benchmark:
        raise VhbenchError(
            f"expected two versions of one benchmark, got {old_manifest.benchmark} ({first}) and "
            f"{new_manifest.benchmark} ({second})"
        )
    old, new = (_rows(Path(folder), manifest) for folder, manifest in ((first, old_manifest), (second, new_manifest)))
    changed = {
        name: _differing(old[name], new[name]) for name in sorted(old.keys() & new.keys()) if old[name] != new[name]
    }
    added, removed = tuple(sorted(new.keys() - old)), tuple(sorted(old.keys() - new))
    return SplitDiff(old_manifest, new_manifest, not (changed or added or removed), added, removed, changed)


def _rows(directory: Path, manifest: Manifest) -> dict[str, bytes]:
    """Return each row's digests of ``_COMPARED`` by id, which fit into memory."""
    digests_of: dict[str, bytes] = {}

    def keep(row: Row, digests: tuple[bytes, ...]) -> None:
        values = (row.config, b"".join(digests), *hashed(row.question).values())
        digests_of[row.question.id] = b"".join(map(_digest, values))
        progress.advance()

    with Progress(f"reading {directory}", total=sum(manifest.rows.values()), unit="rows") as progress:
        content = splits.recompute_content_hash(directory, keep)
    if content != manifest.content_hash:
        raise VhbenchError(f"{directory}: its content hash is {content}, its manifest says {manifest.content_hash}")
    return digests_of


def _digest(value: object) -> bytes:
    return hashlib.blake2b(repr(value).encode(), digest_size=_DIGEST).digest()


def _differing(one: bytes, two: bytes) -> tuple[str, ...]:
    """Return the columns in which two rows differ."""
    places = range(0, len(one), _DIGEST)
    parts = zip(_COMPARED, places, strict=True)
    return tuple(name for name, at in parts if one[at : at + _DIGEST] != two[at : at + _DIGEST])


def _shown(one: object, two: object) -> str:
    """Describe in one line how a value changed; of a long mapping, only the differing keys."""
    if isinstance(one, dict) and isinstance(two, dict):
        names = [name for name in sorted({*one, *two}) if one.get(name) != two.get(name)]
        if len(names) > 1 or len(json.dumps([one, two])) > _SHOWN:
            return f"{len(one):,} → {len(two):,} entries; {len(names):,} differ: {_cut(', '.join(names))}"
    return f"{_value(one)} → {_value(two)}"


def _value(value: object) -> str:
    text = _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return f"{text} ({len(value):,} entries)" if isinstance(value, (list, dict)) and text.endswith("…") else text


def _cut(text: str) -> str:
    """Return a text from the data as one line that is safe for a terminal."""
    line = escaped(" ".join(text.split()))
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def _listed(what: str, names: tuple[str, ...], examples: int) -> Iterator[str]:
    if names:
        more = "" if len(names) <= examples else " …"
        shown = f": {', '.join(names[:examples])}{more}" if examples else ""
        yield f"{len(names):,} {what}{shown}"
