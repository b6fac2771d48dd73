"""Two versions of a split, row by row: what changed, and may scores on them be compared?"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vhbench import splits
from vhbench.schema import Manifest, Question, VhbenchError, read_image
from vhbench.splits import layout
from vhbench.splits.hashing import columns

_SCORED = ("question", "choices", "answer", "kind", "objects", "candidates", "neutral", "pair_id", "negated")
"""What a score depends on, beside the images and the config; other columns only sort scores into tables."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What :func:`compare` found.

    Attributes:
        same: the content hashes are equal.
        added: ids that only the second has, likewise ``removed``.
        changed: id → names of the columns that differ; "images" and "config" among them.
    """

    first: Manifest
    second: Manifest
    same: bool
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]

    @property
    def comparable(self) -> bool:
        """Whether a score on one is a score on the other: the same questions with the same answers and images."""
        moved = any({*_SCORED, "images", "config"} & set(names) for names in self.changed.values())
        return not (self.added or self.removed or moved)

    @property
    def code(self) -> int:
        """0: comparable; 1: not comparable, as the versions say; 3: not comparable, and the versions hide it."""
        return 0 if self.comparable else 1 if self._major(self.first) != self._major(self.second) else 3

    @property
    def verdict(self) -> str:
        """The last line: may scores be compared?"""
        versions = f"{self.first.version} and {self.second.version}"
        if self.comparable and self._major(self.first) == self._major(self.second):
            return f"scores on {versions} are comparable"
        if self.comparable:
            return f"scores on {versions} would be comparable, but MAJOR says that they are not"
        if self.code == 1:
            return f"scores on {versions} are not comparable, as MAJOR says"
        return (
            f"scores on {versions} are NOT comparable, though MAJOR is the same: the newer must be a new MAJOR version"
        )

    def lines(self, examples: int) -> Iterator[str]:
        """Yield what changed, a few ids for each kind of change."""
        for name in ("benchmark", "version", "seed"):
            one, two = getattr(self.first, name), getattr(self.second, name)
            yield f"{name}: {one}" if one == two else f"{name}: {one} → {two}"
        options = {**self.first.config, **self.second.config}
        for name in sorted(options):
            one, two = self.first.config.get(name), self.second.config.get(name)
            if one != two:
                yield f"option {name}: {one} → {two}"
        if self.same:
            yield "content: the same"
        for config in sorted({*self.first.rows, *self.second.rows}):
            one, two = self.first.rows.get(config, 0), self.second.rows.get(config, 0)
            if one != two:
                yield f"config {config}: {one:,} → {two:,} questions"
        yield from _listed("added", self.added, examples)
        yield from _listed("removed", self.removed, examples)
        by_columns: dict[tuple[str, ...], list[str]] = {}
        for name, what in self.changed.items():
            by_columns.setdefault(what, []).append(name)
        for what, names in sorted(by_columns.items()):
            yield from _listed(f"changed in {', '.join(what)}", tuple(names), examples)

    @staticmethod
    def _major(manifest: Manifest) -> int:
        return layout.parse_version(manifest.version)[0]


def compare(first: Path, second: Path) -> Comparison:
    """Compare two split directories.

    Raises:
        VhbenchError: if one cannot be read, or they hold different benchmarks.
    """
    one, two = splits.read_manifest(first), splits.read_manifest(second)
    if one.benchmark != two.benchmark:
        raise VhbenchError(f"{first} holds {one.benchmark} and {second} holds {two.benchmark}: nothing to compare")
    if one.content_hash == two.content_hash:
        return Comparison(one, two, True, (), (), {})
    old, new = _rows(first), _rows(second)
    changed = {
        name: tuple(column for column in old[name] if old[name][column] != new[name][column])
        for name in sorted(old.keys() & new.keys())
    }
    return Comparison(
        one,
        two,
        False,
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(old.keys() - new.keys())),
        {name: what for name, what in changed.items() if what},
    )


def _rows(directory: Path) -> dict[str, dict[str, object]]:
    """Return each row by id: a digest per column, so that a large split fits into memory."""
    return {row.question.id: _digests(row.config, row.question) for row in splits.read_rows(directory)}


def _digests(config: str, question: Question) -> dict[str, object]:
    images = hashlib.sha256(b"".join(hashlib.sha256(read_image(image)).digest() for image in question.images)).digest()
    return {"config": config, "images": images, **{name: _digest(value) for name, value in columns(question).items()}}


def _digest(value: object) -> bytes:
    """Return a short digest of a column's value."""
    return hashlib.blake2b(repr(value).encode(), digest_size=8).digest()


def _listed(what: str, names: tuple[str, ...], examples: int) -> Iterator[str]:
    if names:
        more = "" if len(names) <= examples else " …"
        shown = f": {', '.join(names[:examples])}{more}" if examples else ""
        yield f"{len(names):,} {what}{shown}"
