"""Human verification, as MIOH's paper had it: three annotators, majority vote, disagreements dropped and listed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vhbench import splits
from vhbench.adapters.category_names import read_names
from vhbench.files import canonical, read_json
from vhbench.schema import Question, VhbenchError
from vhbench.seeding import rng

ALLOWED: Final = ("yes", "no", *"ABCDE", "unclear")

_PHOTOS: Final = ("coco", "paco", "svg")

ASKED_OF_TWINS: Final = "Are the correct answers to these two questions opposite for every image?"


def twins(questions: Iterable[Question], count: int, seed: int = 0) -> list[Question]:
    """Return questions about up to ``count`` pairs of VHExpansion, for people: is a twin the opposite of its question?

    As the paper's authors verified a hundred by hand. Pairs of unchanged images stand for their perturbed ones, which
    have the same words; equal words are judged once. The wordings (natural, wrapped …) take turns.
    """
    clean = [q for q in questions if q.pair_id and not q.perturbation]
    originals = {q.pair_id: q for q in clean if not q.negated}
    pairs = {(originals[q.pair_id].question, q.question): q for q in clean if q.negated and q.pair_id in originals}
    waiting: dict[str, list[tuple[str, str]]] = {}
    texts = sorted(pairs)
    for index in rng(seed, "review", "twins").permutation(len(texts)).tolist():
        waiting.setdefault(pairs[texts[index]].mode, []).append(texts[index])
    turns = sorted((place, mode, pair) for mode, mode_pairs in waiting.items() for place, pair in enumerate(mode_pairs))
    return [
        replace(pairs[pair], question=f"{ASKED_OF_TWINS}\n1. {pair[0]}\n2. {pair[1]}", answer="yes")
        for _, _, pair in turns[:count]
    ]


def disputed_first(directory: Path, config: str | None, count: int, seed: int = 0) -> Iterator[Question]:
    """Yield questions to review, evenly spaced over a split or config.

    On photos, those come first whose labels are disputed most often: about relations, people, of whom a hand may be
    annotated, and easily confused categories.
    """
    names = read_names(())
    disputed, others = list[str](), list[str]()
    for part, row in splits.read_columns(directory, ("id", "source", "task", "objects")):
        doubt = row["task"] == "position" or any(n == "person" or names.is_disputed(n) for n in row["objects"])
        if config in (None, part):
            (disputed if row["source"] in _PHOTOS and doubt else others).append(row["id"])
    if not disputed:
        yield from (row.question for row in splits.choose(directory, config, count, seed))
        return
    first = min(count, len(disputed))
    ids = {*_spaced(disputed, first, seed), *_spaced(others, min(count - first, len(others)), seed)}
    yield from (question for question in splits.read_questions(directory, config) if question.id in ids)


def selection(
    directory: Path, config: str | None, count: int, seed: int = 0, *, of_pairs: bool = False
) -> tuple[Iterator[Question], str]:
    """Return the questions to review (:func:`twins` or :func:`disputed_first`), and what judgments name as split."""
    content_hash = splits.read_manifest(directory).content_hash
    if of_pairs:
        return iter(twins(splits.read_questions(directory, config), count, seed)), of_twins(content_hash)
    return disputed_first(directory, config, count, seed), content_hash


def verdict(directory: Path, files: Sequence[Path], *, of_pairs: bool = False) -> dict[str, Any]:
    """Return the result of :func:`tally` over what annotators saved, with ``hash``: what it judges."""
    content_hash = splits.read_manifest(directory).content_hash
    identity = of_twins(content_hash) if of_pairs else content_hash
    answers = {q.id: "yes" if of_pairs else q.answer for q in splits.read_questions(directory)}
    return {"hash": identity, **tally(read_judgments(files, identity), answers)}


def _spaced(keys: Sequence[str], count: int, seed: int) -> list[str]:
    start = seed % max(1, len(keys) // max(1, count))
    return [keys[len(keys) * i // count + start] for i in range(count)]


def of_twins(content_hash: str) -> str:
    """Return what judgments of twins name as their split, so that they are not taken for answers."""
    return f"{content_hash}-twins"


def read_judgments(paths: Sequence[Path], content_hash: str) -> dict[str, dict[str, str]]:
    """Read what annotators saved: annotator → question id → "yes", "no", a letter or "unclear".

    An annotator saves one file, or one for each part of the page. A file without a name stands for itself. Raises if a
    file is malformed, belongs to another split, or is there twice, by its path or content; or two are by the same
    annotator and of the same part, or differ in what they say.
    """
    contents: dict[bytes, Path] = {}
    parts: dict[tuple[str, str], Path] = {}
    votes: dict[str, dict[str, str]] = {}
    for path in paths:
        saved = _read(path, content_hash)
        annotator, part = str(saved.get("annotator") or ""), str(saved.get("part") or 0)
        if annotator and (other := parts.setdefault((annotator, part), path)) is not path:
            raise VhbenchError(f"{path}: annotator {annotator!r} has judged in {other} already; needed: one file each")
        if (other := contents.setdefault(canonical(saved), path)) is not path:
            raise VhbenchError(f"{path}: has the same content as {other}; needed: one file for each annotator")
        known = votes.setdefault(annotator or str(path), {})
        for key, value in saved["judgments"].items():
            if known.setdefault(key, value) != value:
                raise VhbenchError(
                    f"{path}: question {key}: {annotator!r} says {value} here and {known[key]} in another part; "
                    "omit the older file"
                )
    return votes


def _read(path: Path, content_hash: str) -> dict[str, Any]:
    document = read_json(path)
    if not isinstance(document, dict) or not isinstance(document.get("judgments"), dict):
        raise VhbenchError(f"{path}: expected judgments saved from a page of vhbench review")
    if document.get("hash") != content_hash:
        raise VhbenchError(f"{path}: judges a split with another content hash ({str(document.get('hash'))[:12]}…)")
    for key, value in document["judgments"].items():
        if value not in ALLOWED:
            raise VhbenchError(f"{path}: question {key}: expected a judgment of {', '.join(ALLOWED)}, got {value!r}")
    return document


def tally(votes: Mapping[str, Mapping[str, str]], answers: Mapping[str, str]) -> dict[str, Any]:
    """Keep the questions to which most annotators, of all who sent judgments, gave the split's answer.

    Args:
        votes: annotator → id → judgment.
        answers: id → the split's answer.

    Returns:
        ``kept``: ids; ``dropped``: id, the split's answer, the votes and why; ``agreement``: share of votes for the
        split's answer; ``kappa``: Fleiss' κ between the annotators, of the questions that all have judged;
        ``by_annotator``: how many questions each has judged, and of how many the split says the same.

    Raises:
        VhbenchError: for a judgment of a question that the split does not have.
    """
    judged: dict[str, list[str]] = {}
    for annotator in votes.values():
        for key, value in annotator.items():
            if key not in answers:
                raise VhbenchError(f"judged question {key!r} is not in the split")
            judged.setdefault(key, []).append(value)
    kept_ids, dropped = [], []
    for key in sorted(judged):
        fault = _fault(judged[key], answers[key], len(votes))
        if fault:
            dropped.append({"id": key, "answer": answers[key], "votes": judged[key], "why": fault})
        else:
            kept_ids.append(key)
    agreements = [value == answers[key] for key, values in judged.items() for value in values]
    return {
        "annotators": len(votes),
        "kept": kept_ids,
        "dropped": dropped,
        "agreement": sum(agreements) / len(agreements) if agreements else None,
        "kappa": fleiss_kappa([values for values in judged.values() if len(values) == len(votes)]),
        "by_annotator": {
            name: {"judged": len(own), "as_the_split": sum(answers[key] == value for key, value in own.items())}
            for name, own in votes.items()
        },
    }


def fleiss_kappa(ratings: Sequence[Sequence[str]]) -> float | None:
    """Return Fleiss' κ: how far annotators agree beyond chance (Psychological Bulletin 76, 1971, 378-382).

    Each question has a rating by each annotator. 1 is full agreement, 0 that of chance; None for fewer than two
    annotators, or where all said one thing throughout, so that chance agrees as well.

    >>> round(fleiss_kappa([["yes", "yes"], ["no", "no"], ["yes", "no"]]), 6)
    0.333333
    """
    annotators = len(ratings[0]) if ratings else 0
    if annotators < 2:
        return None
    tallies = [Counter(values) for values in ratings]
    alike = [(sum(n * n for n in counts.values()) - annotators) / (annotators * (annotators - 1)) for counts in tallies]
    shares = [n / (annotators * len(ratings)) for n in sum(tallies, Counter[str]()).values()]
    chance = sum(share * share for share in shares)
    return (sum(alike) / len(alike) - chance) / (1 - chance) if chance < 1 else None


def _fault(votes: Sequence[str], answer: str, annotators: int) -> str:
    """Tell why a question is dropped, or ""."""
    if 2 * len(votes) <= annotators:
        return f"judged by {len(votes)} of {annotators}"
    most, number = max(Counter(votes).items(), key=lambda item: (item[1], item[0]))
    if 2 * number <= annotators:
        return "no majority"
    return "" if most == answer else f"majority says {most}"
