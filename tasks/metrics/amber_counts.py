"""AMBER's counts of captions and responses by dimension, under the names of its code."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vhbench.records import yes_or_no
from vhbench.schema import Kind, Record, VhbenchError
from vhbench.tasks.metrics import confusion
from vhbench.tasks.metrics.amber_captions import Judge, Judged
from vhbench.tasks.metrics.metric import Claims
from vhbench.tasks.metrics.withholding import ResponseCounts

EVALUATION_TYPES = {"a": "g de da dr", "g": "g", "d": "de da dr", "de": "de", "da": "da", "dr": "dr"}
"""Evaluation type → printed tasks: captions, and yes/no responses by kind."""

RATES = {
    "CHAIR": ("chair_score", "chair_num"),
    "Cover": ("safe_cover_score", "safe_cover_num"),
    "Hal": ("hallu_score", "non_hallu_num"),
    "Cog": ("hallu_cover_score", "hallu_cover_num"),
}
"""Caption score → numerator and denominator; "hallu_score" is the complement of "non_hallu_score"."""

DIMENSIONS = {
    "discriminative-attribute-state": "as",
    "discriminative-attribute-number": "an",
    "discriminative-attribute-action": "aa",
    "discriminative-hallucination": "ha",
}
_RELATION = "asso"
_ATTRIBUTES = ("as", "an", "aa")


SECTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Descriminative Task": ("de da dr", (*_ATTRIBUTES, _RELATION, "ha")),
    "Exsitence": ("de", ("ha",)),
    "Attribute": ("da", _ATTRIBUTES),
    "State": ("da", ("as",)),
    "Number": ("da", ("an",)),
    "Action": ("da", ("aa",)),
    "Relation": ("dr", (_RELATION,)),
}
"""Section of yes/no questions, in AMBER's spelling → its evaluation types and dimensions."""

TITLES = {"Accuracy": "accuracy", "Precision": "precision", "Recall": "recall", "F1": "f1", "Unparsed": "unparsed"}


def sections(evaluation_type: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the printed sections of an evaluation type, with their dimensions."""
    kinds = set(EVALUATION_TYPES[evaluation_type].split())
    return ((name, dimensions) for name, (types, dimensions) in SECTIONS.items() if kinds.issuperset(types.split()))


@dataclass(frozen=True, slots=True)
class Judgments:
    """All matched captions; per dimension, pairs of prediction and reference answer; counts of both kinds."""

    captions: list[Judged]
    answers: Mapping[str, list[tuple[str, str]]]
    counts: Mapping[Kind, ResponseCounts] = field(
        default_factory=lambda: {"caption": ResponseCounts(), "yes_no": ResponseCounts()}
    )

    def of(self, dimensions: Iterable[str]) -> list[tuple[str, str]]:
        """Return the responses of several dimensions."""
        return [pair for name in dimensions for pair in self.answers[name]]

    def outcomes(self) -> list[str]:
        """Return the predictions; "failed" or "refused" for missing responses."""
        return [c.failure for c in self.captions] + [outcome for pairs in self.answers.values() for outcome, _ in pairs]

    def counters(self) -> dict[str, int]:
        """Return the counts under the names of AMBER's metrics.txt."""
        counters = {name: sum(column) for name, column in columns_of(self.captions).items()}
        counters["non_hallu_score"] = counters["non_hallu_num"] - counters.pop("hallu_score")
        for prefix, dimensions in {"": tuple(self.answers), **{f"{name}_": (name,) for name in self.answers}}.items():
            part = confusion.count(self.of(dimensions), "no")
            counters |= {
                f"{prefix}qa_correct_score": part.right,
                f"{prefix}qa_correct_num": part.total,
                f"{prefix}qa_no_score": part.TP,
                f"{prefix}qa_no_num": part.positives,
                f"{prefix}qa_ans_no_score": part.TP,
                f"{prefix}qa_ans_no_num": part.n_predicted,
            }
        return counters


def columns_of(captions: Sequence[Judged]) -> dict[str, list[int]]:
    """Return the counts of each caption."""
    return {
        "chair_score": [len(c.hallucinated) for c in captions],
        "chair_num": [len(c.nouns) for c in captions],
        "safe_cover_score": [len(c.covered) for c in captions],
        "safe_cover_num": [len(c.truth) for c in captions],
        "hallu_score": [int(bool(c.hallucinated)) for c in captions],
        "non_hallu_num": [int(not c.failure) for c in captions],
        "hallu_cover_score": [len(c.likely) for c in captions],
        "hallu_cover_num": [0 if c.failure else len(c.listed) for c in captions],
    }


def find(rows: Iterable[tuple[str, str]], truth: Mapping[str, Mapping[str, Any]], judge: Judge) -> Judgments:
    """Parse all captions and yes/no responses; raise for an id without annotation.

    >>> truth = {"1": {"id": 1, "truth": ["dog"]}, "2": {"type": "discriminative-hallucination", "truth": "no"}}
    >>> judge = Judge.build(truth, {"dog": [], "cat": []}, (), None, None)
    >>> counters = find([("1", "A dog, a cat."), ("2", "No.")], truth, judge).counters()
    >>> counters["chair_score"], counters["chair_num"], counters["ha_qa_correct_score"]
    (1, 2, 1)
    """
    judgments = Judgments([], {name: [] for name in (*_ATTRIBUTES, _RELATION, "ha")})
    for name, text in rows:
        row = truth.get(name)
        if row is None:
            raise VhbenchError(f"response {name!r} has no annotation ({len(truth)} ids have one)")
        if row.get("type", "generative") == "generative":
            judgments.captions.append(caption := judge.caption(name, text, row))
            record = Record(name, kind="caption", response=text, failure=caption.failure)
            judgments.counts["caption"].add(record, Claims(named=len(caption.nouns)))
        else:
            right = yes_or_no(row["truth"], f"annotation {name!r}: truth")
            failure = judge.failure(text)
            outcome = failure or judge.answer(text, row.get("question", ""))
            judgments.answers[DIMENSIONS.get(row["type"], _RELATION)].append((outcome, right))
            record = Record(name, response=text, failure=failure, prediction="" if failure else outcome)
            judgments.counts["yes_no"].add(record)
    return judgments
