"""Sample files of a run of lmms-eval, and its results."""

import glob
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from vhbench.files import last_written, read_json
from vhbench.provenance import ALIKE, Provenance, difference, from_json, provenance_in, safe_arguments, unlike
from vhbench.schema import VhbenchError
from vhbench.terminal import escaped

_RESULTS = "_results.json"


def no_answers_error(path: Path) -> VhbenchError:
    """Return the message for a run without samples."""
    return VhbenchError(f"{path}: expected samples; run lmms-eval with --log_samples --output_path {path}")


def task_of(file: Path) -> str:
    """Return the task of a samples file."""
    return file.name.split("_samples_", 1)[-1].removesuffix(".jsonl")


def is_run(path: Path) -> bool:
    """Return whether a path is a run of lmms-eval: a folder, a samples file, or results with samples next to them.

    Other response files may also be called ``my_results.json``.
    """
    return path.is_dir() or "_samples_" in path.name or bool(_written_with(path))


def sample_files(path: Path) -> list[Path]:
    """Return the samples files of one run.

    The path is a ``*_samples_*.jsonl`` file; a ``*_results.json`` file, for the samples written with it; or a folder,
    for the newest samples of each task in it. Raises VhbenchError if it does not exist, or has samples of several
    models.
    """
    if path.is_file():
        return _written_with(path) or [path]
    if not path.is_dir():
        raise VhbenchError(f"no such file or folder: {path}")
    files = _samples_below(path)
    runs = _models(files)
    if len(runs) > 1:
        named = ", ".join(
            f"{file if _run_at(file) == path else _run_at(file)}{f' ({model})' if model else ''}"
            for (_, model), file in sorted(runs.items())
        )
        raise VhbenchError(f"{path}: expected the results of one model, got {len(runs)}; name one of: {named}")
    newest = {file.name.split("_samples_", 1)[1]: file for file in files}  # the last one wins
    return sorted(newest.values())


def tasks_without_samples(path: Path) -> list[Provenance]:
    """Return the provenance of tasks in lmms-eval's results without samples; none for a single samples file."""
    if path.is_file() and not path.name.endswith(_RESULTS):
        return []
    files = sample_files(path)
    there, lost = {task_of(file) for file in files}, dict[str, Provenance]()
    for results in dict.fromkeys(map(_results_of, files)):
        lost |= {task: origin for task, origin in _recorded_in(results).items() if task not in there}
    return [lost[task] for task in sorted(lost)]


def provenance_conflicts(samples: Path, origin: Provenance | None) -> Iterator[str]:
    """Yield a line, safe for a terminal, if lmms-eval's results next to samples are from another run."""
    task = task_of(samples)
    written = _recorded_in(_results_of(samples)).get(task)
    if written is not None and written != origin:
        how = difference(written.to_json(), None if origin is None else origin.to_json())
        yield escaped(f"{task}: the results next to its samples are from another run ({how})")


def _recorded_in(results: Path) -> Mapping[str, Provenance]:
    """Return task → provenance from lmms-eval's results; empty if one is unreadable."""
    content = content_of(results).get("vhbench")
    entries = content.items() if isinstance(content, dict) else ()
    with suppress(VhbenchError):
        read = {task: from_json(value, str(results)) for task, value in entries}
        return {task: one for task, one in read.items() if one is not None}
    return {}


def content_of(file: Path) -> Mapping[str, Any]:
    """Return the content of lmms-eval's results or of a report, cached until it changes; empty without one."""
    return _content(file, last_written(file)) if file.is_file() else {}


@lru_cache(maxsize=8)
def _content(file: Path, written: int) -> Mapping[str, Any]:
    with suppress(VhbenchError):
        if isinstance(content := read_json(file), dict):
            return content
    return {}


def runs_below(path: Path, is_relevant: Callable[[str], bool]) -> list[Path]:
    """Return the paths of the newest run of each model in a folder; the path itself for a single model.

    The path is as in :func:`sample_files`; of several models, only those with a relevant task are returned.
    """
    files = _samples_below(path) if path.is_dir() else []
    if len(_models(files)) < 2:
        return [path]
    return sorted(_run_at(file) for file in _models([f for f in files if is_relevant(task_of(f))]).values()) or [path]


def date_of(run: Path) -> str:
    """Return the date prefix of a run's files, if the path is lmms-eval's results; else "".

    >>> date_of(Path("results/20260101_120000_results.json")), date_of(Path("results"))
    ('20260101_120000', '')
    """
    return run.name.removesuffix(_RESULTS) if run.name.endswith(_RESULTS) else ""


def _samples_below(folder: Path) -> list[Path]:
    """Return the samples files in a folder, the newest last: their names begin with the date."""
    return sorted(folder.rglob("*_samples_*.jsonl"), key=lambda file: (file.name, file))


def _models(files: Sequence[Path]) -> dict[tuple[Path, str], Path]:
    """Return (folder, model) → its newest samples file."""
    models = {_results_of(file): _model_of(_results_of(file)) or _model_in(file) for file in files}
    return {(file.parent, models[_results_of(file)]): file for file in files}


def _model_in(samples: Path) -> str:
    """Return model and arguments from the first sample of a file; "" if missing."""
    origin = provenance_in(samples)
    return "" if origin is None else " ".join(filter(None, (origin.model, origin.model_args)))


def check_single_run(records: Iterable[Provenance | None], path: Path) -> list[str]:
    """Check that tasks have one model, number of repetitions, and split per benchmark; return other differences."""
    known = [one for one in records if one is not None]
    splits: dict[str, Provenance] = {}
    for one in known:
        first, other = known[0], splits.setdefault(one.benchmark, one)
        if (one.model, one.model_args) != (first.model, first.model_args):
            raise VhbenchError(
                f"{path}: expected one model; {first.task} is from {first.model} ({first.model_args}), {one.task} from "
                f"{one.model} ({one.model_args}); give a single run"
            )
        if one.repeats != first.repeats:
            raise VhbenchError(
                f"{path}: expected equal repetitions; {first.task} has {first.repeats}, {one.task} {one.repeats}; give "
                "a single run"
            )
        if one.content_hash != other.content_hash:
            both = " and ".join(f"{each.version}, {each.content_hash[:12]}…" for each in (other, one))
            raise VhbenchError(
                f"{path}: expected one split of {one.benchmark}; {other.task} and {one.task} have different ones "
                f"({both}); give a single run"
            )
    return [escaped(line) for line in unlike(known, (*ALIKE, "vhbench", "lmms_eval"))]


def _written_with(results: Path) -> list[Path]:
    """Return the samples files written with lmms-eval's results."""
    if not results.name.endswith(_RESULTS):
        return []
    date = results.name.removesuffix(_RESULTS)
    return sorted(results.parent.glob(f"{glob.escape(date)}_samples_*.jsonl"))


def _results_of(file: Path) -> Path:
    """Return lmms-eval's results written with a samples file."""
    return file.with_name(file.name.split("_samples_", 1)[0] + _RESULTS)


def _run_at(file: Path) -> Path:
    """Return the path of the run of a samples file: its results, or its folder without them."""
    return results if (results := _results_of(file)).is_file() else file.parent


def _model_of(results: Path) -> str:
    """Return model and arguments from lmms-eval's results; "" if missing."""
    config = content_of(results).get("config")
    if not isinstance(config, dict) or "model" not in config:
        return ""  # not lmms-eval's, or damaged: optional here
    return " ".join(filter(None, (str(config["model"]), safe_arguments(config.get("model_args")))))
