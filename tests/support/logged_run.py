"""A run of one task as lmms-eval logs it, written by our own functions, without lmms-eval."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import vhbench
from vhbench import splits
from vhbench.benchmarks import task as task_named
from vhbench.columns import RECORD
from vhbench.provenance import DataSource, Provenance, digest, digest_of_prompts, hash_of_row
from vhbench.records import to_records
from vhbench.tasks import prompts
from vhbench.tasks.metrics.registry import metrics_of
from vhbench.tasks.report import measure_task

Row = Mapping[str, Any]


def rows_of(split: Path, config: str = "") -> list[dict[str, Any]]:
    """Return the rows of a split, or of a config, without images."""
    return [row for own, row in splits.read_columns(split, list(RECORD)) if config in ("", own)]


def write_run(
    folder: Path,
    split: Path,
    task: str,
    say: Callable[[Row], str],
    *,
    config: str = "",
    prompt: Callable[[Row], str] = lambda row: prompts.sent(row, "simple"),
    asked: Callable[[Row], bool] = lambda row: True,
    lost: Callable[[Row], bool] = lambda row: False,
    tokens: Callable[[Row], int] = lambda row: 0,
    **told: Any,
) -> Path:
    """Write samples and results of a task.

    Args:
        folder: where.
        split: whose questions are asked.
        task: of lmms-eval.
        say: what is said to a row.
        config: whose rows the task has; "" for all.
        prompt: what was sent of a row.
        asked: which of these rows the task has.
        lost: which of those have no sample.
        tokens: how many tokens were generated for a row; at most 4,096 may be.
        told: what the provenance says otherwise.
    """
    manifest, rows = splits.read_manifest(split), [row for row in rows_of(split, config) if asked(row)]
    hashes = {row["id"]: digest(prompt(row)) for row in rows}
    provenance = Provenance(
        task=task,
        benchmark=manifest.benchmark,
        version=manifest.version,
        content_hash=manifest.content_hash,
        data=DataSource(kind="folder", folder="/home/somebody/splits"),
        vhbench=vhbench.__version__,
        lmms_eval="0.7.3",
        model="tiny",
        model_args="pretrained=org/tiny",
        prompts=digest_of_prompts(hashes),
        generation={"temperature": 0, "do_sample": False, "max_new_tokens": 4096},
        asked=len(rows),
        of=len(rows),
    )
    provenance = replace(provenance, **told)
    lines, records, header = [], [], provenance.to_json()
    for number, row in enumerate(row for row in rows if not lost(row)):
        said = say(row)
        text = prompts.to_text(row)
        spent = {row["id"]: [tokens(row)]}
        about = (header, hashes, {row["id"]: digest(text)}, lambda spent=spent: spent, 4096)
        payloads = prompts.process_results(row, [said], *about)
        records += to_records(next(iter(payloads.values())))
        sample = {"doc_id": number, "target": prompts.to_target(row), "resps": [[said]], "input": text}
        sample["doc_hash"] = hash_of_row(row, provenance.content_hash)
        lines.append(json.dumps({**sample, **payloads}))
    family = task_named(task).family
    assert family is not None
    metric = metrics_of(family.name)[0]
    results = {"config": {"model": "tiny", "model_args": "pretrained=org/tiny"}}
    results["results"] = {task: {f"{metric.name},none": measure_task(records, family).scores[metric.name].value}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"20260101_120000_samples_{task}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "20260101_120000_results.json").write_text(json.dumps(results), encoding="utf-8")
    return folder
