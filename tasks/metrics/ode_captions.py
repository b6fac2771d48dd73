"""ODE's caption scores: CHAIR, Cover, Hal and Cog over a split's own vocabulary (ODE §4.1; AMBER, arXiv 2311.07397).

A *mention* is a vocabulary word by which a caption claims that an object is present
(:mod:`vhbench.language.captions.assertions`); it maps to one concept. With the concepts in the image (``objects``),
likely hallucinations (``candidates``) and unjudgeable concepts (``neutral``: a man may be called a boy) of captions:

* CHAIR_i = mentions of absent concepts / judgeable mentions
* CHAIR_s (Hal) = captions with a mention of an absent concept / given captions
* Cover = concepts in the image that are mentioned / concepts in the image
* Cog = candidates mentioned / judgeable concepts mentioned
* not judged = mentions of unjudgeable concepts, and of things outside the vocabulary ("teacher"), / all mentions

over the corpus, in [0, 1], and None if the denominator is 0. Failed requests, empty captions, refusals and unclosed
reasoning are not captions: they mention nothing, and counting them would lower the hallucination rate. They are
excluded from CHAIR_i, CHAIR_s and Cog, and cover nothing in Cover; ``failed`` and ``refused`` are shares.

A hyponym or hypernym of a present concept (``kinds.tsv``: "man" for a person) covers it and is not judged. Concepts
that captions seldom name separately (``duplicates.tsv``: a beach's sand, sea and water) count once in Cover. The
original CHAIR and AMBER are in :mod:`vhbench.tasks.metrics.chair` and :mod:`vhbench.tasks.metrics.amber`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vhbench.language import synonyms
from vhbench.language.captions.assertions import claims as asserted
from vhbench.language.captions.assertions import is_caption
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.records import each_record, settled
from vhbench.schema import Record
from vhbench.tasks.metrics import chair
from vhbench.tasks.metrics.answers import Claimed
from vhbench.tasks.metrics.chair_captions import claims_of
from vhbench.tasks.metrics.measuring import Measured, measure, report_scores
from vhbench.tasks.metrics.metric import Claims
from vhbench.tsv import records as table_rows
from vhbench.tsv import words


def score(
    records: Iterable[Record | Mapping[str, Any]],
    *,
    vocabulary: Mapping[str, Iterable[str]],
    allow_failed: bool = False,
    claims: Callable[[Mapping[str, Iterable[str]]], Claimed] | None = None,
) -> dict[str, Any]:
    """Score answered caption questions.

    Args:
        records: with ``response``, ``objects``, ``candidates`` and ``neutral``.
        vocabulary: concept → words, as in the manifest of an ODE split.
        claims: ``Benchmark.claims`` of another benchmark; None for ODE's.
        allow_failed: report the rates even if more than 1 % of the requests failed.

    Returns:
        The four rates, ``not_judged``, ``failed``, ``refused``, ``cut_off``, ``words`` (mean over given captions),
        ``counters`` (sums), ``intervals`` (95 %) with ``interval_notes``, and ``withheld``: reason for
        None, see :mod:`vhbench.tasks.metrics.withholding`, or None. With assertions listed by a judge, ``judge``:
        the mentions that the rules count, how many of them the judge removed, and ``chair_i`` by the rules.

    >>> records = [{"id": "1", "response": "Two dogs on a boat.", "objects": ["dog", "sea"], "candidates": ["boat"]}]
    >>> scores = score(records, vocabulary={"dog": ["puppy"], "boat": [], "sea": [], "cat": []})
    >>> scores["chair_i"], scores["chair_s"], scores["cover"], scores["cog"]  # dog is there, boat is not; sea omitted
    (0.5, 1.0, 0.5, 0.5)
    """
    captions = (settled(replace(row, kind="caption")) for row in each_record(records))
    counted, rules = (claims or counter)(vocabulary), Counter[str]()

    def claimed(record: Record) -> Claims:
        own_claims = by_rules = counted(record)
        if record.prediction:
            by_rules = counted(replace(record, prediction=""))
            rules.update(judged=1, removed=max(0, by_rules.mentions - own_claims.mentions))
        rules.update(mentions=by_rules.mentions, hallucinated=by_rules.hallucinated)
        return own_claims

    measured = measure(captions, "caption", claimed=claimed, allow_failed=allow_failed)
    result = report_scores(measured) | {"warnings": measured.warnings, "counters": counters(measured)}
    result["withheld"] = measured.withheld
    return result | _judge(rules, result) if rules["judged"] else result


def _judge(rules: Mapping[str, int], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a judge's assertions differ from those of the rules, with a warning beyond a few points of CHAIR."""
    rate = rules["hallucinated"] / rules["mentions"] if rules["mentions"] else None
    by_rules = {name: rules[name] for name in ("mentions", "removed")} | {"chair_i": rate}
    warnings, judged = list(result["warnings"]), result["chair_i"] or 0.0
    if rate is not None and abs(rate - judged) > _INJECTED and not result["withheld"]:
        warnings.append(
            f"the judge removed {rules['removed']:,} of {rules['mentions']:,} mentions that the rules count; CHAIR is "
            f"{100 * judged:.1f} with it, {100 * rate:.1f} by the rules: captions may instruct the judge"
        )
    return {"judge": by_rules, "warnings": warnings}


