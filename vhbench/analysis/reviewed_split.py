"""A split without what people have rejected, and without what hangs on that."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from vhbench import splits
from vhbench.analysis.human_review import of_twins
from vhbench.audit import phrases
from vhbench.benchmarks import BENCHMARKS
from vhbench.builds.row_ids import RowNames
from vhbench.files import read_json
from vhbench.generators.mioh.facts import OPPOSITES, SIDES
from vhbench.generators.vhexpansion.expansion import clean_pair
from vhbench.schema import Manifest, Rejection, Row, VhbenchError

REJECTED: Final = "rejected by people"
HANGS_ON: Final = "hangs on a question that people rejected"
_WORDS: Final = {name: f"to the {name}" if name in SIDES else name for name in OPPOSITES}
_OPPOSITE: Final = {_WORDS[name]: _WORDS[other] for name, other in OPPOSITES.items()}

_RELATION: Final = re.compile(rf"(.+) ({'|'.join(_WORDS.values())}) (?:an?|the) (.+)")
_OUTDATED: Final = ("fingerprint", "restricted_oracles", "scenes", "scenes_hash")
_READ: Final = "id question choices objects pair_id pressure perturbation question_type negated scene_ids".split()


@dataclass
class _Ties:
    """Which rows go together, by what they share."""

    groups: dict[tuple[str, ...], set[str]] = field(default_factory=lambda: defaultdict(set))
    of: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    scenes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)

    def pressed_twins(self, row: str) -> set[str]:
        """Return the pressed twins of an easy question of MIOH."""
        return self.groups[self.of[row][0]] if self.of[row] and self.cells[row].endswith("/easy") else set()


def apply(directory: Path, verdict: Path, target: Path, version: str = "") -> Manifest:
    """Write a split without the questions that were rejected.

    With them go their halves of a pair, the perturbed forms of a clean pair, and the scenes that no other question
    shows. In MIOH, a judgment is about each fact in each image: twins of any pressure go with a rejected question, and
    so does every question that uses one of its facts in one of its images, an easy one with its pressed twins. Other
    questions about these images are listed in the manifest for review. Unjudged questions are kept.

    Args:
        directory: the split that was judged.
        verdict: what ``vhbench review --judgments`` wrote about it.
        target: the new split directory.
        version: of the new split; "" keeps the old one.

    Raises:
        VhbenchError: if the verdict is of another split or malformed, the split is hidden, or no row is left.
    """
    manifest = splits.read_manifest(directory)
    review = _read_verdict(verdict, manifest)
    rejected = {item["id"]: item for item in review["dropped"]}
    if manifest.extra.get("commitment"):
        raise VhbenchError(f"{directory}: is a hidden test set, whose commitment names its content; review it before")
    if target.resolve() == directory.resolve():
        raise VhbenchError(f"--out {target}: is the split that was judged; name another folder")
    ties = _ties(directory, manifest, _words(directory) if review["hash"] != manifest.content_hash else {})
    if unknown := sorted(rejected.keys() - ties.of.keys()):
        raise VhbenchError(f"{verdict}: rejected question {unknown[0]!r} is not in the split")
    drops = {row for key in rejected for tie in ties.of[key] for row in ties.groups[tie]} | rejected.keys()
    drops |= {twin for row in drops for twin in ties.pressed_twins(row)}  # alone, they do not measure a pressure
    doubtful = {scene for row in rejected for scene in ties.scenes[row]}
    beside = sorted(row for row, scenes in ties.scenes.items() if row not in drops and not doubtful.isdisjoint(scenes))
    left = {scene for row, scenes in ties.scenes.items() if row not in drops for scene in scenes}
    lost = {scene for row in drops for scene in ties.scenes[row]} - left
    target.parent.mkdir(parents=True, exist_ok=True)
    with splits.locked(target):
        kept = (row for row in splits.read_rows(directory) if row.question.id not in drops)
        return splits.write_split(
            target,
            (Row(row.config, replace(row.question, benchmark_version="")) for row in kept),
            benchmark=manifest.benchmark,
            version=version or manifest.version,
            seed=manifest.seed,
            config=manifest.config,
            sources=manifest.sources,
            scenes=(truth for truth in splits.read_truths(directory) if truth.id not in lost),
            rejections=_rejections(directory, rejected, drops),
            extra=_facts(manifest, review, drops, beside) | _cells(manifest, Counter(ties.cells[row] for row in drops)),
            order=RowNames(manifest.seed, manifest.benchmark).order,
        )


def _read_verdict(path: Path, manifest: Manifest) -> dict[str, Any]:
    """Return what ``vhbench review --judgments`` wrote: its numbers, and what was rejected and why."""
    review: Any = read_json(path)
    dropped = review.get("dropped") if isinstance(review, dict) else None
    if not isinstance(dropped, list) or not all(isinstance(d, dict) and isinstance(d.get("id"), str) for d in dropped):
        raise VhbenchError(f"{path}: expected a verdict, as vhbench review --judgments writes it")
    if review.get("hash") not in (manifest.content_hash, of_twins(manifest.content_hash)):
        raise VhbenchError(f"{path}: is about a split with another content hash ({str(review.get('hash'))[:12]}…)")
    return dict(review)


def _ties(directory: Path, manifest: Manifest, words: Mapping[str, tuple[str, ...]]) -> _Ties:
    """Read the small columns, and find out what each rejected row takes with it; ``words``: of judged pairs."""
    known = BENCHMARKS.get(manifest.benchmark)
    rule, ties = known.pairs if known else "", _Ties()
    for config, row in splits.read_columns(directory, _READ):
        keys, members = _keys(rule, config, row, words)
        ties.of[row["id"]], ties.scenes[row["id"]] = keys, tuple(row["scene_ids"])
        ties.cells[row["id"]] = f"{row['question_type']}/{row['pressure']}"
        for key in members:
            ties.groups[key].add(row["id"])
    return ties


def _keys(
    rule: str, config: str, row: Mapping[str, Any], words: Mapping[str, tuple[str, ...]]
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the groups that a row takes with it, and those that it is a member of."""
    pair = row["pair_id"]
    if not pair:
        return [], []
    if rule == "easy twin":
        is_counted = row["question_type"].startswith(("E", "C"))  # a miscounted object may as well be absent
        asked = phrases.asked_phrases(row["question"], row["choices"])
        facts = row["objects"] if is_counted else [*map(_either_way, asked)]
        scene_facts = [("fact", scene, fact) for scene in row["scene_ids"] for fact in facts]
        keys: list[tuple[str, ...]] = [("twins", row["question_type"], pair), *scene_facts]
        return keys, keys
    clean = clean_pair(pair) if row["perturbation"] else pair
    forms = [("forms", clean), *([("words", *words[clean])] if clean in words else [])]
    halves = ("pair", config, pair, row["perturbation"])
    return [halves, *([] if row["perturbation"] else forms)], [halves, *forms]


