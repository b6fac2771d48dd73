"""A run of which samples are missing, halves of pairs among them, has one number for each score wherever it is told."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from logged_run import write_run
from typer.testing import CliRunner

from vhbench.adapters import lmms_eval
from vhbench.builds.starter import starter
from vhbench.cli import app
from vhbench.tasks import aggregate, datasets

ASKED: Mapping[str, tuple[str, str, str]] = {
    "ode_fictional_caption": ("ode", "ode_fictional_caption", ""),
    "ode_fictional_existence": ("ode", "ode_fictional_existence", ""),
    "mioh_selective": ("mioh", "", "selective"),
    "vhexpansion_ode": ("vhexpansion", "vhexpansion_ode", ""),
}
"""Task → the benchmark, the config and the mode of its questions."""

CALLED = {"new_cases": "new_successful"}
"""Name in the table → in ``vhbench score``, where it is another."""


def dealt(row: Mapping[str, Any], of: int, seed: int) -> int:
    """Return a number below ``of`` that only the question tells."""
    return crc32(f"{seed}/{row['id']}".encode()) % of


def said(row: Mapping[str, Any], seed: int) -> str:
    """Answer as a coin would, now and then with half a thought or with nothing that can be read."""
    number = dealt(row, 20, seed)
    if number < 2:
        return ("<think>The image shows", "Hard to say.")[number]
    if row["kind"] == "caption":
        return f"There is a {' and a '.join(row['candidates'][: number % 3])}. It stands beside the"
    options = "ABCD"[: len(row["choices"])]
    return options[number % len(options)] if options else ("Yes.", "No.")[number % 2]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two runs that lack the same sample in every six."""
    datasets.resolve.cache_clear()
    folder = tmp_path_factory.mktemp("runs")
    for seed, name in enumerate(("one", "other")):
        for task, (benchmark, config, mode) in ASKED.items():
            write_run(
                folder / name, starter(benchmark), task, lambda row, seed=seed: said(row, seed), config=config,
                asked=lambda row, mode=mode: mode in ("", row["mode"]), lost=lambda row: dealt(row, 6, 9) == 0,
            )  # fmt: skip
    return folder


@pytest.fixture(autouse=True)
def _own_data(_caches: None) -> Iterator[None]:
    datasets.resolve.cache_clear()
    yield
    datasets.resolve.cache_clear()


def written(folder: Path, task: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what lmms-eval's table tells of a task, and the report."""
    monkeypatch.setattr(lmms_eval, "results_folder", lambda args: folder / "report")
    (file,) = folder.glob(f"one/*_samples_{task}.jsonl")
    samples = [json.loads(line) for line in file.read_text().splitlines()]
    table = {
        metric["metric"]: metric["aggregation"]([sample[metric["metric"]] for sample in samples], None)
        for metric in aggregate.metric_list(task)
    }
    (report,) = (folder / "report").glob(f"*{task}_report.json")
    return table, json.loads(report.read_text())


def called(*arguments: object) -> dict[str, Any]:
    """Call a command that prints JSON."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, (done.output, done.exception)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def told(runs: Path, _caches: None) -> dict[str, Any]:
    """What the commands tell of all tasks: name of the command → its JSON."""
    compared = called("compare", runs / "one", runs / "other", "--json", "--out", runs / "compared")
    return {"score": called("score", runs / "one", "--json"), "compare": compared}


@pytest.mark.parametrize("task", ASKED)
def test_every_output_has_the_numbers_of_the_table(
    task: str, runs: Path, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, report = written(runs, task, monkeypatch)
    assert re.fullmatch(r"\d+ of \d+ questions have an answer", report["partial"]), "the key is not repeated"
    assert {name: report["overall"][name] for name in table} == table
    (scored,) = (group for group in told["score"]["scores"] if group["task"] == task)
    for name, value in table.items():
        ours = scored[CALLED.get(name, name) if CALLED.get(name) in scored else name]
        assert value == (ours if value is None or name in ("words", "new_cases") else 100 * ours), name
    (group,) = (group for group in told["compare"]["groups"] if group["task"] == task)
    for score in group["headlines"]:
        assert score["values"][0] == table[score["name"]], score["name"]
        assert score["intervals"][0] == report["overall"]["intervals"][score["name"]]
    assert any(note.startswith(f"one: {task}: partial: ") for note in told["compare"]["notes"])


@pytest.mark.parametrize("benchmark", ["ode", "mioh", "vhexpansion"])
def test_so_has_the_analysis(benchmark: str, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(app, ["analyse", benchmark, str(runs / "one"), "--out", str(tmp_path)])
    assert done.exit_code == 0, (done.output, done.exception)
    assert ": partial: " in done.stderr
    found = json.loads((tmp_path / f"{benchmark}_analysis.json").read_text())
    for task in (task for task, (own, _, _) in ASKED.items() if own == benchmark):
        table, report = written(runs, task, monkeypatch)
        if benchmark == "mioh":
            for cell in report["cells"]["question_type x pressure"]:
                told = found["grid"][cell["question_type"]][cell["pressure"]]
                assert (cell["n"], cell["accuracy"]) == (told["n"], 100 * told["mean"])
            continue
        told = found["sources"]["ode"]["clean"] if benchmark == "vhexpansion" else found["curve"]["fictional"]
        told = told if benchmark == "vhexpansion" else told[task.rpartition("_")[2]]
        names = table.keys() & told.keys()
        assert len(names) >= 4
        for name in names:
            ours = told[name] if benchmark == "vhexpansion" else _percent(told[name]["value"])
            assert ours == table[name], name


def test_halves_of_pairs_are_answers_but_no_pairs(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report = written(runs, "vhexpansion_ode", monkeypatch)
    pairs, overall = report["pairs"], report["overall"]
    assert pairs["incomplete_pairs"] > 5
    assert overall["n"] == 2 * pairs["pairs"] + pairs["incomplete_pairs"]


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def test_samples_edited_after_the_run_differ_from_its_results(tmp_path: Path) -> None:
    """All hashes are consistent, as if all responses had been replaced and parsed again."""
    task = "ode_fictional_existence"
    for name, say in (("run", lambda row: "Yes"), ("edited", lambda row: row["answer"])):
        write_run(tmp_path / name, starter("ode"), task, say, config=task)
    run = CliRunner()
    assert "its results claim" not in run.invoke(app, ["score", str(tmp_path / "run")]).output
    (samples,) = (tmp_path / "edited").glob("*_samples_*")
    (tmp_path / "run" / samples.name).write_bytes(samples.read_bytes())
    line = f"{task}: its results claim accuracy 50.000; recomputed: 100.000"
    assert line in run.invoke(app, ["score", str(tmp_path / "run")]).output
    compared = run.invoke(
        app, ["compare", str(tmp_path / "edited"), str(tmp_path / "run"), "--out", str(tmp_path / "out")]
    )
    assert line in compared.output
