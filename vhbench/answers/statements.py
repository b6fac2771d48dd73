"""Sentences that affirm or deny a claim, without a word of assent or denial.

A clause affirms a claim if it says all of it: "A small dog lies on the red sofa" says that a dog is on a sofa. It denies
a claim if it denies a part of it: who is not there drinks no tea. It denies a claim as well if it says in place of one
word what excludes that word: a dog that stands does not sit, and a line that is longer is not shorter.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vhbench.answers.claims import (
    MANY,
    POSTURES,
    PREPOSITIONS,
    Claim,
    Range,
    content,
    quantity,
    value_of,
    value_range,
)
from vhbench.answers.stems import Word, compares, excludes, implies, opposite, straightened, words

_UNSURE: Final = re.compile(
    r"(?:\b(?:not|unable|impossible|hard|difficult|challenging|tough|tricky)\b)[^.;!?]*?"
    r"\b(?:certain|certainly|know|known|tell|determine|determined|definitively|conclusive|conclusively|say|possible|answer"
    r"|confirm|confirmed|verify|enough|sufficient|ascertain|decide|make out|judge|conclude|discern|assess|clear (?:if|whether)"
    r"|clear from|clear)\b"
    r"|\b(?:unclear|uncertain|unsure|unknown|ambiguous|inconclusive|indeterminate|undetermined|cannot be told)\b"
    r"|\bno (?:way|information|means|definitive|context|specific (?:data|information)|data)\b"
    r"|\bwithout (?:the |any |more |further |additional |specific |seeing )*(?:data|context|information|chart|details|image)\b"
    r"|\b(?:it|that|this) depends\b|\bdo not have\b[^.;!?]*\b(?:data|information|access|values?|figures|projections)\b"
)
_ASSERTED: Final = frozenset("so therefore thus hence actually fact reality conclusion overall ultimately".split())
_BREAKS: Final = frozenset(
    "but however although though while whereas because since therefore thus hence when despite which yet except among"
    " due as meaning suggesting indicating".split()
)
_DEPICTED: Final = frozenset(
    "toy stuff plush statue sculpture paint drawing cartoon hot fake plastic picture portrait poster figurine replica"
    " depiction sticker logo like resemble similar".split()
)
_HERE: Final = frozenset("present visible see exist find detect show include spot identify".split())


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with what it says by itself.

    Attributes:
        words: its words.
        subject: the content of the subject that it shares with an earlier part, if it has none of its own.
        negated: an earlier part's negation reaches over it ("no cats, dogs or birds").
        weight: 2 where it says how things are in the end ("so …", "actually …").
    """

    words: tuple[Word, ...]
    subject: tuple[Word, ...] = ()
    negated: bool = False
    weight: int = 1
    text: str = ""


def stated(text: str, claim: Claim) -> tuple[str, bool]:
    """Return what the sentences of a text say to a claim, and whether they say that it cannot be told.

    Args:
        text: sentences, in small letters.
        claim: what was asked.

    Returns:
        "yes", "no", or "" where they say nothing or both; whether an unsure sentence comes last.
    """
    found: list[tuple[str, int]] = []
    unsure = False
    for clause in _clauses(straightened(text)):
        if _UNSURE.search(clause.text):
            found, unsure = [], True
            continue
        said = _judge(clause, claim)
        if said:
            found.append((said, clause.weight))
            unsure = False
    most = max((weight for _, weight in found), default=0)
    answers = {said for said, weight in found if weight == most}
    if len(answers) != 1:
        return "", unsure
    return _flipped(answers.pop(), claim.denied), False


def _flipped(answer: str, flip: bool) -> str:
    return {"yes": "no", "no": "yes"}[answer] if flip else answer


# Clauses


def _clauses(text: str) -> list[Clause]:
    found: list[Clause] = []
    for sentence in re.split(r"(?<!\d)[.](?!\d)|[.](?=\s|\Z)|[!?;\n…]+", text):
        if sentence.strip():
            found += _parts(sentence)
    return found


