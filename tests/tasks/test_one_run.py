"""One run of lmms-eval has one number for each score, to the last digit, wherever it is told."""

import json
import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from running import Evaluate, scores
from typer.testing import CliRunner

from vhbench import benchmarks
from vhbench.cli import app
from vhbench.tasks import datasets
from vhbench.tasks.metrics.registry import listed

LEAVES = ("ode_fictional_caption", "ode_fictional_existence", "mioh_selective", "vhexpansion_ode")
ASKED = Namespace(process_with_media=False, reasoning_tags=None, apply_chat_template=False, model_args="")


def logged(evaluate: Evaluate, folder: Path, model: str, arguments: str, tasks: Sequence[str]) -> dict[str, Any]:
    """Run tasks as the command line does, and write results, reports and samples; return what its table is made of."""
    from lmms_eval.loggers import EvaluationTracker

    asked = Namespace(**vars(ASKED) | {"output_path": str(folder), "model": model, "model_args": arguments})
    tracker, date = EvaluationTracker(output_path=str(folder)), "20260101_000000"
    how: dict[str, Any] = {"cli_args": asked, "evaluation_tracker": tracker, "log_samples": True, "datetime_str": date}
    results = evaluate(model, list(tasks), model_args=arguments, **how)
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples, datetime_str=date)
    for task in tasks:
        tracker.save_results_samples(task_name=task, samples=samples[task])
    return results


