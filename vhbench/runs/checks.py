"""Checks that the samples of a task are complete, from one run, and unedited.

They use the samples alone. A file rewritten with consistent hashes is only detected with the split.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import vhbench
from vhbench import provenance
from vhbench.adapters.harness_logs import SENT
from vhbench.benchmarks import BENCHMARKS
from vhbench.columns import RECORD
from vhbench.files import quote_value
from vhbench.provenance import INPUT, KEY, PROMPT, SHARE, Provenance
from vhbench.records import ANSWERED, answered, split_repetition, target_of, to_record
from vhbench.schema import Manifest, Record, VhbenchError
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import metrics_of

Sample = Mapping[str, Any]


@dataclass(slots=True)
class SamplesCheck:
    """Check state while the samples of a file are read."""

    file: Path
    provenance: Provenance | None = None  # provenance of its responses; None if it has none
    answered: int = 0
    edited: int = 0  # number of inconsistent samples
    first: str = ""  # inconsistency of the first of them, with its line
    _first_origin: Any = None
    _prompts: dict[str, str] = field(default_factory=dict)

    def see(self, sample: Sample, payload: Mapping[str, Any], location: str) -> None:
        """Check a sample and its record, which must be from the same run as the first."""
        origin = payload.get(KEY)
        if not self.answered:
            self._first_origin, self.provenance = origin, provenance.from_json(origin, location)
        provenance.same(self._first_origin, origin, location)
        self.answered += 1
        if self.provenance is None:
            return
        self._prompts[str(payload["id"])] = str(payload.get(PROMPT, ""))
        if fault := next(faults(sample, payload, self.provenance), None):
            self.edited += 1
            self.first = self.first or f"{location}: {fault}"

    @property
    def missing(self) -> int:
        """Number of questions of the task without a response, if known."""
        return 0 if self.provenance is None else max(0, self.provenance.of - self.answered)

    def notes(self) -> Iterator[str]:
        """Yield warnings about the scores of these responses, one line each."""
        origin = self.provenance
        if origin is None:
            return
        if lost := provenance.missing(self.answered, origin.asked, origin.of):
            yield f"{origin.task}: partial: {lost}"
        if self.edited:
            count = f"{self.edited:,} of {self.answered:,} samples"
            yield f"{origin.task}: {count} are inconsistent (edited, or of other metrics); {self.first}"
        elif len(self._prompts) == origin.asked and provenance.digest_of_prompts(self._prompts) != origin.prompts:
            yield f"{origin.task}: its prompts or questions differ from those of the run ({self.file})"


def faults(sample: Sample, payload: Mapping[str, Any], origin: Provenance) -> Iterator[str]:
    """Yield inconsistencies of a sample: question, prompt, response, prediction, scores."""
    record = to_record(payload)
    columns = {name: getattr(record, name) for name in RECORD}
    if absent := [name for name in ("doc_id", "doc_hash", "target", "input") if name not in sample]:
        yield f"expected the fields {' and '.join(absent)}, which lmms-eval writes"
    if not {"resps", "filtered_resps"} & sample.keys():
        yield "expected the field resps, the model's responses"
    if "doc_hash" in sample and sample["doc_hash"] != provenance.hash_of_row(columns, origin.content_hash):
        yield f"question {quote_value(record.id)} differs from its doc_hash{_version(origin)}"
    if sample.get("target", target_of(columns)) != target_of(columns):
        yield f"expected target {quote_value(target_of(columns))}, got {quote_value(sample['target'])}"
    prompt = provenance.sent_text(len(record.scene_ids), str(sample.get("input", "")))
    if origin.prompt_form == "simple" and "input" in sample and provenance.digest(prompt) != payload.get(PROMPT):
        yield "its input differs from the logged prompt hash"
    elif "input" in sample and provenance.digest(str(sample["input"])) != payload.get(INPUT):
        yield "its input differs from the prompt of its question"
    entries = [payload, *payload.get("repeats", ())]
    if len(entries) != origin.repeats:
        yield f"expected {origin.repeats} responses, got {len(entries)}"
    responses = [str(entry.get("response", "")) for entry in entries]
    for name in ("resps", "filtered_resps"):
        logged = _texts(sample.get(name))
        if logged and logged != responses and [text.strip() for text in logged] != responses:
            odd = next(
                (pair for pair in zip(responses, logged, strict=False) if pair[0] != pair[1].strip()),
                (responses[0], logged[-1]),
            )
            yield f"expected response {quote_value(odd[1])} as logged by lmms-eval, got {quote_value(odd[0])}"
    tokens = [entry.get("tokens", 0) for entry in entries]
    if (counts := _token_counts(sample)) and counts != tokens:
        yield f"expected {counts} tokens as logged by lmms-eval, got {tokens}"
    limit, right = origin.generation.get("max_new_tokens"), []
    for entry, text, count in zip(entries, responses, tokens, strict=True):
        read = answered(columns, text, count, limit if isinstance(limit, int) else None)
        right.append(read.prediction == record.answer)
        for name in ANSWERED:
            value = getattr(read, name)
            if entry.get(name, type(value)()) != value:
                was, reread = quote_value(entry.get(name)), quote_value(value)
                yield f"its {name} is {was}, but its response is parsed as {reread}{_version(origin)}"
    share = sum(right) / len(right)
    for scores, name, value in ((payload, SHARE, share), (payload, "accuracy", 100 * share), (sample, SHARE, share)):
        if scores.get(name, value) != value:
            yield f"expected {name} {value:g} from its responses, got {quote_value(scores[name])}{_version(origin)}"
    if lost := [metric.name for metric in _metrics(record) if not isinstance(sample.get(metric.name), Mapping)]:
        yield f"expected the metric {lost[0]} of the task{_version(origin)}"
    for metric, other in sample.items():
        if isinstance(other, Mapping) and other is not payload and other.get("id") is not None:
            for name in other:
                if other[name] != payload.get(name):
                    value, expected = quote_value(other[name]), quote_value(payload.get(name))
                    yield f"expected {name} {expected} of the record in {metric}, got {value}"


def _texts(logged: Any) -> list[str]:
    """Return the responses in lmms-eval's nested lists; empty if one is not a text.

    >>> _texts([["yes"], ["no"]]), _texts("yes"), _texts([None])
    (['yes', 'no'], ['yes'], [])
    """
    texts = [logged]
    while any(isinstance(text, list) for text in texts):
        texts = [each for text in texts for each in (text if isinstance(text, list) else [text])]
    return [] if any(not isinstance(text, str) or text == "None" for text in texts) else texts


def _token_counts(sample: Sample) -> list[int]:
    """Return the number of generated tokens of each response in lmms-eval's sample, 0 if unknown; empty without."""
    logged: Any = sample.get("token_counts")
    counts: list[Any] = []
    if isinstance(logged, list):
        counts = [one.get("output_tokens", 0) if isinstance(one, Mapping) else None for one in logged]
    return counts if all(type(count) is int for count in counts) else []


