"""Which words a scene knows: what is present, what is absent, and what leaves one in doubt."""

from collections.abc import Iterable, Mapping

from vhbench.generators.scenes.catalog import CATALOG, readable
from vhbench.generators.scenes.environments.atlas import AREA_CONFUSABLE, AREAS

VOCABULARY: frozenset[str] = frozenset(entry.name for entry in CATALOG.values()) | AREAS
"""Every word whose presence or absence scenes can know: things and areas."""

_COUNTABLE = frozenset(entry.name for entry in CATALOG.values() if entry.countable)


def rivals(name: str) -> frozenset[str]:
    """Return the names about which a picture of ``name`` (a thing or an area) leaves one in doubt.

    A man is a person, a yacht looks like a ship: the catalog declares these, and they are taken both ways. A car has
    windows, which are its parts: they are taken one way.
    """
    return _RIVALS.get(name, frozenset())


def clash(name: str, others: Iterable[str]) -> bool:
    """Tell whether a name leaves one in doubt about any of the others, or one of them about it."""
    return any(other in rivals(name) or name in rivals(other) for other in others)


def known_words(things: Iterable[str], areas: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words known in a scene, and those of them that may be counted.

    Known is the vocabulary, less the rivals of whatever is present; what is present stays known. Countable are the
    known things that the catalog lets be counted, less any rival of something present.
    """
    painted = frozenset(areas)
    present = painted | frozenset(things)
    doubtful = frozenset().union(*map(rivals, present))
    known = (VOCABULARY - doubtful) | present
    return known, (known & _COUNTABLE) - doubtful - painted


def _find_rivals() -> Mapping[str, frozenset[str]]:
    """Map each readable name, and each area, to the names that must not be asked as absent where it is present."""
    declared = [(entry.name, (*entry.implies, *entry.confusable)) for entry in CATALOG.values()]
    declared += AREA_CONFUSABLE.items()
    declared += [(area, (area,)) for area in AREAS]  # the cabinet is an area, and a name for the wardrobe
    pairs = {(name, readable(other)) for name, others in declared for other in others}
    pairs |= {(other, name) for name, other in pairs}
    pairs |= {(entry.name, readable(part)) for entry in CATALOG.values() for part in entry.parts}  # one way
    table: dict[str, set[str]] = {}
    for name, other in pairs:
        if name != other:
            table.setdefault(name, set()).add(other)
    return {name: frozenset(others) for name, others in table.items()}


_RIVALS = _find_rivals()
