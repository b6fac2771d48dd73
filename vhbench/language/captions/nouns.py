"""Nouns and similarity for AMBER's metric from a closed vocabulary, without a model."""

from collections.abc import Callable, Iterable

from vhbench.language import lexicon
from vhbench.language.captions import senses
from vhbench.language.captions.vocabulary import Match, Vocabulary

# Words of AMBER's vocabulary that are as often a verb, and the context of verbs.
_ALSO_VERBS = lexicon.words("also verbs")
_BEFORE_A_VERB = frozenset(
    "to can could will would may might must should shall cannot not i you he she it we they who also".split()
)
# Words before the preposition "to": "next to water".
_BEFORE_TO = frozenset(
    "next close adjacent attached connected due leading leads similar tied up back belonging".split()
)

_SAME_THING = (
    "person people individual human, child kid, plane airplane aeroplane aircraft, bicycle bike, motorbike "
    "motorcycle, ship boat vessel, television tv, sofa couch, phone telephone cellphone smartphone, fridge "
    "refrigerator, tap faucet stopcock, rug carpet, drawing painting, luggage baggage suitcase, rock stone, bathtub "
    "tub, football soccer, bin dustbin trashcan, spade shovel, tortoise turtle, kiwi kiwifruit, tie necktie, dove "
    "pigeon, road street, stair staircase stairs, railing rail guardrail, scarf muffler, sea ocean, streetlamp "
    "streetlight, wineglass goblet, paraglider parasail, doughnut donut, laptop notebook, seegull seagull gull, "
    "earing earring earrings, ebook e-book"
)
_GROUP = {word: number for number, line in enumerate(_SAME_THING.split(", ")) for word in line.split()}


def builtin_nouns(words: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function text → the given words that it mentions, in the singular and in order.

    >>> builtin_nouns(["dog", "watch", "can"])("Two dogs can watch a man with a watch.")
    ['dog', 'watch']
    """
    vocabulary = Vocabulary.build([[word] for word in sorted(set(words))], merged={"hot dog": "hot dog"})

    def nouns(text: str) -> list[str]:
        return [mention.word for mention in vocabulary.find(text) if not _is_verb(text.lower(), mention)]

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
