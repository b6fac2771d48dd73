"""The little English that questions need: articles, plurals, number words.

Nouns are English words or short phrases ("fire hydrant"). Small closed tables hold what rules cannot know: mass
nouns, nouns that are used in the plural only, irregular plurals, and what there is only one of.
"""

NUMBERS: tuple[str, ...] = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Number words by value."""

MASS: frozenset[str] = frozenset(
    {
        "bacon",
        "bamboo",
        "beer",
        "bread",
        "broccoli",
        "charcoal",
        "cheese",
        "cloth",
        "coffee",
        "cola",
        "furniture",
        "ginger",
    }
    | {"grass", "ice", "juice", "luggage", "meat", "milk", "money", "paper", "pulp", "rain", "rice", "sand", "sauce"}
    | {
        "shampoo",
        "snow",
        "sound",
        "tape",
        "tinfoil",
        "toothpaste",
        "traffic",
        "water",
        "wine",
        "wood",
        "baggage",
        "sanitizer",
        "foil",
    }
)
"""Nouns that take neither an article nor a plural."""

PLURAL_ONLY: frozenset[str] = frozenset(
    {"blueberries", "cherries", "chopsticks", "clothes", "drapes", "earphones", "glasses", "goggles", "grapes"}
    | {"headphones", "jeans", "mountains", "pants", "scissors", "shorts", "skis", "slippers", "stairs", "sunglasses"}
    | {
        "tweezers",
        "peas",
        "chips",
        "toothpicks",
        "trousers",
        "leaves",
        "clouds",
        "stars",
        "waves",
        "trees",
        "houses",
        "buildings",
        "rails",
        "tracks",
    }
)
"""Nouns that are plural as they stand: "Are there scissors …?"."""

UNIQUE: frozenset[str] = frozenset({"ceiling", "floor", "ground", "moon", "sea", "sky", "sun"})
"""What there is one of: it takes "the"."""

_IRREGULAR = {
    "child": "children",
    "fish": "fish",
    "foot": "feet",
    "goose": "geese",
    "knife": "knives",
    "leaf": "leaves",
    "man": "men",
    "mouse": "mice",
    "person": "people",
    "sheep": "sheep",
    "scarf": "scarves",
    "shelf": "shelves",
    "tooth": "teeth",
    "wolf": "wolves",
    "woman": "women",
    "deer": "deer",
    "shrimp": "shrimp",
    "photo": "photos",
    "piano": "pianos",
    "kiwi": "kiwis",
    "loaf": "loaves",
    "bus": "buses",
    "dress": "dresses",
}
_SILENT_OR_CONSONANT = ("eu", "one", "uni", "use", "ura", "uri", "uk")  # "a unicycle", "a euro", "a urinal"
_VOWEL_SOUND = ("hour", "honest", "heir", "x-ray", "mp3")


def article(noun: str) -> str:
    """Return "a" or "an", by the sound of the noun's first word.

    >>> [article(noun) for noun in ("dog", "orange", "urinal", "umbrella", "hour")]
    ['a', 'an', 'a', 'an', 'an']
    """
    word = noun.lower()
    if word.startswith(_VOWEL_SOUND):
        return "an"
    return "an" if word[:1] in "aeiou" and not word.startswith(_SILENT_OR_CONSONANT) else "a"


def with_article(noun: str) -> str:
    """Return a noun as a statement would name one of it.

    >>> [with_article(noun) for noun in ("apple", "scissors", "rice", "sky", "teddy bear")]
    ['an apple', 'scissors', 'rice', 'the sky', 'a teddy bear']
    """
    if noun in UNIQUE:
        return f"the {noun}"
    return f"{article(noun)} {noun}" if countable(noun) else noun


def countable(noun: str) -> bool:
    """Tell whether one can say "one …, two …": not for mass nouns and nouns that are plural only."""
    return head(noun) not in MASS | PLURAL_ONLY and noun not in UNIQUE


def is_plural(noun: str) -> bool:
    """Tell whether a noun takes "are" as it stands ("scissors")."""
    return head(noun) in PLURAL_ONLY


def head(noun: str) -> str:
    """Return the word of a phrase that carries its number: the last one.

    >>> head("fire hydrant")
    'hydrant'
    """
    return noun.split()[-1] if noun else ""


def plural(noun: str) -> str:
    """Return the plural of a countable noun or phrase.

    >>> [plural(noun) for noun in ("dog", "bus", "knife", "cherry", "person", "computer mouse", "boy", "potato")]
    ['dogs', 'buses', 'knives', 'cherries', 'people', 'computer mice', 'boys', 'potatoes']
    """
    *front, last = noun.split()
    return " ".join([*front, _plural_word(last)])


def _plural_word(word: str) -> str:
    if word in PLURAL_ONLY or word in MASS:
        return word
    for stem, form in _IRREGULAR.items():
        if word == stem or (stem in ("man", "woman", "person", "child") and word.endswith(stem) and len(stem) > 4):
            return word[: -len(stem)] + form
    if word.endswith("man") and word not in ("human", "roman", "german"):
        return word[:-2] + "en"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith("o") and word[-2:-1] not in "aeiou":
        return word + "es"
    return word + "s"


def count_phrase(number: int, noun: str) -> str:
    """Return "two dogs", "one dog".

    >>> count_phrase(2, "fire hydrant"), count_phrase(1, "dog")
    ('two fire hydrants', 'one dog')
    """
    word = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"{word} {noun if number == 1 else plural(noun)}"


def is_or_are(number: int, noun: str = "") -> str:
    """Return the verb for so many of a noun; "are" also for nouns that are plural only."""
    return "are" if number != 1 or is_plural(noun) else "is"


def listing(parts: list[str]) -> str:
    """Join phrases as English does.

    >>> listing(["a dog", "a cat", "an egg"]), listing(["a dog", "a cat"]), listing(["a dog"])
    ('a dog, a cat and an egg', 'a dog and a cat', 'a dog')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
