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
from vhbench.leaderboard.entries import BoardEntry, stored
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
    """Ask a model again, and write the verdict on its entry.

    Args:
        board: the board.
        sources: source of the questions of each edition, by its name.
        title: MODEL/EDITION, the entry's folder.
        sample: number of questions to rerun.
        seed: random seed of the sample, unknown to the submitter; None for a random one.
        model: as ``lmms-eval --model``.
        model_args: as ``--model_args``.

    Returns:
        The verdict, and its file.

    Raises:
        VhbenchError: if the entry is refused, or lmms-eval fails.
    """
    folder, _, name = title.partition("/")
    place = stored(board, folder, board.edition(name))
    asked = cached_question_index(place.edition, sources[name])
    checked = check_entry(place, asked.source, board.rules, keep=True)
    if checked.entry is None or checked.reasons:
        raise VhbenchError(f"{place.title}: {checked.reasons[0]}")
    seed = randbelow(1 << 32) if seed is None else seed
    places = draw(asked, sample, seed)
    runs = ask(asked, places, checked.entry, model, model_args)
    said = [checked.responses[at] for at in places], *runs
    told = judge(*(Answered.of(asked.at(places), own) for own in said), answers=checked.entry.answers)
    told = replace(told, seed=seed, model=model, model_args=safe_arguments(model_args), vhbench=vhbench.__version__)
    return told, write_verdict(place, told)


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
    environment = {**os.environ, "VHBENCH_DATA": str(folder), "VHBENCH_RELEASE": ""}
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
