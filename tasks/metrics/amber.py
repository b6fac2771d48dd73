"""AMBER: hallucination in captions and in yes/no answers (Wang et al. 2023, arXiv 2311.07397); ODE scores alike.

Captions: the nouns of a response that are in the vocabulary are held against what is in the image (*truth*) and what a
model is likely to make up (*hallu*); words associated with these count too, and so do words that are similar enough.

* CHAIR = hallucinated nouns / nouns                      * Cover = objects mentioned / objects in the image
* Hal   = responses with a hallucinated noun / responses  * Cog   = likely hallucinations mentioned, see below

Cog has two definitions. The code's, ``"Cog"``, divides by the listed hallucinations; the paper's divides by the objects
of the response. The paper also averages CHAIR, Cover and Cog over responses: section ``"Generative Task (paper)"``.

Yes/no questions: accuracy, precision, recall and F1 of the class "no", by dimension.
AMBER score = (100 - CHAIR + F1) / 2.

How to call it::

    result = score(
        [{"id": 1, "response": "A dog on the grass."}, {"id": 1005, "response": "Yes"}],
        annotations="annotations.json", relation="relation.json", safe_words="safe_words.txt",   # paths or objects
        evaluation_type="a",                                     # a(ll), g(enerative), d(iscriminative), de, da, dr
    )
    result["printed"], result["counters"]                        # percent, one decimal; raw counts
    result["scores"], result["intervals"], result["responses"], result["tools"], result["warnings"]
    score_records(records, relation={})                          # Records or mappings: captions and yes/no questions

``compat=True`` gives what AMBER's inference.py gives (534babf), with the denominators that start at 0.001, the nouns in
upper case that are lost, and the association that goes before the name. The default repairs these: lower case; names
before associations; a listed hallucination is not absolved by similarity; an object listed twice counts once; answers
are read by words; a rate without a denominator is None.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals, yes_no
from vhbench.tasks.metrics.amber_captions import Judge, Judged, Nouns, Similarity
from vhbench.tasks.metrics.amber_files import answer_of, read_annotations, read_responses
from vhbench.tasks.metrics.records import as_records, binary_answer

EVALUATION_TYPES = {
    "a": ("g", "de", "da", "dr"),
    "g": ("g",),
    "d": ("de", "da", "dr"),
    "de": ("de",),
    "da": ("da",),
    "dr": ("dr",),
}

_DIMENSIONS = {
    "discriminative-attribute-state": "as",
    "discriminative-attribute-number": "an",
    "discriminative-attribute-action": "aa",
    "discriminative-hallucination": "ha",
}
_RELATION = "asso"
_ATTRIBUTES = ("as", "an", "aa")
# Section → (evaluation types that print it, dimensions, what the reference adds to F1's denominator).
_SECTIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], float]] = {
    "Descriminative Task": (("de", "da", "dr"), (*_ATTRIBUTES, _RELATION, "ha"), 0.0001),
    "Exsitence": (("de",), ("ha",), 0.001),
    "Attribute": (("da",), _ATTRIBUTES, 0.0001),
    "State": (("da",), ("as",), 0.0001),
    "Number": (("da",), ("an",), 0.0001),
    "Action": (("da",), ("aa",), 0.0001),
    "Relation": (("dr",), (_RELATION,), 0.0001),
}


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
    seed: int = 0,
) -> dict[str, Any]:
    """Score responses to AMBER's questions, or to questions annotated as AMBER's are.

    Args:
        responses: rows ``{"id", "response"}``, or a JSON or JSON lines file.
        annotations: rows ``{"id", "type", "truth", "hallu"}``, or a JSON file. For a caption (type "generative", also
            where there is none) truth and hallu are lists of words; for a question truth is "yes" or "no".
        relation: word → associated words, or a JSON file.
        safe_words: words that are never hallucinated, or a file with one a line.
        nouns: text → its nouns in the singular. None finds the vocabulary's words by their surface forms;
            ``vhbench.adapters.language`` has NLTK's, which the reference uses.
        similarity: two words → similarity; above 0.8 they are one. None knows a short list of words for the same
            thing; ``vhbench.adapters.language`` has spaCy's, which the reference uses.
        evaluation_type: what is printed: "a", "g", "d", "de", "da" or "dr". Everything is counted.
        compat: score as the reference implementation does.
        seed: of the bootstrap intervals.

    Returns:
        ``printed``: section → name → percent with one decimal, or None; ``counters``: raw counts by the reference's
        names (from 0.001 where the reference starts there, under ``compat``); ``scores``: section → name → fraction;
        ``intervals`` alike; ``responses``: what was found in each caption; ``tools``; ``warnings``.

    Raises:
        VhbenchError: for an id without annotation, an id that occurs twice, an unknown evaluation type.

    >>> result = score(
    ...     [{"id": 1, "response": "Dogs and a cat on the grass."}, {"id": 2, "response": "No, there is none."}],
    ...     annotations=[
    ...         {"id": 1, "type": "generative", "truth": ["dog", "grass", "sky"], "hallu": ["person", "cat"]},
    ...         {"id": 2, "type": "discriminative-hallucination", "truth": "no"},
    ...     ],
    ...     relation={"dog": [], "grass": ["ground"], "sky": [], "person": ["man"], "cat": []},
    ...     evaluation_type="a",
    ... )
    >>> result["printed"]["Generative Task"]  # 1 of 3 nouns; 2 of 3 objects; 1 of 1 responses; 1 of 2 listed
    {'CHAIR': 33.3, 'Cover': 66.7, 'Hal': 100.0, 'Cog': 50.0}
    >>> result["printed"]["Exsitence"]["Accuracy"], result["printed"]["Relation"]["Accuracy"]
    (100.0, None)
    """
    if evaluation_type not in EVALUATION_TYPES:
        raise VhbenchError(f"unknown evaluation type {evaluation_type!r}; one of {', '.join(EVALUATION_TYPES)}")
    rows = read_responses(responses, refuse_repeats=not compat)
    truth = read_annotations(annotations)
    judge = Judge.build(truth, relation, safe_words, nouns, similarity, compat)
    captions, answers = _judged(rows, truth, judge)
    result = _result(captions, answers, evaluation_type, compat, seed)
    result["tools"] = {"nouns": judge.nouns_name, "similarity": judge.similarity_name}
    return result


def _judged(
    rows: Iterable[tuple[Any, str]], truth: Mapping[Any, Mapping[str, Any]], judge: Judge
) -> tuple[list[Judged], dict[str, list[tuple[str, str]]]]:
    """Return the captions as judged, and the answers of each dimension beside what is true."""
    captions: list[Judged] = []
    answers: dict[str, list[tuple[str, str]]] = {name: [] for name in (*_ATTRIBUTES, _RELATION, "ha")}
    for name, text in rows:
        row = truth.get(name)
        if row is None:
            raise VhbenchError(f"response {name!r} has no annotation ({len(truth)} ids have one)")
        if row.get("type", "generative") == "generative":
            captions.append(judge.caption(name, text, row))
        else:
            answers[_DIMENSIONS.get(row["type"], _RELATION)].append((judge.answer(text), answer_of(name, row)))
    return captions, answers


def score_records(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    relation: Any = None,
    safe_words: Any = (),
    nouns: Nouns | None = None,
    similarity: Similarity | None = None,
    compat: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Score answered captions and yes/no questions, as ODE has them.

    A caption's ``objects`` are the truth, its ``candidates`` the likely hallucinations. A question's ``question_type``
    (or ``task``) tells its dimension: existence, state, number, action; anything else is a relation.

    >>> row = {"id": 1, "kind": "caption", "objects": ["dog"], "candidates": ["ball"], "response": "a dog, a ball"}
    >>> score_records([row], relation={})["printed"]["Generative Task"]
    {'CHAIR': 50.0, 'Cover': 100.0, 'Hal': 100.0, 'Cog': 100.0}
    """
    rows = as_records(records)
    return score(
        [{"id": row.id, "response": row.response or row.prediction} for row in rows],
        annotations=[_annotation(row) for row in rows],
        relation={} if relation is None else relation,
        safe_words=safe_words,
        nouns=nouns,
        similarity=similarity,
        compat=compat,
        seed=seed,
    )


