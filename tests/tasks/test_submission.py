"""lmms-eval on a hidden test set ends well, and writes what its maintainers can score."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest
from running import CommandLine
from typer.testing import CliRunner

from vhbench.builds import hidden_edition, hidden_seed, sharding
from vhbench.builds.ode import OdeBuild
from vhbench.cli import app
from vhbench.schema import Record
from vhbench.tasks import aggregate, prompts, submission

KEY = b"a secret that nobody guesses"


def doc(kind: str, **more: object) -> dict[str, object]:
    return {
        "id": f"q-{kind}", "question": "Is there a dog?", "choices": [], "answer": "", "kind": kind, "benchmark": "ode",
        "objects": [], "candidates": [], "neutral": [], "scene_ids": ["s"], "pair_id": "", "perturbation": "", **more,
    }  # fmt: skip


def test_what_is_kept_back_gets_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    for kind, task in (("yes_no", "ode_fictional_existence"), ("caption", "ode_fictional_caption")):
        payloads = prompts.process_results(doc(kind), ["No, there is none."])
        assert all({"score", "accuracy"}.isdisjoint(payload) for payload in payloads.values())
        for metric in aggregate.metric_list(task):
            assert metric["aggregation"]([payloads[metric["metric"]]]) is None, metric["metric"]
    said = capsys.readouterr().err
    assert said.count("hidden test set without reference answers; nothing is scored here") == 2
    assert "run it again with --output_path DIR" in said
    assert not submission.is_label_hidden(Record("q", kind="yes_no", answer="no"))


def test_what_is_sent_says_which_responses_are_cut_off(tmp_path: Path) -> None:
    """Its maintainers count an empty response that reached the token limit as truncated, as the run itself does."""
    said = [
        Record(id="q1", kind="yes_no", response="Yes."),
        Record(id="q2", kind="yes_no", response="", cut_off=True, tokens=16),
    ]
    submission.write(said, "t", SimpleNamespace(output_path=str(tmp_path), model="m", model_args="x=1"))
    [sent] = tmp_path.rglob("*t_submission.json")
    asked = tmp_path / "asked.jsonl"
    asked.write_text("".join(f'{{"id": "q{n}", "question": "Is there a dog?", "answer": "yes"}}\n' for n in (1, 2)))
    told = CliRunner().invoke(
        app, ["score", "yes-no", "--positive", "yes", "--responses", str(sent), "--questions", str(asked), "--json"]
    )
    assert told.exit_code == 0, told.output
    score = orjson.loads(told.stdout)
    assert (score["accuracy"], score["cut_off"], score["failed"], score["tokens"]) == (0.5, 0.5, 0, 16)


def test_a_run_on_a_hidden_edition_is_scored_with_the_key(
    command_line: CommandLine, use_data: Callable[[Path], None], tmp_path: Path
) -> None:
    build = OdeBuild(pairs=3, size=64, criteria=("fictional",), seed=hidden_seed.seed_of(KEY, "ode", "2.0.0"))
    sharding.run(build, tmp_path, commitment=hidden_seed.commitment_of(KEY, "ode", "2.0.0"), progress=False)
    key = tmp_path / "ode.key.jsonl"
    hidden_edition.write(tmp_path / "ode", KEY, tmp_path / "public" / "ode", key)

    use_data(tmp_path / "public")
    done = command_line("vhbench_yes", "ode_fictional", tmp_path / "results")
    assert done.code == 0, done.err
    assert "ode_fictional_existence: hidden test set" in done.err
    assert "Traceback" not in done.err
    found = next((tmp_path / "results").rglob("*ode_fictional_existence_submission.json"))
    assert f"send its maintainers {found.parent}" in done.err
    for what in (found, tmp_path / "results"):
        told = CliRunner().invoke(app, ["score", str(what), "--key", str(key), "--json"])
        assert told.exit_code == 0, told.output or told.exception
        scores = {group["task"]: group for group in orjson.loads(told.stdout)["scores"]}
        assert scores["ode_fictional_existence"]["accuracy"] == 0.5
