"""Yes/no questions: accuracy, precision, recall, F1, yes rate, shares without a prediction.

The positive class is "no" for ODE and AMBER (detecting absence) and "yes" for POPE (detecting presence). Unparsed
responses, failed requests and refusals count as incorrect; their shares are reported. A rate without a denominator is
None. With more than 1 % failed requests, all rates but these shares are None, see
:mod:`vhbench.tasks.metrics.withholding`.

``parser`` is the parser of responses, see :mod:`vhbench.language.parsing`: ``default``, ``pope``, ``ode``,
``amber``, ``vhtest``, ``lmms_eval``. ``compat=True`` also reproduces the arithmetic of the parser's benchmark: POPE's
ZeroDivisionError; AMBER's and ODE's rounded percentages with denominators that start at 0.001; lmms-eval's zeros, and
its yes rate of the *labels*. None of them detects failed requests, so neither does ``compat``.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from vhbench.language.parsing import Parser, cut_off, failure, yes_no_reader
from vhbench.records import binary_answer, is_cut_off, yes_or_no
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import confusion, yes_no_reference
from vhbench.tasks.metrics.measuring import Measured, measure, report_scores

Answers = Sequence[str] | Mapping[Any, str]


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
    """Score responses to yes/no questions.

    Args:
        answers: responses in the order of the labels, or a mapping id → response.
        labels: "yes" or "no"; or a mapping with the same ids.
        positive: positive class of precision and recall, "yes" or "no".
        questions: question texts in the order of the labels, for parsing sentences. Used by the parser ``default``
            only.
        parser: a name from ``answers.YES_NO``, or a function text → "yes", "no", "". None takes ``default``; under
            ``compat`` POPE's for positive "yes" and AMBER's for positive "no".
        compat: compute like the parser's benchmark.
        allow_failed: report the rates even if more than 1 % of the requests failed.
        clusters: image of each question, for the intervals.

    Returns:
        ``accuracy``, ``precision``, ``recall``, ``f1``, ``yes_rate`` (of the predictions), ``unparsed``, ``failed``,
        ``refused``, ``cut_off`` (shares), each in [0, 1] or None (percent under ``compat`` with AMBER's or ODE's
        parser); ``withheld``: reason why rates are None, or None; ``counters`` TP, FP, TN, FN, unparsed, lost;
        ``predictions``; ``intervals``, ``interval_notes``; ``warnings``.

    Raises:
        VhbenchError: for a label that is neither yes nor no, or lists of different length.

    >>> result = score(["Yes", "No.", "no", "I know"], ["yes", "no", "yes", "no"], positive="yes")
    >>> result["accuracy"], result["precision"], result["recall"], result["yes_rate"], result["unparsed"]
    (0.5, 1.0, 0.5, 0.25, 0.25)
    """
    texts, truth = _aligned(answers, labels)
    question_texts = [""] * len(texts) if questions is None else list(questions)
    if len(question_texts) != len(texts):
        raise VhbenchError(f"expected one question per response, got {len(question_texts)} and {len(texts)}")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise VhbenchError(f"answer {place}: expected text, got {text!r}")
    images = [()] * len(texts) if clusters is None else [(repr(name),) for name in clusters]
    records = [
        Record(
            str(place),
            question=question,
            answer=yes_or_no(label, f"label {place}"),
            response=text,
            failure=failure(text),
            cut_off=cut_off(text),
            scene_ids=image,
        )
        for place, (text, label, question, image) in enumerate(zip(texts, truth, question_texts, images, strict=True))
    ]
    reader = _ResponseReader(positive, parser, compat)
    return reader.result(reader.measured(records, allow_failed=allow_failed))


def score_records(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    positive: str,
    parser: str | Parser | None = None,
    compat: bool = False,
    allow_failed: bool = False,
    by: Sequence[str] = (),
) -> dict[str, Any]:
    """Score records of yes/no questions; an existing ``prediction`` is kept.

    ``by`` are fields to split the scores by: ``result["by"]["criterion"]["fictional"]["accuracy"]``; otherwise see
    :func:`score`.

    >>> rows = [{"id": "a", "answer": "no", "response": "No"}, {"id": "b", "answer": "yes", "response": "No"}]
    >>> score_records(rows, positive="no")["accuracy"]
    0.5
    """
    reader = _ResponseReader(positive, parser, compat)
    whole = reader.measured(records, columns=by, allow_failed=allow_failed)
    by_field = {
        name: {str(value): reader.result(part) for (value,), part in whole.cells((name,)).items()} for name in by
    }
    return reader.result(whole) | {"by": by_field}


class _ResponseReader:
    """Options of parsing and scoring."""

    def __init__(self, positive: str, parser: str | Parser | None, compat: bool) -> None:
        if positive not in ("yes", "no"):
            raise VhbenchError(f"expected the positive class 'yes' or 'no', got {positive!r}")
        if parser is None:
            parser = "default" if not compat else "pope" if positive == "yes" else "amber"
        self.positive, self.parser, self.compat = positive, parser, compat
        self.parse = yes_no_reader(parser)

    def measured(
        self, records: Iterable[Record | Mapping[str, Any]], *, columns: Sequence[str] = (), allow_failed: bool
    ) -> Measured:
        """Compute the metrics; references withhold nothing."""
        allowed = allow_failed or self.compat
        return measure(records, "yes_no", columns=columns, positive=self.positive, read=self.read, allow_failed=allowed)

    def read(self, record: Record) -> Record:
        """Return a record with the parser's prediction; references do not detect failed requests."""
        answer = binary_answer(record)
        if self.parser == "default" and record.prediction in ("yes", "no") and answer == record.answer:
            return record
        lost = "" if self.compat else record.failure
        outcome = lost or self.parse(record.prediction or record.response, record.question)
        prediction, cut = "" if lost else outcome, is_cut_off(record)
        text = "" if prediction or self.compat else record.response  # references know no abstention
        return replace(record, answer=answer, prediction=prediction, failure=lost, cut_off=cut, response=text)

    def result(self, measured: Measured) -> dict[str, Any]:
        """Return the result of :func:`score`."""
        counts = confusion.count(measured.tally(lambda kind: (kind.outcome, kind.record.answer)), self.positive)
        scores = report_scores(measured)
        if self.compat:
            rates = yes_no_reference.rates(counts, self.parser, self.positive)
            scale = yes_no_reference.scale_of(self.parser)
            scores = {name: _scaled(value, 1 if name == "tokens" else scale) for name, value in scores.items()}
            ends = {"yes_rate": None} if "yes_rate" in rates else {}  # lmms-eval's is of the labels
            scores |= rates | {"intervals": scores["intervals"] | ends}
        return {
            **scores,
            "n": measured.n,
            "counters": counts._asdict(),
            "parser": self.parser if isinstance(self.parser, str) else getattr(self.parser, "__name__", "own"),
            "predictions": measured.predictions,
            **notes(measured),
            "withheld": measured.withheld,
        }


