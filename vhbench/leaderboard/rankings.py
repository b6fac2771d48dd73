"""Rankings of a board: all entries recomputed and compared pairwise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vhbench.leaderboard.baselines import GUESSERS, Baseline, FixedBaseline, levels
from vhbench.leaderboard.boards import Board, Edition
from vhbench.leaderboard.entries import BoardEntry, ModelInfo, slug
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.people import people
from vhbench.leaderboard.public_fresh_gap import PublicFreshGap, fresh_questions
from vhbench.leaderboard.question_index import QuestionIndex, cached_question_index
from vhbench.leaderboard.reproduction import TIERS
from vhbench.leaderboard.rescoring import RescoredEntry, recompute
from vhbench.leaderboard.validating import CheckedEntry, check_all
from vhbench.schema import VhbenchError
from vhbench.statistics.all_pairs import AllPairs, compare
from vhbench.statistics.clustering import Floats
from vhbench.statistics.sums import Score, Sums
from vhbench.tasks.metrics.registry import headline_of


@dataclass(frozen=True, slots=True)
class BoardModel:
    """A model or baseline on a board."""

    number: int  # its index, models first
    slug: str  # its name in URLs
    about: ModelInfo
    # name of an edition → its entry; empty for built-in baselines
    entries: Mapping[str, BoardEntry] = field(default_factory=dict)
    tiers: Mapping[str, str] = field(default_factory=dict)  # name of an edition → how far its entry is verified

    @property
    def tier(self) -> str:
        """The least verified of its entries' tiers; "" for a built-in baseline."""
        return min(self.tiers.values(), key=TIERS.index, default="")

    @property
    def ranked(self) -> bool:
        """Whether it is a model rather than a baseline."""
        return not self.about.reference


@dataclass(frozen=True, slots=True)
class EditionStandings:
    """Results of an edition."""

    questions: QuestionIndex
    rescorings: Mapping[int, RescoredEntry]  # number of a model → its scores
    responses: Mapping[int, Sequence[str]]  # number of a model → its responses of the first repetition
    ranks: Mapping[int, tuple[int, int]]  # number of a model → its rank range
    members: Sequence[int]  # numbers of the compared models: all with a score
    pairs: Sequence[AllPairs]  # differences of all pairs of members, overall and per subset
    significant: npt.NDArray[np.bool_]  # which of them are significant, shape (1 + subsets, members, members)
    levels: Sequence[FixedBaseline]  # baselines of which only the score is known

    @property
    def edition(self) -> Edition:
        """Which."""
        return self.questions.edition

    def headline(self, number: int) -> Score:
        """Return the ranked score of a model, an empty one without an entry."""
        main, rescoring = self.questions.main, self.rescorings.get(number)
        return rescoring.scores[main.family.name][main.headline] if rescoring else Score(None)


@dataclass(frozen=True, slots=True)
class Rankings:
    """A board, recomputed."""

    board: Board
    models: Sequence[BoardModel]  # models, then baselines
    editions: Sequence[EditionStandings]
    # (public edition, fresh edition) → number of a model → its gap
    drops: Mapping[tuple[str, str], Mapping[int, PublicFreshGap]]
    refused: Sequence[str] = ()  # faulty entries and unexpected files, which are left out, one line each

    @property
    def ranked(self) -> list[BoardModel]:
        """Models without baselines."""
        return [model for model in self.models if model.ranked]

    def of(self, name: str) -> EditionStandings:
        """Return the results of an edition by its name."""
        return next(one for one in self.editions if one.edition.name == name)

    def fall(self, model: "BoardModel", name: str = "") -> tuple[str, PublicFreshGap] | None:
        """Return the fresh edition on which a model falls significantly from a public one ("": any), and its gap."""
        for (public, fresh), gaps in self.drops.items():
            gap = gaps.get(model.number)
            if name in ("", public) and gap is not None and gap.significant and gap.value > 0:
                return fresh, gap
        return None


