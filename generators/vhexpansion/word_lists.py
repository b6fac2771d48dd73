"""The word lists by which the negator tells a subject from what is said about it; the words are in word_lists.yaml."""

import re
from pathlib import Path
from typing import Final

import yaml

_LISTS: Final[dict[str, str]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def _words(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in _LISTS[name].split())


BE: Final = _words("be")
HAVE: Final = _words("have")
AUXILIARIES: Final = _words("be", "do", "have", "modals")
NEGATIONS: Final = _words("negations")
QUESTION_WORDS: Final = _words("question_words")
CONJUNCTIONS: Final = _words("conjunctions")
PRONOUNS: Final = _words("pronouns")
DEMONSTRATIVES: Final = _words("demonstratives")
QUANTIFIERS: Final = _words("quantifiers")
DETERMINERS: Final = _words("determiners", "demonstratives", "quantifiers")
NUMBERS: Final = _words("numbers")
PICTURES: Final = _words("pictures")
PREPOSITIONS: Final = _words("prepositions")
RELATIVES: Final = _words("relatives")
QUANTITIES: Final = _words("quantities")
SCOPES: Final = _words("scopes", "conjunctions")
ADVERBS: Final = _words("adverbs")
ADJECTIVES: Final = _words("adjectives")
PARTICIPLES: Final = _words("participles")
NOT_PARTICIPLES: Final = _words("not_participles")
PREDICATE_ENDING: Final = re.compile(r"\w{2,}(ing|ed|ful|less|ous|able|ible|ish|ly)$")
NOT_ADVERBS: Final = _words("not_adverbs")
VERBS: Final = _words("verbs")
COMPOUNDS: Final = frozenset(_LISTS["compounds"].split(", "))
