"""The demo: the command that it runs, the table that it prints."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from running import Done
from typer.testing import CliRunner

from vhbench.benchmarks import BENCHMARKS, load
from vhbench.cli import app, demo
from vhbench.schema import VhbenchError
from vhbench.tasks.report import written_with


@pytest.mark.slow
@pytest.mark.usefixtures("_caches")
def test_the_demo_goes_from_drawn_scenes_to_each_analysis_and_a_leaderboard(
    tmp_path: Path, lmms_eval: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # the demo sets it
    monkeypatch.setattr(demo, "_run", lambda command, environment, log: lmms_eval(*command[3:]).code)
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) <= 60, "one screen"
    assert sum(line.startswith("  ode: /") for line in lines) == 1, "each starter is named once"
    assert "vhbench demo --model Qwen/Qwen2.5-VL-3B-Instruct" in done.stdout
    [results] = tmp_path.glob("*_results.json")
    for task, one in orjson.loads(results.read_bytes())["vhbench"].items():
        assert task in done.stdout
        report = orjson.loads(written_with(results, task).read_bytes())
        assert report["provenance"] == one | {"answered": one["of"]}
    told = {}
    for name in ("ode", "mioh", "vhexpansion"):
        [file] = tmp_path.rglob(f"*_{name}_analysis.json")
        told[name] = orjson.loads(file.read_bytes())
        assert told[name]["summary"] in " ".join(done.stdout.split()), "wrapped"
        [picture] = tmp_path.rglob(f"*_{name}_{BENCHMARKS[name].picture}.png")
        assert picture.read_bytes().startswith(b"\x89PNG")
    assert list(told["ode"]["curve"]) == ["standard", "long_tail", "random", "fictional"]
    assert told["ode"]["lift"]
    assert len(told["mioh"]["failures"]) == 4
    assert all(found["n"] >= 10 for found in told["mioh"]["failures"].values())
    assert {pressure for costs in told["mioh"]["drops"].values() for pressure in costs} >= {"hp", "hn", "hp+hn"}
    [kinds] = told["vhexpansion"]["sources"].values()
    assert sum(kind.get("drop") is not None for kind in kinds.values()) >= 4
    assert "cannot be separated" not in done.stdout
    assert f"open {tmp_path.resolve() / 'site' / 'index.html'}" in done.stdout
    assert "vhbench_coin" in (tmp_path / "site" / "ode-2.0.0.html").read_text(), "a reference, not ranked"
    # What the README says next, of the folder that the demo wrote to; the figure is there already.
    monkeypatch.setattr(load(BENCHMARKS["ode"].analysis), "draw", lambda numbers, picture: None)
    again = CliRunner().invoke(app, ["analyse", "ode", str(tmp_path)], catch_exceptions=False)
    assert told["ode"]["summary"] in again.output


def test_the_output_of_lmms_eval_is_in_the_log(tmp_path: Path) -> None:
    words = "import sys; print('Selected Tasks'); print('a warning', file=sys.stderr); sys.exit(3)"
    log = tmp_path / "results" / "lmms_eval.log"
    assert demo._run([sys.executable, "-c", words], os.environ, log) == 3
    assert sorted(log.read_text().splitlines()) == ["Selected Tasks", "a warning"]


def test_a_terminal_shows_the_last_line_that_is_not_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    words = "import time; print('first\\nlast\\n\\n', flush=True); time.sleep(1.2)"
    assert demo._run([sys.executable, "-c", words], os.environ, tmp_path / "lmms_eval.log") == 0
    assert capsys.readouterr().err.split()[-1:] == ["last"]


def test_a_run_without_results_names_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_run", lambda command, environment, log: 0)
    monkeypatch.setattr(demo, "_splits", lambda names: {})
    with pytest.raises(VhbenchError, match=r"wrote no results to .* \(exit code 0\); .* in .*lmms_eval.log"):
        CliRunner().invoke(app, ["demo", "--out", str(tmp_path)], catch_exceptions=False)


def test_splits_of_ones_own_that_are_missing_are_told_at_once(
    tmp_path: Path, use_data: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_data(tmp_path)
    monkeypatch.setattr(demo, "_run", lambda command, environment, log: pytest.fail("lmms-eval was started"))
    with pytest.raises(VhbenchError, match=r"expected ode/manifest\.json; it has no built split"):
        CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "results")], catch_exceptions=False)


def test_without_a_model_a_coin_is_tossed(tmp_path: Path) -> None:
    command = demo.lmms_eval_command("", "ode_fictional,mioh_selective", tmp_path)
    assert command[1:5] == ["-m", "lmms_eval", "--model", "vhbench_coin"]
    assert {"--log_samples", "--output_path", str(tmp_path)} <= set(command)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen2.5-VL-3B-Instruct", "qwen2_5_vl"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3_vl"),
        ("llava-hf/llava-1.5-7b-hf", "llava_hf"),
        ("OpenGVLab/InternVL3-1B-hf", "internvl_hf"),
    ],
)
def test_a_model_finds_its_class_in_lmms_eval(model: str, name: str, tmp_path: Path) -> None:
    from lmms_eval.models import list_available_models

    command = demo.lmms_eval_command(model, "ode", tmp_path)
    assert command[command.index("--model") + 1] == name
    assert f"pretrained={model}" in command
    assert name in list_available_models()


def test_the_next_step_is_an_analysis_of_what_was_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    demo._print_next("org/model", Path("out/20260101_results.json"), "ode")
    printed = capsys.readouterr().out
    assert "vhbench analyse ode out/20260101_results.json" in printed
    assert "out/20260101_*_report.json" in printed


def test_an_unknown_model_is_told_how_to_be_run(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="choose one: lmms-eval --model CLASS"):
        demo.lmms_eval_command("some/encoder", "ode", tmp_path)


def test_the_table_shows_values_with_their_intervals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "1_results.json"
    metrics = {"alias": "x", "accuracy,none": 62.5, "accuracy_stderr,none": "N/A", "yes_rate,none": 50.0}
    results.write_bytes(orjson.dumps({"results": {"mioh_selective": metrics}}))
    report = {"overall": {"n": 160, "accuracy": 62.5, "interval": [40.25, 81.0]}}
    (tmp_path / "1_mioh_selective_report.json").write_bytes(orjson.dumps(report))
    demo._print_table(results)
    printed = capsys.readouterr().out
    assert printed.splitlines()[-1].split() == ["mioh_selective", "accuracy", "62.5", "[40.2,", "81.0]", "160"]


@pytest.mark.parametrize("place", ["file", "file/results", "file/a/b"])
def test_a_place_below_a_file_is_refused_before_anything_is_built(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / place)])
    assert isinstance(done.exception, VhbenchError)
    assert "expected a folder, or a path that does not exist yet" in str(done.exception)
    assert not done.output
