"""Where the subject of an English yes/no question ends.

A question is auxiliary + subject + predicate ("Is | the man in the hat | smiling"); undoing its inversion needs the
border between the last two. A small reader of noun phrases finds it; where it cannot, it says so.
"""

from collections.abc import Sequence

from vhbench.generators.vhexpansion import word_lists as lists


def subject_length(auxiliary: str, words: Sequence[str]) -> int | None:
    """Return how many words after the auxiliary are the subject, or None where that is not clear.

    >>> subject_length("Is", ["the", "man", "in", "the", "hat", "smiling"])
    5
    >>> subject_length("Is", ["the", "man", "in", "the", "house"])
    2
    """
    reader = _WordReader(auxiliary.lower(), [word.strip("()") for word in words])
    length = reader.subject(0)
    return length if length is not None and 0 < length < len(words) else None


class _WordReader:
    """Reads noun phrases; every method takes a position and returns the position behind what it read, or None."""

    def __init__(self, auxiliary: str, words: list[str]) -> None:
        self.auxiliary = auxiliary
        self.words = [word.lower() for word in words]
        self.names = [word[:1].isupper() for word in words]
        self.singular = auxiliary in {"is", "was", "does", "has"}

    def subject(self, start: int) -> int | None:
        if self.at(start) == "there":
            return start + 1  # "Is there | at least one dog": nothing can belong to it
        end = self.noun_phrase(start)
        while end is not None and end < len(self.words):
            longer = self.continued(end)
            if longer is None or longer == end:
                break
            end = longer
        if end is not None and self.at(end) in lists.RELATIVES | {"of", "and"}:
            return None  # a relative clause, say: its end cannot be told without a parser
        if end is not None and self.auxiliary not in lists.BE and self.at(end) in lists.PREPOSITIONS:
            return None  # "Did the man in …": the verb was not found
        return end

    def continued(self, end: int) -> int | None:
        """Read "of …", "and …", or a prepositional phrase that something is said about afterwards."""
        word = self.at(end)
        if self.words[end - 1].endswith(","):
            return None
        if word in {"of", "and"} and end + 1 < len(self.words):
            return self.noun_phrase(end + 1)
        while self.at(end) in lists.PREPOSITIONS | {"of"} and end + 1 < len(self.words):
            behind = self.noun_phrase(end + 1)
            if behind is None or behind >= len(self.words):
                break
            if self.begins_predicate(behind, plain=True):
                return behind
            end = behind  # "behind the bed in the room | empty": one phrase after another
        return None

    def noun_phrase(self, start: int) -> int | None:
        first = self.at(start)
        if first in lists.PRONOUNS or first.startswith(('"', "“")):
            return start + 1
        if first in lists.DEMONSTRATIVES and self.begins_predicate(start + 1):
            return start + 1
        position = start
        before = lists.DETERMINERS | lists.NUMBERS
        while self.at(position) in before or (position > start and self.at(position) == "of"):
            position += 1
        if position >= len(self.words) or self.at(position) in lists.PREPOSITIONS:
            return None
        return self.nouns(position)

    def nouns(self, start: int) -> int | None:
        """Read adjectives and nouns up to the first word that begins a predicate, a phrase or a clause."""
        stop = next((i for i in range(start + 1, len(self.words)) if self.ends(i)), len(self.words))
        named = self.compound(start + 1) or (self.modifies(start) and not self.modifies(start + 1))
        if stop - start == 2 and self.bare(stop) and not named:
            return start + 1  # "the sky | azure in this image": whatever the second word is, it is said of the first
        position = start + 1
        while position < stop and (self.modifies(position - 1) or not self.begins_predicate(position)):
            position += 1  # an adjective is no whole subject: "the red | car"
        if position < stop:
            return self.agreed(start, position)
        if self.disagrees(start, stop):
            return self.agreed(start, stop)
        goes_on = self.at(stop) in lists.PREPOSITIONS | {"of", "and"} or self.begins_predicate(stop)
        return stop if goes_on else None

    def bare(self, position: int) -> bool:
        """Tell whether nothing is left but where it is: the end, "in this image", or a second predicate."""
        rest = [word.rstrip(",.;:") for word in self.words[position:]]
        coordinated = rest[:1] == ["and"] and self.singular and len(rest) > 1 and rest[1] not in lists.DETERMINERS
        in_picture = len(rest) == 3 and rest[0] in {"in", "on", "of"} and rest[2] in lists.PICTURES
        return not rest or coordinated or in_picture

    def agreed(self, start: int, position: int) -> int:
        """Cut a subject in the plural behind a verb in the singular: "Is the forest | fruit trees withering"."""
        if not self.disagrees(start, position):
            return position
        noun = next((i for i in range(start, position) if not self.modifies(i)), start)
        return min(noun + 1, position)

    def disagrees(self, start: int, position: int) -> bool:
        return self.singular and position - start > 1 and _plural(self.words[position - 1])

    def ends(self, position: int) -> bool:
        if self.words[position - 1].endswith(","):
            return True
        return self.at(position) in lists.PREPOSITIONS | lists.RELATIVES | lists.DETERMINERS | {"of", "and", "or"}

    def compound(self, position: int) -> bool:
        """Tell whether a word belongs to the one before: "traffic light", "the dog's tail", "Mickey Mouse"."""
        before = self.at(position - 1)
        if 0 < position < len(self.words) and self.names[position - 1] and self.names[position]:
            return True
        return f"{before} {self.at(position)}" in lists.COMPOUNDS or before.endswith(("'s", "s'", "’s", "s’"))

    def modifies(self, position: int) -> bool:
        word = self.at(position)
        said = word in lists.ADJECTIVES | lists.NUMBERS or _ending(word)
        return (said and not self.compound(position)) or word.endswith(("'s", "’s"))

    def begins_predicate(self, position: int, *, plain: bool = False) -> bool:
        """Tell whether a word can be the first of what is said; ``plain`` leaves prepositions and nouns out."""
        word = self.at(position)
        if not word or self.compound(position):
            return False
        if self.auxiliary in lists.BE:
            if not plain and word in lists.PREPOSITIONS:
                return True
            said = lists.ADJECTIVES | lists.ADVERBS | lists.PARTICIPLES | lists.NUMBERS | lists.DETERMINERS
            return word in said or _ending(word) or word.startswith('"')
        if self.auxiliary in lists.HAVE:
            return word in lists.PARTICIPLES | lists.ADVERBS or _ending(word)
        return word in lists.VERBS or word in {"upside", "horseback", "also", "both", "all"}

    def at(self, position: int) -> str:
        return self.words[position].rstrip(",.;:") if 0 <= position < len(self.words) else ""


def _ending(word: str) -> bool:
    return bool(lists.PREDICATE_ENDING.fullmatch(word)) and word not in lists.NOT_PARTICIPLES | lists.NOT_ADVERBS


def _plural(word: str) -> bool:
    """Guess whether any word of a sentence is a plural; ``english.is_plural`` judges nouns that are known."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word not in {"glasses", "lens"}
