"""How often an analysis claims an effect where there is none, and how often it detects a planted failure.

``python tests/by_hand/false_claims.py`` draws 150 samples without any effect and 30 of each planted failure; ``--full``
1,000 and 200. The responses go through the analyses themselves, to made-up questions, whose number of facts is known,
and to those of the starter splits. Any claim at all may be made in at most 6 % of the samples without an effect (and
three standard errors, as they are simulated); otherwise the exit code is 1.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from scipy.special import ndtri

from vhbench import splits
from vhbench.analysis import mioh_failures, vhexpansion_drops
from vhbench.analysis.lift import Opportunity, compute_lift
from vhbench.benchmarks import pressure_family
from vhbench.builds.starter import starter
from vhbench.columns import RECORD
from vhbench.compare import unpaired
from vhbench.compare.differences import RunComparison
from vhbench.compare.scored_runs import ScoredRun, measure
from vhbench.compare.scoring import Group
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.records import to_record
from vhbench.schema import TIE, Record
from vhbench.seeding import rng

ALLOWED = 0.06
EASY, ALIKE = 0.9, 0.2
"""The rate of correct answers, and the share of a fact, and of its images, in how hard its questions are."""

PERTURBATIONS = ("blur", "jpeg", "noise", "rotate", "shot", "snow")
Claims = Callable[[Sequence[Record]], set[str]]


def mioh(facts: int) -> list[Record]:
    """Return so many facts for each task, each under every pressure, from one pool as dense as the starter's."""
    random, found = rng(0, "claims", facts), list[Record]()
    modes = (mioh_failures.COMPREHENSIVE, mioh_failures.SELECTIVE)
    for task in mioh_failures.TASKS:
        own = {kind.mode: name for name, kind in reversed(QUESTION_TYPES.items()) if kind.task == task}
        for fact in range(facts):
            pair = f"{own[modes[0]]}-{fact}".lower()
            for pressure in PRESSURES:
                images = tuple(f"s{n}" for n in random.choice(48 * facts, 4, replace=False))
                for mode in modes if pressure == "easy" else modes[:1]:
                    name = pair if mode == modes[0] else f"{own[mode].lower()}{TIE}{pair}"
                    found.append(
                        Record(
                            f"{name}-{pressure}", benchmark="mioh", kind="multiple_choice", task=task, mode=mode,
                            pressure=pressure, question_type=own[mode], pair_id=name, answer="A",
                            choices=tuple("abcd"), scene_ids=images,
                        )
                    )  # fmt: skip
    return found


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


def answered(asked: Sequence[Record], planted: str, share: float, random: np.random.Generator) -> list[Record]:
    """Answer correctly at :data:`EASY`; turn a share wrong in rows of all the planted words, such as "existence/hn"."""
    images = {name: random.standard_normal() for name in sorted({name for row in asked for name in row.scene_ids})}
    facts = {name: random.standard_normal() for name in sorted({_fact(row) for row in asked})}
    found = []
    for row in asked:
        hard = facts[_fact(row)] + sum(images[name] for name in row.scene_ids) / sqrt(len(row.scene_ids))
        right = sqrt(ALIKE) * hard + sqrt(1 - 2 * ALIKE) * random.standard_normal() < ndtri(EASY)
        words = {row.task, row.mode, pressure_family(row.pressure), row.pressure, row.perturbation}
        right = right and (not set(planted.split("/")) <= words or random.random() >= share)
        wrong = {"yes": "no", "no": "yes"}.get(row.answer, "B" if row.answer == "A" else "A")
        found.append(replace(row, prediction=row.answer if right else wrong))
    return found


def _fact(row: Record) -> str:
    return f"{row.task}/{row.pair_id.removesuffix(f'/{row.perturbation}').rpartition(TIE)[2]}"


def mioh_claims(rows: Sequence[Record]) -> set[str]:
    """Return the cells whose drop is claimed, such as "existence/hn"."""
    drops = mioh_failures.pressed_drops(rows)
    return {
        f"{task}/{pressure}" for task, cells in drops.items() for pressure in cells if cells[pressure]["significant"]
    }


def trouble_claims(rows: Sequence[Record]) -> set[str]:
    """Return the failure modes that are claimed of a task, such as "existence/integration"."""
    found = mioh_failures.diagnoses({task: [r for r in rows if r.task == task] for task in mioh_failures.TASKS})
    claims = ((task, name, claim) for task, one in found.items() for name, claim in one["failure_mode"].items())
    return {f"{task}/{name}" for task, name, claim in claims if claim["significant"] and claim["mean"] > 0}


def vhexpansion_claims(rows: Sequence[Record]) -> set[str]:
    """Return the perturbations whose drop is claimed."""
    sources = vhexpansion_drops.analyse(rows)["sources"].values()
    return {kind for kinds in sources for kind, score in kinds.items() if score.get("drop_significant")}


