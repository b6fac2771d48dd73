"""Alignment of a claim's words with a clause, in order and without altered meaning.

"The man in the red coat is wearing a hat" has the words of "the man is wearing a hat"; "The man is next to a woman
wearing a hat" has them as well, but does not affirm it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from vhbench.language import lexicon
from vhbench.language.parsing.claims import PREPOSITIONS, YEAR, Claim
from vhbench.language.parsing.quantities import number
from vhbench.language.parsing.sentence_parts import Part, finite
from vhbench.language.parsing.stems import Word, another, compares, content, excludes, implies, stem

POSTURES: Final = frozenset(
    map(stem, "lie stand sit rest position place situate park hang lean locate be perch appear find put set".split())
)
_DEPICTED: Final = frozenset(map(stem, lexicon.words("likenesses")))
_UNREAL: Final = frozenset(map(stem, lexicon.words("not done")))
_POINTS: Final = ("the", "this", "that", "these", "those")
_ACTING: Final = re.compile(r"(?:ing|ed)\Z")


def shares(said: Sequence[Word], claim: Claim) -> bool:
    """Return whether a claim has any of these words."""
    stems = set(claim.stems)
    return any(word.stem in stems for word in said)


def starts(said: list[Word], clause: Part, claim: Claim) -> Iterator[tuple[int, int]]:
    """Yield possible starts of a claim, with its word there: "it" stands for its subject."""
    yield from ((n, 0) for n in range(len(said)) if _means(said, n, claim, 0))
    if claim.exists:
        return
    pronoun = next((n for n, word in enumerate(said[:4]) if word.role == "pronoun"), None)
    if pronoun is not None and not content(said[:pronoun]):
        yield pronoun, claim.subject
    elif claim.subject and not finite(said) and (not clause.subject or shares(clause.subject, claim)):
        yield -1, claim.subject
    if claim.subject > 1:  # "the circle" for "the left circle"
        for n in range(1, len(said)):
            if said[n - 1].surface in _POINTS and _means(said, n, claim, claim.subject - 1):
                yield n, claim.subject - 1


def aligned(said: list[Word], claim: Claim, start: tuple[int, int], contrary: int = -1) -> bool:
    """Return whether a clause has all words of a claim from a start on.

    Args:
        said: words of the clause.
        claim: claim of the question.
        start: index in the clause, and of the claim's word there.
        contrary: index of the claim's word that must be replaced by a contrary.
    """
    place, wanted = start
    if other_year(said, claim):
        return False
    if place >= 0 and said[place].role != "pronoun":
        wanted += 1
    gap: list[Word] = []
    last = place
    for n in range(place + 1, len(said)):
        if wanted == len(claim.words):
            break
        if not _means(said, n, claim, wanted, instead=wanted == contrary):
            gap.append(said[n])
        elif place < 0 and last < 0 and content(gap):
            return False  # a fragment with its own subject
        elif _may_lie_between(gap, said[n], claim, predicate=wanted == claim.subject):
            wanted, gap, last = wanted + 1, [], n
        else:
            return False
    if wanted < len(claim.words) or any(w.stem in _UNREAL and w.stem not in claim.stems for w in said[: last + 1]):
        return False
    if claim.exists:
        likened = [word.surface for word in said[last + 1 : last + 2]] == ["like"]  # "a dog-like animal"
        return not likened and not _compound(said, last) and not _depicted(said, place, claim)
    if contrary >= 0:
        return not any(word.stem == claim.words[contrary].stem for word in said[last + 1 : last + 3])
    return not _contradicted(said, last)


def described(said: list[Word], claim: Claim) -> bool:
    """Return whether a clause describes an object as claimed: "a yellow bus"."""
    if claim.exists or claim.subject < 1 or len(claim.words) != claim.subject + 1:
        return False
    turned = replace(claim, words=(*claim.words[:-2], claim.words[-1], claim.words[-2]), subject=0, exists=True)
    at = len(turned.words) - 2
    for n in range(len(said)):
        follows = any(word.role == "" for word in said[n + 1 : n + 2 + at])
        if follows and _means(said, n, turned, 0) and aligned(said, turned, (n, 0)):
            return True
    return False


def _means(said: Sequence[Word], n: int, claim: Claim, i: int, *, instead: bool = False) -> bool:
    """Return whether a clause's word matches a claim's word, or is a contrary of it."""
    word, asked = said[n], claim.words[i]
    if word.role not in ("", "sign"):
        return False
    if instead:
        last = i == len(claim.words) - 1 and (i == claim.subject or claim.words[i - 1].surface not in PREPOSITIONS)
        nominal = last and i >= claim.subject and not claim.exists  # "a lawyer", "plays the violin"
        return excludes(word.stem, asked.stem) or (nominal and another(word.stem, asked.stem))
    again = not claim.exists and i < claim.subject and n > 0 and said[n - 1].surface in ("the", "this", "these")
    return implies(word.stem, asked.stem) or (again and implies(asked.stem, word.stem))


def _may_lie_between(gap: Sequence[Word], word: Word, claim: Claim, *, predicate: bool) -> bool:
    """Return whether words may precede the claim's next word."""
    extra = [n for n, between in enumerate(gap) if between.role == ""]
    if not extra:
        return True
    if all(gap[n].stem in POSTURES for n in extra) and (claim.exists or word.surface in PREPOSITIONS):
        return True
    if predicate and (gap[0].surface in PREPOSITIONS or gap[0].surface in ("with", "who", "that")):
        return any(between.role == "verb" for between in gap[extra[-1] + 1 :])
    if (predicate and gap[-1].surface == "and") or all(number(gap[n]) is not None for n in extra):
        return True
    described = all(w.role in ("", "neutral") and w.surface not in PREPOSITIONS for w in gap[extra[0] :])
    return described and not _ACTING.search(word.surface) and (extra[0] > 0 or claim.exists)


def _compound(said: Sequence[Word], last: int) -> bool:
    """Return whether a noun is part of a compound: "dog house"."""
    if last + 1 >= len(said) or said[last + 1].role != "":
        return False
    after = said[last + 1]
    if re.search(r"[^s]s\Z", after.surface) and after.stem not in POSTURES:
        pointed = any(word.surface in ("a", "an", "the", "this", "that") for word in said[max(0, last - 3) : last])
        return not pointed or finite(said[:last])  # "The train passes" but "It shows the train tracks"
    if after.surface in PREPOSITIONS or after.stem in POSTURES or number(after) is not None or compares(after.stem):
        return False
    return re.search(r"(?:ing|ed|s)\Z", after.surface) is None


def _depicted(said: Sequence[Word], first: int, claim: Claim) -> bool:
    """Return whether only a depiction is present: "a toy dog", but not "it looks like a dog"."""
    found = {word.stem for word in said[max(0, first - 4) : first]} & _DEPICTED - set(claim.stems)
    if found == {stem("like")} and said[0].role == "pronoun" and not content([*said[:first]]):
        return False
    return bool(found)


def _contradicted(said: Sequence[Word], last: int) -> bool:
    """Return whether "black" is followed by "and white"."""
    before, after = said[max(0, last - 2) : last], said[last + 1 : last + 3]
    return any(
        len(near) == 2 and near[at].surface in ("and", "or") and excludes(near[1 - at].stem, said[last].stem)
        for near, at in ((before, 1), (after, 0))
    )


def other_year(said: Sequence[Word], claim: Claim) -> bool:
    """Return whether a clause is about a year other than the claim's."""
    years = {word.stem for word in said if YEAR.fullmatch(word.stem)}
    return bool(years and claim.year and claim.year not in years)
