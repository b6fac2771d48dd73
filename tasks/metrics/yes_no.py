"""Yes/no questions: accuracy, precision, recall, F1, the share of yes, and what could not be parsed.

The positive class is "no" for ODE and AMBER (finding a hallucination) and "yes" for POPE (finding an object). An answer
that cannot be parsed is wrong, and so is what is no answer, a failed request or a refusal; their shares are reported. A
rate without a denominator is None. Where more than 1 % of the requests failed, all rates but these shares are None, see
:mod:`vhbench.tasks.metrics.withholding`.

``parser`` names how answers are read, see :mod:`vhbench.language.parsing`: ``default``, ``pope``, ``ode``,
``amber``, ``vhtest``, ``lmms_eval``. ``compat=True`` also takes over the arithmetic of the parser's benchmark: POPE's
ZeroDivisionError; AMBER's and ODE's rounded percentages with denominators that start at 0.001; lmms-eval's zeros, and
its share of yes among the *labels*. None of them knows a failed request from an answer, and then neither do we.
"""

from array import array
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import fields
from sys import intern
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from vhbench.language.parsing import Parser, cut_off, failure, yes_no_reader
from vhbench.records import Numbered, binary_answer, each_record, is_cut_off, yes_or_no
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals
from vhbench.statistics.clusters import Shared
from vhbench.tasks.metrics import confusion, rates, withholding, yes_no_reference

Answers = Sequence[str] | Mapping[Any, str]

RATES: Final = {
    "accuracy": ("right", "all"),
    "precision": ("hit", "said"),
    "recall": ("hit", "true"),
    "f1": ("hit twice", "said and true"),  # 2PR/(P+R) without the division that is undefined where nothing was hit
    "yes_ratio": ("yes", "all"),
    "unparsed": ("unparsed", "all"),
    "failed": ("failed", "all"),
    "refused": ("refused", "all"),
}
"""Rate → what is counted above and below the line, see :func:`measured`."""

TOLD: Final = (*RATES, "cut_off")
"""What is told of answers: the rates, and the share of those that visibly stop midway."""


def score(
    answers: Answers,
    labels: Answers,
    *,
    positive: str,
    questions: Sequence[str] | None = None,
    parser: str | Parser | None = None,
    compat: bool = False,
    allow_failed: bool = False,
    clusters: Sequence[Hashable] | None = None,
) -> dict[str, Any]:
    """Score answers to yes/no questions.

    Args:
        answers: the model's words, in the order of the labels; or a mapping id → words.
        labels: "yes" or "no"; or a mapping with the same ids.
        positive: the class that precision and recall are about, "yes" or "no".
        questions: what was asked, in the order of the labels: a sentence may affirm or deny it. Only the parser
            ``default`` looks at it.
        parser: a name from ``answers.YES_NO``, or a function text → "yes", "no", "". None takes ``default``; under
            ``compat`` POPE's for positive "yes" and AMBER's for positive "no".
        compat: compute as the parser's benchmark does.
        allow_failed: tell the rates even where more than 1 % of the requests failed.
        clusters: the image of each question, for the intervals.

    Returns:
        ``accuracy``, ``precision``, ``recall``, ``f1``, ``yes_ratio`` (of the predictions), ``unparsed``, ``failed``,
        ``refused``, ``cut_off`` (shares), each in [0, 1] or None (percent under ``compat`` with AMBER's or ODE's
        parser); ``withheld``: why rates are None, or None; ``counters`` TP, FP, TN, FN, unparsed, lost;
        ``predictions``; ``intervals``, ``interval_notes``; ``warnings``.

    Raises:
        VhbenchError: for a label that is neither yes nor no, or lists of different length.

    >>> result = score(["Yes", "No.", "no", "I know"], ["yes", "no", "yes", "no"], positive="yes")
    >>> result["accuracy"], result["precision"], result["recall"], result["yes_ratio"], result["unparsed"]
    (0.5, 1.0, 0.5, 0.25, 0.25)
    """
    texts, truth = _aligned(answers, labels)
    asked = [""] * len(texts) if questions is None else list(questions)
    if len(asked) != len(texts):
        raise VhbenchError(f"{len(asked)} questions for {len(texts)} answers: one each is needed")
    how = _How(positive, parser, compat)
    texts = [_text(text, place) for place, text in enumerate(texts)]
    said = [how.said(text, question) for text, question in zip(texts, asked, strict=True)]
    gold = [yes_or_no(label, f"label {place}") for place, label in enumerate(truth)]
    return how.result(said, gold, [cut_off(text) for text in texts], clusters, how.reason(said, allow_failed))


def score_records(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    positive: str,
    parser: str | Parser | None = None,
    compat: bool = False,
    allow_failed: bool = False,
    by: Sequence[str] = (),
) -> dict[str, Any]:
    """Score answered yes/no questions; a record's ``prediction``, if it has one, is taken as it is.

    ``by`` names fields to split the scores by: ``result["by"]["criterion"]["fictional"]["accuracy"]``; for all else
    see :func:`score`.

    >>> rows = [{"id": "a", "answer": "no", "response": "No"}, {"id": "b", "answer": "yes", "response": "No"}]
    >>> score_records(rows, positive="no")["accuracy"]
    0.5
    """
    unknown = sorted(set(by) - {field.name for field in fields(Record)})
    if unknown:
        raise VhbenchError(f"a record has no field {unknown[0]!r} to split the scores by")
    how = _How(positive, parser, compat)
    said, gold, ends, shared = list[str](), list[str](), array("b"), Shared()
    parts = {name: Numbered() for name in by}
    for row in each_record(records):
        said.append(intern(str(how.said_in(row))))
        gold.append(intern(binary_answer(row)))
        ends.append(is_cut_off(row))
        shared.add(row)
        for name, part in parts.items():
            part.add(str(getattr(row, name)))
    whole = how.reason(said, allow_failed)
    cut = np.array(ends, dtype=bool)
    result = how.result(said, gold, cut, shared.among(), whole)
    result["by"] = {name: {} for name in by}
    for name, part in parts.items():
        numbers = part.numbers()
        for value in sorted(part.words):
            chosen = np.flatnonzero(numbers == part.words[value])
            own = [said[place] for place in chosen]
            why = whole or how.reason(own, allow_failed)
            right, clusters = [gold[place] for place in chosen], shared.among(chosen)
            result["by"][name][value] = how.result(own, right, cut[chosen], clusters, why)
    return result


