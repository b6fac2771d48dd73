"""ODE's caption scores: CHAIR, Cover, Hal and Cog over a split's own vocabulary (ODE §4.1; AMBER, arXiv 2311.07397).

A *mention* is a word of the vocabulary in a caption, and stands for one concept. With the concepts that are in the
image (``objects``), those likely to be hallucinated (``candidates``) and those that nobody can judge (``neutral``: a
man may be called a boy), each per caption:

* CHAIR_i = mentions of absent concepts / mentions that can be judged
* CHAIR_s (Hal) = captions with a mention of an absent concept / captions that were given
* Cover = concepts in the image that are mentioned / concepts in the image
* Cog = candidates mentioned / concepts mentioned that can be judged

all over the corpus, in [0, 1], and None where the denominator is 0. A failed request, an empty caption and a refusal are
no captions: they mention nothing, and counting them would make hallucinations rarer. They are left out of CHAIR_i,
CHAIR_s and Cog, and cover nothing in Cover; ``failed`` and ``refused`` are their shares. CHAIR's and AMBER's own
counting is in :mod:`vhbench.tasks.metrics.chair` and :mod:`vhbench.tasks.metrics.amber`.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vhbench.results import settled
from vhbench.schema import Record
from vhbench.tasks.metrics import chair, rates, withholding
from vhbench.tasks.metrics.records import each_record, numbered, resampling_unit
from vhbench.tasks.metrics.vocabulary import Vocabulary

RATES = {
    "chair_i": ("hallucinated", "mentions"),
    "chair_s": ("hallucinating", "captions"),
    "cover": ("covered", "objects"),
    "cog": ("candidates", "concepts"),
}
SHARES = {name: (name, "asked") for name in ("failed", "refused")}


def score(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    vocabulary: Mapping[str, Iterable[str]],
    allow_failed: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Score answered caption questions.

    Args:
        records: with ``response``, ``objects``, ``candidates`` and ``neutral``.
        vocabulary: concept → the words that name it, as in the manifest of an ODE split.
        allow_failed: tell the rates even where more than 1 % of the requests failed.
        seed: of the bootstrap intervals.

    Returns:
        The four rates, ``failed``, ``refused``, ``counters`` (sums), ``intervals`` (95 %, images resampled), and
        ``withheld``: why the four are None, see :mod:`vhbench.tasks.metrics.withholding`, or None.

    >>> records = [{"id": "1", "response": "Two dogs on a boat.", "objects": ["dog", "sea"], "candidates": ["boat"]}]
    >>> found = score(records, vocabulary={"dog": ["puppy"], "boat": [], "sea": [], "cat": []})
    >>> found["chair_i"], found["chair_s"], found["cover"], found["cog"]  # dog is there, boat is not; sea is not said
    (0.5, 1.0, 0.5, 0.5)
    """
    matcher = chair.vocabulary_of({name: tuple(words) for name, words in vocabulary.items()})
    every = RATES | SHARES
    columns = {name: array("q") for pair in every.values() for name in pair}
    units = list[str]()
    for row in each_record(records):
        counts = count(settled(replace(row, kind="caption")), matcher)
        for name, column in columns.items():
            column.append(counts[name])
        units.append(resampling_unit(row))
    table = {name: np.array(column) for name, column in columns.items()}
    found = rates.of_sums(table, every, clusters=numbered(units), seed=seed)
    sums = {name: sum(column) for name, column in columns.items()}
    why = withholding.reason(sums["failed"], sums["asked"], allow_failed=allow_failed)
    return withholding.withhold(found | {"counters": sums}, RATES, why)


def count(record: Record, matcher: Vocabulary) -> dict[str, int]:
    """Return the counts of one caption, named as in :data:`RATES` and :data:`SHARES`."""
    present = {node for word in record.objects if (node := matcher.node(word))}
    neutral = {node for word in record.neutral if (node := matcher.node(word))} - present
    likely = {node for word in record.candidates if (node := matcher.node(word))} - present
    said = "" if record.failure else record.response
    mentions = [found.node for found in matcher.find(said) if found.node not in neutral]
    hallucinated = [node for node in mentions if node not in present]
    return {
        "mentions": len(mentions),
        "hallucinated": len(hallucinated),
        "captions": int(not record.failure),
        "hallucinating": int(bool(hallucinated)),
        "objects": len(present),
        "covered": len(present & set(mentions)),
        "concepts": len(set(mentions)),
        "candidates": len(likely & set(mentions)),
        "asked": 1,
        **{name: int(record.failure == name) for name in SHARES},
    }
