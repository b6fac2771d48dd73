"""Rescore all entries of a board, for pull request checks and for the site."""

import os
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import vhbench
from vhbench.files import file_sha256, path_exists, quote_value
from vhbench.leaderboard import claim_checks, isolation, packed_answers
from vhbench.leaderboard.baselines import GUESSERS
from vhbench.leaderboard.boards import Board, Rules
from vhbench.leaderboard.entries import ANSWERS, FILE, BoardEntry, StoredEntry, entries, unlike
from vhbench.leaderboard.names import look
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import QuestionIndex, cached_question_index
from vhbench.leaderboard.reproduction import SELF_REPORTED, tier_of
from vhbench.leaderboard.rescoring import ALIKE, FEWEST, RescoredEntry, counted, meanings, parsed, recompute
from vhbench.schema import VhbenchError
from vhbench.seeding import rng

# maximum number of differing predictions at which two entries are duplicates, as a share of the errors of both; other
# models share errors, too, but not three quarters of them
ALIKE_IN_ERRORS = 0.25
# processor time for an entry, for each question, and for each megabyte of its compressed responses: a short response
# takes up to 0.2 ms, one of 16 kB up to 40 ms; one that repeats itself takes 10 ms for hardly a byte, as a bomb does;
# unpacked text costs a bomb nothing, so the number of questions bounds the time
SECONDS, SECONDS_PER_QUESTION, SECONDS_PER_MB = 2, 0.006, 60
_PROBED = 25  # one of so many responses is parsed first: a bomb of 8,786 ends after 3 seconds instead of 55
# share of that time for an entry that is added, which thus passes later, too, when the machine is slower
_SHARE_WHEN_ADDED = 0.75
MOST_WORKERS = 4  # maximum number of processes by default: each has the questions of an edition in memory


@dataclass(frozen=True, slots=True)
class CheckedEntry:
    """A rescored entry."""

    place: StoredEntry
    entry: BoardEntry | None  # its content; None if it cannot be read
    reasons: tuple[str, ...]
    rescoring: RescoredEntry | None = None  # its results; None if there are none
    responses: Sequence[str] = ()  # its responses of the first repetition, if requested
    # per repetition, one number per response to a question of the headline, for comparing entries
    digests: npt.NDArray[np.uint32] | None = None
    tier: str = SELF_REPORTED  # how far it is verified, one of `TIERS`
    moved: tuple[str, ...] = ()  # claims of an older scorer that this one does not confirm, one line each
    answers: bytes = b""  # content of ``answers.parquet``, if it is not written yet

    @property
    def refusals(self) -> list[str]:
        """Reasons for refusal, with the entry that they are about."""
        return [f"{self.place.title}: {reason}" for reason in self.reasons]


def check_entry(place: StoredEntry, source: Path, rules: Rules, keep: bool, claims: bool = True) -> CheckedEntry:
    """Rescore an entry and check it, with its claimed scores (``claims``); ``keep``: return its responses."""
    questions = cached_question_index(place.edition, source)
    try:
        return _examine(place, questions, rules, keep, claims)
    except VhbenchError as error:  # only this entry is refused
        return CheckedEntry(place, None, (str(error),))


