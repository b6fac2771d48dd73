"""Objects that a caption claims are visible: mentions, minus those without assertion.

A mention is a claim if a careful reader, asked whether the caption states that the object is in the image, would say
yes. It is not if the object is denied, only possible, depicted, likened, asked about or written on a sign
(:mod:`vhbench.language.captions.scopes`), or if the word is part of another object's name or has another sense
(:mod:`vhbench.language.captions.compounds`, :mod:`vhbench.language.captions.senses`).
"""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from vhbench.language import lexicon, parsing
from vhbench.language.captions import compounds, scopes, senses
from vhbench.language.captions.vocabulary import Match, Vocabulary, lower

# signs of markup: without one of them, cleaning is skipped as a caption is plain text
_DRESSES = re.compile(r"[<>\[\]◁\\*_#`~{}|$&]|assistant|analysis|\n(?:Q|User|Human)")
_READ_AS_IT_IS = 10_000  # characters; of a longer text, only the beginning and the end are parsed
_SENTENCE_ENDS = re.compile(r"[.!?]+[\"')”]*(?=\s|\Z)|\n")
_LONGEST = 2_000  # maximum characters of a sentence; longer ones are parsed in pieces
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{1,120})[\"”]|(?<!\w)['‘]([^'‘’\n]{1,60})['’](?!\w)")

_AND = r"(?:,? (?:and|or|nor)(?: (?:an?|any|the))? [\w-]+)?"
_WHICH = r"(?:,? (?:but|though|although|which|that|who)(?: (?:it|they))?)?,? "
_BE = r"(?:is|are|was|were)"
_IN_VIEW = (
    r"(?:visible|present|shown|seen|there|depicted|pictured|included"
    r"|in (?:the|this) (?:image|picture|photo|scene|frame|room))"
)
_OUT_OF_VIEW = (
    r"(?:absent|missing|nowhere|invisible|out of (?:the )?(?:frame|view|sight|picture|shot)|lacking)"
    r"(?! (?:\w+ing|an?|its|his|her|their|some|the)\b)"
)
_UNSEEN = "|".join(
    (
        rf"{_BE}(?:n't| not)(?: actually)? {_IN_VIEW}",
        rf"{_BE} (?:{_OUT_OF_VIEW}|gone)",
        r"(?:cannot|can't|can not|could not|couldn't) be (?:seen|found|spotted|observed|made out)",
        r"(?:does|do)(?:n't| not) (?:exist|appear)",
        r"(?:has|have|had) (?:disappeared|vanished|gone|been (?:removed|cropped|cut off|taken away))",
    )
)
# retractions after a mention: unseen, only possible, an image, of snow, an unseen person
_TAKEN_BACK = re.compile(
    "|".join(
        (
            rf"{_AND}{_WHICH}(?:{_UNSEEN})\b",
            r",? \(?(?:perhaps|maybe|possibly)\)?\s*(?:[.;)!]|\Z)",
            r" (?:might|may|could) (?:also )?be (?:present|there|in|inside|behind|hidden|hiding|nearby|around|under"
            r"|located|near)\b",
            r"(?:'s [\w-]+)? (?:is |are )?(?:printed|painted|drawn|embroidered|engraved|carved|tattooed|etched|stamped)"
            r" (?:on|onto|into)\b",
            r" made (?:out )?of (?:snow|sand|paper|cardboard|legos?|clay|chocolate|balloons?|wire|candy|icing|fondant"
            r"|yarn|gingerbread)\b",
            r" who (?:wrote|took|made|owns?|left|placed|put|created|prepared|built|designed|lives?|works?|uses?|might"
            r"|may|would|could|can|wants?|needs?|enjoys?|like)"
            r"(?! be (?:an?|the|his|her|its|their)\b)\b",
        )
    )
)

# What follows a hypothetical object: "a bench could be placed here", but not "a dog could be hungry"
_HYPOTHETICAL = re.compile(
    r" (?:(?:could|might|may|would|should)(?! (?:also |just |even )*be (?!(?:also |just |even |\w+ly )*(?:in|on|at"
    r"|inside|outside|behind|beside|under|near|nearby|around|there|here|somewhere|present|located|hidden|hiding|lurking|living|placed"
    r"|put|added|set|installed|hung|built|positioned|parked|left|arriving|coming|expected|imagined|included|used"
    r"|needed|required|wanted|nice|good|great|better|best|useful|helpful|ideal|perfect|welcome|enough|possible)\b)\w)"
    r"|can (?:also )?(?:be (?:added|placed|put|imagined|expected|included)|sit|stand|relax|rest|gather|enjoy|eat|dine"
    r"|swim|play|walk|wait|park|ride|board|lie|sleep|meet|shop|work|cook|cross)"
    r"|(?:is|are) (?:expected|supposed)|(?:will|might) (?:soon|arrive|come|appear))\b"
)

_ELSEWHERE = re.compile(
    r"\b(?:rest|part|face|faces|inside|interior|end|back|front|side) of (?:the|an?|each)(?: [\w-]+)?\s\Z"
)
_HINTS = lexicon.words("may make a mention none")
_OR = re.compile(r" or (?:an? |the )?(?:[\w-]+ )?")
_ONE = re.compile(r"\b(?:an?|either|either the)(?: [\w-]+)?\s\Z")
_DETERMINERS = frozenset("the his her its their this these those my your our".split())
_NO_ADJECTIVES = lexicon.words("no adjectives")