def _result(
    captions: Sequence[Judged],
    answers: Mapping[str, Sequence[tuple[str, str]]],
    evaluation_type: str,
    compat: bool,
    seed: int,
) -> dict[str, Any]:
    counts = {name: yes_no.count([a for a, _ in rows], [t for _, t in rows], "no") for name, rows in answers.items()}
    shown = EVALUATION_TYPES[evaluation_type]
    sections = {name: section for name, section in _SECTIONS.items() if set(section[0]) <= set(shown)}
    counters = _counters(captions, counts, compat)
    result: dict[str, Any] = {"printed": {}, "counters": counters, "scores": {}, "intervals": {}, "warnings": []}
    if "g" in shown:
        _add_generative(result, captions, compat, seed)
    for name, (_, dimensions, epsilon) in sections.items():
        _add_section(result, name, [counts[dimension] for dimension in dimensions], epsilon, compat)
        if not compat:
            rows = [row for dimension in dimensions for row in answers[dimension]]
            result["intervals"][name] = _answer_intervals(rows, seed)
    if evaluation_type == "a" and not compat:
        chair, f1 = result["scores"]["Generative Task"]["CHAIR"], result["scores"]["Descriminative Task"]["F1"]
        both = None if chair is None or f1 is None else (1 - chair + f1) / 2
        result["scores"]["AMBER"] = {"Score": both}
        result["printed"]["AMBER"] = {"Score": _percent(both)}
        result["intervals"]["AMBER"] = {"Score": _score_interval(captions, _rows_of(answers), seed)}
    result["responses"] = [_found(caption) for caption in captions]
    return result


