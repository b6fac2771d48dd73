"""English inflection for questions and captions: articles, plurals, number words.

Nouns are English words or short phrases ("fire hydrant", "cup of coffee"). ``plurals.tsv`` has the plural rules. The
tests compare plurals and articles with the library ``inflect`` over every noun of every vocabulary.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vhbench.language import lexicon
from vhbench.tsv import records

NUMBER_WORDS: Mapping[str, int] = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty".split()
    )
}
# number words up to ten, by value: larger numbers are written in digits
NUMBERS: tuple[str, ...] = tuple(NUMBER_WORDS)[:11]
MASS: frozenset[str] = lexicon.words("mass nouns")  # nouns that take neither an article nor a plural
_UNIQUE: frozenset[str] = frozenset("ceiling floor ground moon sea sky sun".split())  # unique objects, which take "the"

# nouns with a measure word: "two pairs of skis"
MEASURES: Mapping[str, str] = {
    **dict.fromkeys("glasses jeans pliers scissors skis sunglasses".split(), "pair"),
    **dict.fromkeys(("broccoli", "soap", "tissue paper"), "piece"),
    "tape": "roll",
}


class _Ending(NamedTuple):
    """Plural rule: noun ending, number of letters to cut, letters to append."""

    ending: re.Pattern[str]
    cut: int
    plural: str


# the first match applies
_ENDINGS = records(
    Path(__file__).with_name("plurals.tsv"),
    _Ending,
    {"ending": lambda cell: re.compile(rf"(?i)(?:{cell})\Z"), "cut": int},
)

_SOUNDS_LIKE_A = re.compile(
    r"(?i)e[uw]|onc?e\b|onetime\b|uni(?:[^nmd]|mo)|u(?:[bcfghjkqrst][aeiou]|kr|[.-]|$)|unanimous|(?-i:U[NKS])|us\b"
)
_SOUNDS_LIKE_AN = re.compile(
    r"(?i)[aeiou]|hour(?!i)|heir|honest|hono[ur]|[fhlmnrsx](?:[.-]|$)|y(?:b[lor]|cl[ea]|fere|gg|p[ios]|rou|tt)"
    r"|(?-i:(?!S[CHKLMNPTVW][AEIOU])[FHLMNRSX][B-DF-HJ-NP-TV-XZ])"
)
_PHRASE = re.compile(r"(.*?)(\S*)((?:\s+(?:(?:of|with)\s|\().*)?)", re.DOTALL)


def a(phrase: str) -> str:
    """Put "a" or "an" before a phrase, by the sound of its first word.

    >>> [a(phrase) for phrase in ("dog", "orange dog", "urinal", "umbrella", "hour")]
    ['a dog', 'an orange dog', 'a urinal', 'an umbrella', 'an hour']
    """
    word = phrase.split()[0]
    return f"{'an' if _SOUNDS_LIKE_AN.match(word) and not _SOUNDS_LIKE_A.match(word) else 'a'} {phrase}"


def with_article(noun: str) -> str:
    """Return a noun with the article that a statement about one instance needs.

    >>> [with_article(noun) for noun in ("apple", "scissors", "rice", "sky", "teddy bear", "cup of coffee")]
    ['an apple', 'scissors', 'rice', 'the sky', 'a teddy bear', 'a cup of coffee']
    """
    if noun in _UNIQUE:
        return f"the {noun}"
    return a(noun) if countable(noun) else noun


def countable(noun: str) -> bool:
    """Return whether a noun takes numbers: mass nouns and plural-only nouns do not."""
    return head(noun) not in MASS and not is_plural(noun) and noun not in _UNIQUE


def is_plural(noun: str) -> bool:
    """Return whether a noun takes "are" unchanged.

    >>> [is_plural(noun) for noun in ("scissors", "ice cubes", "bus", "glass", "bag of chips")]
    [True, True, False, False, False]
    """
    word = head(noun)
    return word.endswith("s") and word not in MASS and _plural(word) == word


def head(noun: str) -> str:
    """Return the head of a phrase: the last word before "of", "with" or a bracket.

    >>> head("fire hydrant"), head("cup of coffee"), head("mouse (animal)")
    ('hydrant', 'cup', 'mouse')
    """
    return _parts(noun)[1]


def measured(noun: str) -> str:
    """Return a noun with its measure word.

    >>> [measured(noun) for noun in ("scissors", "adhesive tape", "dog")]
    ['pair of scissors', 'roll of adhesive tape', 'dog']
    """
    measure = MEASURES.get(noun) or MEASURES.get(head(noun))
    return f"{measure} of {noun}" if measure else noun


def plural(noun: str) -> str:
    """Return the plural of a noun or phrase; mass nouns and plurals are unchanged.

    >>> [plural(noun) for noun in ("bus", "bookshelf", "snowman", "computer mouse", "cup of coffee", "jeans", "rice")]
    ['buses', 'bookshelves', 'snowmen', 'computer mice', 'cups of coffee', 'jeans', 'rice']
    >>> plural("TV or monitor"), plural("mouse (animal)")
    ('TVs or monitors', 'mice (animal)')
    """
    one, either, other = noun.partition(" or ")
    if either:
        return f"{plural(one)} or {plural(other)}"
    before, word, after = _parts(noun)
    return f"{before}{_plural(word)}{after}"


@cache
def plural_forms(noun: str) -> tuple[str, ...]:
    """Return the plural forms of a noun in captions: :func:`plural`, then variants.

    >>> plural_forms("bus"), plural_forms("puppy"), plural_forms("person")
    (('buses', 'busses'), ('puppies',), ('people', 'persons'))
    >>> plural_forms("bookshelf"), plural_forms("buffalo"), plural_forms("fish")
    (('bookshelves', 'bookshelfs'), ('buffaloes', 'buffalos'), ('fish', 'fishes'))
    """
    forms = [plural(noun)]
    if is_plural(noun):
        return tuple(forms)
    if noun.endswith(("s", "z")):
        forms += [f"{noun}es", f"{noun}{noun[-1]}es"]
    elif noun in forms:
        forms.append(noun + ("es" if noun.endswith(("x", "ch", "sh")) else "s"))
    elif noun.endswith(("f", "fe", "o", "person")):
        forms += [f"{noun}s", f"{noun}es"][: 1 + noun.endswith("o")]
    return tuple(dict.fromkeys(forms))


def third_person(verb: str) -> str:
    """Return the third person singular of a verb's plain form.

    >>> [third_person(verb) for verb in ("squat", "carry", "play", "watch", "go", "have", "half-squat", "Show")]
    ['squats', 'carries', 'plays', 'watches', 'goes', 'has', 'half-squats', 'Shows']
    """
    word = verb.lower()
    if word in ("have", "be"):
        return "has" if word == "have" else "is"
    if re.search(r"[^aeiou]y$", word):
        return f"{verb[:-1]}ies"
    if re.search(r"(?:[sxz]|[cs]h|[^aeiou]o)$", word):
        return f"{verb}es"
    return f"{verb}s"


def count_phrase(number: int, noun: str) -> str:
    """Return "two dogs", "one dog".

    >>> count_phrase(2, "fire hydrant"), count_phrase(1, "dog")
    ('two fire hydrants', 'one dog')
    """
    word = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"{word} {noun if number == 1 else plural(noun)}"


def is_or_are(number: int, noun: str = "") -> str:
    """Return the verb for a number of instances; "are" also for plural-only nouns."""
    return "are" if number != 1 or is_plural(noun) else "is"


def listing(parts: list[str]) -> str:
    """Join phrases with commas and "and".

    >>> listing(["a dog", "a cat", "an egg"]), listing(["a dog", "a cat"]), listing(["a dog"])
    ('a dog, a cat and an egg', 'a dog and a cat', 'a dog')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _parts(noun: str) -> tuple[str, str, str]:
    """Split a phrase into the text before its head, the head, and the text after it."""
    match = _PHRASE.fullmatch(noun.strip())
    assert match, "the pattern fits any text"
    return match[1], match[2], match[3]


