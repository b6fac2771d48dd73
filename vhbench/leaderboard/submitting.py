"""From a run to entries: match responses with a board's editions, and collect reasons for refusal."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import vhbench
from vhbench.adapters.table_rows import read_rows
from vhbench.benchmarks import of_task
from vhbench.benchmarks import task as task_named
from vhbench.files import path_exists, quote_value
from vhbench.leaderboard import packed_answers
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.claim_checks import claimed_scores, differing, prompt_faults, setting_faults, unlike_claims
from vhbench.leaderboard.entries import (
    FILE,
    MOST_REPEATS,
    SHARED,
    BoardEntry,
    ModelInfo,
    StoredEntry,
    entries,
    slug,
    stored,
    unlike,
)
from vhbench.leaderboard.names import look
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import QuestionIndex, cached_question_index
from vhbench.leaderboard.validating import CheckedEntry, check_apart
from vhbench.provenance import Provenance
from vhbench.records import split_repetition, text_of
from vhbench.runs import column_aliases, is_run, read_run
from vhbench.runs.run_claims import claims_of
from vhbench.schema import VhbenchError

# columns in which a logged question must equal the edition's
_COMPARED = ("question", "choices", "answer", "kind", "scene_ids")


@dataclass(slots=True)
class RunAnswers:
    """Responses of a run to one edition."""

    questions: QuestionIndex
    # (repetition, index of the question) → response
    answers: dict[tuple[int, int], PackedAnswer] = field(default_factory=dict)
    provenance: list[Provenance] = field(default_factory=list)  # provenance per task
    # task → metric → value in the run's own results
    claims: dict[str, Mapping[str, float]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    @property
    def repeats(self) -> int:
        """Number of repetitions in the responses."""
        return 1 + max((number for number, _ in self.answers), default=0)

    def responses(self) -> list[PackedAnswer]:
        """Return the responses in the edition's order, all first repetitions before all second ones."""
        count = len(self.questions.rows)
        return [self.answers[number, place] for number in range(self.repeats) for place in range(count)]

    def missing(self) -> Iterator[str]:
        """Yield the number of questions without a response."""
        count = len(self.questions.rows)
        if self.repeats > MOST_REPEATS:
            yield f"expected at most {MOST_REPEATS} repetitions, got {self.repeats}"
            return
        for number in range(self.repeats):
            lost = [place for place in range(count) if (number, place) not in self.answers]
            if lost:
                where = f" in repetition {number + 1}" if number else ""
                first = self.questions.rows[lost[0]]["id"]
                yield f"{len(lost):,} of {count:,} questions have no response{where} (the first: {first!r})"

    def add(self, name: str, answer: PackedAnswer) -> bool:
        """Add a response, if the edition has such a question; return False if its split has none either."""
        mark, question_id = split_repetition(name)
        place = self.questions.number.get(question_id)
        if place is None:
            return question_id in self.questions.whole.number
        number = int(mark[:-1]) - 1 if mark else 0
        if self.answers.setdefault((number, place), answer) != answer:
            self.reasons.append(f"question {quote_value(name)} has two different responses; expected one")
        return True


def read_run_for(board: Board, run: Path, editions: Mapping[str, QuestionIndex], only: str = "") -> list[RunAnswers]:
    """Return the responses of a run or file, at least one, to each edition of a board, or only to that of a name."""
    if only:
        board.edition(only)
    candidates = {name: questions for name, questions in editions.items() if only in ("", name)}
    offered = _of_run(run, candidates) if is_run(run) else _of_file(run, editions, only)
    if not offered:
        raise VhbenchError(f"{run}: expected responses to an edition of this board: {board.names}")
    return offered


