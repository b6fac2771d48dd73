"""One number everywhere: pages, compare page, `vhbench compare`, exports and downloads."""

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from board_entries import enter, said_by

from vhbench.compare import differences, scored_runs, tables
from vhbench.compare.tables import VERDICTS, verdict_of
from vhbench.leaderboard import boards, downloads, exporting, site
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.rankings import Rankings, rank_entries
from vhbench.tasks.metrics import registry
from vhbench.tasks.metrics.metric import Count, Metric

NAMES = ("Aster-VL 72B", "Basalt-VL 34B", "Drift-VL 12B", "Ember-VL 8B")
"""Models in the order of their folders; the first is the reference of the comparison."""

ODD = ("Failed-VL", "Mumble-VL", "Once-VL", "Tie-VL", "Twice-VL")
"""One failed request; a sixth of the responses abstained or unread; one edition only; the predictions of Drift-VL; two
repetitions, of which the second is worse."""

FIRST = Metric(
    name="first", title="first option", brief=True, higher_is_better=False,
    count=lambda answer, facts: Count(answer.record.prediction in ("A", "yes")),
)  # fmt: skip
"""A metric that somebody added, of which less is better."""


def says(name: str, row: Mapping[str, Any]) -> str:
    """Return the response of a model."""
    number = int(sha256(row["id"].encode()).hexdigest(), 16)
    if name == "Failed-VL" and number % 397 == 0:
        return ""
    if name == "Mumble-VL" and number % 6 == 0 and row["kind"] != "caption":
        return "Well, that depends." if number % 4 else "hm, well"
    return said_by({"Tie-VL": "Drift-VL 12B", "Failed-VL": "Ember-VL 8B"}.get(name, "Aster-VL 72B"), row)


