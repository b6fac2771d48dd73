"""CHAIR's input, from files or as objects, checked; and each caption held against the objects of its image."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vhbench.files import read_text
from vhbench.language.captions.assertions import claims, is_caption
from vhbench.language.captions.vocabulary import Found, Vocabulary, list_of_words
from vhbench.language.parsing import failure
from vhbench.records import loaded, refuse_duplicates
from vhbench.schema import Failure, VhbenchError
from vhbench.tasks.metrics.rates import share

Judged = tuple[dict[str, Any], dict[str, int]]
"""What the result says of a caption, and what the caption adds to the counters."""


def judged(rows: Sequence[tuple[str, str]], gold: Mapping[str, Sequence[str]], vocabulary: Vocabulary) -> list[Judged]:
    """Hold pairs (image, caption) against image → names of its objects; names outside the vocabulary do not count.

    What is no caption but a failed request, a refusal or a mere thought mentions nothing, and is not counted among the
    captions.

    Raises:
        VhbenchError: for an image without gold objects, or the same caption of an image twice.
    """
    refuse_duplicates(rows, "the caption")
    truth = {image: frozenset(filter(None, map(vocabulary.node, names))) for image, names in gold.items()}
    mentioned = partial(claims, vocabulary=vocabulary)
    return [judge(image, text, truth, mentioned, failure(text), is_caption) for image, text in rows]


def judge(
    image: str,
    text: str,
    truth: Mapping[str, frozenset[str]],
    mentioned: Callable[[str], Sequence[Found]],
    lost: Failure = "",
    is_caption: Callable[[str], bool] = lambda text: True,
) -> Judged:
    """Hold what one caption mentions against the objects of its image; ``lost`` says what it is, where it is none.

    What mentions nothing may be no caption either, which ``is_caption`` tells.

    >>> words = Vocabulary.build([["dog"], ["cat"], ["bus"]])
    >>> judge("1", "A dog, a cat, no bus.", {"1": frozenset(["dog"])}, partial(claims, vocabulary=words))[0]["CHAIR_i"]
    0.5
    """
    if image not in truth:
        raise VhbenchError(f"image {image!r} has a caption but no gold objects ({len(truth)} images have some)")
    gold, found = truth[image], mentioned("" if lost else text)
    mentions = [
        {"word": m.word, "node": m.node, "start": m.start, "end": m.end, "hallucinated": m.node not in gold}
        for m in found
    ]
    wrong = sum(mention.node not in gold for mention in found)
    given = not lost and (bool(found) or is_caption(text))
    counts = {
        "captions": int(given),
        "hallucinated_captions": int(wrong > 0),
        "words": len(mentions),
        "hallucinated_words": wrong,
        "gold_objects": len(gold),
        "recalled_objects": len(gold & {mention.node for mention in found}),
        "asked": 1,
        "failed": int(lost == "failed"),
        "refused": int(lost == "refused"),
    }
    whole = int(wrong > 0) if given else None
    row = {"image_id": image, "CHAIR_i": share(wrong, len(mentions)), "CHAIR_s": whole, "mentions": mentions}
    return row | ({"failure": lost} if lost else {}), counts


def read_captions(captions: Any) -> list[tuple[str, str]]:
    """Bring every form that :func:`vhbench.tasks.metrics.chair.score` takes to pairs (image id, caption).

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
        raise VhbenchError(f"captions are {data!r:.60}; needed: rows with 'image_id' and 'caption', or a file of them")
    return [_caption(row, place) for place, row in enumerate(data)]


def _caption(row: Any, place: int) -> tuple[str, str]:
    if not isinstance(row, Mapping):
        raise VhbenchError(f"caption {place} is not a mapping with 'image_id' and 'caption'")
    image = row.get("image_id", row.get("id"))
    text = next((row[key] for key in ("caption", "text", "response") if key in row), None)
    if image is None:
        raise VhbenchError(f"caption {place} has no 'image_id'")
    if text is None and any(key in row for key in ("caption", "text", "response")):
        text = ""  # a request that gave nothing
    if not isinstance(text, str):
        raise VhbenchError(f"caption {place} (image {image}): the caption is {text!r}, not text")
    return str(image), text


def read_gold(gold: Any) -> dict[str, list[str]]:
    """Return image id → names of its objects, from a mapping or a JSON file."""
    data = loaded(gold)
    if not isinstance(data, Mapping):
        raise VhbenchError(f"gold objects are {gold!r:.60}; needed: image id → list of object names, or a file of it")
    return {str(image): list_of_words(names, f"gold objects of image {image}") for image, names in data.items()}


def read_synonyms(synonyms: Any) -> tuple[tuple[str, ...], ...]:
    """Return a name and its synonyms per object, from a mapping, or from CHAIR's ``synonyms.txt`` as path or text."""
    if isinstance(synonyms, Mapping):
        for name in synonyms:
            if not isinstance(name, str):
                raise VhbenchError(f"the object {name!r} of the synonyms is not a name")
        return tuple((name, *list_of_words(words, f"synonyms of {name!r}")) for name, words in synonyms.items())
    if not isinstance(synonyms, (str, Path)):
        raise VhbenchError(f"synonyms are {synonyms!r:.60}; needed: object → its other names, or CHAIR's synonyms.txt")
    is_text = isinstance(synonyms, str) and ("\n" in synonyms or "," in synonyms)
    text = str(synonyms) if is_text else read_text(synonyms)
    found = tuple(tuple(line.strip().split(", ")) for line in text.splitlines() if line.strip())
    if not found:
        raise VhbenchError(f"synonyms {synonyms}: hold no words")
    return found