def _of_run(run: Path, editions: Mapping[str, QuestionIndex]) -> list[RunAnswers]:
    logged, claims = read_run(run), claims_of(run)
    strange, tasks = list[str](), defaultdict[tuple[str, ...], dict[str, set[str]]](dict)
    for task, records in logged.tasks.items():
        owner, provenance = of_task(task), logged.provenance[task]
        own = {name: one for name, one in editions.items() if owner and one.edition.benchmark == owner.name}
        if owner is None or not own or task_named(task).variants:  # a board ranks the questions as they are
            continue
        content_hash = provenance.content_hash if provenance else ""
        among = tuple(name for name, one in own.items() if not provenance or one.edition.content_hash == content_hash)
        ids = {split_repetition(record.id)[1] for record in records}
        if not among or not (provenance or any(ids & own[name].number.keys() for name in among)):
            there_is = ", ".join(f"{name} ({a.edition.content_hash[:12]}…)" for name, a in editions.items())
            split = f"{provenance.version} with content hash {content_hash[:12]}…" if provenance else "other questions"
            strange.append(f"{task} was evaluated on another split: {owner.name} {split}; the board has {there_is}")
        else:
            tasks[among][task] = ids
    answers = list[RunAnswers]()
    for among, answered in tasks.items():
        every = set().union(*answered.values())
        for name in _editions_of(every, {name: editions[name] for name in among}) or among[:1]:
            one, known = RunAnswers(editions[name]), editions[name].number.keys()
            left = every & known
            foreign = not left  # all tasks are reported
            # A question may be in several tasks: the one with the fewest others comes first.
            for task in sorted(answered, key=lambda task: len(answered[task] - known)):
                if not foreign and left.isdisjoint(answered[task]):
                    continue
                left -= answered[task]
                one.provenance += [origin] if (origin := logged.provenance[task]) else []
                one.reasons += _alien(one, task, logged.tasks[task])
                one.claims |= {task: claims[task]} if task in claims else {}
            answers.append(one)
    notes = [note for note in logged.notes if ": partial: " not in note]  # missing responses are reported below
    if strange and not answers:
        raise VhbenchError(f"{run}: {strange[0]}")
    for one in answers:
        mine = {provenance.task for provenance in one.provenance}
        one.reasons += strange + [note for note in notes if note.partition(":")[0] in mine or not mine]
    return answers


def _alien(one: RunAnswers, task: str, records: Sequence[Any]) -> Iterator[str]:
    """Add the responses of a task; yield which of its questions are not in the edition."""
    unknown, changed = list[str](), list[str]()
    for record in records:
        if not one.add(record.id, PackedAnswer(record.response, record.tokens, record.cut_off)):
            unknown.append(record.id)
            continue
        whole = one.questions.whole
        row = whole.rows[whole.number[split_repetition(record.id)[1]]]
        if any(getattr(record, name) not in (row[name], "", ()) for name in _COMPARED):
            changed.append(record.id)
    for names, relation in ((unknown, "of no question of"), (changed, "to questions that differ from those of")):
        if names:
            edition, first = one.questions.edition.name, quote_value(names[0])
            yield f"{task}: {len(names):,} responses are {relation} {edition} (the first: {first})"


def _of_file(path: Path, editions: Mapping[str, QuestionIndex], only: str) -> list[RunAnswers]:
    answers: dict[str, PackedAnswer] = {}
    for number, row in enumerate(read_rows(path, column_aliases.KNOWN), start=1):
        place = f"{path}, row {number}"
        cells = column_aliases.answered(row, place, joined=True)
        name = str(cells.get("id", ""))
        if not name:
            raise VhbenchError(f"{place}: expected a field 'id'")
        if split_repetition(name).variant[0]:
            continue  # a board ranks the questions as they are
        if name in answers:
            raise VhbenchError(f"{place}: id {quote_value(name)} occurs twice; expected one response per question")
        answers[name] = PackedAnswer(text_of(cells["response"]), cells.get("tokens", 0), cells.get("cut_off") is True)
    ids = {name: split_repetition(name)[1] for name in answers}
    offered = [RunAnswers(editions[name]) for name in ([only] if only else _editions_of(set(ids.values()), editions))]
    for one in offered:
        for name, answer in answers.items():
            one.add(name, answer)
    # With --edition, the file may also have responses to other editions; without it, all must be of their splits.
    indexes = editions.values() if only else [one.questions for one in offered]
    known_ids = set().union(*(index.whole.number for index in indexes))
    if alien := [name for name in answers if ids[name] not in known_ids]:
        for one in offered:
            one.reasons.append(
                f"{len(alien):,} responses belong to none of its questions (the first: {quote_value(alien[0])})"
            )
    return offered


def _editions_of(answered: Set[str], editions: Mapping[str, QuestionIndex]) -> list[str]:
    """Return the editions that the responses belong to; of one that extends another, only with answers to all of it.

    Editions of tasks of one split may share questions; all that are answered count.
    """
    ids = {name: one.number.keys() for name, one in editions.items()}
    whole = [name for name, edition_ids in ids.items() if edition_ids <= answered]
    if whole and answered <= set().union(*(ids[name] for name in whole)):
        of = {name: editions[name].edition.version for name in whole}
        return [name for name in whole if not any(ids[name] < ids[one] and of[name] != of[one] for one in whole)]
    half = [name for name, edition_ids in ids.items() if 2 * len(edition_ids & answered) >= len(edition_ids)]
    most = max(ids, key=lambda name: len(ids[name] & answered))
    return half or ([most] if ids[most] & answered else [])


