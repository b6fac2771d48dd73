"""Selection of training questions: a split or a model's errors, with balanced answers."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vhbench.analysis.ode_hallucinations import hallucinated_concepts
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.records import split_repetition
from vhbench.schema import Question, Record, VhbenchError
from vhbench.seeding import rng

Weigh = Callable[[Question], float]  # sampling weight of a question, at least 0


@dataclass(slots=True)
class Errors:
    """A model's errors."""

    wrong: dict[str, Record] = field(default_factory=dict)  # question id → incorrect answer, the first of several
    answers: dict[str, Record] = field(default_factory=dict)  # question id → first parsed answer, correct or not
    unread: int = 0  # responses that are not errors: failed, refused or unparsed
    counts: dict[str, list[int]] = field(default_factory=dict)  # kind → numbers of answers and of incorrect ones
    matcher: Vocabulary | None = None  # vocabulary of captions; None without captions


def errors(records: Iterable[Record], matcher: Vocabulary | None) -> Errors:
    """Return a run's incorrect answers to closed questions and hallucinating captions."""
    answers = Errors(matcher=matcher)
    for record in records:
        name = split_repetition(record.id)[1]
        caption = record.kind == "caption"
        if record.failure or not (record.response if caption else record.prediction):
            answers.unread += 1
            continue
        wrong = (
            bool(matcher and hallucinated_concepts(record, matcher)) if caption else record.prediction != record.answer
        )
        answers.answers.setdefault(name, record)
        tally = answers.counts.setdefault(record.kind, [0, 0])
        tally[0] += 1
        tally[1] += wrong
        if wrong:
            answers.wrong.setdefault(name, record)
    return answers


def balanced(ids: Iterable[str], pool: Sequence[Question], seed: int) -> list[Question]:
    """Return the questions of these ids plus others of the pool that balance yes and no within each type.

    Each comes with its mate, the question of its pair with the opposite answer. If a type is still unbalanced, others
    of the type with the opposite answer are added, about the same images first; the remaining surplus is left out. In
    multiple choice, each letter has the same share of its questions, so that always answering A is not rewarded.
    """
    by_id = {question.id: question for question in pool}
    chosen = {name: by_id[name] for name in ids if name in by_id}
    mates = _mates(pool)
    for name in list(chosen):
        for mate in mates.get(name, ())[:1]:
            chosen.setdefault(mate.id, mate)
    types: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    letters: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in pool:
        if question.kind == "yes_no":
            types[_type(question)].append(question)
        elif question.kind == "multiple_choice":
            letters[question.benchmark, question.source, question.question_type].append(question)
    for key, members in sorted(types.items()):
        _even_out(chosen, members, rng(seed, "balance", *key))
    for key, members in sorted(letters.items()):
        _fill_letters(chosen, members, rng(seed, "letters", *key))
    return [question for question in pool if question.id in chosen]


def _mates(pool: Iterable[Question]) -> dict[str, list[Question]]:
    """Return id → the questions of its pair with the opposite answer."""
    pairs: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in pool:
        if question.kind == "yes_no" and question.pair_id:
            pairs[question.pair_id, question.pressure].append(question)
    return {q.id: [m for m in pair if m.answer != q.answer] for pair in pairs.values() for q in pair}


def _type(question: Question) -> tuple[str, ...]:
    """Return the stratum of balancing: a question's type, by criterion and pressure."""
    return question.benchmark, question.source, question.question_type, question.criterion, question.pressure


def _even_out(chosen: dict[str, Question], members: Sequence[Question], random: np.random.Generator) -> None:
    sides: dict[str, list[Question]] = {"yes": [], "no": []}
    for question in members:
        if question.id in chosen:
            sides[question.answer].append(question)
    less, more = sorted(sides.values(), key=len)
    lacking = len(more) - len(less)
    if not lacking:
        return
    answer = "no" if more is sides["yes"] else "yes"
    seen = {image for question in more for image in question.scene_ids}
    spare = [q for q in members if q.id not in chosen and q.answer == answer]
    order = [spare[i] for i in random.permutation(len(spare))]
    order.sort(key=lambda question: seen.isdisjoint(question.scene_ids))
    chosen.update((question.id, question) for question in order[:lacking])
    for i in random.permutation(len(more))[: max(0, lacking - len(order))]:
        del chosen[more[int(i)].id]


def _fill_letters(chosen: dict[str, Question], members: Sequence[Question], random: np.random.Generator) -> None:
    """Raise each letter's share of questions to that of the most frequent letter."""
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in members:
        groups[question.answer].append(question)
    counts = {letter: sum(question.id in chosen for question in group) for letter, group in groups.items()}
    share = max(counts[letter] / len(group) for letter, group in groups.items())
    for letter, group in sorted(groups.items()):
        spare = [question for question in group if question.id not in chosen]
        lacking = round(share * len(group)) - counts[letter]
        chosen.update((spare[i].id, spare[i]) for i in random.permutation(len(spare))[: max(0, lacking)])


