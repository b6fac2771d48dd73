"""Synonyms of object words in captions: a sofa is a couch, a puppy is a dog.

``synonyms.tsv`` has a row per object: its synonyms and its hyponyms.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from vhbench.language import lexicon
from vhbench.tsv import records, words

_ROWS = records(
    Path(__file__).with_suffix(".tsv"), lambda same, kinds: (same, (*same, *kinds)), {"same": words, "kinds": words}
)


def extended(vocabulary: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return a vocabulary (concept → words) with all further synonyms.

    Existing words are left out, and so are words that would name two concepts.

    >>> extended({"rug": ["mat"], "sofa": []})["rug"]
    ('mat', 'carpet')
    >>> "puppy" in extended({"dog": []})["dog"], "puppy" in extended({"dog": [], "puppy": []})["dog"]
    (True, False)
    """
    groups = {name: tuple(others) for name, others in vocabulary.items()}
    present = {word.lower() for name, others in groups.items() for word in (name, *others)}
    more = {name: _others({word.lower() for word in (name, *others)}) - present for name, others in groups.items()}
    owners = Counter(word for group in more.values() for word in group)
    return {
        name: (*others, *(word for word in sorted(more[name]) if owners[word] == 1)) for name, others in groups.items()
    }


def synonyms_of(word: str) -> tuple[str, ...]:
    """Return the synonyms of a word.

    >>> synonyms_of("couch"), synonyms_of("zeppelin")
    (('sofa',), ())
    """
    return tuple(other for same, _ in _ROWS if word.lower() in same for other in same if other != word.lower())


def related(one: str, other: str) -> bool:
    """Return whether two words share a row: they are synonyms, or one is a kind of the other.

    >>> related("puppy", "dog"), related("couch", "sofa"), related("puppy", "cat")
    (True, True, False)
    """
    pair = {one.lower(), other.lower()}
    return any(pair <= set(every) and pair & set(same) for same, every in _ROWS)


def words_outside(vocabulary: Iterable[str]) -> list[str]:
    """Return the single words for visible things, of this table and for people by role, that a vocabulary lacks.

    Words that are also verbs, and those of a longer name in the vocabulary, are left out.

    >>> words = words_outside(["dog", "puppy", "fire truck"])
    >>> "surfer" in words, "couch" in words, "dog" in words, "truck" in words
    (True, True, False, False)
    """
    listed = {part for word in vocabulary for part in (word, *word.split())} | lexicon.words("also verbs")
    every = {word for _, group in _ROWS for word in group} | lexicon.words("people by role")
    return sorted(word for word in every - listed if " " not in word)


def _others(names: set[str]) -> set[str]:
    return {word for same, every in _ROWS if names.intersection(same) for word in every}
