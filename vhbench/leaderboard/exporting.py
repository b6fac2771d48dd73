"""Exports of a board: the Hub's results and model-index, Every Eval Ever, and a table for a model's README.

The Hub's formats use the types of huggingface_hub; Every Eval Ever's follow version 0.3.0 of its schemas.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import yaml

import vhbench
from vhbench.benchmarks import BENCHMARKS
from vhbench.files import json_bytes, write_atomic
from vhbench.leaderboard import boards, site_views
from vhbench.leaderboard.rankings import BoardModel, EditionStandings, Rankings
from vhbench.schema import VhbenchError
from vhbench.splits import answer_keys
from vhbench.statistics.sums import Score
from vhbench.statistics.wording import rank_range
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import board_metrics, headline_of

SCHEMA = "0.3.0"  # version of Every Eval Ever's schemas

_INDEX = "model-index.yaml"
_KINDS = {"yes_no": "visual-question-answering", "caption": "image-to-text"}


def write_files(standings: Rankings, model: BoardModel, out: Path) -> int:
    """Write the files of a model into its own folder; return how many. Raise VhbenchError for other content."""
    boards.check_output(out, f"*/{_INDEX}", "the exports of a board")
    written = list(files(standings, model))
    for name, data in written:
        write_atomic(out / model.slug / name, data, durable=False)
    return len(written)


def files(standings: Rankings, model: BoardModel) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a model, with paths relative to its folder."""
    for one in _entered(standings, model):
        if one.edition.repo_id and one.headline(model.number).value is not None:
            yield f".eval_results/{one.edition.name}.yaml", eval_results(one, model)
    yield _INDEX, model_index(standings, model)
    yield "table.md", table(standings, model).encode()
    for one in _entered(standings, model):
        yield from every_eval_ever(standings, one, model)


def _entered(standings: Rankings, model: BoardModel) -> Iterator[EditionStandings]:
    yield from (one for one in standings.editions if one.edition.name in model.entries)


def _scores(one: EditionStandings, model: BoardModel) -> Iterator[tuple[str, Metric, Score]]:
    """Yield family, metric and score of a model on an edition, the headline metric first."""
    rescoring, main = one.rescorings[model.number], one.questions.main
    order = [(main.family.name, headline_of(main.family.name))]
    order += [(family, metric) for family in rescoring.scores for metric in board_metrics(family)]
    for family, metric in dict.fromkeys(order):
        score = rescoring.scores[family][metric.name]
        if score.value is not None:
            yield family, metric, score


def eval_results(one: EditionStandings, model: BoardModel) -> bytes:
    """Return an ``.eval_results/*.yaml`` for the Hub: the headline score on the edition's dataset."""
    try:
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    except ImportError as error:
        raise VhbenchError("expected huggingface_hub 1.4 or newer for .eval_results; upgrade it") from error
    entry, score = model.entries[one.edition.name], one.headline(model.number)
    ends = "" if score.interval is None else f", 95 % interval {score.interval[0]:.1f} to {score.interval[1]:.1f}"
    metric = headline_of(one.questions.main.family.name)
    hub_result = EvalResultEntry(
        dataset_id=one.edition.repo_id,
        task_id=one.edition.task or one.edition.benchmark,
        value=round(float(score.value or 0.0), 2),
        dataset_revision=one.edition.revision or None,
        date=entry.date or None,
        notes=f"{metric.label}{ends}; recomputed by vhbench {vhbench.__version__}",
    )
    return yaml.safe_dump(eval_result_entries_to_yaml([hub_result]), sort_keys=False, allow_unicode=True).encode()


def model_index(standings: Rankings, model: BoardModel) -> bytes:
    """Return the ``model-index`` of a model's README, as YAML."""
    from huggingface_hub import EvalResult
    from huggingface_hub.repocard_data import eval_results_to_model_index

    results = [
        EvalResult(
            task_type=_KINDS.get(family, "visual-question-answering"),
            dataset_type=one.edition.repo_id or f"vhbench/{one.edition.benchmark}",
            dataset_name=f"{one.edition.task or one.edition.benchmark} {one.edition.version}",
            # Results are grouped by type, config, split and revision of the dataset, not by its name or arguments.
            dataset_config=one.edition.name,
            dataset_split="test",
            dataset_revision=one.edition.revision or None,
            dataset_args={"content_hash": one.edition.content_hash},
            metric_type=metric.name,
            metric_name=metric.label,
            metric_value=round(float(score.value or 0.0), 2),
        )
        for one in _entered(standings, model)
        for family, metric, score in _scores(one, model)
    ]
    index = eval_results_to_model_index(model.about.name, results) if results else []
    return yaml.safe_dump({"model-index": index}, sort_keys=False, allow_unicode=True).encode()


def table(standings: Rankings, model: BoardModel) -> str:
    """Return the Markdown table for a model's README."""
    lines = ["| benchmark | score | value | 95 % | rank |", "|---|---|---:|---|---|"]
    for one in _entered(standings, model):
        title = f"{site_views.title_of(one.edition)} {one.edition.version}"
        for _, metric, score in _scores(one, model):
            ends = "" if score.interval is None else f"{score.interval[0]:.1f}–{score.interval[1]:.1f}"
            ranks = one.ranks.get(model.number) if score is one.headline(model.number) else None
            rank = f"{rank_range(*ranks)} of {len(one.ranks)}" if ranks else ""
            lines.append(f"| {title} | {metric.label} | {score.value:.1f} | {ends} | {rank} |")
    hashes = ", ".join(f"{one.edition.name} `{one.edition.content_hash[:12]}`" for one in _entered(standings, model))
    note = f"Recomputed from the responses by vhbench {vhbench.__version__} ({model.tier}): {hashes}."
    return "\n".join([*lines, "", note, ""])


