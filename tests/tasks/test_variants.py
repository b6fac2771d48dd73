"""Rotated options and several wordings: the same responses give the same numbers in every output."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import CommandLine
from typer.testing import CliRunner

from vhbench import compare, splits
from vhbench.benchmarks import WORDINGS
from vhbench.builds.starter import starter
from vhbench.cli import app
from vhbench.compare.scoring import score_all
from vhbench.files import read_json
from vhbench.records import split_repetition
from vhbench.runs import Responses, read_run
from vhbench.schema import Record
from vhbench.tasks import prompts
from vhbench.tasks.metrics.measuring import measure
from vhbench.tasks.metrics.registry import BY_WORDING

ROW = {"id": "q", "pair_id": "p", "choices": ["cat", "dog", "owl", "None of the above"], "answer": "C"}


@given(st.integers(1, 9), st.sampled_from("ABCD"), st.sampled_from([None, 0, 1, 2, 3]))
def test_a_rotation_keeps_the_answer_and_every_option(number: int, answer: str, none: int | None) -> None:
    choices = ["cat", "dog", "owl", "fox"]
    if none is not None:
        choices[none] = "None of the above"
    row = {**ROW, "answer": answer, "choices": choices}
    moved = split_repetition(f"r{number}#").vary(row)
    assert moved["choices"][ord(moved["answer"]) - 65] == row["choices"][ord(answer) - 65]
    assert sorted(moved["choices"]) == sorted(row["choices"])
    assert none is None or moved["choices"][none] == "None of the above"
    period = 4 if none is None else 3
    assert (moved["choices"] == row["choices"]) == (number % period == 1)


def rotations(predictions: str, question: str = "q") -> list[Record]:
    """Return the responses to the rotations of a question; "?" for an unparsed one."""
    rows = [split_repetition(f"r{number}#").vary({**ROW, "id": question}) for number in range(1, len(predictions) + 1)]
    kept = ({**row, "choices": tuple(row["choices"]), "kind": "multiple_choice"} for row in rows)
    return [Record(**row, prediction=said.strip("?")) for row, said in zip(kept, predictions, strict=True)]


def test_circular_accuracy_needs_every_rotation_and_consistency_one_option() -> None:
    # The owl is C, B, A in the three rotations: "q" always names it, "r" the cat (A, C, B), "s" always says A.
    rows = [*rotations("CBA", "q"), *rotations("ACB", "r"), *rotations("AAA", "s")]
    found = measure(rows, "multiple_choice").scores
    assert found["accuracy"].value == pytest.approx(100 * 4 / 9)
    assert found["circular_accuracy"].value == pytest.approx(100 / 3)
    assert found["consistency"].value == pytest.approx(200 / 3)
    unread = measure([*rotations("CBA", "q"), *rotations("?BA", "r")], "multiple_choice").scores["circular_accuracy"]
    assert (unread.value, unread.bounds) == (50, (50, 100))


def test_none_of_the_above_which_stays_last_shows_no_consistency() -> None:
    always_last = [*rotations("DDD", "q"), *rotations("DDD", "r")]
    assert measure(always_last, "multiple_choice").scores["consistency"].value is None
    mixed = measure([*always_last, *rotations("CBA", "s"), *rotations("AAA", "t")], "multiple_choice")
    assert mixed.scores["consistency"].value == 50


def test_halves_of_the_rotations_are_no_whole() -> None:
    first, second = rotations("CBAC", "q")[:2], rotations("CBAC", "r")[2:]
    assert measure([*first, *second], "multiple_choice").scores["circular_accuracy"].value is None


def test_a_question_without_all_its_rotations_is_in_no_score_over_rotations() -> None:
    found = measure([*rotations("CBA", "q"), *rotations("CBA", "r")[:2]], "multiple_choice")
    assert found.sums("circular_accuracy").bottom.sum() == 1  # type: ignore[union-attr]
    again = [replace(row, id=f"2#{row.id}") for row in rotations("CBB", "q")]  # lmms-eval --repeats 2
    assert measure([*rotations("CBA", "q"), *again], "multiple_choice").scores["circular_accuracy"].value == 50


def test_plain_responses_have_no_scores_of_variants() -> None:
    plain = measure([replace(row, id=str(place)) for place, row in enumerate(rotations("CBA"))], "multiple_choice")
    assert not {"circular_accuracy", "consistency", "wording_range"} & plain.scores.keys()


def test_the_range_over_wordings_is_that_of_their_accuracies() -> None:
    rows = [
        Record(f"w{wording}#{name}", kind="yes_no", answer="yes", prediction="yes" if name < limit else "no")
        for wording, limit in ((1, "d"), (2, "b"), (3, "e"))
        for name in "abcd"
    ]
    found = measure(rows, "yes_no").scores
    assert [found[f"wording_{number}_accuracy"].value for number in (1, 2, 3)] == [75, 25, 100]
    assert found["wording_range"].value == 75


def test_every_wording_has_a_metric_and_an_instruction() -> None:
    numbers = range(1, WORDINGS + 1)
    assert [metric.name for metric in BY_WORDING[:-1]] == [f"wording_{number}_accuracy" for number in numbers]
    for kind in ("yes_no", "multiple_choice"):
        row = {"kind": kind, "question": "?", "choices": [], "images": [], "scene_ids": []}
        assert len({prompts.to_text({**row, "id": f"w{number}#q"}) for number in numbers}) == WORDINGS


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model that answers A, or yes, whatever is asked."""
    command_line: CommandLine = request.getfixturevalue("command_line")
    folder = tmp_path_factory.mktemp("variants")
    done = command_line("vhbench_yes", "mioh_rotations_4,mioh_wordings,ode_wordings", folder, "--limit", "120")
    assert done.code == 0, done.err
    return folder


