"""Names and places of a split's rows that give nothing away: given once, when its shards are merged.

Builds draft rows under names that tell how they came about ("fictional-ee-00003-0/existence/dog", "e5~e1-12"), and what
comes about in turns is answered in turns: yes, no, yes, no. So each name becomes a keyed hash of itself, and images lie
in the order of keyed hashes of their own, with their rows by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vhbench.schema import TIE, Row
from vhbench.seeding import label, rng


@dataclass(frozen=True, slots=True)
class RowNames:
    """The names of one split's rows.

    Attributes:
        seed: of the build.
        benchmark: its name.
    """

    seed: int
    benchmark: str

    def of(self, draft: str) -> str:
        """Return the name that takes a draft's place: 16 hexadecimal digits.

        >>> RowNames(0, "ode").of("a") == RowNames(0, "ode").of("a") != RowNames(1, "ode").of("a")
        True
        """
        return label(self.seed, "row", self.benchmark, draft)

    def of_pair(self, draft: str, perturbation: str = "") -> str:
        """Return the name of a pair: what ties it to other pairs stays.

        That is the pair that it was asked after (:data:`vhbench.schema.TIE`), and the clean pair of a perturbed
        one, which stands before the last slash.

        >>> names = RowNames(0, "mioh")
        >>> names.of_pair("e5~e1-12").endswith(f"~{names.of_pair('e1-12')}")
        True
        >>> names.of_pair("q7/jpeg", "jpeg") == f"{names.of_pair('q7')}/jpeg"
        True
        """
        form = f"/{perturbation}" if perturbation and draft.endswith(f"/{perturbation}") else ""
        parts = draft.removesuffix(form).split(TIE) if draft else []
        return TIE.join(self.of(TIE.join(parts[i:])) for i in range(len(parts))) + form

    def given(self, row: Row) -> Row:
        """Return a row under its name, with that of its pair."""
        question = row.question
        pair = self.of_pair(question.pair_id, question.perturbation)
        return replace(row, question=replace(question, id=self.of(question.id), pair_id=pair))

    @property
    def order(self) -> bytes:
        """What decides in which order images lie."""
        return label(self.seed, "order", self.benchmark).encode()

    def shuffled(self, parts: Sequence[Path]) -> list[Path]:
        """Return parts of a split in an order that the key decides."""
        return [parts[i] for i in rng(self.seed, "parts", self.benchmark).permutation(len(parts)).tolist()]
