"""How often 95 % intervals contain the truth: every score, few clusters and many, weak and strong.

``python tests/by_hand/interval_coverage.py`` draws 2,000 samples of each design, in a few minutes on one core;
``--score`` chooses rows. Demanded (:func:`faults`): at least 0.92 everywhere; from 300 clusters on at most 0.98 for
rates from 0.02 to 0.98, and 0.93 to 0.97 for rates from 0.1 to 0.9. A design that misses this is drawn again, 20,000
times, and must then keep it but for two standard errors, which are 0.003; otherwise the exit code is 1. Below 300
clusters intervals may err, and they err wide. ``naive`` is the coverage of intervals that ignore the clusters.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import exp, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from vhbench.schema import Record
from vhbench.seeding import rng
from vhbench.statistics import intervals
from vhbench.statistics.clustering import Clustering
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.intervals import Interval, WeightedRatio

Array = npt.NDArray[Any]
Sampled = tuple[float, Callable[[Any], Interval | None], Any]
"""The truth, what makes an interval of a sample's clusters, and the clusters."""

LEAST, MOST, BAND = 0.92, 0.98, (0.93, 0.97)
SAMPLES, AGAIN = 2_000, 20_000
POOL = "one pool of images"


@dataclass(frozen=True)
class Design:
    """What is simulated: a key of :data:`SCORES`, the number of images, the rate of correct answers, and their ICC."""

    score: str
    clusters: int
    rate: float
    icc: float


@dataclass(frozen=True)
class Found:
    """How often intervals contained the truth, in how many samples, how wide they were, and the naive coverage."""

    design: Design
    coverage: float
    samples: int
    width: float
    naive: float


class Sample:
    """Answers about images: ``most`` or fewer about each, or exactly ``each``."""

    def __init__(self, design: Design, random: np.random.Generator, most: int = 12, each: int = 0, times: int = 1):
        sizes = np.full(design.clusters, each) if each else times * random.integers(1, most + 1, design.clusters)
        self.random, self.icc = random, design.icc
        self.image = np.repeat(np.arange(len(sizes)), sizes)
        self.level = random.standard_normal(len(sizes)) * sqrt(design.icc)

    def latent(self) -> Array:
        """Draw a standard normal for each answer, part of which is its image's."""
        own = self.random.standard_normal(len(self.image)) * sqrt(1 - self.icc)
        return np.asarray(self.level[self.image] + own)

    def right(self, rate: float) -> Array:
        """Draw answers that are correct at this rate."""
        return np.asarray(self.latent() < stats.norm.ppf(rate))


def _mean(**sizes: int) -> Callable[[Design, np.random.Generator], Sampled]:
    """Return the sampler of a mean over answers."""

    def sampled(design: Design, random: np.random.Generator) -> Sampled:
        sample = Sample(design, random, **sizes)
        right = sample.right(design.rate)
        return design.rate, lambda clusters: intervals.mean(right, clusters=clusters), sample.image

    return sampled


def yes_no(design: Design, random: np.random.Generator) -> Sampled:
    """Precision, recall, F1: correct at the rate where the answer is no, and at 0.8 where it is yes."""
    sample, rate = Sample(design, random, most=6, times=2), design.rate
    gold = np.arange(len(sample.image)) % 2 == 0
    said = np.where(gold, sample.right(rate), ~sample.right(0.8))
    truth, top, bottom, most = {
        "precision": (rate / (rate + 0.2), said & gold, said, None),
        "recall": (rate, said & gold, gold, None),
        "f1": (2 * rate / (rate + 1.2), 2 * (said & gold), said.astype(int) + gold, float((said | gold).sum())),
    }[design.score]
    return truth, lambda clusters: intervals.ratio(top, bottom, most=most, clusters=clusters), sample.image


def symmetric_accuracy(design: Design, random: np.random.Generator) -> Sampled:
    """Pairs of halves tied by their image, both correct at the rate."""
    sample, each = Sample(design, random, most=6), _half(design.rate, design.icc)
    both = sample.right(each) & sample.right(each)
    return design.rate, lambda clusters: intervals.mean(both, clusters=clusters), sample.image


@cache
def _half(rate: float, icc: float) -> float:
    """Return how often each half is correct, so that both are at this rate."""
    grid = np.linspace(-4, 4, 321)
    both = stats.multivariate_normal.cdf(np.column_stack([grid, grid]), cov=[[1, icc], [icc, 1]], allow_singular=True)
    return float(stats.norm.cdf(np.interp(rate, both, grid)))


def aggregate(design: Design, random: np.random.Generator) -> Sampled:
    """Four tasks with four pressures, some harder; each fact is of one task, and asked under every pressure."""
    sample = Sample(design, random, each=4)
    task, pressure = sample.image % 4, np.tile(np.arange(4), design.clusters)
    rates = [float(np.clip(design.rate + 0.04 * (place - 1.5), 0.005, 0.995)) for place in range(4)]
    right = np.select([pressure == place for place in range(4)], [sample.right(rate) for rate in rates])
    places = [np.flatnonzero((task == t) & (pressure == p)) for t, p in product(range(4), range(4))]
    cells = [WeightedRatio(right[own], places=own, weight=1 / 16) for own in places if len(own)]
    return float(np.mean(rates)), lambda clusters: intervals.mean_of_ratios(cells, clusters=clusters), sample.image


