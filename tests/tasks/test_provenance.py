"""Runs of lmms-eval's own command say where their answers come from, and what is missing or changed in them."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import CommandLine
from typer.testing import CliRunner

from vhbench import provenance
from vhbench.builds.starter import starter
from vhbench.cli import app, demo
from vhbench.files import json_bytes
from vhbench.runs import read_run
from vhbench.splits import read_manifest, read_questions

TASKS = "ode_fictional,mioh_selective,vhexpansion_ode,ode_random_caption"
LEAVES = (
    *("ode_fictional_attribute", "ode_fictional_caption", "ode_fictional_existence", "mioh_selective"),
    *("ode_random_caption", "vhexpansion_ode"),
)


@pytest.fixture(scope="module")
def run(command_line: CommandLine, shared_folder: Path) -> Path:
    """The folder of one run by a coin, of tasks of each benchmark and of each kind."""
    from filelock import FileLock

    folder = shared_folder / "demo_run"
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            command_line("vhbench_coin", TASKS, folder.with_name("demo_run.new"))
            folder.with_name("demo_run.new").rename(folder)
    return folder


def number_of_questions(split: Path, task: str) -> int:
    """Count the questions of a task, which may be those of one mode from all files of the split."""
    by_mode = Counter(f"mioh_{question.mode}" for question in read_questions(split))
    return read_manifest(split).rows.get(task) or by_mode[task]


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    """A copy of the run, to be written into."""
    return Path(shutil.copytree(run, tmp_path / "copy"))


def samples(run: Path, task: str) -> Path:
    [file] = run.glob(f"*_samples_{task}.jsonl")
    return file


def change(file: Path, line: int, **values: Any) -> None:
    """Write into one sample: of its whole record, unless a name begins with "sample"."""
    rows = [json.loads(row) for row in file.read_text().splitlines()]
    for name, value in values.items():
        target = rows[line] if name.startswith("sample_") else rows[line]["accuracy"]
        target[name.removeprefix("sample_")] = value
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def told(*words: str) -> str:
    """Return what a command prints, which succeeds."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.output


def refused(*words: str) -> str:
    """Return why a command ends with another exit code."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code != 0, result.output
    return f"{result.output}{result.exception}"


@pytest.mark.slow
def test_every_leaf_tells_where_its_answers_come_from(run: Path) -> None:
    [results] = run.glob("*_results.json")
    found = json.loads(results.read_bytes())
    date = results.name.removesuffix("_results.json")
    versions = dict.fromkeys(LEAVES, "2.0.0")
    assert found["versions"] == versions
    for task in LEAVES:
        benchmark = task.partition("_")[0]
        count = number_of_questions(starter(benchmark), task)
        told = found["vhbench"][task]
        assert told["version"] == versions[task]
        assert told["content_hash"] == read_manifest(starter(benchmark)).content_hash
        assert told["content_hash"] == found["configs"][task]["metadata"]["content_hash"]
        assert told["data"] == {"kind": "starter"}
        assert (told["task"], told["benchmark"], told["lmms_eval"]) == (task, benchmark, "0.7.3")
        assert (told["model"], told["model_args"], told["prompt_form"]) == ("vhbench_coin", "", "chat")
        assert told["generation"] == {"until": [], "max_new_tokens": 4096, "do_sample": False, "temperature": 0.0}
        assert (told["repeats"], told["asked"], told["of"]) == (1, count, count)
        report = json.loads((run / f"{date}_{task}_report.json").read_bytes())
        assert report["provenance"] == told | {"answered": count}
        assert (report["date"], report["partial"]) == (date, None)
        rows = [json.loads(row) for row in samples(run, task).read_text().splitlines()]
        whole = [max((value for value in row.values() if isinstance(value, dict)), key=len) for row in rows]
        assert [payload["provenance"] for payload in whole] == [told] * count
        prompts = {payload["id"]: payload["prompt"] for payload in whole}
        assert provenance.digest_of_prompts(prompts) == told["prompts"]
        assert len({row["doc_hash"] for row in rows}) == count, "lmms-eval's own is one for all"
    assert read_run(run).notes == ()


@pytest.mark.slow
def test_standard_errors_are_in_percent_as_values_are(run: Path) -> None:
    from lmms_eval.utils import make_table

    [results] = run.glob("*_results.json")
    lines = make_table(json.loads(results.read_bytes())).splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    [cells] = [row for row in rows if row[0] == "mioh_selective" and row[3] == "accuracy"]
    row = dict(zip(rows[0], cells, strict=True))
    answers = read_run(run).tasks["mioh_selective"]
    right = 100 * np.array([answer.prediction == answer.answer for answer in answers])
    assert row["Value"] == f"{right.mean():.4f}"
    assert row["Stderr_CLT"] == f"{right.std(ddof=1) / len(right) ** 0.5:.4f}"
    assert 1 < float(row["Stderr_Clustered"]) < 10


@pytest.mark.slow
def test_what_is_missing_is_said_first(copy: Path) -> None:
    file = samples(copy, "ode_fictional_existence")
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:60]))
    line = "ode_fictional_existence: partial: 60 of 80 questions have an answer"
    assert told("analyse", "ode", str(copy), "--out", str(copy / "out")).startswith(line)
    assert told("answers", str(copy)).startswith(line)
    assert told("score", str(file)).startswith(f"20 of 80 questions have no response\n{line}")
    found = json.loads(CliRunner().invoke(app, ["score", str(file), "--json"]).stdout)
    assert found["missing"] == {"questions": 80, "missing": 20, "of": {"ode_fictional_existence": 20}}
    assert found["provenance"]["ode_fictional_existence"]["of"] == 80
    assert "20 of 80 questions have no response" in refused("score", str(file), "--require-complete")
    named = told("score", str(file), "--questions", str(starter("ode")))
    assert "have no response (the first: " in named


@pytest.mark.slow
def test_a_task_whose_samples_are_gone_is_named(copy: Path) -> None:
    """lmms-eval's results beside the samples say that it was asked."""
    samples(copy, "ode_fictional_existence").unlink()
    [results] = copy.glob("*_results.json")
    line = (
        "ode_fictional_existence: partial: 0 of 80 questions have an answer: the run includes it, but its samples are"
    )
    assert any(note.startswith(line) for note in read_run(results).notes)
    path = str(copy)
    assert line in told("score", path).partition("accuracy")[0]
    assert line in told("analyse", "ode", path, "--out", str(copy / "out"))
    assert line in told("answers", path)
    assert " have no response; rejected by --require-complete" in refused("score", path, "--require-complete")
    assert line in told("score", "yes-no", "--responses", path, "--positive", "no")
    assert line not in told("score", "captions", "--responses", path)
    alone = str(samples(copy, "mioh_selective"))
    assert line not in told("score", alone, "--require-complete")