def lift_claimed(asked: Sequence[Record], random: np.random.Generator) -> bool:
    """Return whether a lift is claimed where each word is hallucinated at a rate of its own, whatever is shown."""
    captions = [row for row in asked if row.kind == "caption"]
    words = sorted({word for row in captions for word in row.objects})
    rates = dict(zip(words, random.uniform(0.02, 0.3, len(words)), strict=True))
    occasions = []
    for row in captions:
        bold, chances = random.uniform(0.3, 1.7), [word for word in words if word not in row.objects]
        said = frozenset(word for word in chances if random.random() < bold * rates[word])
        occasions.append(Opportunity("caption", row.scene_ids[0], frozenset(row.objects), frozenset(chances), said))
    return any(one["significant"] for beside in compute_lift(occasions).values() for one in beside.values())


def editions(images: int, drop: float, random: np.random.Generator) -> RunComparison:
    """Compare a model on two editions of ODE, three questions about each image, right less often in the second."""
    runs = []
    for name, rate in (("first", 0.75 + drop / 2), ("second", 0.75 - drop / 2)):
        shared = np.repeat(random.standard_normal(images), 3) * sqrt(0.3)
        right = shared + sqrt(0.7) * random.standard_normal(3 * images) < ndtri(rate)
        rows = [
            Record(
                f"{name}{place}", benchmark="ode", kind="yes_no", criterion=("standard", "fictional")[place // 3 % 2],
                question_type="existence", answer=("yes", "no")[place % 2], scene_ids=(f"{name}{place // 3}",),
                prediction=("yes", "no")[(place + (not hit)) % 2],
            )
            for place, hit in enumerate(right.tolist())
        ]  # fmt: skip
        group = Group("", "ode", "yes_no")
        runs.append(ScoredRun(name, {group: measure(rows, group, cells=False)}))
    return unpaired.match(runs)


def claimed(found: RunComparison) -> tuple[bool, bool]:
    """Return whether any difference is claimed, and that of the accuracy."""
    scores = [score for group in found.groups for score in (*group.headlines, *group.cells.values())]
    told = [one.significant for score in scores for one in score.differences]
    return any(told), told[0]


def starter_rows(benchmark: str) -> list[Record]:
    """Return the questions of a starter split, which is built where there is none yet."""
    rows = splits.read_columns(starter(benchmark), list(RECORD))
    return sorted((to_record(row) for _, row in rows), key=lambda record: record.id)


def rate(asked: Sequence[Record], claims: Claims, planted: tuple[str, float], samples: int, cell: str = "") -> float:
    """Return how often a cell is claimed, or any at all."""
    hits = 0
    for number in range(samples):
        found = claims(answered(asked, *planted, rng(1, "claims", len(asked), number)))
        hits += cell in found if cell else bool(found)
    return hits / samples


def families() -> Iterator[tuple[str, str, Sequence[Record], Claims, str, str]]:
    """Yield name, size, questions and claims of each family, what is planted, and the claim that is then correct."""
    for facts in (12, 20, 40, 0):
        choices, pairs = mioh(facts) or starter_rows("mioh"), vhexpansion(facts) or starter_rows("vhexpansion")
        perturbed, size = (
            sorted({row.perturbation for row in pairs} - {""})[0],
            f"{facts} facts" if facts else "starter",
        )
        yield "MIOH: drops under pressures", size, choices, mioh_claims, "existence/hn", "existence/hn"
        integration = ("existence/selective", "existence/integration")
        yield "MIOH: images not kept apart", size, choices, trouble_claims, *integration
        yield "VHExpansion: drops", size, pairs, vhexpansion_claims, perturbed, perturbed


def main() -> int:
    """Print the table."""
    null, plant = (1000, 200) if "--full" in sys.argv else (150, 30)
    limit, worst = ALLOWED + 3 * sqrt(ALLOWED * (1 - ALLOWED) / null), 0.0
    print(f"{null} samples without an effect, {plant} of each planted failure; at most {limit:.0%} false")
    print("| family | size | questions | false | 60 % wrong | all wrong |\n|---|---|---:|---:|---:|---:|", flush=True)
    for name, size, asked, claims, planted, cell in families():
        power = [rate(asked, claims, (planted, share), plant, cell) for share in (0.6, 1.0)]
        false = rate(asked, claims, (planted, 0.0), null)
        worst = max(worst, false)
        print(f"| {name} | {size} | {len(asked):,} | {false:.0%} | {power[0]:.0%} | {power[1]:.0%} |", flush=True)
    asked = starter_rows("ode")
    false = float(np.mean([lift_claimed(asked, rng(1, "lift", number)) for number in range(null)]))
    print(f"| ODE: hallucinated given | starter | {len(asked):,} | {false:.0%} | | |")
    unlike = [claimed(editions(40, 0.0, rng(1, "editions", number)))[0] for number in range(null)]
    found = [claimed(editions(300, 0.1, rng(1, "ten points", number)))[1] for number in range(plant)]
    print(f"| ODE: unpaired editions | 40 images; ten points: 300 | | {np.mean(unlike):.0%} | {np.mean(found):.0%} | |")
    return int(max(worst, false, float(np.mean(unlike))) > limit)


if __name__ == "__main__":
    sys.exit(main())