def _parts(sentence: str) -> list[Clause]:
    """Cut a sentence where its negation, its subject or its truth may change."""
    pieces = _pieces(words(sentence))
    weight = 2 if any(word.surface in _ASSERTED for word in pieces[0][:3] if pieces) else 1
    clauses: list[Clause] = []
    subject: tuple[Word, ...] = ()
    negated = False
    lead: list[Word] = []
    for number, piece in enumerate(pieces):
        last = number == len(pieces) - 1
        own = [word for word in piece if word.role != "stop"]
        if own and own[0].surface in (*PREPOSITIONS, "in", "from", "with") and not _finite(own) and not last and not clauses:
            lead = own  # "On the sofa, there is a dog"
            continue
        fragment = not _finite(own)
        begins = own[0].surface if own else ""
        reset = begins in _BREAKS or any(word.role == "negation" for word in own) or not fragment
        negated = (negated and not reset) if clauses else False
        heavy = 2 if any(word.surface in _ASSERTED for word in own[:4]) or _actually(own) else weight
        text = " ".join(word.surface for word in own)
        clauses.append(Clause(tuple(own + lead), subject if fragment else (), negated, heavy, text))
        lead = []
        if not fragment or not subject:
            subject = _subject(own) or subject
        if any(word.role == "negation" for word in own) and not fragment:
            negated = True
        elif reset:
            negated = any(word.surface in ("no", "not", "neither") for word in own)
    return clauses


def _actually(own: Sequence[Word]) -> bool:
    return any(word.surface in ("actually", "really") for word in own)


def _pieces(said: list[Word]) -> list[list[Word]]:
    pieces: list[list[Word]] = [[]]
    for place, word in enumerate(said):
        after = said[place + 1] if place + 1 < len(said) else None
        if word.role == "stop" and word.surface in ",:()—–\"":
            if word.surface != '"':
                pieces.append([])
        elif word.surface in _BREAKS and not (word.surface == "as" and after and after.role == ""):
            pieces.append([word])
        elif word.surface == "so" and (not after or after.role in ("function", "pronoun", "negation")):
            pieces.append([word])
        elif word.surface in ("and", "or", "nor") and after and (
            after.role in ("pronoun", "negation", "verb") or after.surface in ("the", "there", "i", "we", "another")
        ):  # fmt: skip
            pieces.append([])
        else:
            pieces[-1].append(word)
    return [piece for piece in pieces if piece] or [[]]


def _finite(own: Sequence[Word]) -> bool:
    """Tell whether a part has a verb of its own, as far as its form shows it."""
    if any(word.role == "verb" for word in own):
        return True
    shows = frozenset("see shows show contains contain depicts depict features feature displays includes looks find".split())
    if any(word.surface in shows for word in own):
        return True
    begins = own[0].surface in ("the", "a", "an", "it", "there", "he", "she", "they") if own else False
    return begins and any(
        word.role == "" and word.surface.endswith("s") and not word.surface.endswith("ss") for word in own[2:]
    )


def _subject(own: Sequence[Word]) -> tuple[Word, ...]:
    verb = next((n for n, word in enumerate(own) if word.role == "verb"), 0)
    return content(tuple(own[:verb]))


# What a clause says


def _judge(clause: Clause, claim: Claim) -> str:
    if claim.either:
        each = [_judge_one(clause, one) for one in claim.either]
        return "yes" if "yes" in each else "no" if all(one == "no" for one in each) else ""
    return _judge_one(clause, claim) or (_judge_before(clause, claim) if claim.said_before else "")


def _judge_before(clause: Clause, claim: Claim) -> str:
    """Read a clause about what a question claims before it asks whether that is so."""
    if not {"order", "true", "correct"} & set(claim.stems):
        return ""
    return _judge_one(clause, Claim(claim.said_before, subject=2))


def _judge_one(clause: Clause, claim: Claim) -> str:
    said = list(clause.words)
    if any(word.role == "doubt" for word in said) or not said:
        return ""
    cut = next((n for n, word in enumerate(said) if word.surface == "without"), None)
    if cut is not None:
        return _judge_without(clause, claim, cut)
    negations = [n for n, word in enumerate(said) if word.role == "negation" and word.surface != "nor"]
    odd = (len(negations) + clause.negated + (not negations and any(w.surface == "nor" for w in said))) % 2 == 1
    if odd:
        return _denial(clause, claim, negations[-1] if negations else -1)
    kept = [word for word in said if word.role != "negation"]
    return _measured(kept, claim, False) or _affirmation(kept, clause, claim) or _contrary(kept, clause, claim)


def _judge_without(clause: Clause, claim: Claim, cut: int) -> str:
    """Read "a cat instead of a dog": what follows is denied, what stands around it is not."""
    said = clause.words
    end = next((n for n in range(cut + 1, len(said)) if said[n].role in ("verb", "stop")), len(said))
    rest = Clause(said[:cut] + said[end:], clause.subject, clause.negated, clause.weight)
    left = content(said[:cut]) or clause.subject
    denied = content(said[cut + 1 : end])
    affirmed = _judge_one(rest, claim)
    if clause.negated or any(word.role == "negation" for word in said):
        return ""
    if denied and _part_of(denied, claim) and (claim.exists or _shares(left, claim)):
        return "" if affirmed == "yes" else "no"
    return affirmed


