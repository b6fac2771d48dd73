"""CHAIR: share of mentioned objects that are not in the image (Rohrbach et al., EMNLP 2018, arXiv 1809.02156).

A closed vocabulary of objects with synonyms is matched in the caption. A *mention* is a match that asserts presence
(:mod:`vhbench.language.captions.assertions`: "no dog" and "a statue of a dog" do not); it is
hallucinated if its object is not among the image's gold objects.

* CHAIR_i = hallucinated mentions / mentions, over the whole corpus
* CHAIR_s = captions with a hallucinated mention / captions that were given
* recall  = gold objects mentioned / gold objects, over the whole corpus

Failed requests, empty captions and refusals mention nothing; counting them would lower the hallucination rate, so they
are excluded from CHAIR_s, and cover nothing in recall. With more than 1 % failed requests, all three are None, see
:mod:`vhbench.tasks.metrics.withholding`.

The gold objects of a COCO data set come from :func:`gold_from_coco`.

``compat=True`` reproduces LisaAnne/Hallucination (6e4d33c): NLTK's tokenizer, pattern's singularizer ("bus" becomes
"bu" and is never counted), names of at most two tokens, ZeroDivisionError. The default fixes these: surface forms come
from the vocabulary, so bus, ties, canoes, collies and all multi-word names are found; denied objects are not mentions;
a rate without a denominator is None; missing captions are detected.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict

from vhbench.files import read_typed
from vhbench.language.captions.reference_vocabulary import ReferenceVocabulary
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import chair_captions, chair_reference, rates, withholding
from vhbench.tasks.metrics.metric import Claims

Synonyms = str | Path | Mapping[str, Iterable[str]] | Vocabulary

RATES = {
    "CHAIR_i": ("hallucinated_words", "words"),
    "CHAIR_s": ("hallucinated_captions", "captions"),
    "recall": ("recalled_objects", "gold_objects"),
}
SHARES = {name: (name, "asked") for name in ("failed", "refused")}
_PRINTED = {"CHAIRs": "CHAIR_s", "CHAIRi": "CHAIR_i", "Recall": "recall"}


def score(
    captions: Any,
    gold: Mapping[Any, Iterable[str]] | str | Path,
    *,
    synonyms: Synonyms,
    compat: bool = False,
    allow_failed: bool = False,
) -> dict[str, Any]:
    """Score captions against the objects of their images.

    Args:
        captions: rows ``{"image_id", "caption"}`` ("text" or "response" serve as well), a mapping image id →
            caption, the reference's ``{"imgToEval": …}``, or a JSON or JSON lines file of either.
        gold: image id → names of the objects in the image, or a JSON file of it. Ids are compared as text.
        synonyms: object → its other names, CHAIR's ``synonyms.txt`` as a path or as text, or a built vocabulary.
        compat: reproduce the reference implementation.
        allow_failed: report the rates even if more than 1 % of the requests failed.

    Returns:
        ``CHAIR_i``, ``CHAIR_s``, ``recall`` in [0, 1] or None; ``failed``, ``refused`` (shares); ``withheld``: reason
        why the three are None, or None; ``printed`` in percent; ``counters``; ``intervals`` (95 %), ``interval_notes``;
        ``captions`` with the mentions of each; ``unknown_gold``: gold names outside the vocabulary, which are
        not counted in recall.

    Raises:
        VhbenchError: for an image without gold objects, or the same caption of an image twice.
        ZeroDivisionError: under ``compat`` if no caption mentions anything, as in the reference.

    >>> result = score(
    ...     [{"image_id": 1, "caption": "Two men walk a dog."}, {"image_id": 2, "caption": "Puppies, and a hot dog."}],
    ...     {1: ["person"], 2: ["dog", "hot dog", "person"]},
    ...     synonyms={"person": ("man",), "dog": ("puppy",), "hot dog": ()},
    ... )
    >>> result["CHAIR_i"], result["CHAIR_s"], result["recall"]  # "dog" in the first: 1 of 4 mentions, 1 of 2 captions
    (0.25, 0.5, 0.75)
    >>> [(m["word"], m["start"], m["end"]) for m in result["captions"][1]["mentions"]]
    [('puppy', 0, 7), ('hot dog', 15, 22)]
    """
    vocabulary = vocabulary_of(synonyms, compat=compat)
    rows, truth = chair_captions.read_captions(captions), chair_captions.read_gold(gold)
    judgments = (chair_reference if compat else chair_captions).judged(rows, truth, vocabulary)
    columns = {name: [counts[name] for _, counts in judgments] for pair in RATES.values() for name in pair}
    lost = {name: [counts[name] for _, counts in judgments] for pair in SHARES.values() for name in pair}
    counts = withholding.ResponseCounts()
    for (image, text), (row, _) in zip(rows, judgments, strict=True):
        record = Record(image, kind="caption", response=text, failure=row.get("failure", ""))
        counts.add(record, Claims(named=len(row["mentions"])))
    withheld = None if allow_failed or compat else counts.reason
    none: dict[str, Any] = dict.fromkeys(RATES) if withheld else {}
    column_pairs = SHARES if withheld else RATES | SHARES
    result = none | rates.of_sums(columns | lost, column_pairs, clusters=[row["image_id"] for row, _ in judgments])
    result |= {"intervals": none | result["intervals"], "withheld": withheld}
    shares = {name: result[rate] for name, rate in _PRINTED.items()}
    return {
        **result,
        "printed": {name: None if value is None else round(100 * value, 2) for name, value in shares.items()},
        "counters": {name: sum(column) for name, column in columns.items()},
        "captions": [row for row, _ in judgments],
        "unknown_gold": sorted(name for name in set(chain(*truth.values())) if vocabulary.node(name) is None),
    }


def counter(vocabulary: Mapping[str, Iterable[str]]) -> Callable[[Record], Claims]:
    """Return the counter of a caption's claims, as in :func:`score`; a record's ``objects`` are the gold objects."""
    return partial(_claims, known=vocabulary_of(vocabulary))


def _claims(record: Record, known: Vocabulary) -> Claims:
    """Count the mentions of a caption. CHAIR lists no likely hallucinations, so Cog has no denominator."""
    text = "" if record.failure else record.prediction or record.response
    [(row, counts)] = chair_captions.judged([(record.id, text)], {record.id: record.objects}, known)
    return chair_captions.claims_of(
        record,
        captions=not record.failure and bool(counts["captions"]),
        named=bool(row["mentions"]),
        mentions=counts["words"],
        hallucinated=counts["hallucinated_words"],
        hallucinating=counts["hallucinated_captions"],
        objects=counts["gold_objects"],
        covered=counts["recalled_objects"],
    )


def vocabulary_of(
    synonyms: Synonyms, *, compat: bool = False, singular: Callable[[str], str] | None = None
) -> Vocabulary:
    """Build the matcher of a synonym list, as :func:`score` does, for direct use.

    Args:
        synonyms: as in :func:`score`; a vocabulary is returned unchanged.
        compat: match like the reference implementation.
        singular: under ``compat``, another singularizer than the reference's, to measure the effect of its errors.

    Raises:
        VhbenchError: for other types, and for a vocabulary built with another ``compat``.

    >>> vocabulary_of({"dog": ["puppy"]}).node("puppy")
    'dog'
    """
    if not isinstance(synonyms, Vocabulary):
        return _vocabulary(chair_captions.read_synonyms(synonyms), compat, singular)
    if (built := isinstance(synonyms, ReferenceVocabulary)) != compat:
        raise VhbenchError(f"expected a vocabulary built with compat={compat}, got compat={built}")
    return synonyms


@lru_cache(maxsize=8)
def _vocabulary(lines: tuple[tuple[str, ...], ...], compat: bool, singular: Callable[[str], str] | None) -> Vocabulary:
    """Build a vocabulary, cached: it caches matched words."""
    return ReferenceVocabulary.build(lines, singular=singular) if compat else Vocabulary.build(lines)


def gold_from_coco(
    instances: Any, captions: Any = None, *, synonyms: Synonyms, compat: bool = False
) -> dict[str, set[str]]:
    """Collect the gold objects per image from COCO instances and, as in CHAIR, from the reference captions.

    Args:
        instances: COCO instances (``images``, ``annotations``, ``categories``), as a mapping or a JSON file.
        captions: COCO captions of the same images, or None.
        synonyms: as in :func:`score`.
        compat: match the captions like the reference implementation.

    Categories outside the vocabulary do not count as objects.

    Raises:
        VhbenchError: for an annotation with an unknown category, or if no image has an object of the vocabulary.
    """
    vocabulary = vocabulary_of(synonyms, compat=compat)
    data = read_coco(instances)
    names = {row["id"]: row["name"] for row in _part(data, "categories", "instances", "id", "name")}
    photos = _part(data, "images", "instances", "id") if "images" in data else ()
    gold: dict[str, set[str]] = {str(row["id"]): set() for row in photos}
    for row in _part(data, "annotations", "instances", "image_id", "category_id"):
        if (name := names.get(row["category_id"])) is None:
            raise VhbenchError(
                f"annotation {row.get('id')}: expected a category of the file, got {row['category_id']!r}"
            )
        gold.setdefault(str(row["image_id"]), set()).update(filter(None, [vocabulary.node(name)]))
    file = f"captions {captions}" if isinstance(captions, (str, Path)) else "captions"
    rows = _part(read_coco(captions), "annotations", file, "image_id", "caption") if captions is not None else ()
    for row in rows:
        gold.setdefault(str(row["image_id"]), set()).update(match.node for match in vocabulary.find(row["caption"]))
    if names and not any(gold.values()):
        raise VhbenchError(f"expected the vocabulary to have a category of the images, such as {min(names.values())!r}")
    return gold


class _Entry(TypedDict, total=False):
    id: int | str
    name: str
    file_name: str
    image_id: int | str
    category_id: int | str
    caption: str


class _Coco(TypedDict, total=False):
    images: list[_Entry]
    annotations: list[_Entry]
    categories: list[_Entry]


def read_coco(data: Any) -> Any:
    """Return the needed fields of a COCO file, without its large segmentations; other data is unchanged."""
    return read_typed(Path(data), _Coco, "COCO") if isinstance(data, (str, Path)) else data


def _part(data: Any, key: str, title: str, *columns: str) -> list[dict[str, Any]]:
    if not isinstance(data, Mapping) or not isinstance(data.get(key), list):
        raise VhbenchError(f"COCO {title}: expected a list {key!r}")
    for number, row in enumerate(data[key], start=1):
        for name in columns:
            if not isinstance(row, Mapping) or name not in row:
                raise VhbenchError(f"COCO {title}, {key}, row {number}: expected {name!r}, got {row!r:.80}")
    return list(data[key])
