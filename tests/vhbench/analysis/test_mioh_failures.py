"""Perception, integration, drops: worked by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from vhbench.analysis import mioh_failures, mioh_figure
from vhbench.schema import Record, VhbenchError

TYPES = {"comprehensive": "E1", "selective": "E5", "comparative": "E6"}


def answered(
    fact: str, right: bool, mode: str, *, scenes: tuple[str, ...] = ("s",), pressure: str = "easy", place: str = ""
) -> Record:
    pair = f"e1-{fact}" if mode == "comprehensive" else f"{TYPES[mode].lower()}~e1-{fact}"
    return Record(
        id=f"{pair}-{pressure}{place}", benchmark="mioh", answer="A", prediction="A" if right else "B",
        task="existence", mode=mode, pressure=pressure, question_type=TYPES[mode], pair_id=pair,
        choices=() if mode == "comprehensive" else ("Image 1", "Image 2", "Image 3", "None of the above"),
        objects=("dog",), scene_ids=scenes,
    )  # fmt: skip


def in_two_modes(outcomes: list[tuple[bool, bool]]) -> list[Record]:
    """One image set for each pair (comprehensive right, selective right)."""
    return [
        answered(str(i), right, mode, scenes=(f"s{i}", f"t{i}") if mode == "comprehensive" else (f"t{i}", f"s{i}"))
        for i, pair in enumerate(outcomes)
        for mode, right in zip(("comprehensive", "selective"), pair, strict=True)
    ]


def test_failures_by_hand() -> None:
    records = in_two_modes([(True, True), (True, False), (True, False), (False, False)])
    found = mioh_failures.diagnose(records)
    assert (found["n"], found["facts"]) == (4, 4)
    assert (found["perception"]["mean"], found["integration"]["mean"]) == (0.25, 0.5)
    # Guessed: both wrong in 1/2 · 3/4; the first right and the second wrong in as many.
    assert found["perception"]["by_chance"] == found["integration"]["by_chance"] == 3 / 8
    assert found["comparison"] == {"n": 0, "mean": None, "interval": None, "note": "", "by_chance": None}
    text = mioh_failures.analyse(records)["summary"]
    assert "of 4 image sets, 25 % [2, 87] fail in every mode (perception) and 50 % [6, 94] only when" in text


def test_all_modes_fail_only_if_the_comparative_one_does_too() -> None:
    records = in_two_modes([(False, False), (False, False), (True, False)])
    records += [
        answered("0", True, "comparative", scenes=("s0", "t0")),
        answered("1", False, "comparative", scenes=("s1", "t1")),
        answered("2", False, "comparative", scenes=("s2", "t2")),
        answered("2", False, "comparative", scenes=("s2", "elsewhere"), pressure="hn"),  # not among the images
    ]
    found = mioh_failures.diagnose(records)
    assert found["perception"]["mean"] == pytest.approx(1 / 3)
    assert (found["comparison"]["n"], found["comparison"]["mean"]) == (3, pytest.approx(1 / 3))


def test_the_same_question_in_another_order_does_not_count_twice() -> None:
    records = in_two_modes([(True, False)])
    again = answered("0", True, "selective", scenes=("t0", "s0"), pressure="ni2")
    found = mioh_failures.diagnose([*records, again])
    assert (found["n"], found["integration"]["mean"]) == (1, 0.5)


def test_other_facts_about_the_same_images_are_kept_apart() -> None:
    red, blue = answered("1", True, "comprehensive"), answered("2", False, "selective")
    assert mioh_failures.diagnose([red, blue])["n"] == 0


def test_a_share_that_is_always_the_same_is_not_certain() -> None:
    low, high = mioh_failures.diagnose(in_two_modes([(False, False)] * 10))["perception"]["interval"]
    assert (low, high) == (pytest.approx(0.025**0.1), 1.0)


def test_the_words_name_the_main_trouble() -> None:
    def said(outcomes: list[tuple[bool, bool]]) -> str:
        return str(mioh_failures.analyse(in_two_modes(outcomes))["summary"])

    assert "dominant failure mode is keeping the images apart" in said([(True, False)] * 10)
    assert "dominant failure mode is not seeing the objects" in said([(False, False)] * 10)
    assert "seems to be not seeing the objects, but the questions cover only 6 facts" in said([(False, False)] * 6)
    assert "dominant failure mode n/a (5 discordant clusters, need 6)" in said([(False, False)] * 5)
    assert "both are at chance level" in said([(True, False), (False, False), (True, True)] * 10)
    assert "no failure of perception or integration in 9 image sets" in said([(True, True)] * 9)
    assert "cannot be separated" in mioh_failures.analyse([answered("1", True, "selective")])["summary"]


def test_of_one_mode_it_tells_how_often_it_is_right() -> None:
    answers = [answered(str(i), i < 3, "selective", scenes=(f"s{i}", f"t{i}")) for i in range(4)]
    found = mioh_failures.analyse(answers)
    low, high = (100 * end for end in found["failures"]["existence"]["right"]["interval"])
    assert found["summary"].startswith(
        f"Existence: 75 % [{low:.0f}, {high:.0f}] of 4 responses are correct (chance: 25 %); perception and "
        "integration cannot be separated, since no images were used in two modes"
    )


def test_drops_are_paired_and_leave_controls_out() -> None:
    records = []
    for i in range(4):
        records.append(answered(str(i), True, "selective", scenes=(f"a{i}", f"b{i}")))
        records.append(answered(str(i), i > 1, "selective", scenes=(f"a{i}", f"c{i}"), pressure="hp"))
    records.append(answered("9", True, "selective"))
    records.append(answered("9", False, "selective", pressure="hp"))  # the same images: a control
    drop = mioh_failures.pressed_drops(records)["existence"]["hp"]
    assert (drop["n"], drop["mean"]) == (4, 0.5)
    assert drop["interval"][0] <= 0.5 <= drop["interval"][1]
    assert (drop["certain"], drop["p"], drop["differ"], drop["note"]) == (False, None, 2, "too few differ (2)")


def test_other_benchmarks_are_refused() -> None:
    with pytest.raises(VhbenchError, match="none of 1 answers is to a question of MIOH"):
        mioh_failures.analyse([Record(id="x", benchmark="ode")])


def test_an_unknown_question_type_is_refused_with_its_row() -> None:
    odd = replace(answered("1", True, "selective"), question_type="E9")
    with pytest.raises(VhbenchError, match="answer 'e5~e1-1-easy': unknown question_type 'E9': must be one of E1"):
        mioh_failures.analyse([answered("2", True, "selective"), odd])


def test_the_heat_map_is_a_picture_and_shows_what_was_not_asked(tmp_path: Path) -> None:
    found = mioh_failures.analyse([answered("1", True, "selective")])
    rows = list(mioh_figure._accuracies(found["grid"]))
    assert {row.row for row in rows} == {"existence, selective  E5"}
    assert [(row.column, row.value, row.text) for row in rows][:2] == [
        ("easy", 100, "100 (1)"),
        ("NI 2", None, ""),
    ]
    mioh_figure.heat_map(found, tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
