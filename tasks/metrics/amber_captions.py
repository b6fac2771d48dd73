"""Matching of caption nouns with objects: AMBER's, and a corrected version.

A noun matches an object of the image (*truth*) or a likely hallucination (*hallu*) by name, by association (the
*relation* file), or by similarity. :mod:`vhbench.tasks.metrics.amber` computes scores from it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

from vhbench.language import parsing
from vhbench.language.captions.nouns import builtin_nouns, builtin_similarity
from vhbench.schema import Failure
from vhbench.tasks.metrics.amber_files import read_relation, read_safe_words, word_list

Nouns = Callable[[str], Iterable[str]]
Similarity = Callable[[str, str], float]

THRESHOLD = 0.8  # default of --similarity_score in AMBER's inference.py


@dataclass(frozen=True, slots=True)
class Judged:
    """One caption, matched with its image."""

    id: str
    nouns: list[str]  # vocabulary nouns of the response, in order, with repeats
    hallucinated: list[str]  # those that are not in the image
    covered: list[str]  # mentioned objects of the image
    likely: list[str]  # mentioned likely hallucinations
    likely_nouns: set[str]  # nouns that name one
    truth: list[str]  # objects of the image
    listed: list[str]  # likely hallucinations
    failure: Failure = ""  # "failed" or "refused" for a missing caption


@dataclass(frozen=True)
class Judge:
    """Parser of responses, with everything shared by them."""

    vocabulary: frozenset[str]  # counted words: AMBER's relation file, and all truth and hallu
    relation: Mapping[str, tuple[str, ...]]  # word → associated words
    safe: frozenset[str]  # words that are never hallucinated
    nouns: Nouns  # text → nouns
    alike: Callable[[str, str], bool]  # predicate of two words: similar enough to be the same
    tools: Mapping[str, str]  # names of the noun finder and of the similarity

    # How the reference differs is in vhbench.tasks.metrics.amber_reference.
    fold: "ClassVar[staticmethod[[str], str]]" = staticmethod(str.lower)  # noqa: RUF009
    failure: "ClassVar[staticmethod[[str], Failure]]" = staticmethod(parsing.failure)  # noqa: RUF009
    words: "ClassVar[staticmethod[[str], str]]" = staticmethod(parsing.caption_text)  # noqa: RUF009
    answer: "ClassVar[staticmethod[[str, str], str]]" = staticmethod(parsing.yes_no)  # noqa: RUF009

    @classmethod
    def build(
        cls,
        truth: Mapping[str, Mapping[str, Any]],
        relation: Any,
        safe_words: Any,
        nouns: Nouns | None,
        similarity: Similarity | None,
    ) -> Self:
        """Create a judge; None for ``nouns`` or ``similarity`` uses the built-in ones.

        >>> annotation = {"id": "1", "truth": ["dog", "sky"], "hallu": ["cat"]}
        >>> judge = Judge.build({"1": annotation}, {}, (), None, None)
        >>> caption = judge.caption("1", "Two dogs and a cat.", annotation)
        >>> caption.nouns, caption.hallucinated, caption.covered, caption.likely
        (['dog', 'cat'], ['cat'], ['dog'], ['cat'])
        """
        related = {cls.fold(word): tuple(map(cls.fold, words)) for word, words in read_relation(relation).items()}
        vocabulary = {word for key, words in related.items() for word in (key, *words)} | cls._further_words(truth)
        find, similar = nouns or builtin_nouns(vocabulary), similarity or builtin_similarity
        tools = {"nouns": _name(find), "similarity": _name(similar)}
        safe = frozenset(map(cls.fold, read_safe_words(safe_words)))
        alike = cache(lambda first, second: similar(first, second) > THRESHOLD)
        return cls(frozenset(vocabulary), related, safe, find, alike, tools)

    def caption(self, name: str, text: str, row: Mapping[str, Any]) -> Judged:
        """Match a caption with its annotation; a missing one mentions nothing."""
        failure = self.failure(text)
        text = "" if failure else self.words(text)
        truth, listed = (self._listed(word_list(name, row, key, self.fold)) for key in ("truth", "hallu"))
        nouns = [noun for noun in map(self.fold, self.nouns(text)) if noun in self.vocabulary]
        present, made_up = self._owners(truth), self._owners(listed)
        safe = self._excused(self.safe.union(map(self.fold, row.get("safe", ()))), truth)
        wrong, covered, likely, likely_nouns = [], set[int](), set[int](), set[str]()
        for noun in nouns:
            if noun in safe:
                continue
            in_image, flagged = self._decide(noun, present, made_up, (truth, listed))
            covered |= in_image
            likely |= flagged
            if flagged:
                likely_nouns.add(noun)
            if not in_image:
                wrong.append(noun)
        mentioned = [truth[i] for i in sorted(covered)], [listed[i] for i in sorted(likely)]
        return Judged(name, nouns, wrong, *mentioned, likely_nouns, truth, listed, failure)

    @classmethod
    def _further_words(cls, truth: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """Return the words of all annotations, which are part of the vocabulary."""
        captions = [row for row in truth.values() if row.get("type", "generative") == "generative"]
        return {
            word for row in captions for key in ("truth", "hallu") for word in word_list(row["id"], row, key, cls.fold)
        }

    @staticmethod
    def _listed(words: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(words))

    @staticmethod
    def _excused(safe: frozenset[str], truth: Sequence[str]) -> frozenset[str]:
        """Return the safe words that count for nothing; one that names an object of the image covers it."""
        return safe.difference(truth)

    def _owners(self, words: Sequence[str]) -> dict[str, int]:
        """Map a word to its entry, by name or else by association."""
        return self._associated(words, {word: i for i, word in reversed(list(enumerate(words)))})

    def _associated(self, words: Sequence[str], owners: dict[str, int]) -> dict[str, int]:
        """Add associated words, then entries, unless they are already mapped."""
        for i, word in enumerate(words):
            for associated in self.relation.get(word, ()):
                owners.setdefault(associated, i)
        for i, word in enumerate(words):
            owners.setdefault(word, i)
        return owners

    def _decide(
        self, noun: str, present: Mapping[str, int], listed: Mapping[str, int], names: tuple[list[str], list[str]]
    ) -> tuple[set[int], set[int]]:
        """Return the objects of the image, and the likely hallucinations, that a noun matches.

        Names precede associations, and these precede similarity; in each, truth precedes hallucinations.
        """
        if noun in names[0] or (noun in present and noun not in names[1]):
            return {present[noun]}, set()
        if noun in listed:
            return set(), {listed[noun]}
        matches = self._first_alike(noun, present)
        return (matches, set()) if matches else (set(), self._first_alike(noun, listed))

    def _first_alike(self, noun: str, owners: Mapping[str, int]) -> set[int]:
        return next(({owner} for word, owner in owners.items() if self.alike(noun, word)), set())


def _name(tool: Any) -> str:
    return str(getattr(tool, "__name__", type(tool).__name__))
