"""AMBER as computed by its inference.py (534babf), with its errors: ``compat=True``.

Denominators start at 0.001, words are case-sensitive, associations precede names, an object listed twice counts twice,
a safe word covers nothing, and a listed hallucination similar to a present object is not counted.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from vhbench.language import parsing
from vhbench.schema import Failure
from vhbench.tasks.metrics import confusion, yes_no_reference
from vhbench.tasks.metrics.amber_captions import Judge
from vhbench.tasks.metrics.amber_counts import EVALUATION_TYPES, RATES, TITLES, Judgments, sections
from vhbench.tasks.metrics.rates import percent

_EPSILONS = {"Exsitence": 0.001}
_EPSILON = 0.0001  # constant in F1's denominator, larger in one section than in the others


class ReferenceJudge(Judge):
    """Parser of responses like the reference.

    >>> ReferenceJudge.build({}, {"dog": []}, (), str.split, None).caption("1", "dog Dog", {"truth": ["dog"]}).nouns
    ['dog']
    """

    fold = staticmethod(str)
    failure: "ClassVar[staticmethod[[str], Failure]]" = staticmethod(lambda text: "")  # failed requests count as any
    words = staticmethod(str)
    answer = staticmethod(lambda text, question: parsing.amber(text))  # exactly one word

    @classmethod
    def _further_words(cls, truth: Mapping[str, Mapping[str, Any]]) -> set[str]:
        return set()

    @staticmethod
    def _listed(words: Sequence[str]) -> list[str]:
        return list(words)

    @staticmethod
    def _excused(safe: frozenset[str], truth: Sequence[str]) -> frozenset[str]:
        return safe

    def _owners(self, words: Sequence[str]) -> dict[str, int]:
        return self._associated(words, {})

    def _decide(
        self, noun: str, present: Mapping[str, int], listed: Mapping[str, int], names: object
    ) -> tuple[set[int], set[int]]:
        if noun in present:
            return {present[noun]}, set()
        flagged = {listed[noun]} if noun in listed else set()
        return self._first_alike(noun, present), flagged | self._first_alike(noun, listed)


def result(judgments: Judgments, evaluation_type: str) -> dict[str, Any]:
    """Return the printed scores of an evaluation type in percent, and the counters."""
    counters = {name: round(n + 0.001, 3) if name.endswith("_num") else n for name, n in judgments.counters().items()}
    scores: dict[str, Any] = {}
    printed: dict[str, Any] = {}
    if "g" in EVALUATION_TYPES[evaluation_type]:
        clean = counters["non_hallu_score"] / counters["non_hallu_num"]
        rates = {name: counters.get(top, 0) / counters[bottom] for name, (top, bottom) in RATES.items()}
        scores["Generative Task"] = rates | {"Hal": 1 - clean}
        # The reference's order of operations, so that the last digit is rounded from the same number.
        own = {"Hal": round(100 - clean * 100, 1)}
        printed["Generative Task"] = {name: percent(value) for name, value in rates.items()} | own
    for name, dimensions in sections(evaluation_type):
        # The reference sums the attribute dimensions, each of which starts at 0.001.
        start = 0.001 * len(dimensions) if name == "Attribute" else 0.001
        counts = confusion.count(judgments.of(dimensions), "no")
        rates = yes_no_reference.percentages(counts, _EPSILONS.get(name, _EPSILON), start=start)
        printed[name] = {title: rates[key] for title, key in TITLES.items() if key in rates}
    return {
        "printed": printed,
        "counters": counters,
        "scores": scores,
        "intervals": {},
        "interval_notes": {},
        "warnings": [],
    }
