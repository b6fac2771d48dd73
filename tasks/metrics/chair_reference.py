"""CHAIR as computed by LisaAnne/Hallucination (6e4d33c), with its errors: ``compat=True``.

It uses NLTK's tokenizer and pattern's singularizer ("bus" becomes "bu" and is never counted); names have at most two
words, gold objects are not normalized, and it divides by zero if nothing is mentioned.
"""

from collections.abc import Mapping, Sequence

from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.records import ReferenceZeroDivision
from vhbench.tasks.metrics.chair_captions import Judged, judge


def judged(rows: Sequence[tuple[str, str]], gold: Mapping[str, Sequence[str]], vocabulary: Vocabulary) -> list[Judged]:
    """Compare captions with gold objects, without synonyms; CHAIR is 0 without a mention, undefined without any."""
    truth = {image: frozenset(names) for image, names in gold.items()}
    captions = [judge(image, text, truth, vocabulary.find) for image, text in rows]
    if not any(counts["words"] for _, counts in captions):
        raise ReferenceZeroDivision("no caption mentions an object: the reference implementation divides by zero")
    return [(row | {"CHAIR_i": row["CHAIR_i"] or 0.0}, counts) for row, counts in captions]
