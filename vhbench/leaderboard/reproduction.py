"""Reproduction of an entry: its model answers a sample again, and the verdict decides the entry's tier.

Two honest runs of a model need not agree: batches, hardware and sampling change responses. So the model answers twice,
and the entry is compared with what these two runs, exchangeable with an honest entry, make likely:

- where exactly two of the three responses agree, the odd one is the entry's in a third of the cases;
- of the responses that are correct in one of entry and first run, the entry has half.

An entry is not reproduced if either is exceeded with p ≤ 0.005 (exact binomial tests), and for the first also what
hardware alone may change (:data:`HARDWARE`): false accusations are at most 1 %. It is reproduced if the interval of its
agreement ends less than :data:`MARGIN` below the agreement of the two runs.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import vhbench
from vhbench import splits
from vhbench.files import convert, path_exists, write_atomic
from vhbench.leaderboard.boards import read_yaml, yaml_bytes
from vhbench.leaderboard.entries import BoardEntry, StoredEntry
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rescoring import RescoredEntry, meanings, recompute
from vhbench.provenance import told_arguments
from vhbench.runs import read_run
from vhbench.schema import VhbenchError
from vhbench.seeding import rng

SELF_REPORTED, COMPLETE, REPRODUCED = "self-reported", "provenance complete", "reproduced"
REJECTED, OPEN = "not reproduced", "inconclusive"
TIERS = (REJECTED, SELF_REPORTED, COMPLETE, REPRODUCED)
"""How far an entry is verified, the least first."""

ALPHA = 0.005
"""Significance level of either test."""

HARDWARE = 0.05
"""Share of greedy responses that other hardware, libraries or batches may change."""

MARGIN = 0.15

FOLDER = "reproduced"
"""Folder of the verdicts, next to the entries, which submitters may not write."""

FORMAT = "vhbench-reproduction-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """Verdict on an entry.

    Attributes:
        verdict: "reproduced", "not reproduced" or "inconclusive".
        answers: SHA-256 of the entry's ``answers.parquet``, without which the verdict is void.
        sample: number of questions that the model answered again.
        agreement: percentage of them with the entry's prediction.
        interval: its 95 % confidence interval.
        expected: agreement of the two new runs with each other, in percent.
        seed: random seed of the sample.
        model: its class in lmms-eval.
        model_args: its arguments, without keys and passwords.
        vhbench: version of this package.
    """

    verdict: str
    answers: str
    sample: int
    agreement: float
    interval: tuple[float, float]
    expected: float
    seed: int = 0
    model: str = ""
    model_args: str = ""
    vhbench: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """Responses to the sample.

    Attributes:
        meanings: prediction of each, or its words without one.
        right: whether each is correct.
    """

    meanings: Sequence[str]
    right: Sequence[bool]

    @classmethod
    def of(cls, asked: QuestionIndex, responses: Sequence[str]) -> "Answered":
        """Parse responses."""
        found: RescoredEntry = recompute(asked, list(map(PackedAnswer, responses)))
        return cls(list(meanings(asked, responses, found.read)), found.right.tolist())


def judge(entry: Answered, first: Answered, second: Answered, *, answers: str = "") -> Reproduction:
    """Return the verdict on an entry, given two new runs of its model on the same questions."""
    from scipy.stats import binom, binomtest

    e, one, two = (np.array(each.meanings, dtype=object) for each in (entry, first, second))
    odd, expected = int(((one == two) & (e != one)).sum()), one == two
    either = odd + int(((one != two) & ((e == one) | (e == two))).sum())
    right, base = np.array(entry.right, dtype=bool), np.array(first.right, dtype=bool)
    gains, losses = int((right & ~base).sum()), int((base & ~right).sum())
    p_odd = max(binom.sf(odd - 1, either, 1 / 3), binom.sf(odd - 1, len(e), HARDWARE))
    p_gain = binom.sf(gains - 1, gains + losses, 0.5)
    agree = int((e == one).sum())
    low, high = binomtest(agree, len(e)).proportion_ci(method="wilson")  # a question per cluster, as far as possible
    held = REPRODUCED if low >= expected.mean() - MARGIN else OPEN
    verdict = REJECTED if min(p_odd, p_gain) <= ALPHA else held
    return Reproduction(
        verdict=verdict,
        answers=answers,
        sample=len(e),
        agreement=round(100 * agree / len(e), 2),
        interval=(round(100 * low, 2), round(100 * high, 2)),
        expected=round(100 * float(expected.mean()), 2),
    )


def tier_of(place: StoredEntry, entry: BoardEntry, *, complete: bool) -> str:
    """Return the tier of an entry.

    Args:
        place: its location.
        entry: its content.
        complete: whether its provenance is complete.
    """
    found = read_verdict(place)
    if found is not None and found.answers == entry.answers and found.verdict in (REPRODUCED, REJECTED):
        return found.verdict
    return COMPLETE if complete else SELF_REPORTED


def verdict_file(place: StoredEntry) -> Path:
    """Return the file of the verdict on an entry."""
    return place.folder.parents[2] / FOLDER / place.model / f"{place.edition.name}.yaml"


def read_verdict(place: StoredEntry) -> Reproduction | None:
    """Return the verdict on an entry; None without one.

    Raises:
        VhbenchError: if its file is invalid.
    """
    path = verdict_file(place)
    if not path_exists(path):
        return None
    data = read_yaml(path)
    if data.pop("format", None) != FORMAT:
        raise VhbenchError(f"{path}: expected format {FORMAT!r}")
    found: Reproduction = convert(data, Reproduction, str(path))
    return found


def write_verdict(place: StoredEntry, verdict: Reproduction) -> Path:
    """Write the verdict on an entry, and return its file."""
    path = verdict_file(place)
    write_atomic(path, yaml_bytes({"format": FORMAT, **asdict(verdict)}))
    return path


def draw(asked: QuestionIndex, count: int, seed: int) -> list[int]:
    """Return the indices of a random sample of questions, one of each cluster as far as possible."""
    order = rng(seed, "reproduce", asked.edition.content_hash).permutation(len(asked.rows)).tolist()
    numbers = {place: f"{name} {int(number)}" for name, family in asked.families.items()
               for place, number in zip(family.places.tolist(), family.clusters.numbers, strict=True)}  # fmt: skip
    seen, first, later = set[str](), list[int](), list[int]()
    for place in order:
        (later if numbers[place] in seen else first).append(place)
        seen.add(numbers[place])
    return sorted([*first, *later][:count])


def ask(asked: QuestionIndex, places: Sequence[int], entry: BoardEntry, model: str, model_args: str) -> list[list[str]]:
    """Return the responses of two new runs of a model to a sample, through lmms-eval.

    Args:
        asked: questions of the edition, from a split.
        places: indices of the sample.
        entry: the entry, whose tasks and generation settings are used.
        model: as ``lmms-eval --model``.
        model_args: as ``--model_args``.

    Raises:
        VhbenchError: if lmms-eval fails, or a response is missing.
    """
    wanted = {asked.rows[place]["id"] for place in places}
    sample = asked.at(places)
    tasks = [told.task for told in entry.provenance if sample.of_task(told.task)] or sorted(set(sample.configs))
    settings = entry.provenance[0].generation if entry.provenance else {}
    manifest = splits.read_manifest(asked.source)
    with TemporaryDirectory() as name:
        folder = Path(name)
        splits.write_split(
            folder / asked.edition.benchmark,
            (row for row in splits.read_rows(asked.source) if row.question.id in wanted),
            benchmark=manifest.benchmark,
            version=manifest.version,
            seed=manifest.seed,
            config=manifest.config,
        )
        return [_answers(_run(folder, f"run{number}", tasks, settings, model, model_args), sample) for number in (1, 2)]


def _run(
    folder: Path, name: str, tasks: Sequence[str], settings: Mapping[str, object], model: str, model_args: str
) -> Path:
    given = ",".join(f"{key}={value}" for key, value in settings.items() if isinstance(value, (int, float, str)))
    command = [sys.executable, "-m", "lmms_eval", "--model", model, "--tasks", ",".join(tasks), "--batch_size", "1"]
    command += ["--log_samples", "--output_path", str(folder / name)]
    command += [*(["--model_args", model_args] if model_args else []), *(["--gen_kwargs", given] if given else [])]
    environment = {**os.environ, "VHBENCH_DATA": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode or not any((folder / name).rglob("*samples*")):
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
        raise VhbenchError(f"lmms-eval --model {model} wrote no samples (exit code {done.returncode}): {last[0]}")
    return folder / name


def _answers(run: Path, sample: QuestionIndex) -> list[str]:
    said = {record.id: record.response for records in read_run(run).tasks.values() for record in records}
    if lost := [row["id"] for row in sample.rows if row["id"] not in said]:
        raise VhbenchError(f"{len(lost)} of {len(sample.rows)} questions have no response (the first: {lost[0]!r})")
    return [said[row["id"]] for row in sample.rows]


def reproduce(
    asked: QuestionIndex,
    entry: BoardEntry,
    responses: Sequence[str],
    *,
    sample: int,
    seed: int,
    model: str,
    model_args: str,
) -> Reproduction:
    """Ask a model again, and return the verdict on an entry.

    Args:
        asked: questions of the edition.
        entry: the entry.
        responses: its responses of the first repetition.
        sample: number of questions to ask again.
        seed: random seed of the sample, unknown to the submitter.
        model: as ``lmms-eval --model``.
        model_args: as ``--model_args``.
    """
    places = draw(asked, sample, seed)
    part = asked.at(places)
    runs = ask(asked, places, entry, model, model_args)
    told = judge(*(Answered.of(part, own) for own in ([responses[i] for i in places], *runs)), answers=entry.answers)
    return replace(told, seed=seed, model=model, model_args=told_arguments(model_args), vhbench=vhbench.__version__)