def _denial(clause: Clause, claim: Claim, at: int) -> str:
    said = list(clause.words)
    left, right = said[: max(at, 0)], said[at + 1 :]
    measured = _measured([w for w in said if w.role != "negation"], claim, True)
    if measured:
        return measured
    before = content(left) or clause.subject
    right_content = content(right)
    if claim.exists and not right_content and not before:
        return "no" if _nothing(clause) else ""
    if claim.count is not None:
        number = quantity(right)
        if number is not None:
            return "no" if number == claim.count and _part_of(_uncounted(right_content), claim) else ""
    for chunk in _chunks(right):
        denied = (*before, *chunk)
        if claim.exists and not chunk and not _covers(before, claim):
            continue
        if denied and _part_of(denied, claim):
            return "no"
    if clause.subject and not left and right_content and _part_of(right_content, claim) and not claim.exists:
        return "no" if _pronoun_or(clause, claim) else ""
    if claim.exists and right_content and left:
        return _affirmation(left, Clause(tuple(left)), claim)  # "The dog is not black": there is one
    return ""


def _nothing(clause: Clause) -> bool:
    """Tell whether a clause says that nothing of what was asked is there: "None", "It is not present"."""
    stems = {word.stem for word in clause.words}
    if "image" in stems:
        return False
    return ("thing" in stems and any(w.surface == "no" for w in clause.words[:2])) or bool(
        stems & {"present", "visible", "exist", "find", "show", "see"} and "thing" not in stems
    )


def _chunks(right: Sequence[Word]) -> list[tuple[Word, ...]]:
    chunks: list[tuple[Word, ...]] = [content(tuple(right))]
    start = 0
    places = [n for n, word in enumerate(right) if word.surface in ("or", "and", "nor")]
    if places:
        for end in [*places, len(right)]:
            chunks.append(content(tuple(right[start:end])))
            start = end + 1
    return [chunk for chunk in chunks if chunk or not right or len(chunks) == 1]


def _part_of(denied: Sequence[Word], claim: Claim) -> bool:
    """Tell whether a claim cannot be true if something is not: all words of it are the claim's, in its order."""
    place = 0
    stems = claim.stems
    for word in denied:
        found = next((n for n in range(place, len(stems)) if implies(stems[n], word.stem)), None)
        if found is None:
            return False
        place = 0 if claim.exists else found + 1
    return True


def _covers(said: Sequence[Word], claim: Claim) -> bool:
    return [word.stem for word in said] == list(claim.stems)


def _shares(said: Sequence[Word], claim: Claim) -> bool:
    stems = set(claim.stems)
    return any(word.stem in stems for word in said)


def _pronoun_or(clause: Clause, claim: Claim) -> bool:
    return any(word.role == "pronoun" for word in clause.words) or not clause.subject or _shares(clause.subject, claim)


def _uncounted(said: Sequence[Word]) -> tuple[Word, ...]:
    return tuple(word for word in said if value_of(word) is None)


# Affirmation


def _affirmation(said: list[Word], clause: Clause, claim: Claim) -> str:
    bare = not any(word.role == "verb" for word in said) and not _finite(said)
    own = content(tuple(said))
    if not own:
        return ""
    if bare and _names_the_end(own, claim):
        return "yes"
    for start in _starts(said, clause, claim):
        first, end = _aligned(said, claim, *start)
        if end >= 0:
            return _counted(said, first, claim) if claim.count is not None else "yes"
    return _only_a_number(own, claim, bare)


def _names_the_end(own: Sequence[Word], claim: Claim) -> bool:
    """Tell whether a bare "landscape" or "black" is what a question ends with."""
    stems, said = list(claim.stems), [word.stem for word in own]
    if claim.count is not None or claim.value is not None:
        return False
    if "than" in stems:
        return False
    rest = stems[: len(stems) - len(said)]
    if stems[len(rest) :] != said:
        return False
    return not rest or (rest[-1] not in PREPOSITIONS and not any(map(compares, stems)) and not claim.exists)