def _metrics(record: Record) -> Sequence[Metric]:
    """Return the metrics of a record's task."""
    owner = BENCHMARKS.get(record.benchmark)
    if owner is None or record.kind not in owner.families:
        return []
    metrics, variant = metrics_of(owner.families[record.kind].name), split_repetition(record.id).variant[0]
    return [metric for metric in metrics if metric.listed and metric.variants in ("", variant)]


def _version(origin: Provenance) -> str:
    """Return a remark if another version of vhbench wrote the sample and may have parsed it differently."""
    return "" if origin.vhbench == vhbench.__version__ else f" (written by vhbench {origin.vhbench})"


def check_same_split(origin: Provenance | None, split: Path, manifest: Manifest) -> None:
    """Check that responses belong to the split that scores them; raise VhbenchError if they belong to another split."""
    if origin is None or origin.benchmark != manifest.benchmark or origin.content_hash == manifest.content_hash:
        return
    raise VhbenchError(
        f"expected responses to {manifest.version} with content hash {manifest.content_hash[:12]}… ({split}); those of "
        f"{origin.task} belong to another split, {origin.benchmark} {origin.version} with {origin.content_hash[:12]}…; "
        "give the evaluated split (--questions; for analyses --split)"
    )


def is_failed(row: Any) -> bool:
    """Return whether a row of a log is of a request without a response, which another line may repeat."""
    return isinstance(row, Mapping) and SENT in row and bool(row[SENT].failed)


def failed_last(rows: Iterable[tuple[str, str, Any]]) -> Iterator[tuple[str, str, Any]]:
    """Yield rows of task, place and row; those of failed requests last, and once."""
    failed: dict[str, tuple[str, str, Any]] = {}
    for entry in rows:
        if is_failed(entry[-1]):
            failed.setdefault(str(entry[-1].get("id")), entry)
        else:
            yield entry
    yield from failed.values()