_INJECTED = 0.02  # difference of CHAIR by a judge and by the rules above which a warning is printed


def counters(measured: Measured) -> dict[str, int]:
    """Return the summed claims of captions."""
    claims = np.array([kind.claims for kind in measured.answers.kinds], dtype=np.int64).reshape(-1, len(Claims._fields))
    sums = claims[measured.answers.codes[measured.places]].sum(axis=0)
    return dict(zip(Claims._fields, sums.tolist(), strict=True))


def matcher(vocabulary: Mapping[str, Iterable[str]]) -> Vocabulary:
    """Return the matcher of a split's vocabulary with :mod:`vhbench.language.synonyms`.

    >>> [match.node for match in matcher({"dog": [], "couch": []}).find("A puppy on a sofa.")]
    ['dog', 'couch']
    """
    return chair.vocabulary_of(synonyms.extended(vocabulary))


def counter(vocabulary: Mapping[str, Iterable[str]]) -> Callable[[Record], Claims]:
    """Return the counter of a caption's claims with a split's vocabulary."""
    known = matcher(vocabulary)
    others = Vocabulary.build([[word] for word in synonyms.words_outside(known.nodes)], merged={})
    return partial(count, known=known, others=others)


def count(record: Record, known: Vocabulary, others: Vocabulary | None = None) -> Claims:
    """Count the claims of a caption; ``others``: things outside the vocabulary."""
    truth = _truth(tuple(record.objects), tuple(record.candidates), tuple(record.neutral), known)
    text = "" if record.failure else record.prediction or record.response
    nodes = [match.node for match in asserted(text, known)]
    outside = asserted(text, others) if others else []
    mentions = [node for node in nodes if node not in truth.unjudged]
    hallucinated = [node for node in mentions if node not in truth.present]
    named = {word for node in nodes for word in (node, *_RELATED.get(node, ()))}
    return claims_of(
        record,
        captions=not record.failure and (bool(nodes) or is_caption(record.response)),
        named=bool(nodes),
        mentions=len(mentions),
        hallucinated=len(hallucinated),
        hallucinating=int(bool(hallucinated)),
        objects=len(truth.things),
        covered=sum(not named.isdisjoint(thing) for thing in truth.things),
        concepts=len(set(mentions)),
        candidates=len(truth.likely & set(mentions)),
        not_judged=len(nodes) - len(mentions) + len(outside),
    )


class _Truth(NamedTuple):
    """Ground truth of an image for captions, as concepts of a vocabulary."""

    present: frozenset[str]
    likely: frozenset[str]  # likely hallucinations
    unjudged: frozenset[str]  # unknown to the scene, or hyponyms and hypernyms of present ones
    things: Sequence[Set[str]]  # present concepts, grouped if captions seldom name them separately


Words = tuple[str, ...]


@lru_cache(maxsize=4096)  # shared by many models
def _truth(objects: Words, candidates: Words, neutral: Words, known: Vocabulary) -> _Truth:
    """Return the ground truth of a question, cached."""
    present, likely, doubtful = (
        frozenset(node for name in names if (node := known.node(name))) for names in (objects, candidates, neutral)
    )
    unjudged = doubtful.union(*(_RELATED.get(node, ()) for node in present)) - present
    return _Truth(present, likely - present, unjudged, _without_duplicates(present))


def unjudged_of(record: Record, known: Vocabulary) -> set[str]:
    """Return the unjudgeable concepts: unknown to the scene, or hyponyms and hypernyms of present ones."""
    return set(_truth(tuple(record.objects), tuple(record.candidates), tuple(record.neutral), known).unjudged)


def _without_duplicates(present: Set[str]) -> list[set[str]]:
    """Group concepts that captions seldom name separately; each once, in the first row that has two of them.

    >>> [sorted(thing) for thing in _without_duplicates({"dog", "beach", "sea", "sand"})]
    [['beach', 'sand', 'sea'], ['dog']]
    """
    things, rest = list[set[str]](), set(present)
    for row in _DUPLICATES:
        if len(alike := rest.intersection(row)) > 1:
            things.append(alike)
            rest -= alike
    return [*things, *({node} for node in sorted(rest))]


def _related(table: Path) -> Mapping[str, frozenset[str]]:
    """Map each word to its hyponyms and hypernyms."""
    related: dict[str, set[str]] = {}
    for general, specific in table_rows(table, lambda general, specific: (general, words(specific)), {}):
        for word in specific:
            related.setdefault(general, set()).add(word)
            related.setdefault(word, set()).add(general)
    return {word: frozenset(others) for word, others in related.items()}


_RELATED = _related(Path(__file__).with_name("kinds.tsv"))
_DUPLICATES = table_rows(Path(__file__).with_name("duplicates.tsv"), lambda words: words, {"words": words})
