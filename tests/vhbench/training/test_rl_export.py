"""Files for trainers ask the questions of one stream, and each trainer's own reader takes them."""

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import datasets
import orjson
import pyarrow.parquet as pq
import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench import rewards
from vhbench.cli import app
from vhbench.training import question_stream

PAGE = Path(__file__).resolve().parents[3] / "docs" / "rl.md"
WORDS = ("--part", "1/2", "--benchmark", "ode", "--number", "24", "--size", "64")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw one pair of scenes of each criterion, some 70 questions, rather than eight: a stream draws whole blocks."""
    monkeypatch.setattr(question_stream, "_ODE_PAIRS", 1)


def export(to: str, out: Path, *words: object) -> str:
    done = CliRunner().invoke(app, ["export", "rl", "--to", to, "--out", str(out), *map(str, words or WORDS)])
    assert done.exit_code == 0, (done.output, done.exception)
    return " ".join(done.output.split())


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_trl_s_rows_load_with_their_images(tmp_path: Path) -> None:
    told = export("trl", tmp_path / "rl")
    assert told.startswith(f"{tmp_path}/rl: 24 questions about ")
    assert "(ode 24) GRPOTrainer(train_dataset=load_dataset(" in told
    rows = datasets.load_dataset("parquet", data_files=str(tmp_path / "rl" / "data" / "*.parquet"), split="train")
    row = rows[0]
    assert row["images"][0].size == (64, 64)
    assert row["prompt"][0]["content"][-1]["text"] == f"{row['question']}\nPlease answer yes or no."
    assert (row["strict"], row["wrong"], row["abstain"]) == (True, None, None)
    assert {tuple(sorted(pair)) for pair in zip(rows["answer"][::2], rows["answer"][1::2], strict=True)} == {
        ("no", "yes")
    }
    columns = {name: rows[name] for name in rows.column_names}
    assert rewards.trl_reward([answer.title() for answer in rows["answer"]], **columns) == [1.0] * 24


def test_verl_s_rows_hold_all_that_its_reward_needs(tmp_path: Path) -> None:
    told = export("verl", tmp_path / "rl", *WORDS, "--abstain", 0, "--form", "tagged")
    assert f"custom_reward_function.path={rewards.__file__} custom_reward_function.name=compute_score" in told
    for row in pq.read_table(tmp_path / "rl" / "train.parquet").to_pylist():
        (message,) = row["prompt"]
        assert message["content"].count("<image>") == len(row["images"]) == 1
        assert "<answer></answer>" in message["content"]
        scores = [
            imported(Path(rewards.__file__)).compute_score(
                row["data_source"], said, row["reward_model"]["ground_truth"], row["extra_info"]
            )
            for said in (f"<answer>{row['reward_model']['ground_truth']}</answer>", "yes, no", "I don't know.")
        ]
        assert scores == [1, -1, 0]


def test_ms_swift_s_rows_and_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = export("swift", tmp_path / "rl")
    assert f"--dataset {tmp_path / 'rl' / 'train.jsonl'} --external_plugins " in told
    rows = [orjson.loads(line) for line in (tmp_path / "rl" / "train.jsonl").read_bytes().splitlines()]
    for row in rows:
        assert row["messages"][0]["content"].count("<image>") == len(row["images"])
        with Image.open(row["images"][0]) as image:
            assert image.size == (64, 64)
    swift = ModuleType("swift.rewards")  # ms-swift needs another TRL
    swift.ORM, swift.orms = object, {}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "swift", ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.rewards", swift)
    imported(tmp_path / "rl" / "vhbench_plugin.py")
    paid = swift.orms["vhbench"]()(
        [row["answer"] for row in rows], **{name: [row[name] for row in rows] for name in rows[0]}
    )
    assert paid == [1.0] * 24


def test_verifiers_taskset_is_python_with_the_settings(tmp_path: Path) -> None:
    told = export("verifiers", tmp_path / "rl", *WORDS, "--abstain", 0)
    assert f"PYTHONPATH={tmp_path / 'rl'} vf-eval vhbench_rl -m MODEL -n 24" in told
    text = (tmp_path / "rl" / "vhbench_rl.py").read_text("utf-8")
    compile(text, "vhbench_rl.py", "exec")
    assert '    benchmark: tuple[str, ...] = ("ode",)\n' in text.replace("'", '"')
    assert "    abstain: float | None = 0.0\n" in text
    if importlib.util.find_spec("verifiers"):  # needs another version of mcp than the tests do
        tasks = imported(tmp_path / "rl" / "vhbench_rl.py").VhbenchTaskset.load
        assert tasks


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--to", "openrlhf", *WORDS], "--to: expected one of trl, verl, swift, verifiers; got 'openrlhf'"),
        (["--to", "trl", "--part", "1/1"], "expected I/N with N at least 2"),
    ],
)
def test_what_cannot_be_written_is_refused(words: list[str], told: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["export", "rl", *words, "--out", str(tmp_path / "rl")])
    assert done.exit_code != 0
    assert told in str(done.exception) + done.output
    assert not (tmp_path / "rl").exists()


def test_the_check_prints_what_policies_earn() -> None:
    """It ends with an error where one earns more than a guess: here, by abstaining."""
    done = CliRunner().invoke(app, ["export", "rl", "--check", *WORDS])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "chance level                         +0.000" in done.output
    assert done.output.endswith("24 questions; above the chance level: none\n")
    paid = CliRunner().invoke(app, ["export", "rl", "--check", *WORDS, "--abstain", "0.1"])
    assert paid.exit_code == 1
    assert paid.output.endswith("above the chance level: I don't know\n")


def test_the_commands_and_the_code_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few small questions of ODE instead of many of all benchmarks."""
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text("utf-8")
    commands = re.findall(r"```bash\n(.*?)```", page, flags=re.DOTALL)[0].splitlines()
    assert [line.split()[:3] for line in commands] == [["vhbench", "export", "rl"]] * 2
    for line in commands:
        words = [*shlex.split(line)[1:], "--benchmark", "ode", "--number", "24", "--size", "64"]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (done.output, done.exception)
        block = re.search(r"```\n(policy.*?)```" if "--check" in line else r"```\n(rl: .*?)```", page, flags=re.DOTALL)
        assert block
        assert block[1].split()[0] == done.output.split()[0]
    scope: dict[str, Any] = {}
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(code.replace('"mioh", "part": "1/2"', '"ode", "size": 64, "part": "1/2"'), scope)
    assert {"prompt", "images", "answer"} <= next(iter(scope["questions"])).keys()
