"""LLM judge for responses that the parser cannot resolve, and for caption assertions.

The judge never grades correctness: it receives neither images nor reference answers. It only maps a response to one of
the possible answers (VLMEvalKit's fallback), or lists a caption's assertions in the caption's own words, which are then
searched for the vocabulary (the idea of ALOHa and OpenCHAIR). Its replies are parsed strictly, "unknown" and an empty
list among them; any other reply is a failure and not cached. Since responses may contain prompt injections, they are
passed as JSON and declared as data.
"""

import json
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vhbench.adapters.language_models import Endpoint, LanguageModel, ask_once, model_of
from vhbench.files import parse_yaml, quote_value
from vhbench.language import parsing
from vhbench.schema import Record, VhbenchError

PROMPT_VERSION = 2
"""Version of the prompts and of the reading of replies; any change may affect scores that involve a judge."""

_MAX_NEW_TOKENS = 2048  # room for reasoning models; the replies themselves are short
GIVE_UP = 8  # consecutive failed requests after which the judge is no longer queried
_LONGEST = 4_000  # number of characters kept from each end of a response

_PROMPTS: Mapping[str, str] = parse_yaml(
    Path(__file__).with_name("judge_prompts.yaml").read_text(encoding="utf-8"), "judge_prompts.yaml"
)
"""Kind of question → prompt, and the warning that they share."""

_FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)


@dataclass(slots=True)
class LanguageJudge:
    """Judge for unparsed responses, with usage counts."""

    model: LanguageModel  # language model, queried at temperature 0
    folder: Path | None  # cache folder for replies; None for the user's cache
    workers: int = 8
    asked: int = 0  # number of responses submitted
    read: int = 0  # number of responses resolved
    failed: int = 0  # number of responses without a readable reply
    problem: str = ""  # first failure reason
    _in_a_row: int = field(default=0, repr=False)

    def replies(self, records: Sequence[Record]) -> list[str]:
        """Return, per record, "yes", "no", a letter, or the assertions of a caption.

        Unresolved or failed records yield "".
        """
        if not records:
            return []
        with ThreadPoolExecutor(max(1, self.workers)) as pool:
            raw = list(pool.map(self._reply, records))
        readings = [_read(record, reply or "") or "" for record, reply in zip(records, raw, strict=True)]
        self.asked += len(records)
        self.failed += raw.count(None)
        self.read += sum(map(bool, readings))
        return readings

    def summary(self, answers: int) -> dict[str, Any]:
        """Return the judge's summary for results: model, prompt version and usage."""
        return {
            "model": self.model.name,
            "prompt_version": PROMPT_VERSION,
            "asked": self.asked,
            "share": self.asked / answers if answers else None,
            "read": self.read,
            "unknown": self.asked - self.read - self.failed,
            "failed": self.failed,
            "problem": self.problem,
        }

    def _reply(self, record: Record) -> str | None:
        """Query one record; None if the request or its reply is unusable, or too many were."""
        text = prompt(record)
        key = [self.model.name, self.model.url, PROMPT_VERSION, _MAX_NEW_TOKENS, text]
        try:
            return ask_once("judgements", key, lambda: self._ask(record, text), self.folder)
        except VhbenchError as error:
            self._in_a_row += 1
            self.problem = self.problem or str(error)
            return None

    def _ask(self, record: Record, text: str) -> str:
        if self._in_a_row >= GIVE_UP:
            raise VhbenchError(self.problem)
        reply = self.model.ask(text)
        if _read(record, reply) is None:
            raise VhbenchError(f"judge {self.model.name}: unreadable reply {quote_value(reply)}")
        self._in_a_row = 0
        return reply


def load_judge(spec: str, url: str = "", *, workers: int = 8, cache: Path | None = None) -> LanguageJudge:
    """Return the judge ``openai:MODEL@URL``, ``transformers:NAME``, or MODEL with an endpoint's URL; raise for others.

    A local model is queried by one worker.
    """
    whole = f"openai:{spec.removeprefix('openai:')}@{url}" if url else spec
    model = model_of(whole, max_new_tokens=_MAX_NEW_TOKENS, what="judge")
    if model is None or (url and spec.startswith("transformers:")):
        raise VhbenchError(
            "judge: expected openai:MODEL@URL (http…), transformers:NAME, or MODEL with --judge-url URL, "
            f"got {spec!r}{f' at {url!r}' if url else ''}"
        )
    return LanguageJudge(model, cache, workers if isinstance(model, Endpoint) else 1)


def prompt(record: Record) -> str:
    """Return the judge prompt for a record, without the reference answer.

    >>> "yes" in prompt(Record("q", kind="multiple_choice", choices=("cat", "dog"), answer="B", response="The latter."))
    False
    """
    text = record.response
    response = text if len(text) <= 2 * _LONGEST else f"{text[:_LONGEST]} […] {text[-_LONGEST:]}"
    data: dict[str, Any] = {"question": record.question, "answer": response}
    letters = ""
    if record.kind == "caption":
        data = {"caption": response}
    elif record.kind == "multiple_choice":
        options = dict(zip(string.ascii_uppercase, record.choices, strict=False))
        data = {"question": record.question, "options": options, "answer": response}
        letters = ", ".join(options)
    template = _PROMPTS[record.kind].replace("{warning}", _PROMPTS["warning"]).replace("{letters}", letters)
    return template.replace("{data}", json.dumps(data, ensure_ascii=False, indent=1))


def _read(record: Record, reply: str) -> str | None:
    """Parse a reply strictly as the requested word or list; "" for unknown, None for anything else."""
    reply = parsing.after_thoughts(reply)
    if record.kind == "caption":
        things = _listed(reply)
        return None if things is None else ". ".join(_asserted(record.response, things))
    word = reply.strip(" \n\t.\"'`*()").lower()
    answers = ("yes", "no") if record.kind == "yes_no" else tuple(string.ascii_lowercase[: len(record.choices)])
    if word == "unknown":
        return ""
    return None if word not in answers else word if record.kind == "yes_no" else word.upper()


def _listed(reply: str) -> list[str] | None:
    """Return a JSON list of strings; None for anything else."""
    fenced = _FENCE.match(reply)
    try:
        things = json.loads(fenced[1] if fenced else reply)
    except (ValueError, RecursionError):
        return None
    return things if isinstance(things, list) and all(isinstance(thing, str) for thing in things) else None


def _asserted(caption: str, things: Sequence[str]) -> Iterator[str]:
    """Yield the listed objects that occur verbatim in the caption; a judge cannot add any."""
    text = f" {_words(caption)} "
    for thing in things:
        if (words := _words(thing)) and f" {words} " in text:
            yield words


def _words(text: str) -> str:
    return " ".join(re.findall(r"[\w'’-]+", text.lower()))
