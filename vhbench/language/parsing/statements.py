"""Sentences that affirm or deny a claim, without a word of assent or denial.

A clause affirms a claim if it states all of it: "A small dog lies on the red sofa" affirms that a dog is on a sofa. It
denies a claim if it denies a part of it: an absent person drinks no tea. It also denies a claim if it replaces one word
by a contrary: a dog that stands does not sit, and a line that is longer is not shorter.
"""

import re
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final

from vhbench.language import lexicon
from vhbench.language.parsing.alignment import POSTURES, aligned, described, not_done, shares, starts
from vhbench.language.parsing.claims import ALL, PREPOSITIONS, SOME, YEAR, Claim
from vhbench.language.parsing.contraries import contrary, converse, identified, measured
from vhbench.language.parsing.normalization import PICTURE_NUMBER, normalize_phrases
from vhbench.language.parsing.option_names import ORDINALS
from vhbench.language.parsing.quantities import MANY, number, quantity, within
from vhbench.language.parsing.sentence_parts import Part, finite, parts, sentences
from vhbench.language.parsing.stems import PICTURE, Word, another, compares, content, implies, stem
from vhbench.language.parsing.wordings import wording

_UNSURE: Final = re.compile(wording("unsure about a claim"))
_INTENDS: Final = re.compile(wording("intends"))
_NOT: Final = {"yes": "no", "no": "yes"}
_DOES_NOT: Final = re.compile(r"\b(?:is|are|was|were|does|do|did|has|have|can) not\Z")
_IN_PART: Final = frozenset("only clearly fully easily completely entirely quite readily".split())
_PICTURES: Final = (PICTURE, f"a {PICTURE}")
_PLACES: Final = PREPOSITIONS | {*ORDINALS, "last", "other", "left", "right"}
_CONTRASTS: Final = frozenset("but yet though now actually".split())
_MORE: Final = ("another", "other", "others", "more", "plus", "third")
_LINKS: Final = PREPOSITIONS | {"of", "with", "and"}
_NEARLY: Final = ("almost", "nearly")
_THEY: Final = ("they", "them", "these", "those")
_FALSE: Final = lexicon.words("say that something is false") | {"mistaken"}
_JUDGING: Final = frozenset("correct accurate right_answer object objects item items".split())
_ABSENT: Final = frozenset("there present real exist visible".split())
_TURNED: Final = frozenset(map(stem, "reversed wrong incorrect opposite false".split()))
_LONGEST: Final = 150  # maximum words per clause, which bounds the time for endless repetitions
_THING: Final = stem("thing")
_HERE: Final = frozenset(map(stem, "present visible exist find show see".split()))


def match_statement(text: str, claim: Claim) -> tuple[str, bool]:
    """Return the verdict of a lower-case text on a claim, "" for neither or both, and whether it ends unsure."""
    verdicts: list[tuple[str, int]] = []
    unsure = skip = left_out = False
    for clause in chain.from_iterable(map(parts, sentences(normalize_phrases(text)))):
        # unrelated clauses are left out
        if any(word.stem in claim.stems or YEAR.fullmatch(word.stem) for word in clause.lead):
            clause = clause._replace(words=clause.words + clause.lead)
        if verdicts and not claim.either and clause.continues and clause.words[0].surface == "or":
            verdicts.pop()  # "A dog, or a wolf"
        left_out = left_out or (claim.all and _excepts(clause.words))
        skip = clause.continues and skip
        if skip or _outside(_UNSURE, clause.text, claim):
            verdicts, unsure, skip = [], True, True
            continue
        verdict = "" if _outside(_INTENDS, clause.text, claim) else _judge(clause, claim)
        if not verdict and verdicts and _DOES_NOT.search(clause.text):
            verdict = _NOT[verdicts[-1][0]]  # "Image 1 shows a dog, but image 2 does not"
        if verdict:
            verdicts.append((verdict, clause.weight))
            unsure = False
        elif verdicts and verdicts[-1][1] == 0 and clause.words[0].surface in _CONTRASTS:
            verdicts.pop()  # "It looks red, but …"
    most = max((weight for _, weight in verdicts), default=0)
    answers = {verdict for verdict, weight in verdicts if weight == most or claim.before}
    if len(answers) != 1:
        return "", unsure
    answer = "no" if left_out else answers.pop()
    if answer == "no" and not (claim.all or claim.numbered) and PICTURE_NUMBER.search(text):
        return "", unsure  # another image may show what image 1 does not
    return _NOT[answer] if claim.denied else answer, False


