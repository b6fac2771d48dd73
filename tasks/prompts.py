"""Functions of the YAML task files: from a row to a prompt, and from a response to a record.

A ``doc`` is one row of a split from ``datasets``: the columns of :class:`vhbench.schema.Question`, with lazily decoded
``images``.
"""

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from PIL import Image

from vhbench.benchmarks import benchmark
from vhbench.columns import RECORD
from vhbench.images import to_display_rgb
from vhbench.provenance import INPUT, KEY, PROMPT, sent_messages, sent_text
from vhbench.records import ANSWERED, answered, resampling_unit, split_repetition, target_of
from vhbench.schema import Record
from vhbench.tasks.metrics.metric import PAYLOAD
from vhbench.tasks.metrics.registry import listed
from vhbench.tasks.submission import is_label_hidden

Doc = Mapping[str, Any]

_POST_PROMPTS = {
    "caption": ("",),
    "yes_no": ("Please answer yes or no.", "Reply with a single word: yes or no.", "Is the answer yes or no?"),
    "multiple_choice": (
        "Answer with the option's letter from the given choices directly.",
        "Choose the correct option and reply with its letter only.",
        "Which option is correct? Give its letter.",
    ),
}
"""Kind of question → wordings of its answer instruction: the first is that of all tasks but the ``_wordings``."""


def to_visual(doc: Doc) -> list[Any]:
    """Return the images in RGB, in the order of their numbers in the question."""
    return [to_display_rgb(image) for image in doc["images"]]


def to_text(doc: Doc, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> str:
    """Return the prompt for models that take images and one text.

    The text announces several images, as such models do not mark their positions.
    """
    count = len(doc["scene_ids"])
    announced = f"You see {count} images, numbered Image 1 to Image {count} in this order.\n" if count > 1 else ""
    return announced + _question(doc, lmms_eval_specific_kwargs)


def to_messages(doc: Doc, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the prompt for chat models: "Image 1:", the image, "Image 2:" …, then the question."""
    images = to_visual(doc)
    content: list[dict[str, Any]] = []
    for number, image in enumerate(images, start=1):
        if len(images) > 1:
            content.append({"type": "text", "text": f"Image {number}:"})
        content.append({"type": "image", "url": image})
    content.append({"type": "text", "text": _question(doc, lmms_eval_specific_kwargs)})
    return [{"role": "user", "content": content}]


def sent(doc: Doc, form: str) -> str:
    """Return the "chat" or "simple" prompt of a row as text, as hashed for provenance; its images are not decoded."""
    count = len(doc["scene_ids"])
    if form == "simple":
        return sent_text(count, to_text(doc))
    return sent_messages(to_messages({**doc, "images": [Image.new("RGB", (1, 1))] * count}))


to_target = target_of  # the reference answer that lmms-eval logs


def process_results(
    doc: Doc,
    results: Sequence[Any],
    provenance: Mapping[str, Any] | None = None,
    prompts: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | None = None,
    tokens: Callable[[], Mapping[str, Sequence[int]]] | None = None,
    limit: int | None = None,
) -> dict[str, dict[str, Any]]:
    """Score the responses to one row: the record under its headline metric, inputs of the other metrics under theirs.

    The headline accuracy also has ``accuracy`` in percent, from which lmms-eval derives standard errors
    (``score_key``), and ``score``, the same as a fraction, for its ``--baseline``. Paired metrics have neither, as
    standard errors of single responses would be wrong for them.

    Args:
        doc: the row.
        results: the response, or all responses of ``lmms-eval --repeats``.
        provenance: provenance of the run, set by :mod:`vhbench.adapters.lmms_eval`.
        prompts: id → prompt hash of the rows of this run.
        inputs: id → digest of the input that lmms-eval logs, for the rows of this process.
        tokens: function that returns id → number of generated tokens of each response, 0 if unknown.
        limit: token limit of a response.
    """
    counts = tokens().get(doc["id"], ()) if tokens else ()
    if len(counts) != len(results):
        counts = [0] * len(results)  # of one repetition
    record, *further = records = [to_record(doc, *one, limit) for one in zip(results, counts, strict=True)]
    headline, *others = listed(
        benchmark(record.benchmark).families[record.kind].name, split_repetition(record.id).variant[0]
    )
    always = ("id", "prediction", "response")
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    whole = {name: value for name, value in values.items() if value not in ("", ()) or name in always}
    for name in ("cut_off", "tokens"):
        if not whole[name]:
            del whole[name]
    if further:
        whole["repeats"] = [{name: getattr(other, name) for name in ANSWERED} for other in further]
    unread = ("response",) if record.response and not (record.prediction or record.failure) else ()
    brief = {
        metric.name: {name: whole[name] for name in (*PAYLOAD, *metric.columns, *unread, "repeats") if name in whole}
        for metric in others
    }
    if headline.name == "accuracy" and not is_label_hidden(record):
        right = [float(other.prediction == other.answer) for other in records]
        share = sum(right) / len(right)
        whole |= {"score": share, "accuracy": 100 * share, "cluster": resampling_unit(record)}
    if provenance is not None:
        logged = {INPUT: inputs[record.id]} if inputs and record.id in inputs else {}
        whole |= {PROMPT: (prompts or {}).get(record.id, ""), **logged, KEY: provenance}
    return {headline.name: whole, **brief}


def to_record(doc: Doc, response: Any, tokens: int = 0, limit: int | None = None) -> Record:
    """Join a row with a response, and parse it (:func:`vhbench.records.answered`)."""
    row = {name: tuple(v) if isinstance(v := doc[name], list) else v for name in RECORD if name in doc}
    return answered(row, response, tokens, limit)


def _question(doc: Doc, kwargs: Mapping[str, Any] | None) -> str:
    kwargs = kwargs or {}
    lines = [str(doc["question"])]
    lines += [f"{letter}. {choice}" for letter, choice in zip(string.ascii_uppercase, doc["choices"], strict=False)]
    kind, number = split_repetition(doc["id"]).variant
    lines += [kwargs.get("post_prompt", _POST_PROMPTS[doc["kind"]][number - 1 if kind == "w" else 0])]
    return str(kwargs.get("pre_prompt", "")) + "\n".join(line for line in lines if line)
