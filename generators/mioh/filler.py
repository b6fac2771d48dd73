"""Generation of the MIOH cells: 26 question types under each pressure.

The text of a question is sampled first and accepted only if images exist for *every* answer to it. The answer is then
assigned. It is thus independent of the text, and a text-only baseline stays at chance.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest
from typing import Any, Final

import numpy as np

from vhbench.benchmarks import pressure_family
from vhbench.generators.mioh.answer_options import Balance
from vhbench.generators.mioh.drafts import NO, NONE, Block, Draft
from vhbench.generators.mioh.fact_sampling import FactSampler
from vhbench.generators.mioh.facts import Fact
from vhbench.generators.mioh.items import (
    ANSWERS,
    Item,
    PlacedDraft,
    by_answer,
    in_pairs,
    none_ahead,
    same_images,
    too_few,
)
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.pressures import PRESSURES, Pressure
from vhbench.generators.mioh.question_assembly import ask
from vhbench.generators.mioh.question_types import QUESTION_TYPES, QuestionType
from vhbench.generators.mioh.scene_finder import SceneFinder
from vhbench.protocols import bare
from vhbench.schema import TIE, Question, Rejection
from vhbench.seeding import rng

Group = tuple[tuple[str, ...], int]
"""Key of :attr:`Item.group`."""

_, *_PRESSED = PRESSURES
_BASES: Final = {kind.tied_to for kind in QUESTION_TYPES.values()}
_TRIES: Final = 60  # texts sampled per requested question before a cell is abandoned
_TRIES_AT_LEAST: Final = 1500  # the same, minimum for small cells
_PATIENCE: Final = 800  # texts sampled per accepted text before a cell is abandoned
_AT_LEAST: Final = 500  # candidate texts that suffice for small cells
_TRIES_AGAIN: Final = 8  # attempts at a second twin with other images
_TIED: Final = 1_000_000  # first number of tied items
_LEAST: Final = 8  # easy questions without which a type is left out
_ASKED_BEFORE: Final = "asked before"
_RESERVE: Final = 12  # candidate texts per easy question, to prefer those that can be pressed


@dataclass
class Cell:
    """Requested and generated questions of one (question type, pressure)."""

    size: int
    reason: str = ""
    rows: list[Question] = field(default_factory=list)
    forms: Counter[str] = field(default_factory=Counter)
    balance: Balance = field(default_factory=Balance)
    places: dict[tuple[int, bool], Balance] = field(default_factory=lambda: defaultdict(Balance))
    scenes: set[int] = field(default_factory=set)

    def full(self) -> bool:
        """Return whether the cell has all requested questions."""
        return len(self.rows) >= self.size


class Filler:
    """Generator of the cells of one question type."""

    def __init__(
        self, kind: QuestionType, pool: ScenePool, sizes: Mapping[str, Mapping[str, int]], *, seed: int, source: str
    ) -> None:
        """Set up the cells.

        Args:
            kind: question type.
            pool: scene pool.
            sizes: type → pressure → requested questions, including those of the type this one is tied to.
            seed: random seed of the split.
            source: value of the column ``source``.
        """
        self.kind, self.pool, self.sizes, self.seed, self.source = kind, pool, sizes, seed, source
        self.cells = {p: Cell(sizes[kind.id].get(p, 0)) for p in PRESSURES}
        self.needed = [p for p, cell in self.cells.items() if cell.size and p != "easy"]
        self.images = SceneFinder(pool, kind)
        self.tried = Counter[str]()
        self._found = set[tuple[str, Hashable]]()  # pressures and contents of the questions
        self._asked = set[Hashable]()  # contents of those in a cell

    def fill(self) -> Iterator[Question | Rejection]:
        """Yield the questions of every cell, then a rejection for a type left out, or for each incomplete cell."""
        items = self.items()
        if len(items) < min(_LEAST, (self._target + 1) // 2):
            yield self._left_out(len(items))
            return
        for item in items:
            self._emit(item, "easy")
        for pressure in _PRESSED:
            self._press(items, pressure)
            if not self.cells[pressure].full():
                self._press(self._again(items, pressure), pressure)
        for cell in self.cells.values():
            yield from cell.rows
        yield from self._unfilled()

    def items(self) -> list[Item]:
        """Return the easy questions with the images of their pressed twins."""
        items = self._sample_items()
        if self.kind.id in _BASES:  # reused by the types tied to this one
            self.pool.shared(self._key(), lambda: items)
        return self._best(items, self._target)

    def _key(self) -> tuple[Any, ...]:
        """Return everything that the questions of a pool depend on."""
        return "found", self.kind.id, self.seed, *self.sizes[self.kind.id].items()

    def _tied(self, deal: Balance, generator: np.random.Generator) -> list[Item]:
        """Return questions of the tied type converted to this mode, about the same images."""
        if self.kind.tied_to not in self.sizes:
            return []
        other = Filler(QUESTION_TYPES[self.kind.tied_to], self.pool, self.sizes, seed=self.seed, source=self.source)
        # Whether images may be shown is checked again: exclusions are reported per type.
        bases, items = other._best(self.pool.shared(other._key(), other._sample_items), other._target), []
        for again in self.kind.again(self.kind.text, [base.draft for base in bases], deal, generator):
            base = bases[again.base]
            settled = self._settle_all(again.block, generator)
            if settled is None:
                continue
            same = tuple(base.scenes[slot] for slot in again.slots)
            slots = again.draft.slots
            if not self.images.suit(slots, same):
                continue
            pressed = self._pressed(again.draft, same, self.needed, generator)
            settled[again.answer] = PlacedDraft(again.draft, same, pressed)
            item = self._easy(_TIED + base.number, settled, again.answer)
            twins = {
                p: twin
                for p, twin in same_images(again.slots, base).items()
                if PRESSURES[p].images or self.images.suit(slots, twin, hp=PRESSURES[p].hp, hn=PRESSURES[p].hn)
            }
            pressed = {p: twins.get(p, twin) for p, twin in item.pressed.items()}
            new = self._new(replace(item, pressed=pressed, base=f"{self.kind.tied_to.lower()}-{base.number}"))
            items += [new] if new else []
        return items

    @property
    def _target(self) -> int:
        """Return the number of easy questions needed, including those only needed for pressing."""
        return self.cells["easy"].size or max(cell.size for cell in self.cells.values())

    def _sample_items(self) -> list[Item]:
        """Sample texts until enough have images for every answer."""
        facts, target = askable(self.kind, self.pool), self._target
        if not target or len(facts) < self.kind.asks:
            return []
        items, new = list[Item](), self._tied(Balance(), rng(self.seed, "mioh", self.kind.id, "tied"))
        able = Counter[Group]()  # items that can be pressed in every way needed
        deals: dict[tuple[Hashable, ...], Balance] = defaultdict(Balance)  # numbers, pressures → balance of answers
        chooser = FactSampler(facts, self.kind, self.pool)
        answers = rng(self.seed, "mioh", self.kind.id, "answers")
        for number in range(max(_TRIES * target, _TRIES_AT_LEAST)):
            generator = rng(self.seed, "mioh", self.kind.id, number)
            item = self._item(number, chooser, deals, answers, generator)
            new += [item] if item else []
            for other in new:
                able[other.group] += all(map(other.fits, self.needed))
            items += new
            news = new or number == 0
            if number >= _PATIENCE * (1 + len(items)) or (news and self._enough(items, able, target)):
                break
            new = []
        return items

    def _enough(self, items: Sequence[Item], able: Mapping[Group, int], target: int) -> bool:
        """Return whether there are enough candidates, or enough fully pressable ones per answer."""
        if len(items) + self.tried[_ASKED_BEFORE] >= max(_RESERVE * target, _AT_LEAST):
            return True
        if len(items) < target or not items or min(able.values()) * len(able) < target:
            return False
        # Without another answer, the one that presence determines would be the most frequent.
        return not any(item.draft.by_presence for item in items) or len({item.answer for item in items}) >= ANSWERS

    def _best(self, items: list[Item], target: int) -> list[Item]:
        """Keep the most pressable items, new facts and tied items first, balanced over answers."""
        seen = Counter[frozenset[Fact]]()
        repeats = {}
        for item in sorted(items, key=lambda item: item.number):
            repeats[item.number] = seen[frozenset(item.draft.facts)]
            seen[frozenset(item.draft.facts)] += 1
        ranked = sorted(
            items,
            key=lambda item: (
                -sum(p in item.pressed for p in self.needed if pressure_family(p) != "curve"),
                repeats[item.number] if item.number < _TIED else 0,
                item.number < _TIED,
                item.number,
            ),
        )
        groups = self._groups(ranked)
        turns = [groups[answer] for answer in self._turned(list(groups), items)]
        even = min(map(len, turns)) if len(turns) > 1 else 0  # no answer is more frequent than another by more than one
        dealt = filter(None, chain.from_iterable(islice(zip_longest(*turns), even + 1)))
        return none_ahead(list(islice((item for item in dealt if self.pool.fit(item.scenes)), target)))

    def _groups(self, items: Sequence[Item]) -> dict[Group, list[Item]]:
        """Return the items of each answer; yes/no questions such that numbers of things tell nothing."""
        yes_no = self.kind.task in ("attribute", "position") and self.kind.id[1] in "12"
        return by_answer(in_pairs(items, self.pool.number) if yes_no else items)

    def _turned(self, answers: Sequence[Group], items: Sequence[Item], pressure: str = "easy") -> list[Group]:
        """Return the order in which answers take turns, going on from the pressures before.

        An answer that presence determines comes last, so it is never the most frequent. Otherwise the first one is
        random, and "None of the above" the third of each five of a family, which rounds its fifth of them.
        """
        by_presence = any(item.draft.by_presence for item in items)
        before = [*self.cells][: [*self.cells].index(pressure)]
        family = [p for p in before if pressure_family(p) == pressure_family(pressure)]
        start = 0 if by_presence else int(rng(self.seed, "mioh", self.kind.id, "turns").integers(5))
        start = (start + sum(self.cells[p].size for p in before)) % max(1, len(answers))
        none = {item.group for item in items if item.draft.answer == NONE}.intersection(answers)
        turns = [answer for answer in (*answers[start:], *answers[:start]) if answer not in none]
        for answer in none:
            turns.insert((2 - sum(self.cells[p].size for p in family)) % 5, answer)
        return turns

    def _item(
        self,
        number: int,
        chooser: FactSampler,
        deals: Mapping[tuple[Hashable, ...], Balance],
        answers: np.random.Generator,
        generator: np.random.Generator,
    ) -> Item | None:
        drawn = chooser.draw(generator)
        if len(drawn) < self.kind.asks:
            return None
        drawn = tuple(sorted(drawn, key=self.pool.number))  # the right option is balanced by this order
        settled = self._settle_all(self.kind.shape(self.kind.text, drawn, generator), generator)
        if settled is None:
            self.tried["no images for every answer"] += 1
            return None
        chooser.note_success()
        numbers = [*map(self.pool.number, drawn)]
        key = *(numbers if len(drawn) == 1 else [n > numbers[0] for n in numbers]), *self._ways(settled)
        return self._new(self._easy(number, settled, deals[key].deal(range(len(settled)), answers)))

    def _new(self, item: Item) -> Item | None:
        """Return a question without the twins that ask what another one does, or None if it does so itself."""
        if not self._is_new(item, "easy"):
            self.tried[_ASKED_BEFORE] += 1
            return None
        return replace(item, pressed={p: twin for p, twin in item.pressed.items() if self._is_new(item, p)})

    def _is_new(self, item: Item, pressure: str) -> bool:
        """Return whether no question before was the same under a pressure, and note this one."""
        before = len(self._found)
        self._found.add((pressure, item.content(pressure)))
        return len(self._found) > before

    def _easy(self, number: int, settled: Sequence[PlacedDraft], answer: int) -> Item:
        """Return the question with one answer, and the twins that exist for every answer."""
        right = settled[answer]
        self.images.note(right.scenes)
        twins = {p: twin for p, twin in right.pressed.items() if all(entry.fits(p) for entry in settled)}
        return Item(right.draft, right.scenes, twins, number, answer)

    def _ways(self, settled: Sequence[PlacedDraft]) -> tuple[str, ...]:
        """Return the pressures under which every entry has a twin."""
        return tuple(pressure for pressure in self.needed if all(entry.fits(pressure) for entry in settled))

    def _settle_all(self, block: Block, generator: np.random.Generator) -> list[PlacedDraft] | None:
        """Return images for every answer, or None without them."""
        settled, ways = list[PlacedDraft](), self.needed
        for forms in block:
            placed = self._settle(forms, ways, generator)
            if placed is None:
                return None
            settled.append(placed)
            ways = [pressure for pressure in ways if placed.fits(pressure)]
        return settled

    def _settle(
        self, forms: Sequence[Draft], ways: Sequence[str], generator: np.random.Generator
    ) -> PlacedDraft | None:
        """Return the first variant with images that can be pressed in the most ways."""
        best, most = None, -1
        for draft in forms:
            scenes = self.images.pick(draft.slots, generator)
            if scenes is not None:
                entry = PlacedDraft(draft, scenes, self._pressed(draft, scenes, ways, generator))
                number = sum(map(entry.fits, ways))
                if number > most:
                    best, most = entry, number
                if most == len(ways):
                    break
        return best

    def _pressed(
        self, draft: Draft, scenes: tuple[int, ...], ways: Sequence[str], generator: np.random.Generator
    ) -> dict[str, tuple[int, ...]]:
        """Return the images of the pressed twin for each possible pressure."""
        twins, longer = dict[str, tuple[int, ...] | None](), scenes
        for pressure in ways:
            if images := PRESSURES[pressure].images:  # in ascending order: more images continue fewer ones
                further = range(len(longer) - len(scenes), images - len(scenes))
                slots = [draft.fillers[i % len(draft.fillers)] for i in further]
                longer += self.images.pick(slots, generator, others=longer) or ()
                twins[pressure] = longer[:images] if len(longer) >= images >= max(draft.least, 2) else None
            else:
                twins[pressure] = self._hardened(draft, scenes, PRESSURES[pressure], generator)
        return {p: twin for p, twin in twins.items() if twin is not None}

    def _hardened(
        self, draft: Draft, scenes: tuple[int, ...], pressure: Pressure, generator: np.random.Generator
    ) -> tuple[int, ...] | None:
        """Replace only the images that the pressure affects; return None if it affects none."""
        hp, hn = pressure.hp, pressure.hn
        places = [i for i, slot in enumerate(draft.slots) if any(slot.under(hp, hn))]
        unchanged = [s for i, s in enumerate(scenes) if i not in places]
        slots = [draft.slots[i] for i in places]
        new = self.images.pick(slots, generator, hp=hp, hn=hn, others=unchanged)
        if new is None:
            return None
        twin = list(scenes)
        for i, scene in zip(places, new, strict=True):
            twin[i] = scene
        return None if {*twin} == {*scenes} else tuple(twin)

    def _press(self, items: Sequence[Item], pressure: str) -> None:
        """Add pressed twins, with answer frequencies within one of each other.

        Whether the images may be shown together is checked lazily, since few of all twins are needed.
        """
        cell = self.cells[pressure]
        able = {item.group for item in items if not too_few(pressure, item.draft)}
        fit = self._groups([item for item in items if pressure in item.pressed])
        waiting = {answer: fit.get(answer, []) for answer in sorted(able)}
        turns, even = self._turned(list(waiting), items, pressure), True
        while even and any(waiting.values()) and not cell.full():
            even = all(waiting.values())
            for answer in turns:
                if not cell.full() and (item := self._next(waiting[answer], pressure)):
                    self._emit(item, pressure)

    def _next(self, waiting: list[Item], pressure: str) -> Item | None:
        """Pop items until one has a pressed twin that may be shown, and that no question is about already."""
        while waiting:
            item = waiting.pop(0)
            if self.pool.fit(item.pressed[pressure]) and item.content(pressure) not in self._asked:
                return item
        return None

    def _again(self, items: Sequence[Item], pressure: str) -> list[Item]:
        """Sample second twins with other images if a cell is larger than the easy one."""
        if self.cells[pressure].size <= self.cells["easy"].size:
            return []
        again = []
        for item in (item for item in items if pressure in item.pressed and self.pool.fit(item.pressed[pressure])):
            generator = rng(self.seed, "mioh", self.kind.id, item.number, pressure, "again")
            for _ in range(_TRIES_AGAIN):
                twin = self._hardened(item.draft, item.scenes, PRESSURES[pressure], generator)
                if twin is None or not self.pool.fit(twin):
                    continue
                new = replace(item, pressed={pressure: twin}, again=True)
                if self._is_new(new, pressure):
                    again.append(new)
                    break
        return again

    def _emit(self, item: Item, pressure: str) -> None:
        cell = self.cells[pressure]
        if cell.full():
            return
        generator = rng(self.seed, "mioh", self.kind.id, item.number, pressure)
        scenes = item.scenes if pressure == "easy" else item.pressed[pressure]
        self._asked.add(item.content(pressure))
        cell.scenes.update(scenes)
        cell.forms[item.draft.form or "one form"] += 1
        name = self.kind.id.lower()
        pair = f"{name}{TIE}{item.base}" if item.base else f"{name}-{item.number}"
        row = {"id": f"{pair}-{pressure}{'-2' if item.again else ''}", "pair_id": pair, "pressure": pressure}
        images = [bare(self.pool.scenes, index) for index in scenes]
        places = cell.places[len(images), item.draft.answer in (NO, NONE)]
        cell.rows.append(ask(self.kind, item.draft, images, cell.balance, places, generator, source=self.source, **row))

    def used(self) -> list[int]:
        """Return the scenes shown in any question."""
        return sorted(set().union(*(cell.scenes for cell in self.cells.values())))

    def tally(self) -> dict[str, Any]:
        """Return, per cell, the requested and generated question counts, their variants, and why some are missing."""
        return {
            f"{self.kind.id}/{pressure}": {"wanted": cell.size, "asked": len(cell.rows), "forms": dict(cell.forms)}
            | ({"reason": cell.reason} if cell.reason else {})
            for pressure, cell in self.cells.items()
            if cell.size
        }

    def _left_out(self, number: int) -> Rejection:
        """Leave out a type of which the pool has hardly any easy question, under all pressures."""
        for cell in self.cells.values():
            cell.reason = f"type left out: {self._scarce()}"
        return Rejection(self.kind.id, f"type left out: {self._scarce()}", {"found": number, **self.tried})

    def _unfilled(self) -> Iterator[Rejection]:
        for pressure, cell in self.cells.items():
            if not cell.full():
                pressed = "too few easy questions with some reference answer allow this pressure"
                cell.reason = f"cell not filled: {self._scarce() if pressure == 'easy' else pressed}"
                detail = {"wanted": cell.size, "found": len(cell.rows), **self.tried}
                yield Rejection(f"{self.kind.id}/{pressure}", cell.reason, detail)

    def _scarce(self) -> str:
        """Return what the pool lacks for easy questions."""
        if len(askable(self.kind, self.pool)) < self.kind.asks:
            if self.kind.task == "counting" and self.kind.asks > 1:
                return "too few categories of which images show one, two and three instances"
            return f"the source has no suitable annotations for {self.kind.task} questions"
        if self.kind.task in ("attribute", "position"):
            return "too few images in which all options are decidable"
        return "too few questions with image sets for each of their answers"


def askable(kind: QuestionType, pool: ScenePool) -> Sequence[Fact]:
    """Return the facts that a question type can be about."""
    if kind.task == "attribute":
        return pool.attribute_facts()
    if kind.task == "position":
        return pool.relation_facts()
    facts = pool.existence_facts()
    if kind.task == "counting" and kind.asks > 1:
        return [fact for fact in facts if pool.numerous(fact.category)]
    # Categories that suggest the others by design are not useful distractors among them.
    return [fact for fact in facts if fact.category not in pool.suggesting] if kind.together else facts
