"""A model that knows everything scores 100 in every leaf task, in whatever form it writes."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import cycle
from typing import Any

import pytest
from running import Evaluate, scores

from vhbench import splits
from vhbench.adapters.calibration_forms import FORMS, as_statement, caption
from vhbench.benchmarks import BENCHMARKS, Task, tasks
from vhbench.builds.starter import starter
from vhbench.columns import RECORD
from vhbench.records import split_repetition
from vhbench.schema import Question
from vhbench.tasks import aggregate, prompts, report

PERFECT = {
    "accuracy": 100, "precision": 100, "recall": 100, "f1": 100, "aggregate": 100, "original_accuracy": 100,
    "symmetric_accuracy": 100, "circular_accuracy": 100, "consistency": 100,
    "wording_1_accuracy": 100, "wording_2_accuracy": 100, "wording_3_accuracy": 100, "wording_range": 0,
    "chair_i": 0, "chair_s": 0, "cover": 100, "cog": 0, "new_cases": 0,
    "unparsed": 0, "abstained": 0, "failed": 0, "refused": 0, "cut_off": 0,
}  # fmt: skip


@cache
def asked(benchmark: str) -> list[tuple[str, Question]]:
    """Return the rows of a starter split, each with its config."""
    folder = starter(benchmark)
    names = splits.read_manifest(folder).rows
    return [(name, question) for name in names for question in splits.read_questions(folder, name)]


def of_task(benchmark: str, task: Task) -> Iterator[dict[str, Any]]:
    """Yield the rows of a task and their variants, as lmms-eval would keep them."""
    for config, question in asked(benchmark):
        if task.keep is None:
            kept = config == task.name
        else:
            kept = all(getattr(question, name) in values for name, values in task.keep.items())
        if kept:
            doc = {name: list(v) if isinstance(v := getattr(question, name), tuple) else v for name in RECORD}
            yield from [split_repetition(prefix).vary(doc) for prefix in task.variants] or [doc]


def told(doc: dict[str, Any], form: str) -> dict[str, dict[str, Any]]:
    """Return the payloads of the right answer in some form."""
    right = caption(doc["objects"]) if doc["kind"] == "caption" else doc["answer"]
    return prompts.process_results(doc, [FORMS[form](doc, right)])


@pytest.mark.usefixtures("_caches")
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_oracle_scores_100_in_every_leaf_in_every_form(benchmark: str) -> None:
    """Questions of one type, of one number of options and with one answer are answered in each form in turn."""
    payloads: dict[str, dict[str, Any]] = {}
    turns, answered = defaultdict[tuple[str, ...], Iterator[str]](lambda: cycle(FORMS)), Counter[str]()
    leaves = 0
    for task in tasks(benchmark).values():
        docs = list(of_task(benchmark, task)) if task.family is not None else []
        if not docs:
            continue
        for doc in docs:
            if doc["id"] not in payloads:
                form = next(turns[doc["question_type"], str(doc["negated"]), str(len(doc["choices"])), doc["answer"]])
                payloads[doc["id"]] = told(doc, form)
                answered[form] += 1
                if doc["kind"] != "caption":
                    assert next(iter(payloads[doc["id"]].values()))["prediction"] == doc["answer"], (doc["id"], form)
        rows = [payloads[doc["id"]] for doc in docs]
        leaves += 1
        for entry in aggregate.metric_list(task.name):
            name = entry["metric"]
            metric, records = entry["aggregation"].metric, aggregate.records([row[name] for row in rows])
            found = report.measure_task(records, task.family, [metric]).scores[name].value
            if name in PERFECT and found is not None:
                assert found == PERFECT[name], (task.name, name)
    assert leaves >= {"ode": 12, "mioh": 13, "vhexpansion": 1, "amber": 2, "chair": 2}.get(benchmark, 1)
    assert set(answered) == set(FORMS)
    assert min(answered.values()) >= 0.1 * sum(answered.values()), answered


@pytest.mark.parametrize(("simple", "form"), [(True, "markdown"), (False, "sentence")], ids=["simple", "chat"])
def test_lmms_eval_hands_the_forms_through(evaluate: Evaluate, simple: bool, form: str) -> None:
    names = ["ode_fictional_attribute", "mioh_selective"]
    results = evaluate("vhbench_oracle", names, model_args=f"form={form}", force_simple=simple)
    assert [scores(results, name)["accuracy"] for name in names] == [100, 100]


@pytest.mark.parametrize(
    ("question", "affirmed", "denied"),
    [
        ("Is there a cup?", "There is a cup.", "There is no cup."),
        ("Are there skis in the image?", "There are skis in the image.", "There are no skis in the image."),
        ("Is there no owl in the image?", "There is no owl in the image.", "There is an owl in the image."),
        ("Is it night in the image?", "It is night in the image.", "It is not night in the image."),
        (
            "Is there a dog in every image?",
            "There is a dog in every image.",
            "There is not a dog in every image.",
        ),
        (
            "Are the two cats in the image red?",
            "The two cats in the image are red.",
            "The two cats in the image are not red.",
        ),
        (
            "Is it false that the image does show a park?",
            "The image does not show a park.",
            "The image shows a park.",
        ),
        (
            "Is it false that the image shows a park?",
            "The image does not show a park.",
            "The image shows a park.",
        ),
    ],
)
def test_a_question_can_be_affirmed_and_denied(question: str, affirmed: str, denied: str) -> None:
    assert (as_statement(question, True), as_statement(question, False)) == (affirmed, denied)
