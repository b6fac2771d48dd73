"""Guessing answers without the picture or the words: by where a question stands, what it is called, how long it is.

An attacker learns from nine editions what goes with which answer, and guesses the tenth.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import sqrt
from pathlib import Path

from paper_mioh import PaperMioh

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.files import read_image
from vhbench.generators.mioh.drafts import UNKNOWN
from vhbench.schema import TIE, Question

SEEDS = range(10)
BENCHMARKS = ("ode", "mioh", "vhexpansion")
SURELY = 3.5
"""Standard errors above chance from which a guess is no luck."""

Edition = Sequence[tuple[str, Question]]
"""The rows of a split in the order of its files, each with its config."""


def build(benchmark: str, folder: Path, seed: int) -> None:
    """Build a small edition into a folder; VHExpansion's is made from ODE's, which must lie there."""
    if benchmark == "ode":
        levels = ("existence", "attribute", "relation")
        sharding.run(OdeBuild(pairs=3, size=64, seed=seed, levels=levels), folder, progress=False)
    elif benchmark == "mioh":
        sharding.run(PaperMioh(seed=seed), folder, progress=False)
    else:
        made = VHExpansionBuild(source=f"ode:{folder / 'ode'}", perturb=("jpeg_compression",), seed=seed)
        sharding.run(made, folder, progress=False)


def read(split: Path) -> Edition:
    """Return a split's rows."""
    return [(row.config, row.question) for row in splits.read_rows(split)]


def places(edition: Edition) -> Iterator[tuple[int, int, Question]]:
    """Yield each question with its place in its config, and among those in a row about the same images."""
    for _, rows in groupby(edition, key=lambda row: row[0]):
        place = 0
        for _, group in groupby((question for _, question in rows), key=lambda question: question.images):
            for within, question in enumerate(group):
                yield place, within, question
                place += 1


FEATURES: dict[str, Callable[[int, int, Question], object]] = {
    "parity of the place": lambda place, within, q: place % 2,
    "place": lambda place, within, q: place,
    "place among those of the image": lambda place, within, q: within,
    "parity of the place among those of the image": lambda place, within, q: within % 2,
    "parity of the id": lambda place, within, q: int(q.id, 16) % 2,
    "last character of the id": lambda place, within, q: q.id[-1],
    "first character of the id": lambda place, within, q: q.id[0],
    "last character of the pair": lambda place, within, q: q.pair_id.partition("/")[0][-1],
    "whether the id is below the pair's": lambda place, within, q: q.id < q.pair_id,
    "length of the question": lambda place, within, q: len(q.question) // 6,
    "length of the id": lambda place, within, q: len(q.id),
    "size of the image": lambda place, within, q: len(read_image(q.images[0])) % 2,
}


def right_guesses(editions: Sequence[Edition], feature: Callable[[int, int, Question], object]) -> tuple[float, float]:
    """Return by how much more guesses are right than by chance, and its standard error; forms of a case go together."""
    seen = [
        [(q, (len(q.choices), feature(place, within, q))) for place, within, q in places(edition)]
        for edition in editions
    ]
    gains: dict[object, list[float]] = defaultdict(list)
    for number, edition in enumerate(seen):
        counts: dict[object, Counter[str]] = defaultdict(Counter)
        for other in (*seen[:number], *seen[number + 1 :]):
            for question, key in other:
                counts[key][question.answer] += 1
        for question, key in edition:
            best = counts[key].most_common(1)
            guess = best[0][0] if best else "yes"
            case = question.pair_id.rpartition(TIE)[2].partition("/")[0]
            possible = (key[0] or 2) - (UNKNOWN in question.choices)  # "I don't know" is never right
            gains[number, case].append((guess == question.answer) - 1 / possible)
    total = sum(map(len, gains.values()))
    return sum(map(sum, gains.values())) / total, sqrt(sum(sum(values) ** 2 for values in gains.values())) / total
