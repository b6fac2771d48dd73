"""VHExpansion end to end: a split expanded, asked by lmms-eval, and scores that a bias cannot win."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from PIL import Image
from running import Evaluate, scores

from vhbench import splits
from vhbench.analysis.vhexpansion_drops import analyse
from vhbench.builds import sharding, starter
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS
from vhbench.records import resampling_unit, to_records
from vhbench.schema import Question, Record
from vhbench.statistics import intervals
from vhbench.tasks import prompts, slices
from vhbench.tasks.metrics import symmetric_accuracy

P = 0.7
SHARES = (1.0, 0.5, 0.1)
LEAVES = ["vhexpansion_ode", *(f"vhexpansion_ode_{name}" for name in (*PERTURBATIONS, "ifgsm"))]


def coin_split(folder: Path, yes: float, cases: int = 400, **options: Any) -> Path:
    """Expand a table of which a share of the questions has the answer yes."""
    folder.mkdir()
    Image.new("RGB", (8, 8), "red").save(folder / "0.png")
    rows = [
        {"id": f"q{n}", "image": "0.png", "question": "Is there a dog?", "answer": "yes" if n < yes * cases else "no"}
        for n in range(cases)
    ]
    (folder / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
    build = VHExpansionBuild(source=f"table:{folder / 'cases.jsonl'}", **{"perturb": (), **options})
    build.check()
    sharding.run(build, folder, progress=False)
    return folder / "vhexpansion"


def tossed(questions: Iterable[Question], seed: int = 0) -> list[Record]:
    """Ask the coin, as lmms-eval would."""
    from vhbench.adapters.calibration import Coin

    coin = Coin(p=P, seed=seed)
    rows = [{name: getattr(question, name) for name in Question.__dataclass_fields__} for question in questions]
    return [prompts.to_record(row, coin.answer(row)) for row in rows]


@pytest.mark.parametrize("yes", SHARES)
def test_a_coin_scores_p_times_1_minus_p_whatever_the_share_of_yes(yes: float, tmp_path: Path) -> None:
    questions = list(splits.read_questions(coin_split(tmp_path / "split", yes)))
    results = [symmetric_accuracy.score(tossed(questions, seed)) for seed in range(20)]
    assert {result["gold_yes"] for result in results} == {yes}
    # 95 % intervals of 20 coins: one is expected to miss, and four or more come by chance in 2 % of all tests.
    ends = [result["intervals"]["symmetric_accuracy"] for result in results]
    assert sum(low <= P * (1 - P) <= high for low, high in ends) >= 17
    assert mean(result["symmetric_accuracy"] for result in results) == pytest.approx(P * (1 - P), abs=0.01)
    assert mean(result["chance"] for result in results) == pytest.approx(P * (1 - P), abs=0.01)


def test_accuracy_on_the_originals_moves_with_the_share_of_yes(tmp_path: Path) -> None:
    ends = []
    for yes in SHARES:
        records = tossed(q for q in splits.read_questions(coin_split(tmp_path / str(yes), yes)) if not q.negated)
        right = [float(r.prediction == r.answer) for r in records]
        assert mean(right) == pytest.approx(symmetric_accuracy.chance_accuracy(P, yes), abs=0.05)
        ends.append(intervals.mean(right))
    (first, _), (second, above), (_, last) = [end.ends for end in ends if end]
    assert first > above > second > last, "0.7, 0.5 and 0.34, and no interval touches another"


def test_lmms_eval_reports_both(evaluate: Evaluate, use_data: Callable[[Path], None], tmp_path: Path) -> None:
    found = {}
    for yes in (1.0, 0.1):
        use_data(coin_split(tmp_path / str(yes), yes, cases=200).parent)
        found[yes] = scores(evaluate("vhbench_coin", ["vhexpansion_table"], model_args=f"p={P}"), "vhexpansion_table")
    for values in found.values():
        assert values["symmetric_accuracy"] == pytest.approx(21, abs=6)
        assert values["chance"] == pytest.approx(21, abs=2)
        assert values["accuracy"] == pytest.approx(50, abs=5), "a question and its twin balance each other"
    assert found[1.0]["original_accuracy"] == pytest.approx(70, abs=6)
    assert found[0.1]["original_accuracy"] == pytest.approx(34, abs=6)


def test_a_source_with_a_name_of_its_own_gets_tasks(
    evaluate: Evaluate, use_data: Callable[[Path], None], tmp_path: Path
) -> None:
    from lmms_eval.tasks import TaskManager
    from typer.testing import CliRunner

    from vhbench.cli import app

    coin_split(tmp_path / "out", 0.5, cases=4, name="mine-2", perturb=("jpeg_compression",))
    done = CliRunner().invoke(app, ["tasks", str(tmp_path / "out" / "vhexpansion")])
    assert done.output.split() == [str(tmp_path / "out" / "tasks")]
    use_data(tmp_path / "out")
    manager = TaskManager("ERROR", include_path=done.output.strip(), include_defaults=False)
    results = evaluate("vhbench_oracle", ["vhexpansion_mine-2_all"], task_manager=manager)
    for leaf in ("vhexpansion_mine-2", "vhexpansion_mine-2_jpeg_compression"):
        assert scores(results, leaf)["symmetric_accuracy"] == 100
        assert results["n-samples"][leaf]["effective"] == 8


def test_a_split_whose_tasks_are_there_needs_no_others(tmp_path: Path) -> None:
    from vhbench.adapters.lmms_eval import tasks_folder
    from vhbench.cli.tasks import _write_tasks

    split = coin_split(tmp_path / "out", 0.5, cases=4)
    assert _write_tasks(split, tmp_path / "tasks") == tasks_folder()
    assert not (tmp_path / "tasks").exists()


@pytest.fixture(scope="session")
def expanded(shared_folder: Path, tiny_vlm: Callable[[str], Path], _caches: None) -> Path:
    """ODE's starter split expanded: four common perturbations and an attack on a tiny LLaVA."""
    from filelock import FileLock

    root = shared_folder / "expanded"
    with FileLock(str(shared_folder / "expanded.lock")):
        if not (root / "vhexpansion" / "manifest.json").is_file():
            build = VHExpansionBuild(
                source=f"ode:{starter.starter('ode')}",
                limit=16,
                attack=("ifgsm",),
                model=(str(tiny_vlm("llava")),),
                steps=2,
            )
            build.check()
            sharding.run(build, root, progress=False)
    return root


