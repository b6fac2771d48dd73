"""How often 95 % intervals hold the truth: every score, few clusters and many, weak and strong.

``python benchmarks/bench_coverage.py`` draws 2,000 samples of each design, in a few minutes on one core; ``--full``
of six times as many designs; ``--score`` chooses lines of the table. What is demanded (:func:`faults`): at least 0.92
everywhere; from 300 clusters on at most 0.98, and 0.93 to 0.97 for rates from 0.1 to 0.9. A design that misses it is
drawn again, 20,000 times, and must then keep it but for two standard errors, which are 0.003. Below 300 clusters
intervals may err, and they err wide. A design that fails ends the run with exit code 1.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from vhbench.seeding import rng
from vhbench.statistics import intervals
from vhbench.statistics.intervals import Clustering, Interval, WeightedRatio

Array = npt.NDArray[Any]
LEAST, MOST, BAND = 0.92, 0.98, (0.93, 0.97)
SAMPLES, AGAIN = 2_000, 20_000


@dataclass(frozen=True)
class Design:
    """What is simulated.

    Attributes:
        score: a key of :data:`SCORES`.
        clusters: how many images.
        rate: how often answers are right.
        icc: how alike the answers about one image are, from 0 to 1.
    """

    score: str
    clusters: int
    rate: float
    icc: float


@dataclass(frozen=True)
class Found:
    """How often the interval held the truth, of how many samples, and how wide it was."""

    design: Design
    coverage: float
    samples: int
    width: float

    @property
    def error(self) -> float:
        """The standard error of the coverage, where it is 0.95."""
        return sqrt(0.95 * 0.05 / max(1, self.samples))


class Sample:
    """Answers about images: whether each is right, and the image of each."""

    def __init__(self, design: Design, random: np.random.Generator, sizes: Array) -> None:
        self.random, self.design = random, design
        self.image = np.repeat(np.arange(len(sizes)), sizes)
        self.level = random.standard_normal(len(sizes)) * sqrt(design.icc)

    def right(self, rate: float) -> Array:
        """Draw answers that are right at this rate: a latent normal, part of which is the image's."""
        own = self.random.standard_normal(len(self.image)) * sqrt(1 - self.design.icc)
        return np.asarray(self.level[self.image] + own < stats.norm.ppf(rate))


def _sizes(design: Design, random: np.random.Generator, most: int = 12) -> Array:
    return random.integers(1, most + 1, design.clusters)


