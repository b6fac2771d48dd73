"""Yes/no questions: accuracy, precision, recall, F1, the share of yes, and what could not be parsed.

How to call it::

    result = score(["Yes, it is.", "There is no dog."], ["yes", "yes"], positive="yes")
    result["accuracy"], result["f1"], result["yes_ratio"], result["unparsed"], result["predictions"]
    score_records(records, positive="no", by=("criterion",))    # Records or mappings with answer and response
    parse("I do not see one")                                   # "yes", "no", or "" where it cannot be told

The positive class is "no" for ODE and AMBER (finding a hallucination) and "yes" for POPE (finding an object). An answer
that cannot be parsed is wrong, and its share is reported. A rate without a denominator is None.

``parser`` names how answers are read, see :mod:`vhbench.answers`: ``default``, ``pope``, ``ode``,
``amber``, ``vhtest``, ``lmms_eval``. ``compat=True`` also takes over the arithmetic of the parser's benchmark: POPE's
ZeroDivisionError; AMBER's and ODE's rounded percentages with denominators that start at 0.001; lmms-eval's zeros, and
its share of yes among the *labels*.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from vhbench.answers import Parser, yes_no_parser
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals
from vhbench.tasks.metrics.records import ReferenceZeroDivision, as_records, binary_answer, image_set

Answers = Sequence[str] | Mapping[Any, str]


@dataclass(frozen=True, slots=True)
class Confusion:
    """How answers fell, seen from the positive class.

    Attributes:
        true_positive: said positive, rightly.
        false_positive: said positive, wrongly.
        true_negative: said negative, rightly.
        false_negative: said negative, wrongly.
        unparsed_positive: unparsed where positive was right.
        unparsed_negative: unparsed where negative was right.
    """

    true_positive: int = 0
    false_positive: int = 0
    true_negative: int = 0
    false_negative: int = 0
    unparsed_positive: int = 0
    unparsed_negative: int = 0

    def __add__(self, other: "Confusion") -> "Confusion":
        return Confusion(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def right(self) -> int:
        """Answers that are right."""
        return self.true_positive + self.true_negative

    @property
    def said_positive(self) -> int:
        """Answers that say the positive class."""
        return self.true_positive + self.false_positive

    @property
    def positives(self) -> int:
        """Questions whose answer is the positive class."""
        return self.true_positive + self.false_negative + self.unparsed_positive

    @property
    def total(self) -> int:
        """All questions."""
        return self.positives + self.true_negative + self.false_positive + self.unparsed_negative


def count(predictions: Sequence[str], labels: Sequence[str], positive: str) -> Confusion:
    """Count parsed answers ("yes", "no", "") against labels ("yes", "no")."""
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0, (None, True): 0, (None, False): 0}
    for prediction, label in zip(predictions, labels, strict=True):
        cells[prediction == positive if prediction else None, label == positive] += 1
    return Confusion(
        true_positive=cells[True, True],
        false_positive=cells[True, False],
        true_negative=cells[False, False],
        false_negative=cells[False, True],
        unparsed_positive=cells[None, True],
        unparsed_negative=cells[None, False],
    )


def parse(text: str, parser: str | Parser = "default") -> str:
    """Return "yes", "no", or "" where it cannot be told.

    >>> parse("I know"), parse("I know", "ode")
    ('', 'no')
    """
    return yes_no_parser(parser)(text)


def score(
    answers: Answers,
    labels: Answers,
    *,
    positive: str,
    parser: str | Parser | None = None,
    compat: bool = False,
    clusters: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Score answers to yes/no questions.

    Args:
        answers: the model's words, in the order of the labels; or a mapping id → words.
        labels: "yes" or "no"; or a mapping with the same ids.
        positive: the class that precision and recall are about, "yes" or "no".
        parser: a name from ``answers.YES_NO``, or a function text → "yes", "no", "". None takes ``default``; under
            ``compat`` POPE's for positive "yes" and AMBER's for positive "no".
        compat: compute as the parser's benchmark does.
        clusters: the image of each question, for the intervals.
        seed: of the bootstrap intervals.

    Returns:
        ``accuracy``, ``precision``, ``recall``, ``f1``, ``yes_ratio`` (of the predictions), ``unparsed`` (a share),
        each in [0, 1] or None (percent under ``compat`` with AMBER's or ODE's parser); ``counters`` TP, FP, TN, FN,
        unparsed; ``predictions``; ``intervals``; ``warnings``.

    Raises:
        VhbenchError: for a label that is neither yes nor no, or lists of different length.

    >>> result = score(["Yes", "No.", "no", "I know"], ["yes", "no", "yes", "no"], positive="yes")
    >>> result["accuracy"], result["precision"], result["recall"], result["yes_ratio"], result["unparsed"]
    (0.5, 1.0, 0.5, 0.25, 0.25)
    """
    if positive not in ("yes", "no"):
        raise VhbenchError(f"the positive class is {positive!r}; must be 'yes' or 'no'")
    texts, truth = _aligned(answers, labels)
    if parser is None:
        parser = "default" if not compat else "pope" if positive == "yes" else "amber"
    read = yes_no_parser(parser)
    gold = [_label(label, place) for place, label in enumerate(truth)]
    predictions = [read(_text(text, place)) for place, text in enumerate(texts)]
    return _scored(predictions, gold, positive, parser, compat, clusters, seed)


