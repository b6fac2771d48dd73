"""Questions whose answers a perturbation may change: blur hides text.

Brown, for example, brightens to orange. The rules are data in undecidable.yaml: topics of questions, and words and
patterns per topic. They exclude too many questions rather than too few, so that a correct reaction to a perturbation
does not count as an accuracy drop.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml


@dataclass(frozen=True, slots=True)
class Topic:
    """Topic of questions."""

    words: re.Pattern[str]  # words of the topic, after removal of harmless names
    patterns: re.Pattern[str]  # phrases in the whole question
    harmless: re.Pattern[str]  # names that contain such words: a traffic light

    def find(self, question: str) -> re.Match[str] | None:
        """Return the first match in a lower-case question, or None."""
        word = self.words.search(question)
        if word:
            word = self.words.search(self.harmless.sub(lambda name: re.sub(r"\w", "_", name[0]), question))
        matches = filter(None, (word, self.patterns.search(question)))
        return min(matches, key=lambda match: match.start(), default=None)


def undecided(question: str, topics: Iterable[str]) -> str:
    """Return the first words of a question that match one of these topics, or "".

    >>> undecided("Is the duck's head reddish-brown?", ["colour", "light"])
    'reddish'
    >>> undecided("Is there an orange below the traffic light?", ["colour", "light"])
    ''
    """
    plain = _ASIDE.sub("", " ".join(question.lower().translate(_STRAIGHT).split())[:_LONGEST])
    matches = [match for match in (TOPICS[topic].find(plain) for topic in topics) if match]
    return min(matches, key=lambda match: match.start())[0] if matches else ""


def _topic(rules: Mapping[str, Any], groups: Mapping[str, str]) -> Topic:
    """Compile a topic; missing rules match nothing."""
    words = [re.escape(word) for word in rules.get("words", "").split()]
    patterns, harmless = (
        [re.sub(r"<(\w+)>", lambda name: groups[name[1]], text) for text in rules.get(kind, ())]
        for kind in ("patterns", "harmless")
    )
    return Topic(*(_any(parts) for parts in (words, patterns, harmless)))


def _any(parts: list[str]) -> re.Pattern[str]:
    """Return a pattern for any of the parts, at word boundaries."""
    return re.compile(rf"(?:(?<!\w)|(?!\w))(?:{'|'.join(parts)})(?:(?!\w)|(?<!\w))" if parts else r"(?!)")


_LONGEST: Final = 2000  # maximum number of characters searched in a question

_STRAIGHT: Final = str.maketrans("“”„‘’", '"""\'\'')
_RULES: Final = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_ASIDE: Final = re.compile(_RULES["aside"])
_GROUPS: Final = {name: re.sub(r"\|\s+", "|", text.strip()) for name, text in _RULES["groups"].items()}
TOPICS: Final = {name: _topic(rules, _GROUPS) for name, rules in _RULES["topics"].items()}