def claims(text: str, vocabulary: Vocabulary) -> list[Match]:
    """Return the mentions that a caption asserts, in order; reasoning and markup do not count.

    >>> words = Vocabulary.build([["dog"], ["cat"], ["bus"], ["horse"], ["person", "man"]])
    >>> text = "A man waits at a bus stop. There is no dog, perhaps a cat, and a statue of a horse."
    >>> [mention.word for mention in claims(text, words)]
    ['man']
    """
    if len(text) <= _READ_AS_IT_IS and not _DRESSES.search(text):
        return _claimed(text, vocabulary)
    plain = parsing.caption_text(text)
    return list(_placed(_claimed(plain, vocabulary), plain, text))


def is_caption(text: str) -> bool:
    """Return whether there is text besides reasoning and markup; if not, the caption is missing.

    >>> is_caption("A picture."), is_caption("<think>A dog on a"), is_caption("...")
    (True, False, False)
    """
    return any(map(str.isalnum, parsing.caption_text(text)))


def _claimed(text: str, vocabulary: Vocabulary) -> list[Match]:
    lowered = lower(text)
    mentions = [one for one in vocabulary.find(text) if not senses.is_modal(lowered, one.start, one.end)]
    if not mentions:
        return []
    if "’" in lowered:
        lowered = lowered.replace("’", "'")
    words = senses.words_of(lowered)
    asserted = list(compounds.heads(lowered, mentions, vocabulary))
    asserted = list(senses.of_things(lowered, asserted, words, vocabulary))
    asserted = _without_either(lowered, asserted) if "or" in words else asserted
    if '"' in text or "“" in text or "'" in lowered:
        asserted = _unquoted(lowered, asserted)
    signs = (words & _HINTS) | (words & scopes.cues().keys())  # words that may cancel a mention
    if signs or "?" in text:
        asserted = [one for sentence in _sentences(lowered, asserted) for one in _asserted(*sentence, signs)]
    return asserted


def _placed(mentions: Sequence[Match], plain: str, text: str) -> Iterator[Match]:
    """Yield mentions in a cleaned text with their spans in the original, which has more words."""
    places, end = dict[int, int](), len(text)
    for word in reversed(list(re.finditer(r"[^\W_]+", plain))):
        start = text.rfind(word[0], 0, end)
        if start >= 0:
            places |= {word.start() + i: start + i for i in range(len(word[0]))}
            end = start
    for one in mentions:
        start = places.get(one.start, one.start)
        yield one._replace(start=start, end=places.get(one.end - 1, start + one.end - one.start - 1) + 1)


def _unquoted(lowered: str, mentions: Sequence[Match]) -> list[Match]:
    """Return the mentions outside quotes; a sentence quoted as a whole counts as unquoted."""
    inside = [
        span.span()
        for span in _QUOTED.finditer(lowered)
        if (before := lowered[: span.start()].rstrip()) and before[-1] not in ".!?\n"
    ]
    return [one for one in mentions if not any(start <= one.start < end for start, end in inside)]


def _without_either(lowered: str, mentions: Sequence[Match]) -> list[Match]:
    """Leave out "a cup or a bowl", which claims neither; "a couch or sofa" is one object."""
    unsure: set[int] = set()
    for place, (one, two) in enumerate(pairwise(mentions)):
        either = one.node != two.node and _OR.fullmatch(lowered, one.end, two.start)
        if either and _ONE.search(lowered, max(0, one.start - 30), one.start):
            unsure |= {place, place + 1}
    return [one for place, one in enumerate(mentions) if place not in unsure]


def _sentences(lowered: str, mentions: Sequence[Match]) -> Iterator[tuple[str, int, list[Match]]]:
    """Yield each sentence with mentions, its start, and its mentions."""
    place = start = 0
    while place < len(mentions):
        ends = _SENTENCE_ENDS.search(lowered, start, start + _LONGEST)
        end = ends.end() if ends else min(start + _LONGEST, len(lowered))
        first = place
        while place < len(mentions) and mentions[place].start < end:
            place += 1
        if place > first:
            yield lowered[start:end], start, list(mentions[first:place])
        start = end


def _asserted(sentence: str, offset: int, mentions: Sequence[Match], signs: Set[str]) -> Iterator[Match]:
    """Yield a sentence's claims; ``signs``: words of the whole text that may cancel a mention."""
    if sentence.rstrip("\"') ").endswith("?"):
        return
    cues = {sign for sign in signs if sign in sentence}
    if not cues:
        yield from mentions
        return
    silent, unless_known = bytearray(len(sentence)), bytearray(len(sentence))
    for start, end, spares in scopes.scopes(sentence, cues):
        (unless_known if spares else silent)[start:end] = b"1" * (end - start)
    hints = not _HINTS.isdisjoint(cues)
    for one in mentions:
        start, end = one.start - offset, one.end - offset
        if silent[start] or (unless_known[start] and not _is_known(sentence, start)):
            continue
        if hints and _TAKEN_BACK.match(sentence, end) and not _ELSEWHERE.search(sentence, max(0, start - 40), start):
            continue
        if hints and _HYPOTHETICAL.match(sentence, end) and not _is_known(sentence, start):
            continue
        yield one


def _is_known(sentence: str, start: int) -> bool:
    """Return whether an object is presupposed to exist: "the dog", "his old car"."""
    for word in reversed(sentence[max(0, start - 40) : start].split()[-3:]):
        if word in _DETERMINERS:
            return True
        if word in _NO_ADJECTIVES:
            return False
    return False