def _excepts(tokens: Sequence[Word]) -> bool:
    """Return whether words leave out some of all: "but the last", "except the child"."""
    some = [word for word in tokens[1:] if word.role != "function"]
    but = tokens[0].surface == "but" and all(map(_is_one_of_all, some))
    return bool(some) and (but or tokens[0].surface == "except")


def _is_one_of_all(word: Word) -> bool:
    return word.stem in _PICTURES or word.surface in _PLACES or number(word) is not None


def _outside(pattern: re.Pattern[str], text: str, claim: Claim) -> bool:
    """Return whether a pattern matches with a last word that is not the claim's: "the sky is not clear" may answer."""
    match = pattern.search(text)
    return match is not None and stem(match[0].split()[-1]) not in claim.stems


def _judge(clause: Part, claim: Claim) -> str:
    if claim.either:
        each = [_judge_one(clause, one) for one in claim.either]
        loose = claim.either[0].exists and not claim.exists  # "an accident or anything": one covers the other
        denied = any(one == "no" for one in each) if loose else all(one == "no" for one in each)
        return "yes" if "yes" in each else "no" if denied else ""
    verdict = _judge_one(clause, claim)
    if verdict == "yes" and _is_alternative(clause, claim):
        return ""
    if verdict or not claim.before or not {"order", "true", "correct"} & set(claim.stems):
        return verdict
    return "" if _TURNED & set(claim.stems) else _judge_one(clause, Claim(claim.before, subject=2))


def _is_alternative(clause: Part, claim: Claim) -> bool:
    """Return whether the claim's word is one of several: "a dog or a wolf"."""
    tokens = [word for word in clause.words if word.surface not in ("a", "an", "the")]
    pairs = ((one.surface, other.stem) for pair in pairwise(tokens) for one, other in (pair, pair[::-1]))
    return any(surface == "or" and stem in claim.stems for surface, stem in pairs)


def _judge_one(clause: Part, claim: Claim) -> str:
    tokens = [_in_view_of(word, claim) for word in clause.words[:_LONGEST]]
    clause = Part(tuple(tokens), clause.subject, clause.negated, clause.weight, clause.continues)
    if not tokens or "doubt" in [word.role for word in tokens]:
        return ""
    cut = next((n for n, word in enumerate(tokens) if word.surface == "without"), None)
    if cut is not None:
        return _judge_without(clause, claim, cut)
    negations = [n for n, word in enumerate(tokens) if word.role == "negation" and word.surface != "nor"]
    nor = not negations and any(word.surface == "nor" for word in tokens)
    if (len(negations) + clause.negated + nor) % 2 == 1:
        return _denial(clause, claim, negations[-1] if negations else -1)
    plain = [word for word in tokens if word.role != "negation"]
    if len(negations) > 1 and content(plain) and _part_of(content(plain), claim):
        return "yes"  # "No wheel is missing"
    only = [word.surface for word in plain[:2]] in (["only", "a"], ["only", "an"], ["just", "a"], ["just", "an"])
    if only and claim.exists and len(plain) < 5 and not finite(plain) and not shares(plain, claim):
        return "no"  # "Only a bus."
    contents = content(plain)
    if claim.exists and contents and plain[0].surface == "only" and another(contents[0].stem, claim.stems[-1]):
        return "no"  # "Only dogs are visible"
    verdict = measured(plain, claim, denied=False) or _affirmation(plain, clause, claim)
    return verdict or identified(plain, claim) or contrary(plain, clause, claim) or converse(plain, clause, claim)


def _in_view_of(word: Word, claim: Claim) -> Word:
    """Return a word with its role in an answer: the claim's words always have content."""
    if word.stem in claim.stems:
        return word._replace(role="") if word.role in ("neutral", "negation", "doubt") else word
    if word.surface == "into" and "out" in claim.stems:
        return word._replace(role="")  # where the question has "out of", "into" is a content word
    if word.surface in _FALSE:
        return word._replace(role="negation")  # "It would be wrong to say that there is a dog"
    return word._replace(role="neutral") if word.surface in _JUDGING else word


# Denials


