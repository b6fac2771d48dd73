"""The aggregations that the YAML files name: the payloads of all rows in, one number in percent out.

lmms-eval hands over the payloads of :func:`vhbench.tasks.docs.process_results` in the order in which its processes
finish; each function orders them by id and counts each id once. A score that is undefined is None, not 0.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from vhbench.results import to_records
from vhbench.schema import Record
from vhbench.tasks import datasets, report
from vhbench.tasks.metrics import multiple_choice, ode_captions, symmetric_accuracy, yes_no

Items = Sequence[Mapping[str, Any]]
Score = Callable[[list[dict[str, Any]]], dict[str, Any]]


def accuracy(items: Items, args: Any = None) -> float | None:
    """Share of right answers; also writes the task's report, as it alone sees whole records."""
    found = records(items)
    grid = report.grid(found) | {"repetitions": repetitions(items)}
    if found[0].benchmark == "vhexpansion":
        grid["pairs"] = symmetric_accuracy.score(_as_answers(found))
    report.write(grid, report.name(found), args)
    return float(grid["overall"]["accuracy"])


def original_accuracy(items: Items) -> float | None:
    """Share of right answers to the questions as first asked, not negated: it moves with their share of yes."""
    asked = [record for record in records(items) if not record.negated]
    return _percent(sum(record.prediction == record.answer for record in asked), len(asked))


def unparsed(items: Items) -> float | None:
    """Share of answers that no parser could read; they count as wrong."""
    found = records(items)
    return _percent(sum(not record.prediction for record in found), len(found))


def yes_rate(items: Items) -> float | None:
    """Share of yes among the predictions, whatever the gold answers."""
    found = records(items)
    return _percent(sum(record.prediction == "yes" for record in found), len(found))


def precision(items: Items) -> float | None:
    """Precision of "no"."""
    return _yes_no(items, "precision")


def recall(items: Items) -> float | None:
    """Recall of "no"."""
    return _yes_no(items, "recall")


def f1(items: Items) -> float | None:
    """F1 of "no"."""
    return _yes_no(items, "f1")


def chair_i(items: Items, args: Any = None) -> float | None:
    """Share of mentions that are hallucinated; also writes the task's report."""
    found = records(items)
    grid = report.captions(found, datasets.vocabulary("ode"))
    report.write(grid, report.name(found), args)
    value = grid["overall"]["chair_i"]
    return None if value is None else float(value)


def chair_s(items: Items) -> float | None:
    """Share of captions with a hallucination (AMBER's Hal)."""
    return _times_100(_captions(records(items))["chair_s"])


def cover(items: Items) -> float | None:
    """Share of what is there that is mentioned."""
    return _times_100(_captions(records(items))["cover"])


def cog(items: Items) -> float | None:
    """Share of the mentioned concepts that are the likely hallucinations."""
    return _times_100(_captions(records(items))["cog"])


def mioh_aggregate(items: Items) -> float | None:
    """MIOH's overall score: the unweighted mean over the pressures, then over the tasks."""
    return _times_100(_scored(multiple_choice.score, tuple(records(items)))["aggregate"])


def mioh_chance(items: Items) -> float | None:
    """What guessing among the options gives."""
    return _times_100(_scored(multiple_choice.score, tuple(records(items)))["chance"])


def symmetric(items: Items) -> float | None:
    """Share of pairs, a question and its negated twin, with both right."""
    return _times_100(_scored(symmetric_accuracy.score, tuple(records(items)))["symmetric_accuracy"])


def symmetric_chance(items: Items) -> float | None:
    """p(1 - p): what a guesser with the same rate of yes gets (VHExpansion, Theorem 2)."""
    return _times_100(_scored(symmetric_accuracy.score, tuple(records(items)))["chance"])


def new_cases(items: Items) -> float | None:
    """How many new test cases (negated or perturbed) the model answers wrongly: a count, the mean of repetitions."""
    result = _scored(symmetric_accuracy.score, tuple(records(items)))["new_successful"]
    return float(result) / repetitions(items)


def records(items: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Bring payloads to records, ordered by id, each id once (padding of several processes repeats some).

    Repetitions stand beside one another: what all of them score together is the mean of what each scores.
    """
    found = {record.id: record for item in items for record in to_records(item)}
    return [found[key] for key in sorted(found)]


def repetitions(items: Iterable[Mapping[str, Any]]) -> int:
    """Return how often each question was asked (``lmms-eval --repeats``)."""
    return 1 + max((len(item.get("repeats", ())) for item in items), default=0)


def _as_answers(found: Sequence[Record]) -> list[dict[str, Any]]:
    """Give metrics that parse for themselves the parsed answer: the brief payloads hold no response."""
    groups = ("task", "mode", "pressure", "question_type", "perturbation", "pair_id", "negated")
    names = ("id", "kind", "answer", "choices", "scene_ids", *groups)
    return [{n: getattr(r, n) for n in names} | {"response": r.prediction, "prediction": r.prediction} for r in found]


@lru_cache(maxsize=2)
def _scored(score: Score, found: tuple[Record, ...]) -> dict[str, Any]:
    """Score records once: lmms-eval asks for each number of one score in a call of its own, with the same records."""
    return score(_as_answers(found))


def _yes_no(items: Items, rate: str) -> float | None:
    return _times_100(_scored(_positive_no, tuple(records(items)))[rate])


def _positive_no(answers: list[dict[str, Any]]) -> dict[str, Any]:
    return yes_no.score_records(answers, positive=report.POSITIVE)


def _captions(found: Sequence[Record]) -> dict[str, Any]:
    return ode_captions.score(found, vocabulary=datasets.vocabulary("ode"))


def _percent(count: int, total: int) -> float | None:
    return 100 * count / total if total else None


def _times_100(value: float | None) -> float | None:
    return None if value is None else 100 * value
