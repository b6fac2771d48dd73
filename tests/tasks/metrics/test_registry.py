"""A metric that is added to a family's list is wherever scores are."""

from typing import Any, cast

import pytest

from vhbench.benchmarks import BENCHMARKS, tasks
from vhbench.cli.score_tables import PRINTERS
from vhbench.compare import scored_runs, scoring
from vhbench.schema import Record
from vhbench.tasks import aggregate, report
from vhbench.tasks.metrics import ode_captions, registry
from vhbench.tasks.metrics.measuring import measure
from vhbench.tasks.metrics.metric import Answer, Count, Metric

MADE_UP = Metric(name="made_up", count=lambda answer, facts: Count(answer.outcome != "no"), higher_is_better=False)
RECORDS = {
    "yes_no": [
        Record("a", benchmark="ode", kind="yes_no", answer="no", prediction="no"),
        Record("b", benchmark="ode", kind="yes_no", answer="no", prediction="yes"),
    ],
    "multiple_choice": [
        Record("a", benchmark="mioh", kind="multiple_choice", choices=("x", "y"), answer="A", prediction="A")
    ],
    "pairs": [
        Record("a", benchmark="vhexpansion", kind="yes_no", answer="yes", prediction="yes", pair_id="p"),
        Record("b", benchmark="vhexpansion", kind="yes_no", answer="no", prediction="no", pair_id="p", negated=True),
    ],
    "caption": [Record("a", benchmark="ode", kind="caption", objects=("dog",), response="A dog.")],
}
VALUE = {"yes_no": 0.5, "multiple_choice": 1.0, "pairs": 0.5, "caption": 1.0}


@pytest.fixture(params=registry.METRICS)
def family(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A family that has one more metric."""
    name = str(request.param)
    monkeypatch.setitem(cast("dict[str, Any]", registry.METRICS), name, (*registry.METRICS[name], MADE_UP))
    monkeypatch.setattr(report.datasets, "vocabulary", lambda name: {"dog": ["dog"]})
    return name


def test_lmms_evals_table_and_the_report_have_it(family: str) -> None:
    records = RECORDS[family]
    owner = BENCHMARKS[records[0].benchmark]
    [task, *_] = (t for t in tasks(owner.name).values() if t.family and t.family.name == family)
    assert "made_up" in [entry["metric"] for entry in aggregate.metric_list(task.name)]
    grid = report.grid(records, task)
    assert grid["overall"]["made_up"] == 100 * VALUE[family]
    assert grid["overall"]["intervals"].keys() >= {"made_up"}
    assert all("made_up" in cell for cells in grid["cells"].values() for cell in cells)


def test_score_prints_it(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    group = scoring.Group("", RECORDS[family][0].benchmark, family)
    if family == "caption":
        result = ode_captions.score(RECORDS[family], vocabulary={"dog": ["dog"]})
    else:
        result = scoring.score_group(RECORDS[family], group)
    assert result["made_up"] == VALUE[family]
    assert "made_up" in result["intervals"]
    PRINTERS[family](result, group.title)
    assert f"made_up {VALUE[family]:.4f}" in " ".join(capsys.readouterr().out.split())


def test_compare_and_the_leaderboard_have_it(family: str) -> None:
    assert MADE_UP in registry.board_metrics(family)
    group = scoring.Group("", RECORDS[family][0].benchmark, family)
    assert MADE_UP in scored_runs.compared(group)


def test_a_new_case_is_a_wrong_answer_to_a_negated_question_or_a_perturbed_image() -> None:
    def count(**more: Any) -> float:
        record = Record("a", kind="yes_no", answer="no", prediction=more.pop("prediction", "yes"), **more)
        return registry._new_case(Answer(record), cast("Any", None)).top

    assert count(negated=True) == count(perturbation="defocus_blur") == 1
    assert count() == count(negated=True, prediction="no") == count(negated=True, failure="refused") == 0


def test_responses_without_a_count_of_tokens_are_not_in_their_mean() -> None:
    rows = [Record(str(tokens), kind="yes_no", answer="no", prediction="no", tokens=tokens) for tokens in (10, 0, 40)]
    assert measure(rows, "yes_no").scores["tokens"].value == 25
