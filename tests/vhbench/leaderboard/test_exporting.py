"""Exports of a model with two scores on one edition, with stand-ins for the rankings."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

import vhbench
from vhbench.leaderboard import exporting
from vhbench.schema import VhbenchError
from vhbench.tasks.metrics.registry import board_metrics, headline_of

HEADLINE = headline_of("yes_no")
OTHERS = [metric for metric in board_metrics("yes_no") if metric != HEADLINE]
OPEN = {"open_weights": True, "parameters": 7, "name": "Model", "organisation": "Some Örg"}
RIGHT = {"id": "q", "question": "?"}


def score(value: float | None, *interval: float) -> Any:
    return SimpleNamespace(value=value, interval=interval or None)


def made(
    headline: Any, second: Any | None = None, ranks: tuple[int, int] = (1, 2), **options: Any
) -> tuple[Any, Any, Any]:
    scores = {metric.name: score(None) for metric in OTHERS} | {HEADLINE.name: headline}
    if second is not None:
        scores[OTHERS[0].name] = second
    own = {"name": "ode_one", "version": "2.0.0", "task": "", "benchmark": "ode", "repo_id": "", "revision": ""}
    edition = SimpleNamespace(**{**own, "content_hash": "abcdef" * 4, "hidden": True, "title": "", **options})
    families = {"yes_no": SimpleNamespace(name="yes_no", places=[0, 1, 2])}
    questions = SimpleNamespace(
        main=SimpleNamespace(family=families["yes_no"]), rows=[RIGHT] * 4, families=families, source="split"
    )
    one = SimpleNamespace(
        edition=edition, questions=questions, rescorings={5: SimpleNamespace(scores={"yes_no": scores})},
        ranks={5: ranks, 6: (3, 3)}, headline=lambda number: headline,
    )  # fmt: skip
    entry = SimpleNamespace(date="2026-11-27", provenance=[], answers="f")
    model = SimpleNamespace(
        number=5, slug="model", tier="claimed", tiers={"ode_one": "reproduced"}, about=SimpleNamespace(**OPEN),
        entries={"ode_one": entry},
    )  # fmt: skip
    other = SimpleNamespace(edition=SimpleNamespace(name="mioh_one"))
    standings = SimpleNamespace(editions=[other, one], board=SimpleNamespace(title="Board"))
    return standings, one, model


@pytest.fixture(autouse=True)
def titles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting.site_views, "title_of", lambda edition: "ODE")


def test_the_table_has_a_row_for_each_score_and_ranks_of_the_headline() -> None:
    standings, _, model = made(score(51.26, 40.04, 60.16), score(7.0))
    lines = exporting.table(standings, model).splitlines()
    assert lines == [
        "| benchmark | score | value | 95 % | rank |",
        "|---|---|---:|---|---|",
        f"| ODE 2.0.0 | {HEADLINE.label} | 51.3 | 40.0–60.2 | 1–2 of 2 |",
        f"| ODE 2.0.0 | {OTHERS[0].label} | 7.0 |  |  |",
        "",
        f"Recomputed from the responses by vhbench {vhbench.__version__} (claimed): ode_one `abcdefabcdef`.",
    ]
    standings, _, model = made(score(51.26), ranks=(2, 2))
    assert exporting.table(standings, model).splitlines()[2].endswith("| 51.3 |  | 2 of 2 |")
    standings, one, model = made(score(51.26))
    one.ranks = {6: (1, 1)}
    assert exporting.table(standings, model).splitlines()[2].endswith("| 51.3 |  |  |")


def test_a_result_has_its_scale_interval_and_source() -> None:
    _, one, model = made(score(51.26123, 40.00004, 60.0))
    result = exporting._result(one, model, "yes_no", HEADLINE, one.headline(5), "run")
    assert result["evaluation_result_id"] == f"run/yes_no/{HEADLINE.name}"
    config = result["metric_config"]
    assert (config["metric_unit"], config["lower_is_better"], config["max_score"]) == ("percent", False, 100)
    assert result["score_details"] == {
        "score": 51.2612,
        "uncertainty": {
            "confidence_interval": {
                "lower": 40.0, "upper": 60.0, "confidence_level": 0.95, "method": "clustered by image and fact"
            },
            "num_samples": 3,
        },
    }  # fmt: skip
    details = {"content_hash": "abcdef" * 4, "verified": "reproduced"}
    source = {"dataset_name": "ode_one", "source_type": "other", "additional_details": details}
    assert result["source_data"] == source
    assert "generation_config" not in result
    _, one, model = made(score(5.0), repo_id="org/ode")
    result = exporting._result(one, model, "yes_no", HEADLINE, one.headline(5), "run")
    hub = {"source_type": "hf_dataset", "hf_repo": "org/ode", "hf_split": "test", "samples_number": 4}
    assert (result["source_data"], result["score_details"]) == (source | hub, {"score": 5.0})


@pytest.mark.parametrize(
    ("generation", "arguments"),
    [
        ({"temperature": 0, "max_new_tokens": 16}, {"temperature": 0, "max_tokens": 16}),
        ({"temperature": 0.5, "max_new_tokens": 16.5}, {"temperature": 0.5}),
        ({"temperature": True, "max_new_tokens": "16"}, None),
        ({"temperature": float("inf")}, None),
    ],
)
def test_only_numbers_are_arguments(generation: dict[str, Any], arguments: dict[str, Any] | None) -> None:
    _, one, model = made(score(5.0))
    model.entries["ode_one"].provenance = [SimpleNamespace(generation=generation)]
    result = exporting._result(one, model, "yes_no", HEADLINE, one.headline(5), "run")
    assert result.get("generation_config") == (arguments and {"generation_args": arguments})


def test_a_hidden_edition_has_no_instances_and_a_date_is_a_time() -> None:
    standings, one, model = made(score(5.0))
    [(path, data)] = exporting.every_eval_ever(standings, one, model)
    record = json.loads(data)
    assert path.startswith("every_eval_ever/data/ode_one/Some--rg/model/")
    assert record["retrieved_timestamp"] == "1795737600"
    assert record["evaluation_id"] == "ode_one/Some--rg_model/1795737600"
    assert record["model_info"] == {
        "name": "Model", "id": "Some--rg/model", "developer": "Some Örg",
        "additional_details": {"deployment_type": "unknown", "model_availability": "open_weights", "parameters": "7"},
    }  # fmt: skip
    assert len(record["evaluation_results"]) == 1
    model.about.organisation, model.entries["ode_one"].date = "", ""
    [(path, data)] = exporting.every_eval_ever(standings, one, model)
    assert "/unknown/model/" in path
    assert json.loads(data)["retrieved_timestamp"] == "0"
    assert "developer" not in json.loads(data)["model_info"]


def test_only_editions_on_the_hub_with_a_score_have_results_for_it() -> None:
    for value, repo, number in ((5.0, "org/ode", 1), (None, "org/ode", 0), (5.0, "", 0)):
        standings, _, model = made(score(value), repo_id=repo)
        names = [name for name, _ in exporting.files(standings, model)]
        assert names.count(".eval_results/ode_one.yaml") == number
        assert names[number : number + 2] == ["model-index.yaml", "table.md"]
    standings, one, model = made(score(51.268, 40.04, 60.16), repo_id="org/ode", revision="v2")
    [told] = yaml.safe_load(exporting.eval_results(one, model))
    assert (told["dataset"]["id"], told["dataset"]["task_id"], told["value"]) == ("org/ode", "ode", 51.27)
    assert told["notes"].startswith(f"{HEADLINE.label}, 95 % interval 40.0 to 60.2; recomputed by vhbench ")
    [index] = yaml.safe_load(exporting.model_index(standings, model))["model-index"]
    [result] = index["results"]
    assert (result["dataset"]["type"], result["metrics"][0]["value"]) == ("org/ode", 51.27)


def test_exports_are_written_beside_exports_and_nothing_else(tmp_path: Path) -> None:
    standings, _, model = made(score(5.0))
    (tmp_path / "splits" / "ode").mkdir(parents=True)
    with pytest.raises(VhbenchError, match="splits: expected an empty folder or the exports of a board"):
        exporting.write_files(standings, model, tmp_path / "splits")
    assert [path.name for path in (tmp_path / "splits").iterdir()] == ["ode"]
    counts = [exporting.write_files(standings, model, tmp_path / "exports") for _ in range(2)]
    assert counts == [sum(path.is_file() for path in (tmp_path / "exports" / "model").rglob("*"))] * 2
