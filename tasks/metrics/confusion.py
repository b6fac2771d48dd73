"""Confusion counts of yes/no predictions for a positive class."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, get_args

from vhbench.schema import Failure


class Confusion(NamedTuple):
    """True and false positives and negatives; by reference class also unparsed and lost responses.

    Lost responses are failed requests, refusals and abstentions.
    """

    TP: int
    FP: int
    TN: int
    FN: int
    unparsed_positive: int
    unparsed_negative: int
    lost_positive: int = 0
    lost_negative: int = 0

    @property
    def right(self) -> int:
        """Right answers."""
        return self.TP + self.TN

    @property
    def n_predicted(self) -> int:
        """Predictions of the positive class."""
        return self.TP + self.FP

    @property
    def positives(self) -> int:
        """Questions with the positive class as reference answer."""
        return self.TP + self.FN + self.unparsed_positive + self.lost_positive

    @property
    def total(self) -> int:
        """All questions."""
        return sum(self)


def count(pairs: Iterable[tuple[str, str]] | Mapping[tuple[str, str], int], positive: str) -> Confusion:
    """Count pairs of prediction ("yes", "no", "", or why there is none) and reference answer ("yes", "no").

    >>> count([("no", "no"), ("yes", "no"), ("", "yes"), ("failed", "no")], "no")
    Confusion(TP=1, FP=0, TN=0, FN=1, unparsed_positive=0, unparsed_negative=1, lost_positive=1, lost_negative=0)
    """
    yes, no = positive, "no" if positive == "yes" else "yes"
    cells = Counter(pairs)
    counts = (cells[cell] for cell in ((yes, yes), (yes, no), (no, no), (no, yes), ("", yes), ("", no)))
    lost = get_args(Failure)[1:]
    return Confusion(*counts, *(sum(cells[kind, right] for kind in lost) for right in (yes, no)))