def _starts(said: list[Word], clause: Clause, claim: Claim) -> list[tuple[int, int]]:
    """Return where a claim may begin in a clause, and with which of its words: "it" stands for its subject."""
    starts = [(n, 0) for n, word in enumerate(said) if _means(said, n, claim, 0)]
    if claim.subject and not claim.exists:
        pronoun = next((n for n, word in enumerate(said[:4]) if word.role == "pronoun"), None)
        if pronoun is not None and not content(tuple(said[:pronoun])):
            starts.append((pronoun, claim.subject))
        elif not _finite(said) and (not clause.subject or _shares(clause.subject, claim)):
            starts.append((-1, claim.subject))
        starts += [(n, claim.subject - 1) for n, word in enumerate(said) if _means(said, n, claim, claim.subject - 1)
                   and n and said[n - 1].surface in ("the", "this", "that", "these")]  # fmt: skip
    return starts


def _means(said: Sequence[Word], n: int, claim: Claim, i: int, instead: bool = False) -> bool:
    word, asked = said[n], claim.words[i]
    if word.role not in ("", "sign") :
        return False
    if instead:
        return excludes(word.stem, asked.stem)
    if implies(word.stem, asked.stem):
        return True
    again = not claim.exists and i < claim.subject and n > 0 and said[n - 1].surface in ("the", "this", "these")
    return again and implies(asked.stem, word.stem)


def _aligned(said: list[Word], claim: Claim, place: int, number: int, other: int = -1) -> tuple[int, int]:
    """Find a claim's words from one place on; ``other`` is the word in whose place a contrary must stand.

    Returns:
        The places of the first and the last word; -1 for the last if they are not all there.
    """
    first = place
    if place >= 0 and said[place].role != "pronoun":
        number += 1
    gap: list[Word] = []
    last = place
    for n in range(place + 1, len(said)):
        if number == len(claim.words):
            break
        word = said[n]
        if _means(said, n, claim, number, number == other):
            if not _may_lie_between(gap, word, number == claim.subject, claim):
                return first, -1
            number, gap, last = number + 1, [], n
        else:
            gap.append(word)
    if number < len(claim.words):
        return first, -1
    if claim.exists and (_compound(said, last) or _depicted(said, first, claim)):
        return first, -1
    if claim.words[-1].role == "" and _contradicted(said, last, claim):
        return first, -1
    return first, last


def _may_lie_between(gap: Sequence[Word], word: Word, predicate: bool, claim: Claim) -> bool:
    extra = [n for n, between in enumerate(gap) if between.role == ""]
    if not extra:
        return True
    if all(gap[n].stem in POSTURES for n in extra) and (claim.exists or word.surface in PREPOSITIONS or word.surface == "in"):
        return True
    if predicate and gap[0].surface in (*PREPOSITIONS, "in", "with", "who", "that"):
        return any(between.role == "verb" for between in gap[extra[-1] + 1 :])
    if predicate and gap[-1].surface == "and":
        return True
    acting = re.search(r"(?:ing|ed)\Z", word.surface) is not None
    chain = gap[extra[0] :]
    described = all(w.role in ("", "neutral") and w.surface not in PREPOSITIONS and w.surface != "in" for w in chain)
    return described and not acting and (extra[0] > 0 or claim.exists)


def _compound(said: Sequence[Word], last: int) -> bool:
    """Tell whether a noun is part of another one: "dog house"."""
    after = said[last + 1] if last + 1 < len(said) else None
    if after is None or after.role != "" or after.surface in PREPOSITIONS or after.surface == "in":
        return False
    if after.stem in POSTURES or value_of(after) is not None or compares(after.stem):
        return False
    return re.search(r"(?:ing|ed|s)\Z", after.surface) is None


def _depicted(said: Sequence[Word], first: int, claim: Claim) -> bool:
    """Tell whether only a likeness is there: "a statue of a dog", "a toy dog"; "it looks like a dog" says more."""
    near = said[max(0, first - 4) : first]
    found = {word.stem for word in near} & _DEPICTED - set(claim.stems)
    if found == {"like"} and any(word.role == "pronoun" for word in said[:first]):
        return False
    return bool(found)


def _contradicted(said: Sequence[Word], last: int, claim: Claim) -> bool:
    """Tell whether "black" is at once said to be "and white"."""
    rest = [word for word in said[last + 1 : last + 3]]
    before = [word for word in said[max(0, last - 2) : last]]
    if claim.exists:
        return False
    joined = (len(rest) == 2 and rest[0].surface in ("and", "or") and excludes(rest[1].stem, said[last].stem)) or (
        len(before) == 2 and before[1].surface in ("and", "or") and excludes(before[0].stem, said[last].stem)
    )
    return joined