def _either_way(phrase: str) -> str:
    """Return one wording for what the same comparison decides: "cup behind a bowl", its converse, and their mirrors."""
    match = _RELATION.fullmatch(phrase)
    if not match:
        return phrase
    one, predicate, other = match.groups()
    if (opposite := _OPPOSITE.get(predicate)) is None:
        return f"{one} {predicate} {other}"
    return f"{min(one, other)}, {max(one, other)}: {min(predicate, opposite)}"


def _words(directory: Path) -> dict[str, tuple[str, ...]]:
    """Return the two questions of each clean pair, which are judged once for all pairs that have them."""
    texts: dict[str, dict[bool, str]] = defaultdict(dict)
    for _, row in splits.read_columns(directory, ("pair_id", "perturbation", "negated", "question")):
        if row["pair_id"] and not row["perturbation"]:
            texts[row["pair_id"]][row["negated"]] = row["question"]
    return {pair: (halves[False], halves[True]) for pair, halves in texts.items() if len(halves) == 2}


def _rejections(directory: Path, rejected: Mapping[str, Any], drops: set[str]) -> Iterator[Rejection]:
    yield from splits.read_rejections(directory)
    for key in sorted(drops):
        item = rejected.get(key)
        yield Rejection(key, REJECTED if item else HANGS_ON, {} if item is None else _judgment(item))


def _judgment(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item.get(name) for name in ("answer", "votes", "why")}


def _facts(manifest: Manifest, verdict: Mapping[str, Any], drops: set[str], beside: list[str]) -> dict[str, Any]:
    """Return what the manifest says besides; what describes the previous rows goes."""
    rejected = {item["id"]: item for item in verdict["dropped"]}
    former = {k: v for k, v in manifest.extra.items() if k not in _OUTDATED}
    ratings = {name: verdict.get(name) for name in ("annotators", "agreement", "kappa", "by_annotator")}
    review = {
        "of": manifest.content_hash,
        **ratings,
        "kept": len(verdict.get("kept") or []),
        "rejected": len(rejected),
        "hanging_on_these": len(drops) - len(rejected),
        "sharing_images": beside if manifest.benchmark == "mioh" else [],
        "verdicts": {key: _judgment(item) for key, item in sorted(rejected.items())},
    }
    return {**former, "review": review}


def _cells(manifest: Manifest, drops: Mapping[str, int]) -> dict[str, Any]:
    """Return the cells that MIOH's build counted, each with how many of the questions asked are not there any more."""
    cells: Mapping[str, Mapping[str, Any]] = manifest.extra.get("cells", {})
    counts = {
        name: {**cell, "rejected": drops[name] + cell.get("rejected", 0)} if drops.get(name) else cell
        for name, cell in cells.items()
    }
    return {"cells": counts} if counts else {}
