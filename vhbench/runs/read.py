"""Reading responses: a run of lmms-eval, or a file of responses in any format, joined with its questions."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.adapters.harness_logs import SENT
from vhbench.adapters.judge import LanguageJudge
from vhbench.adapters.table_rows import read_rows
from vhbench.benchmarks import BENCHMARKS, of_task
from vhbench.benchmarks import task as task_named
from vhbench.builds.row_ids import RowNames
from vhbench.columns import RECORD
from vhbench.files import quote_value
from vhbench.json_rows import each_row
from vhbench.language import parsing
from vhbench.progress import Progress
from vhbench.provenance import Provenance, hash_of_row, missing
from vhbench.records import is_cut_off, split_repetition, to_record, to_records
from vhbench.runs import column_aliases, run_files, samples
from vhbench.runs.checks import SamplesCheck, check_same_split, failed_last, is_failed
from vhbench.runs.questions import is_split, known_questions
from vhbench.runs.run_files import is_run, no_answers_error, sample_files, task_of
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.datasets import number_of_questions
from vhbench.tasks.question_export import PromptCheck
from vhbench.terminal import escaped

Found = tuple[str, Record]  # task or config of a response ("" if unknown), and its record

Row = Mapping[str, Any]

OPEN = "responses to open questions (the reference answer is neither yes, no nor a letter)"
_BLOCK, _JUDGED = 256, 4096  # Batch size for parsing responses; larger with a judge, which takes several at a time


@dataclass(frozen=True, slots=True)
class Run:
    """Responses of one run."""

    name: str
    # lmms-eval task → its responses, ordered by id; a question may be in several tasks
    tasks: Mapping[str, list[Record]]
    provenance: Mapping[str, Provenance | None]  # task → provenance of its responses, None if there is none
    notes: tuple[str, ...]  # warnings: questions without a response, edited samples, tasks with different settings

    def merged(self) -> list[Record]:
        """Return the records of all tasks, ordered by id; each question of a benchmark once, without its variants.

        A benchmark derived from another (VHExpansion from ODE) may share its ids. Raises VhbenchError if a question has
        two different responses.
        """
        records: dict[tuple[str, str], Record] = {}
        for task, answers in self.tasks.items():
            for record in (answer for answer in answers if not split_repetition(answer.id).variant[0]):
                if records.setdefault((record.id, record.benchmark), record) != record:
                    raise VhbenchError(
                        f"{self.name}, {task}: {record.id} has two different responses; give a single run"
                    )
        return [records[key] for key in sorted(records)]


def read_run(path: Path) -> Run:
    """Read the logged responses of a run of vhbench's tasks, and check that they are complete.

    The path is as in :func:`vhbench.runs.sample_files`; a folder with several models is refused. Raises VhbenchError if
    the run cannot be read, a line is not a vhbench sample, a question has two responses, or the samples are from
    several models, splits or runs.
    """
    responses = Responses(path, verbatim=True, logged=True)
    tasks: dict[str, dict[str, Record]] = {task_of(file): {} for file in sample_files(path)}
    for task, record in responses.by_task():
        if record.id in tasks[task]:
            raise VhbenchError(f"{path}, {task}: question {record.id} has two responses; expected one")
        tasks[task][record.id] = record
    if not any(tasks.values()):
        raise no_answers_error(path)
    records = {task: [answers[name] for name in sorted(answers)] for task, answers in tasks.items()}
    return Run(str(path), records, {task: responses.provenance.get(task) for task in records}, tuple(responses.notes))


@dataclass(slots=True)
class Responses:
    """Responses of a file, or of a run of lmms-eval.

    Iteration reads each row once without keeping it; the counts are available afterwards.
    """

    path: Path  # a file of any format (`FORMATS`), or a folder written by lmms-eval
    # a split, or a file of rows with reference answers, joined by id; None if responses include them
    questions: Path | None = None
    kind: str = ""  # kind of questions; "" for all. Others are skipped and counted
    # more such files or folders with responses of the same model, such as a harness's log of each task
    further: Sequence[Path] = ()
    verbatim: bool = False  # leave responses unparsed, for another parser
    logged: bool = False  # accept samples of vhbench's own tasks only
    # config → number of questions of this kind; without ``questions``, task → number of its questions, if samples have
    # it
    asked: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)  # config or task → number of questions without a response
    first_missing: str = ""  # id of one of them, if the questions are known
    # files that do not tell which questions were evaluated, so missing responses cannot be detected
    uncounted: list[Path] = field(default_factory=list)
    # one line per task whose questions have unequal numbers of responses, and so unequal weights
    uneven: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)  # reason → number of skipped rows
    judge: LanguageJudge | None = None  # parses what the rules cannot
    count: int = 0  # number of responses of this kind
    notes: list[str] = field(default_factory=list)  # warnings: missing questions, edited samples
    # task → provenance of its responses, if samples have it
    provenance: dict[str, Provenance] = field(default_factory=dict)
    _hashes: dict[str, str] | None = None
    _model: str = ""
    _prompts: PromptCheck = field(default_factory=PromptCheck)
    _rounds: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def unique(self) -> bool:
        """Whether ids are known to be unique, as each was joined with one question."""
        return self.questions is not None

    def __iter__(self) -> Iterator[Record]:
        """Yield the records with predictions, in the order of the file."""
        return (record for _, record in self.by_task())

    def by_task(self) -> Iterator[Found]:
        """Yield task or config, and record."""
        pairs = self._alone() if self.questions is None else self._joined(self.questions)
        with Progress(f"reading {self.path.name}", total=None, unit="answers") as progress:
            chosen = ((task, record) for task, record in pairs if self._wanted(record))
            while block := list(islice(chosen, _BLOCK if self.judge is None else _JUDGED)):
                progress.advance(len(block), f"{self.judge.asked} judged" if self.judge else "")
                self.count += len(block)
                self._rounds.update((task, split_repetition(record.id)[0]) for task, record in block)
                if self.verbatim:
                    yield from block
                else:
                    yield from zip((task for task, _ in block), self._read([one for _, one in block]), strict=True)
        self.uneven = list(_uneven(self._rounds))
        self.notes += self.uneven

    def _read(self, records: list[Record]) -> list[Record]:
        """Parse responses; a judge, if given, parses captions and what the rules cannot."""
        records = [read(record, self.kind) for record in records]
        if self.judge is None:
            return records
        left = [
            index
            for index, record in enumerate(records)
            if (record.kind == "caption" or (record.kind in ("yes_no", "multiple_choice") and not record.prediction))
            and record.response
            and not record.failure
        ]
        for index, reply in zip(left, self.judge.replies([records[index] for index in left]), strict=True):
            one = records[index]  # words and truncation are those of the caption
            records[index] = replace(one, prediction=reply, response=one.response if one.kind == "caption" else "")
        return records

    def _wanted(self, record: Record) -> bool:
        """Return whether a record is of the requested kind; count it if not."""
        if not (fits := self._fits(record)):
            self.left_out[f"responses of the kind {record.kind}"] += 1
        return fits

    def _fits(self, record: Record) -> bool:
        entry = BENCHMARKS.get(record.benchmark)
        scored_as = entry.families[record.kind].name if entry and record.kind in entry.families else record.kind
        return self.kind in ("", record.kind, scored_as) or not record.kind

    def _alone(self) -> Iterator[Found]:
        for task, location, row in self._rows(joined=False):
            yield task, row if isinstance(row, Record) else to_record(row, location)

    def _joined(self, questions: Path) -> Iterator[Found]:
        """Join each response with its question, which is then removed, so that a second response finds none."""
        if not (known := known_questions(questions, self.kind)):
            raise VhbenchError(f"{questions}: expected questions{self.kind and f' of the kind {self.kind}'}, got none")
        split = splits.read_manifest(questions) if is_split(questions) else None
        drafts = split and RowNames(split.seed, split.benchmark)  # the source's own ids, such as AMBER's numbers
        answered = bytearray(len(known))
        of_prefix: defaultdict[str, bytearray] = defaultdict(lambda: bytearray(len(known)))  # repetition or variant
        for _, location, row in failed_last(self._rows(joined=True)):
            name = row.id if isinstance(row, Record) else str(row.get("id"))
            number, own = split_repetition(name)
            match = known.look_up(own) or (drafts and known.look_up(drafts.of(own)))
            if not match:
                sent = row.id if isinstance(row, Record) else row.get("id")
                got = f"a row without id: {quote_value(row)}" if sent is None else quote_value(sent)
                raise VhbenchError(
                    f"{location}: expected the id of one of {len(known)} questions in {questions}, got {got}"
                )
            at, (config, question) = match
            variants = split_repetition(name).variant[0]
            if of_prefix[number][at] and is_failed(row):
                continue
            if of_prefix[number][at]:
                raise VhbenchError(
                    f"{location}: id {quote_value(name)} occurs twice; expected one response per question"
                )
            self.asked[config] += not answered[at]
            answered[at] = of_prefix[number][at] = True
            question = split_repetition(number).vary(question) if variants else question
            if not isinstance(row, Record):
                self._prompts.see(question, row)
            yield config, _join(question, row, number, location)
        self.notes += self._prompts.notes((self.path, *self.further), questions) if split else ()
        if split and (withdrawn := split.rejections.get("label_withdrawn")):
            self.notes.append(f"{withdrawn:,} questions of the source were withdrawn when its labels were corrected")
        rotated = {split_repetition(number).variant[0] for number in of_prefix} == {"r"}
        for at in (at for at, state in enumerate(answered) if not state):
            config, question = known.at(at)
            if rotated and not question.get("choices"):
                continue
            self.asked[config] += 1
            self.missing[config] += 1
            self.first_missing = self.first_missing or str(question["id"])

    def _rows(self, *, joined: bool) -> Iterator[tuple[str, str, Row | Record]]:
        """Yield the rows of all files with task and location, with record field names or as records."""
        for path in (self.path, *self.further):
            logged = self.logged or is_run(path)
            if not (files := sample_files(path) if logged else [path]):
                raise no_answers_error(path)
            for file in files:
                yield from self._rows_of(file, logged=logged, joined=joined)
            if logged:
                self._note_lost(path)
        self.notes += run_files.check_single_run(self.provenance.values(), self.path)

    def _rows_of(self, file: Path, *, logged: bool, joined: bool) -> Iterator[tuple[str, str, Row | Record]]:
        task, check, fits = task_of(file) if logged else "", SamplesCheck(file), False
        begin = f"{file}, row "
        rows = each_row(file) if logged else read_rows(file, column_aliases.KNOWN)
        for number, row in enumerate(rows, start=1):
            location = f"{begin}{number}"
            if (payload := samples.payload(row, logged=self.logged)) is not None:
                records = to_records(payload, location)
                check.see(row, payload, location)
                if number == 1 and self.questions is not None and is_split(self.questions):
                    check_same_split(check.provenance, self.questions, splits.read_manifest(self.questions))
                fits = fits or self._fits(records[0])
                yield from ((task, location, record) for record in records)
            elif self.logged:
                raise VhbenchError(f"{location}: expected a response to a question of vhbench")
            elif samples.is_sample(row):
                yield from ((task, location, each) for each in self._named(row) if joined or self._is_closed(each))
            elif logged:
                raise VhbenchError(f"{location}: expected a sample of lmms-eval with 'doc_id', 'target' and 'resps'")
            else:
                if (model := str(row.get("model") or "")) not in ("", self._model or model):
                    raise VhbenchError(f"{location}: expected responses of one model, got {self._model} and {model}")
                self._model = model
                sent = {SENT: row[SENT]} if isinstance(row.get(SENT), tuple) else {}  # no column of a table
                yield task, location, column_aliases.answered(row, location, joined=joined) | sent
        if fits:
            self._note(task, check)
        if self.questions is None and check.provenance is None:
            self.uncounted.append(file)

    def _note(self, task: str, check: SamplesCheck) -> None:
        """Add the check results of a task's samples."""
        self.notes += map(escaped, check.notes())
        self.notes += origin_notes(task, check.provenance)
        self.notes += run_files.provenance_conflicts(check.file, check.provenance)
        if (origin := check.provenance) is None:
            return
        self.provenance[task] = origin
        count = number_of_questions(origin.task, origin.content_hash)
        if self.questions is None:
            self.asked[task] += max(origin.of, count or 0)
            missing = max(check.missing, (count or 0) - check.answered)
            self.missing += Counter({task: missing})  # tasks without samples are skipped

    def _note_lost(self, run: Path) -> None:
        """Add a note for each task of the run without samples."""
        for origin in run_files.tasks_without_samples(run):
            if not self.kind or self.kind in _kinds_of(origin.task):
                lost = missing(0, origin.asked, origin.of)
                line = f"{origin.task}: partial: {lost}: the run includes it, but its samples are missing"
                self.notes.append(escaped(line))
                if self.questions is None:
                    self.asked[origin.task] += origin.of
                    self.missing[origin.task] += origin.of

    def _named(self, sample: Row) -> Iterator[dict[str, Any]]:
        """Yield the rows of a sample; samples without scores are matched by doc_hash."""
        if self._hashes is None:  # doc_hash → id of a split's questions; empty without a split
            self._hashes = {}
            if self.questions is not None and is_split(self.questions):
                content_hash = splits.read_manifest(self.questions).content_hash
                rows = splits.read_columns(self.questions, list(RECORD))
                self._hashes = {hash_of_row(row, content_hash): row["id"] for _, row in rows}
        own = self._hashes.get(str(sample.get("doc_hash")))
        for row in samples.rows_of(sample):
            yield row | ({"id": split_repetition(row["id"])[0] + own} if own else {})

    def _is_closed(self, row: Row) -> bool:
        if not row["kind"]:
            self.left_out[OPEN] += 1
        return bool(row["kind"])


