"""Provenance of samples, reports and lmms-eval results: the run that produced them.

A run writes it, and readers check it: whether samples are of one run (:func:`same`), whether any is missing
(:func:`missing`), and whether prompts and rows match the split (:func:`digest_of_prompts`, :func:`hash_of_row`). Only
the run's folder is needed for it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from vhbench import benchmarks
from vhbench.columns import RECORD
from vhbench.files import convert, quote_value
from vhbench.json_rows import each_row
from vhbench.schema import VhbenchError

KEY = "provenance"  # key of the provenance in a sample's payload and in a report
PROMPT = "prompt"  # key of the prompt hash in a sample's payload
# Key of a question's share of correct answers, in payloads and next to them. ``lmms-eval --baseline`` reads the latter,
# and would otherwise compare the raw response with the answer.
SHARE = "score"
INPUT = "input"  # key of the hash of lmms-eval's logged input, which is not a chat model's prompt

# prompt setting in a sample → its name
SETTINGS = {
    "prompt_form": "forms of the prompts",
    "prompts": "prompts",
    "generation": "generation settings",
    "vhbench": "versions of vhbench",
    "lmms_eval": "versions of lmms-eval",
}

# settings that must be identical in all tasks of a run for their scores to be comparable
ALIKE = ("prompt_form", "generation")

# arguments with secrets: ``hf_token``, but not ``max_new_tokens`` or ``tokenizer``
_SECRET = re.compile(
    r"(?i)((?:^|,)\s*[\w.-]*(?:(?:secret|passw|passphrase|credential|authorization|access_?key)[\w.-]*"
    r"|(?:(?:api|\b|[_.-])keys?|token|bearer|pwd|auth))=)[^,]*"
)
_LOGIN = re.compile(r"//[^/@\s,]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """Source of the rows."""

    # "hub" for a release, "folder" for a local split, "starter" for the synthetic starter split
    kind: Literal["hub", "folder", "starter"]
    release: str = ""  # citable name of the release, ``hf://ORG/NAME@v1.0.0#sha256:…``
    revision: str = ""  # its commit
    folder: str = ""  # value of VHBENCH_DATA

    def __str__(self) -> str:
        """Return a description.

        >>> str(DataSource(kind="hub", release="hf://org/ode@v1.0.0#sha256:01"))
        'the Hub (hf://org/ode@v1.0.0#sha256:01)'
        """
        if self.kind == "hub":
            return f"the Hub ({self.release})"
        return {"folder": "VHBENCH_DATA", "starter": "the starter split (too small to rank models)"}[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Provenance of the answers to a task of lmms-eval."""

    task: str
    benchmark: str
    version: str  # of the benchmark, MAJOR.MINOR.PATCH
    content_hash: str  # of the split, see :class:`vhbench.schema.Manifest`
    data: DataSource  # source of the split
    vhbench: str  # version of this package, likewise ``lmms_eval``
    lmms_eval: str
    model: str = ""  # its class in lmms-eval, as in ``--model``
    model_args: str = ""  # as in ``--model_args``, without keys and passwords
    prompt_form: Literal["chat", "simple"] = "simple"  # "chat" for messages, "simple" for images and one text
    prompts: str = ""  # :func:`digest_of_prompts` of all evaluated questions
    generation: Mapping[str, Any] = field(default_factory=dict)  # generation settings, ``--gen_kwargs`` included
    repeats: int = 1  # repetitions of each question
    asked: int = 0  # number of evaluated questions
    of: int = 0  # number of questions in the task

    def to_json(self) -> dict[str, Any]:
        """Return the written form; inapplicable fields of ``data`` are left out."""
        fields = asdict(self)
        fields["data"] = {name: value for name, value in fields["data"].items() if value}
        return fields


def from_json(value: Any, location: str) -> Provenance | None:
    """Parse the result of :meth:`Provenance.to_json`, None as in older files; raise VhbenchError for another format."""
    if value is None:
        return None
    provenance: Provenance = convert(value, Provenance, f"{location}: {KEY}")
    return provenance


def one_of(values: Iterable[Any], location: str) -> Provenance | None:
    """Return the common provenance of a task's samples, if any. Raises as :func:`same`."""
    records = list(values)
    for number, value in enumerate(records, start=1):
        same(records[0], value, f"{location}, sample {number}")
    return from_json(records[0], location) if records else None


def same(first: Any, other: Any, location: str) -> None:
    """Raise if two samples of a task have different written provenance: of several runs, or edited."""
    if first != other:
        raise VhbenchError(f"{location}: is of another run than the first sample ({difference(first, other)})")


def difference(first: Any, other: Any) -> str:
    """Return which entries differ."""
    if not isinstance(first, Mapping) or not isinstance(other, Mapping):
        return "one of the two has no provenance"
    names = sorted(name for name in {*first, *other} if first.get(name) != other.get(name))
    return "; ".join(f"{name}: {first.get(name)!r} and {other.get(name)!r}" for name in names)


