"""Alignment of a claim's words with a clause, in order and without altered meaning.

"The man in the red coat is wearing a hat" has the words of "the man is wearing a hat"; "The man is next to a woman
wearing a hat" has them as well, but does not affirm it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from vhbench.language import lexicon
from vhbench.language.parsing.claims import ALL, PREPOSITIONS, SOME, YEAR, Claim
from vhbench.language.parsing.quantities import number
from vhbench.language.parsing.sentence_parts import Part, finite
from vhbench.language.parsing.stems import Word, another, compares, content, excludes, implies, stem

POSTURES: Final = frozenset(map(stem, lexicon.words("postures")))
_DEPICTED: Final = frozenset(map(stem, lexicon.words("likenesses")))
_UNREAL: Final = frozenset(map(stem, lexicon.words("not done")))
_PARTLY: Final = frozenset("hardly barely scarcely nearly half partly partially".split())
_ARTICLES: Final = ("a", "an", "the", "another")
_HAS: Final = ("has", "have", "had")
_POINTS: Final = ("the", "this", "that", "these", "those")
_LIKE_PARTICIPLES: Final = frozenset("bed shed sled shaped themed".split())  # "dog bed", "dog shaped"
_ACTING: Final = re.compile(r"(?:ing|ed)\Z")


def shares(tokens: Sequence[Word], claim: Claim) -> bool:
    """Return whether a claim has any of these words."""
    return any(word.stem in claim.stems for word in tokens)


def starts(tokens: list[Word], clause: Part, claim: Claim) -> Iterator[tuple[int, int]]:
    """Yield possible starts of a claim, with its word there: "it" stands for its subject."""
    begins = [n for n in range(len(tokens)) if _means(tokens, n, claim, 0)]
    yield from ((n, 0) for n in begins if claim.exists or not _is_governed(tokens, n))
    if claim.exists:
        return
    pronoun = next(
        (n for n, word in enumerate(tokens[:4]) if word.role == "pronoun" and word.surface not in ("her", "him")), None
    )
    if pronoun is not None and not content(tokens[:pronoun]):
        yield pronoun, claim.subject
    elif claim.subject and not finite(tokens) and (not clause.subject or shares(clause.subject, claim)):
        yield -1, claim.subject


def _is_governed(tokens: Sequence[Word], n: int) -> bool:
    """Return whether a noun belongs to another one: "the roof of the car", "the woman next to the man"."""
    before = tokens[:n]
    links = [k for k, word in enumerate(before) if word.surface in PREPOSITIONS or word.surface in ("of", "with")]
    nouns = [w for w in before[: links[-1] if links else 0] if not w.role and w.surface not in SOME | ALL]
    return any(number(word) is None for word in nouns) and all(word.role != "verb" for word in before)


def aligned(tokens: list[Word], claim: Claim, start: tuple[int, int], contrary: int = -1) -> bool:
    """Return whether a clause has all words of a claim from a start on, an index in the clause and one in the claim.

    The claim's word at index ``contrary`` must be replaced by a contrary.
    """
    place, index = start
    if other_year(tokens, claim):
        return False
    if place >= 0 and tokens[place].role != "pronoun":
        index += 1
    gap: list[Word] = []
    last = place
    for n in range(place + 1, len(tokens)):
        if index == len(claim.words):
            break
        if not _means(tokens, n, claim, index, instead=index == contrary):
            gap.append(tokens[n])
        elif place < 0 and last < 0 and content(gap):
            return False  # a fragment with its own subject
        elif _may_lie_between(gap, tokens[n], claim, predicate=index == claim.subject):
            index, gap, last = index + 1, [], n
        else:
            return False
    if index < len(claim.words) or not_done(tokens[: last + 1], claim):
        return False
    if place < 0 and _compound(tokens, last):
        return False  # "A yellow car" to "Is the bus yellow?"
    if claim.exists:
        likened = [word.surface for word in tokens[last + 1 : last + 2]] == ["like"]  # "a dog-like animal"
        return not likened and not _compound(tokens, last) and not _depicted(tokens, place, claim)
    if contrary >= 0:
        return not any(word.stem == claim.words[contrary].stem for word in tokens[last + 1 : last + 3])
    has = claim.subject == len(claim.words) - 1 and any(w.surface in _HAS for w in tokens[max(place, 0) : last])
    return not _contradicted(tokens, last) and not (has and _compound(tokens, last))  # "has a red roof"


def not_done(tokens: Sequence[Word], claim: Claim) -> bool:
    """Return whether words say that what they describe does not happen, or not fully: "tries to", "half full"."""
    return any((word.stem in _UNREAL or word.surface in _PARTLY) and word.stem not in claim.stems for word in tokens)


def described(tokens: list[Word], claim: Claim) -> bool:
    """Return whether a clause describes an object as claimed: "a yellow bus"."""
    if claim.exists or claim.subject < 1 or len(claim.words) != claim.subject + 1:
        return False
    turned = replace(claim, words=(*claim.words[:-2], claim.words[-1], claim.words[-2]), subject=0, exists=True)
    at = len(turned.words) - 2
    for n in range(len(tokens)):
        follows = any(word.role == "" for word in tokens[n + 1 : n + 2 + at])
        if follows and _means(tokens, n, turned, 0) and aligned(tokens, turned, (n, 0)):
            return True
    return False


def _means(tokens: Sequence[Word], n: int, claim: Claim, i: int, *, instead: bool = False) -> bool:
    """Return whether a clause's word matches a claim's word, or is a contrary of it."""
    word, claim_word = tokens[n], claim.words[i]
    if word.role not in ("", "sign"):
        return False
    if instead:
        last = i == len(claim.words) - 1 and (i == claim.subject or claim.words[i - 1].surface not in PREPOSITIONS)
        nominal = last and i >= claim.subject and not claim.exists  # "a lawyer", "plays the violin"
        return excludes(word.stem, claim_word.stem) or (nominal and another(word.stem, claim_word.stem))
    again = not claim.exists and i < claim.subject and n > 0 and tokens[n - 1].surface in ("the", "this", "these")
    return implies(word.stem, claim_word.stem) or (again and implies(claim_word.stem, word.stem))


def _may_lie_between(gap: Sequence[Word], word: Word, claim: Claim, *, predicate: bool) -> bool:
    """Return whether words may precede the claim's next word."""
    extra = [n for n, between in enumerate(gap) if between.role == ""]
    if not extra:
        return True
    if all(gap[n].stem in POSTURES for n in extra) and (claim.exists or word.surface in PREPOSITIONS):
        return True
    if word.surface in PREPOSITIONS and any(gap[n - 1].surface in _ARTICLES for n in extra if n):
        return False  # "A dog looks at a cat on the sofa"
    if predicate and (gap[0].surface in PREPOSITIONS or gap[0].surface in ("with", "who", "that")):
        return any(between.role == "verb" for between in gap[extra[-1] + 1 :])
    if (predicate and gap[-1].surface == "and") or all(number(gap[n]) is not None for n in extra):
        return True
    described = all(w.role in ("", "neutral") and w.surface not in PREPOSITIONS for w in gap[extra[0] :])
    return described and not _ACTING.search(word.surface) and (extra[0] > 0 or claim.exists)