def notes(measured: Measured) -> dict[str, Any]:
    """Return the positive class, with a warning if all reference answers are the same."""
    labels = {kind.record.answer for kind, _ in measured.kinds}
    warning = f"every label is {min(labels, default='')!r}: precision is 0 or 1 by construction (degenerate)"
    alike = [f"{warning}, not a measurement"] if len(labels) == 1 else []
    return {"positive": measured.positive, "warnings": [*alike, *measured.warnings]}


def _scaled(value: Any, scale: int) -> Any:
    """Return a score, an interval or a mapping of them in another unit."""
    if isinstance(value, dict):
        return {name: _scaled(own, 1 if name == "tokens" else scale) for name, own in value.items()}
    if isinstance(value, tuple):
        return tuple(_scaled(end, scale) for end in value)
    return scale * value if isinstance(value, int | float) else value


def _aligned(answers: Answers, labels: Answers) -> tuple[list[Any], list[Any]]:
    if isinstance(answers, Mapping) and isinstance(labels, Mapping):
        if answers.keys() != labels.keys():
            odd = sorted(map(str, answers.keys() ^ labels.keys()))
            raise VhbenchError(
                f"expected the same ids in answers and labels; {odd[0]!r} ({len(odd)} in all) is in one only"
            )
        return list(answers.values()), [labels[key] for key in answers]
    if any(isinstance(side, (str, Mapping, Set)) or not isinstance(side, Collection) for side in (answers, labels)):
        raise VhbenchError("expected answers and labels as two sequences, or two mappings with the same ids")
    if len(answers) != len(labels):
        raise VhbenchError(f"expected one label per response, got {len(labels)} and {len(answers)}")
    return list(answers), list(labels)
