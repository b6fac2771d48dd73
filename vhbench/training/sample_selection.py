"""Which questions are taught: all of an edition, or what a model got wrong there; no answer pays by itself."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vhbench.analysis.ode_hallucinations import hallucinated_concepts
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.records import split_repetition
from vhbench.schema import Question, Record, VhbenchError
from vhbench.seeding import rng

Weigh = Callable[[Question], float]
"""How much a question is wanted, from 0 on."""


@dataclass(slots=True)
class Errors:
    """What a model got wrong.

    Attributes:
        wrong: question id → the answer that was wrong; of several repetitions the first.
        answers: question id → the first answer that was read, right or wrong.
        unread: answers that say nothing, and are no errors: failed, refused, or not to be read.
        counts: kind of question → number of answers, number of wrong ones.
    """

    wrong: dict[str, Record] = field(default_factory=dict)
    answers: dict[str, Record] = field(default_factory=dict)
    unread: int = 0
    counts: dict[str, list[int]] = field(default_factory=dict)


def errors(records: Iterable[Record], matcher: Vocabulary | None) -> Errors:
    """Sort the answers of a run: a closed question that was answered wrongly, a caption that names what is not there.

    Args:
        records: of the run.
        matcher: of the words that captions are searched for; None where there are no captions.
    """
    found = Errors()
    for record in records:
        name = split_repetition(record.id)[1]
        caption = record.kind == "caption"
        if record.failure or not (record.response if caption else record.prediction):
            found.unread += 1
            continue
        wrong = (
            bool(matcher and hallucinated_concepts(record, matcher)) if caption else record.prediction != record.answer
        )
        found.answers.setdefault(name, record)
        told = found.counts.setdefault(record.kind, [0, 0])
        told[0] += 1
        if wrong:
            told[1] += 1
            found.wrong.setdefault(name, record)
    return found


def balanced(wanted: Iterable[str], pool: Sequence[Question], seed: int) -> list[Question]:
    """Return the wanted questions and as many more as make yes and no equally frequent within each type.

    To each comes its mate, the one of its pair with the other answer; where types still lean to one answer, others of
    the type with the other answer are taken, about the same images first. What cannot be evened out is left out. Of
    multiple choice each letter has the same share of its questions: who always says A is never wrong where A is right.

    Args:
        wanted: ids.
        pool: all questions.
        seed: decides between equals.
    """
    asked = {question.id: question for question in pool}
    chosen = {name: asked[name] for name in wanted if name in asked}
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
    """Return id → the questions of its pair with the other answer."""
    pairs: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in pool:
        if question.kind == "yes_no" and question.pair_id:
            pairs[question.pair_id, question.pressure].append(question)
    return {q.id: [m for m in pair if m.answer != q.answer] for pair in pairs.values() for q in pair}


def _type(question: Question) -> tuple[str, ...]:
    """Return what questions are balanced within: their type, by criterion and pressure."""
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
    """Take as large a share of each letter's questions as of that of which most are taken."""
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in members:
        groups[question.answer].append(question)
    taken = {letter: sum(question.id in chosen for question in group) for letter, group in groups.items()}
    share = max(taken[letter] / len(group) for letter, group in groups.items())
    for letter, group in sorted(groups.items()):
        spare = [question for question in group if question.id not in chosen]
        lacking = round(share * len(group)) - taken[letter]
        chosen.update((spare[i].id, spare[i]) for i in random.permutation(len(spare))[: max(0, lacking)])


def units(questions: Iterable[Question]) -> list[list[Question]]:
    """Return what is taken or left together: a yes and a no of one type, those of one pair first; others alone."""
    waiting: dict[tuple[str, ...], dict[str, list[list[Question]]]] = defaultdict(lambda: {"yes": [], "no": []})
    found: list[list[Question]] = []
    open_pairs: dict[tuple[str, ...], Question] = {}
    for question in questions:
        key = (question.pair_id, question.pressure, question.perturbation)
        if question.kind != "yes_no":
            found.append([question])
        elif question.pair_id and key in open_pairs and open_pairs[key].answer != question.answer:
            found.append([open_pairs.pop(key), question])
        else:
            if key in open_pairs:
                waiting[_type(question)][question.answer].append([question])
            else:
                open_pairs[key] = question
    for question in open_pairs.values():
        waiting[_type(question)][question.answer].append([question])
    for sides in waiting.values():
        found += [one + other for one, other in zip(sides["yes"], sides["no"], strict=False)]
    return found


def drawn(questions: Sequence[Question], number: int, seed: int, weigh: Weigh | None = None) -> list[Question]:
    """Return so many questions, drawn without replacement in units of a yes and a no, in their own order.

    Args:
        questions: balanced.
        number: 0 for all.
        seed: decides what is drawn.
        weigh: how much each is wanted; those with weight 0 come last. None: all alike.

    Raises:
        VhbenchError: if there are fewer.
    """
    if not number:
        return list(questions)
    if number > len(questions):
        raise VhbenchError(f"{number:,} questions were asked for, there are only {len(questions):,} that fit")
    random, keyed = rng(seed, "draw"), []
    for place, unit in enumerate(units(questions)):
        weight = sum(map(weigh, unit)) / len(unit) if weigh else 1.0
        # Efraimidis and Spirakis (2006): the largest u^(1/w) are a weighted sample without replacement.
        keyed.append((math.log(1 - random.random()) / weight if weight > 0 else -math.inf, -place, unit))
    taken = set[str]()
    for *_, unit in sorted(keyed, key=lambda entry: entry[:2], reverse=True):
        if len(taken) + len(unit) <= number:
            taken.update(question.id for question in unit)
    return [question for question in questions if question.id in taken]


def by_criterion(questions: Sequence[Question], each: int, seed: int, weigh: Weigh | None = None) -> list[Question]:
    """Return ``each`` questions of each criterion (ODE: 800 of each distribution). Raises as :func:`drawn` does."""
    groups: Mapping[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.criterion].append(question)
    taken = {q.id for group in groups.values() for q in drawn(group, each, seed, weigh)}
    return [question for question in questions if question.id in taken]