def _counters(captions: Sequence[Judged], counts: Mapping[str, yes_no.Confusion], compat: bool) -> dict[str, float]:
    """Name the counts as AMBER's metrics.txt does."""
    hallucinated = sum(bool(caption.hallucinated) for caption in captions)
    counters: dict[str, int] = {
        "chair_num": sum(len(caption.nouns) for caption in captions),
        "chair_score": sum(len(caption.hallucinated) for caption in captions),
        "safe_cover_num": sum(caption.truth for caption in captions),
        "safe_cover_score": sum(len(caption.covered) for caption in captions),
        "hallu_cover_num": sum(caption.listed for caption in captions),
        "hallu_cover_score": sum(len(caption.likely) for caption in captions),
        "non_hallu_score": len(captions) - hallucinated,
        "non_hallu_num": len(captions),
    }
    for prefix, part in {"": _sum(counts.values()), **counts}.items():
        start = f"{prefix}_qa" if prefix else "qa"
        counters |= {
            f"{start}_correct_score": part.right,
            f"{start}_correct_num": part.total,
            f"{start}_no_score": part.true_positive,
            f"{start}_no_num": part.positives,
            f"{start}_ans_no_score": part.true_positive,
            f"{start}_ans_no_num": part.said_positive,
        }
    if not compat:
        return dict(counters)
    return {name: round(n + 0.001, 3) if name.endswith("_num") else n for name, n in counters.items()}


def _add_generative(result: dict[str, Any], captions: Sequence[Judged], compat: bool, seed: int) -> None:
    count = result["counters"]
    tops = ("chair_score", "safe_cover_score", "hallu_cover_score")
    bottoms = ("chair_num", "safe_cover_num", "hallu_cover_num")
    chair, cover, cog = (
        count[top] / count[bottom] if count[bottom] else None for top, bottom in zip(tops, bottoms, strict=True)
    )
    hal = 1 - count["non_hallu_score"] / count["non_hallu_num"] if count["non_hallu_num"] else None
    scores = {"CHAIR": chair, "Cover": cover, "Hal": hal, "Cog": cog}
    result["scores"]["Generative Task"] = scores
    printed = {name: _percent(value) for name, value in scores.items()}
    if compat:
        # Its own order of operations, so that the last digit is rounded from the same number.
        printed["Hal"] = round(100 - count["non_hallu_score"] / count["non_hallu_num"] * 100, 1)
    result["printed"]["Generative Task"] = printed
    if compat:
        return
    parts = _paper(captions)
    result["scores"]["Generative Task (paper)"] = paper = {name: _mean(values) for name, values in parts.items()}
    result["printed"]["Generative Task (paper)"] = {name: _percent(value) for name, value in paper.items()}
    result["intervals"]["Generative Task (paper)"] = {
        name: intervals.mean(values, seed=seed) for name, values in parts.items()
    }
    result["intervals"]["Generative Task"] = {
        "CHAIR": intervals.ratio([len(c.hallucinated) for c in captions], [len(c.nouns) for c in captions], seed=seed),
        "Cover": intervals.ratio([len(c.covered) for c in captions], [c.truth for c in captions], seed=seed),
        "Hal": intervals.mean([bool(c.hallucinated) for c in captions], seed=seed),
        "Cog": intervals.ratio([len(c.likely) for c in captions], [c.listed for c in captions], seed=seed),
    }