def difference(design: Design, random: np.random.Generator) -> Sampled:
    """Two runs on the same questions: the second is correct a tenth less often."""
    sample, second = Sample(design, random, most=6), max(0.02, design.rate - 0.1)
    first, other = sample.right(design.rate), sample.right(second)
    truth = design.rate - second
    return truth, lambda clusters: intervals.difference(first, other, clusters=clusters), sample.image


def words(design: Design, random: np.random.Generator) -> Sampled:
    """Captions of 60 words on average, log-normal: at the rate 0.9 all are alike, at 0.02 a few run on and on."""
    skew, sample = 0.3 + 0.7 * (1 - design.rate), Sample(design, random, each=1)
    lengths = 60 * np.exp(skew * sample.latent())
    return 60 * exp(skew**2 / 2), lambda _: intervals.lengths(lengths), sample.image


@cache
def _pool(facts: int) -> tuple[Array, Clustering]:
    """Return the four images of each question, drawn from one pool, and the clusters that they make."""
    random = rng(0, "pool", facts)
    pool = np.array([random.choice(4 * facts, 4, replace=False) for _ in range(5 * facts)])
    names = [tuple(map(str, images)) for images in pool.tolist()]
    return pool, clusters_of([Record(f"q{n}", pair_id=f"f{n // 5}", scene_ids=ids) for n, ids in enumerate(names)])


def one_pool(design: Design, random: np.random.Generator) -> Sampled:
    """Questions that draw four images each from one pool, so that everything is tied to everything."""
    facts, (pool, clusters) = design.clusters, _pool(design.clusters)
    image, fact = random.standard_normal(4 * facts), random.standard_normal(facts)
    shared = sqrt(design.icc / 2) * (image[pool].sum(axis=1) / 2 + np.repeat(fact, 5))
    right = shared + sqrt(1 - design.icc) * random.standard_normal(len(pool)) < stats.norm.ppf(design.rate)
    return design.rate, lambda own: intervals.mean(right, clusters=own), clusters


SCORES: Mapping[str, Callable[[Design, np.random.Generator], Sampled]] = {
    "accuracy": _mean(),
    "accuracy of 40 questions an image": _mean(each=40),
    "precision": yes_no,
    "recall": yes_no,
    "f1": yes_no,
    "symmetric accuracy": symmetric_accuracy,
    "CHAIR_i": _mean(most=15),
    "CHAIR_s": _mean(each=3),
    "Cover": _mean(most=8),
    "MIOH's aggregate": aggregate,
    "difference": difference,
    "words": words,
    POOL: one_pool,
}
"""Score → a function that draws a sample."""

LEAST_CLUSTERS = {"MIOH's aggregate": 8, "words": intervals.LEAST_OF_LENGTHS, POOL: 20}
"""Score → the clusters below which its cells are empty, or it has no interval."""


def covered(design: Design, samples: int) -> Found:
    """Simulate a design; samples without an interval (a score that is undefined) do not count."""
    held, widths, naive = list[bool](), list[float](), list[bool]()
    for number in range(samples):
        random = rng(0, "coverage", design.score, design.clusters, design.rate, design.icc, number)
        truth, interval_of, clusters = SCORES[design.score](design, random)
        if (interval := interval_of(clusters)) is not None:
            held.append(interval.low - 1e-12 <= truth <= interval.high + 1e-12)
            widths.append(interval.high - interval.low)
        if (interval := interval_of(None)) is not None:
            naive.append(interval.low <= truth <= interval.high)
    return Found(design, float(np.mean(held)), len(held), float(np.mean(widths)), float(np.mean(naive)))


def faults(found: Found, errors: float = 4) -> str:
    """Return what is wrong with a coverage, "" where it is as it should be but for so many standard errors."""
    design, coverage, spare = found.design, found.coverage, errors * sqrt(0.95 * 0.05 / max(1, found.samples))
    many = design.clusters >= 300
    usual = many and 0.1 <= design.rate <= 0.9
    if coverage < (BAND[0] if usual else LEAST) - spare:
        return "too low"
    known = many and 0.02 <= design.rate <= 0.98  # else a few answers decide
    return "too high" if known and coverage > (BAND[1] if usual else MOST) + spare else ""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", action="append", choices=SCORES, help="show this score alone (may be repeated)")
    wrong = list[str]()
    print("| score | clusters | least | median | most | width | naive, least |\n|---|" + "---:|" * 6)
    for score, count in product(parser.parse_args().score or SCORES, (4, 16, 100, 300)):
        if count < LEAST_CLUSTERS.get(score, 0) or (score == POOL and count > 100):
            continue
        found = [
            covered(Design(score, count, rate, icc), SAMPLES)
            for rate, icc in product((0.05, 0.5, 0.9, 0.995), (0.0, 0.6))
        ]
        found = [covered(one.design, AGAIN) if faults(one, errors=0) else one for one in found]
        wrong += [f"{one} is {why}" for one in found if (why := faults(one, errors=2))]
        shares, width = [one.coverage for one in found], float(np.mean([one.width for one in found]))
        values = (min(shares), float(np.median(shares)), max(shares), width, min(one.naive for one in found))
        print(f"| {score} | {count} | {' | '.join(f'{value:.3f}' for value in values)} |", flush=True)
    print("\n".join(wrong) or "every coverage is as demanded")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
