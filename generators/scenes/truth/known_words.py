"""Words a scene knows: present, absent, and excluded as ambiguous."""

from collections.abc import Iterable, Mapping

from vhbench.generators.scenes.catalog import CATALOG, readable
from vhbench.generators.scenes.environments.atlas import AREA_CONFUSABLE, AREAS

VOCABULARY: frozenset[str] = frozenset(entry.name for entry in CATALOG.values()) | AREAS
"""All object and area words whose presence or absence scenes can know."""

_COUNTABLE = frozenset(entry.name for entry in CATALOG.values() if entry.countable)


def rivals(name: str) -> frozenset[str]:
    """Return the names that become ambiguous if ``name`` (an object or area) is shown.

    A man is a person and a yacht resembles a ship: the catalog declares these pairs, and they apply both ways. A car's
    windows are its parts: they apply one way.

    >>> sorted(rivals("yacht")), "yacht" in rivals("ship"), "window" in rivals("car"), "car" in rivals("window")
    (['boat', 'door', 'ship', 'window'], True, True, False)
    """
    return _RIVALS.get(name, frozenset())


def clash(name: str, others: Iterable[str]) -> bool:
    """Return whether a name makes any other name ambiguous, or the reverse.

    >>> clash("window", ["dog", "car"]), clash("car", ["window"]), clash("dog", ["car", "window"]), clash("dog", [])
    (True, True, False, False)
    """
    return any(other in rivals(name) or name in rivals(other) for other in others)


def known_words(things: Iterable[str], areas: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words known in a scene and those that may be counted.

    Known is the vocabulary minus the rivals of present words; present words stay known. Countable are the known objects
    that the catalog marks countable, minus rivals of present words.
    """
    painted = frozenset(areas)
    present = painted | frozenset(things)
    doubtful = frozenset().union(*map(rivals, present))
    known = (VOCABULARY - doubtful) | present
    return known, (known & _COUNTABLE) - doubtful - painted


def _find_rivals() -> Mapping[str, frozenset[str]]:
    """Map each name and area to the names that must not be used as absent next to it."""
    declared = [(entry.name, (*entry.implies, *entry.confusable)) for entry in CATALOG.values()]
    declared += AREA_CONFUSABLE.items()
    declared += [(area, (area,)) for area in AREAS]  # the cabinet is an area, and also a name of the wardrobe
    pairs = {(name, readable(other)) for name, others in declared for other in others}
    pairs |= {(other, name) for name, other in pairs}
    pairs |= {(entry.name, readable(part)) for entry in CATALOG.values() for part in entry.parts}  # one way
    table: dict[str, set[str]] = {}
    for name, other in pairs:
        if name != other:
            table.setdefault(name, set()).add(other)
    return {name: frozenset(others) for name, others in table.items()}


_RIVALS = _find_rivals()
