"""Whether the samples of a task are all that were asked for, of one run, and as that run wrote them.

What is told here can be told from the samples alone. Who writes a file anew, hashes included, is found out by those who
have the split.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import vhbench
from vhbench import provenance
from vhbench.benchmarks import BENCHMARKS
from vhbench.columns import RECORD
from vhbench.files import quote_value
from vhbench.provenance import INPUT, KEY, PROMPT, SHARE, Provenance
from vhbench.records import ANSWERED, answered, target_of, to_record
from vhbench.schema import Manifest, Record, VhbenchError
from vhbench.tasks.metrics.metric import Metric
from vhbench.tasks.metrics.registry import metrics_of
from vhbench.terminal import escaped

Sample = Mapping[str, Any]


@dataclass(slots=True)
class SamplesCheck:
    """What is seen while the samples of a file are read.

    Attributes:
        file: that is read.
        provenance: where its answers come from; None where it does not say.
        answered: number of samples.
        edited: number of those that do not agree with themselves.
        first: what is wrong with the first of them, and where.
    """

    file: Path
    provenance: Provenance | None = None
    answered: int = 0
    edited: int = 0
    first: str = ""
    _told: Any = None
    _prompts: dict[str, str] = field(default_factory=dict)

    def see(self, sample: Sample, payload: Mapping[str, Any], place: str) -> None:
        """Look at a sample, and at the whole record in it.

        Raises:
            VhbenchError: if it is of another run than the first.
        """
        told = payload.get(KEY)
        if not self.answered:
            self._told, self.provenance = told, provenance.from_json(told, place)
        provenance.same(self._told, told, place)
        self.answered += 1
        if self.provenance is None:
            return
        self._prompts[str(payload["id"])] = str(payload.get(PROMPT, ""))
        if fault := next(faults(sample, payload, self.provenance), None):
            self.edited += 1
            self.first = self.first or f"{place}: {fault}"

    @property
    def missing(self) -> int:
        """Number of questions of the task that have no answer here, as far as is known."""
        return 0 if self.provenance is None else max(0, self.provenance.of - self.answered)

    def notes(self) -> Iterator[str]:
        """Yield what whoever reads a score of these answers should know first, each in a line, fit for a terminal."""
        return map(escaped, self._notes())

    def _notes(self) -> Iterator[str]:
        told = self.provenance
        if told is None:
            return
        if lost := provenance.missing(self.answered, told.asked, told.of):
            yield f"{told.task}: {lost}"
        if self.edited:
            count = f"{self.edited:,} of {self.answered:,} samples"
            yield f"{told.task}: {count} are not as they were written; {self.first}"
        elif len(self._prompts) == told.asked and provenance.digest_of_prompts(self._prompts) != told.prompts:
            yield f"{told.task}: its prompts, or the questions they are to, are not those of the run ({self.file})"


def faults(sample: Sample, payload: Mapping[str, Any], told: Provenance) -> Iterator[str]:
    """Yield what does not agree in a sample: question, prompt, response, what was read in it, and scores."""
    record = to_record(payload)
    columns = {name: getattr(record, name) for name in RECORD}
    if gone := [name for name in ("doc_id", "doc_hash", "target", "input") if name not in sample]:
        yield f"it has no {' and no '.join(gone)}, which lmms-eval writes"
    if not {"resps", "filtered_resps"} & sample.keys():
        yield "it has no resps, which lmms-eval writes: what the model said"
    if "doc_hash" in sample and sample["doc_hash"] != provenance.hash_of_row(columns, told.content_hash):
        yield f"question {quote_value(record.id)} is not as it was asked (doc_hash){_version(told)}"
    if sample.get("target", target_of(columns)) != target_of(columns):
        yield f"its target is {quote_value(sample['target'])}, its answer {quote_value(target_of(columns))}"
    prompt = provenance.sent_text(len(record.scene_ids), str(sample.get("input", "")))
    if told.prompt_form == "simple" and "input" in sample and provenance.digest(prompt) != payload.get(PROMPT):
        yield "its input is not the prompt that was sent"
    elif "input" in sample and provenance.digest(str(sample["input"])) != payload.get(INPUT):
        yield "its input is not what lmms-eval was given"
    entries = [payload, *payload.get("repeats", ())]
    if len(entries) != told.repeats:
        yield f"it was answered {len(entries)} times, and asked {told.repeats} times"
    said = [str(entry.get("response", "")) for entry in entries]
    for name in ("resps", "filtered_resps"):
        logged = _texts(sample.get(name))
        if logged and logged != said and [text.strip() for text in logged] != said:
            odd = next(
                (pair for pair in zip(said, logged, strict=False) if pair[0] != pair[1].strip()), (said[0], logged[-1])
            )
            yield f"its response is {quote_value(odd[0])}, lmms-eval logged {quote_value(odd[1])}"
    right = []
    for entry, text in zip(entries, said, strict=True):
        read = asdict(answered(columns, text))
        right.append(read["prediction"] == record.answer)
        for name in ANSWERED:
            if entry.get(name, type(read[name])()) != read[name]:
                was, reread = quote_value(entry.get(name)), quote_value(read[name])
                yield f"its {name} is {was}, its response says {reread}{_version(told)}"
    share = sum(right) / len(right)
    for place, name, value in ((payload, SHARE, share), (payload, "accuracy", 100 * share), (sample, SHARE, share)):
        if place.get(name, value) != value:
            yield f"its {name} is {quote_value(place[name])}, its answers make {value:g}{_version(told)}"
    if lost := [metric.name for metric in _metrics(record) if not isinstance(sample.get(metric.name), Mapping)]:
        yield f"it has no {lost[0]}, which the task scores{_version(told)}"
    for metric, other in sample.items():
        if isinstance(other, Mapping) and other is not payload and other.get("id") is not None:
            for name in other:
                if other[name] != payload.get(name):
                    value, expected = quote_value(other[name]), quote_value(payload.get(name))
                    yield f"{metric} has the {name} {value}, the record {expected}"


def _texts(logged: Any) -> list[str]:
    """Return the responses as lmms-eval logged them, in whatever lists; none where it logged something that is no text.

    >>> _texts([["yes"], ["no"]]), _texts("yes"), _texts([None])
    (['yes', 'no'], ['yes'], [])
    """
    texts = [logged]
    while any(isinstance(text, list) for text in texts):
        texts = [each for text in texts for each in (text if isinstance(text, list) else [text])]
    return [] if any(not isinstance(text, str) or text == "None" for text in texts) else texts


def _metrics(record: Record) -> Sequence[Metric]:
    """Return the metrics of a record's task."""
    owner = BENCHMARKS.get(record.benchmark)
    return metrics_of(owner.families[record.kind].name) if owner and record.kind in owner.families else ()


def _version(told: Provenance) -> str:
    """Say where another version of this package wrote a sample: it may have read the answer otherwise."""
    return "" if told.vhbench == vhbench.__version__ else f" (vhbench {told.vhbench} wrote it)"


def check_same_split(told: Provenance | None, split: Path, manifest: Manifest) -> None:
    """Raise if answers are to another split than the one that they are to be scored with.

    Raises:
        VhbenchError: naming both.
    """
    if told is None or told.benchmark != manifest.benchmark or told.content_hash == manifest.content_hash:
        return
    raise VhbenchError(
        f"the answers of {told.task} are to {told.benchmark} {told.version} with content hash "
        f"{told.content_hash[:12]}…, and {split} is {manifest.version} with {manifest.content_hash[:12]}…: a foreign "
        "split has other questions; name the one that was asked"
    )
