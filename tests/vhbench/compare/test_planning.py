"""Plans, against the real test of ``compare`` on as many questions as they ask for."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from vhbench.benchmarks import Task, tasks
from vhbench.builds.starter import starter
from vhbench.compare import differences, planning
from vhbench.compare.planning import TaskPlan
from vhbench.compare.scored_runs import ScoredRun, measure
from vhbench.compare.scoring import Group
from vhbench.schema import Record, VhbenchError
from vhbench.seeding import rng

GROUP = Group("ode_fictional_existence", "ode", "yes_no")


def run(name: str, images: int, rate: float, number: int) -> ScoredRun:
    """Return a run on four questions about each image, a fifth of whose difficulty is the image's."""
    random = rng(0, "plan", name, images, number)
    image = np.repeat(random.standard_normal(images), 4)
    right = sqrt(0.2) * image + sqrt(0.8) * random.standard_normal(4 * images) < stats.norm.ppf(rate)
    rows = [
        Record(
            f"q{place:05}", benchmark="ode", kind="yes_no", answer=("no", "yes")[place % 2], criterion="fictional",
            prediction=("no", "yes")[(place + (not hit)) % 2], scene_ids=(f"s{place // 4}",),
        )
        for place, hit in enumerate(right.tolist())
    ]  # fmt: skip
    return ScoredRun(name, {GROUP: measure(rows, GROUP, cells=False)})


def plan(*runs: ScoredRun, detect: float = 10) -> TaskPlan:
    [found] = planning._from_pilot(runs, detect)
    return found


def test_a_plan_from_two_runs_holds() -> None:
    pilot = plan(run("A", 500, 0.85, 0), run("B", 500, 0.75, 0))
    assert (pilot.questions, pilot.images, pilot.clusters) == (2000, 500, 500)
    assert pilot.needed_images is not None
    assert pilot.needed_questions == pytest.approx(4 * pilot.needed_images, abs=4)
    found = 0
    for number in range(1, 41):
        runs = [run(name, pilot.needed_images, rate, number) for name, rate in (("A", 0.85), ("B", 0.75))]
        found += differences.match(runs).groups[0].headlines[0].differences[0].significant
    assert 25 <= found <= 38  # of 40 at 80 %; either bound is passed in 0.5 % of samples


def test_one_run_stands_for_two_that_err_independently() -> None:
    two, one = plan(run("A", 500, 0.8, 0), run("B", 500, 0.8, 0)), plan(run("A", 500, 0.8, 0))
    assert one.needed_questions == pytest.approx(two.needed_questions, rel=0.15)
    assert two.detectable == pytest.approx(one.detectable, rel=0.08)


def test_half_the_difference_needs_four_times_the_questions() -> None:
    runs = run("A", 500, 0.85, 0), run("B", 500, 0.75, 0)
    few, many = plan(*runs).needed_questions, plan(*runs, detect=5).needed_questions
    assert few is not None
    assert many == pytest.approx(4 * few, rel=0.1)  # a difference adds to the spread of the test
    least = plan(*runs).detectable
    assert least is not None
    assert plan(*runs, detect=least).needed_questions == pytest.approx(2000, abs=1)


def test_compare_reports_what_it_would_have_detected() -> None:
    runs = run("A", 500, 0.81, 0), run("B", 500, 0.8, 0)
    (change,) = differences.match(runs).groups[0].headlines[0].differences
    assert not change.significant
    assert change.detectable == pytest.approx(plan(*runs).detectable, rel=0.02)


def test_runs_that_never_differ_give_no_plan() -> None:
    same = run("A", 20, 0.8, 0)
    assert plan(same, replace(same, name="B")).needed_questions is None
    with pytest.raises(VhbenchError, match="expected a pilot of mioh; it has none of them"):
        planning._from_pilot([same], 5, tasks=["mioh"])


@pytest.mark.usefixtures("_caches")
def test_the_starter_split_needs_many_more_questions() -> None:
    found = planning._from_split(starter("ode"), 5, accuracy=0.8, tasks=["ode_fictional"])
    assert [one.task for one in found] == [f"ode_fictional_{kind}" for kind in ("attribute", "caption", "existence")]
    assert found[1].needed_questions is None  # captions need a pilot
    assert found[2].detectable is not None
    assert found[2].detectable > 15
    assert 1000 < (found[2].needed_questions or 0) < 3000


@pytest.mark.usefixtures("_caches")
def test_a_task_of_some_rows_takes_none_from_the_task_of_their_config(monkeypatch: pytest.MonkeyPatch) -> None:
    split, known = starter("ode"), tasks("ode")
    before = planning._tasks(split)
    family = known["ode_fictional_existence"].family
    more = {**known, "ode_present": Task("ode_present", family, keep={"answer": ("yes",)})}
    monkeypatch.setattr(planning.benchmarks, "tasks", lambda name: more)
    after = dict(planning._tasks(split))
    assert {row.answer for row in after.pop("ode_present")} == {"yes"}
    assert after == before


def test_a_task_whose_questions_all_share_images_has_no_plan() -> None:
    """All questions of one cluster: no test detects anything, and no number of copies is known to."""
    found = planning._from_split(starter("mioh"), 5, accuracy=0.8, tasks=["mioh_ni"])
    assert [(one.task, one.detectable, one.needed_questions) for one in found] == [("mioh_ni", None, None)]
