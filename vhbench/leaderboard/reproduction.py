"""Reproduction of an entry: its model answers a sample again, and the verdict decides the entry's tier.

Two honest runs of a model need not agree: batches, hardware and sampling change responses. So the model answers twice,
and the entry is compared with what these two runs, exchangeable with an honest entry, make likely:

- where exactly two of the three responses agree, the odd one is the entry's in a third of the cases;
- of the responses that are correct in one of entry and first run, the entry has half.

An entry is not reproduced if either is exceeded with p ≤ 0.005 (exact binomial tests), and for the first also what
hardware alone may change (:data:`HARDWARE`): false accusations are at most 1 %. It is reproduced if the interval of its
agreement ends less than :data:`MARGIN` below the agreement of the two runs.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from vhbench.files import convert, path_exists, write_atomic
from vhbench.leaderboard.boards import read_yaml, yaml_bytes
from vhbench.leaderboard.entries import BoardEntry, StoredEntry
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rescoring import counted, parsed, recompute
from vhbench.schema import VhbenchError

SELF_REPORTED, COMPLETE, REPRODUCED = "self-reported", "provenance complete", "reproduced"
REJECTED, OPEN = "not reproduced", "inconclusive"
TIERS = (REJECTED, SELF_REPORTED, COMPLETE, REPRODUCED)  # verification tiers, lowest first
ALPHA = 0.005  # significance level of either test

# shares of greedy predictions, and of captions' numbers of claims, that other hardware or batches may change
HARDWARE, HARDWARE_FOR_CAPTIONS = 0.05, 0.3
MARGIN = 0.15

FOLDER = "reproduced"  # folder of the verdicts, next to the entries, which submitters may not write

FORMAT = "vhbench-reproduction-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """Verdict on an entry."""

    verdict: str  # "reproduced", "not reproduced" or "inconclusive"
    entry: str  # digest of the entry, model card and provenance included; the verdict on another one is void
    sample: int  # number of questions that the model answered again
    agreement: float  # percentage of them with the entry's prediction
    interval: tuple[float, float]  # its 95 % confidence interval
    expected: float  # agreement of the two new runs with each other, in percent
    seed: int = 0  # random seed of the sample
    model: str = ""  # its class in lmms-eval
    model_args: str = ""  # its arguments, without keys and passwords
    vhbench: str = ""  # version of this package


@dataclass(frozen=True, slots=True)
class Answered:
    """Responses to the sample."""

    meanings: Sequence[str]  # prediction of each response, or why it has none; for a caption, its numbers of claims
    right: Sequence[bool]  # whether each is correct
    hardware: float = HARDWARE  # share of the predictions that other hardware may change

    @classmethod
    def of(cls, questions: QuestionIndex, responses: Sequence[str]) -> "Answered":
        """Parse responses."""
        answers, meanings, captions = list(map(PackedAnswer, responses)), list[str](), 0
        rescoring = recompute(questions, answers)
        for place, prediction in enumerate(rescoring.predictions):
            claims = counted(questions, parsed(questions, place, answers[place]))
            meanings.append(f"{claims.concepts} {claims.covered} {claims.hallucinated}" if claims else prediction)
            captions += claims is not None
        hardware = HARDWARE + captions / len(answers) * (HARDWARE_FOR_CAPTIONS - HARDWARE)
        return cls(meanings, rescoring.right.tolist(), hardware)


def judge(entry: Answered, first: Answered, second: Answered, *, digest: str = "") -> Reproduction:
    """Return the verdict on an entry, given two new runs of its model on the same questions."""
    from scipy.stats import binom, binomtest

    e, one, two = (np.array(each.meanings, dtype=object) for each in (entry, first, second))
    odd, expected = int(((one == two) & (e != one)).sum()), one == two
    either = odd + int(((one != two) & ((e == one) | (e == two))).sum())
    right, base = np.array(entry.right, dtype=bool), np.array(first.right, dtype=bool)
    gains, losses = int((right & ~base).sum()), int((base & ~right).sum())
    p_odd = max(binom.sf(odd - 1, either, 1 / 3), binom.sf(odd - 1, len(e), entry.hardware))
    p_gain = binom.sf(gains - 1, gains + losses, 0.5)
    agree = int((e == one).sum())
    low, high = binomtest(agree, len(e)).proportion_ci(method="wilson")  # a question per cluster, as far as possible
    fallback = REPRODUCED if low >= expected.mean() - MARGIN else OPEN
    verdict = REJECTED if min(p_odd, p_gain) <= ALPHA else fallback
    return Reproduction(
        verdict=verdict,
        entry=digest,
        sample=len(e),
        agreement=round(100 * agree / len(e), 2),
        interval=(round(100 * float(low), 2), round(100 * float(high), 2)),
        expected=round(100 * float(expected.mean()), 2),
    )


def tier_of(place: StoredEntry, entry: BoardEntry, *, complete: bool) -> str:
    """Return the tier of an entry, given whether its provenance is complete."""
    verdict = read_verdict(place)
    if verdict is not None and verdict.entry == entry.digest and verdict.verdict in (REPRODUCED, REJECTED):
        return verdict.verdict
    return COMPLETE if complete else SELF_REPORTED


def verdict_file(place: StoredEntry) -> Path:
    """Return the file of the verdict on an entry."""
    return place.folder.parents[2] / FOLDER / place.model / f"{place.edition.name}.yaml"


def read_verdict(place: StoredEntry) -> Reproduction | None:
    """Return the verdict on an entry; None without one."""
    path = verdict_file(place)
    if not path_exists(path):
        return None
    data = read_yaml(path)
    if data.pop("format", None) != FORMAT:
        raise VhbenchError(f"{path}: expected format {FORMAT!r}")
    reproduction: Reproduction = convert(data, Reproduction, str(path))
    return reproduction


def write_verdict(place: StoredEntry, verdict: Reproduction) -> Path:
    """Write the verdict on an entry, and return its file."""
    path = verdict_file(place)
    write_atomic(path, yaml_bytes({"format": FORMAT, **asdict(verdict)}))
    return path
