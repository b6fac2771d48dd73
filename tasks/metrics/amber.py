"""AMBER: hallucination in captions and yes/no responses (Wang et al. 2023, arXiv 2311.07397), also used by ODE.

Captions: the vocabulary nouns of a response are compared with the objects in the image (*truth*) and likely
hallucinations (*hallu*), including associated and similar words.

* CHAIR = hallucinated nouns / nouns                      * Cover = objects mentioned / objects in the image
* Hal   = responses with a hallucinated noun / responses  * Cog   = likely hallucinations mentioned, see below

Cog has two definitions. The code's, ``"Cog"``, divides by the listed hallucinations; the paper's divides by the objects
of the response. The paper also averages CHAIR, Cover and Cog over responses: section ``"Generative Task (paper)"``.

Yes/no questions: accuracy, precision, recall and F1 of the class "no", by dimension.
AMBER score = (100 - CHAIR + F1) / 2.

``compat=True`` reproduces AMBER's inference.py (534babf): denominators start at 0.001, upper-case nouns are ignored,
associations precede names, a safe word covers nothing. The default fixes these: words are lower-cased; names precede
associations; a safe word covers the object that it names (a "sign" in the image); similarity does not excuse a listed
hallucination; an object listed twice counts once; responses are parsed; a rate without a denominator is None. Failed
requests and refusals count as incorrect; as captions they cover nothing and are excluded from Hal and Cog. With more
than 1 % failed requests, every score is None, see :mod:`vhbench.tasks.metrics.withholding`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from vhbench.records import as_records, binary_answer
from vhbench.schema import Record, VhbenchError
from vhbench.statistics import intervals
from vhbench.tasks.metrics import amber_reference, withholding
from vhbench.tasks.metrics.amber_captions import Judge, Judged, Nouns, Similarity
from vhbench.tasks.metrics.amber_counts import (
    DIMENSIONS,
    EVALUATION_TYPES,
    RATES,
    TITLES,
    Judgments,
    columns_of,
    find,
    sections,
)
from vhbench.tasks.metrics.amber_files import read_annotations, read_responses
from vhbench.tasks.metrics.chair_captions import claims_of
from vhbench.tasks.metrics.measuring import measure, report_scores
from vhbench.tasks.metrics.metric import Claims
from vhbench.tasks.metrics.rates import average, of_sums, percent, share, with_notes


def score(
    responses: Any,
    *,
    annotations: Any,
    relation: Any,
    safe_words: Any = (),
    nouns: Nouns | None = None,
    similarity: Similarity | None = None,
    evaluation_type: str = "a",
    compat: bool = False,
    allow_failed: bool = False,
) -> dict[str, Any]:
    """Score responses to AMBER's questions, or to questions annotated as AMBER's are.

    Args:
        responses: rows ``{"id", "response"}``, or a JSON or JSON lines file.
        annotations: rows ``{"id", "type", "truth", "hallu"}``, or a JSON file. For a caption (type "generative", also
            if missing) truth and hallu are lists of words; for a question truth is "yes" or "no".
        relation: word → associated words, or a JSON file.
        safe_words: words that are never hallucinated, or a file with one per line.
        nouns: text → its nouns in the singular. None finds the vocabulary's words by their surface forms.
        similarity: two words → similarity; above 0.8 they are the same. None uses a short list of synonyms. For the
            reference's nouns and similarity see ``vhbench.adapters.language``.
        evaluation_type: printed part: "a", "g", "d", "de", "da" or "dr". All parts are counted.
        compat: reproduce the reference implementation.
        allow_failed: report the scores even if more than 1 % of the requests failed.

    Returns:
        ``printed``: section → name → percent with one decimal, or None; ``counters``: raw counts by the reference's
        names; ``scores``: section → name → fraction; ``intervals`` and ``interval_notes`` with the same keys;
        ``failed``, ``refused``: shares of all responses; ``withheld``: reason why scores are None, or None;
        ``responses``: result per caption; ``tools``; ``warnings``.

    Raises:
        VhbenchError: for an id without annotation, an id that occurs twice, an unknown evaluation type.

    >>> result = score(
    ...     [{"id": 1, "response": "Dogs and a cat on the grass."}, {"id": 2, "response": "No, there is none."}],
    ...     annotations=[
    ...         {"id": 1, "type": "generative", "truth": ["dog", "grass", "sky"], "hallu": ["person", "cat"]},
    ...         {"id": 2, "type": "discriminative-hallucination", "truth": "no"},
    ...     ],
    ...     relation={"dog": [], "grass": ["ground"], "sky": [], "person": ["man"], "cat": []},
    ... )
    >>> result["printed"]["Generative Task"]  # 1 of 3 nouns; 2 of 3 objects; 1 of 1 responses; 1 of 2 listed
    {'CHAIR': 33.3, 'Cover': 66.7, 'Hal': 100.0, 'Cog': 50.0}
    >>> result["printed"]["Exsitence"]["Accuracy"], result["printed"]["Relation"]["Accuracy"]
    (100.0, None)
    """
    if evaluation_type not in EVALUATION_TYPES:
        raise VhbenchError(f"expected an evaluation type of {', '.join(EVALUATION_TYPES)}; got {evaluation_type!r}")
    rows = read_responses(responses, refuse_repeats=not compat)
    truth = read_annotations(annotations)
    judge = (amber_reference.ReferenceJudge if compat else Judge).build(truth, relation, safe_words, nouns, similarity)
    judgments = find(rows, truth, judge)
    result = amber_reference.result(judgments, evaluation_type) if compat else _result(judgments, evaluation_type)
    words = ("id", "nouns", "hallucinated", "covered", "likely")
    responses = [{name: getattr(caption, name) for name in words} for caption in judgments.captions]
    withheld = _withhold(result, judgments, allow_failed or compat)
    return result | withheld | {"responses": responses, "tools": dict(judge.tools)}


def _withhold(result: Mapping[str, Any], judgments: Judgments, allow_failed: bool) -> dict[str, Any]:
    """Return the shares of failed and refused responses; withhold every score if too many failed."""
    outcomes = judgments.outcomes()
    lost = {name: share(outcomes.count(name), len(outcomes)) for name in ("failed", "refused")}
    reason = withholding.reason(outcomes.count("failed"), len(outcomes), allow_failed=allow_failed)
    if not allow_failed:
        reason = next(filter(None, (reason, *(counts.uninformative for counts in judgments.counts.values()))), None)
    if reason is None:
        return lost | {"withheld": None}
    parts = ("scores", "printed", "intervals")
    none = {part: {name: dict.fromkeys(section) for name, section in result[part].items()} for part in parts}
    return lost | none | {"interval_notes": {name: {} for name in result["interval_notes"]}, "withheld": reason}


def counter(relation: Mapping[str, Iterable[str]]) -> Callable[[Record], Claims]:
    """Return the counter of a caption's claims, as in :func:`score` with the built-in tools.

    A record's ``objects`` are the truth, its ``candidates`` the likely hallucinations, its ``neutral`` words the safe
    words; ``relation`` maps a counted word to associated ones. ``Cog`` divides by the listed hallucinations.
    """
    return partial(_claims, judge=Judge.build({}, relation, (), None, None))


def _claims(record: Record, judge: Judge) -> Claims:
    caption = judge.caption(record.id, "" if record.failure else record.response, _annotation(record))
    return claims_of(
        record,
        captions=not record.failure,
        named=bool(caption.nouns),
        mentions=len(caption.nouns),
        hallucinated=len(caption.hallucinated),
        hallucinating=int(bool(caption.hallucinated)),
        objects=len(caption.truth),
        covered=len(caption.covered),
        concepts=0 if record.failure else len(caption.listed),
        candidates=len(caption.likely),
    )


def score_records(records: Iterable[Record | Mapping[str, Any]], *, relation: Any = None, **how: Any) -> dict[str, Any]:
    """Score records of captions and yes/no questions, as in ODE; further arguments are passed to :func:`score`.

    A caption's ``objects`` are the truth, its ``candidates`` the likely hallucinations, its ``neutral`` words are safe
    in this image. A question's ``question_type``
    (or ``task``) is its dimension: existence, state, number, action; otherwise relation.

    >>> row = {"id": 1, "kind": "caption", "objects": ["dog"], "candidates": ["ball"], "response": "a dog, a ball"}
    >>> score_records([row])["printed"]["Generative Task"]
    {'CHAIR': 50.0, 'Cover': 100.0, 'Hal': 100.0, 'Cog': 100.0}
    """
    rows = as_records(records)
    responses = [{"id": row.id, "response": row.response or row.prediction} for row in rows]
    return score(responses, annotations=[_annotation(row) for row in rows], relation=relation or {}, **how)


def _result(judgments: Judgments, evaluation_type: str) -> dict[str, Any]:
    scores: dict[str, dict[str, Any]] = {}
    warnings = []
    if "g" in EVALUATION_TYPES[evaluation_type]:
        scores["Generative Task"] = of_sums(columns_of(judgments.captions), RATES)
        scores["Generative Task (paper)"] = _paper(judgments.captions)
    for section, dimensions in sections(evaluation_type):
        pairs = judgments.of(dimensions)
        rows = (Record(str(row), answer=gold, prediction=outcome) for row, (outcome, gold) in enumerate(pairs))
        rates = report_scores(measure(rows, "yes_no"))
        scores[section] = {title: rates[name] for title, name in TITLES.items()}
        for part in ("intervals", "interval_notes"):
            entries = rates[part]
            scores[section][part] = {title: entries[name] for title, name in TITLES.items() if name in entries}
        if len(right := {answer for _, answer in pairs}) == 1:
            always = f"{section}: every reference answer is {right.pop()!r}"
            warnings.append(f"{always}, so precision is 0 or 100 by construction (degenerate)")
    if evaluation_type == "a":
        chair, f1 = scores["Generative Task"]["CHAIR"], scores["Descriminative Task"]["F1"]
        both = None if chair is None or f1 is None else (1 - chair + f1) / 2
        scores["AMBER"] = {"Score": both, **with_notes({"Score": _score_interval(judgments)})}
    return {
        **{
            part: {name: section.pop(part) for name, section in scores.items()}
            for part in ("intervals", "interval_notes")
        },
        "printed": {name: {title: percent(v) for title, v in section.items()} for name, section in scores.items()},
        "counters": judgments.counters(),
        "scores": scores,
        "warnings": warnings,
    }


def _paper(captions: Sequence[Judged]) -> dict[str, Any]:
    """Average the scores of responses over their distinct objects; a response without objects has no CHAIR or Cog."""
    speaking = [caption for caption in captions if caption.nouns]
    parts = {
        "CHAIR": [len(set(c.hallucinated)) / len(set(c.nouns)) for c in speaking],
        "Cover": [len(c.covered) / len(c.truth) for c in captions if c.truth],
        "Hal": [float(bool(c.hallucinated)) for c in captions if not c.failure],
        "Cog": [len(c.likely_nouns) / len(set(c.nouns)) for c in speaking],
    }
    ends = {name: intervals.mean(values) for name, values in parts.items()}
    return {name: average(values) for name, values in parts.items()} | with_notes(ends)


def _score_interval(judgments: Judgments) -> intervals.Interval | None:
    """Return the interval of (1 - CHAIR + F1) / 2, a mean over captions and yes/no responses."""
    nouns = [len(c.nouns) for c in judgments.captions]
    right = [len(c.nouns) - len(c.hallucinated) for c in judgments.captions]
    pairs = [(outcome == "no", answer == "no") for outcome, answer in judgments.of(judgments.answers)]
    places = np.arange(len(nouns) + len(pairs))
    described = intervals.WeightedRatio(right, nouns, places[: len(nouns)], weight=0.5)
    answered = intervals.WeightedRatio(
        [2 * (outcome and answer) for outcome, answer in pairs],
        [outcome + answer for outcome, answer in pairs],
        places[len(nouns) :],
        weight=0.5,
        most=sum(outcome or answer for outcome, answer in pairs),
    )
    return intervals.mean_of_ratios([described, answered])


def _annotation(row: Record) -> dict[str, Any]:
    if row.kind == "caption":
        lists = {"truth": row.objects, "hallu": row.candidates, "safe": row.neutral}
        return {"id": row.id, "type": "generative", **lists}
    if row.kind != "yes_no":
        raise VhbenchError(f"question {row.id!r}: expected the kind caption or yes_no for AMBER, got {row.kind!r}")
    named = {kind.rsplit("-", 1)[-1]: kind for kind in DIMENSIONS} | {"existence": "discriminative-hallucination"}
    kind = named.get(row.question_type) or named.get(row.task) or "relation"
    return {"id": row.id, "type": kind, "truth": binary_answer(row), "question": row.question}
