"""What the questions add to a score adds up to the score that the reports have, of every metric that is compared."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.benchmarks import BENCHMARKS
from vhbench.compare.scored_runs import IN_WORDS, measure
from vhbench.compare.scoring import Group
from vhbench.schema import Record
from vhbench.seeding import rng
from vhbench.tasks import per_sample_scores

NOT_COMPARED = {"chance", "blind_level", "new_cases", "unparsed", "failed", "refused", "cut_off"}


def yes_no(seed: int, number: int = 60) -> list[Record]:
    random = rng(seed, "yes/no")
    return [
        Record(
            f"q{i:03}", benchmark="ode", kind="yes_no", criterion="fictional", task="existence",
            pairing="entity-entity", question_type="existence", scene_ids=(f"s{i // 3}",),
            answer=str(random.choice(["yes", "no"])), prediction=str(random.choice(["yes", "no", "no", ""])),
        )
        for i in range(number)
    ]  # fmt: skip


def pairs(seed: int, number: int = 30) -> list[Record]:
    random = rng(seed, "pairs")
    return [
        Record(
            f"c{i}{'/n' if negated else ''}", benchmark="vhexpansion", kind="yes_no", source="ode",
            pair_id=f"c{i}", scene_ids=(f"s{i // 2}",), negated=negated, answer="no" if negated else "yes",
            prediction=str(random.choice(["yes", "no", ""])),
        )
        for i in range(number)
        for negated in (False, True)[: 1 if i == 0 else 2]  # the first lacks its twin
    ]  # fmt: skip


def choices(seed: int, number: int = 80) -> list[Record]:
    random = rng(seed, "choices")
    return [
        Record(
            f"q{i}", benchmark="mioh", kind="multiple_choice", choices=("a", "b", "c"), answer="A",
            task=("existence", "counting", "position")[i % 3], pressure=("easy", "ni2", "ni8", "hp", "hp+hn")[i % 5],
            mode="selective", question_type="E5", pair_id=f"e5-{i}", scene_ids=(f"s{i // 2}",),
            prediction=str(random.choice(["A", "A", "B", ""])),
        )
        for i in range(number)
    ]  # fmt: skip


GROUPS = {
    "yes_no": (yes_no, Group("ode_fictional_existence", "ode", "yes_no")),
    "pairs": (pairs, Group("vhexpansion_ode", "vhexpansion", "pairs")),
    "multiple_choice": (choices, Group("mioh", "mioh", "multiple_choice")),
}


@settings(max_examples=10)
@given(st.integers(0, 10_000))
@pytest.mark.parametrize("kind", GROUPS)
def test_the_parts_add_up_to_the_score(kind: str, seed: int) -> None:
    make, group = GROUPS[kind]
    records = make(seed)
    found = measure(records, group)
    assert found.apart.keys() == {name for name, score in found.scores.items() if score.value is not None}
    for name, apart in found.apart.items():
        for numbers in (apart.parts, apart.pulls):
            assert 100 * numbers.sum() == pytest.approx(found.scores[name].value, abs=1e-9), name


def test_every_score_of_a_benchmark_is_compared() -> None:
    known = {*per_sample_scores.APART, *per_sample_scores.OF_CAPTIONS}
    for entry in BENCHMARKS.values():
        for family in entry.families.values():
            assert {metric.name for metric in family.metrics} - known <= NOT_COMPARED


CAPTIONS = ["A dog and a cat.", "A dog.", "", "There is a boat, a dog and a person.", "Nothing."]


def test_captions_add_up_by_hand() -> None:
    # hallucinated / mentions: of 2, 1, 0, 3 and 0 mentions, 1, 0, 0 and 2 are not there: 3 of 6.
    counts: Sequence[dict[str, int]] = [
        {"hallucinated": wrong, "mentions": said, "covered": 1, "objects": things}
        for wrong, said, things in ((1, 2, 2), (0, 1, 1), (0, 0, 1), (2, 3, 4), (0, 0, 2))
    ]
    records = [Record(f"c{i}", kind="caption", response=text) for i, text in enumerate(CAPTIONS)]
    chair = per_sample_scores.of("chair_i", records, counts)
    assert chair is not None
    assert chair.parts.sum() == pytest.approx(0.5)
    # Each caption pulls by its hallucinations less half of its mentions, of six in all, beside its share of 0.5.
    assert chair.parts == pytest.approx(np.array([0, -0.5, 0, 0.5, 0]) / 6 + 0.1)
    cover = per_sample_scores.of("cover", records, counts)
    assert cover is not None
    assert cover.parts == pytest.approx(np.full(5, 0.1))
    assert cover.outcomes is None, "captions have different numbers of things"


def test_words_are_those_of_the_captions_given() -> None:
    records = [
        Record("a", kind="caption", response="One two three."),
        Record("b", kind="caption", response="[LMMS_EVAL_REQUEST_FAILED] 404", failure="failed"),
        Record("c", kind="caption", response="One."),
    ]
    found = per_sample_scores.of(IN_WORDS, records)
    assert found is not None
    assert found.parts.sum() == pytest.approx(2)