def every_eval_ever(standings: Rankings, one: EditionStandings, model: BoardModel) -> Iterator[tuple[str, bytes]]:
    """Yield the aggregate and instance-level records of Every Eval Ever; for hidden test sets only the first."""
    developer = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in model.about.organisation)
    entry = model.entries[one.edition.name]
    folder = f"data/{one.edition.name}/{developer.strip('.-') or 'unknown'}/{model.slug}"
    # derived from the content, so that the same export has the same name
    key = sha256(f"{model.slug} {one.edition.content_hash} {entry.answers}".encode()).digest()
    name = str(UUID(bytes=key[:16], version=4))
    when = int(datetime.strptime(entry.date or "1970-01-01", "%Y-%m-%d").replace(tzinfo=UTC).timestamp())
    run = f"{one.edition.name}/{developer or 'unknown'}_{model.slug}/{when}"
    record: dict[str, Any] = {
        "schema_version": SCHEMA,
        "evaluation_id": run,
        "retrieved_timestamp": str(when),
        "source_metadata": {
            "source_name": standings.board.title,
            "source_type": "evaluation_run",
            "source_organization_name": standings.board.title,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "vhbench", "version": vhbench.__version__},
        "model_info": _model_info(model, developer),
        "evaluation_results": [
            _result(one, model, *scored, run)
            for scored in _scores(one, model)
            if scored[1].higher_is_better is not None  # the schema requires a direction
        ],
    }
    if not one.edition.hidden and not answer_keys.is_key(one.questions.source):
        rows = (_instance(one, model, place, run, developer) for place in range(len(one.questions.rows)))
        lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
        path = f"{folder}/{name}_samples.jsonl"
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": path,
            "hash_algorithm": "sha256",
            "checksum": sha256(lines).hexdigest(),
            "total_rows": len(one.questions.rows),
        }
        yield f"every_eval_ever/{path}", lines
    yield f"every_eval_ever/{folder}/{name}.json", json_bytes(record)


def _model_info(model: BoardModel, developer: str) -> dict[str, Any]:
    weights = {True: "open_weights", False: "closed_weights", None: "unknown"}[model.about.open_weights]
    details = {"deployment_type": "unknown", "model_availability": weights}
    if model.about.parameters:
        details["parameters"] = str(model.about.parameters)
    entry = {"name": model.about.name, "id": f"{developer or 'unknown'}/{model.slug}", "additional_details": details}
    return entry | ({"developer": model.about.organisation} if model.about.organisation else {})


def _result(
    one: EditionStandings, model: BoardModel, family: str, metric: Metric, score: Score, run: str
) -> dict[str, Any]:
    edition, entry = one.edition, model.entries[one.edition.name]
    details: dict[str, Any] = {"score": round(float(score.value or 0.0), 4)}
    if score.interval is not None:
        ends = {"lower": round(score.interval[0], 4), "upper": round(score.interval[1], 4), "confidence_level": 0.95}
        n_samples = len(one.questions.families[family].places)
        method = "clustered by image and fact"
        details["uncertainty"] = {"confidence_interval": {**ends, "method": method}, "num_samples": n_samples}
    source: dict[str, Any] = {"dataset_name": edition.name, "source_type": "other"}
    if edition.repo_id:
        source |= {"source_type": "hf_dataset", "hf_repo": edition.repo_id, "hf_split": "test"}
        source["samples_number"] = len(one.questions.rows)
    source["additional_details"] = {"content_hash": edition.content_hash, "verified": model.tiers[edition.name]}
    record: dict[str, Any] = {
        "evaluation_result_id": f"{run}/{family}/{metric.name}",
        "evaluation_name": f"{edition.name} {family}",
        "source_data": source,
        "metric_config": {
            "metric_id": f"vhbench/{metric.name}",
            "metric_name": metric.label,
            "metric_kind": metric.name,
            "metric_unit": "percent" if metric.scale == "share" else metric.scale,
            "lower_is_better": not metric.higher_is_better,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 100 if metric.scale == "share" else None,
        },
        "score_details": details,
    }
    settings = entry.provenance[0].generation if entry.provenance else {}
    args = {}
    for name, setting, kinds in (("temperature", "temperature", (int, float)), ("max_tokens", "max_new_tokens", int)):
        value = settings.get(setting)
        if isinstance(value, kinds) and not isinstance(value, bool) and isfinite(value):
            args[name] = value
    return record | ({"generation_config": {"generation_args": args}} if args else {})


def _instance(one: EditionStandings, model: BoardModel, place: int, run: str, developer: str) -> dict[str, Any]:
    row, rescoring = one.questions.rows[place], one.rescorings[model.number]
    reference = [row["answer"]] if row["answer"] else list(row["objects"])
    family = BENCHMARKS[one.edition.benchmark].families[row["kind"]].name
    metric = one.questions.families[family].headline
    right = bool(rescoring.right[place])
    extraction = {"turn_idx": 0, "source": "output.raw", "extracted_value": rescoring.predictions[place]}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": run,
        "model_id": f"{developer or 'unknown'}/{model.slug}",
        "evaluation_name": f"{one.edition.name} {family}",
        "evaluation_result_id": f"{run}/{family}/{metric}",
        "sample_id": row["id"],
        "sample_hash": sha256((row["question"] + "".join(reference)).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": row["question"], "reference": reference, "choices": list(row["choices"]) or None},
        "output": {"raw": [one.responses[model.number][place]]},
        "answer_attribution": [{**extraction, "extraction_method": "custom", "is_terminal": True}],
        "evaluation": {"score": float(right), "is_correct": right},
    }
