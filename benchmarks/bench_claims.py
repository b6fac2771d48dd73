"""How often an analysis claims something where nothing is, and how often it names what was planted.

``python benchmarks/bench_claims.py`` draws 150 samples without any effect and 30 of each planted failure; ``--full``
1,000 and 200; ``--family`` and ``--size`` choose lines of the table. The answers go through the analyses themselves,
and are to questions of two kinds: laid out here, so that the number of facts is known, and those of the starter splits
as they are. What is demanded of each family: any claim at all in at most 6 % of the samples without an effect (and
three standard errors, as they are simulated); otherwise the exit code is 1.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from scipy.special import ndtri

from vhbench import splits
from vhbench.analysis import mioh_failures, vhexpansion_drops
from vhbench.analysis.lift import Occasion, lifts
from vhbench.benchmarks import pressure_family
from vhbench.builds.starter import starter
from vhbench.columns import RECORD
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.records import to_record
from vhbench.schema import TIE, Record
from vhbench.seeding import rng

ALLOWED = 0.06
EASY = 0.9
"""How often questions are answered rightly."""

ALIKE = 0.2
"""The share of a fact in how hard its questions are, and that of their images."""

PERTURBATIONS = ("blur", "jpeg", "noise", "rotate", "shot", "snow")
Planted = Mapping[str, float]
"""Words that all stand in a row, as "existence/hn" of ``vhbench_oracle``'s ``wrong`` → share of its right answers."""


def mioh(facts: int) -> list[Record]:
    """Return the questions of a MIOH split: so many facts for each task, each under every pressure, from one pool."""
    random, found = rng(0, "claims", facts), list[Record]()
    pool = 48 * facts  # a tenth of all pairs of twins share an image, as in the starter split
    for task in mioh_failures.TASKS:
        kinds = {mode: _kind(task, mode) for mode in (mioh_failures.COMPREHENSIVE, mioh_failures.SELECTIVE)}
        for fact in range(facts):
            first = f"{kinds[mioh_failures.COMPREHENSIVE]}-{fact}".lower()
            for pressure in PRESSURES:
                images = tuple(f"s{n}" for n in random.choice(pool, 4, replace=False))
                for mode, kind in kinds.items():
                    pair = first if mode == mioh_failures.COMPREHENSIVE else f"{kind.lower()}{TIE}{first}"
                    if mode == mioh_failures.SELECTIVE and pressure != "easy":
                        continue
                    found.append(
                        Record(
                            f"{pair}-{pressure}", benchmark="mioh", kind="multiple_choice", task=task, mode=mode,
                            pressure=pressure, question_type=kind, pair_id=pair, answer="A", choices=tuple("abcd"),
                            scene_ids=images,
                        )
                    )  # fmt: skip
    return found


def _kind(task: str, mode: str) -> str:
    return next(name for name, kind in QUESTION_TYPES.items() if (kind.task, kind.mode) == (task, mode))


def vhexpansion(cases: int) -> list[Record]:
    """Return pairs of questions, clean and perturbed, two cases about each image."""
    return [
        Record(
            f"c{case}/{kind}/{negated}", benchmark="vhexpansion", kind="yes_no", source="pope", perturbation=kind,
            pair_id=f"c{case}/{kind}" if kind else f"c{case}", negated=negated, answer="no" if negated else "yes",
            scene_ids=(f"s{case // 2}",),
        )
        for case in range(cases)
        for kind in ("", *PERTURBATIONS)
        for negated in (False, True)
    ]  # fmt: skip


def answered(asked: Sequence[Record], planted: Planted, random: np.random.Generator) -> list[Record]:
    """Answer rightly at :data:`EASY`, alike where facts or images are the same, and fail where it is planted."""
    images = {name: random.standard_normal() for name in sorted({name for row in asked for name in row.scene_ids})}
    facts = {name: random.standard_normal() for name in sorted({_fact(row) for row in asked})}
    found = []
    for row in asked:
        hard = facts[_fact(row)] + sum(images[name] for name in row.scene_ids) / sqrt(len(row.scene_ids))
        right = sqrt(ALIKE) * hard + sqrt(1 - 2 * ALIKE) * random.standard_normal() < ndtri(EASY)
        words = {row.task, row.mode, pressure_family(row.pressure), row.pressure, row.perturbation}
        share = max((one for case, one in planted.items() if set(case.split("/")) <= words), default=0.0)
        right = right and random.random() >= share
        wrong = {"yes": "no", "no": "yes"}.get(row.answer, "B" if row.answer == "A" else "A")
        found.append(replace(row, prediction=row.answer if right else wrong))
    return found


def _fact(row: Record) -> str:
    return f"{row.task}/{row.pair_id.removesuffix(f'/{row.perturbation}').rpartition(TIE)[2]}"


def mioh_claims(rows: Sequence[Record]) -> set[str]:
    """Return the cells whose drop is claimed, and the tasks whose main trouble is."""
    drops = mioh_failures.pressed_drops(rows)
    return {f"{task}/{pressure}" for task, cells in drops.items() for pressure in cells if cells[pressure]["certain"]}


def trouble_claims(rows: Sequence[Record]) -> set[str]:
    """Return the tasks and the troubles that are claimed of them, such as "existence/integration"."""
    found = mioh_failures.diagnoses({task: [r for r in rows if r.task == task] for task in mioh_failures.TASKS})
    return {
        f"{task}/{name}"
        for task, one in found.items()
        for name, claim in one["trouble"].items()
        if claim["certain"] and claim["mean"] > 0
    }