@cache
def _plural(word: str) -> str:
    if not word or word in MASS:
        return word
    if word.isupper():
        return f"{word}s"  # TVs, CDs
    rule = next(rule for rule in _ENDINGS if rule.ending.search(word))
    return word[: len(word) - rule.cut] + rule.plural


def gerund(verb: str) -> str:
    """Return the -ing form of a verb; words that already have it are unchanged.

    >>> gerund("run"), gerund("dance"), gerund("lie"), gerund("standing")
    ('running', 'dancing', 'lying', 'standing')
    """
    if verb.endswith("ing"):
        return verb
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    short = len(verb) == 3 and verb[-2] in "aeiou" and verb[-3] not in "aeiou" and verb[-1] not in "aeiouwxy"
    return verb + (verb[-1] if short or verb in ("swim", "skip") else "") + "ing"


# singular predicate → predicate of several instances, each on its own
_OF_SEVERAL: Mapping[str, str] = {
    "raising its head": "raising their heads",
    "lowering its head": "lowering their heads",
    "with its mouth open": "with their mouths open",
    "with its mouth closed": "with their mouths closed",
    "riding a bicycle": "riding bicycles",
    "riding a horse": "riding horses",
    "driving a car": "driving cars",
}


def agreeing(predicate: str, number: int) -> str:
    """Return a predicate that agrees with a number of instances.

    >>> agreeing("raising its head", 2), agreeing("raising its head", 1), agreeing("running", 2)
    ('raising their heads', 'raising its head', 'running')
    """
    return _OF_SEVERAL.get(predicate, predicate) if number > 1 else predicate
