"""Where a number comes from: what each sample, each report and lmms-eval's own results say of the run that made them.

A run writes it, and whoever reads answers back checks it by the rules here: whether they are of one run (:func:`same`),
whether any is missing (:func:`missing`), and whether prompts and rows are those that were asked
(:func:`digest_of_prompts`, :func:`hash_of_row`). Nothing else than the run's folder is needed for it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from vhbench.columns import RECORD
from vhbench.files import convert, quote_value
from vhbench.json_rows import each_row
from vhbench.schema import VhbenchError

KEY = "provenance"
"""Where the provenance stands in a sample's payload and in a report."""

PROMPT = "prompt"
"""Where a sample's payload has the digest of its prompt."""

SHARE = "score"
"""Where a payload has the share of right answers to its question, and a written sample the same beside its payloads:
``lmms-eval --baseline`` looks for it there, and would otherwise compare the model's bare words with the answer."""

INPUT = "input"
"""Where a sample's payload has the digest of what lmms-eval logs as the input: of a chat model it is not the prompt."""

SETTINGS = {
    "prompt_form": "forms of the prompts",
    "prompts": "prompts",
    "generation": "generation settings",
    "vhbench": "versions of vhbench",
    "lmms_eval": "versions of lmms-eval",
}
"""What a sample tells of how it was asked → what it is called."""

ALIKE = ("prompt_form", "generation")
"""What is to be the same in all tasks of one run, or their scores do not belong together."""

