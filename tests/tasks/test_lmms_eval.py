"""The path end to end: the installed lmms-eval runs our tasks on the starter splits."""

import subprocess
import sys
from typing import Any

import pytest
from running import Evaluate, scores

CRITERIA = ("standard", "long_tail", "random", "fictional")
YES_NO = [f"ode_{criterion}_{task}" for criterion in CRITERIA for task in ("existence", "attribute")]
CAPTION = [f"ode_{criterion}_caption" for criterion in CRITERIA]


def test_plain_names_are_known_without_a_flag(task_manager: Any) -> None:
    assert {"ode", "ode_fictional", "mioh", "mioh_selective", "vhexpansion_ode"} <= set(task_manager.all_tasks)


@pytest.mark.parametrize("simple", [True, False], ids=["simple", "chat"])
def test_the_oracle_scores_100_in_every_leaf(evaluate: Evaluate, simple: bool) -> None:
    results = evaluate("vhbench_oracle", ["ode", "mioh_selective"], force_simple=simple)
    for task in [*YES_NO, "mioh_selective"]:
        assert scores(results, task)["accuracy"] == 100
        assert scores(results, task)["unparsed"] == 0
    for task in CAPTION:
        assert scores(results, task) == {"chair_i": 0, "chair_s": 0, "cover": 100, "cog": 0}


def test_the_yes_sayer_scores_the_share_of_yes(evaluate: Evaluate) -> None:
    results = evaluate("vhbench_yes", YES_NO)
    for task in YES_NO:
        answers = [sample["target"] for sample in results["samples"][task]]
        share = 100 * answers.count("yes") / len(answers)
        assert scores(results, task)["accuracy"] == pytest.approx(share)
        assert scores(results, task)["yes_rate"] == 100
        assert 25 <= share <= 75


def test_the_blind_model_stays_at_chance(evaluate: Evaluate) -> None:
    found = scores(evaluate("vhbench_blind", ["mioh"]), "mioh")
    assert found["accuracy"] <= found["chance"] + 12


def test_the_help_of_the_command_line_is_light() -> None:
    code = (
        "import sys, vhbench.cli; print(sorted({'torch', 'lmms_eval', 'transformers', 'datasets'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