def _judge_without(clause: Part, claim: Claim, cut: int) -> str:
    """Parse "a cat instead of a dog": the words after it are denied, the others are not."""
    tokens = clause.words
    if clause.negated or sum(word.role == "negation" for word in tokens) > 1:
        return ""
    end = next((n for n in range(cut + 1, len(tokens)) if tokens[n].role in ("verb", "stop")), len(tokens))
    left, denied = content(tokens[:cut]) or clause.subject, content(tokens[cut + 1 : end])
    affirmed = _judge_one(Part(tokens[:cut] + tokens[end:], clause.subject, weight=clause.weight), claim)
    points = any(word.role == "pronoun" for word in tokens[:2])  # "This is a mosque rather than a church"
    if denied and _part_of(denied, claim) and (claim.exists or points or shares(left, claim)):
        return "" if affirmed == "yes" else "no"
    return affirmed


def _denial(clause: Part, claim: Claim, at: int) -> str:
    """Parse a clause with a negation at an index; -1 if it is in an earlier part."""
    tokens = list(clause.words)
    left, right = tokens[: max(at, 0)], tokens[at + 1 :]
    differs = measured([word for word in tokens if word.role != "negation"], claim, denied=True)
    if differs:
        return differs
    before, behind = content(left) or (() if claim.exists else clause.subject), content(right)
    if claim.exists and not before and not behind:
        return "no" if _nothing(clause) else ""
    if claim.exists and any(word.surface in _IN_PART for word in right[:2]):
        return ""  # "The dog is not fully visible", "not the only animal"
    count = quantity(right) if claim.count is not None else None
    if count is not None:
        behind = tuple(word for word in behind if number(word) is None)
        return "no" if count == claim.count and _part_of(behind, claim) else ""
    for chunk in _chunks(right):
        absent = any(word.surface in _ABSENT for word in right)  # "The dots that you see are not really there"
        if claim.exists and not chunk and tuple(word.stem for word in before) != claim.stems and not absent:
            continue
        if (before or chunk) and _part_of((*before, *chunk), claim) and _central((*before, *chunk), clause, claim):
            return "no"
    if claim.exists and not claim.all and claim.count is None and behind and left:
        # "The dog is not black": there is one
        return "yes" if any(aligned(left, claim, start) for start in starts(left, clause, claim)) else ""
    return ""


def _nothing(clause: Part) -> bool:
    """Return whether a clause denies all existence: "None", "It is not present"."""
    stems = {word.stem for word in clause.words}
    if clause.words[0].surface == "no" and clause.words[1:2] and clause.words[1].surface == "such":
        return True
    if clause.words[-1].role == "negation" and "there" in [word.surface for word in clause.words[:2]]:
        return True  # "but there is no" dog
    if not stems.isdisjoint(_PICTURES):
        return False
    if _THING in stems:
        return any(word.surface == "no" for word in clause.words[: 3 if clause.words[0].surface == "there" else 2])
    return bool(stems & _HERE)


def _chunks(right: Sequence[Word]) -> list[tuple[Word, ...]]:
    """Return the denied words: all of them, and each conjunct of "or" and "and"."""
    chunks = [content(tuple(right))]
    joints = [n for n, word in enumerate(right) if word.surface in ("or", "and", "nor")]
    start = 0
    for end in [*joints, len(right)] if joints else ():
        chunks.append(content(tuple(right[start:end])))
        start = end + 1
    return [chunk for n, chunk in enumerate(chunks) if chunk or n == 0]


def _part_of(denied: Sequence[Word], claim: Claim) -> bool:
    """Return whether a claim presupposes the denied words: all are in it, in order."""
    orders = [claim.stems]
    if claim.subject and len(claim.words) == claim.subject + 1:
        orders.append((*claim.stems[:-2], claim.stems[-1], claim.stems[-2]))  # "blonde hair"
    return any(_in_order(denied, claim, stems) for stems in orders)


def _in_order(denied: Sequence[Word], claim: Claim, stems: Sequence[str]) -> bool:
    place = 0
    for word in denied:
        if claim.year and (
            word.stem == claim.year or (len(denied) > 1 and word is denied[-2] and word.surface == "in")
        ):
            continue
        if claim.all and (word.surface in ALL or word.surface in SOME or number(word) is not None):
            continue
        if claim.all and claim.exists and _is_one_of_all(word):
            continue  # an object that one image lacks is not in all of them
        if word.stem in POSTURES and word.stem not in stems and any(one.surface in PREPOSITIONS for one in claim.words):
            continue  # "The lamp is not standing on the table"
        index = next((n for n in range(place, len(stems)) if implies(stems[n], word.stem)), None)
        if index is None:
            return False
        place = 0 if claim.exists else index + 1
    return True