@pytest.mark.slow
def test_samples_that_tell_of_another_model_than_the_results_are_named(copy: Path) -> None:
    file = samples(copy, "ode_fictional_existence")
    file.write_text(file.read_text().replace('"model_args": ""', '"model_args": "p=0.9"'))
    line = "ode_fictional_existence: the results next to its samples are from another run (model_args: '' and 'p=0.9')"
    assert line in told("score", str(file))
    assert line in read_run(file).notes


@pytest.mark.slow
def test_samples_are_not_believed_of_how_many_they_are(copy: Path) -> None:
    """Sixty samples that all say that there are no more questions: the split of their content hash is counted."""
    file = samples(copy, "ode_fictional_existence")
    rows = [json.loads(row) for row in file.read_text().splitlines()[:60]]
    prompts = {row["accuracy"]["id"]: row["accuracy"]["prompt"] for row in rows}
    claim = {"of": 60, "asked": 60, "prompts": provenance.digest_of_prompts(prompts)}
    for row in rows:
        row["accuracy"]["provenance"] |= claim
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    line = "ode_fictional_existence: its samples record 60 questions, but the split with their content hash has 80"
    first, note = read_run(file).notes
    assert first.startswith(line)
    assert "the results next to its samples are from another run (asked: 80 and 60; of: 80 and 60; prompts: " in note
    next(copy.glob("*_results.json")).unlink()
    [note] = read_run(file).notes
    assert note.startswith(line), "otherwise they agree with themselves"
    assert told("score", str(file)).startswith(f"20 of 80 questions have no response\n{line}")
    assert told("answers", str(file)).startswith(line)
    assert "20 of 80 questions have no response" in refused("score", str(file), "--require-complete")


@pytest.mark.slow
def test_samples_that_do_not_tell_where_they_come_from_are_named(copy: Path) -> None:
    file = samples(copy, "ode_fictional_existence")
    rows = [json.loads(row) for row in file.read_text().splitlines()]
    for row in rows:
        del row["accuracy"]["provenance"]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    line = "ode_fictional_existence: its samples have no provenance"
    assert told("score", str(file)).startswith(line)
    assert line in told("analyse", "ode", str(copy), "--out", str(copy / "out"))