@pytest.mark.slow
def test_the_oracle_scores_100_on_an_expanded_and_attacked_starter_split(
    evaluate: Evaluate, use_data: Callable[[Path], None], expanded: Path
) -> None:
    use_data(expanded)
    results = evaluate("vhbench_oracle", ["vhexpansion_ode_all", "vhexpansion_ode_ifgsm"])
    for leaf in LEAVES:
        values = scores(results, leaf)
        assert values["accuracy"] == values["original_accuracy"] == values["symmetric_accuracy"] == 100, leaf
        assert (values["new_cases"], values["unparsed"], values["yes_rate"], values["chance"]) == (0, 0, 50, 25)
    records = [r for leaf in LEAVES for s in results["samples"][leaf] for r in to_records(s["accuracy"])]
    found = analyse(records)["sources"]["ode"]
    assert found["ifgsm"]["shared_cases"] == found["clean"]["pairs"] == 16
    assert {score["drop"] for kind, score in found.items() if kind != "clean"} == {0}


def test_rows_are_ordered_by_case_and_twins_follow_one_another(
    use_data: Callable[[Path], None], expanded: Path
) -> None:
    import datasets as hf

    use_data(expanded)
    orders, strata = {}, {}
    columns = ("criterion", "pairing", "question_type", "task", "mode")
    for leaf in LEAVES:
        [file] = (expanded / "vhexpansion" / leaf).glob("*.parquet")
        rows = slices.whole(hf.load_dataset("parquet", data_files=str(file), split="train"))
        negated, pair_ids, perturbations = (rows[name][:] for name in ("negated", "pair_id", "perturbation"))
        assert negated == [False, True] * (len(rows) // 2), leaf
        assert pair_ids[::2] == pair_ids[1::2], leaf
        cases = zip(pair_ids[::2], perturbations[::2], strict=True)
        orders[leaf] = [pair.removesuffix(f"/{perturbation}") for pair, perturbation in cases]
        strata |= dict(zip(orders[leaf], zip(*(rows[name][::2] for name in columns), strict=True), strict=True))
    clean = orders["vhexpansion_ode"]
    assert len(clean) == 16
    for leaf, order in orders.items():
        if len(order) == len(clean):
            assert order == clean, leaf
        for stratum in strata.values():  # a perturbation without some cases turns between strata differently
            kept = [case for case in order if strata[case] == stratum]
            assert kept == [case for case in clean if case in kept], (leaf, stratum)


def test_a_pair_cut_in_two_is_left_out_and_reported(
    evaluate: Evaluate, use_data: Callable[[Path], None], expanded: Path
) -> None:
    use_data(expanded)
    task = "vhexpansion_ode"
    for limit, complete in ((5, 2), (1, 0)):
        results = evaluate("vhbench_oracle", [task], limit=limit)
        values = scores(results, task)
        assert values["accuracy"] == 100
        records = [r for s in results["samples"][task] for r in to_records(s["accuracy"])]
        found = symmetric_accuracy.score(records)
        assert (found["pairs"], found["incomplete_pairs"]) == (complete, 1)
        assert values["symmetric_accuracy"] == (100 if complete else None)


def test_a_limited_split_has_questions_of_every_kind(expanded: Path) -> None:
    asked = [q for q in splits.read_questions(expanded / "vhexpansion", "vhexpansion_ode") if not q.negated]
    assert {q.criterion for q in asked} == {"standard", "long_tail", "random", "fictional"}
    assert {q.task for q in asked} == {"existence", "attribute"}


def test_repetitions_and_temperature(evaluate: Evaluate, use_data: Callable[[Path], None], expanded: Path) -> None:
    use_data(expanded)
    task = "vhexpansion_ode"
    results = evaluate("vhbench_coin", [task], repeats=3, gen_kwargs="temperature=0.2,do_sample=true")
    used = results["configs"][task]["generation_kwargs"]
    assert (used["temperature"], used["do_sample"], used["max_new_tokens"]) == (0.2, True, 4096)
    payloads = [sample["accuracy"] for sample in results["samples"][task]]
    assert {len(payload["repeats"]) for payload in payloads} == {2}
    records = [record for payload in payloads for record in to_records(payload)]
    by_turn = [[r for r in records if r.id.rpartition("#")[0] == number] for number in ("", "2", "3")]
    assert [len(turn) for turn in by_turn] == [32, 32, 32]
    each = [symmetric_accuracy.score(turn) for turn in by_turn]
    assert len({tuple(r.prediction for r in turn) for turn in by_turn}) == 3, "the coin is tossed anew"
    values = scores(results, task)
    for metric, name in {
        "accuracy": "accuracy",
        "symmetric_accuracy": "symmetric_accuracy",
        "yes_rate": "yes_rate",
    }.items():
        assert values[metric] == pytest.approx(100 * mean(score[name] for score in each)), metric
    assert values["new_cases"] == pytest.approx(mean(score["new_successful"] for score in each))


def test_repeated_answers_are_payloads_of_one_row() -> None:
    row: dict[str, Any] = {
        "id": "q", "benchmark": "vhexpansion", "kind": "yes_no", "choices": [], "answer": "yes", "pair_id": "q",
        "question": "Is there a dog in the image?",
        "negated": False, "scene_ids": [], "objects": [], "candidates": [], "neutral": [],
    }  # fmt: skip
    payload = prompts.process_results(row, ["Yes.", "No.", "maybe"])["accuracy"]
    assert payload["score"] == pytest.approx(1 / 3)
    assert [(r.id, r.pair_id, r.response, r.prediction) for r in to_records(payload)] == [
        ("q", "q", "Yes.", "yes"),
        ("2#q", "2#q", "No.", "no"),
        ("3#q", "3#q", "maybe", ""),
    ]
    assert {resampling_unit(r) for r in to_records(payload)} == {"q"}, (
        "intervals resample the question, not its answers"
    )
    assert "repeats" not in prompts.process_results(row, ["Yes."])["accuracy"]
