"""Rows that belong together: is the other half of each pair there, and about the same image?

What is asked here is what the generators promise, by the rule that a benchmark names (``Benchmark.pairs``): with
``twins`` every question has its negation, of the same image; with ``both answers`` each thing is asked about once with
the answer yes and once with no; with ``easy twin`` pressed questions have their easy one, unless the build left out all
easy questions of their type. Configs that hold negated questions are held to ``twins`` whatever the benchmark.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from vhbench.benchmarks import PairRule
from vhbench.schema import Row


@dataclass(slots=True)
class _Pair:
    """What is known of a pair: how many of each half it has, and whether all have the images of the first."""

    images: tuple[bytes, ...]
    same: bool = True
    halves: Counter[str] = field(default_factory=Counter)


_TWINS = ("question that is not negated", "negated question")
_ANSWERS = ("question whose answer is yes", "question whose answer is no")


class Pairs:
    """Takes the rows of a split one by one, keeps none of them, and tells at the end which pairs are not whole."""

    def __init__(self, rule: PairRule) -> None:
        self._rule = rule
        self._pairs: dict[tuple[str, str, str], _Pair] = {}
        self._negating: set[str] = set()
        self._easy: Counter[tuple[str, str]] = Counter()
        self._pressed: dict[tuple[str, str], str] = {}

    def add(self, row: Row, digests: Sequence[bytes]) -> Iterator[str]:
        """Take a row with its images' digests; yield a fault where it should have a pair and names none."""
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
            self._add_half(row, tuple(digests))

    def _add_half(self, row: Row, images: tuple[bytes, ...]) -> None:
        question = row.question
        pair = self._pairs.setdefault((row.config, question.pair_id, question.perturbation), _Pair(images))
        pair.same &= pair.images == images
        pair.halves.update((_TWINS[question.negated], f"question whose answer is {question.answer}"))
        if question.negated:
            self._negating.add(row.config)

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the pairs of all rows so far."""
        for (config, name, _), pair in sorted(self._pairs.items(), key=lambda item: item[0]):
            if self._rule == "twins" or config in self._negating:
                halves = _TWINS
            elif self._rule == "both answers":
                halves = _ANSWERS
            else:
                continue
            for half in halves:
                if pair.halves[half] != 1:
                    yield f"pair {name!r} of {config}: must have one {half}, has {pair.halves[half]}"
            if not pair.same:
                yield f"pair {name!r} of {config}: its questions are about different images"
        yield from self._easy_faults()

    def _easy_faults(self) -> Iterator[str]:
        asked_easy = {kind for kind, _ in self._easy}
        for (kind, name), row in sorted(self._pressed.items()):
            if kind in asked_easy and (kind, name) not in self._easy:
                yield f"pair {name!r}: has the pressed question {row!r} and not its easy twin"
        for (_, name), number in sorted(self._easy.items()):
            if number > 1:
                yield f"pair {name!r}: must have one easy question, has {number}"