def _examine(place: StoredEntry, questions: QuestionIndex, rules: Rules, keep: bool, claims: bool) -> CheckedEntry:
    reasons = list[str]()
    if lost := [name for name in (FILE, ANSWERS) if not path_exists(place.folder / name)]:
        return CheckedEntry(place, None, tuple(f"has no {name}" for name in lost))
    try:
        entry = place.read()
        file = place.folder / ANSWERS
        if (digest := file_sha256(file)) != entry.answers:
            reasons.append(f"{ANSWERS}: expected SHA-256 {entry.answers[:12]}…, got {digest[:12]}…")
        responses = packed_answers.unpack(file, entry.repeats * len(questions.rows))
    except VhbenchError as error:
        return CheckedEntry(place, None, (*reasons, str(error).replace(f"{place.folder}{os.sep}", "")))  # for the site
    _probe(questions, responses, digest, _seconds(place, questions.source, rules, keep, claims))
    rescoring = recompute(questions, responses, entry.repeats)
    unlike_scores = tuple(claim_checks.unlike_claims(entry.scores, rescoring)) if claims else ()
    moved = unlike_scores if entry.scorer not in ("", vhbench.__version__) else ()
    reasons += () if moved else unlike_scores
    for run in entry.provenance:
        reasons += claim_checks.prompt_faults(questions, run)
    reasons += claim_checks.setting_faults(questions, rules, entry.provenance)
    reasons += claim_checks.excess_failures(rules, rescoring)
    digests = _digests(questions, (response.text for response in responses), rescoring)
    if not entry.reference:
        reasons += _baseline_faults(questions, entry, digests)
    gaps = claim_checks.provenance_gaps(questions, rules, entry.provenance)
    tier = tier_of(place, entry, complete=not any(gaps))
    first = [responses[index].text for index in range(len(questions.rows))] if keep else ()
    return CheckedEntry(place, entry, tuple(reasons), rescoring, first, digests, tier, moved)


