"""CHAIR's inputs from files or objects, validated; and the comparison of captions with gold objects."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vhbench.files import read_text
from vhbench.language.captions.assertions import claims, is_caption
from vhbench.language.captions.vocabulary import Match, Vocabulary, list_of_words
from vhbench.language.parsing import caption_text, failure
from vhbench.records import is_cut_off, loaded, refuse_duplicates
from vhbench.schema import Failure, Record, VhbenchError
from vhbench.tasks.metrics.metric import Claims
from vhbench.tasks.metrics.rates import share

Judged = tuple[dict[str, Any], dict[str, int]]  # result of a caption, and its counts


def judged(rows: Sequence[tuple[str, str]], gold: Mapping[str, Sequence[str]], vocabulary: Vocabulary) -> list[Judged]:
    """Compare pairs (image, caption) with image → gold objects; names outside the vocabulary are ignored.

    Failed requests, refusals and unclosed reasoning mention nothing and are not counted as captions. Raises for an
    image without gold objects, or the same caption of an image twice.
    """
    refuse_duplicates(rows, "the caption")
    truth = {image: frozenset(filter(None, map(vocabulary.node, names))) for image, names in gold.items()}
    mentioned = partial(claims, vocabulary=vocabulary)
    return [judge(image, text, truth, mentioned, failure(text), is_caption) for image, text in rows]


def judge(
    image: str,
    text: str,
    truth: Mapping[str, frozenset[str]],
    mentioned: Callable[[str], Sequence[Match]],
    lost: Failure = "",
    is_caption: Callable[[str], bool] = lambda text: True,
) -> Judged:
    """Compare the mentions of a caption with the gold objects; ``lost`` is the reason for a missing caption.

    Text without mentions may not be a caption either, as ``is_caption`` decides.

    >>> words = Vocabulary.build([["dog"], ["cat"], ["bus"]])
    >>> judge("1", "A dog, a cat, no bus.", {"1": frozenset(["dog"])}, partial(claims, vocabulary=words))[0]["CHAIR_i"]
    0.5
    """
    if image not in truth:
        raise VhbenchError(f"image {image!r}: expected gold objects for its caption ({len(truth)} images have some)")
    gold, matches = truth[image], mentioned("" if lost else text)
    mentions = [
        {"word": m.word, "node": m.node, "start": m.start, "end": m.end, "hallucinated": m.node not in gold}
        for m in matches
    ]
    wrong = sum(mention.node not in gold for mention in matches)
    has_caption = not lost and (bool(matches) or is_caption(text))
    counts = {
        "captions": int(has_caption),
        "hallucinated_captions": int(wrong > 0),
        "words": len(mentions),
        "hallucinated_words": wrong,
        "gold_objects": len(gold),
        "recalled_objects": len(gold & {mention.node for mention in matches}),
        "asked": 1,
        "failed": int(lost == "failed"),
        "refused": int(lost == "refused"),
    }
    whole = int(wrong > 0) if has_caption else None
    row = {"image_id": image, "CHAIR_i": share(wrong, len(mentions)), "CHAIR_s": whole, "mentions": mentions}
    return row | ({"failure": lost} if lost else {}), counts


def claims_of(record: Record, *, captions: bool, named: bool, **counts: int) -> Claims:
    """Return the counts of a caption, with those that no vocabulary is needed for: length, truncation, failure.

    ``captions``: whether the response is a caption; ``named``: whether it names anything of the vocabulary.
    """
    return Claims(
        captions=int(captions),
        named=int(named),
        asked=1,
        given=int(not record.failure),
        words=words_of(record),
        cut_off=int(is_cut_off(record)),
        failed=int(record.failure == "failed"),
        refused=int(record.failure == "refused"),
        **counts,
    )


def words_of(record: Record) -> int:
    """Return the number of words of a caption without reasoning; 0 for a missing one.

    >>> words_of(Record("1", kind="caption", response="<think>A dog? Yes.</think>A dog by the sea."))
    5
    """
    return 0 if record.failure else len(caption_text(record.response).split())


def read_captions(captions: Any) -> list[tuple[str, str]]:
    """Convert every input format of :func:`vhbench.tasks.metrics.chair.score` to pairs (image id, caption).

    >>> read_captions({7: "A dog."})
    [('7', 'A dog.')]
    """
    data = loaded(captions)
    if isinstance(data, Mapping):
        if isinstance(data.get("imgToEval"), Mapping):
            data = list(data["imgToEval"].values())
        elif {"image_id", "id"} & data.keys():
            data = [data]
        else:
            data = [{"image_id": image, "caption": text} for image, text in data.items()]
    if isinstance(data, bytes) or not isinstance(data, Iterable):
        raise VhbenchError(
            f"captions: expected rows with 'image_id' and 'caption', or a file of them; got {data!r:.60}"
        )
    return [_caption(row, place) for place, row in enumerate(data)]


def _caption(row: Any, place: int) -> tuple[str, str]:
    if not isinstance(row, Mapping):
        raise VhbenchError(f"caption {place}: expected a mapping with 'image_id' and 'caption'")
    image = row.get("image_id", row.get("id"))
    text = next((row[key] for key in ("caption", "text", "response") if key in row), None)
    if image is None:
        raise VhbenchError(f"caption {place}: expected an 'image_id'")
    if text is None and any(key in row for key in ("caption", "text", "response")):
        text = ""  # a failed request
    if not isinstance(text, str):
        raise VhbenchError(f"caption {place} (image {image}): expected text, got {text!r}")
    return str(image), text


def read_gold(gold: Any) -> dict[str, list[str]]:
    """Return image id → names of its objects, from a mapping or a JSON file."""
    data = loaded(gold)
    if not isinstance(data, Mapping):
        raise VhbenchError(f"gold objects: expected image id → list of object names, or a file of it; got {gold!r:.60}")
    return {str(image): list_of_words(names, f"gold objects of image {image}") for image, names in data.items()}


def read_synonyms(synonyms: Any) -> tuple[tuple[str, ...], ...]:
    """Return name and synonyms per object, from a mapping or CHAIR's ``synonyms.txt`` as path or text."""
    if isinstance(synonyms, Mapping):
        for name in synonyms:
            if not isinstance(name, str):
                raise VhbenchError(f"synonyms: expected an object name, got {name!r}")
        return tuple((name, *list_of_words(words, f"synonyms of {name!r}")) for name, words in synonyms.items())
    if not isinstance(synonyms, (str, Path)):
        raise VhbenchError(
            f"synonyms: expected object → its other names, or CHAIR's synonyms.txt; got {synonyms!r:.60}"
        )
    is_text = isinstance(synonyms, str) and ("\n" in synonyms or "," in synonyms)
    text = str(synonyms) if is_text else read_text(synonyms)
    groups = tuple(tuple(line.strip().split(", ")) for line in text.splitlines() if line.strip())
    if not groups:
        raise VhbenchError(f"synonyms {synonyms}: expected at least one word")
    return groups
