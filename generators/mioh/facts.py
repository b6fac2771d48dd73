"""What a question can ask about one image: four kinds of facts, each true, false or unknown there."""

from dataclasses import dataclass

from vhbench.generators.mioh import words


@dataclass(frozen=True, slots=True, order=True)
class Exists:
    """At least one ``category`` is visible."""

    category: str

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return words.singular(self.category)


@dataclass(frozen=True, slots=True, order=True)
class Has:
    """At least one ``category`` has the ``value`` of an attribute type."""

    category: str
    kind: str
    value: str

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return words.described(self.category, self.kind, self.value)


@dataclass(frozen=True, slots=True, order=True)
class Related:
    """At least one ``subject`` stands in the relation to at least one ``anchor``."""

    subject: str
    predicate: str
    anchor: str

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return words.related(self.subject, self.predicate, self.anchor)


@dataclass(frozen=True, slots=True, order=True)
class Count:
    """Exactly ``number`` instances of ``category`` are visible."""

    category: str
    number: int

    def phrase(self) -> str:
        """Say it as a noun phrase without an article."""
        return f"{self.number} {words.singular(self.category) if self.number == 1 else words.plural(self.category)}"


Fact = Exists | Has | Related | Count