@pytest.mark.slow
def test_duplicates_strangers_and_foreign_splits_are_refused(copy: Path, tmp_path: Path) -> None:
    file = samples(copy, "ode_fictional_existence")
    other = shutil.copytree(starter("ode"), tmp_path / "ode")
    manifest = json.loads((other / "manifest.json").read_bytes())
    (other / "manifest.json").write_bytes(json_bytes(manifest | {"content_hash": "0" * 64}))
    assert "give the evaluated split" in refused("score", str(file), "--questions", str(other))
    assert "give the evaluated split" in refused("analyse", "ode", str(copy), "--split", str(other))
    first = file.read_text().splitlines(keepends=True)[0]
    file.write_text(file.read_text() + first)
    assert "has two responses; expected one" in refused("analyse", "ode", str(copy))
    captions = samples(copy, "ode_random_caption")
    rows = [json.loads(row) for row in captions.read_text().splitlines()]
    for row in rows:
        row["chair_i"]["provenance"]["content_hash"] = "0" * 64
    captions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for words in (["score", str(captions)], ["score", "captions", "--responses", str(captions)]):
        assert "give the evaluated split" in refused(*words), "the tasks would ask another one"
    assert "occurs twice" in refused("score", str(file))
    change(file, -1, id="somebody-else")
    assert "got 'somebody-else'" in refused("score", str(file), "--questions", str(starter("ode")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "named"),
    [
        (
            {"prediction": "yes", "score": 1.0, "accuracy": 100.0},
            "its prediction is 'yes', but its response is parsed as 'no'",
        ),
        ({"response": "yes", "prediction": "yes"}, "expected response 'no' as logged by lmms-eval, got 'yes'"),
        ({"score": 1.0}, "expected score 0 from its responses, got 1.0"),
        ({"answer": "no"}, "differs from its doc_hash"),
        ({"question": "Is there a unicorn in the image?"}, "differs from its doc_hash"),
        ({"prompt": "0" * 16}, "its prompts or questions differ from those of the run"),
        ({"sample_target": "no"}, "expected target 'yes', got 'no'"),
        ({"sample_doc_hash": "0" * 64}, "differs from its doc_hash"),
        ({"sample_f1": {"id": "x", "prediction": "yes"}}, "of the record in f1, got 'x'"),
    ],
)
def test_a_sample_that_was_edited_is_named(copy: Path, values: dict[str, Any], named: str) -> None:
    file = samples(copy, "ode_fictional_existence")
    rows = [json.loads(row) for row in file.read_text().splitlines()]
    wrong = next(n for n, row in enumerate(rows) if row["target"] == "yes" and row["accuracy"]["response"] == "no")
    change(file, wrong, **values)
    [note] = read_run(file).notes
    assert note.startswith("ode_fictional_existence: ")
    assert named in note
    assert named in told("score", str(file)).partition("accuracy")[0]


@pytest.mark.slow
def test_a_sample_of_another_run_is_refused(copy: Path) -> None:
    file = samples(copy, "ode_fictional_existence")
    rows = [json.loads(row) for row in file.read_text().splitlines()]
    change(file, 3, provenance=rows[3]["accuracy"]["provenance"] | {"content_hash": "0" * 64})
    for command in (["score", str(file)], ["answers", str(file)]):
        assert "is of another run than the first sample (content_hash: " in refused(*command)


@pytest.mark.slow
def test_two_models_in_one_folder_are_told_apart(copy: Path, command_line: CommandLine) -> None:
    """lmms-eval names its folders after a model's arguments, and these have none."""
    done = command_line("vhbench_yes", "ode_fictional_existence", copy, "--limit", "8", "--force_simple")
    assert "(8 of 80 evaluated)" in done.out, "lmms-eval's own table reports it first"
    assert "ode_fictional_existence: partial: 8 of 80 questions were evaluated" in done.err
    files = {json.loads(file.read_bytes())["model_source"]: file for file in copy.glob("*_results.json")}
    message = refused("score", str(copy))
    assert "expected the results of one model, got 2; name one of: " in message
    assert all(f"{file} ({model})" in message for model, file in files.items())
    yes = read_run(files["vhbench_yes"])
    assert yes.notes == ("ode_fictional_existence: partial: 8 of 80 questions were evaluated",)
    assert yes.provenance["ode_fictional_existence"].prompt_form == "simple"  # type: ignore[union-attr]
    assert {answer.prediction for answer in yes.tasks["ode_fictional_existence"]} == {"yes"}
    assert set(read_run(files["vhbench_coin"]).tasks) == set(LEAVES)
    for file in files.values():
        file.unlink()
    message = refused("score", str(copy))
    assert "expected the results of one model, got 2; name one of: " in message, "samples tell it themselves"
    assert all(f"({model}" in message for model in files)


