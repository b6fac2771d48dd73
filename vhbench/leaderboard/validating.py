"""Rescore all entries of a board, for pull request checks and for the site."""

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vhbench.files import file_sha256
from vhbench.leaderboard import isolation, packed_answers
from vhbench.leaderboard.boards import Board, Edition, Rules
from vhbench.leaderboard.claim_checks import prompt_faults, setting_faults, unlike_claims
from vhbench.leaderboard.entries import ANSWERS, BoardEntry, StoredEntry, entries, missing
from vhbench.leaderboard.question_index import QuestionIndex, read_edition
from vhbench.leaderboard.rescoring import TOLD, RescoredEntry, recompute
from vhbench.leaderboard.submitting import excess_failures, unlike
from vhbench.schema import VhbenchError

ALIKE = 0.01
"""Maximum share of differing responses at which entries, or an entry and the reference answers, are duplicates."""

FEWEST = 20
"""Minimum number of questions for that check."""


@dataclass(frozen=True, slots=True)
class CheckedEntry:
    """A rescored entry.

    Attributes:
        place: its location.
        entry: its content; None if it cannot be read.
        reasons: reasons for refusal, one line each.
        found: its results; None if there are none.
        responses: its responses of the first repetition, if requested.
        digests: one number per response, for comparing entries.
    """

    place: StoredEntry
    entry: BoardEntry | None
    reasons: tuple[str, ...]
    found: RescoredEntry | None = None
    responses: Sequence[str] = ()
    digests: npt.NDArray[np.uint32] | None = None


@lru_cache(maxsize=16)
def cached_question_index(edition: Edition, source: Path) -> QuestionIndex:
    """Read the questions of an edition, once per process."""
    return read_edition(edition, source)


def check_entry(place: StoredEntry, source: Path, rules: Rules, keep: bool) -> CheckedEntry:
    """Rescore an entry and check its claims and the rules.

    Args:
        place: location of the entry.
        source: source of its edition's questions.
        rules: rules of the board.
        keep: whether to return its responses.
    """
    asked, reasons = cached_question_index(place.edition, source), list[str]()
    if lost := list(missing(place)):
        return CheckedEntry(place, None, tuple(f"has no {name}" for name in lost))
    try:
        entry = place.read()
        file = place.folder / ANSWERS
        if (there := file_sha256(file)) != entry.answers:
            reasons.append(f"{ANSWERS}: expected SHA-256 {entry.answers[:12]}…, got {there[:12]}…")
        responses = packed_answers.unpack(file, entry.repeats * len(asked.rows))
    except VhbenchError as error:
        return CheckedEntry(place, None, (*reasons, str(error)))
    found = recompute(asked, responses, entry.repeats)
    reasons += unlike_claims(entry.scores, found)
    for told in entry.provenance:
        reasons += prompt_faults(asked, told)
    reasons += setting_faults(rules, entry.provenance)
    reasons += excess_failures(rules, found)
    first = [one.text for one in responses[: len(asked.rows)]]
    digests = np.array([zlib.crc32(text.encode()) for text in _meant(asked, first, found)], dtype=np.uint32)
    return CheckedEntry(place, entry, tuple(reasons), found, first if keep else (), digests)


def _meant(asked: QuestionIndex, responses: Sequence[str], found: RescoredEntry) -> Iterator[str]:
    """Yield the prediction or the words of each response, which copied and reformatted responses share."""
    for row, text, read in zip(asked.rows, responses, found.read, strict=True):
        words = row["kind"] == "caption" or read in TOLD
        yield " ".join(text.casefold().split()) if words else read


def check_all(
    board: Board, sources: Mapping[str, Path], *, workers: int = 0, keep: bool = False
) -> tuple[list[CheckedEntry], list[str]]:
    """Rescore all entries of a board in child processes with limits; an entry that crashes one is refused.

    Args:
        board: the board.
        sources: source of the questions of each edition, by its name.
        workers: number of processes; 0 for one per core.
        keep: whether to return responses.

    Returns:
        The entries in their order, and one message per unexpected file.
    """
    places, strays = entries(board)
    workers = min(workers or os.cpu_count() or 1, len(places))
    rank = [edition.name for edition in board.editions]
    own = sorted(places, key=lambda place: (rank.index(place.edition.name), place.model))
    args = [(place, sources[place.edition.name], board.rules, keep) for place in own]
    calls = isolation.each(check_entry, args, workers=max(1, workers))
    checked = [
        CheckedEntry(place, None, (found,)) if isinstance(found, isolation.Failure) else found
        for place, found in zip(own, calls, strict=True)
    ]
    order = {place.title: number for number, place in enumerate(places)}
    checked.sort(key=lambda one: order[one.place.title])
    return [_of_one_model(one, checked) for one in checked], strays


def _of_one_model(one: CheckedEntry, checked: Sequence[CheckedEntry]) -> CheckedEntry:
    """Add conflicts with the first entry of its model."""
    first = next(other for other in checked if other.place.model == one.place.model)
    if one is first or one.entry is None or first.entry is None:
        return one
    odd = tuple(unlike(one.entry.about, first.entry.about, first.place.title))
    return CheckedEntry(one.place, one.entry, (*one.reasons, *odd), one.found, one.responses, one.digests)


def find_duplicates(checked: Sequence[CheckedEntry]) -> Iterator[str]:
    """Yield entries that nearly duplicate another one, or the reference answers."""
    for number, one in enumerate(checked):
        if one.digests is None or one.found is None or len(one.digests) < FEWEST:
            continue
        wrong = int((~one.found.right).sum())
        if wrong <= ALIKE * len(one.digests) and not (one.entry and one.entry.reference):
            yield f"{one.place.title}: equals the reference answers in all but {wrong} of {len(one.digests):,}"
        for other in checked[:number]:
            if other.digests is None or other.place.edition != one.place.edition:
                continue
            differ = int((one.digests != other.digests).sum())
            if differ <= ALIKE * len(one.digests):
                named = "identical" if not differ else f"identical in all but {differ}"
                both = f"its {len(one.digests):,} answers and those of {other.place.model}"
                yield f"{one.place.title}: {both} are {named}"
