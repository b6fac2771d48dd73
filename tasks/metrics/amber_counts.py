"""What AMBER counts: captions and answers, sorted by dimension, and the names that its code gives to the counts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vhbench.schema import VhbenchError
from vhbench.tasks.metrics import confusion
from vhbench.tasks.metrics.amber_captions import Judge, Judged
from vhbench.tasks.metrics.amber_files import answer_of

EVALUATION_TYPES = {
    "a": ("g", "de", "da", "dr"),
    "g": ("g",),
    "d": ("de", "da", "dr"),
    "de": ("de",),
    "da": ("da",),
    "dr": ("dr",),
}
RATES = {
    "CHAIR": ("chair_score", "chair_num"),
    "Cover": ("safe_cover_score", "safe_cover_num"),
    "Hal": ("hallu_score", "non_hallu_num"),
    "Cog": ("hallu_cover_score", "hallu_cover_num"),
}
"""Score of captions → the counts above and below the line; "hallu_score" is what "non_hallu_score" leaves."""

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
"""Section of yes/no questions, in AMBER's spelling → the evaluation types that print it together, its dimensions."""

TITLES = {"Accuracy": "accuracy", "Precision": "precision", "Recall": "recall", "F1": "f1", "Unparsed": "unparsed"}


def sections(evaluation_type: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the sections that an evaluation type prints, with their dimensions."""
    shown = EVALUATION_TYPES[evaluation_type]
    return ((name, dimensions) for name, (types, dimensions) in SECTIONS.items() if set(types.split()) <= set(shown))


@dataclass(frozen=True, slots=True)
class Answers:
    """Parsed answers beside what is true."""

    said: list[str]
    true: list[str]

    def count(self) -> confusion.Confusion:
        """Count them, seen from "no"."""
        return confusion.count(self.said, self.true, "no")


@dataclass(frozen=True, slots=True)
class Found:
    """All captions as judged, and the answers of each dimension."""

    captions: list[Judged]
    answers: Mapping[str, Answers]

    def of(self, dimensions: Iterable[str]) -> Answers:
        """Return the answers of several dimensions together."""
        parts = [self.answers[name] for name in dimensions]
        return Answers([a for part in parts for a in part.said], [a for part in parts for a in part.true])

    def columns(self) -> dict[str, list[int]]:
        """Return what each caption adds to the counters of captions."""
        rows = [caption.counts() for caption in self.captions]
        return {name: [row[name] for row in rows] for pair in RATES.values() for name in pair}

    def counters(self) -> dict[str, int]:
        """Name the counts as AMBER's metrics.txt does."""
        counters = {name: sum(column) for name, column in self.columns().items()}
        counters["non_hallu_score"] = counters["non_hallu_num"] - counters.pop("hallu_score")
        for prefix, dimensions in {"": tuple(self.answers), **{f"{name}_": (name,) for name in self.answers}}.items():
            part = self.of(dimensions).count()
            counters |= {
                f"{prefix}qa_correct_score": part.right,
                f"{prefix}qa_correct_num": part.total,
                f"{prefix}qa_no_score": part.TP,
                f"{prefix}qa_no_num": part.positives,
                f"{prefix}qa_ans_no_score": part.TP,
                f"{prefix}qa_ans_no_num": part.said,
            }
        return counters


def find(rows: Iterable[tuple[str, str]], truth: Mapping[str, Mapping[str, Any]], judge: Judge) -> Found:
    """Read every response, a caption or an answer.

    Raises:
        VhbenchError: for an id without annotation.

    >>> truth = {"1": {"id": 1, "truth": ["dog"]}, "2": {"type": "discriminative-hallucination", "truth": "no"}}
    >>> judge = Judge.build(truth, {"dog": [], "cat": []}, (), None, None)
    >>> counters = find([("1", "A dog, a cat."), ("2", "No.")], truth, judge).counters()
    >>> counters["chair_score"], counters["chair_num"], counters["ha_qa_correct_score"]
    (1, 2, 1)
    """
    found = Found([], {name: Answers([], []) for name in (*_ATTRIBUTES, _RELATION, "ha")})
    for name, text in rows:
        row = truth.get(name)
        if row is None:
            raise VhbenchError(f"response {name!r} has no annotation ({len(truth)} ids have one)")
        if row.get("type", "generative") == "generative":
            found.captions.append(judge.caption(name, text, row))
        else:
            answers = found.answers[DIMENSIONS.get(row["type"], _RELATION)]
            answers.said.append(judge.answer(text))
            answers.true.append(answer_of(name, row))
    return found
