"""Rows of other harnesses' logs, with the names that vhbench reads: id, response, and the prompt that was sent."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from vhbench.provenance import sent_messages
from vhbench.schema import VhbenchError

Row = Mapping[str, Any]

SENT = "sent"  # key of :class:`Sent` in a row of a log


class Sent(NamedTuple):
    """What a harness's log reports about the request of a response."""

    prompt: str | None = None  # as of :func:`vhbench.provenance.sent_messages`; "" if not lmms-eval's, None if unknown
    images: tuple[str, ...] = ()  # files of the images in their order, if the log names them
    dataset: str = ""  # names of the questions' data set
    failed: bool = False  # whether the request has no response; another line may have it


def inspect_log(file: Path) -> Iterator[Row]:
    """Yield the rows of an Inspect log (``.eval``); raise if Inspect is not installed."""
    try:
        log = import_module("inspect_ai.log")  # optional, and no dependency of ours
    except ImportError:
        raise VhbenchError(
            f"{file.name}: expected Inspect to read its log (pip install inspect-ai), or its JSON form: inspect log "
            f"convert {file.name} --to json --output-dir json"
        ) from None
    yield log.read_eval_log(str(file)).model_dump(mode="json")


def _repetition(name: Any, number: int, response: Any, **more: Any) -> Row:
    return {"id": name if number == 1 else f"{number}#{name}", "response": response, **more}


def of_batch(row: Row) -> Iterator[Row]:
    """Yield the responses of a line of batch output, of chat completions or of ``/v1/responses``; "" if it failed."""
    answer = row.get("response") or {}
    body = (answer.get("body") or {}) if answer.get("status_code", 200) == 200 else {}
    choices = body.get("choices")
    if "output" in body:
        parts = [part for item in body["output"] if item.get("type") == "message" for part in item["content"]]
        message = {"content": "".join(str(part.get("text") or part.get("refusal") or "") for part in parts)}
        choices = [{"message": message, "finish_reason": (body.get("incomplete_details") or {}).get("reason")}]
    usage = body.get("usage") if len(choices or ()) == 1 else None  # else of all choices
    sent = Sent(failed=not choices)
    for number, choice in enumerate(choices or [{}], start=1):
        message, name = choice.get("message") or {}, row["custom_id"]
        ending = {"finish_reason": choice.get("finish_reason"), "usage": usage}
        yield _repetition(
            name, number, _text(message.get("content") or message.get("refusal") or ""), **ending, **{SENT: sent}
        )


def of_inspect(log: Row) -> Iterator[Row]:
    """Yield the responses of a log by question and epoch; "" for a sample that failed."""
    system = ((log.get("plan") or {}).get("config") or {}).get("system_message")
    before = [{"role": "system", "content": system}] if system else []
    run = log["eval"]
    dataset = " ".join(str(name) for name in (run.get("task"), (run.get("dataset") or {}).get("name")))
    for sample in sorted(log["samples"] or (), key=lambda sample: (str(sample["id"]), sample["epoch"])):
        name, prompt, output = sample["id"], sample["input"], sample.get("output") or {}
        first = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        # What was sent for the last response: solvers change the messages, not the input.
        turns = sample.get("messages") or first
        messages = turns[:-1] if turns[-1]["role"] == "assistant" else turns
        choices = output.get("choices") or [{}]
        response = "" if sample.get("error") else _text((choices[0].get("message") or {}).get("content") or "")
        ending = {"stop_reason": choices[0].get("stop_reason"), "usage": output.get("usage")}
        parts = [{**one, "content": _parts(one["content"])} for one in (*before, *messages)]
        images = tuple(str(part["image"]) for one in parts for part in one["content"] if "image" in part)
        sent = Sent(sent_messages(parts), images, dataset)
        yield _repetition(name, sample["epoch"], response, **ending, model=run["model"], **{SENT: sent})


def _parts(content: Any) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(content: Any) -> str:
    return "".join(str(part.get("text") or "") for part in _parts(content))


def of_lighteval(row: Row) -> Iterator[Row]:
    """Yield the responses of a row of details. lighteval sends all images after the text."""
    name = (row["doc"].get("specific") or {}).get("id")
    texts = row["model_response"]["text"]
    for number, text in enumerate([texts] if isinstance(texts, str) else texts, start=1):
        yield _repetition(name, number, text, **{SENT: Sent("")})


def of_vlmevalkit(row: Row) -> Iterator[Row]:
    """Yield the row; with the columns A and B, VLMEvalKit words the prompt itself."""
    sent = "" if {"A", "B"} <= row.keys() else row["question"]
    yield {**row, SENT: Sent(sent)}
