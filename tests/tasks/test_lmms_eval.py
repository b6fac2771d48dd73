"""The path end to end: the installed lmms-eval runs our tasks on the starter splits."""

import subprocess
import sys
from collections import Counter, defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from running import Evaluate, scores

from vhbench import benchmarks, splits
from vhbench.adapters.lmms_eval import tasks_folder
from vhbench.audit import restricted_oracles
from vhbench.benchmarks import pressure_family
from vhbench.builds.starter import starter
from vhbench.generators.mioh.drafts import NONE
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.records import to_record
from vhbench.seeding import rng
from vhbench.splits import read_manifest
from vhbench.tasks import report

CRITERIA = ("standard", "long_tail", "random", "fictional")
YES_NO = [f"ode_{criterion}_{task}" for criterion in CRITERIA for task in ("existence", "attribute")]
CAPTION = [f"ode_{criterion}_caption" for criterion in CRITERIA]


def test_plain_names_are_known_without_a_flag(task_manager: Any) -> None:
    assert {"ode", "ode_fictional", "mioh", "mioh_selective", "vhexpansion_ode"} <= set(task_manager.all_tasks)
    assert len(task_manager.all_subtasks) > 500  # its own are there, too, and none of them takes a name of ours
    for file in tasks_folder().glob("*/*.yaml"):
        assert task_manager.task_index[file.stem]["yaml_path"] == str(file)


@pytest.fixture(scope="module")
def oracle(evaluate: Evaluate) -> dict[str, Any]:
    """What the oracle's run of all questions of ODE and MIOH returned, asked as chat models are."""
    return evaluate("vhbench_oracle", ["ode", "mioh"], force_simple=False)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["chat", "simple"])
def test_the_oracle_scores_100_in_every_leaf(form: str, oracle: dict[str, Any], evaluate: Evaluate) -> None:
    results, mioh = oracle, "mioh"
    if form == "simple":
        mioh = "mioh_selective"
        results = evaluate("vhbench_oracle", ["ode", mioh], force_simple=True, limit=10)
    for task in [*YES_NO, mioh]:
        assert scores(results, task)["accuracy"] == 100
        assert scores(results, task)["unparsed"] == 0
    for task in CAPTION:
        found = scores(results, task)
        assert found.pop("words") > 4
        failures = {"failed": 0, "refused": 0, "cut_off": 0}
        assert found == {"chair_i": 0, "chair_s": 0, "cover": 100, "cog": 0, "not_judged": 0, **failures}


@pytest.mark.slow
def test_the_oracle_scores_100_in_each_of_miohs_26_types_under_each_pressure(oracle: dict[str, Any]) -> None:
    answers = [to_record(sample["accuracy"]) for sample in oracle["samples"]["mioh"]]
    grid = report.grid(answers, benchmarks.task("mioh"))
    cells = {(cell["question_type"], cell["pressure"]): cell for cell in grid["cells"]["question_type x pressure"]}
    pressing = {pressure for pressure in PRESSURES if pressure_family(pressure) != "curve"}
    assert set(product(QUESTION_TYPES, pressing)) <= set(cells) <= set(product(QUESTION_TYPES, PRESSURES))
    assert {cell["accuracy"] for cell in cells.values()} == {100}
    assert sum(cell["n"] for cell in cells.values()) == sum(read_manifest(starter("mioh")).rows.values()) >= 26 * 5 * 5


@pytest.mark.usefixtures("_caches")
def test_none_of_the_above_is_right_in_a_fifth_of_the_starter_under_each_pressure() -> None:
    right: dict[str, list[bool]] = defaultdict(list)
    for question in splits.read_questions(starter("mioh")):
        if question.choices and question.choices[-1] == NONE:
            group = "ni" if question.pressure.startswith("ni") else question.pressure
            right[group].append(question.choices["ABCDE".index(question.answer)] == NONE)
    assert {group: sum(found) / len(found) for group, found in right.items()} == dict.fromkeys(
        ("easy", "ni", "hp", "hn", "hp+hn"), pytest.approx(0.2, abs=0.02)
    )


@pytest.mark.slow
def test_the_yes_sayer_scores_the_share_of_yes(evaluate: Evaluate) -> None:
    results = evaluate("vhbench_yes", YES_NO)
    for task in YES_NO:
        answers = [sample["target"] for sample in results["samples"][task]]
        share = 100 * answers.count("yes") / len(answers)
        assert scores(results, task)["accuracy"] == pytest.approx(share)
        assert scores(results, task)["yes_rate"] == 100
        assert 25 <= share <= 75


@pytest.mark.slow
def test_the_blind_model_stays_at_chance(evaluate: Evaluate) -> None:
    # It takes the majority of the very answers that it is scored on. So would it if they were drawn evenly: that is
    # simulated, and its accuracy must lie within what happens by chance.
    results = evaluate("vhbench_blind", ["mioh"])
    counts = Counter(
        (payload["question_type"], len(payload.get("choices", ())) or 2)
        for payload in (sample["accuracy"] for sample in results["samples"]["mioh"])
    )
    random = rng(0, "blind")
    draws = sum(
        random.multinomial(n, [1 / options] * options, size=1000).max(axis=1) for (_, options), n in counts.items()
    )
    low, high = np.quantile(100 * draws / sum(counts.values()), [0.005, 0.995])
    assert scores(results, "mioh")["accuracy"] <= high, (low, high)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "view"), [("vhbench_one_image", "one image"), ("vhbench_presence", "presence")])
def test_restricted_eyes_score_what_the_card_says(evaluate: Evaluate, model: str, view: str) -> None:
    results = evaluate(model, ["mioh_comparative"])
    counted = Counter(sample["accuracy"]["question_type"] for sample in results["samples"]["mioh_comparative"])
    reached = restricted_oracles.of_split(starter("mioh"))[view]
    cells = [cell for (kind, _), cell in reached.items() if kind in counted]
    assert counted.total() == sum(cell.number for cell in cells)
    mean = sum(cell.right for cell in cells) / counted.total()
    error = sum(cell.share * (1 - cell.share) * cell.number for cell in cells) ** 0.5 / counted.total()
    assert scores(results, "mioh_comparative")["accuracy"] == pytest.approx(100 * mean, abs=100 * 3 * error)


def test_the_help_of_the_command_line_is_light() -> None:
    heavy = "{'torch', 'lmms_eval', 'transformers', 'datasets', 'numpy'}"
    code = f"import sys, vhbench.cli; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