@pytest.mark.slow
def test_the_demo_finds_the_intervals_of_a_partial_run(
    copy: Path, command_line: CommandLine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command_line("vhbench_coin", "mioh_selective", tmp_path / "part", "--limit", "40")
    capsys.readouterr()
    demo._print_table(next((tmp_path / "part").glob("*_results.json")))
    printed = capsys.readouterr().out
    whole = number_of_questions(starter("mioh"), "mioh_selective")
    assert printed.startswith(f"mioh_selective: partial: 40 of {whole} questions were evaluated")
    assert " [" in next(line for line in printed.splitlines() if "accuracy" in line)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "named"),
    [
        (["--num_fewshot", "2"], "--num_fewshot 2: ode_fictional_existence shows no examples"),
        (["--cache_requests", "true"], "--cache_requests: lmms-eval cannot store what ode_fictional_existence asks"),
        (["--limit", "0"], "--limit 0 asks none of the 80 questions of ode_fictional_existence"),
        (["--offset", "80", "--limit", "4"], "--offset 80 asks none of the 80 questions of ode_fictional_existence"),
    ],
)
def test_what_lmms_eval_fails_at_is_refused_in_one_line(
    command_line: CommandLine, tmp_path: Path, option: list[str], named: str
) -> None:
    done = command_line("vhbench_coin", "ode_fictional_existence", tmp_path, *option)
    assert done.code == 2
    assert f"vhbench: {named}" in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("foreign", [False, True], ids=["another task", "a foreign split"])
def test_a_baseline_to_other_questions_is_refused_in_one_line(
    command_line: CommandLine, copy: Path, tmp_path: Path, foreign: bool
) -> None:
    """lmms-eval would pair the answers by their place, and tell a p."""
    file, task = samples(copy, "ode_fictional_existence"), "ode_random_existence"
    if foreign:
        rows = [json.loads(row) for row in file.read_text().splitlines()]
        task = "ode_fictional_existence"
        change(file, 0, provenance=rows[0]["accuracy"]["provenance"] | {"content_hash": "0" * 64})
    done = command_line("vhbench_coin", task, tmp_path / "out", "--baseline", str(file))
    assert done.code == 2
    told = (
        "contains responses to ode 2.0.0 (000000000000…);"
        if foreign
        else "contains responses to ode_fictional_existence, not"
    )
    assert f"vhbench: --baseline {file}: {told} {task}" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_outputs_without_scores_are_scored_with_the_split(command_line: CommandLine, run: Path, tmp_path: Path) -> None:
    tasks = ["ode_fictional_existence", "ode_fictional_caption"]
    done = command_line("vhbench_coin", ",".join(tasks), tmp_path, "--predict_only", "--limit", "20")
    assert done.code == 0
    assert "accuracy" not in json.loads(samples(tmp_path, tasks[0]).read_text().splitlines()[0])
    words = ["score", "--questions", str(starter("ode")), "--json"]
    found = json.loads(CliRunner().invoke(app, [*words, str(tmp_path)]).stdout)
    scored = {one["task"]: one for one in found["scores"]}
    whole = json.loads(CliRunner().invoke(app, [*words, str(samples(run, tasks[1]))]).stdout)
    assert scored[tasks[1]]["chair_i"] == whole["scores"][0]["chair_i"]
    assert scored[tasks[0]]["n"] == 20


@pytest.mark.slow
def test_the_other_options_of_lmms_eval_change_what_they_are_to_change(
    command_line: CommandLine, run: Path, tmp_path: Path
) -> None:
    task = "ode_fictional_existence"
    whole = {answer.id: answer.prediction for answer in read_run(run).tasks[task]}
    cache = ["--use_cache", str(tmp_path / "cache")]
    options = {
        "plain": ["--log_samples_suffix", "x", "--process_with_media", *cache],
        "again": [*cache],
        "three": ["--repeats", "3", "--gen_kwargs", "max_new_tokens=16", "--offset", "2"],
        "told": ["--system_instruction", "Look closely. ", "--force_simple"],
    }
    found = {}
    for name, more in options.items():
        done = command_line("vhbench_coin", task, tmp_path / name, "--limit", "6", *more)
        assert done.code == 0, done.err
        found[name] = read_run(tmp_path / name)
    answers = {name: {a.id: a.prediction for a in one.tasks[task]} for name, one in found.items()}
    told = {name: one.provenance[task] for name, one in found.items()}
    assert answers["plain"] == answers["again"] == dict(list(answers["plain"].items()))
    assert answers["plain"].items() <= whole.items()
    assert len(answers["three"]) == 18
    three = told["three"]
    assert three is not None
    assert (three.repeats, three.generation["max_new_tokens"], three.asked, three.of) == (3, 16, 6, 80)
    assert told["plain"] == told["again"]
    assert told["told"].prompts != told["plain"].prompts  # type: ignore[union-attr]
    assert [one.notes for one in found.values()] == [(f"{task}: partial: 6 of 80 questions were evaluated",)] * 4
