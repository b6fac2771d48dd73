"""Subject boundary of an English yes/no question, if it is unambiguous.

A question is auxiliary + subject + predicate ("Is | the man in the hat | smiling"). Undoing the inversion requires the
boundary between the last two. A small grammar enumerates all parses and is permissive: a word on no list may be a noun
or an adjective. The boundary is returned only if all parses agree. Text outside the grammar has no boundary, so a gap
in the grammar loses a natural negation but never produces an incorrect one.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

from vhbench.generators.vhexpansion import word_lists as lists

Ends = frozenset[int]
_NONE: Ends = frozenset()
LONGEST = 40
"""Maximum number of words in a parsed clause; enumeration takes long for longer ones."""


def subject_length(auxiliary: str, words: Sequence[str]) -> int | None:
    """Return the number of subject words after the auxiliary, or None if ambiguous.

    >>> subject_length("Is", ["the", "man", "in", "the", "hat", "smiling"])
    5
    >>> subject_length("Is", ["the", "man", "in", "the", "house"])
    2
    >>> subject_length("Is", ["the", "light", "left", "on"])  # the light | left on, or the light left | on
    """
    if not 0 < len(words) <= LONGEST:
        return None
    found = frozenset(_Reader(auxiliary.lower(), words).borders())
    return next(iter(found)) if len(found) == 1 and found < frozenset(range(len(words))) else None


class _Reader:
    """Phrase parser; each method returns all possible end positions from a start position."""

    def __init__(self, auxiliary: str, words: Sequence[str]) -> None:
        self.auxiliary = auxiliary
        # A capital A within a question is a name: "angle A".
        kept = [word[:1] in lists.QUOTES or (word == "A" and i > 0) for i, word in enumerate(words)]
        self.words = [word if keep else word.lower() for word, keep in zip(words, kept, strict=True)]
        self.named = [word[:1].isupper() for word in words]
        self.length = len(words)
        self.singular = auxiliary in {"is", "was", "does", "has"}

    def borders(self) -> Iterator[int]:
        """Yield every possible boundary of subject and predicate; none if a rule fails."""
        if self.unreadable:
            return
        if self.at(0) in lists.PRONOUNS:
            yield from [1] if self.at(1) not in lists.RELATIVES | lists.CONJUNCTIONS | {"of", ""} else []
            return
        found = {end for end in self.subjects() if self.says(end) and not (self.singular and self.is_plural(end))}
        if found and self.auxiliary in lists.BE and self.at(0) in lists.DEMONSTRATIVES and self.names_whole(1):
            found.add(1)
        if self.auxiliary in lists.ASKS_VERB and any(self.doubtful(end + 1) for end in found):
            return
        # "the cat on the mat | in the image" is equivalent to "the cat | on the mat in the image".
        yield from {end for end in found if self.closed({end}) != {end, self.length} or end in self.nouns(0)} or found

    @cached_property
    def unreadable(self) -> bool:
        """Whether it contains words outside the grammar: a second verb, a scope word, a symbol."""
        plain = all(word.replace("'", "").replace("’", "").replace("-", "").isalpha() or self.is_number(i)
                    or word[:1] in lists.QUOTES for i, word in enumerate(self.words))  # fmt: skip
        plain = plain and not (self.auxiliary in lists.BE and any(w[:1] in lists.QUOTES for w in self.words[1:]))
        other = lists.AUXILIARIES - lists.MAIN_VERBS - ({"do", "have"} if self.auxiliary in lists.ASKS_VERB else set())
        unclear = other | lists.RELATIVES | lists.SUBORDINATORS | lists.UNCLEAR | lists.ANY
        said = {i + j for idiom in lists.IDIOMS for i in range(self.length) if self.idiom(i, idiom)
                for j in range(len(idiom))}  # fmt: skip
        rest = [word for i, word in enumerate(self.words) if i and i not in said]
        return not plain or any(word in unclear for word in rest) or self.at(0) in lists.UNCLEAR | lists.ANY

    def says(self, start: int) -> bool:
        """Return whether the remaining words can be the predicate."""
        if self.auxiliary in lists.BE:
            return self.length in self.predicates(start)
        if self.auxiliary in lists.HAVE:
            return self.length in self.happened(start)
        return self.at(start) in lists.VERBS and self.length in self.done(start)

    # ---- noun phrases

    def subjects(self) -> Ends:
        """Parse a subject that begins with a determiner, a name or a quotation."""
        first = self.at(0)
        if first[:1] in lists.QUOTES:
            return frozenset({1}) if self.at(1) in lists.ARTICLES else _NONE
        if first not in lists.DETERMINERS and not self.named[0]:
            return _NONE
        ends = self.nouns_with_phrases(0)
        if not self.singular:
            ends |= {far for end in self.nouns(0) if self.at(end) == "and" and self.at(end + 1) in lists.DETERMINERS
                     for far in self.nouns(end + 1)}  # fmt: skip
        return ends | self.with_clauses(ends)

    def names_whole(self, start: int) -> bool:
        """Return whether the rest can be one noun phrase: "Is this | cat food?"."""
        said = start + self.is_number(start) + 1 < self.length
        ends = self.nouns(start)
        return said and self.length in self.closed(ends | self.phrases(ends - {start + 1}))

    def with_clauses(self, ends: Ends) -> Ends:
        """Parse a participle clause of the subject: "the man wearing a hat | happy"."""
        found = set[int]()
        for end in ends:
            if "V" in self.kinds(end):
                # "sitting | on the bench", "rippling | water": the rest belongs to the participle.
                added = self.at(end + 1) in lists.PARTICLES | lists.ADVERBS
                bound = {end + 1} if added or self.nouns(end + 1) else set()
                bound |= {far for far in (end + 1, end + 1 + added) if self.one_phrase(far)}
                found |= self.verb_phrase(end) - bound
        return frozenset(found)

    def one_phrase(self, start: int) -> bool:
        """Return whether the rest is one prepositional phrase: "sitting | on the bench"."""
        return self.length in self.closed({far for end in self.prepositions(start) for far in self.nouns_of(end)})

    def nouns_with_phrases(self, start: int) -> Ends:
        """Parse a noun phrase with any number of prepositional phrases."""
        return self.phrases(self.nouns(start))

    def phrases(self, ends: Ends) -> Ends:
        """Extend positions by any number of prepositional phrases."""
        found, new = set(ends), set(ends)
        while new:
            new = {far for end in new for begin in self.prepositions(end) for far in self.objects(begin)} - found
            found |= new
        return frozenset(found)

    def objects(self, start: int) -> Ends:
        """Parse the object of a preposition, optionally with a participle clause."""
        ends = self.nouns(start)
        both = {far for end in ends if self.at(end) == "and" for far in self.nouns(end + 1)}
        told = {far for end in ends if "V" in self.kinds(end) for far in self.verb_phrase(end) if far > end + 1}
        return ends | both | told

    def nouns_of(self, start: int) -> Ends:
        """Parse a noun phrase with "of" phrases: "the left | of the tree"."""
        found = new = set(self.nouns(start))
        while new:
            new = {far for end in new if self.at(end) == "of" for far in self.nouns(end + 1)} - found
            found = found | new
        return frozenset(found)

    def nouns(self, start: int) -> Ends:
        """Parse determiners, adjectives and nouns."""
        first = self.at(start)
        if first in lists.PRONOUNS or first[:1] in lists.QUOTES:
            return frozenset({start + 1})
        position, found = start, set()
        if first in lists.DEMONSTRATIVES and not self.is_number(start + 1):
            verb = self.auxiliary in lists.ASKS_VERB and self.at(start + 1) in lists.VERBS
            alone = verb or "N" not in self.kinds(start + 1) or lists.may_describe(self.at(start + 1))
            found |= {start + 1} if alone else set()
        if first in lists.QUANTIFIERS:
            position += 2 if self.at(start + 1) == "of" else 1
        if self.at(position) in lists.DETERMINERS:
            position += 1
        while position < self.length and (self.is_number(position) or self.at(position) in lists.ORDINALS):
            position += 1
        if position > start and self.at(position) in {"one", "ones"}:
            found.add(position + 1)
        if position > start and self.is_number(position - 1) and "N" not in self.kinds(position):
            found.add(position)  # "these two"
        found |= self.run(position)
        return frozenset(found)

    def run(self, start: int) -> set[int]:
        """Parse adjectives, then nouns; the last word must be a possible noun."""
        found, nouns, adjectives = set(), False, True
        for position in range(start, self.length):
            kinds = self.kinds(position)
            if nouns and not self.joined(position):
                adjectives = adjectives and bool(kinds & set("AcdVs"))  # all words so far may have been adjectives
                shade = "c" in kinds and "N" in self.kinds(position + 1)  # "sky blue shirt"
                if not (kinds & {"N"} or adjectives or shade):
                    break
            if not kinds & set("NAcdVs") or (nouns and self.plainly_said(position)):
                break
            surely = "N" in kinds and not kinds & set("Acds")
            alone = "d" in kinds or ("s" in kinds and adjectives) or ("c" in kinds and self.worn(start, position))
            if ("N" in kinds or alone) and not self.attached(position, kinds):
                found |= {position + 1, position + 2} if self.labels(start, position + 1) else {position + 1}
            nouns = nouns or "N" in kinds
            adjectives = adjectives and not surely
        return found

    def worn(self, start: int, position: int) -> bool:
        """Return whether a colour is used as a noun: "the red", "in red"."""
        return position == start and self.at(start - 1) in lists.DETERMINERS | lists.NUMBERS | {"in"}

    def labels(self, start: int, position: int) -> bool:
        """Return whether a number labels the noun before it: "lane 5", but not "the vase 5"."""
        word = self.at(position - 1)
        picture = word in lists.PICTURES and self.at(start - 1) in lists.ARTICLES
        counted = self.kinds(position - 1) == {"N"} and word not in lists.NUMBERED
        return self.is_number(position) and not picture and not counted

    def attached(self, position: int, kinds: frozenset[str]) -> bool:
        """Return whether a word cannot end its phrase: names, compounds, "'s"."""
        word, following = self.at(position), position + 1
        if following >= self.length:
            return word.endswith(("'s", "’s"))
        if word.endswith(("'s", "s'", "’s", "s’")) or self.joined(following):
            return True
        said = self.kinds(following)
        return bool(kinds & set("cds")) and bool(said & {"N", "s"}) and "V" not in said and "N" not in kinds

    def joined(self, position: int) -> bool:
        """Return whether a word and its predecessor form a unit: "Mickey Mouse", "traffic light"."""
        if not 0 < position < self.length:
            return False
        both = self.named[position - 1] and self.named[position]
        return both or f"{self.at(position - 1)} {self.at(position)}" in lists.COMPOUNDS

    def prepositions(self, start: int) -> Ends:
        word = self.at(start)
        if f"{word} {self.at(start + 1)}" in lists.PREPOSITION_PAIRS:
            return frozenset({start + 1, start + 2} if word in lists.PREPOSITIONS else {start + 2})
        return frozenset({start + 1}) if word in lists.PREPOSITIONS | {"of"} else _NONE

    # ---- predicates

    def predicates(self, start: int) -> Ends:
        """Parse what can follow a form of "be"."""
        start = self.past_adverbs(start)
        ends = self.adjectives(start) | self.nouns_said(start)
        if "V" in self.kinds(start):
            ends |= self.verb_phrase(start)
        if self.is_number(start):
            ends |= {start + 1}
        if self.plainly_said(start):
            ends |= {start + 1, start + 2} if self.at(start + 1) in {"down", "prone"} else {start + 1}
        if self.at(start) != "of":
            ends |= {far for begin in self.prepositions(start) for far in self.phrases(self.objects(begin))}
        return self.closed(ends)

    def adjectives(self, start: int) -> Ends:
        """Parse "deep blue", "big and brown", "larger than the left one", "equal to that one"."""
        ends, position = set(), start
        while self.kinds(position) & set("AcdVs") or self.at(position) in lists.PARTICLES:
            position += 1
            ends.add(position)
            if self.at(position - 1) in lists.PARTICLES - {"open", "closed", "shut"}:
                break  # "the jar with the lid off | empty", not "is off empty"
        both = {far for end in ends if self.at(end) == "and" for far in self.adjectives(end + 1)}
        than = {far for end in ends if self.at(end) == "than" for far in self.nouns_with_phrases(end + 1)}
        return self.phrases(frozenset(ends | both)) | frozenset(than)

    def nouns_said(self, start: int) -> Ends:
        """Parse a predicate noun phrase, optionally with prepositional phrases or a participle."""
        ends = self.nouns(start)
        both = {far for end in ends if self.at(end) == "and" for far in self.nouns(end + 1)}
        told = {far for end in ends if "V" in self.kinds(end) for far in self.verb_phrase(end)}
        return self.phrases(frozenset(ends | both | told))

    def verb_phrase(self, start: int) -> Ends:
        """Parse a verb with an optional particle, object and prepositional phrases."""
        ends = {start + 1}
        if self.at(start + 1) in lists.PARTICLES | lists.ADVERBS:
            ends.add(start + 2)
        if self.at(start) == "being" and "V" in self.kinds(start + 1):
            ends |= self.verb_phrase(start + 1)
        ends |= {far for end in ends for far in self.nouns(end)}
        both = {far for end in ends if self.at(end) == "and" and "V" in self.kinds(end + 1)
                for far in self.verb_phrase(end + 1)}  # fmt: skip
        ends |= {end + 1 for end in ends if self.at(end) in lists.ADVERBS | lists.PARTICLES}
        return self.phrases(frozenset(ends | both))

    def done(self, start: int) -> Ends:
        """Parse a verb in its plain form with its complements."""
        return self.closed(self.verb_phrase(start) | self.adjectives(start + 1))

    def doubtful(self, position: int) -> bool:
        """Return whether the word after a verb may be the verb: "Does the rock | face crumble"?"""
        word, kinds = self.at(position), self.kinds(position)
        if word in lists.OBJECTS or "N" not in kinds or self.named[position]:
            return False
        return kinds != {"N"} or word in lists.VERBS

    def happened(self, start: int) -> Ends:
        """Parse what can follow a form of "have" as an auxiliary."""
        start = self.past_adverbs(start)
        if self.at(start) == "been":
            return self.predicates(start + 1)
        known = self.at(start) in lists.PARTICIPLES or self.at(start).endswith("ed")
        return self.closed(self.verb_phrase(start)) if known else _NONE

    def closed(self, ends: set[int] | Ends) -> Ends:
        """Add general closing phrases: "in the image", "here"."""
        where = {end + 3 for end in ends if self.at(end) in {"in", "on", "from"} and self.at(end + 1) in lists.ARTICLES
                 and self.at(end + 2) in lists.PICTURES}  # fmt: skip
        said = {end + len(idiom) for end in ends for idiom in lists.IDIOMS if self.idiom(end, idiom)}
        return frozenset(ends) | frozenset(where) | (self.closed(said) if said else _NONE)

    def idiom(self, start: int, idiom: Sequence[str]) -> bool:
        return self.words[start : start + len(idiom)] == list(idiom)

    def plainly_said(self, position: int) -> bool:
        """Return whether a plain verb is an ungrammatical predicate: "Is the man | sit here?"."""
        return self.at(position) in lists.PLAIN_VERBS and self.at(position - 1) in lists.GROWING

    def past_adverbs(self, start: int) -> int:
        while self.at(start) in lists.DEGREES:
            start += 1
        return start

    # ---- words

    def at(self, position: int) -> str:
        return self.words[position] if 0 <= position < self.length else ""

    def is_number(self, position: int) -> bool:
        word = self.at(position)
        return word.isdigit() or (word in lists.NUMBERS and not (position and self.named[position]))

    def is_plural(self, end: int) -> bool:
        """Guess whether a subject's first noun is plural; ``english.is_plural`` needs known nouns."""
        word = self.words[min(self.nouns(0) - {0}, key=lambda far: abs(far - end), default=end) - 1]
        known = word.endswith(("ss", "us", "is", "'s", "’s")) or word in lists.NOT_PLURAL
        return word.endswith("s") and not known

    def kinds(self, position: int) -> frozenset[str]:
        """Return the word classes, with codes as in :func:`word_lists.kinds_of`."""
        if not 0 <= position < self.length:
            return frozenset()
        word = self.words[position]
        if word in {"one", "ones"} and position and self.at(position - 1) not in lists.DETERMINERS:
            return frozenset("N" if self.kinds(position - 1) & set("Acd") else "")
        if self.is_number(position):
            return frozenset()
        if word[:1] in lists.QUOTES or word in lists.CLOSED_CLASSES:
            return frozenset("d" if word in lists.DIRECTIONS else "")
        if self.at(position + 1) == "than" and word.endswith("er"):
            return frozenset("A")
        return frozenset("NA") if self.named[position] else lists.kinds_of(word)
