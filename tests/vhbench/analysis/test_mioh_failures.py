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
    assert found["perception"]["chance"] == found["integration"]["chance"] == 3 / 8
    assert found["comparison"] == {"n": 0, "mean": None, "interval": None, "note": "", "chance": None}
    lines = list(mioh_failures.report(mioh_failures.analyse(records)))
    assert lines[2].split()[:7] == ["existence", "perception", "25.0", "[0.6,", "80.6]", "4", "37.5"]
    assert lines[3].split()[:6] == ["integration", "50.0", "[6.8,", "93.2]", "4", "37.5"]


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


def test_unparsed_responses_are_not_perception_failures() -> None:
    records = in_two_modes([(True, True), (False, False), (True, False)])
    assert mioh_failures.diagnose(records)["perception"]["mean"] == pytest.approx(1 / 3)
    records = [replace(r, prediction="") if r.scene_ids[0] in ("s1", "t2") else r for r in records]
    found = mioh_failures.diagnose(records)
    assert (found["n"], found["perception"]["mean"], found["integration"]["mean"]) == (1, 0, 0)
    assert found["right"]["n"] == 6


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

    mode = "MIOH: Dominant failure mode: existence: "
    assert said([(True, False)] * 10) == f"{mode}integration (objects recognized, images confused)."
    assert said([(False, False)] * 10) == f"{mode}perception (objects not recognized)."
    assert said([(False, False)] * 6) == f"{mode}perception (objects not recognized, in only 6 facts)."
    assert said([(False, False)] * 5) == "MIOH: No dominant failure mode."
    assert said([(True, False), (False, False), (True, True)] * 10) == "MIOH: No dominant failure mode."
    assert said([(True, True)] * 9) == "MIOH: No dominant failure mode."
    assert "cannot be separated" in mioh_failures.analyse([answered("1", True, "selective")])["summary"]


def test_a_type_that_fails_alone_is_printed() -> None:
    found = mioh_failures.analyse(in_two_modes([(True, False)] * 10))
    assert [cause["types"] for cause in found["causes"]] == [("E5",)]
    assert any(line.startswith("  E5 under easy: 0 of 10 correct; expected ") for line in mioh_failures.report(found))


def test_a_failure_mode_that_is_not_testable_says_so() -> None:
    lines = list(mioh_failures.report(mioh_failures.analyse(in_two_modes([(False, False)] * 5))))
    [row] = [line for line in lines if " perception " in line]
    assert row.endswith("n/a (5 discordant clusters, need 6)")


def test_a_significant_drop_without_an_interval_is_reported() -> None:
    # Within the cell all questions share images, so there is no interval; over all cells there are clusters to test.
    drop = {"n": 14, "mean": 1.0, "interval": None, "significant": True, "p": 0.0005, "discordant_clusters": 14}
    drops, failures = {"position": {"ni10": drop}}, mioh_failures.diagnoses({"position": []})
    text = mioh_failures.summary({}, drops)
    assert text == "MIOH position: accuracy drops 100.0 points under NI 10, no CI (one cluster), n = 14."
    lines = list(mioh_failures.report({"failures": failures, "drops": drops, "causes": [], "summary": text}))
    assert lines[2].split() == [
        "position",
        "NI",
        "10",
        "\N{MINUS SIGN}100.0",
        "n/a",
        "14",
        *"significant (p < 0.001)".split(),
    ]


def test_of_one_mode_it_tells_how_often_it_is_right() -> None:
    answers = [answered(str(i), i < 3, "selective", scenes=(f"s{i}", f"t{i}")) for i in range(4)]
    found = mioh_failures.analyse(answers)
    assert found["failures"]["existence"]["right"]["mean"] == 0.75
    assert found["failures"]["existence"]["right"]["chance"] == 0.25
    assert found["summary"].startswith(
        "MIOH: Perception and integration cannot be separated for existence: no images were used in two modes"
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
    assert (drop["significant"], drop["p"], drop["discordant_clusters"], drop["note"]) == (
        False,
        None,
        2,
        "n/a (2 discordant clusters, need 6)",
    )


def test_other_benchmarks_are_refused() -> None:
    with pytest.raises(VhbenchError, match="expected responses to questions of MIOH; got 1 of other benchmarks"):
        mioh_failures.analyse([Record(id="x", benchmark="ode")])


def test_an_unknown_question_type_is_refused_with_its_row() -> None:
    odd = replace(answered("1", True, "selective"), question_type="E9")
    with pytest.raises(VhbenchError, match=r"response 'e5~e1-1-easy': expected a question_type of E1, .*; got 'E9'"):
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
