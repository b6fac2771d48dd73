"""Questions for reinforcement learning as files of TRL, verl, ms-swift and verifiers (``vhbench export rl``)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from jinja2 import Template

import vhbench
from vhbench import rewards
from vhbench.files import canonical, json_bytes, write_atomic
from vhbench.schema import VhbenchError
from vhbench.training import reward_check, training_files
from vhbench.training.options import RlOptions
from vhbench.training.question_stream import COLUMNS, questions, training_row
from vhbench.training.training_files import IMAGES, MESSAGES

_MARK = "<image>"


def _rows_of(options: RlOptions) -> Iterator[dict[str, Any]]:
    return (training_row(question, options) for question in islice(questions(options), options.number))


def export(options: RlOptions) -> tuple[list[str], bool]:
    """Write rows for a trainer into a new folder, or compute the mean reward of policies.

    Return lines about what was written and its use in the trainer, or the table of policies; and whether no policy
    exceeds the chance level. Raises for an unknown trainer, a folder in use, or as the stream (:func:`questions`).
    """
    if options.to not in _TARGETS:
        raise VhbenchError(f"--to: expected one of {', '.join(_TARGETS)}; got {options.to!r}")
    if options.check:
        rows = list(_rows_of(options))
        table, above = reward_check.table(rows)
        lines = [f"{name:26}" + "".join(f"{cell:>17}" for cell in cells) for name, *cells in table]
        summary = f"{len(rows):,} questions; above the chance level: {', '.join(above) or 'none'}"
        return [*lines, summary], not above
    if (out := options.out) is None:
        raise VhbenchError("expected --out FOLDER, or --check")
    training_files.check_free(out)
    # A taskset of verifiers samples questions when it is loaded; two rows check that the options allow it.
    rows = list(_rows_of(replace(options, number=2) if options.to == "verifiers" else options))
    out.mkdir(parents=True, exist_ok=True)
    usage = _TARGETS[options.to](options, rows, out)
    write_atomic(out / training_files.PROVENANCE, json_bytes({"vhbench": vhbench.__version__, **_settings(options)}))
    if options.to == "verifiers":
        return [f"{out}: a taskset with an endless question stream", usage], True
    images = len({image for row in rows for image in row["images"]})
    kinds = ", ".join(f"{name} {sum(row['benchmark'] == name for row in rows):,}" for name in options.benchmark)
    return [f"{out}: {len(rows):,} questions about {images:,} images ({kinds})", usage], True


def _settings(options: RlOptions) -> dict[str, Any]:
    return {name: value for name, value in asdict(options).items() if name not in ("out", "check")}


Rows = list[dict[str, Any]]

_TEXTS, _FLAG, _NUMBER = pa.list_(pa.string()), pa.bool_(), pa.float64()
_RULES = {"choices": _TEXTS, "strict": _FLAG, "wrong": _NUMBER, "abstain": _NUMBER}


def _trl(options: RlOptions, rows: Rows, out: Path) -> str:
    types = {"prompt": MESSAGES, "images": IMAGES} | dict.fromkeys(("id", *COLUMNS), pa.string())
    stored = (row | {"images": training_files.stored(row["images"])} for row in rows)
    path = out / "data" / "train-00000-of-00001.parquet"
    training_files.write_parquet(path, types | {"scene_ids": _TEXTS} | _RULES, stored)
    return (
        f'GRPOTrainer(train_dataset=load_dataset("parquet", data_files="{path}", split="train"), '
        "reward_funcs=[vhbench.rewards.trl_reward], args=GRPOConfig(shuffle_dataset=False, …), …)"
    )


def _verl(options: RlOptions, rows: Rows, out: Path) -> str:
    info = ("id", "kind", "question", "pressure", "pair_id", *_RULES)
    fields = [pa.field(name, _RULES.get(name, pa.string())) for name in info]
    types = {
        "data_source": pa.string(),
        "prompt": pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())])),
        "images": IMAGES,
        "ability": pa.string(),
        "reward_model": pa.struct([("style", pa.string()), ("ground_truth", pa.string())]),
        "extra_info": pa.struct(fields),
    }
    stored = (
        {
            "data_source": f"vhbench/{row['benchmark']}",
            "prompt": [{"role": "user", "content": _flat(row)}],
            "images": training_files.stored(row["images"]),
            "ability": row["task"],
            "reward_model": {"style": "rule", "ground_truth": row["answer"]},
            "extra_info": {name: row[name] for name in info},
        }
        for row in rows
    )
    training_files.write_parquet(out / "train.parquet", types, stored)
    return (
        f"data.train_files={out / 'train.parquet'} data.image_key=images data.shuffle=False "
        f"custom_reward_function.path={rewards.__file__} custom_reward_function.name=compute_score"
    )


def _swift(options: RlOptions, rows: Rows, out: Path) -> str:
    names = training_files.write_images(out, (image for row in rows for image in row["images"]))
    lines = []
    for row in rows:
        columns = {name: value for name, value in row.items() if name != "prompt"}
        columns["messages"] = [{"role": "user", "content": _flat(row)}]
        columns["images"] = [str((out / names[image]).resolve()) for image in row["images"]]
        lines.append(canonical(columns) + b"\n")
    write_atomic(out / "train.jsonl", b"".join(lines))
    write_atomic(out / "vhbench_plugin.py", _template("swift_plugin").encode())
    return (
        f"swift rlhf --rlhf_type grpo --dataset {out / 'train.jsonl'} --external_plugins "
        f"{out / 'vhbench_plugin.py'} --reward_funcs vhbench --dataset_shuffle false "
        "--train_dataloader_shuffle false --remove_unused_columns false"
    )


_TYPES = {"wrong": "float | None", "abstain": "float | None", "benchmark": "tuple[str, ...]"}


def _verifiers(options: RlOptions, rows: Rows, out: Path) -> str:
    """Write a taskset that samples its questions itself; the settings are the defaults of its options."""
    settings = "\n".join(
        f"    {name}: {_TYPES.get(name, type(value).__name__)} = {value!r}"
        for name, value in _settings(options).items()
        if name not in ("to", "number", "test", "share_concepts")
    )
    write_atomic(out / "vhbench_rl.py", _template("verifiers_taskset", settings=settings).encode())
    return (
        f"PYTHONPATH={out} vf-eval vhbench_rl -m MODEL -n {options.number} --env.agent.harness.id null "
        "--env.agent.runtime.type subprocess"
    )


def _template(name: str, **values: str) -> str:
    text = Path(__file__).with_name(f"{name}.jinja").read_text(encoding="utf-8")
    return str(Template(text, keep_trailing_newline=True).render(**values))


def _flat(row: Mapping[str, Any]) -> str:
    """Return a prompt with a mark where each image stands; the text has none, which would shift the images."""
    parts = row["prompt"][0]["content"]
    if any(_MARK in part["text"] for part in parts):
        raise VhbenchError(f"question {row['id']}: contains {_MARK}, which marks images")
    return "".join(_MARK if part["type"] == "image" else part["text"] for part in parts)


_TARGETS: Mapping[str, Callable[[RlOptions, Rows, Path], str]] = {
    "trl": _trl,
    "verl": _verl,
    "swift": _swift,
    "verifiers": _verifiers,
}
"""Trainer → writer of its files, which returns their use in the trainer."""
