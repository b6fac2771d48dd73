"""What a question can ask about one image: four kinds of facts, each true, false or unknown there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vhbench.generators.mioh import templates
from vhbench.language import inflection

SIDES: Final = {"left of": "right of", "right of": "left of"}
OPPOSITES: Final = SIDES | {
    "above": "below", "below": "above", "in front of": "behind", "behind": "in front of",
    "on": "under", "under": "on",
}  # fmt: skip
"""A listed relation makes its opposite false for the same two objects."""


@dataclass(frozen=True, slots=True, order=True)
class Exists:
    """At least one ``category`` is visible."""

    category: str

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return inflection.measured(self.category)


@dataclass(frozen=True, slots=True, order=True)
class Has:
    """At least one ``category`` has the ``value`` of an attribute type."""

    category: str
    kind: str
    value: str

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return templates.described(self.category, self.kind, self.value)


@dataclass(frozen=True, slots=True, order=True)
class Related:
    """At least one ``subject`` stands in the relation to at least one ``anchor``."""

    subject: str
    predicate: str
    anchor: str

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return templates.related(self.subject, self.predicate, self.anchor)

    def turned(self) -> "Related | None":
        """Return the same said from the anchor's side: "b right of a" for "a left of b"; None if there is no such."""
        opposite = OPPOSITES.get(self.predicate)
        return Related(self.anchor, opposite, self.subject) if opposite else None


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """Exactly ``number`` instances of ``category`` are visible."""

    category: str
    number: int

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return templates.counted(self.number, self.category)


Fact = Exists | Has | Related | Quantity


def says_the_same(fact: Fact, chosen: Sequence[Fact]) -> bool:
    """Tell whether an earlier one says it: "a dog behind a car" after "a car in front of a dog"."""
    return isinstance(fact, Related) and fact.turned() in chosen