def asked_of(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda row: said_by(name, row) if name in NAMES else says(name, row)


def again(row: Mapping[str, Any]) -> str:
    return said_by("Ember-VL 8B", row)


@pytest.fixture(scope="module")
def _own_metric() -> Iterator[None]:
    """All families have an own metric; entries are checked in this process, since children would not have it."""
    with pytest.MonkeyPatch.context() as patch:
        for family in ("yes_no", "multiple_choice", "pairs"):
            patch.setitem(registry.METRICS, family, (*registry.METRICS[family], FIRST))
        here = "vhbench.leaderboard.isolation.each"
        patch.setattr(here, lambda function, tasks, **how: (function(*args) for args in tasks))
        yield


@pytest.fixture(scope="module")
def standings(
    _own_metric: None,
    editions: dict[str, QuestionIndex],
    sources: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Rankings:
    """A board of three editions."""
    folder = tmp_path_factory.mktemp("one") / "board"
    board = Board(folder=folder, title="A board", editions=tuple(asked.edition for asked in editions.values()))
    boards.write_board(board)
    for name in NAMES + ODD:
        for asked in list(editions.values())[: 1 if name == "Once-VL" else None]:
            second = again if name == "Twice-VL" else None
            enter(board, asked, name, asked_of(name), organisation="Lab", again=second)
    return rank_entries(board, sources, workers=1)


@pytest.fixture(scope="module")
def made(standings: Rankings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site.write_site(standings, tmp_path_factory.mktemp("one") / "site").parent


@pytest.fixture(scope="module")
def compared(
    standings: Rankings, editions: dict[str, QuestionIndex], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Edition → what ``vhbench compare --json`` prints first of all runs on it."""
    folder, found = tmp_path_factory.mktemp("runs"), dict[str, Any]()
    assert [model.about.name for model in standings.ranked] == [*NAMES, *ODD]
    for edition, asked in editions.items():
        runs = []
        for number, name in enumerate(model.about.name for model in standings.ranked if edition in model.entries):
            path = folder / f"{edition}-{number}.jsonl"
            rows = [{"id": row["id"], "response": asked_of(name)(row)} for row in asked.rows]
            if name == "Twice-VL":  # one after the other for each question
                second = [{"id": f"2#{row['id']}", "response": again(row)} for row in asked.rows]
                rows = [row for both in zip(rows, second, strict=True) for row in both]
            path.write_text("\n".join(map(json.dumps, rows)))
            runs.append(scored_runs.read_run(name, path, asked.source, cells=False))
        match = differences.match(runs)
        wanted = asked.main.family.name
        group = next(one for one in match.groups if one.group.family == wanted)
        assert match.groups.index(group) < len(asked.families)  # pooled rows come first
        assert group.group.task == ""
        found[edition] = (
            group.headlines[0],
            [verdict_of(group.headlines[0], one) for one in group.headlines[0].differences],
            [run.groups[group.group].scores[FIRST.name] for run in runs],
            [headline for one in match.groups if one.group.family == wanted and one.group.task
             for headline in one.headlines if headline.name == FIRST.name],
        )  # fmt: skip
        assert any(line.startswith(f"{asked.edition.benchmark}, ") for line in tables.terminal(match))
    return found


def test_all_outputs_have_the_same_numbers(standings: Rankings, made: Path, compared: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(gzip.decompress(downloads.files(standings)["scores.csv.gz"]).decode())))
    text = (made / "data/compare/0.js").read_text()
    pairs = json.loads(f"[{text[len('board.pairs(') : -3]}]")[1]
    overview = re.sub(r"<[^>]+>", " ", (made / "index.html").read_text())
    for at, one in enumerate(standings.editions):
        family, metric, name = one.questions.main.family.name, one.questions.main.headline, one.edition.name
        headline, verdicts, firsts, by_task = compared[name]
        assert by_task
        page = re.sub(r"<[^>]+>", " ", (made / f"{name}.html").read_text())
        present = [model for model in standings.ranked if name in model.entries]
        assert len(present) == len(headline.scores) == 9 - (at > 0)
        assert [model.entries[name].repeats for model in present] == [1] * (8 - (at > 0)) + [2]
        for number, model in enumerate(present):
            score, ranks = one.rescorings[model.number].scores[family][metric], one.ranks[model.number]
            assert score.value is not None
            assert score.interval is not None
            # vhbench compare
            assert headline.scores[number].value == pytest.approx(score.value, abs=1e-9)
            assert headline.scores[number].interval == pytest.approx(score.interval, abs=1e-9)
            assert headline.ranks[number] == ranks
            # compare page: this model against the first
            value, low, high, said = pairs[at][0][4 * number : 4 * number + 4]
            if number:
                difference = headline.differences[number - 1]
                assert value / 10 == pytest.approx(-difference.value, abs=0.051)
                assert difference.interval is not None
                assert (low / 10, high / 10) == pytest.approx(
                    tuple(-end for end in difference.interval[::-1]), abs=0.051
                )
                mirrored = {"better": "worse", "worse": "better"}
                assert mirrored.get(verdicts[number - 1], verdicts[number - 1].partition(" (")[0]) == VERDICTS[said]
            # tables
            row = next(
                row for row in rows if row["model"] == model.slug and row["benchmark"] == one.edition.benchmark
                and (row["family"], row["metric"], row["part"]) == (family, metric, "")
            )  # fmt: skip
            assert float(row["value"]) == pytest.approx(score.value, abs=1e-4)
            assert (float(row["low"]), float(row["high"])) == pytest.approx(score.interval, abs=1e-4)
            bounds = tuple(float(row[name]) for name in ("lower_bound", "upper_bound") if row[name])
            assert bounds == pytest.approx(score.bounds or (), abs=1e-4)
            assert (int(row["first_rank"]), int(row["last_rank"])) == ranks
            assert headline.scores[number].bounds == pytest.approx(score.bounds)
            shown = f"{score.value:.1f}   {score.interval[0]:.1f}–{score.interval[1]:.1f}"
            assert shown in overview
            assert shown in page
            _check_exports(standings, one.edition.name, model, metric, score)
            # the own metric, which `vhbench compare` prints for each task alone
            rescoring = one.rescorings[model.number]
            first = rescoring.scores[family][FIRST.name]
            assert first.value is not None
            assert firsts[number].value == pytest.approx(first.value, abs=1e-9)
            assert firsts[number].interval == pytest.approx(first.interval, abs=1e-9)
            values = [task.scores[number].value for task in by_task]  # none of a task with too many failed requests
            assert None not in values or model.about.name == "Failed-VL"
            if None not in values:
                pooled = sum(task.n * value for task, value in zip(by_task, values, strict=True))
                assert pooled == pytest.approx(first.value * sum(task.n for task in by_task))
            for task, value in zip(by_task, values, strict=True):
                assert task.higher_is_better is False
                told = [change.value for change in task.differences if change.run == number]
                known = number and value is not None
                assert told == ([pytest.approx(value - task.scores[0].value)] if known else [])
            if model.entries[name].repeats == 1:
                predictions = [rescoring.predictions[place] for place in one.questions.main.places]
                shown_first = sum(prediction in ("A", "yes") for prediction in predictions)
                assert first.value == pytest.approx(100 * shown_first / len(predictions))
            row = next(
                row for row in rows if row["model"] == model.slug and row["benchmark"] == one.edition.benchmark
                and (row["family"], row["metric"]) == (family, FIRST.name)
            )  # fmt: skip
            assert float(row["value"]) == pytest.approx(first.value, abs=1e-4)
            assert (row["first_rank"], row["last_rank"]) == ("", "")
            assert f" {first.value:.1f} " in page
            _check_exports(standings, one.edition.name, model, FIRST.name, first)


def _check_exports(standings: Rankings, name: str, model: Any, metric: str, score: Any) -> None:
    index = yaml.safe_load(exporting.model_index(standings, model))["model-index"][0]["results"]
    own = next(result for result in index if result["dataset"]["config"] == name)
    assert next(m["value"] for m in own["metrics"] if m["type"] == metric) == round(score.value, 2)
    files = dict(exporting.every_eval_ever(standings, standings.of(name), model))
    record = json.loads(next(data for path, data in files.items() if path.endswith(".json")))
    told = next(r for r in record["evaluation_results"] if r["metric_config"]["metric_kind"] == metric)
    assert told["score_details"]["score"] == round(score.value, 4)
    ends = told["score_details"]["uncertainty"]["confidence_interval"]
    assert (ends["lower"], ends["upper"]) == tuple(round(end, 4) for end in score.interval)


def test_a_significant_difference_never_touches_zero(standings: Rankings) -> None:
    for one in standings.editions:
        for pair, significant in zip(one.pairs, one.significant, strict=True):
            assert not (significant & (pair.low <= 0) & (pair.high >= 0)).any()


def test_model_index_keeps_editions_of_one_repository_apart(standings: Rankings) -> None:
    from dataclasses import replace

    from huggingface_hub.repocard_data import model_index_to_eval_results

    first = standings.editions[1]
    edition = replace(first.edition, repo_id="org/shared")
    newer = replace(edition, version="3.0.0", content_hash="f" * 64)
    fresh = replace(first, questions=replace(first.questions, edition=newer))
    public = replace(first, questions=replace(first.questions, edition=edition))
    model = standings.ranked[0]
    entry = model.entries[first.edition.name]
    both = replace(model, entries={public.edition.name: entry, fresh.edition.name: entry})
    own = replace(standings, editions=(public, fresh))
    _, results = model_index_to_eval_results(yaml.safe_load(exporting.model_index(own, both))["model-index"])
    told = {(r.dataset_name, r.dataset_config, r.dataset_args["content_hash"]) for r in results}
    assert told == {
        ("mioh 2.0.0", "mioh-2.0.0", edition.content_hash),
        ("mioh 3.0.0", "mioh-3.0.0", "f" * 64),
    }
