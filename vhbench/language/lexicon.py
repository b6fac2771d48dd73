"""Named word lists of this package's rules, from ``lexicon.tsv`` (one per row).

Relations between words (synonyms, contraries) are in ``parsing/meanings.tsv`` and ``synonyms.tsv``.
"""

from collections.abc import Mapping
from pathlib import Path

from vhbench.tsv import records

_LISTS: Mapping[str, frozenset[str]] = dict(
    records(Path(__file__).with_suffix(".tsv"), lambda list, words: (list, frozenset(words.split())), {})
)


def words(name: str) -> frozenset[str]:
    """Return the words of a list.

    >>> sorted(words("articles"))
    ['a', 'an', 'the']
    """
    return _LISTS[name]
