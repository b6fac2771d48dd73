"""Row ids and order that leak nothing, assigned when shards are merged.

Builds draft rows with ids that reveal how they were made ("fictional-ee-00003-0/existence/dog", "e5~e1-12"), and
consecutive drafts alternate their answers: yes, no, yes, no. So each id becomes a keyed hash, and images are sorted by
keyed hashes, with their rows by id.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vhbench.schema import TIE, Row
from vhbench.seeding import label, rng


@dataclass(frozen=True, slots=True)
class RowNames:
    """Row ids of one split, derived from the seed and the benchmark of its build."""

    seed: int
    benchmark: str

    def of(self, draft: str) -> str:
        """Return the id that replaces a draft's: 16 hexadecimal digits.

        >>> RowNames(0, "ode").of("a") == RowNames(0, "ode").of("a") != RowNames(1, "ode").of("a")
        True
        """
        return label(self.seed, "row", self.benchmark, draft)

    def of_pair(self, draft: str, perturbation: str = "") -> str:
        """Return the id of a pair, keeping its ties to other pairs.

        A pair may be tied to the pair it follows (:data:`vhbench.schema.TIE`), and a perturbed pair to its clean pair,
        before the last slash.

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
        """Return a row with its final id and pair id."""
        question = row.question
        pair = self.of_pair(question.pair_id, question.perturbation)
        return replace(row, question=replace(question, id=self.of(question.id), pair_id=pair))

    @property
    def order(self) -> bytes:
        """Key of the image order."""
        return label(self.seed, "order", self.benchmark).encode()

    def shuffled(self, parts: Sequence[Path]) -> list[Path]:
        """Return parts of a split in keyed random order."""
        return [parts[i] for i in rng(self.seed, "parts", self.benchmark).permutation(len(parts)).tolist()]