def submit_run(
    board: Board, sources: Mapping[str, Path], run: Path, about: ModelInfo, *, only: str = "", replacing: bool = False
) -> list[CheckedEntry]:
    """Check the responses of a run to each edition, without writing.

    Missing fields of ``about`` are filled from the model's other entries; ``only`` is the name of the edition, "" to
    infer it; ``replacing``: an existing entry may be replaced. Raises VhbenchError if the run cannot be read, or has no
    responses to the board's editions.
    """
    about = filled(board, about)
    editions = {edition.name: cached_question_index(edition, sources[edition.name]) for edition in board.editions}
    return [submit(board, one, about, replacing=replacing) for one in read_run_for(board, run, editions, only)]


def submit(board: Board, offered: RunAnswers, about: ModelInfo, *, replacing: bool = False) -> CheckedEntry:
    """Check an entry of a run as ``vhbench leaderboard check`` does, from temporary files, and return it."""
    questions, reasons = offered.questions, list(offered.reasons)
    about.check()
    place = stored(board, slug(about.name), questions.edition)
    reasons += _in_its_place(place, about, replacing)
    reasons += _of_others(board, place, about)
    if lost := list(offered.missing()):
        reasons += lost
        reasons += [fault for run in offered.provenance for fault in prompt_faults(questions, run)]
        reasons += setting_faults(questions, board.rules, offered.provenance)
        return CheckedEntry(place, None, tuple(dict.fromkeys(reasons)))
    with TemporaryDirectory() as folder:
        draft = stored(replace(board, folder=Path(folder)), place.model, questions.edition)
        try:
            answers = packed_answers.pack(offered.responses())
            entry = _entry(offered, about, answers)
            draft.write(entry, answers)
            [found] = check_apart([(draft, questions.source, board.rules, True, False)])
            checked = replace(found, place=place)
            if checked.rescoring is not None:
                draft.write(replace(entry, scores=claimed_scores(checked.rescoring)), answers)
                entry = draft.read()
                reasons += unlike_claims(entry.scores, checked.rescoring)
        except VhbenchError as error:
            return CheckedEntry(place, None, (*dict.fromkeys(reasons), str(error)))
    reasons += checked.reasons
    if checked.rescoring is not None:
        reasons += differing(questions, offered.responses(), offered.repeats, offered.claims)
    return replace(checked, entry=entry, reasons=tuple(dict.fromkeys(reasons)), answers=answers)


def _entry(offered: RunAnswers, about: ModelInfo, answers: bytes) -> BoardEntry:
    edition = offered.questions.edition
    runs = sorted(offered.provenance, key=lambda run: run.task)
    return BoardEntry(
        **{name: getattr(about, name) for name in ModelInfo.__dataclass_fields__},
        benchmark=edition.benchmark,
        version=edition.version,
        task=edition.task,
        content_hash=edition.content_hash,
        answers=sha256(answers).hexdigest(),
        repeats=offered.repeats,
        provenance=tuple(replace(run, data=replace(run.data, folder="")) for run in runs),  # without local folders
        scorer=vhbench.__version__,
    )


def filled(board: Board, about: ModelInfo) -> ModelInfo:
    """Return a model description, with missing fields from its other entries."""
    for edition in board.editions:
        other = stored(board, slug(about.name), edition)
        if path_exists(other.folder / FILE):
            other_about = other.read().about
            empty = [name for name in SHARED if getattr(about, name) in ("", 0, None)]
            about = replace(about, **{name: getattr(other_about, name) for name in empty})
    return about


def _in_its_place(place: StoredEntry, about: ModelInfo, replacing: bool) -> Iterator[str]:
    """Yield a reason if the location of an entry is occupied, perhaps by another model."""
    if not path_exists(place.folder):
        return
    try:
        name = place.read().name
    except VhbenchError:  # not a valid entry
        name = about.name
    if name != about.name:
        owner = quote_value(name)
        yield f"{place.title} already exists, for {owner}; choose another name, as both have the same folder"
    elif not replacing:
        yield f"{place.title} already exists; replace it with --replace"


def _of_others(board: Board, place: StoredEntry, about: ModelInfo) -> Iterator[str]:
    """Yield conflicts with the model's other entries, and with names of other models."""
    for edition in board.editions:
        other = stored(board, place.model, edition)
        # entry.yaml is written last, so that concurrent additions find complete entries or none.
        if edition != place.edition and path_exists(other.folder / FILE):
            try:
                yield from unlike(about, other.read().about, other.title)
            except VhbenchError as error:
                yield str(error)
    places, strays = entries(board)
    yield from (line for model, line in strays if model in ("", place.model))
    for model, other in {other.model: other for other in places if other.model != place.model}.items():
        with suppress(VhbenchError):  # `check` reports a faulty entry
            if look(other.read().name) == look(about.name):
                yield f"its name looks like that of another model, {model}"
