"""English for questions: articles, plurals, and how an attribute or a relation is said."""

from typing import Final

IRREGULAR: Final = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "policeman": "policemen",
    "fireman": "firemen", "knife": "knives", "mouse": "mice", "computer mouse": "computer mice", "sheep": "sheep",
    "fish": "fish", "deer": "deer", "wolf": "wolves", "goose": "geese", "loaf": "loaves", "scarf": "scarves",
    "shelf": "shelves", "bookshelf": "bookshelves", "leaf": "leaves", "aircraft": "aircraft", "skis": "pairs of skis",
    "scissors": "pairs of scissors", "pliers": "pairs of pliers", "broccoli": "pieces of broccoli",
    "tissue paper": "pieces of tissue paper", "soap": "pieces of soap", "tape": "rolls of tape", "bus": "buses",
    "sunglasses": "pairs of sunglasses", "glasses": "pairs of glasses", "jeans": "pairs of jeans", "ox": "oxen",
}  # fmt: skip
"""Nouns whose plural is not formed by rule, with the measure word that a mass noun is counted by."""

MEASURED: Final = {
    "skis": "pair of skis", "scissors": "pair of scissors", "pliers": "pair of pliers",
    "broccoli": "piece of broccoli", "tissue paper": "piece of tissue paper", "soap": "piece of soap",
    "tape": "roll of tape", "sunglasses": "pair of sunglasses", "glasses": "pair of glasses", "jeans": "pair of jeans",
}  # fmt: skip

_SOUNDS_LIKE_U: Final = ("uni", "use", "euro", "one")
_SILENT_H: Final = ("hour", "honest", "heir")

ADJECTIVES: Final = {"wood": "wooden", "grey": "grey", "wool": "woollen", "stone": "stone"}
"""How a value is said before a noun, where it is not said as it is written."""

PREDICATES: Final = {
    "left of": "to the left of",
    "right of": "to the right of",
    "next to": "next to",
}
"""How a predicate is said, where it is not said as it is written ("on", "behind", "in front of")."""


def singular(noun: str) -> str:
    """Return the noun as one counts one of it: ``"scissors"`` → ``"pair of scissors"``."""
    return MEASURED.get(noun, noun)


def plural(noun: str) -> str:
    """Return the plural of a noun.

    >>> [plural(word) for word in ("dog", "person", "bus", "cherry", "toothbrush", "tomato", "wine glass")]
    ['dogs', 'people', 'buses', 'cherries', 'toothbrushes', 'tomatoes', 'wine glasses']
    """
    if noun in IRREGULAR:
        return IRREGULAR[noun]
    head, _, last = noun.rpartition(" ")
    if head and last in IRREGULAR:
        return f"{head} {IRREGULAR[last]}"
    if noun.endswith(("s", "x", "z", "ch", "sh")) or noun in ("tomato", "potato", "mango"):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def a(phrase: str) -> str:
    """Put the indefinite article before a phrase.

    >>> a("dog"), a("orange dog"), a("unicorn"), a("umbrella")
    ('a dog', 'an orange dog', 'a unicorn', 'an umbrella')
    """
    word = phrase.lower()
    vowel = word.startswith(tuple("aeiou")) and not word.startswith(_SOUNDS_LIKE_U)
    return f"{'an' if vowel or word.startswith(_SILENT_H) else 'a'} {phrase}"


def described(category: str, kind: str, value: str) -> str:
    """Say an object with an attribute, without an article.

    >>> described("table", "material", "wood"), described("dog", "action", "running")
    ('wooden table', 'dog that is running')
    """
    noun = singular(category)
    if kind == "action":
        return f"{noun} that is {value}"
    return f"{ADJECTIVES.get(value, value)} {noun}"


def related(subject: str, predicate: str, anchor: str) -> str:
    """Say a relation, without the first article.

    >>> related("dog", "left of", "person")
    'dog to the left of a person'
    """
    return f"{singular(subject)} {PREDICATES.get(predicate, predicate)} {a(singular(anchor))}"