def _probe(questions: QuestionIndex, responses: Sequence[PackedAnswer], digest: str, seconds: float) -> None:
    """Parse a sample that a submitter cannot choose, as it follows from the digest of all; a bomb takes too long."""
    end = time.process_time() + SECONDS / 4 + seconds / _PROBED
    sample = rng(0, "probe", digest).choice(len(responses), -(-len(responses) // _PROBED), replace=False)
    for index in sample.tolist():
        place = index % len(questions.rows)
        counted(questions, parsed(questions, place, responses[index]))
        if time.process_time() > end:
            raise VhbenchError(f"takes more than {seconds:.3g} seconds")


def _digests(questions: QuestionIndex, responses: Iterable[str], rescoring: RescoredEntry) -> npt.NDArray[np.uint32]:
    """Return a number per response for its prediction, or its text without one, which reformatted copies share."""
    texts = meanings(questions, responses, rescoring.predictions)
    numbers = np.array([zlib.crc32(text.encode()) for text in texts], dtype=np.uint32)
    return numbers.reshape(-1, len(questions.rows))[:, questions.main.places]


def _baseline_faults(questions: QuestionIndex, entry: BoardEntry, digests: npt.NDArray[np.uint32]) -> Iterator[str]:
    """Yield why an entry is a baseline rather than a model."""
    if models := sorted({run.model for run in entry.provenance if look("vhbench_") in look(run.model)}):
        yield f"its responses come from the baseline {quote_value(models[0])}; add it with --reference KIND"
    for name, other in _of_baselines(questions).items() if digests.shape[1] >= FEWEST else ():
        if (digests == other).all(axis=1).any():
            some = "of its predictions" if len(digests) == 1 else "predictions of a repetition"
            yield f"all {some} equal those of the baseline {name}; add it with --reference KIND"


def _of_baselines(questions: QuestionIndex) -> Mapping[str, npt.NDArray[np.uint32]]:
    """Return the digests of all baselines, computed once per edition."""
    if not questions.baselines:
        for guesser in GUESSERS:
            responses = guesser.answers(questions)
            rescoring = recompute(questions, list(map(PackedAnswer, responses)))
            questions.baselines[guesser.name] = _digests(questions, responses, rescoring)
    return questions.baselines


def check_all(
    board: Board, sources: Mapping[str, Path], *, workers: int = 0, keep: bool = False, new: Collection[str] = ()
) -> tuple[list[CheckedEntry], list[tuple[str, str]]]:
    """Rescore all entries of a board in child processes with limits; an entry that crashes one is refused.

    ``workers`` is their number, 0 for one per core, at most :data:`MOST_WORKERS`; ``keep`` returns responses. ``new``
    has MODEL/EDITION of the entries that a pull request adds or changes, which conflict with older ones; their claims
    must be those of this scorer. With the entries in their order, unexpected files are returned, as of
    :func:`~vhbench.leaderboard.entries.entries`.
    """
    places, strays = entries(board)
    workers = min(workers or min(os.cpu_count() or 1, MOST_WORKERS), len(places))
    rank = [edition.name for edition in board.editions]
    queue = sorted(places, key=lambda place: (rank.index(place.edition.name), place.model))
    calls = [(place, sources[place.edition.name], board.rules, keep, True) for place in queue]
    checked = list(check_apart(calls, max(1, workers)))
    order = {place.title: number for number, place in enumerate(places)}
    checked.sort(key=lambda one: order[one.place.title])
    return list(_together(checked, new)), strays


def check_apart(
    calls: Sequence[tuple[StoredEntry, Path, Rules, bool, bool]], workers: int = 1
) -> Iterator[CheckedEntry]:
    """Yield what :func:`check_entry` returns for each tuple of arguments, from child processes with limits."""
    outcomes = isolation.each(check_entry, calls, workers=workers, seconds=_seconds)
    for call, outcome in zip(calls, outcomes, strict=True):
        yield CheckedEntry(call[0], None, (outcome,)) if isinstance(outcome, isolation.Failure) else outcome


def _seconds(place: StoredEntry, source: Path, rules: Rules, keep: bool, claims: bool = True) -> float:
    """Return the processor time for an entry, apart from that of reading its edition, which is done here."""
    questions = cached_question_index(place.edition, source)
    _of_baselines(questions)
    size = (place.folder / ANSWERS).stat().st_size if path_exists(place.folder / ANSWERS) else 0
    seconds = SECONDS + SECONDS_PER_QUESTION * len(questions.rows) + SECONDS_PER_MB * size / 1e6
    return (1 if claims else _SHARE_WHEN_ADDED) * min(seconds, isolation.SECONDS)


def _together(checked: Sequence[CheckedEntry], new: Collection[str]) -> Iterator[CheckedEntry]:
    """Yield the entries, with conflicts with the first valid one of their model or name; new ones come last."""
    first: dict[str, tuple[BoardEntry, str]] = {}
    by_look: dict[str, str] = {}
    for one in sorted(checked, key=lambda one: one.place.title in new):
        if one.entry is not None and not (one.reasons or one.place.model in first):  # a faulty entry refuses no other
            first[one.place.model] = one.entry, one.place.title
            by_look.setdefault(look(one.entry.name), one.place.model)
    for one in checked:
        odd = list(one.moved if one.place.title in new else ())
        if one.entry is not None:
            other, title = first.get(one.place.model, (one.entry, ""))
            odd += unlike(one.entry.about, other.about, title)
            if (model := by_look.get(look(one.entry.name), one.place.model)) != one.place.model:
                odd.append(f"its name looks like that of another model, {quote_value(first[model][0].name)}")
        yield replace(one, reasons=(*one.reasons, *odd)) if odd else one


def find_duplicates(checked: Sequence[CheckedEntry]) -> Iterator[str]:
    """Yield entries that nearly duplicate an earlier one, perhaps with edits, or the reference answers."""
    for number, one in enumerate(checked):
        if one.digests is None or one.rescoring is None or one.digests.shape[1] < FEWEST:
            continue
        if one.rescoring.near_answers and not (one.entry and one.entry.reference):
            yield f"{one.place.title}: {one.rescoring.near_answers}"
        for other in checked[:number]:
            if other.digests is None or other.rescoring is None or other.place.edition != one.place.edition:
                continue
            differ = np.array([(other.digests != own).sum(axis=1) for own in one.digests])
            errors = np.add.outer(one.rescoring.wrong.sum(axis=1), other.rescoring.wrong.sum(axis=1))
            count = one.digests.shape[1]
            alike = differ[differ <= np.maximum(ALIKE * count, ALIKE_IN_ERRORS * errors)]
            if len(alike):
                extent = f"identical in all but {alike.min()}" if alike.min() else "identical"
                both = f"its {count:,} predictions and those of {other.place.model}"
                yield f"{one.place.title}: {both} are {extent}"
                break
