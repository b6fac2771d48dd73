"""Recomputed scores of an entry, equal to those of ``vhbench score``.

Everything independent of the responses is shared by all entries of an edition
(:class:`~vhbench.leaderboard.question_index.QuestionIndex`), so a hundred models take a minute instead of an hour.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np
import numpy.typing as npt

from vhbench.benchmarks import benchmark
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import FamilyIndex, QuestionIndex
from vhbench.records import answered, outcome_of
from vhbench.schema import Record
from vhbench.statistics.sums import Score, Sums
from vhbench.tasks.metrics.measuring import Measured, measure
from vhbench.tasks.metrics.metric import Claims
from vhbench.tasks.metrics.registry import board_metrics

# kinds of responses without a prediction, as shares in percent
FAILURES = ("failed", "refused", "abstained", "unread", "cut_off")
# maximum share of differing predictions at which two sets of responses are alike, and minimum number of questions
ALIKE, FEWEST = 0.01, 20
_SHORT = 120  # maximum characters of a response whose prediction is cached, as many models give it
_MOST_CACHED = 150_000  # maximum number of cached predictions per edition


@dataclass(frozen=True, slots=True)
class RescoredEntry:
    """Recomputed results of an entry."""

    scores: Mapping[str, Mapping[str, Score]]  # family → metric → score, in percent
    parts: Mapping[str, Sequence[Score]]  # family → headline scores of its subsets
    # family → contribution of each question to the headline score; None without a score
    apart: Mapping[str, Sums | None]
    failures: Mapping[str, float]  # shares of failed, refused, unparsed and truncated responses, in percent
    withheld: Mapping[str, str]  # family → reason why its score is withheld
    # whether the first response to each question is correct; for a caption, whether it hallucinates nothing
    right: npt.NDArray[np.bool_]
    wrong: npt.NDArray[np.bool_]  # per repetition, whether the response to each question of the headline is not correct
    # prediction of each response, first repetitions first; for a caption, its hallucinations
    predictions: Sequence[str]
    yes: npt.NDArray[np.float32]  # share of yes predictions per question
    tokens: Mapping[str, Mapping[str, float | None]]  # family → its numbers of tokens, where any response has one

    @property
    def near_answers(self) -> str:
        """How few predictions of a repetition differ from the reference answers, as in edited copies; "" if not few."""
        wrong, count = int(self.wrong.sum(axis=1).min()), self.wrong.shape[1]
        few = count >= FEWEST and wrong <= ALIKE * count
        return f"{wrong} of {count:,} predictions differ from the reference answers" if few else ""


def recompute(questions: QuestionIndex, responses: Sequence[PackedAnswer], repeats: int = 1) -> RescoredEntry:
    """Score responses in the order of an edition's questions, all first repetitions before all second ones."""
    count = len(questions.rows)
    records = [parsed(questions, index % count, responses[index]) for index in range(repeats * count)]
    counts = [counted(questions, record) for record in records]
    right = np.array(list(map(_right, records, counts)), dtype=bool).reshape(repeats, count)
    yes = np.array([record.prediction == "yes" for record in records]).reshape(repeats, count).mean(axis=0)
    scores, parts, apart, withheld, tokens = {}, {}, {}, {}, {}
    for name, family in questions.families.items():
        places = family.places.tolist()
        inside = [(number, number * count + place) for number in range(repeats) for place in places]
        members = [_repeated(records[index], number) for number, index in inside]
        measured = _measured(questions, family, members, [counts[index] for _, index in inside])
        scores[name] = {metric.name: measured.score(metric) for metric in board_metrics(name)}
        sums = measured.sums(family.headline)
        apart[name] = sums and sums.by_question(np.tile(np.arange(len(places)), repeats), len(places))
        parts[name] = _parts(family, apart[name])
        if measured.withheld:
            withheld[name] = measured.withheld
        if (lengths := measured.token_counts) is not None:
            tokens[name] = lengths | {"mean": measured.value("tokens")}
    return RescoredEntry(
        scores,
        parts,
        apart,
        _failure_shares(records),
        withheld,
        right[0],
        ~right[:, questions.main.places],
        list(map(_prediction_text, records, counts)),
        yes.astype(np.float32),
        tokens,
    )


