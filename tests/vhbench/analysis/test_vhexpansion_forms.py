"""Whether wrapped pairs lose more than natural ones, worked by hand and on simulated models."""

from typing import Any

import pytest

from vhbench.analysis.vhexpansion_drops import analyse, report
from vhbench.analysis.vhexpansion_forms import by_form
from vhbench.schema import Record
from vhbench.seeding import rng


def pair(case: int, right: tuple[bool, bool], mode: str, image: str = "") -> list[Record]:
    """A question with the answer yes and its negated twin; ``right`` says which of them is answered correctly."""
    shared: dict[str, Any] = {"benchmark": "vhexpansion", "kind": "yes_no", "source": "pope", "pair_id": f"c{case}"}
    shared |= {"scene_ids": (image or f"image{case}",), "mode": mode}
    first, second = ("yes" if right[0] else "no"), ("no" if right[1] else "yes")
    return [
        Record(f"c{case}", answer="yes", prediction=first, response=first, **shared),
        Record(f"c{case}/negated", answer="no", prediction=second, response=second, negated=True, **shared),
    ]


def run(lost: dict[str, tuple[int, int]]) -> list[Record]:
    """Wording → pairs, and how many of them have a wrong twin; every fifth question is answered wrongly."""
    records = []
    for number, (mode, (pairs, wrong)) in enumerate(lost.items()):
        for case in range(pairs):
            records += pair(1000 * number + case, (case % 5 != 4, case >= wrong), mode)
    return records


def test_lost_pairs_are_counted_among_those_with_a_correct_question() -> None:
    cells = by_form({"pope": run({"natural": (50, 5), "wrapped": (20, 10)})})["pope"]
    # Of the cases 0 to 4 and of 0 to 9 every fifth has a wrong question: 4 of 40 and 8 of 16 are lost.
    assert [cells[mode]["right_before"] for mode in cells] == [40, 16]
    assert [cells[mode]["lost"] for mode in cells] == [10, 50]
    assert [cells[mode]["symmetric_accuracy"] for mode in cells] == [72, 40]
    assert cells["wrapped"]["more_lost"] == pytest.approx(40)
    low, high = cells["wrapped"]["more_lost_interval"]
    assert 0 < low < 40 < high
    assert cells["wrapped"]["significant"]
    assert "more_lost" not in cells["natural"]


def test_the_analysis_states_the_mix_and_what_the_wording_costs() -> None:
    found = analyse(run({"natural": (50, 5), "wrapped": (20, 10)}))
    assert found["sources"]["pope"]["clean"]["mix"] == pytest.approx({"natural": 5 / 7, "wrapped": 2 / 7})
    assert "n = 70 (negated twins: natural 71.4 %, wrapped 28.6 %)" in found["summary"]
    assert "After a correct question, wrapped twins fail 40.0 points more often than natural ones" in found["summary"]
    lines = list(report(found))
    assert any(line.startswith("  wrapped") and "+40.0 [" in line and "significant" in line for line in lines)


def test_equal_losses_and_few_pairs_prove_nothing() -> None:
    alike = by_form({"pope": run({"natural": (50, 10), "wrapped": (50, 10)})})["pope"]["wrapped"]
    assert (alike["more_lost"], alike["significant"]) == (0, False)
    few = by_form({"pope": run({"natural": (50, 5), "wrapped": (3, 1)})})["pope"]["wrapped"]
    assert not few["significant"]
    alone = analyse(run({"wrapped": (20, 10)}))
    assert "p" not in alone["forms"]["pope"]["wrapped"]
    assert not any("by wording" in line for line in report(alone))


def test_pairs_about_one_image_are_no_independent_proof() -> None:
    apart, records = run({"natural": (50, 5), "wrapped": (20, 10)}), []
    for case in range(50):
        records += pair(case, (True, case >= 5), "natural")
    for case in range(20):
        records += pair(100 + case, (True, case >= 10), "wrapped", "one")
    assert by_form({"pope": apart})["pope"]["wrapped"]["significant"]
    assert not by_form({"pope": records})["pope"]["wrapped"]["significant"]


def test_equal_wordings_differ_in_at_most_one_of_twenty_samples() -> None:
    found = 0
    for sample in range(100):
        generator = rng(0, "forms", sample)
        lost = {"natural": (60, int(generator.binomial(60, 0.2))), "wrapped": (15, int(generator.binomial(15, 0.2)))}
        found += by_form({"pope": run(lost)})["pope"]["wrapped"]["significant"]
    assert found <= 7
