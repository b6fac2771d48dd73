"""Perception, integration, drops: worked by hand. And people's judgments."""

import json
from pathlib import Path

import pytest

from vhbench.analysis import mioh, review
from vhbench.schema import Question, Record, VhbenchError


def answered(name: str, right: bool, mode: str, *, scenes: tuple[str, ...] = ("s",), pressure: str = "easy") -> Record:
    return Record(
        id=name, benchmark="mioh", answer="A", prediction="A" if right else "B", task="existence", mode=mode,
        pressure=pressure, question_type="E1" if mode == "comprehensive" else "E5", pair_id=name.partition("-")[0],
        objects=("dog",), scene_ids=scenes,
    )  # fmt: skip


def test_failures_by_hand() -> None:
    outcomes = [(True, True), (True, False), (True, False), (False, False)]
    records = [
        answered(f"{mode}{i}", right, mode, scenes=(f"s{i}", "t"))
        for i, pair in enumerate(outcomes)
        for mode, right in zip(("comprehensive", "selective"), pair, strict=True)
    ]
    found = mioh.diagnose(records)
    assert (found["n"], found["perception"]["mean"], found["integration"]["mean"]) == (4, 0.25, 0.5)
    text = mioh.analyse(records)["summary"]
    assert "25% fail in every mode (perception) and 50%" in text
    assert "keeping the images apart" in text


def test_drops_are_paired_and_leave_controls_out() -> None:
    records = []
    for i in range(4):
        records.append(answered(f"q{i}-easy", True, "selective", scenes=("a", "b")))
        records.append(answered(f"q{i}-hp", i > 1, "selective", scenes=("a", "c"), pressure="hp"))
    records.append(answered("q9-easy", True, "selective"))
    records.append(answered("q9-hp", False, "selective", pressure="hp"))  # the same images: a control
    drop = mioh.pressed_drops(records)["hp"]
    assert (drop["n"], drop["mean"]) == (4, 0.5)
    assert drop["interval"][0] <= 0.5 <= drop["interval"][1]


def test_other_benchmarks_are_refused() -> None:
    with pytest.raises(VhbenchError, match="none of 1 answers is to a question of MIOH"):
        mioh.analyse([Record(id="x", benchmark="ode")])


def test_the_heat_map_is_a_picture(tmp_path: Path) -> None:
    mioh.heat_map(mioh.grid([answered("q", True, "selective")]), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_majority_votes_by_hand() -> None:
    answers = {"q1": "A", "q2": "A", "q3": "yes"}
    votes = [
        {"q1": "A", "q2": "B", "q3": "yes"},
        {"q1": "A", "q2": "B", "q3": "no"},
        {"q1": "C", "q2": "A", "q3": "unclear"},
    ]
    verdict = review.tally(votes, answers)
    assert verdict["kept"] == ["q1"]
    assert [(d["id"], d["why"]) for d in verdict["dropped"]] == [("q2", "majority says B"), ("q3", "no majority")]
    assert verdict["agreement"] == 4 / 9


def test_a_page_holds_no_answer_and_no_markup_of_the_data() -> None:
    nasty = "</script><img src=x onerror=alert(1)>"
    q = Question("q<b>", (b"\x89PNG....",), nasty, "C", "multiple_choice", "mioh", choices=(nasty, "b", "c"))
    page = review.page([q], "hash")
    assert "</script><img" not in page
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data["questions"][0]["text"] == nasty
    assert "answer" not in data["questions"][0]


def test_judgments_of_another_split_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ann.json"
    path.write_text('{"hash": "other", "judgments": {"q": "A"}}')
    with pytest.raises(VhbenchError, match="another content hash"):
        review.read_judgments(path, "mine")
    path.write_text('{"hash": "mine", "judgments": {"q": "F"}}')
    with pytest.raises(VhbenchError, match="question q: judgment 'F' must be one of yes, no, A"):
        review.read_judgments(path, "mine")
