"""``vhbench compare``: what it is given, what it refuses, and what it writes."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.schema import Record

TASK = "ode_fictional_existence"


def write(folder: Path, right: Sequence[bool], task: str = TASK, tokens: int = 0) -> Path:
    """Write what lmms-eval logs of a task whose questions, two about each image, were answered so."""
    lines = []
    for place, hit in enumerate(right):
        answer = ("yes", "no")[place % 2]
        said = answer if hit else ("no", "yes")[place % 2]
        record = Record(
            f"q{place:02}", benchmark="ode", kind="yes_no", criterion="fictional", task="existence", answer=answer,
            prediction=said, response=said, question=f"Is there thing {place}?", scene_ids=(f"s{place // 2}",),
            tokens=tokens,
        )  # fmt: skip
        lines.append(json.dumps({"doc_id": place, "target": answer, "resps": [said], "accuracy": asdict(record)}))
    folder.mkdir(parents=True)
    (folder / f"20260101_samples_{task}.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Two runs: the second has ten of forty questions more right."""
    first = [place % 2 == 0 for place in range(40)]
    return [
        str(write(tmp_path / "one" / "org__small", first).parent),
        str(write(tmp_path / "two" / "org__large", [right or place < 20 for place, right in enumerate(first)]).parent),
    ]


def test_it_says_what_is_better_and_writes_it(runs: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["compare", *runs, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, (done.output, done.exception)
    assert done.stdout.startswith("\node, yes/no: 40 questions, 20 clusters\n")  # the whole benchmark first
    assert "ode_fictional_existence: 40 questions, 20 clusters" in done.stdout
    assert "  org__large vs. org__small\n    all questions: 5 differences: 4 better, 1 lower\n" in done.stdout
    assert "    largest significant: " in done.stdout
    assert "accuracy of ode_fictional_existence (+25.0)" in done.stdout
    for kind in ("md", "tex", "json"):
        text = (tmp_path / "out" / f"comparison.{kind}").read_text()
        assert "large" in text
        assert "75" in text
    assert (tmp_path / "out" / "comparison.png").read_bytes().startswith(b"\x89PNG")


def test_the_figure_leaves_out_tokens_which_have_another_unit(tmp_path: Path) -> None:
    folders = [str(write(tmp_path / name, [True, False] * 20, tokens=n)) for name, n in (("a", 3), ("b", 9))]
    done = CliRunner().invoke(app, ["compare", *folders, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "tokens" in (tmp_path / "out" / "comparison.json").read_text()
    assert (tmp_path / "out" / "comparison.png").is_file()


def test_what_is_to_be_known_first_is_said_first_in_each_file(runs: list[str], tmp_path: Path) -> None:
    CliRunner().invoke(app, ["compare", *runs, "--out", str(tmp_path)])
    note = "org__small: ode_fictional_existence: its samples have no provenance"
    assert json.loads((tmp_path / "comparison.json").read_text())["notes"][0].startswith(note)
    assert (tmp_path / "comparison.tex").read_text().startswith(f"% {note}")
    told = (tmp_path / "comparison.md").read_text().replace("\\", "").split("\n\n")
    assert told[1].startswith(note)
    assert "org__large vs. org__small" in told[3]


def test_a_file_of_answers_is_joined_with_its_questions(tmp_path: Path) -> None:
    questions = [{"id": f"q{i}", "question": f"Is it {i}?", "answer": ("yes", "no")[i % 2]} for i in range(12)]
    (tmp_path / "asked.json").write_text(json.dumps(questions))
    for name, said in (("one", "yes"), ("two", "no")):
        (tmp_path / f"{name}.json").write_text(json.dumps({f"q{i}": said for i in range(12)}))
    files = [str(tmp_path / f"{name}.json") for name in ("one", "two", "asked")]
    done = CliRunner().invoke(app, ["compare", *files[:2], "--questions", files[2], "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    (group,) = json.loads(done.stdout)["groups"]
    (accuracy,) = group["headlines"]
    assert (accuracy["name"], accuracy["values"], accuracy["differences"][0]["discordant_clusters"]) == (
        "accuracy",
        [50, 50],
        12,
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "expected two or more runs, got 1"),
        (("{one}",), "occurs twice; pass different runs, or name them with --names A,B"),
        (("{two}", "--names", "A"), "--names: expected 2 names, one per run; got 1"),
        (("{two}", "--names", "A,A"), "occurs twice"),
        (("{two}", "--names", ",b"), "--names: expected a name for each run; got ',b'"),
        (("nowhere",), "cannot read nowhere: No such file or directory"),
    ],
)
def test_what_makes_no_comparison_is_refused_in_a_line(runs: list[str], more: Sequence[str], said: str) -> None:
    arguments = [word.format(one=runs[0], two=runs[1]) for word in more]
    done = CliRunner().invoke(app, ["compare", runs[0], *arguments])
    assert said in str(done.exception)
    assert "\n" not in str(done.exception)


def test_another_split_is_refused(runs: list[str], tmp_path: Path) -> None:
    other = write(tmp_path / "other", [True] * 38).parent / "other"
    done = CliRunner().invoke(app, ["compare", runs[0], str(other)])
    assert "other lacks 2 of 40 questions" in str(done.exception)


def test_a_task_of_one_run_alone_is_left_out_and_said(runs: list[str], tmp_path: Path) -> None:
    (source,) = write(tmp_path / "third", [True] * 10, "ode_random_existence").glob("*.jsonl")
    (tmp_path / "two" / "org__large" / source.name).write_bytes(source.read_bytes())
    done = CliRunner().invoke(app, ["compare", *runs])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "not compared, as not every run has it: ode_random_existence (org__large)" in done.output


def test_runs_on_different_questions_are_compared_unpaired(runs: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["compare", "--unpaired", *runs, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "ode, yes/no: 80 questions, 20 clusters" in done.stdout
    assert "all runs share 40 questions; omit --unpaired to pair them by question" in done.stderr
    told = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert told["groups"][0]["headlines"][0]["values"] == [pytest.approx(50), pytest.approx(75)]
    refused = CliRunner().invoke(app, ["compare", *runs, "--questions", "a", "--questions", "b"])
    assert "--questions: expected one split, got 2" in str(refused.exception)


def test_a_pilot_plans_a_comparison(runs: list[str]) -> None:
    pilot = [word for name in runs for word in ("--pilot", name)]
    done = CliRunner().invoke(app, ["plan", "--detect", "10", *pilot, "--task", TASK, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    (task,) = json.loads(done.stdout)["tasks"]
    assert (task["task"], task["metric"], task["questions"], task["images"]) == (TASK, "accuracy", 40, 20)
    table = CliRunner().invoke(app, ["plan", "--detect", "10", *pilot]).stdout
    assert f"{task['needed_questions']}" in table
    assert "detects: smallest difference detected with 80 % power, in points; from the pilot" in table
    refused = CliRunner().invoke(app, ["plan", *pilot, "--pilot", runs[0]])
    assert "--pilot: expected one or two runs, got 3" in str(refused.exception)