class _How:
    """How answers are read and counted; the same for the whole and for each part of it."""

    def __init__(self, positive: str, parser: str | Parser | None, compat: bool) -> None:
        if positive not in ("yes", "no"):
            raise VhbenchError(f"the positive class is {positive!r}; must be 'yes' or 'no'")
        if parser is None:
            parser = yes_no_reference.parser_of(positive) if compat else "default"
        self.positive, self.parser, self.compat = positive, parser, compat
        self.read = yes_no_reader(parser)

    def said(self, text: str, question: str) -> str:
        """Return what a response says: "yes", "no", "" where that cannot be told, "failed" or "refused"."""
        return ("" if self.compat else failure(text)) or self.read(text, question)

    def said_in(self, row: Record) -> str:
        """Return what a record says; its failure is known."""
        if self.parser == "default" and row.prediction in ("yes", "no"):
            return row.prediction
        return ("" if self.compat else row.failure) or self.read(row.prediction or row.response, row.question)

    def reason(self, said: Collection[str], allow_failed: bool) -> str | None:
        """Return why no rate is told."""
        return withholding.reason(list(said).count("failed"), len(said), allow_failed=allow_failed)

    def result(
        self,
        said: Sequence[str],
        gold: Sequence[str],
        cut: rates.Column,
        clusters: intervals.Clusters | None,
        why: str | None,
    ) -> dict[str, Any]:
        """Return what :func:`score` does."""
        cells: dict[tuple[str, str], tuple[str, str]] = {}
        pairs = [cells.setdefault(pair, pair) for pair in zip(said, gold, strict=True)]
        counts = confusion.count(pairs, self.positive)
        found = {
            **measured(pairs, self.positive, clusters=clusters),
            **(yes_no_reference.rates(counts, self.parser, self.positive) if self.compat else {}),
            "n": counts.total,
            "counters": counts._asdict(),
            "positive": self.positive,
            "parser": self.parser if isinstance(self.parser, str) else getattr(self.parser, "__name__", "own"),
            "predictions": [answer if answer in ("yes", "no") else "" for answer in said],
            "warnings": _warnings(counts, self.positive),
        }
        stop = rates.of_sums({"cut": cut, "all": [1] * len(said)}, {"cut_off": ("cut", "all")}, clusters=clusters)
        for name in ("intervals", "interval_notes"):
            stop[name] = found[name] | stop[name]
        return withholding.withhold(found | stop, (name for name in RATES if name not in withholding.COUNTED), why)


def measured(
    pairs: Sequence[tuple[str, str]], positive: str, *, clusters: intervals.Clusters | None = None
) -> dict[str, Any]:
    """Return the rates of parsed answers, each with what is right, None where undefined, and their ``intervals``.

    F1 is 2TP / (2TP + FP + FN): 0, and not undefined, for who never says the positive class although it occurs; None
    where it does not occur, for then nothing can be recalled.

    >>> found = measured([("no", "no"), ("yes", "no"), ("yes", "no"), ("yes", "no")], "no")
    >>> found["accuracy"], found["precision"], found["recall"], found["f1"]
    (0.25, 1.0, 0.25, 0.4)
    >>> found = measured([("yes", "no")], "no")
    >>> found["precision"], found["recall"], found["f1"], measured([("yes", "yes")], "no")["f1"]
    (None, 0.0, 0.0, None)
    """
    cells = {cell: number for number, cell in enumerate(dict.fromkeys(pairs))}
    numbers = np.fromiter((cells[pair] for pair in pairs), np.intp, len(pairs))

    def column(counts: Iterable[int]) -> npt.NDArray[np.int8]:
        """Return what counts for each pair, from what counts for its cell, of which there are few."""
        return np.array(list(counts), dtype=np.int8)[numbers]

    columns = {
        "all": column(1 for _ in cells),
        "right": column(said == right for said, right in cells),
        "hit": column(said == right == positive for said, right in cells),
        "said": column(said == positive for said, _ in cells),
        "true": column(right == positive for _, right in cells),
        "hit twice": column(2 * (said == right == positive) for said, right in cells),
        "said and true": column((said == positive) + (right == positive) for said, right in cells),
        "yes": column(said == "yes" for said, _ in cells),
        **{name: column(said == word for said, _ in cells) for name, word in withholding.WORDS.items()},
    }
    concerned = float(np.count_nonzero(columns["said and true"]))  # TP + FP + FN: an answer that is both counts once
    found = rates.of_sums(columns, RATES, clusters=clusters, most={"f1": concerned})
    if not columns["true"].any():
        found |= {"f1": None, "intervals": found["intervals"] | {"f1": None}}
        found["interval_notes"].pop("f1", None)
    return found


def _warnings(counts: confusion.Confusion, positive: str) -> list[str]:
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


def _text(text: Any, place: int) -> str:
    if not isinstance(text, str):
        raise VhbenchError(f"answer {place} is {text!r}, not text")
    return text