@pytest.fixture(scope="module")
def runs(evaluate: Evaluate, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two runs of the starter splits: name → what lmms-eval returned, and the folder of both."""
    datasets.resolve.cache_clear()
    folder = tmp_path_factory.mktemp("runs")
    return {"folder": folder} | {
        name: logged(evaluate, folder / name, "vhbench_coin", arguments, LEAVES)
        for name, arguments in (("coin", "p=0.5"), ("other", "p=0.95,seed=1"))
    }


def called(*arguments: object) -> dict[str, Any]:
    """Call a command that prints JSON."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, (done.output, done.exception)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def report(runs: dict[str, Any], task: str) -> dict[str, Any]:
    (file,) = runs["folder"].glob(f"coin/**/*_{task}_report.json")
    return dict(json.loads(file.read_text())["overall"])


def test_the_report_has_the_numbers_of_lmms_evals_table(runs: dict[str, Any]) -> None:
    for task in LEAVES:
        table, written = scores(runs["coin"], task), report(runs, task)
        family = benchmarks.task(task).family
        assert family
        assert set(table) == {metric.name for metric in listed(family.name)}
        assert {name: written[name] for name in table} == table


def test_lmms_evals_printed_table_has_them_too(runs: dict[str, Any]) -> None:
    from lmms_eval.utils import make_table

    printed = make_table(runs["coin"]).splitlines()
    arrows = {cells[4].strip(): cells[5].strip() for line in printed if (cells := line.split("|"))[1:] and cells[5:]}
    assert {name: arrows[name] for name in ("accuracy", "unparsed")} == {"accuracy": "↑", "unparsed": "↓"}
    assert {arrows[name] for name in ("yes_rate", "chance", "words", "permutation_baseline")} == {""}, (
        "neither is better"
    )
    for task in LEAVES:
        for name, value in report(runs, task).items():
            if name in scores(runs["coin"], task) and value is not None:
                rows = [line for line in printed if re.search(rf"\| *{name} *\|", line)]
                told = [row.split("|")[6].strip() for row in rows]  # with four decimals at most
                assert any(f"{float(text):.4f}" == f"{value:.4f}" for text in told if text != "N/A"), (task, name, told)


def test_score_has_the_numbers_of_the_report(runs: dict[str, Any]) -> None:
    found = called("score", runs["folder"] / "coin", "--json")["scores"]
    assert [group["task"] for group in found] == sorted(LEAVES, key=lambda task: (task, ""))
    for group in found:
        written = report(runs, group["task"])
        compared = 0
        for name, value in written.items():
            ours = group.get(name, group)
            if isinstance(value, float) and isinstance(ours, float) and name not in ("words", "new_cases"):
                assert value == 100 * ours, (group["task"], name)
                compared += 1
        assert compared >= 4, group["task"]


def test_the_analyses_have_them(runs: dict[str, Any], tmp_path: Path) -> None:
    found: dict[str, Any] = {}
    for benchmark in ("ode", "mioh", "vhexpansion"):
        done = CliRunner().invoke(app, ["analyse", benchmark, str(runs["folder"] / "coin"), "--out", str(tmp_path)])
        assert done.exit_code == 0, (done.output, done.exception)
        found[benchmark] = json.loads((tmp_path / f"{benchmark}_analysis.json").read_text())
    for task in LEAVES:
        (file,) = runs["folder"].glob(f"coin/**/*_{task}_report.json")
        told = json.loads(file.read_text())["provenance"]
        assert found[told["benchmark"]]["provenance"][task] | {"answered": told["answered"]} == told
    curve = found["ode"]["curve"]["fictional"]
    for level in ("caption", "existence"):
        written = report(runs, f"ode_fictional_{level}")
        for name, told in curve[level].items():
            if name in written:
                assert written[name] == (None if told["value"] is None else 100 * told["value"]), name
    written = report(runs, "vhexpansion_ode")
    for name in ("symmetric_accuracy", "accuracy", "permutation_baseline", "chance", "yes_rate"):
        assert written[name] == found["vhexpansion"]["sources"]["ode"]["clean"][name], name
    (file,) = runs["folder"].glob("coin/**/*_mioh_selective_report.json")
    cells = json.loads(file.read_text())["cells"]["question_type x pressure"]
    assert cells
    for cell in cells:
        assert cell["accuracy"] == 100 * found["mioh"]["grid"][cell["question_type"]][cell["pressure"]]["mean"]


def test_compare_has_them(runs: dict[str, Any], tmp_path: Path) -> None:
    folder = runs["folder"]
    found = called("compare", folder / "coin", folder / "other", "--names", "coin,other", "--json", "--out", tmp_path)
    assert found["runs"] == ["coin", "other"]
    groups = [group for group in found["groups"] if group["task"]]  # without the benchmarks as a whole
    assert [group["task"] for group in groups] == sorted(LEAVES)
    for group in groups:
        written, others = report(runs, group["task"]), scores(runs["other"], group["task"])
        for score in group["headlines"]:
            name = score["name"]
            assert score["values"] == [written[name], others[name]], (group["task"], name)
            assert score["intervals"][0] == written["intervals"][name], (group["task"], name)
            for change in score["differences"]:
                assert change["value"] == others[name] - written[name]
    assert json.loads((tmp_path / "comparison.json").read_text()) == found
    for task in LEAVES:
        (file,) = runs["folder"].glob(f"coin/**/*_{task}_report.json")
        told = json.loads(file.read_text())["provenance"]
        assert found["provenance"]["coin"][task] | {"answered": told["answered"]} == told
    origin = rf"coin: vhbench\_coin p=0.5 on ode {told['version']} (content hash"
    assert origin in (tmp_path / "comparison.md").read_text()
    assert {file.name for file in tmp_path.iterdir()} == {f"comparison.{kind}" for kind in ("json", "md", "tex", "png")}


def test_compare_prints_tables_and_says_what_is_certain(runs: dict[str, Any]) -> None:
    folder = runs["folder"]
    done = CliRunner().invoke(app, ["compare", str(folder / "coin"), str(folder / "other"), "--names", "coin,other"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "mioh_selective: " in done.stdout
    existence = done.stdout.partition("ode_fictional_existence: ")[2]
    assert re.search(r"yes_rate \(\d+\) +coin[^\n]*\n +other[^\n]* higher\b", existence)
    assert re.search(r"other vs\. coin\n +all questions: \d+ differences: .*\n +subsets: \d+ differences: ", existence)


def test_a_baseline_of_lmms_eval_is_paired_by_what_was_read(evaluate: Evaluate, tmp_path: Path) -> None:
    task = "ode_fictional_existence"
    # Its words are no bare yes or no: what lmms-eval alone would take for wrong.
    for name, arguments, score in (
        ("bad", "form=sentence,wrong=existence/fictional", 0),
        ("good", "form=sentence", 100),
    ):
        logged(evaluate, tmp_path / name, "vhbench_oracle", arguments, [task])
        (samples,) = tmp_path.glob(f"{name}/**/*_samples_{task}.jsonl")
        found = evaluate("vhbench_coin", [task], baseline=str(samples), log_samples=True)["results"][task]
        assert found["paired_baseline_score"] == score
        assert found["paired_ci_lower"] < found["accuracy,none"] - score < found["paired_ci_upper"]
        assert found["paired_pvalue"] < 0.001
        assert CliRunner().invoke(app, ["score", str(samples)]).stdout.count("modified since") == 0


@pytest.fixture(autouse=True)
def _own_data(_caches: None) -> Iterator[None]:
    datasets.resolve.cache_clear()
    yield
    datasets.resolve.cache_clear()
