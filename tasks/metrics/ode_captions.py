"""ODE's caption scores: CHAIR, Cover, Hal and Cog over a split's own vocabulary (ODE §4.1; AMBER, arXiv 2311.07397).

A *mention* is a word of the vocabulary in a caption, and stands for one concept. With the concepts that are in the
image (``objects``), those likely to be hallucinated (``candidates``) and those that nobody can judge (``neutral``: a
man may be called a boy), each per caption:

* CHAIR_i = mentions of absent concepts / mentions that can be judged
* CHAIR_s (Hal) = captions with a mention of an absent concept / captions
* Cover = concepts in the image that are mentioned / concepts in the image
* Cog = candidates mentioned / concepts mentioned that can be judged

all over the corpus, in [0, 1], and None where the denominator is 0. CHAIR's and AMBER's own counting is in
:mod:`vhbench.tasks.metrics.chair` and :mod:`vhbench.tasks.metrics.amber`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from vhbench.schema import Record
from vhbench.tasks.metrics import chair, rates
from vhbench.tasks.metrics.records import as_records, resampling_unit
from vhbench.tasks.metrics.vocabulary import Vocabulary

RATES = {
    "chair_i": ("hallucinated", "mentions"),
    "chair_s": ("hallucinating", "captions"),
    "cover": ("covered", "objects"),
    "cog": ("candidates", "concepts"),
}


def score(
    records: Iterable[Record | Mapping[str, Any]], *, vocabulary: Mapping[str, Iterable[str]], seed: int = 0
) -> dict[str, Any]:
    """Score answered caption questions.

    Args:
        records: with ``response``, ``objects``, ``candidates`` and ``neutral``.
        vocabulary: concept → the words that name it, as in the manifest of an ODE split.
        seed: of the bootstrap intervals.

    Returns:
        The four rates, ``counters`` (sums), and ``intervals`` (95 %, images resampled).

    >>> records = [{"id": "1", "response": "Two dogs on a boat.", "objects": ["dog", "sea"], "candidates": ["boat"]}]
    >>> found = score(records, vocabulary={"dog": ["puppy"], "boat": [], "sea": [], "cat": []})
    >>> found["chair_i"], found["chair_s"], found["cover"], found["cog"]  # dog is there, boat is not; sea is not said
    (0.5, 1.0, 0.5, 0.5)
    """
    rows = as_records(records)
    matcher = chair.vocabulary_of({name: tuple(words) for name, words in vocabulary.items()})
    counts = [count(row, matcher) for row in rows]
    columns = {name: [row[name] for row in counts] for pair in RATES.values() for name in pair}
    found = rates.of_sums(columns, RATES, clusters=[resampling_unit(row) for row in rows], seed=seed)
    return found | {"counters": {name: sum(column) for name, column in columns.items()}}


def count(record: Record, matcher: Vocabulary) -> dict[str, int]:
    """Return the counts of one caption, named as in :data:`RATES`."""
    present = {node for word in record.objects if (node := matcher.node(word))}
    neutral = {node for word in record.neutral if (node := matcher.node(word))} - present
    likely = {node for word in record.candidates if (node := matcher.node(word))} - present
    mentions = [found.node for found in matcher.find(record.response) if found.node not in neutral]
    hallucinated = [node for node in mentions if node not in present]
    return {
        "mentions": len(mentions),
        "hallucinated": len(hallucinated),
        "captions": 1,
        "hallucinating": int(bool(hallucinated)),
        "objects": len(present),
        "covered": len(present & set(mentions)),
        "concepts": len(set(mentions)),
        "candidates": len(likely & set(mentions)),
    }
