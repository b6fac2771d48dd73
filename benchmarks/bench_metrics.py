"""Speed of the metrics, each against a named baseline on the same input in the same run.

Needs the reference data (``VHBENCH_REFERENCE``): the 10,000 captions of POPE's caption_data, AMBER's 1,004 captions and
14,216 answers.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measuring import REFERENCE, Figure, best, report

from vhbench.files import read_json
from vhbench.json_rows import each_row
from vhbench.language.captions.nouns import builtin_nouns
from vhbench.language.captions.reference_vocabulary import pattern_singular
from vhbench.language.captions.vocabulary import COCO_MERGED
from vhbench.statistics import intervals
from vhbench.tasks.metrics import amber, chair


def chair_figures() -> list[Figure]:
    """Compare CHAIR with finding the words as the reference does: singularise, merge two by two, look up."""
    gold = read_json(REFERENCE / "CHAIR" / "gold_objects.json")
    synonyms = (REFERENCE / "CHAIR" / "synonyms.txt").read_text()
    captions = [list(each_row(file)) for file in sorted((REFERENCE / "POPE" / "caption_data").glob("*.json"))]
    nodes = chair.vocabulary_of(synonyms, compat=True).nodes

    def word_by_word() -> None:
        for row in (row for rows in captions for row in rows):
            words = [pattern_singular(word) for word in row["text"].lower().split()]
            merged = [COCO_MERGED.get(f"{a} {b}", a) for a, b in zip(words, [*words[1:], ""], strict=True)]
            truth = gold[str(row["image_id"])]
            [nodes[word] not in truth for word in merged if word in nodes]

    def score(compat: bool) -> None:
        for rows in captions:
            chair.score(rows, gold, synonyms=synonyms, compat=compat)

    (theirs,) = best(word_by_word, rounds=1)
    compat, own = best(partial(score, True), partial(score, False))
    goal = {"baseline": "each token singularised, as the reference", "theirs": theirs, "times": 12.0}
    return [
        Figure(work="CHAIR, every mention counts, 10,000 captions", ours=compat, **goal),
        Figure(work="CHAIR, what captions claim, 10,000 captions", ours=own, bound=2.0, **goal),
    ]


def amber_figures() -> list[Figure]:
    """Compare AMBER with finding the nouns of its captions alone."""
    cases = {case["name"]: case for case in read_json(REFERENCE / "golden" / "amber.json")["cases"]}
    responses = cases["1004 random responses"]["responses"] + cases["all discriminative perfect"]["responses"]
    relation = read_json(REFERENCE / "AMBER" / "relation.json")
    annotations = read_json(REFERENCE / "AMBER" / "annotations.json")
    nouns = builtin_nouns({word for key, others in relation.items() for word in (key, *others)})
    score: Callable[..., Any] = partial(amber.score, responses, annotations=annotations, relation=relation)
    nouns_alone, compat, own = best(
        lambda: [nouns(row["response"]) for row in responses], partial(score, compat=True), score
    )
    goal = {"bound": 1.0, "baseline": "nouns of all responses", "theirs": nouns_alone}
    return [
        Figure(work="AMBER, 1,004 captions and 14,216 answers", ours=compat, **goal),
        Figure(work="  repaired, with intervals", ours=own, **goal),
    ]


def interval_figure() -> Figure:
    """Compare an interval with resampling images."""
    random = np.random.default_rng(0)
    right, images = random.random(1_000_000) < 0.7, random.integers(300_000, size=1_000_000)

    def resample() -> None:
        for _ in range(10):
            sums, sizes = np.bincount(images, weights=right), np.bincount(images)
            picked = random.integers(len(sums), size=len(sums))
            sums[picked].sum() / sizes[picked].sum()

    ours, theirs = best(lambda: intervals.mean(right, clusters=images), resample)
    work, baseline = "an interval, 1,000,000 answers, 300,000 images", "numpy: 10 of 10,000 resamples"
    return Figure(work=work, ours=ours, bound=1.0, baseline=baseline, theirs=theirs)


def figures() -> list[Figure]:
    if not REFERENCE.is_dir():
        print(f"no reference data at {REFERENCE}; set VHBENCH_REFERENCE", file=sys.stderr)
        return []
    return [*chair_figures(), *amber_figures(), interval_figure()]


if __name__ == "__main__":
    report(figures())