def _uneven(rounds: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Yield the tasks whose questions have unequal numbers of responses, given those per (task, repetition prefix).

    >>> list(_uneven({("ode", ""): 80, ("ode", "2#"): 38, ("mioh", ""): 9, ("mioh", "2#"): 9}))
    ['ode: partial: 38 to 80 questions have an answer in each of 2 repetitions; those with more answers count more']
    """
    for task, variants in sorted({(task, split_repetition(mark).variant[0]) for task, mark in rounds}):
        counts = [
            count
            for (own, mark), count in rounds.items()
            if (own, split_repetition(mark).variant[0]) == (task, variants)
        ]
        if min(counts) < max(counts) and (variants or rounds.get((task, ""))):
            yield (
                f"{f'{task}: ' if task else ''}partial: {min(counts):,} to {max(counts):,} questions have an answer in "
                f"each of {len(counts)} repetitions; those with more answers count more"
            )


def origin_notes(task: str, origin: Provenance | None) -> Iterator[str]:
    """Yield warnings about the provenance of a task's responses."""
    if origin is None:
        yield (f"{task}: its samples have no provenance: split, prompts, settings and number of questions are unknown")
        return
    count = number_of_questions(origin.task, origin.content_hash)
    if count is not None and count != origin.of:
        yield (
            f"{task}: its samples record {origin.of:,} questions, but the split with their content hash has {count:,}: "
            "they were modified since"
        )


def read(record: Record, kind: str = "") -> Record:
    """Return a record with its prediction and kind, parsed as in the tasks.

    An existing prediction is kept. Parsed responses are dropped, after recording truncation, so that nothing parses
    them differently.

    >>> read(Record("q", question="Is there a dog?", answer="yes", response="Yes, there is.")).prediction
    'yes'
    """
    kind = record.kind or kind_of(record) or kind
    if kind == "caption":
        return replace(record, kind=kind, prediction="")  # set by a judge only
    prediction, word = record.prediction, record.prediction.strip()
    if kind == "yes_no" and not (prediction or record.failure) and (bare := parsing.bare(record.response)):
        return replace(record, kind=kind, prediction=bare, response="")  # the common case
    unread = word.lower() not in ("yes", "no", "") and not (len(word) == 1 and record.choices)
    if not (prediction or record.failure) or unread:  # a prediction may be the unparsed response
        prediction = parsing.parse(kind, record.response or prediction, record.choices, question=record.question)
    left = "" if prediction else record.response
    return replace(record, kind=kind, prediction=prediction, response=left, cut_off=is_cut_off(record))


def kind_of(record: Record) -> str:
    """Infer the kind of a question from its options, reference answer or objects."""
    if record.choices:
        return "multiple_choice"
    return "yes_no" if record.answer.strip().lower() in ("yes", "no") else "caption" if record.objects else ""


def _kinds_of(task: str) -> set[str]:
    """Return the kinds of a task's questions, and the names of its metrics."""
    if (entry := of_task(task)) is None:
        return set()
    family = task_named(task).family
    return {name for kind, own in entry.families.items() if own is family for name in (kind, own.name)}


def _join(question: Mapping[str, Any], row: Row | Record, number: str, location: str) -> Record:
    """Return the record of a question and its response; ids of repetitions have their number as prefix.

    An empty response that has the task's maximum number of tokens spent them on hidden reasoning. Any response of
    exactly so many is truncated, unless its row gives another reason.
    """
    fields = {n: getattr(row, n) for n in _SAID} if isinstance(row, Record) else {n: row[n] for n in _SAID if n in row}
    ids = (
        {}
        if split_repetition(number).variant[0]
        else {n: f"{number}{question[n]}" for n in ("id", "pair_id") if question.get(n)}
    )
    entry = BENCHMARKS.get(question.get("benchmark", ""))
    if entry and question.get("kind") in entry.families:
        limit, tokens = entry.token_limit(question), fields.get("tokens", 0)
        if (fields.get("response") == "" and tokens >= limit) or ("cut_off" not in fields and tokens == limit):
            fields["cut_off"] = True
    return to_record({**question, **fields, **ids}, location)


_SAID = ("response", "prediction", "cut_off", "tokens")
