"""Words without one of which a pattern cannot match: to look for them first is much quicker than to try the pattern."""

from collections.abc import Iterable


def any_in(needles: Iterable[str], text: str) -> bool:
    """Tell whether one of some words stands anywhere in a text.

    >>> any_in(("dog", "cat"), "concatenated"), any_in(("dog", "cat"), "a bird")
    (True, False)
    """
    for needle in needles:  # noqa: SIM110 a generator takes three times as long
        if needle in text:
            return True
    return False