def units(questions: Iterable[Question]) -> list[list[Question]]:
    """Return sampling units: a yes and a no of one type, of the same pair first; others alone."""
    waiting: dict[tuple[str, ...], dict[str, list[list[Question]]]] = defaultdict(lambda: {"yes": [], "no": []})
    pairs: list[list[Question]] = []
    open_pairs: dict[tuple[str, ...], Question] = {}
    for question in questions:
        key = (question.pair_id, question.pressure, question.perturbation)
        if question.kind != "yes_no":
            pairs.append([question])
        elif question.pair_id and key in open_pairs and open_pairs[key].answer != question.answer:
            pairs.append([open_pairs.pop(key), question])
        elif key in open_pairs:
            waiting[_type(question)][question.answer].append([question])
        else:
            open_pairs[key] = question
    for question in open_pairs.values():
        waiting[_type(question)][question.answer].append([question])
    for sides in waiting.values():
        pairs += [one + other for one, other in zip(sides["yes"], sides["no"], strict=False)]
    return pairs


def drawn(questions: Sequence[Question], number: int, seed: int, weigh: Weigh | None = None) -> list[Question]:
    """Return a sample without replacement, in units of a yes and a no, in the original order; all for 0.

    Questions are balanced before; those with weight 0 come last (:func:`_weighted_units`). Raises if there are fewer.
    """
    if not number:
        return list(questions)
    if number > len(questions):
        raise VhbenchError(f"expected at least {number:,} matching questions, got {len(questions):,}")
    random = rng(seed, "draw")
    pairs = units(questions)
    order = np.argsort(random.random(len(pairs)), kind="stable").tolist()
    ids = set[str]()
    for unit in _weighted_units(questions, weigh, random) if weigh else (pairs[index] for index in order):
        room = number - len(ids)
        fitting = unit if len(unit) <= room and room - len(unit) != 1 else unit[:2]  # no pair fits the last row
        if len(fitting) <= room:
            ids.update(question.id for question in fitting)
    return [question for question in questions if question.id in ids]


_LEANING = 3.0  # ratio of the mean weights of two answers from which the heavier one is sampled twice as often


def _weighted_units(
    questions: Sequence[Question], weigh: Weigh, random: np.random.Generator
) -> Iterator[list[Question]]:
    """Yield sampling units, led by a weighted sample without replacement (Efraimidis and Spirakis, 2006: u^(1/w)).

    A yes or no is followed by one of its type with the other answer: its mate, or if that weighs less than half as much
    (the initial case of a negated twin that is failed), the next of the sample; the mates of both follow every second
    time, so that not all questions are negated. Where a model fails one answer, it is sampled twice, and the other one
    once: enough to make up for the model's bias, and not for "no" to be a safe guess.
    """
    weights = {question.id: weigh(question) for question in questions}
    keys = {n: math.log(1 - random.random()) / weight if weight > 0 else -math.inf for n, weight in weights.items()}
    order = sorted(questions, key=lambda question: -keys[question.id])
    mates = _mates(questions)
    sides: dict[tuple[str, ...], dict[str, list[Question]]] = defaultdict(lambda: {"yes": [], "no": []})
    for question in reversed(order):
        if question.kind == "yes_no":
            sides[_type(question)][question.answer].append(question)
    failed = {key: _failed_answer(both, weights) for key, both in sides.items()}
    used, alone = set[str](), set[tuple[str, ...]]()

    def free(side: Sequence[Question]) -> Question | None:
        return next((question for question in side if question.id not in used), None)

    def best(key: tuple[str, ...], answer: str) -> Question | None:
        side = sides[key][answer]
        while side and side[-1].id in used:
            side.pop()
        return side[-1] if side else None

    for question in order:
        if question.id in used:
            continue
        if question.kind != "yes_no":
            yield [question]
            continue
        key = _type(question)
        other = best(key, "no" if question.answer == "yes" else "yes")
        if other is None:  # nothing balances it
            continue
        mate = free(mates.get(question.id, ()))
        together = mate is not None and 2 * weights[mate.id] >= weights[other.id]
        unit = [question, mate if mate and together else other]
        used.update(member.id for member in unit)
        more = [best(key, failed[key])] if failed[key] else []
        if not more and mate and not together:
            more = [mate, free(mates.get(other.id, ()))] if key in alone else []
            alone ^= {key}
        unit += [member for member in more if member] if all(more) else []
        used.update(member.id for member in unit)
        yield unit


def _failed_answer(sides: Mapping[str, Sequence[Question]], weights: Mapping[str, float]) -> str:
    """Return the answer whose questions weigh several times as much as those of the other one, or ""."""
    means = {answer: sum(weights[q.id] for q in side) / max(1, len(side)) for answer, side in sides.items()}
    least, most = sorted(means, key=lambda answer: means[answer])
    return most if means[most] > _LEANING * means[least] > 0 else ""


def by_criterion(questions: Sequence[Question], each: int, seed: int, weigh: Weigh | None = None) -> list[Question]:
    """Return ``each`` questions per criterion (ODE: 800). Raises as :func:`drawn`."""
    groups: Mapping[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.criterion].append(question)
    ids = {q.id for group in groups.values() for q in drawn(group, each, seed, weigh)}
    return [question for question in questions if question.id in ids]