def meanings(questions: QuestionIndex, responses: Iterable[str], predictions: Sequence[str]) -> Iterator[str]:
    """Yield the prediction or the words of each response, which copied and reformatted responses share."""
    for row, text, prediction in zip(cycle(questions.rows), responses, predictions, strict=False):
        words = row["kind"] == "caption" or prediction in FAILURES
        yield " ".join(text.casefold().split()) if words else prediction


def parsed(questions: QuestionIndex, place: int, answer: PackedAnswer) -> Record:
    """Return the record of a response, without a long text that is parsed; predictions of frequent ones are cached."""
    if len(answer.text) > _SHORT or answer.cut_off:
        long = answered(questions.rows[place], answer.text, answer.tokens, cut_off=answer.cut_off)
        return replace(long, response="") if long.prediction and long.kind != "caption" else long
    if (record := questions.parsed_records.get((place, answer.text))) is None:
        if len(questions.parsed_records) >= _MOST_CACHED:
            questions.parsed_records.clear()
        record = questions.parsed_records[place, answer.text] = answered(questions.rows[place], answer.text)
    return replace(record, tokens=answer.tokens) if answer.tokens else record


def counted(questions: QuestionIndex, record: Record) -> Claims | None:
    """Return the claims of a caption; None for other responses."""
    return questions.claimed(record) if record.kind == "caption" and questions.claimed else None


def _right(record: Record, counts: Claims | None) -> bool:
    if counts is not None:
        return bool(counts.captions) and not counts.hallucinating
    return outcome_of(record) == record.answer


def _prediction_text(record: Record, counts: Claims | None) -> str:
    if record.failure or counts is None:
        return outcome_of(record) or "unread"
    if not counts.captions:
        return "no caption"
    invented = counts.hallucinated
    return f"{invented} hallucinated" if invented else "nothing invented"


def _repeated(record: Record, number: int) -> Record:
    """Return the record of a repetition with its own id, as in lmms-eval."""
    if not number:
        return record
    mark = f"{number + 1}#"
    return replace(record, id=mark + record.id, pair_id=record.pair_id and mark + record.pair_id)


def _failure_shares(records: Sequence[Record]) -> dict[str, float]:
    sums = dict.fromkeys(FAILURES, 0)
    for record in records:
        if (outcome := outcome_of(record)) in sums:
            sums[outcome] += 1
        elif not (outcome or record.cut_off or record.kind == "caption"):
            sums["unread"] += 1
        sums["cut_off"] += record.cut_off
    return {name: 100 * value / max(len(records), 1) for name, value in sums.items()}


def _measured(
    edition: QuestionIndex, family: FamilyIndex, records: Sequence[Record], claims: Sequence[Claims | None]
) -> Measured:
    """Compute the metrics of a family; repetitions have their own ids."""
    claims_by_id = {record.id: own for record, own in zip(records, claims, strict=True) if own is not None}
    return measure(
        records,
        family.family.name,
        positive=benchmark(edition.edition.benchmark).positive,
        claimed=(lambda record: claims_by_id[record.id]) if claims_by_id else None,
        shared=family.shared if len(records) == len(family.about) else None,
    )


def _parts(family: FamilyIndex, sums: Sums | None) -> list[Score]:
    """Return the headline score of each subset."""
    scores = []
    for part in family.parts:
        about = np.zeros(0, dtype=np.int64) if sums is None else np.flatnonzero(sums.about[part.places])
        part_sums = None if sums is None else sums.within(part.places[about])
        scores.append(Score(None) if part_sums is None else replace(part_sums, clusters=part.clusters.at(about)).score)
    return scores
