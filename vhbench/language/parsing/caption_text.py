"""What a caption says to its reader, where it comes in a thought's company, in markup or as JSON."""

import json
from collections.abc import Iterator
from typing import Any

from vhbench.language.parsing.cleaning import plain


def told(response: str) -> str:
    r"""Return the words of a caption: what :func:`~vhbench.language.parsing.plain` leaves, of a JSON object its texts.

    An object that holds anything but texts and lists of them is no caption in a wrapping: it stays as it is.

    >>> told('<think>A cat?</think>{"caption": "A dog.", "objects": ["dog", "sea"]}'), told('{"dog": false}')
    ('A dog.\ndog, sea', '{"dog": false}')
    """
    text = plain(response)
    if not text.startswith("{"):
        return text
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    texts = list(_texts(found)) if isinstance(found, dict) else []
    return text if None in texts or not texts else "\n".join(filter(None, texts))


def _texts(found: dict[str, Any]) -> Iterator[str | None]:
    """Yield the texts of an object, None for what is none."""
    for value in found.values():
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            yield ", ".join(value)
        elif isinstance(value, dict):
            yield from _texts(value)
        else:
            yield value if isinstance(value, str) else None