def _paper(captions: Sequence[Judged]) -> dict[str, list[float]]:
    """Return each response's scores, over its distinct objects; one without objects has no CHAIR and no Cog."""
    speaking = [caption for caption in captions if caption.nouns]
    shown = [caption for caption in captions if caption.truth]
    return {
        "CHAIR": [len(set(c.hallucinated)) / len(set(c.nouns)) for c in speaking],
        "Cover": [len(c.covered) / c.truth for c in shown],
        "Hal": [float(bool(c.hallucinated)) for c in captions],
        "Cog": [len(c.likely_nouns) / len(set(c.nouns)) for c in speaking],
    }


def _add_section(
    result: dict[str, Any], name: str, parts: Sequence[yes_no.Confusion], epsilon: float, compat: bool
) -> None:
    titles = {"accuracy": "Accuracy", "precision": "Precision", "recall": "Recall", "f1": "F1"}
    counts = _sum(parts)
    if compat:
        # The reference adds up the attribute dimensions, each of which starts at 0.001; "all" is a count of its own.
        start = 0.001 * len(parts) if name == "Attribute" else 0.001
        rates = yes_no.reference_rates(counts, epsilon, start=start)
        result["printed"][name] = {title: rates[key] for key, title in titles.items()}
        return
    exact = yes_no.rates(counts)
    result["scores"][name] = {title: exact[key] for key, title in titles.items()}
    result["scores"][name]["Unparsed"] = (
        (counts.unparsed_positive + counts.unparsed_negative) / counts.total if counts.total else None
    )
    result["printed"][name] = {title: _percent(value) for title, value in result["scores"][name].items()}
    if counts.total and counts.positives in (0, counts.total):
        always = "no" if counts.positives else "yes"
        result["warnings"].append(
            f"{name}: every right answer is {always!r}, so precision is 0 or 100 by construction (degenerate)"
        )


def _rows_of(answers: Mapping[str, Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the (answer, truth) pairs of all dimensions, in their order."""
    return [row for part in answers.values() for row in part]


def _score_interval(
    captions: Sequence[Judged], rows: Sequence[tuple[str, str]], seed: int
) -> intervals.Interval | None:
    """Return the interval of (1 - CHAIR + F1) / 2: captions and answers are resampled together."""
    described = [(len(c.hallucinated), len(c.nouns), 0, 0, 0) for c in captions]
    answered = [(0, 0, said == truth == "no", said == "no", truth == "no") for said, truth in rows]

    def combined(sums: intervals.Floats) -> intervals.Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((1 - sums[:, 0] / sums[:, 1] + 2 * sums[:, 2] / (sums[:, 3] + sums[:, 4])) / 2)

    return intervals.statistic(np.array([*described, *answered], dtype=float), combined, seed=seed)


def _answer_intervals(rows: Sequence[tuple[str, str]], seed: int) -> dict[str, intervals.Interval | None]:
    found = yes_no.rate_intervals([said for said, _ in rows], [truth for _, truth in rows], "no", None, seed)
    titles = {"Accuracy": "accuracy", "Precision": "precision", "Recall": "recall", "F1": "f1", "Unparsed": "unparsed"}
    return {title: found[key] for title, key in titles.items()}


def _found(caption: Judged) -> dict[str, Any]:
    return {
        "id": caption.id,
        "nouns": list(caption.nouns),
        "hallucinated": list(caption.hallucinated),
        "covered": list(caption.covered),
        "likely": list(caption.likely),
    }


def _annotation(row: Record) -> dict[str, Any]:
    if row.kind == "caption":
        return {"id": row.id, "type": "generative", "truth": row.objects, "hallu": row.candidates}
    if row.kind != "yes_no":
        raise VhbenchError(f"question {row.id!r} is of kind {row.kind!r}; AMBER's metric reads caption and yes_no")
    named = {kind.rsplit("-", 1)[-1]: kind for kind in _DIMENSIONS} | {"existence": "discriminative-hallucination"}
    kind = named.get(row.question_type) or named.get(row.task) or "relation"
    return {"id": row.id, "type": kind, "truth": binary_answer(row)}


def _sum(parts: Iterable[yes_no.Confusion]) -> yes_no.Confusion:
    return sum(parts, yes_no.Confusion())


def _percent(share: float | None) -> float | None:
    return None if share is None else round(share * 100, 1)


def _mean(values: Sequence[float]) -> float | None:
    # fsum: the order of the rows cannot change the last digit.
    return fsum(values) / len(values) if values else None
