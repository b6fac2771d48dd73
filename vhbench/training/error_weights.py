"""Sampling weights of training questions: the odds that a model fails them, estimated from the errors of a run."""

import math
from collections import Counter
from collections.abc import Callable, Iterator

from vhbench.columns import CELLS
from vhbench.schema import QuestionBase, VhbenchError
from vhbench.training.leakage import concept_finder
from vhbench.training.sample_selection import Errors

FLOOR, _MOST = 0.02, 0.95  # smallest and largest error rate: nothing is forgotten, and nothing outweighs all else
_STRENGTH = 3  # answers at the expected error rate that are added to each subset, so that a few errors say little

_Feature = tuple[object, ...]


def error_weights(errors: Errors) -> Callable[[QuestionBase], float]:
    """Return a weight function for questions: the odds of an incorrect answer that a run with errors predicts.

    Each column that defines subsets (:data:`vhbench.columns.CELLS`: criterion, type, pressure, perturbation, form of
    negation, …) and the reference answer multiply the mean error rate by the relative rate of the question's subset, as
    naive Bayes does; so does the worst pair of a shown concept and one that the question names. The error rate of the
    question's cell, all columns together, is shrunk towards that.
    """
    if not errors.wrong:
        raise VhbenchError("--weakness: expected a run with errors; got none among its parsed responses")
    records = errors.answers.values()
    concepts = concept_finder(sorted({word for record in records for word in (*record.objects, *record.candidates)}))
    total, wrong = Counter[_Feature](), Counter[_Feature]()
    for name, record in errors.answers.items():
        features = [tuple(_cells(record)), *_cells(record), *_pairs(record, concepts)]
        total.update(features)
        if name in errors.wrong:
            wrong.update(features)
    mean = len(errors.wrong) / len(records)

    def rate(feature: _Feature, expected: float) -> float:
        return (wrong[feature] + _STRENGTH * expected) / (total[feature] + _STRENGTH)

    def weigh(question: QuestionBase) -> float:
        cells = tuple(_cells(question))
        expected = mean * math.prod(rate(feature, mean) / mean for feature in cells)
        worst = max([1.0, *(rate(pair, mean) / mean for pair in _pairs(question, concepts))])
        predicted = min(_MOST, max(FLOOR, rate(cells, expected) * worst))
        return predicted / (1 - predicted)

    return weigh


def _cells(question: QuestionBase) -> Iterator[_Feature]:
    """Yield the subsets of a question; the answer's is within its kind of question."""
    for name in CELLS:
        if (value := getattr(question, name)) != "":
            yield name, str(value)
    if question.kind == "yes_no":
        yield "answer", question.answer, question.task


def _pairs(question: QuestionBase, concepts: Callable[[str], list[str]]) -> Iterator[_Feature]:
    """Yield the pairs of a shown concept and another one that a question names, or that a caption may hallucinate."""
    named = question.candidates if question.kind == "caption" else concepts(question.question)
    for shown in dict.fromkeys(question.objects):
        for word in dict.fromkeys(named):
            if word != shown:
                yield "pair", shown, word
