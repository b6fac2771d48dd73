"""CHAIR: how much of what a caption mentions is not in the image (Rohrbach et al., EMNLP 2018, arXiv 1809.02156).

A closed vocabulary of objects, each with its synonyms, is matched in the caption. A *mention* is one match; it is
hallucinated if its object is not among the image's gold objects.

* CHAIR_i = hallucinated mentions / mentions, over the whole corpus
* CHAIR_s = captions with a hallucinated mention / captions
* recall  = gold objects mentioned / gold objects, over the whole corpus

How to call it::

    synonyms = {"person": ("man", "woman"), "dog": ("puppy",), "cat": ()}      # or a path to CHAIR's synonyms.txt
    result = score(
        [{"image_id": 1, "caption": "A man and two cats."}],
        {1: ["person", "dog"]},
        synonyms=synonyms,
    )
    result["CHAIR_i"], result["CHAIR_s"], result["recall"]                     # fractions in [0, 1], or None
    result["counters"], result["intervals"], result["printed"]                 # printed: percent
    result["captions"][0]["mentions"]                                          # word, node, span, hallucinated

Answered caption questions (:class:`vhbench.schema.Record`) go through :func:`score_records`. The gold objects of a
COCO data set come from :func:`gold_from_coco`.

``compat=True`` gives what LisaAnne/Hallucination gives (6e4d33c): its tokeniser (NLTK's), its singulariser (pattern's,
by which "bus" becomes "bu" and is never counted), its double words of two tokens, its ZeroDivisionError. The default
repairs these: surface forms are built from the vocabulary, so bus, ties, canoes, collies and every multi-word name are
found; a rate without a denominator is None.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict

from vhbench.files import read_json, read_text
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import intervals
from vhbench.tasks.metrics.plurals import pattern_singular
from vhbench.tasks.metrics.records import ReferenceZeroDivision, as_records
from vhbench.tasks.metrics.vocabulary import Vocabulary, list_of_words

Synonyms = str | Path | Mapping[str, Iterable[str]] | Vocabulary


class Mention(TypedDict):
    """One match: ``caption[start:end]`` is a form of ``word``, a synonym of the object ``node``."""

    word: str
    node: str
    start: int
    end: int
    hallucinated: bool


def score(
    captions: Any,
    gold: Mapping[Any, Iterable[str]] | str | Path,
    *,
    synonyms: Synonyms,
    compat: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Score captions against the objects of their images.

    Args:
        captions: rows ``{"image_id", "caption"}`` ("text" or "response" serve as well), a mapping image id →
            caption, the reference's ``{"imgToEval": …}``, or a JSON or JSON lines file of either.
        gold: image id → names of the objects in the image, or a JSON file of it. Ids are compared as text.
        synonyms: object → its other names, CHAIR's ``synonyms.txt`` as a path or as text, or a built vocabulary.
        compat: score as the reference implementation does.
        seed: of the bootstrap intervals.

    Returns:
        ``CHAIR_i``, ``CHAIR_s``, ``recall`` in [0, 1] or None; ``printed`` in percent; ``counters``; ``intervals``
        (95 %, images resampled); ``captions`` with the mentions of each; ``unknown_gold``: gold names outside the
        vocabulary, which no caption can mention and which do not count in recall.

    Raises:
        VhbenchError: for an image without gold objects, or the same caption of an image twice.
        ZeroDivisionError: under ``compat`` if no caption mentions anything, as the reference does.

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
    rows = _caption_rows(captions)
    if not compat:
        _refuse_repeats(rows)
    truth, unknown = _gold_objects(gold, vocabulary, compat)
    scored = [_score_caption(image, text, _truth_of(image, truth), vocabulary, compat) for image, text in rows]
    counters = _count(scored, compat)
    return {
        **_rates(counters, compat),
        "counters": counters,
        "intervals": _intervals(scored, seed),
        "captions": [{key: value for key, value in row.items() if not key.startswith("_")} for row in scored],
        "unknown_gold": unknown,
    }


def score_records(
    records: Iterable[Record | Mapping[str, Any]], *, synonyms: Synonyms, compat: bool = False
) -> dict[str, Any]:
    """Score answered caption questions: the response is the caption, ``objects`` the gold.

    >>> row = {"id": "a", "response": "a cat", "objects": ["dog"]}
    >>> score_records([row], synonyms={"cat": (), "dog": ()})["CHAIR_i"]
    1.0
    """
    rows = as_records(records)
    return score(
        [{"image_id": row.id, "caption": row.response} for row in rows],
        {row.id: row.objects for row in rows},
        synonyms=synonyms,
        compat=compat,
    )


def vocabulary_of(
    synonyms: Synonyms, *, compat: bool = False, singular: Callable[[str], str] = pattern_singular
) -> Vocabulary:
    """Build the matcher of a synonym list; :func:`score` does it, callers that match text themselves can too.

    Args:
        synonyms: as in :func:`score`; a vocabulary comes back as it is.
        compat: match as the reference implementation does.
        singular: under ``compat``, another singulariser than the reference's, to see what its faults amount to.

    Raises:
        VhbenchError: for anything else, and for a vocabulary that was built for the other ``compat``.

    >>> vocabulary_of({"dog": ["puppy"]}).node("puppy")
    'dog'
    """
    if isinstance(synonyms, Vocabulary):
        if synonyms.compat != compat:
            raise VhbenchError(f"this vocabulary was built with compat={synonyms.compat}, and compat={compat} is asked")
        return synonyms
    if isinstance(synonyms, Mapping):
        lines = tuple((_name(name), *list_of_words(words, f"synonyms of {name!r}")) for name, words in synonyms.items())
        return _vocabulary(lines, compat, singular)
    if not isinstance(synonyms, (str, Path)):
        raise VhbenchError(f"synonyms are {synonyms!r:.60}; needed: object → its other names, or CHAIR's synonyms.txt")
    is_text = isinstance(synonyms, str) and ("\n" in synonyms or "," in synonyms)
    text = str(synonyms) if is_text else read_text(synonyms)
    lines = tuple(tuple(line.strip().split(", ")) for line in text.splitlines() if line.strip())
    return _vocabulary(lines, compat, singular)


@lru_cache(maxsize=8)
def _vocabulary(lines: tuple[tuple[str, ...], ...], compat: bool, singular: Callable[[str], str]) -> Vocabulary:
    """Build a vocabulary once: it remembers the words that it has met."""
    return Vocabulary.build(lines, compat=compat, singular=singular)


def gold_from_coco(
    instances: Any, captions: Any = None, *, synonyms: Synonyms, compat: bool = False
) -> dict[str, set[str]]:
    """Collect the gold objects per image from COCO instances and, as CHAIR does, from the reference captions.

    Args:
        instances: COCO instances (``images``, ``annotations``, ``categories``), as a mapping or a JSON file.
        captions: COCO captions of the same images, or None.
        synonyms: as in :func:`score`.
        compat: match the captions as the reference implementation does.

    Raises:
        VhbenchError: for an annotation with an unknown category or a category outside the vocabulary.
    """
    vocabulary = vocabulary_of(synonyms, compat=compat)
    data = _loaded(instances)
    names = {row["id"]: row["name"] for row in _part(data, "categories", "instances")}
    gold: dict[str, set[str]] = {str(row["id"]): set() for row in data.get("images", ())}
    for row in _part(data, "annotations", "instances"):
        name = names.get(row["category_id"])
        node = vocabulary.node(name) if name is not None else None
        if node is None:
            known = "a category" if name is None else "a word of the vocabulary"
            raise VhbenchError(f"annotation {row.get('id')}: category {name or row['category_id']!r} is not {known}")
        gold.setdefault(str(row["image_id"]), set()).add(node)
    for row in _part(_loaded(captions), "annotations", "captions") if captions is not None else ():
        gold.setdefault(str(row["image_id"]), set()).update(found.node for found in vocabulary.find(row["caption"]))
    return gold


def _loaded(data: Any) -> Any:
    return read_json(data) if isinstance(data, (str, Path)) else data


def _part(data: Any, key: str, what: str) -> list[dict[str, Any]]:
    if not isinstance(data, Mapping) or not isinstance(data.get(key), list):
        raise VhbenchError(f"COCO {what} need a list {key!r}")
    return list(data[key])


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise VhbenchError(f"the object {name!r} of the synonyms is not a name")
    return name


def _caption_rows(captions: Any) -> list[tuple[str, str]]:
    """Bring every input form to pairs (image id, caption)."""
    data = _loaded(captions)
    if isinstance(data, Mapping) and isinstance(data.get("imgToEval"), Mapping):
        data = list(data["imgToEval"].values())
    elif isinstance(data, Mapping) and not {"image_id", "id"} & data.keys():
        data = [{"image_id": image, "caption": text} for image, text in data.items()]
    elif isinstance(data, Mapping):
        data = [data]
    if isinstance(data, (bytes, Mapping)) or not isinstance(data, Iterable):
        raise VhbenchError(f"captions are {data!r:.60}; needed: rows with 'image_id' and 'caption', or a file of them")
    return [_caption_row(row, place) for place, row in enumerate(data)]


def _caption_row(row: Any, place: int) -> tuple[str, str]:
    if not isinstance(row, Mapping):
        raise VhbenchError(f"caption {place} is not a mapping with 'image_id' and 'caption'")
    image = row.get("image_id", row.get("id"))
    text = next((row[key] for key in ("caption", "text", "response") if key in row), None)
    if image is None:
        raise VhbenchError(f"caption {place} has no 'image_id'")
    if not isinstance(text, str):
        raise VhbenchError(f"caption {place} (image {image}): the caption is {text!r}, not text")
    return str(image), text


def _refuse_repeats(rows: Sequence[tuple[str, str]]) -> None:
    seen: set[tuple[str, str]] = set()
    for place, row in enumerate(rows):
        if row in seen:
            raise VhbenchError(f"caption {place}: image {row[0]} has this caption twice; each row may occur once")
        seen.add(row)


def _gold_objects(
    gold: Mapping[Any, Iterable[str]] | str | Path, vocabulary: Vocabulary, compat: bool
) -> tuple[dict[str, frozenset[str]], list[str]]:
    data = _loaded(gold)
    if not isinstance(data, Mapping):
        raise VhbenchError(f"gold objects are {gold!r:.60}; needed: image id → list of object names, or a file of it")
    truth: dict[str, frozenset[str]] = {}
    unknown: set[str] = set()
    for image, names in data.items():
        nodes = {name: vocabulary.node(name) for name in list_of_words(names, f"gold objects of image {image}")}
        unknown.update(name for name, node in nodes.items() if node is None)
        kept = nodes if compat else [node for node in nodes.values() if node is not None]
        truth[str(image)] = frozenset(kept)
    return truth, sorted(unknown)


def _truth_of(image: str, truth: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if image not in truth:
        raise VhbenchError(f"image {image!r} has a caption but no gold objects ({len(truth)} images have some)")
    return truth[image]


def _score_caption(
    image: str, text: str, truth: frozenset[str], vocabulary: Vocabulary, compat: bool
) -> dict[str, Any]:
    mentions: list[Mention] = [
        {"word": m.word, "node": m.node, "start": m.start, "end": m.end, "hallucinated": m.node not in truth}
        for m in vocabulary.find(text)
    ]
    wrong = sum(mention["hallucinated"] for mention in mentions)
    return {
        "image_id": image,
        "CHAIR_i": wrong / len(mentions) if mentions else (0.0 if compat else None),
        "CHAIR_s": int(wrong > 0),
        "mentions": mentions,
        "_wrong": wrong,
        "_gold": len(truth),
        "_recalled": len(truth & {mention["node"] for mention in mentions}),
    }


def _count(scored: Sequence[Mapping[str, Any]], compat: bool) -> dict[str, int]:
    counters = {
        "captions": len(scored),
        "hallucinated_captions": sum(row["CHAIR_s"] for row in scored),
        "words": sum(len(row["mentions"]) for row in scored),
        "hallucinated_words": sum(row["_wrong"] for row in scored),
        "gold_objects": sum(row["_gold"] for row in scored),
        "recalled_objects": sum(row["_recalled"] for row in scored),
    }
    if compat and not counters["words"]:
        raise ReferenceZeroDivision("no caption mentions an object: the reference implementation divides by zero")
    return counters


def _rates(counters: Mapping[str, int], compat: bool) -> dict[str, Any]:
    def rate(top: str, bottom: str) -> float | None:
        return counters[top] / counters[bottom] if counters[bottom] else None

    rates = {
        "CHAIR_i": rate("hallucinated_words", "words"),
        "CHAIR_s": rate("hallucinated_captions", "captions"),
        "recall": rate("recalled_objects", "gold_objects"),
    }
    names = {"CHAIRs": "CHAIR_s", "CHAIRi": "CHAIR_i", "Recall": "recall"}
    printed = {name: None if (value := rates[key]) is None else round(100 * value, 2) for name, key in names.items()}
    return {**rates, "printed": printed}


def _intervals(scored: Sequence[Mapping[str, Any]], seed: int) -> dict[str, intervals.Interval | None]:
    images = [row["image_id"] for row in scored]
    wrong = [row["_wrong"] for row in scored]
    mentions = [len(row["mentions"]) for row in scored]
    recalled, present = [row["_recalled"] for row in scored], [row["_gold"] for row in scored]
    settings: dict[str, Any] = {"clusters": images, "seed": seed}
    return {
        "CHAIR_i": intervals.ratio(wrong, mentions, **settings),
        "CHAIR_s": intervals.mean([row["CHAIR_s"] for row in scored], **settings),
        "recall": intervals.ratio(recalled, present, **settings),
    }
