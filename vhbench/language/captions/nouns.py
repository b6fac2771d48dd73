"""Nouns and similarity for AMBER's metric from a closed vocabulary, without a model."""

from collections.abc import Callable, Iterable
from pathlib import Path

from vhbench.language import lexicon
from vhbench.language.captions import senses
from vhbench.language.captions.vocabulary import Match, Vocabulary
from vhbench.tsv import records, words

# Words of AMBER's vocabulary that are as often a verb, and the context of verbs.
_ALSO_VERBS = lexicon.words("also verbs")
_BEFORE_A_VERB = lexicon.words("words before a verb")
_BEFORE_TO = lexicon.words("words before the preposition to")
_SAME_THINGS = records(Path(__file__).with_name("same_things.tsv"), lambda words: words, {"words": words})
_GROUP = {word: number for number, names in enumerate(_SAME_THINGS) for word in names}


def builtin_nouns(vocabulary: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function text → the given words that it mentions, in the singular and in order.

    >>> builtin_nouns(["dog", "watch", "can"])("Two dogs can watch a man with a watch.")
    ['dog', 'watch']
    """
    matcher = Vocabulary.build([[word] for word in sorted(set(vocabulary))], merged={"hot dog": "hot dog"})

    def nouns(text: str) -> list[str]:
        return [mention.word for mention in matcher.find(text) if not _is_verb(text.lower(), mention)]

    nouns.__name__ = "builtin closed vocabulary"
    return nouns


def builtin_similarity(first: str, second: str) -> float:
    """Return 1.0 for two synonyms, otherwise 0.0.

    >>> builtin_similarity("bike", "bicycle"), builtin_similarity("dog", "cat")
    (1.0, 0.0)
    """
    first, second = first.lower(), second.lower()
    same = first == second or (first in _GROUP and _GROUP[first] == _GROUP.get(second))
    return 1.0 if same else 0.0


builtin_similarity.__name__ = "builtin words for the same thing"


def _is_verb(lowered: str, mention: Match) -> bool:
    if mention.word not in _ALSO_VERBS:
        return False
    if senses.is_modal(lowered, mention.start, mention.end):
        return True
    before = lowered[: mention.start].split()[-2:]
    if not before or before[-1] not in _BEFORE_A_VERB:
        return False
    return not (before[-1] == "to" and before[0] in _BEFORE_TO)