def test_table_report_score_and_compare_agree(run: Path) -> None:
    [results] = run.rglob("*_results.json")
    table = read_json(results)["results"]
    scored = {group.task: found for group, found in score_all(Responses(run)).items()}
    both = compare.match([("one", run, None), ("two", run, None)])
    compared = {one.group.task: {score.name: score for score in one.headlines} for one in both.groups}
    assert compared.keys() == {"mioh_rotations_4", "mioh_wordings", "ode_wordings"}
    for task, names in {
        "mioh_rotations_4": ("accuracy", "circular_accuracy", "consistency"),
        "mioh_wordings": ("accuracy", "wording_1_accuracy", "wording_range"),
        "ode_wordings": ("f1", "wording_3_accuracy", "wording_range"),
    }.items():
        [report] = run.rglob(f"*_{task}_report.json")
        for name in names:
            value = table[task][f"{name},none"]
            assert value == pytest.approx(read_json(report)["overall"][name]), (task, name)
            assert value == pytest.approx(100 * scored[task][name]), (task, name)
            if name in compared[task]:
                assert [score.value for score in compared[task][name].scores] == pytest.approx([value, value])
    [report] = run.rglob("*_mioh_rotations_4_report.json")
    assert read_json(report)["rotations"] == 4
    printed = CliRunner().invoke(app, ["score", str(run)], catch_exceptions=False).stdout
    assert ", 120 responses, 4 rotations of the options" in " ".join(printed.split())
    rotated = scored["mioh_rotations_4"]
    assert rotated["circular_accuracy"] == 0 == rotated["consistency"]
    assert rotated["n"] == 120
    assert not Responses(run).notes


def test_variants_are_no_responses_to_the_questions_themselves(run: Path) -> None:
    assert read_run(run).merged() == []


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory, _caches: None) -> Path:
    """An eighth of MIOH's starter, in whole pairs."""
    folder, manifest = tmp_path_factory.mktemp("few") / "mioh", splits.read_manifest(starter("mioh"))
    rows = [*splits.read_rows(starter("mioh"))]
    pairs = {*sorted({row.question.pair_id for row in rows})[::8]}
    some = (row for row in rows if row.question.pair_id in pairs)
    about = {"version": manifest.version, "seed": manifest.seed, "config": manifest.config}
    splits.write_split(folder, some, benchmark="mioh", **about)
    assert sum(splits.read_manifest(folder).rows.values()) > 60
    return folder


@pytest.mark.parametrize(("option", "count"), [(["--rotations", "3"], 3), (["--wordings"], 3)])
def test_exported_variants_are_scored_with_their_options(
    split: Path, tmp_path: Path, option: list[str], count: int
) -> None:
    out = tmp_path / "export"
    done = CliRunner().invoke(
        app, ["export", "questions", str(split), "--to", "vlmevalkit", "--out", str(out), *option]
    )
    assert done.exit_code == 0, done.output
    answers: dict[str, Any] = {}
    for config in splits.read_manifest(split).rows:
        for question in splits.read_questions(split, config):
            for number in range(1, count + 1):
                row = {name: getattr(question, name) for name in ("id", "choices", "answer", "kind")}
                if option == ["--wordings"] or question.choices:
                    mark = f"{option[0][2]}{number}#"
                    answers[f"{mark}{question.id}"] = split_repetition(mark).vary(row)["answer"]
    file = out / "answers.jsonl"
    said = [{"id": name, "response": answers[name]} for name in np.random.default_rng(0).permutation([*answers])]
    file.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    responses = Responses(file, split)
    found = score_all(responses)
    assert {group.variants for group in found} == {option[0][2]}
    assert (
        {one["accuracy"] for one in found.values()}
        == {1}
        == {one.get("circular_accuracy", 1) for one in found.values()}
    )
    assert sum(one["n"] for one in found.values()) == len(answers)
    assert (responses.notes, sum(responses.missing.values())) == ([], 0)


def test_wordings_differ_in_the_instruction_alone() -> None:
    doc = {"question": "Is there a dog?", "choices": [], "kind": "yes_no", "scene_ids": ["s"]}
    asked = [prompts.to_text({**doc, "id": name}) for name in ("q", "w1#q", "w2#q", "w3#q", "r2#q")]
    assert asked[0] == asked[1] == asked[4]
    assert len(set(asked)) == 3
    assert all(text.startswith("Is there a dog?\n") for text in asked)