def score_records(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    positive: str,
    parser: str | Parser | None = None,
    compat: bool = False,
    by: Sequence[str] = (),
    seed: int = 0,
) -> dict[str, Any]:
    """Score answered yes/no questions; a record's ``prediction``, if it has one, is taken as it is.

    Args:
        records: records or mappings with ``id``, ``answer`` and ``response`` or ``prediction``.
        positive: see :func:`score`, and so are ``parser``, ``compat`` and ``seed``.
        parser: see :func:`score`.
        compat: see :func:`score`.
        by: fields to split the scores by: ``result["by"]["criterion"]["fictional"]["accuracy"]``.
        seed: see :func:`score`.

    >>> rows = [{"id": "a", "answer": "no", "response": "No"}, {"id": "b", "answer": "yes", "response": "No"}]
    >>> score_records(rows, positive="no")["accuracy"]
    0.5
    """
    rows = as_records(records)
    unknown = sorted(set(by) - {field.name for field in fields(Record)})
    if unknown:
        raise VhbenchError(f"a record has no field {unknown[0]!r} to split the scores by")

    def scored(part: Sequence[Record]) -> dict[str, Any]:
        return score(
            [row.prediction or row.response for row in part],
            [binary_answer(row) for row in part],
            positive=positive,
            parser=parser,
            compat=compat,
            clusters=[image_set(row) for row in part],
            seed=seed,
        )

    result = scored(rows)
    result["by"] = {}
    for name in by:
        values = sorted({str(getattr(row, name)) for row in rows})
        result["by"][name] = {value: scored([r for r in rows if str(getattr(r, name)) == value]) for value in values}
    return result


