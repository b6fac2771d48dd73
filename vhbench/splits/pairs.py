"""Completeness checks of pairs: each has its other half, with the same image.

A benchmark's rule (``Benchmark.pairs``) states what its generator guarantees. ``twins``: every question has its
negation, with the same image. ``both answers``: each target has a question with answer yes and one with no. ``easy
twin``: pressed questions have their easy one, unless the build left out all easy questions of their type. Configs with
negated questions must satisfy ``twins`` in any benchmark.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from vhbench.benchmarks import PairRule
from vhbench.schema import Row


@dataclass(slots=True)
class _Pair:
    """State of a pair: counts of each half, and whether all share the first one's images."""

    images: tuple[bytes, ...]
    same: bool = True
    halves: Counter[str] = field(default_factory=Counter)


_TWINS = ("question that is not negated", "negated question")
_ANSWERS = ("question whose answer is yes", "question whose answer is no")


class Pairs:
    """Streaming check of pairs, which does not store the rows."""

    def __init__(self, rule: PairRule) -> None:
        self._rule = rule
        self._pairs: dict[tuple[str, str, str], _Pair] = {}
        self._negating: set[str] = set()
        self._easy: Counter[tuple[str, str]] = Counter()
        self._pressed: dict[tuple[str, str], str] = {}

    def add(self, row: Row, digests: Sequence[bytes]) -> Iterator[str]:
        """Add a row with its images' digests; yield an error if it lacks a required pair id."""
        question = row.question
        if question.kind == "caption":
            return
        if not question.pair_id:
            if self._rule == "twins" or question.negated:
                yield f"row {question.id!r}: has no pair_id, which ties it to its twin"
            return
        if self._rule == "easy twin":
            key = (question.question_type, question.pair_id)
            if question.pressure == "easy":
                self._easy[key] += 1
            else:
                self._pressed.setdefault(key, question.id)
        else:
            images = tuple(digests)
            pair = self._pairs.setdefault((row.config, question.pair_id, question.perturbation), _Pair(images))
            pair.same &= pair.images == images
            pair.halves.update((_TWINS[question.negated], f"question whose answer is {question.answer}"))
            if question.negated:
                self._negating.add(row.config)

    def faults(self) -> Iterator[str]:
        """Yield the errors in the pairs of all rows so far."""
        for (config, name, _), pair in sorted(self._pairs.items(), key=lambda item: item[0]):
            if self._rule == "twins" or config in self._negating:
                halves = _TWINS
            elif self._rule == "both answers":
                halves = _ANSWERS
            else:
                continue
            for half in halves:
                if pair.halves[half] != 1:
                    yield f"pair {name!r} of {config}: expected one {half}, got {pair.halves[half]}"
            if not pair.same:
                yield f"pair {name!r} of {config}: its questions are about different images"
        asked_easy = {kind for kind, _ in self._easy}
        for (kind, name), row in sorted(self._pressed.items()):
            if kind in asked_easy and (kind, name) not in self._easy:
                yield f"pair {name!r}: has the pressed question {row!r} and not its easy twin"
        for (_, name), number in sorted(self._easy.items()):
            if number > 1:
                yield f"pair {name!r}: expected one easy question, got {number}"
