"""What stands around an answer, thoughts, markup and typographic quotes, is taken away before it is read."""

import re
import unicodedata

_ENOUGH = 5_000
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>|^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\(?:boxed|text)\s*\{([^{}]*)\}")
_MARKUP = re.compile(r"[*_`#]+|</?\w+>")
# Runs of signs and spaces are possessive (*+, ++): without giving back, a long run is read once and not once per end.
SAYS = r"(?:answer|choice|option|conclusion)\s*+(?:[\"']\s*+)?(?:is|:|=|would be|should be)++\s*+(?:[:\"'(]++\s*+)?"


def plain(text: str) -> str:
    """Drop thoughts and markup, straighten quotes."""
    if len(text) > 2 * _ENOUGH:  # a model that runs on and on must not stop the scoring
        text = text[:_ENOUGH] + " " + text[-_ENOUGH:]
    text = _THOUGHT.sub(" ", unicodedata.normalize("NFKC", text))
    text = _BOXED.sub(r" \1 ", text)
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    return _MARKUP.sub("", text).strip()