def _counted(said: Sequence[Word], first: int, claim: Claim) -> str:
    """Compare how many are there with how many were asked about."""
    before: list[Word] = []
    for word in reversed(said[:first]):
        if word.role == "verb":
            break
        before.insert(0, word)
    found = quantity(before[-5:]) or (1, MANY)
    alone = any(word.surface in ("only", "just", "single") for word in said[max(0, first - 5) : first])
    if alone and found == (1, MANY):
        found = (1, 1)
    return _within(found, claim.count)


def _within(found: Range, asked: Range | None) -> str:
    if asked is None:
        return ""
    if asked[0] <= found[0] and found[1] <= asked[1]:
        return "yes"
    return "no" if found[1] < asked[0] or asked[1] < found[0] else ""


def _only_a_number(own: Sequence[Word], claim: Claim, bare: bool) -> str:
    number = value_of(own[0]) if len(own) == 1 else None
    if number is None or claim.count is None:
        return ""
    answer = _within((number, number), claim.count)
    return "" if bare and answer == "no" else answer


# Contraries, comparisons, values


def _contrary(said: list[Word], clause: Clause, claim: Claim) -> str:
    if not _finite(said):
        return ""
    for other, word in enumerate(claim.words):
        if claim.exists and word.surface not in PREPOSITIONS:
            continue
        if not claim.exists and other < claim.subject:
            continue
        for start in _starts(said, clause, claim):
            if start[1] <= other and (start[1] != other or said[start[0]].role == "pronoun"):
                if _aligned(said, claim, *start, other)[1] >= 0:
                    return "no"
    return ""


def _measured(said: list[Word], claim: Claim, denied: bool) -> str:
    """Read sameness, comparisons and values, for which the order of words is free."""
    if not (any(word.role == "pronoun" for word in said) or _shares(content(tuple(said)), claim)):
        return ""
    if claim.value is not None:
        found = value_range(said)
        if found is not None:
            if denied:
                return "no" if found == claim.value else ""
            return _within(found, claim.value)
    return _sameness(said, claim, denied) or _comparison(said, claim, denied)


def _sameness(said: Sequence[Word], claim: Claim, denied: bool) -> str:
    stems = claim.stems
    asked = next((stem for stem in ("equal", "different") if stem in stems), "")
    compared = [word.stem for word in said if compares(word.stem)]
    told = next((word.stem for word in said if word.stem in ("equal", "different")), "")
    if asked and told:
        return "yes" if (asked == told) != denied else "no"
    if asked and compared and not denied:
        return "no" if asked == "equal" else "yes"
    if not asked and told == "equal" and not denied and any(map(compares, stems)) and claim.value is None:
        return "no"
    return ""


def _comparison(said: list[Word], claim: Claim, denied: bool) -> str:
    at = next((n for n, word in enumerate(claim.words) if compares(word.stem)), None)
    here = next((n for n, word in enumerate(said) if compares(word.stem)), None)
    if at is None or here is None:
        return ""
    asked, told = claim.words[at].stem, said[here].stem
    if asked != told and not opposite(asked, told):
        return ""
    if asked in ("more", "less", "fewer"):
        nexts = [w.stem for w in claim.words[at + 1 : at + 2]] , [w.stem for w in content(tuple(said[here + 1 :]))[:1]]
        if nexts[0] != nexts[1]:
            return ""
    swapped = _swapped(said, here, claim, at)
    if swapped is None:
        return ""
    same = (asked == told) != swapped
    if denied:
        return "no" if same and not swapped else ""
    return "yes" if same else "no"


def _swapped(said: list[Word], here: int, claim: Claim, at: int) -> bool | None:
    """Tell whether two things are compared the other way round; None if they are not the two."""
    left, right = set(claim.stems[:at]), set(claim.stems[at + 1 :]) - {"than"}
    first, second = left - right, right - left
    before = {word.stem for word in content(tuple(said[:here]))}
    than = next((n for n in range(here, len(said)) if said[n].surface == "than"), None)
    after = {word.stem for word in content(tuple(said[than + 1 :]))} if than is not None else set()
    if before & first and not before & second:
        return False if not after or after & second or not second else None
    if before & second and not before & first:
        return True if not after or after & first else None
    if not before and any(word.role == "pronoun" for word in said[:here]):
        return False if not after or after & second or not second else None
    return None