def _compound(tokens: Sequence[Word], last: int) -> bool:
    """Return whether a noun is part of a compound: "dog house"."""
    if last + 1 >= len(tokens) or tokens[last + 1].role != "":
        return False
    after = tokens[last + 1]
    if re.search(r"[^s]s\Z", after.surface) and after.stem not in POSTURES:
        pointed = any(word.surface in ("a", "an", "the", "this", "that") for word in tokens[max(0, last - 3) : last])
        return not pointed or finite(tokens[:last])  # "The train passes" but "It shows the train tracks"
    if after.surface in PREPOSITIONS or after.stem in POSTURES or number(after) is not None or compares(after.stem):
        return False
    return after.surface in _LIKE_PARTICIPLES or re.search(r"(?:ing|ed|s)\Z", after.surface) is None


def _depicted(tokens: Sequence[Word], first: int, claim: Claim) -> bool:
    """Return whether only a depiction is present: "a toy dog", but not "it looks like a dog"."""
    depictions = {word.stem for word in tokens[max(0, first - 4) : first]} & _DEPICTED - set(claim.stems)
    if depictions == {stem("like")} and tokens[0].role == "pronoun" and not content([*tokens[:first]]):
        return False
    return bool(depictions)


def _contradicted(tokens: Sequence[Word], last: int) -> bool:
    """Return whether "black" is followed by "and white"."""
    before, after = tokens[max(0, last - 2) : last], tokens[last + 1 : last + 3]
    return any(
        len(pair) == 2 and pair[at].surface in ("and", "or") and excludes(pair[1 - at].stem, tokens[last].stem)
        for pair, at in ((before, 1), (after, 0))
    )


def other_year(tokens: Sequence[Word], claim: Claim) -> bool:
    """Return whether a clause is about a year other than the claim's."""
    years = {word.stem for word in tokens if YEAR.fullmatch(word.stem)}
    return bool(years and claim.year and claim.year not in years)