def accuracy(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Return the truth, and the interval of a sample."""
    sample = Sample(design, random, _sizes(design, random))
    return design.rate, intervals.mean(sample.right(design.rate), clusters=sample.image)


def _yes_no(design: Design, random: np.random.Generator) -> tuple[Array, Array, Array]:
    """Draw said no, is no, and the image of each: right at the rate where it is no, and at 0.8 where it is yes."""
    sample = Sample(design, random, 2 * _sizes(design, random, 6))
    gold = np.arange(len(sample.image)) % 2 == 0
    said = np.where(gold, sample.right(design.rate), ~sample.right(0.8))
    return said, gold, sample.image


def precision(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    said, gold, image = _yes_no(design, random)
    truth = design.rate / (design.rate + 0.2)
    return truth, intervals.ratio(said & gold, said, clusters=image)


def recall(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    said, gold, image = _yes_no(design, random)
    return design.rate, intervals.ratio(said & gold, gold, clusters=image)


def f1(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    said, gold, image = _yes_no(design, random)
    truth = 2 * design.rate / (design.rate + 0.2 + 1)
    counted = said.astype(int) + gold
    return truth, intervals.ratio(2 * (said & gold), counted, most=float((said | gold).sum()), clusters=image)


def symmetric_accuracy(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Pairs: both halves right at the square root of the rate each, but tied by their image."""
    sample = Sample(design, random, _sizes(design, random, 6))
    each = _half(design.rate, design.icc)
    return design.rate, intervals.mean(sample.right(each) & sample.right(each), clusters=sample.image)


@cache
def _half(rate: float, icc: float) -> float:
    """Return how often each half is right, so that both are at this rate."""
    grid = np.linspace(-4, 4, 321)
    both = stats.multivariate_normal.cdf(np.column_stack([grid, grid]), cov=[[1, icc], [icc, 1]], allow_singular=True)
    return float(stats.norm.cdf(np.interp(rate, both, grid)))


def chair_i(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Captions of one to fifteen mentions, each hallucinated at the rate: captions differ as images do."""
    sample = Sample(design, random, _sizes(design, random, 15))
    return design.rate, intervals.ratio(sample.right(design.rate), np.ones(len(sample.image)), clusters=sample.image)


def chair_s(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Three captions of each image."""
    sample = Sample(design, random, np.full(design.clusters, 3))
    return design.rate, intervals.mean(sample.right(design.rate), clusters=sample.image)


def cover(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Pictures of two to eight objects, each mentioned at the rate; one caption of each."""
    sample = Sample(design, random, _sizes(design, random, 7) + 1)
    return design.rate, intervals.mean(sample.right(design.rate), clusters=sample.image)


def aggregate(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Four tasks with four pressures; each fact is of one task, and asked under every pressure."""
    sample = Sample(design, random, np.full(design.clusters, 4))
    task, pressure = sample.image % 4, np.tile(np.arange(4), design.clusters)
    shift = 0.06 * (pressure - 1.5) / 1.5  # some pressures are harder
    right = np.zeros(len(task), dtype=bool)
    for place in range(4):
        own = pressure == place
        rate = float(np.clip(design.rate + shift[own][0], 0.005, 0.995))
        right[own] = sample.right(rate)[own]
    truth = float(np.mean([np.clip(design.rate + 0.06 * (place - 1.5) / 1.5, 0.005, 0.995) for place in range(4)]))
    cells = [
        WeightedRatio(right[own], places=own, weight=1 / 16)
        for t in range(4)
        for p in range(4)
        if len(own := np.flatnonzero((task == t) & (pressure == p)))
    ]
    return truth, intervals.mean_of_ratios(cells, clusters=sample.image)


def difference(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Two runs on the same questions: the second is right half as often where the first may be wrong."""
    sample = Sample(design, random, _sizes(design, random, 6))
    second = max(0.02, design.rate - 0.1)
    first, other = sample.right(design.rate), sample.right(second)
    return design.rate - second, intervals.difference(first, other, clusters=sample.image)


def words(design: Design, random: np.random.Generator) -> tuple[float, Interval | None]:
    """Captions of 60 words on the average, log-normal: at the rate 0.9 all are alike, at 0.02 a few run on and on."""
    skew = 0.3 + 0.7 * (1 - design.rate)
    sample = Sample(design, random, np.full(design.clusters, 1))
    own = sample.random.standard_normal(design.clusters) * sqrt(1 - design.icc) + sample.level
    return 60 * float(np.exp(skew**2 / 2)), intervals.lengths(60 * np.exp(skew * own))


SCORES: Mapping[str, Callable[[Design, np.random.Generator], tuple[float, Interval | None]]] = {
    "accuracy": accuracy,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "symmetric accuracy": symmetric_accuracy,
    "CHAIR_i": chair_i,
    "CHAIR_s": chair_s,
    "Cover": cover,
    "MIOH's aggregate": aggregate,
    "difference": difference,
    "words": words,
}
"""Score → a function that draws a sample and returns the truth and the interval."""


def settled(simulate: Callable[[int], Found]) -> Found:
    """Simulate a design, and again, more often, where it misses what is demanded."""
    found = simulate(SAMPLES)
    return simulate(AGAIN) if faults(found, errors=0) else found


def covered(design: Design, samples: int) -> Found:
    """Simulate a design; samples without an interval (a score that is undefined) do not count."""
    held, widths = list[bool](), list[float]()
    for number in range(samples):
        random = rng(0, "coverage", design.score, design.clusters, design.rate, design.icc, number)
        truth, interval = SCORES[design.score](design, random)
        if interval is not None:
            held.append(interval.low - 1e-12 <= truth <= interval.high + 1e-12)
            widths.append(interval.high - interval.low)
    return Found(design, float(np.mean(held)), len(held), float(np.mean(widths)))


LEAST_CLUSTERS = {"MIOH's aggregate": 8, "words": intervals.LEAST_OF_LENGTHS}
"""Score → the clusters below which its cells are empty, or it has no interval."""


def designs(
    scores: Sequence[str], clusters: tuple[int, ...], rates: tuple[float, ...], iccs: tuple[float, ...]
) -> Iterator[Design]:
    """Yield every combination of clusters, rates and ICCs for each of the scores."""
    for score in scores:
        for count in clusters:
            if count < LEAST_CLUSTERS.get(score, 0):
                continue
            for rate in rates:
                for icc in iccs:
                    yield Design(score, count, rate, icc)


def faults(found: Found, errors: float = 4) -> str:
    """Return what is wrong with a coverage, "" where it is as it should be but for so many standard errors."""
    design, coverage, spare = found.design, found.coverage, errors * found.error
    many = design.clusters >= 300
    usual = many and 0.1 <= design.rate <= 0.9
    if not found.samples:
        return "of no interval at all"
    if coverage < (BAND[0] if usual else LEAST) - spare:
        return "too low"
    if many and coverage > (BAND[1] if usual else MOST) + spare:
        return "too high"
    return ""


POOL = "one pool of images"


def chained(facts: int, icc: float, samples: int) -> Found:
    """Simulate questions that draw four images each from one pool, so that everything is tied to everything."""
    from vhbench.schema import Record
    from vhbench.statistics.clusters import clusters_of

    random = rng(0, "pool", facts)
    pool = np.array([random.choice(4 * facts, 4, replace=False) for _ in range(5 * facts)])
    records = [
        Record(f"q{n}", pair_id=f"f{n // 5}", scene_ids=tuple(map(str, images)))
        for n, images in enumerate(pool.tolist())
    ]
    clusters: Clustering = clusters_of(records)
    held, widths = list[bool](), list[float]()
    for number in range(samples):
        draw = rng(0, "chained", facts, icc, number)
        image, fact = draw.standard_normal(4 * facts), draw.standard_normal(facts)
        shared = sqrt(icc / 2) * (image[pool].sum(axis=1) / 2 + np.repeat(fact, 5))
        right = shared + sqrt(1 - icc) * draw.standard_normal(len(pool)) < stats.norm.ppf(0.7)
        interval = intervals.mean(right, clusters=clusters)
        if interval is not None:
            held.append(interval.low <= 0.7 <= interval.high)
            widths.append(interval.high - interval.low)
    return Found(Design(POOL, facts, 0.7, icc), float(np.mean(held)), len(held), float(np.mean(widths)))


def main() -> int:
    """Print the table."""
    names = (*SCORES, POOL)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="simulate six times as many designs")
    parser.add_argument("--score", action="append", choices=names, help="show this score alone (may be repeated)")
    options = parser.parse_args()
    full, chosen = options.full, options.score or names
    counts = (4, 8, 16, 30, 100, 300, 1000) if full else (4, 16, 100, 300)
    rates = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98) if full else (0.05, 0.5, 0.9)
    groups: dict[tuple[str, int], list[Callable[[int], Found]]] = {}
    for design in designs([n for n in SCORES if n in chosen], counts, rates, (0.0, 0.2, 0.6) if full else (0.0, 0.6)):
        groups.setdefault((design.score, design.clusters), []).append(partial(covered, design))
    for facts in (20, 100) if POOL in chosen else ():
        groups[POOL, facts] = [partial(chained, facts, icc) for icc in (0.0, 0.3, 0.6)]
    print(
        f"{'score':<20}{'clusters':>9}{'designs':>9}{'least':>8}{'median':>8}{'most':>8}{'width':>8}{'again':>7}",
        flush=True,
    )
    wrong = list[str]()
    for (score, count), group in groups.items():
        own = [settled(simulate) for simulate in group]
        shares = sorted(one.coverage for one in own)
        width, middle = float(np.mean([one.width for one in own])), float(np.median(shares))
        line = f"{score:<20}{count:>9}{len(own):>9}{shares[0]:>8.3f}{middle:>8.3f}{shares[-1]:>8.3f}{width:>8.3f}"
        again = [one for one in own if one.samples > SAMPLES]
        print(f"{line}{len(again):>7}", flush=True)
        told = [(one, faults(one, errors=2)) for one in again]
        wrong += [f"{one.design}: {one.coverage:.4f} of {one.samples:,} is {why}" for one, why in told if why]
    print("\n".join(wrong) or "every coverage is as demanded")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