def _central(denied: Sequence[Word], clause: Part, claim: Claim) -> bool:
    """Return whether the denied words are the claim's core and not an incidental mention."""
    heart = claim.stems[: claim.subject + 1]
    if claim.exists or any(implies(one, word.stem) for word in denied for one in heart):
        return True
    if denied[-1].stem == claim.stems[-1] and not clause.negated:
        return True
    return not clause.continues and any(word.surface in ("there", "no", "see") for word in clause.words)


# Affirmation


def _affirmation(tokens: list[Word], clause: Part, claim: Claim) -> str:
    contents = content(tokens)
    bare = not finite(tokens)
    if not contents:
        return ""
    if bare and not not_done(tokens, claim) and _names_the_end(contents, claim):
        return "yes"
    for start in starts(tokens, clause, claim):
        if aligned(tokens, claim, start):
            if claim.count is not None:
                return _counted(tokens, start[0], claim)
            if claim.exists:
                return _of_all(tokens, start[0]) if claim.all else "yes"
            return _of_each(tokens, start[0], claim)
    if described(tokens, claim):
        return "yes"
    count = number(contents[0]) if len(contents) == 1 else None
    if count is None or claim.count is None:
        return ""
    answer = within((count, count), claim.count)
    return "" if bare and answer == "no" else answer


def _of_each(tokens: Sequence[Word], start: int, claim: Claim) -> str:
    """Parse a statement with a claim's predicate; its subject is at ``start``, -1 if it is left out."""
    before = tokens[: max(start, 0)]
    if any(word.surface in SOME for word in before[-4:]):
        return "no" if claim.all else ""  # "Only one man wears glasses"
    part = any(word.surface == "of" and number(other) is not None for other, word in pairwise(before))
    narrower = start >= 0 and not tokens[start].role and not implies(claim.stems[0], tokens[start].stem)
    return "" if claim.all and (part or narrower) else "yes"  # "two of the three", "all men" for all the people


def _of_all(tokens: Sequence[Word], start: int) -> str:
    """Parse a statement of existence where the question is about all images; one that names no images may be about one.

    "Only the first image shows it" denies it.
    """
    if any(word.surface in ("only", "just") for word in tokens[:start]) or any(w.surface in _NEARLY for w in tokens):
        return "no"
    return "yes" if any(word.surface in ALL or word.surface in _THEY for word in tokens) else ""


def _names_the_end(contents: Sequence[Word], claim: Claim) -> bool:
    """Return whether a bare "landscape" or "black" is the end of the question."""
    stems, ending = list(claim.stems), [word.stem for word in contents]
    if claim.count is not None or claim.value is not None:
        return False
    if "than" in stems:  # "more suitable for winter than summer"
        return claim.words[-1].surface != "than" and stems[: stems.index("than")][-len(ending) :] == ending
    rest = stems[: len(stems) - len(ending)]
    if stems[len(rest) :] != ending or (rest and claim.exists):
        return False
    return not rest or (rest[-1] not in PREPOSITIONS - {"in"} and not any(map(compares, stems)))


def _counted(tokens: Sequence[Word], first: int, claim: Claim) -> str:
    """Compare the stated count with the question's."""
    verb = max((n for n in range(first) if tokens[n].role == "verb"), default=-1)
    before = tokens[max(verb + 1, first - 5) : first]
    links = [n for n, word in enumerate(before) if word.surface in _LINKS]
    before = before[links[-1] + 1 if links else 0 :]  # in "two men with a dog", two is not the number of dogs
    behind = tokens[first + 1 :]
    again = any(number(w) is not None or w.surface in _MORE or w.stem == tokens[first].stem for w in behind)
    if again or sum(number(word) is not None for word in before) > 1:
        return ""  # "two on the left and one on the right", "two or three"
    count = quantity(before) or (1, MANY)
    if count == (1, MANY) and any(word.surface in ("only", "just") for word in before):
        count = (1, 1)
    return within(count, claim.count) if claim.count else ""
