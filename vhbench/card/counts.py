"""Question counts of a split, from its small columns alone."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vhbench import splits
from vhbench.columns import CELLS

_CELL = ("config", *CELLS)
_COLUMNS = (*CELLS, "kind", "answer", "source")
_FLAG_WORDS = {True: "yes", False: ""}
_KINDS = {"caption": "captions", "yes_no": "yes or no", "multiple_choice": "multiple choice"}


@dataclass
class SplitCounts:
    """Counts in a card's tables."""

    columns: tuple[str, ...] = ()  # informative cell columns: "config", "task", "pressure" …
    cells: Counter[tuple[str, ...]] = field(default_factory=Counter)  # values of ``columns`` → number of questions
    # config → (kind, answer) → number; likewise ``sources``
    answers: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    sources: Counter[str] = field(default_factory=Counter)

    def table(self) -> list[list[str]]:
        """Return the sorted rows of the table of cells, with the number last."""
        return [[*cell, f"{count:,}"] for cell, count in sorted(self.cells.items())]

    def configs(self) -> Iterator[list[str]]:
        """Yield the rows of the table of configs: name, questions, kinds, shares of the answers."""
        for config, answers in self.answers.items():
            total = sum(answers.values())
            kinds = sorted({_KINDS.get(kind, kind) for kind, _ in answers})
            shares = [f"{answer} {count / total:.0%}" for (_, answer), count in sorted(answers.items()) if answer]
            yield [config, f"{total:,}", ", ".join(kinds), " · ".join(shares)]


def count(directory: Path) -> SplitCounts:
    """Count a split's questions; raise VhbenchError if a shard cannot be read."""
    result = SplitCounts()
    full: Counter[tuple[str, ...]] = Counter()
    for config, row in splits.read_columns(directory, _COLUMNS):
        full[config, *(str(_FLAG_WORDS.get(row[column], row[column])) for column in CELLS)] += 1
        result.answers.setdefault(config, Counter())[row["kind"], row["answer"]] += 1
        result.sources[row["source"]] += 1
    # A column with one value, or one determined by the config, is not informative.
    varying = [i for i in range(len(_CELL)) if len({cell[i] for cell in full}) > 1]
    result.columns = tuple(_CELL[i] for i in varying) or ("config",)
    for cell, number in full.items():
        result.cells[tuple(cell[i] for i in varying) or (cell[0],)] += number
    return result