_SECRET = re.compile(
    r"(?i)((?:^|,)\s*[\w.-]*(?:(?:secret|passw|passphrase|credential|authorization|access_?key)[\w.-]*"
    r"|(?:(?:api|\b|[_.-])keys?|token|bearer|pwd|auth))=)[^,]*"
)
"""An argument that nobody else may know, by its name: ``hf_token``, and not ``max_new_tokens`` or ``tokenizer``."""
_LOGIN = re.compile(r"//[^/@\s,]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """Where the rows came from.

    Attributes:
        kind: "hub" for a pinned release, "folder" for a split on this machine, "starter" for the one built from drawn
            scenes.
        repo_id: of the Hub.
        revision: the pinned commit.
        tag: the version's name there.
        folder: what VHBENCH_DATA named.
    """

    kind: Literal["hub", "folder", "starter"]
    repo_id: str = ""
    revision: str = ""
    tag: str = ""
    folder: str = ""

    def __str__(self) -> str:
        """Return it in words.

        >>> str(DataSource(kind="hub", repo_id="org/ode", revision="0123456789abcdef", tag="v1.0.0"))
        'the Hub (org/ode at v1.0.0)'
        """
        if self.kind == "hub":
            return f"the Hub ({self.repo_id} at {self.tag or self.revision[:12]})"
        return {"folder": "VHBENCH_DATA", "starter": "the starter split"}[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the answers to a task come from.

    Attributes:
        task: of lmms-eval.
        benchmark: whose questions were asked.
        version: of the benchmark, MAJOR.MINOR.PATCH.
        content_hash: of the split, see :class:`vhbench.schema.Manifest`.
        data: where the split came from.
        vhbench: version of this package.
        lmms_eval: version of lmms-eval.
        model: its class in lmms-eval, as ``--model`` names it.
        model_args: as ``--model_args`` gives them, without keys and passwords.
        prompt_form: "chat" where the model was sent messages, "simple" where it was sent images and one text.
        prompts: :func:`digest_of_prompts` of all questions that were asked.
        generation: the settings that the model was given, ``--gen_kwargs`` included.
        repeats: how often each question was asked.
        asked: number of questions that were asked.
        of: number of questions that the task has.
    """

    task: str
    benchmark: str
    version: str
    content_hash: str
    data: DataSource
    vhbench: str
    lmms_eval: str
    model: str = ""
    model_args: str = ""
    prompt_form: Literal["chat", "simple"] = "simple"
    prompts: str = ""
    generation: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1
    asked: int = 0
    of: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return it as it is written; what does not apply is left out of ``data``."""
        found = asdict(self)
        found["data"] = {name: value for name, value in found["data"].items() if value}
        return found


def from_json(value: Any, place: str) -> Provenance | None:
    """Read what :meth:`Provenance.to_json` wrote; None where nothing is said, as before this was written.

    Raises:
        VhbenchError: if it is of another form.
    """
    if value is None:
        return None
    found: Provenance = convert(value, Provenance, f"{place}: {KEY}")
    return found


def one_of(values: Iterable[Any], place: str) -> Provenance | None:
    """Return the one provenance that all samples of a task have; None where none has any. Raises as :func:`same`."""
    told = list(values)
    for number, value in enumerate(told, start=1):
        same(told[0], value, f"{place}, sample {number}")
    return from_json(told[0], place) if told else None


def same(first: Any, other: Any, place: str) -> None:
    """Raise if two samples of a task have not the same provenance, as it is written.

    Raises:
        VhbenchError: samples of several runs were put together, or somebody wrote into one.
    """
    if first != other:
        raise VhbenchError(f"{place}: is of another run than the first sample ({difference(first, other)})")


def difference(first: Any, other: Any) -> str:
    """Say which entries differ."""
    if not isinstance(first, Mapping) or not isinstance(other, Mapping):
        return "one of the two says nothing of where it comes from"
    names = sorted(name for name in {*first, *other} if first.get(name) != other.get(name))
    return "; ".join(f"{name}: {first.get(name)!r} and {other.get(name)!r}" for name in names)


def unlike(told: Sequence[Provenance], settings: Iterable[str] = ALIKE) -> Iterator[str]:
    """Say which settings are not the same in all tasks of a run, a line for each.

    >>> about = {"benchmark": "ode", "version": "1.0.0", "content_hash": "", "data": DataSource(kind="starter")}
    >>> about |= {"vhbench": "0.1.0", "lmms_eval": "0.7.3"}
    >>> asked = {"ode_a": 16, "ode_b": 4096, "ode_c": 4096}
    >>> list(unlike([Provenance(task=t, generation={"max_new_tokens": n}, **about) for t, n in asked.items()]))
    ['generation settings differ between tasks: max_new_tokens is 16 in ode_a, 4096 in ode_b and 1 more']
    """
    for name in settings:
        values = {one.task: getattr(one, name) for one in told}
        parts = {task: value if isinstance(value, Mapping) else {"": value} for task, value in values.items()}
        for key in sorted({key for part in parts.values() for key in part}):
            tasks: dict[str, list[str]] = {}
            for task, part in parts.items():
                tasks.setdefault(quote_value(part[key]) if key in part else "not told", []).append(task)
            if len(tasks) > 1:
                where = (f"{value} in {_first_of(own)}" for value, own in tasks.items())
                yield f"{SETTINGS[name]} differ between tasks: {f'{key} is ' if key else ''}{', '.join(where)}"


def _first_of(tasks: Sequence[str]) -> str:
    return tasks[0] if len(tasks) == 1 else f"{tasks[0]} and {len(tasks) - 1} more"


def missing(answered: int, asked: int, of: int) -> str | None:
    """Say how many questions have an answer where some have none; None where all have one.

    >>> missing(60, 60, 60)
    >>> missing(20, 20, 60), missing(18, 60, 60)
    ('partial: 20 of 60 questions were asked', 'partial: 18 of 60 questions have an answer')
    >>> missing(18, 20, 60)
    'partial: 20 of 60 questions were asked, and 18 of them have an answer'
    """
    if answered >= of:
        return None
    if asked >= of:
        return f"partial: {answered:,} of {of:,} questions have an answer"
    lost = f", and {answered:,} of them have an answer" if answered < asked else ""
    return f"partial: {asked:,} of {of:,} questions were asked{lost}"


def sent_text(images: int, text: str) -> str:
    r"""Return what a model of the simple kind is sent, images and a text, as text.

    >>> sent_text(2, "Which?")
    '[image]\n[image]\nWhich?'
    """
    return "[image]\n" * images + text


def sent_messages(messages: Iterable[Mapping[str, Any]]) -> str:
    r"""Return what a chat model is sent as text.

    >>> sent_messages([{"role": "user", "content": [{"type": "image", "url": ""}, {"type": "text", "text": "Which?"}]}])
    'user:\n[image]\nWhich?'
    """
    lines = []
    for message in messages:
        lines += [f"{message['role']}:", *(part.get("text", f"[{part['type']}]") for part in message["content"])]
    return "\n".join(lines)


def digest(text: str) -> str:
    """Return the digest of one prompt: 16 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()[:16]


def digest_of_prompts(prompts: Mapping[str, str]) -> str:
    """Return one digest over question id → digest of its prompt, in any order.

    >>> digest_of_prompts({"a": "0", "b": "1"}) == digest_of_prompts({"b": "1", "a": "0"})
    True
    """
    lines = "".join(f"{name}\t{prompts[name]}\n" for name in sorted(prompts))
    return sha256(lines.encode()).hexdigest()


def hashed_row(row: Mapping[str, Any], content_hash: str) -> dict[str, Any]:
    """Return what lmms-eval's ``doc_hash`` is taken over: a row's columns without its images, and the split's hash."""
    return {"content_hash": content_hash} | {
        name: list(value) if isinstance(value := row[name], Sequence) and not isinstance(value, str) else value
        for name in RECORD
    }


def hash_of_row(row: Mapping[str, Any], content_hash: str) -> str:
    """Return lmms-eval's ``doc_hash`` of a row."""
    return sha256(json.dumps(hashed_row(row, content_hash), indent=2, ensure_ascii=False).encode()).hexdigest()


def told_arguments(given: Any) -> str:
    """Return a model's arguments as text, without what is secret.

    >>> told_arguments("pretrained=org/x,api_key=abc,base_url=http://me:pass@host/v1"), told_arguments({"a": 1})
    ('pretrained=org/x,api_key=***,base_url=http://***@host/v1', 'a=1')
    >>> told_arguments("tokenizer=org/y,max_new_tokens=16,hf_token=abc")
    'tokenizer=org/y,max_new_tokens=16,hf_token=***'
    """
    text = ",".join(f"{k}={v}" for k, v in given.items()) if isinstance(given, Mapping) else str(given or "")
    return _LOGIN.sub("//***@", _SECRET.sub(r"\1***", text))


def provenance_in(samples: Path) -> Provenance | None:
    """Return where the first sample of a file says that it comes from; None where it says nothing that can be read."""
    with suppress(VhbenchError, StopIteration, AttributeError):
        sample = next(each_row(samples))
        payloads = (value for value in sample.values() if isinstance(value, dict))
        return next(from_json(payload[KEY], str(samples)) for payload in payloads if KEY in payload)
    return None