def reference_rates(counts: Confusion, epsilon: float, *, start: float = 0.001) -> dict[str, float]:
    """Compute percentages as AMBER and ODE do: denominators start at 0.001, rounded before F1 is made of them."""
    accuracy = round(counts.right / (counts.total + start) * 100, 1)
    precision = round(counts.true_positive / (counts.said_positive + start) * 100, 1)
    recall = round(counts.true_positive / (counts.positives + start) * 100, 1)
    f1 = 2 * (precision / 100) * (recall / 100) / (precision / 100 + recall / 100 + epsilon) * 100
    return {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": round(f1, 1)}


def rates(counts: Confusion) -> dict[str, float | None]:
    """Compute accuracy, precision, recall and F1 as fractions; None where a denominator is zero.

    F1 is 2TP / (2TP + FP + FN): 0, and not undefined, for who never says the positive class although it occurs; None
    where it does not occur, for then nothing can be recalled.

    >>> rates(Confusion(true_positive=1, false_negative=3))
    {'accuracy': 0.25, 'precision': 1.0, 'recall': 0.25, 'f1': 0.4}
    >>> rates(Confusion(false_negative=3)), rates(Confusion(true_negative=3))["f1"]
    ({'accuracy': 0.0, 'precision': None, 'recall': 0.0, 'f1': 0.0}, None)
    """
    return {
        "accuracy": _share(counts.right, counts.total),
        "precision": _share(counts.true_positive, counts.said_positive),
        "recall": _share(counts.true_positive, counts.positives),
        # 2PR/(P+R) without the division that is undefined where there is no true positive.
        "f1": _share(2 * counts.true_positive, counts.said_positive + counts.positives) if counts.positives else None,
    }


def _scored(
    predictions: Sequence[str],
    gold: Sequence[str],
    positive: str,
    parser: str | Parser,
    compat: bool,
    clusters: Sequence[Hashable] | None,
    seed: int,
) -> dict[str, Any]:
    counts = count(predictions, gold, positive)
    unparsed = counts.unparsed_positive + counts.unparsed_negative
    return {
        **(_compat_rates(counts, predictions, gold, parser) if compat else rates(counts)),
        "yes_ratio": _yes_ratio(predictions, gold, of_labels=compat and parser == "lmms_eval"),
        "unparsed": _share(unparsed, counts.total),
        "n": counts.total,
        "counters": {
            "TP": counts.true_positive,
            "FP": counts.false_positive,
            "TN": counts.true_negative,
            "FN": counts.false_negative,
            "unparsed_positive": counts.unparsed_positive,
            "unparsed_negative": counts.unparsed_negative,
        },
        "positive": positive,
        "parser": parser if isinstance(parser, str) else getattr(parser, "__name__", "own"),
        "predictions": list(predictions),
        "intervals": rate_intervals(predictions, gold, positive, clusters, seed),
        "warnings": _warnings(counts, positive),
    }


def _compat_rates(
    counts: Confusion, predictions: Sequence[str], gold: Sequence[str], parser: str | Parser
) -> dict[str, Any]:
    if parser in ("amber", "ode"):
        return reference_rates(counts, 0.001 if parser == "ode" else 0.0001)
    if parser == "lmms_eval":
        return _lmms_eval_rates(counts)
    try:
        precision = counts.true_positive / counts.said_positive
        recall = counts.true_positive / counts.positives
        f1 = 2 * precision * recall / (precision + recall)
        return {"accuracy": counts.right / counts.total, "precision": precision, "recall": recall, "f1": f1}
    except ZeroDivisionError:
        raise ReferenceZeroDivision(
            f"precision, recall or F1 is undefined ({counts}): the reference implementation divides by zero"
        ) from None


def _lmms_eval_rates(counts: Confusion) -> dict[str, float]:
    """Zero where undefined; an unparsed answer to a positive question does not lower recall."""
    precision = _share(counts.true_positive, counts.said_positive) or 0
    recall = _share(counts.true_positive, counts.true_positive + counts.false_negative) or 0
    f1 = 2 * (precision * recall) / (precision + recall) if precision + recall > 0 else 0
    return {"accuracy": _share(counts.right, counts.total) or 0, "precision": precision, "recall": recall, "f1": f1}


def _yes_ratio(predictions: Sequence[str], gold: Sequence[str], *, of_labels: bool) -> float | None:
    said = gold if of_labels else predictions
    return _share(sum(answer == "yes" for answer in said), len(said))


def rate_intervals(
    predictions: Sequence[str], gold: Sequence[str], positive: str, clusters: Sequence[Hashable] | None, seed: int
) -> dict[str, intervals.Interval | None]:
    """Return the intervals of all rates of parsed answers against labels; ``clusters`` as in :func:`score`."""
    said = np.array([prediction == positive for prediction in predictions], dtype=bool)
    true = np.array([label == positive for label in gold], dtype=bool)
    right = np.array([p == label for p, label in zip(predictions, gold, strict=True)], dtype=bool)
    hit = said & true

    def ratio(top: Any, bottom: Any) -> intervals.Interval | None:
        return intervals.ratio(top, bottom, clusters=clusters, seed=seed)

    every = np.ones(len(right))
    return {
        "accuracy": ratio(right, every),
        "precision": ratio(hit, said),
        "recall": ratio(hit, true),
        "f1": ratio(2 * hit.astype(float), said.astype(float) + true),
        "yes_ratio": ratio(np.array([p == "yes" for p in predictions], dtype=bool), every),
        "unparsed": ratio(np.array([not p for p in predictions], dtype=bool), every),
    }


def _warnings(counts: Confusion, positive: str) -> list[str]:
    if counts.total and counts.positives in (0, counts.total):
        always = positive if counts.positives else {"yes": "no", "no": "yes"}[positive]
        return [f"every label is {always!r}: precision is 0 or 1 by construction (degenerate), not a measurement"]
    return []


def _aligned(answers: Answers, labels: Answers) -> tuple[list[Any], list[Any]]:
    if isinstance(answers, Mapping) and isinstance(labels, Mapping):
        if answers.keys() != labels.keys():
            odd = sorted(map(str, answers.keys() ^ labels.keys()))
            raise VhbenchError(f"answers and labels have different ids: {odd[0]!r} ({len(odd)} in all) is in one only")
        return list(answers.values()), [labels[key] for key in answers]
    if any(isinstance(side, (str, Mapping, Set)) or not isinstance(side, Collection) for side in (answers, labels)):
        raise VhbenchError("answers and labels are two sequences, or two mappings with the same ids")
    if len(answers) != len(labels):
        raise VhbenchError(f"{len(answers)} answers for {len(labels)} labels: one each is needed")
    return list(answers), list(labels)


def _label(label: Any, place: int) -> str:
    text = label.strip().lower() if isinstance(label, str) else label
    if text not in ("yes", "no"):
        raise VhbenchError(f"label {place} is {label!r}; must be 'yes' or 'no'")
    return str(text)


def _text(text: Any, place: int) -> str:
    if not isinstance(text, str):
        raise VhbenchError(f"answer {place} is {text!r}, not text")
    return text


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
