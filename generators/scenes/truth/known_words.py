"""Which words a scene knows: what is present, what is absent, and what leaves one in doubt."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.environments import atlas


@lru_cache(maxsize=1)
def _rivals() -> Mapping[str, frozenset[str]]:
    """Map each readable name, and each area, to the names that must not be asked as absent where it is present."""
    table: dict[str, set[str]] = {}
    for name, others in _declared():
        for other in others:
            entry = catalog.lookup(other)
            rival = entry.name if entry else other
            if rival != name:
                table.setdefault(name, set()).add(rival)
                table.setdefault(rival, set()).add(name)
    for entry in catalog.CATALOG.values():  # one way: a car has windows, but a window has no car
        parts = {part.name if (part := catalog.lookup(word)) else word for word in entry.parts}
        table.setdefault(entry.name, set()).update(parts - {entry.name})
    return {name: frozenset(rivals) for name, rivals in table.items()}


def _declared() -> Iterable[tuple[str, Sequence[str]]]:
    for entry in catalog.CATALOG.values():
        yield entry.name, (*entry.implies, *entry.confusable)
    yield from atlas.AREA_CONFUSABLE.items()
    for area in sorted(atlas.AREAS):
        yield area, (area,)  # an area and a drawing may share a word: the cabinet and the wardrobe


def rivals(name: str) -> frozenset[str]:
    """Return the names about which a picture of ``name`` (a thing or an area) leaves one in doubt.

    A man is a person, a yacht looks like a ship: the catalog declares these, and they are taken both ways. A car has
    windows, which are its parts: they are taken one way.
    """
    return _rivals().get(name, frozenset())


def clash(name: str, others: Iterable[str]) -> bool:
    """Tell whether a name leaves one in doubt about any of the others, or one of them about it."""
    return any(other in rivals(name) or name in rivals(other) for other in others)


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return every word whose presence or absence scenes can know: things and areas."""
    return catalog.vocabulary() | frozenset(atlas.AREAS)


def known_words(things: Iterable[str], areas: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words known in a scene, and those of them that may be counted.

    Known is the vocabulary, less the rivals of whatever is present; what is present stays known. Countable are the
    known things that the catalog lets be counted, less any rival of something present.
    """
    present = frozenset(things)
    doubtful = frozenset().union(*(rivals(name) for name in sorted(present | frozenset(areas))))
    known = (vocabulary() - doubtful) | present | frozenset(areas)
    return known, (known & _countable()) - doubtful - frozenset(areas)


@lru_cache(maxsize=1)
def _countable() -> frozenset[str]:
    return frozenset(entry.name for entry in catalog.CATALOG.values() if entry.countable)