def vhexpansion_claims(rows: Sequence[Record]) -> set[str]:
    """Return the perturbations whose cost is claimed."""
    sources = vhexpansion_drops.analyse(rows)["sources"].values()
    return {kind for kinds in sources for kind, score in kinds.items() if score.get("drop_certain")}


def lift_claimed(asked: Sequence[Record], random: np.random.Generator) -> bool:
    """Tell whether anything is said to be imagined more beside one thing, where each word has its own rate, no more."""
    captions = [row for row in asked if row.kind == "caption"]
    words = sorted({word for row in captions for word in row.objects})
    rates = dict(zip(words, random.uniform(0.02, 0.3, len(words)), strict=True))
    given = []
    for row in captions:
        bold, chances = random.uniform(0.3, 1.7), [word for word in words if word not in row.objects]
        said = frozenset(word for word in chances if random.random() < bold * rates[word])
        shown = frozenset(row.objects)
        given.append(Occasion("caption", row.scene_ids[0], shown, frozenset(chances), said))
    return any(one["certain"] for beside in lifts(given).values() for one in beside.values())


def starter_rows(benchmark: str) -> list[Record]:
    """Return the questions of a starter split, which is built where there is none yet."""
    found = []
    for _, group in splits.read_columns(starter(benchmark), list(RECORD)):
        found += [to_record(dict(zip(group, row, strict=True))) for row in zip(*group.values(), strict=True)]
    return sorted(found, key=lambda record: record.id)


def rate(
    asked: Sequence[Record],
    claims: Callable[[Sequence[Record]], set[str]],
    planted: Planted,
    samples: int,
    cell: str = "",
) -> float:
    """Return how often a cell is claimed, or any at all."""
    hits = 0
    for number in range(samples):
        found = claims(answered(asked, planted, rng(1, "claims", len(asked), number)))
        hits += cell in found if cell else bool(found)
    return hits / samples


@dataclass(frozen=True)
class Family:
    """Claims that are made together.

    Attributes:
        name: of the analysis.
        asked: the questions.
        claims: answered questions → what is claimed.
        planted: what is planted to see whether it is named.
        cell: the name of the claim that is then right.
        size: of the questions, in words.
    """

    name: str
    asked: Sequence[Record]
    claims: Callable[[Sequence[Record]], set[str]]
    planted: str
    cell: str
    size: str


DROPS, TROUBLES, COSTS, BESIDE = (
    "MIOH: drops under pressures", "MIOH: images not kept apart", "VHExpansion: costs", "ODE: imagined beside",
)  # fmt: skip
"""The families of claims."""

STARTER = "starter"
SIZES = (*(f"{facts} facts" for facts in (12, 20, 40)), STARTER)


def families(size: str) -> Iterator[Family]:
    """Yield every family of paired claims at one size, or as the starter splits ask it."""
    facts = 0 if size == STARTER else int(size.split()[0])
    multiple, pairs = mioh(facts) or starter_rows("mioh"), vhexpansion(facts) or starter_rows("vhexpansion")
    perturbed = sorted({row.perturbation for row in pairs} - {""})[0]
    yield Family(DROPS, multiple, mioh_claims, "existence/hn", "existence/hn", size)
    yield Family(TROUBLES, multiple, trouble_claims, "existence/selective", "existence/integration", size)
    yield Family(COSTS, pairs, vhexpansion_claims, perturbed, perturbed, size)


def lines(
    names: Sequence[str], sizes: Sequence[str], null: int, plant: int
) -> Iterator[tuple[str, int, str, float, Sequence[float]]]:
    """Yield each line of the table: family, number of questions, size, false alarms, and how often each is found."""
    for one in (one for size in sizes for one in families(size) if one.name in names):
        power = [rate(one.asked, one.claims, {one.planted: share}, plant, one.cell) for share in (0.6, 1.0)]
        false = rate(one.asked, one.claims, {}, null)
        yield one.name, len(one.asked), one.size, false, power
    if BESIDE in names and STARTER in sizes:
        asked = starter_rows("ode")
        hits = [lift_claimed(asked, rng(1, "lift", number)) for number in range(null)]
        yield BESIDE, len(asked), STARTER, float(np.mean(hits)), []


def main() -> int:
    """Print the table."""
    names = (DROPS, TROUBLES, COSTS, BESIDE)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="draw 1,000 and 200 samples in place of 150 and 30")
    parser.add_argument("--family", action="append", choices=names, help="show this family alone (may be repeated)")
    parser.add_argument("--size", action="append", choices=SIZES, help="show this size alone (may be repeated)")
    options = parser.parse_args()
    null, plant = (1000, 200) if options.full else (150, 30)
    limit = ALLOWED + 3 * sqrt(ALLOWED * (1 - ALLOWED) / null)
    print(f"{null} samples without an effect, {plant} of each planted failure; at most {100 * limit:.0f} % false")
    print(f"{'family':<32}{'questions':>10}{'size':>10}{'false':>8}{'60 %':>8}{'100 %':>8}", flush=True)
    worst = 0.0
    for name, asked, size, false, power in lines(options.family or names, options.size or SIZES, null, plant):
        worst = max(worst, false)
        shown = "".join(f"{100 * one:>7.0f}%" for one in (false, *power))
        print(f"{name:<32}{asked:>10,}{size:>10}{shown}{'   TOO MANY' if false > limit else ''}", flush=True)
    return int(worst > limit)


if __name__ == "__main__":
    sys.exit(main())
