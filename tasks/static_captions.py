"""Report entries of AMBER and CHAIR: the reference implementations' own numbers, and CHAIR by length of the caption."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from vhbench.benchmarks import benchmark, load
from vhbench.language.captions.vocabulary import TOKEN
from vhbench.language.parsing import caption_text
from vhbench.records import ReferenceZeroDivision
from vhbench.schema import Record
from vhbench.tasks import datasets
from vhbench.tasks.metrics import amber, chair
from vhbench.tasks.metrics.measuring import measure, report_scores
from vhbench.tasks.metrics.registry import metrics_of

LENGTHS = (32, 64, 128, 256, 512)
"""Points of the curve, in tokens: words and punctuation marks, as CHAIR's tokenizer cuts a text."""

_CURVE = ("chair_i", "chair_s", "cover", "words")


def amber_reference(records: Sequence[Record]) -> dict[str, Any]:
    """Return what AMBER's inference.py prints of captions, or of responses, with the built-in tools (``tools``).

    ``vhbench score amber --questions SPLIT --compat --language nltk-spacy`` uses the reference's own.
    """
    relation = datasets.resolve("amber").manifest.config["relation"]
    part = "g" if records[0].kind == "caption" else "d"
    scores = amber.score_records(records, compat=True, relation=relation, evaluation_type=part)
    return {name: scores[name] for name in ("printed", "counters", "tools")}


def chair_reference(records: Sequence[Record]) -> dict[str, Any] | None:
    """Return CHAIR as LisaAnne/Hallucination computes it; None if no caption mentions an object.

    Its gold objects differ where it cannot read a reference caption ("bus").
    """
    config = datasets.resolve("chair").manifest.config
    captions = [{"image_id": record.id, "caption": record.response} for record in records]
    other = config["reference_objects"]
    gold = {record.id: other.get(record.scene_ids[0], record.objects) for record in records}
    try:
        scores = chair.score(captions, gold, synonyms=config["vocabulary"], compat=True)
    except ReferenceZeroDivision:
        return None
    return {name: scores[name] for name in ("printed", "counters")}


def by_length(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the scores of the first 32, 64 … tokens of each caption, up to the length that none exceeds.

    Each entry has ``tokens``, ``longer`` (share of captions that are cut there), the scores in percent, ``words``, and
    ``intervals``. A shorter caption counts whole.
    """
    name, metrics = records[0].benchmark, [metric for metric in metrics_of("caption") if metric.name in _CURVE]
    claimed = load(benchmark(name).claims)(datasets.vocabulary(name))
    texts = [caption_text(record.response) for record in records]
    points: list[dict[str, Any]] = []
    for tokens in LENGTHS:
        ends = [next(islice(TOKEN.finditer(text), tokens - 1, None), None) for text in texts]
        beginnings = [text[: end and end.end()] for text, end in zip(texts, ends, strict=True)]
        longer = sum(len(cut) < len(text.rstrip()) for cut, text in zip(beginnings, texts, strict=True))
        captions = [replace(one, response=cut) if cut else one for one, cut in zip(records, beginnings, strict=True)]
        scores = report_scores(measure(captions, metrics, claimed=claimed), percent=True)
        values = {name: scores[name] for name in (*_CURVE, "intervals")}
        points.append({"tokens": tokens, "longer": longer / len(records), **values})
        if not longer:
            break
    return points
