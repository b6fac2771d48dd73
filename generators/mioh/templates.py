"""English question templates for attributes, relations and counts."""

from typing import Final

from vhbench.language import inflection

_ADJECTIVES: Final = {"wood": "wooden", "wool": "woollen"}
"""Attribute values whose adjective differs from the value."""

PREDICATES: Final = {"left of": "to the left of", "right of": "to the right of"}
"""Predicates whose wording differs from their name (unlike "on" or "behind")."""


def counted(number: int, category: str) -> str:
    """Return a number with the counted noun.

    >>> counted(1, "scissors"), counted(3, "bookshelf")
    ('1 pair of scissors', '3 bookshelves')
    """
    return f"{number} {inflection.measured(category) if number == 1 else many(category)}"


def many(category: str) -> str:
    """Return the plural of a category.

    >>> many("wine glass"), many("skis")
    ('wine glasses', 'pairs of skis')
    """
    return inflection.plural(inflection.measured(category))


def described(category: str, kind: str, value: str) -> str:
    """Return an object with an attribute, without an article.

    >>> described("table", "material", "wood"), described("dog", "action", "running")
    ('wooden table', 'dog that is running')
    """
    noun = inflection.measured(category)
    if kind == "action":
        return f"{noun} that is {value}"
    return f"{_ADJECTIVES.get(value, value)} {noun}"


def related(subject: str, predicate: str, anchor: str) -> str:
    """Return a relation without the first article.

    >>> related("dog", "left of", "person")
    'dog to the left of a person'
    """
    said = PREDICATES.get(predicate, predicate)
    return f"{inflection.measured(subject)} {said} {inflection.a(inflection.measured(anchor))}"
