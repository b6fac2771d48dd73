"""What is said of claims that differ from recomputed values, with stand-ins for editions and entries."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from vhbench.leaderboard import claim_checks
from vhbench.provenance import Provenance, digest, digest_of_prompts

SCORES = {"yes_no": {"accuracy": SimpleNamespace(value=57.12345678), "f1": SimpleNamespace(value=None)}}
ENTRY: Any = SimpleNamespace(scores=SCORES)
RULES: Any = SimpleNamespace(generation={"temperature": 0, "until": "x"}, provenance=False, max_failed=1.0)
ROWS = [{"id": f"q{number}"} for number in range(3)]


def run(**options: Any) -> Provenance:
    given = {"task": "ode", "benchmark": "ode", "content_hash": "abc" * 9, "model": "m", "asked": 2, "of": 2}
    given |= {"version": "1.0.0", "data": "hub", "vhbench": "1", "lmms_eval": "1"}
    return Provenance(**{**given, **options})


def index(task_rows: dict[str, list[int]] | None = None, **options: Any) -> Any:
    places = {"ode": [0, 1]} if task_rows is None else task_rows
    edition = SimpleNamespace(benchmark="ode", content_hash="abc" * 9)
    made = SimpleNamespace(rows=ROWS, edition=edition, of_task=lambda task: places.get(task, []), source="split")
    made.whole = options.get("whole", made)
    return made


def test_claims_are_compared_by_family_and_metric() -> None:
    def told(**claimed: Any) -> list[str]:
        return list(claim_checks.unlike_claims(claimed, ENTRY))

    assert claim_checks.claimed_scores(ENTRY) == {"yes_no": {"accuracy": 57.123457, "f1": None}}
    assert told(yes_no={"accuracy": 57.123457, "f1": None}) == []
    assert told(yes_no={"accuracy": 57.1284, "f1": None}) == told(yes_no={"accuracy": 57.1185, "f1": None}) == []
    assert told(yes_no={"accuracy": 57.1285, "f1": 1}) == [
        "claims accuracy 57.129 (yes_no); recomputed from its responses: 57.123",
        "claims f1 1.000 (yes_no); recomputed from its responses: none",
    ]
    assert told(yes_no={"f1": None, "x": 1}, other={}, more={}) == [
        "claims no accuracy (yes_no)",
        "claims an unknown metric 'x' (yes_no)",
        "claims scores of 'other', which the edition does not contain",
    ]
    assert told() == ["claims no accuracy (yes_no)"]


def test_results_are_compared_where_they_are_of_the_same_questions_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    score = SimpleNamespace(scores={"accuracy": SimpleNamespace(value=50.0)})
    monkeypatch.setattr(claim_checks, "parsed", lambda questions, place, response: (place, response))
    monkeypatch.setattr(claim_checks, "measure", lambda records, group, source, cells: score)

    def told(places: list[int], repeats: int = 1, task: str = "ode_fictional_existence", whole: int = 2) -> list[str]:
        larger = SimpleNamespace(of_task=lambda name: list(range(whole)))
        asked = index({task: places}, whole=larger)
        return list(claim_checks.differing(asked, ["a", "b"], repeats, {task: {"accuracy": 51.0}}))  # type: ignore[list-item]

    [fault] = told([0, 1])
    assert fault == "ode_fictional_existence: its results claim accuracy 51.000; recomputed: 50.000"
    assert told([0, 1], repeats=2) == told([0], whole=2) == told([0, 1], task="ode") == []


def test_prompts_and_questions_are_those_of_the_edition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_checks.prompts, "sent", lambda row, form: f"{row['id']} {form}")
    sent = digest_of_prompts({row["id"]: digest(f"{row['id']} plain") for row in ROWS[:2]})
    right = run(prompt_form="plain", prompts=sent)

    def told(one: Provenance, **rows: list[int]) -> list[str]:
        return list(claim_checks.prompt_faults(index(rows or None), one))

    assert told(right) == []
    assert told(replace(right, prompt_form="other")) == ["ode: prompts differ from the benchmark's (other form)"]
    assert told(replace(right, benchmark="mioh")) == [
        "ode: was evaluated on another split (mioh with content hash abcabcabcabc…)"
    ]
    assert len(told(replace(right, content_hash="x"))) == 1
    for one in (replace(right, asked=1), replace(right, of=1, asked=1)):
        assert told(one) == [f"ode: evaluated 1 of {one.of} questions; the edition has 2"]
    assert told(right, mioh=[0]) == ["ode: evaluated 2 of 2 questions; the edition has 0"]


def test_provenance_is_complete_for_each_question_model_and_ruled_setting() -> None:
    def told(*runs: Provenance) -> list[str]:
        return list(claim_checks.provenance_gaps(index({"ode": [0, 1, 2], "part": [1]}), RULES, runs))

    settings = {"temperature": 0, "until": "x"}
    assert told() == ["has no provenance: add lmms-eval's folder with samples"]
    assert told(run(generation=settings)) == []
    assert told(run(task="part", generation=settings)) == ["has no provenance for 2 of 3 questions (the first: 'q0')"]
    assert told(run(generation={"until": "x"}, model="--")) == [
        "ode: its provenance does not record temperature, model"
    ]


def test_settings_are_those_that_the_board_rules() -> None:
    def told(*runs: Provenance, rules: Any = RULES) -> list[str]:
        return list(claim_checks.setting_faults(index({"ode": [0, 1, 2]}), rules, runs))

    assert told(run()) == told(run(generation={"temperature": 0, "more": 3})) == []
    assert told(run(generation={"temperature": 1})) == ["ode: expected temperature 0, got 1"]
    assert told(run(generation={"temperature": False})) == ["ode: expected temperature 0, got False"]
    [fault] = told(run(generation={"more": "a,b"}))
    assert fault.startswith("ode: expected a generation setting without any of ")
    assert fault.endswith("got 'more=a,b'")
    assert told(run(generation={"more": ["a,b"]})) == []  # no text: it is not written as one
    assert len(told(run(generation={"mo=re": 1}))) == 1
    strict = SimpleNamespace(**{**vars(RULES), "provenance": True})
    assert told(rules=strict) == [
        "has no provenance: add lmms-eval's folder with samples; this board requires complete provenance"
    ]
    told_of_two = told(run(), run(model="n", model_args="a=1"))
    assert told_of_two[-1] == "its tasks have responses of several models: 'm', 'n a=1'"


@pytest.mark.parametrize(("share", "faults"), [(1.0, []), (1.05, ["expected at most 1 % failed requests, got 1.1 %"])])
def test_few_requests_may_fail(share: float, faults: list[str]) -> None:
    entry: Any = SimpleNamespace(failures=Counter({"failed": share}))  # type: ignore[dict-item]
    assert list(claim_checks.excess_failures(RULES, entry)) == faults
