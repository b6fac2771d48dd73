"""Facts about one image: four kinds, each true, false or unknown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from vhbench.generators.mioh.scene_columns import Bits
from vhbench.language import inflection

SIDES: Final = {"left of": "right of", "right of": "left of"}
OPPOSITES: Final = SIDES | {
    "above": "below", "below": "above", "in front of": "behind", "behind": "in front of",
    "on": "under", "under": "on",
}  # fmt: skip
"""Predicates whose annotation makes the opposite false for the same two objects."""

_ADJECTIVES: Final = {"wood": "wooden", "wool": "woollen"}
"""Attribute values whose adjective differs from the value."""


class Exists(NamedTuple):
    """At least one ``category`` is visible."""

    category: str

    def phrase(self) -> str:
        """Return the fact as a noun phrase without an article."""
        return inflection.measured(self.category)


class Has(NamedTuple):
    """At least one ``category`` has the ``value`` of an attribute type.

    >>> Has("table", "material", "wood").phrase(), Has("dog", "action", "running").phrase()
    ('wooden table', 'dog that is running')
    """

    category: str
    kind: str
    value: str

    def phrase(self) -> str:
        """Return the fact as a noun phrase without an article."""
        noun = inflection.measured(self.category)
        if self.kind == "action":
            return f"{noun} that is {self.value}"
        return f"{_ADJECTIVES.get(self.value, self.value)} {noun}"


class Related(NamedTuple):
    """At least one ``subject`` has the relation to at least one ``anchor``."""

    subject: str
    predicate: str
    anchor: str

    def phrase(self) -> str:
        """Return the fact as a noun phrase without an article."""
        words = f"to the {self.predicate}" if self.predicate in SIDES else self.predicate
        return f"{inflection.measured(self.subject)} {words} {inflection.a(inflection.measured(self.anchor))}"

    def turned(self) -> "Related | None":
        """Return the converse ("b right of a" for "a left of b"), or None if there is none."""
        opposite = OPPOSITES.get(self.predicate)
        return Related(self.anchor, opposite, self.subject) if opposite else None


class Quantity(NamedTuple):
    """Exactly ``number`` instances of ``category`` are visible.

    >>> Quantity("scissors", 1).phrase(), Quantity("bookshelf", 3).phrase()
    ('1 pair of scissors', '3 bookshelves')
    """

    category: str
    number: int

    def phrase(self) -> str:
        """Return the fact as a noun phrase without an article."""
        noun = inflection.measured(self.category)
        return f"{self.number} {noun if self.number == 1 else inflection.plural(noun)}"


Fact = Exists | Has | Related | Quantity


def one_way(fact: Fact) -> Fact:
    """Return the fact, or the converse if that comes first: they say the same."""
    turned = fact.turned() if isinstance(fact, Related) else None
    return min(fact, turned) if isinstance(fact, Related) and turned else fact


def says_the_same(fact: Fact, chosen: Sequence[Fact]) -> bool:
    """Return whether a chosen fact is its converse ("dog behind car", "car in front of dog")."""
    return isinstance(fact, Related) and fact.turned() in chosen


@dataclass(frozen=True, slots=True)
class FactTruth:
    """Scenes by the truth of a fact: booleans of shape (scenes,), bit-packed for the cache.

    Attributes:
        yes: the fact is true.
        no: the fact is false.
        easy: true and easy to see.
        hard: true, with every instance hard to see (hard positive); for a count, with at least one hard to see.
        far: false and suggested by nothing (easy negative).
        near: false but suggested by what is present (hard negative).
    """

    yes: Bits
    no: Bits
    easy: Bits
    hard: Bits
    far: Bits
    near: Bits


@dataclass(frozen=True, slots=True)
class Binding:
    """Scenes with the objects and values of an attribute or relation, whether it holds or not; packed.

    Attributes:
        number: pairs of objects, or of objects and carriers of the value, in each of these scenes.
        there: scenes with both objects; or with the object, and with the value on any object.
        soft: of these, where it is false and that is easy to see.
        hard: of these, where it is false and an object is hard to see.
        calm: of these, where no other object suggests it.
        near: of these, where another object suggests it.
        odd: scenes with other numbers of them, which would tell one option from another.
    """

    number: int
    there: Bits
    soft: Bits
    hard: Bits
    calm: Bits
    near: Bits
    odd: Bits
