"""What a caption says that is, or is not, in the image: AMBER's matching, and its repaired form.

A noun stands for an object of the image (*truth*) or for a likely hallucination (*hallu*): by its name, by association
(the *relation* file), or because it is similar enough. :mod:`vhbench.tasks.metrics.amber` makes scores of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vhbench import answers
from vhbench.tasks.metrics.amber_files import read_relation, read_safe_words, word_list
from vhbench.tasks.metrics.nouns import builtin_nouns, builtin_similarity

Nouns = Callable[[str], Iterable[str]]
Similarity = Callable[[str, str], float]

THRESHOLD = 0.8


@dataclass(frozen=True, slots=True)
class Judged:
    """One caption, held against its image.

    Attributes:
        nouns: the vocabulary's nouns of the response, in order, with repeats.
        hallucinated: those that are not in the image.
        covered: the objects of the image that were mentioned.
        likely: the listed hallucinations that were mentioned.
        truth: number of objects in the image.
        listed: number of listed hallucinations.
        likely_nouns: the distinct nouns that name a listed hallucination.
    """

    id: str
    nouns: tuple[str, ...]
    hallucinated: tuple[str, ...]
    covered: tuple[str, ...]
    likely: tuple[str, ...]
    truth: int
    listed: int
    likely_nouns: frozenset[str]


@dataclass(frozen=True)
class Judge:
    """Reads responses; everything that is the same for all of them.

    Attributes:
        vocabulary: the words that count, AMBER's relation file and, by default, all truth and hallu.
        relation: word → associated words.
        safe: words that are never hallucinated.
        nouns: text → nouns.
        alike: whether two words are similar enough to be one.
        compat: match as the reference does.
        nouns_name: what found the nouns.
        similarity_name: what compared words.
    """

    vocabulary: frozenset[str]
    relation: Mapping[str, tuple[str, ...]]
    safe: frozenset[str]
    nouns: Nouns
    alike: Callable[[str, str], bool]
    compat: bool
    nouns_name: str
    similarity_name: str

    @classmethod
    def build(
        cls,
        truth: Mapping[str, Mapping[str, Any]],
        relation: Any,
        safe_words: Any,
        nouns: Nouns | None,
        similarity: Similarity | None,
        compat: bool,
    ) -> "Judge":
        """Bring the inputs together; None for ``nouns`` or ``similarity`` takes the built-in ones.

        >>> annotation = {"id": "1", "truth": ["dog", "sky"], "hallu": ["cat"]}
        >>> judge = Judge.build({"1": annotation}, {}, (), None, None, compat=False)
        >>> found = judge.caption("1", "Two dogs and a cat.", annotation)
        >>> found.nouns, found.hallucinated, found.covered, found.likely
        (('dog', 'cat'), ('cat',), ('dog',), ('cat',))
        """
        fold = str if compat else str.lower
        related = {fold(word): tuple(map(fold, words)) for word, words in read_relation(relation).items()}
        vocabulary = {word for key, words in related.items() for word in (key, *words)}
        if not compat:
            captions = [row for row in truth.values() if row.get("type", "generative") == "generative"]
            vocabulary |= {
                word for row in captions for key in ("truth", "hallu") for word in word_list(row["id"], row, key, fold)
            }
        find = nouns or builtin_nouns(vocabulary)
        similar = similarity or builtin_similarity
        safe = frozenset(map(fold, read_safe_words(safe_words)))
        alike = _memoised(similar)
        return cls(frozenset(vocabulary), related, safe, find, alike, compat, _name(find), _name(similar))

    def answer(self, text: str) -> str:
        """Return what a yes/no response says: "yes", "no" or ""."""
        return answers.amber(text) if self.compat else answers.yes_no(text)

    def caption(self, name: str, text: str, row: Mapping[str, Any]) -> Judged:
        """Hold a caption against its annotation."""
        fold = str if self.compat else str.lower
        truth, listed = word_list(name, row, "truth", fold), word_list(name, row, "hallu", fold)
        if not self.compat:
            truth, listed = list(dict.fromkeys(truth)), list(dict.fromkeys(listed))
        nouns = [noun for noun in map(fold, self.nouns(text)) if noun in self.vocabulary]
        owners = self._owners(truth), self._owners(listed)
        decide = self._as_the_reference if self.compat else self._repaired
        wrong, covered, likely, likely_nouns = [], set[int](), set[int](), set[str]()
        for noun in nouns:
            if noun in self.safe:
                continue
            present, flagged = decide(noun, *owners, (truth, listed))
            covered.update(present)
            likely.update(flagged)
            if flagged:
                likely_nouns.add(noun)
            if not present:
                wrong.append(noun)
        return Judged(
            name,
            tuple(nouns),
            tuple(wrong),
            tuple(truth[i] for i in sorted(covered)),
            tuple(listed[i] for i in sorted(likely)),
            len(truth),
            len(listed),
            frozenset(likely_nouns),
        )

    def _owners(self, words: Sequence[str]) -> dict[str, int]:
        """Map a word to the entry that it stands for; the reference goes by the first place in its list."""
        names = {word: i for i, word in reversed(list(enumerate(words)))}
        owners: dict[str, int] = {} if self.compat else names
        for i, word in enumerate(words):
            for associated in self.relation.get(word, ()):
                owners.setdefault(associated, i)
        for i, word in enumerate(words):
            owners.setdefault(word, i)
        return owners

    def _as_the_reference(
        self, noun: str, present: Mapping[str, int], listed: Mapping[str, int], _: Any
    ) -> tuple[set[int], set[int]]:
        if noun in present:
            return {present[noun]}, set()
        flagged = {listed[noun]} if noun in listed else set()
        flagged |= self._first_alike(noun, listed)
        return self._first_alike(noun, present), flagged

    def _repaired(
        self, noun: str, present: Mapping[str, int], listed: Mapping[str, int], names: tuple[list[str], list[str]]
    ) -> tuple[set[int], set[int]]:
        """Names before associations before similarity; in each, what is there before what is made up."""
        if noun in names[0] or (noun in present and noun not in names[1]):
            return {present[noun]}, set()
        if noun in listed:
            return set(), {listed[noun]}
        found = self._first_alike(noun, present)
        return (found, set()) if found else (set(), self._first_alike(noun, listed))

    def _first_alike(self, noun: str, owners: Mapping[str, int]) -> set[int]:
        return next(({owner} for word, owner in owners.items() if self.alike(noun, word)), set())


def _memoised(similarity: Similarity) -> Callable[[str, str], bool]:
    known: dict[tuple[str, str], bool] = {}

    def alike(first: str, second: str) -> bool:
        pair = first, second
        if pair not in known:
            known[pair] = similarity(first, second) > THRESHOLD
        return known[pair]

    return alike


def _name(tool: Any) -> str:
    return str(getattr(tool, "__name__", type(tool).__name__))
