"""Named word lists of this package's rules, from ``lexicon.tsv`` (one per row).

Relations between words (synonyms, contraries) are in ``parsing/meanings.tsv`` and ``synonyms.tsv``.
"""

from collections.abc import Mapping
from pathlib import Path

_ROWS = (row.split("\t") for row in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()[1:])
_LISTS: Mapping[str, frozenset[str]] = {name: frozenset(members.split()) for name, members in _ROWS}


def words(name: str) -> frozenset[str]:
    """Return the words of a list.

    >>> sorted(words("articles"))
    ['a', 'an', 'the']
    """
    return _LISTS[name]