def unlike(records: Sequence[Provenance], settings: Iterable[str] = ALIKE) -> Iterator[str]:
    """Yield a line for each setting that differs between the tasks of a run.

    A token limit that is part of a task, as CHAIR's 64 and 512, may differ from that of others.

    >>> about = {"benchmark": "ode", "version": "1.0.0", "content_hash": "", "data": DataSource(kind="starter")}
    >>> about |= {"vhbench": "0.1.0", "lmms_eval": "0.7.3"}
    >>> asked = {"ode_a": 16, "ode_b": 4096, "ode_c": 4096}
    >>> list(unlike([Provenance(task=t, generation={"max_new_tokens": n}, **about) for t, n in asked.items()]))
    ['generation settings differ between tasks: max_new_tokens is 16 in ode_a, 4096 in ode_b and 1 more']
    >>> asked = {"chair_64": 64, "chair_512": 512, "ode_a": 4096}
    >>> list(unlike([Provenance(task=t, generation={"max_new_tokens": n}, **about) for t, n in asked.items()]))
    []
    """
    for name in settings:
        values = {one.task: getattr(one, name) for one in records}
        parts = {task: value if isinstance(value, Mapping) else {"": value} for task, value in values.items()}
        for key in sorted({key for part in parts.values() for key in part}):
            setting_of = {t: quote_value(part[key]) if key in part else "not recorded" for t, part in parts.items()}
            if key == "max_new_tokens" and len(set(setting_of.values())) > 1:
                setting_of = {task: value for task, value in setting_of.items() if value != _own_limit(task)}
            tasks: dict[str, list[str]] = {}
            for task, value in setting_of.items():
                tasks.setdefault(value, []).append(task)
            if len(tasks) > 1:
                more = {value: f" and {len(own) - 1} more" if own[1:] else "" for value, own in tasks.items()}
                where = (f"{value} in {own[0]}{more[value]}" for value, own in tasks.items())
                yield f"{SETTINGS[name]} differ between tasks: {f'{key} is ' if key else ''}{', '.join(where)}"


def _own_limit(task: str) -> str:
    """Return the token limit that is part of a task; "" for none."""
    limit = benchmarks.task(task).max_new_tokens if benchmarks.of_task(task) else 0
    return quote_value(limit) if limit else ""


def missing(answered: int, evaluated: int, of: int) -> str | None:
    """Return a message with the number of answered questions if any is missing; else None.

    >>> missing(60, 60, 60)
    >>> missing(20, 20, 60), missing(18, 60, 60)
    ('20 of 60 questions were evaluated', '18 of 60 questions have an answer')
    >>> missing(18, 20, 60)
    '20 of 60 questions were evaluated, and 18 of them have an answer'
    """
    if answered >= of:
        return None
    if evaluated >= of:
        return f"{answered:,} of {of:,} questions have an answer"
    lost = f", and {answered:,} of them have an answer" if answered < evaluated else ""
    return f"{evaluated:,} of {of:,} questions were evaluated{lost}"


def sent_text(images: int, text: str) -> str:
    r"""Return a simple model's input, images and a text, as text.

    >>> sent_text(2, "Which?")
    '[image]\n[image]\nWhich?'
    """
    return "[image]\n" * images + text


def sent_messages(messages: Iterable[Mapping[str, Any]]) -> str:
    r"""Return a chat model's input as text.

    >>> sent_messages([{"role": "user", "content": [{"type": "image", "url": ""}, {"type": "text", "text": "Which?"}]}])
    'user:\n[image]\nWhich?'
    """
    lines = []
    for message in messages:
        lines += [f"{message['role']}:", *(part.get("text", f"[{part['type']}]") for part in message["content"])]
    return "\n".join(lines)


def digest(text: str) -> str:
    """Return the hash of one prompt: 16 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()[:16]


def digest_of_prompts(prompts: Mapping[str, str]) -> str:
    """Return one hash over question id → prompt hash, in any order.

    >>> digest_of_prompts({"a": "0", "b": "1"}) == digest_of_prompts({"b": "1", "a": "0"})
    True
    """
    lines = "".join(f"{name}\t{prompts[name]}\n" for name in sorted(prompts))
    return sha256(lines.encode()).hexdigest()


def hashed_row(row: Mapping[str, Any], content_hash: str) -> dict[str, Any]:
    """Return the content of lmms-eval's ``doc_hash``: a row without images, the split's hash."""
    return {"content_hash": content_hash} | {
        name: list(value) if isinstance(value := row[name], Sequence) and not isinstance(value, str) else value
        for name in RECORD
    }


def hash_of_row(row: Mapping[str, Any], content_hash: str) -> str:
    """Return lmms-eval's ``doc_hash`` of a row."""
    return sha256(json.dumps(hashed_row(row, content_hash), indent=2, ensure_ascii=False).encode()).hexdigest()


def safe_arguments(args: Any) -> str:
    """Return a model's arguments as text, without secrets.

    >>> safe_arguments("pretrained=org/x,api_key=abc,base_url=http://me:pass@host/v1"), safe_arguments({"a": 1})
    ('pretrained=org/x,api_key=***,base_url=http://***@host/v1', 'a=1')
    >>> safe_arguments("tokenizer=org/y,max_new_tokens=16,hf_token=abc")
    'tokenizer=org/y,max_new_tokens=16,hf_token=***'
    """
    text = ",".join(f"{k}={v}" for k, v in args.items()) if isinstance(args, Mapping) else str(args or "")
    return _LOGIN.sub("//***@", _SECRET.sub(r"\1***", text))


def provenance_in(samples: Path) -> Provenance | None:
    """Return the provenance of a file's first sample; None if there is none."""
    with suppress(VhbenchError, StopIteration, AttributeError):
        sample = next(each_row(samples))
        payloads = (value for value in sample.values() if isinstance(value, dict))
        return next(from_json(payload[KEY], str(samples)) for payload in payloads if KEY in payload)
    return None