def rank_entries(board: Board, sources: Mapping[str, Path], *, workers: int = 0) -> Rankings:
    """Recompute a board as by :func:`check_all`, without faulty entries; raise VhbenchError if no entry is left."""
    every, strays = check_all(board, sources, workers=workers, keep=True)
    refused = [line for _, line in strays] + [line for one in every for line in one.refusals]
    checked = [one for one in every if not one.reasons]
    if not checked and refused:
        raise VhbenchError(f"{board.folder}: every entry is rejected; the first: {refused[0]}")
    if not checked:
        raise VhbenchError(f"{board.folder}: expected at least one entry; add a run with `vhbench leaderboard add`")
    models = _models(board, checked)
    editions = [
        _standings(board, cached_question_index(edition, sources[edition.name]), checked, models)
        for edition in board.editions
    ]
    return Rankings(board, models, editions, dict(_drops(board, editions)), refused)


def _models(board: Board, checked: Sequence[CheckedEntry]) -> list[BoardModel]:
    by_model: dict[str, dict[str, BoardEntry]] = {}
    tiers: dict[str, dict[str, str]] = {}
    for one in checked:
        assert one.entry is not None
        by_model.setdefault(one.place.model, {})[one.place.edition.name] = one.entry
        tiers.setdefault(one.place.model, {})[one.place.edition.name] = one.tier
    order = [edition.name for edition in board.editions]
    abouts = {name: entries[min(entries, key=order.index)].about for name, entries in by_model.items()}
    names = sorted(by_model, key=lambda name: (abouts[name].reference != "", name))
    abouts |= (guessers := {_address(one): ModelInfo(name=one.name, reference=one.kind) for one in GUESSERS})
    return [
        BoardModel(number, name, abouts[name], by_model.get(name, {}), tiers.get(name, {}))
        for number, name in enumerate((*names, *guessers))
    ]


def _address(guesser: Baseline) -> str:
    return f"reference_{slug(guesser.name)}"  # no model's folder has "_", so whatever it is called it is another


def _standings(
    board: Board, questions: QuestionIndex, checked: Sequence[CheckedEntry], models: Sequence[BoardModel]
) -> EditionStandings:
    numbers, family = {model.slug: model.number for model in models}, questions.main
    rescorings, responses = dict[int, RescoredEntry](), dict[int, Sequence[str]]()
    for one in checked:
        if one.place.edition == questions.edition and one.rescoring is not None:
            rescorings[numbers[one.place.model]], responses[numbers[one.place.model]] = one.rescoring, one.responses
    for guesser in GUESSERS:
        number = numbers[_address(guesser)]
        responses[number] = guesser.answers(questions)
        rescorings[number] = recompute(questions, list(map(PackedAnswer, responses[number])))
    members, pairs, significant, _, ranks = compare(
        {number: one.apart[family.family.name] for number, one in sorted(rescorings.items())},
        family.clusters,
        {model.number for model in models if model.ranked},
        higher_is_better=headline_of(family.family.name).higher_is_better,
        parts=[(part.places, part.clusters) for part in family.parts],
    )
    known = [*levels(questions), *people(board, questions)]
    return EditionStandings(questions, rescorings, responses, ranks, members, pairs, significant, known)


def _drops(
    board: Board, editions: Sequence[EditionStandings]
) -> Iterator[tuple[tuple[str, str], dict[int, PublicFreshGap]]]:
    """Yield the public–fresh gaps of all comparable pairs of editions."""
    by_name = {one.edition.name: one for one in editions}
    for public, fresh in board.fresh():
        first, second = by_name[public.name], by_name[fresh.name]
        numbers = sorted(set(first.members) & set(second.members))
        # The questions of an edition's ranked score are the same for all of its members.
        both_editions = (first, second) if numbers else ()
        sides = [(one.questions, np.flatnonzero(_sums(one, one.members[0]).about)) for one in both_editions]
        compared = fresh_questions(*sides) if sides else None
        if compared:
            both = [[_sums(edition, number) for edition in (first, second)] for number in numbers]
            outcomes = [(_outcomes(one), _outcomes(new)) for one, new in both]
            best = [(_outcomes(one.at_best), _outcomes(new.at_best)) for one, new in both]
            gaps = compared.drops(outcomes, best)
            yield (public.name, fresh.name), dict(zip(numbers, gaps, strict=True))


def _sums(one: EditionStandings, number: int) -> Sums:
    """Return a model's contributions of each question to the ranked score."""
    sums = one.rescorings[number].apart[one.questions.main.family.name]
    assert sums is not None
    return sums


def _outcomes(sums: Sums) -> Floats:
    outcomes = sums.outcomes
    assert outcomes is not None
    return np.asarray(outcomes, dtype=np.float64)
