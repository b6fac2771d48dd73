"""Ask the model of an entry again, through lmms-eval."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from secrets import randbelow
from tempfile import TemporaryDirectory

import vhbench
from vhbench import splits
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.entries import ANSWERS, BoardEntry, stored
from vhbench.leaderboard.packed_answers import unpack
from vhbench.leaderboard.question_index import QuestionIndex, cached_question_index
from vhbench.leaderboard.reproduction import Answered, Reproduction, judge, write_verdict
from vhbench.leaderboard.validating import check_entry
from vhbench.provenance import safe_arguments
from vhbench.runs import read_run
from vhbench.schema import VhbenchError
from vhbench.seeding import rng


def reproduce(
    board: Board,
    sources: Mapping[str, Path],
    title: str,
    *,
    sample: int,
    seed: int | None,
    model: str,
    model_args: str,
) -> tuple[Reproduction, Path]:
    """Ask a model again, write the verdict on its entry, and return it with its file.

    ``title`` is MODEL/EDITION, the entry's folder; ``sample`` the number of questions to rerun; ``seed`` that of the
    sample, unknown to the submitter, None for a random one. ``model`` and ``model_args`` are as for lmms-eval. Raises
    VhbenchError if the entry is refused, or lmms-eval fails.
    """
    folder, _, name = title.partition("/")
    place = stored(board, folder, board.edition(name))
    questions = cached_question_index(place.edition, sources[name])
    checked = check_entry(place, questions.source, board.rules, keep=False)
    if checked.entry is None or checked.reasons:
        raise VhbenchError(f"{place.title}: {checked.reasons[0]}")
    seed = randbelow(1 << 32) if seed is None else seed
    places = draw(questions, sample, seed)
    runs = ask(questions, places, checked.entry, model, model_args)
    count, repeats = len(questions.rows), checked.entry.repeats
    entry_answers = unpack(place.folder / ANSWERS, repeats * count)
    # Each is of a random repetition, as all of them are scored.
    numbers = rng(seed, "repetition", questions.edition.content_hash).integers(repeats, size=len(places)).tolist()
    drawn = [entry_answers[number * count + at].text for number, at in zip(numbers, places, strict=True)]
    responses = drawn, *runs
    verdict = judge(*(Answered.of(questions.at(places), texts) for texts in responses), digest=checked.entry.digest)
    arguments = safe_arguments(model_args)
    verdict = replace(verdict, seed=seed, model=model, model_args=arguments, vhbench=vhbench.__version__)
    return verdict, write_verdict(place, verdict)


def draw(questions: QuestionIndex, count: int, seed: int) -> list[int]:
    """Return the indices of a random sample of questions, one of each cluster as far as possible."""
    order = rng(seed, "reproduce", questions.edition.content_hash).permutation(len(questions.rows)).tolist()
    numbers = {place: f"{name} {int(number)}" for name, family in questions.families.items()
               for place, number in zip(family.places.tolist(), family.clusters.numbers, strict=True)}  # fmt: skip
    clusters, first, later = set[str](), list[int](), list[int]()
    for place in order:
        (later if numbers[place] in clusters else first).append(place)
        clusters.add(numbers[place])
    return sorted([*first, *later][:count])


def ask(
    questions: QuestionIndex, places: Sequence[int], entry: BoardEntry, model: str, model_args: str
) -> list[list[str]]:
    """Return the responses of two new lmms-eval runs of a model to a sample, in its entry's tasks and settings."""
    ids = {questions.rows[place]["id"] for place in places}
    sample = questions.at(places)
    tasks = [run.task for run in entry.provenance if sample.of_task(run.task)]
    if len({place for task in tasks for place in sample.of_task(task)}) < len(sample.rows):  # partial provenance
        tasks = sorted(set(sample.configs))
    settings = entry.provenance[0].generation if entry.provenance else {}
    manifest = splits.read_manifest(questions.source)
    with TemporaryDirectory() as name:
        folder = Path(name)
        splits.write_split(
            folder / questions.edition.benchmark,
            (row for row in splits.read_rows(questions.source) if row.question.id in ids),
            benchmark=manifest.benchmark,
            version=manifest.version,
            seed=manifest.seed,
            config=manifest.config,
        )
        return [_answers(_run(folder, f"run{number}", tasks, settings, model, model_args), sample) for number in (1, 2)]


def _run(
    folder: Path, name: str, tasks: Sequence[str], settings: Mapping[str, object], model: str, model_args: str
) -> Path:
    generation = ",".join(f"{key}={value}" for key, value in settings.items() if isinstance(value, (int, float, str)))
    command = [sys.executable, "-m", "lmms_eval", "--model", model, "--tasks", ",".join(tasks), "--batch_size", "1"]
    command += ["--log_samples", "--output_path", str(folder / name)]
    command += ["--model_args", model_args] if model_args else []
    command += ["--gen_kwargs", generation] if generation else []
    environment = {**os.environ, "VHBENCH_DATA": str(folder), "VHBENCH_RELEASE": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode or not any((folder / name).rglob("*samples*")):
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
        raise VhbenchError(f"lmms-eval --model {model} wrote no samples (exit code {done.returncode}): {last[0]}")
    return folder / name


def _answers(run: Path, sample: QuestionIndex) -> list[str]:
    responses = {record.id: record.response for records in read_run(run).tasks.values() for record in records}
    if lost := [row["id"] for row in sample.rows if row["id"] not in responses]:
        raise VhbenchError(f"{len(lost)} of {len(sample.rows)} questions have no response (the first: {lost[0]!r})")
    return [responses[row["id"]] for row in sample.rows]
