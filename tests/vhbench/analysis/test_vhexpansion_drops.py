"""Accuracy drops by perturbation, worked by hand, and the command that reports them."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench.analysis.vhexpansion_drops import analyse, report
from vhbench.cli import app
from vhbench.schema import Record, VhbenchError


def pair(case: int, kind: str, right: tuple[bool, bool], **more: Any) -> list[Record]:
    """A question with the answer yes and its negated twin; ``right`` says which of them is answered rightly."""
    name = f"c{case}/{kind}" if kind else f"c{case}"
    shared: dict[str, Any] = {"benchmark": "vhexpansion", "kind": "yes_no", "source": "pope", "pair_id": name}
    shared |= {"perturbation": kind, "scene_ids": (f"image{case}",), **more}
    first, second = ("yes" if right[0] else "no"), ("no" if right[1] else "yes")
    return [
        Record(name, answer="yes", prediction=first, response=first, **shared),
        Record(f"{name}/negated", answer="no", prediction=second, response=second, negated=True, **shared),
    ]


def run() -> list[Record]:
    """Twenty cases: clean 18 pairs right; jpeg 18, other ones; blur 1 of 19, its twentieth case was not built."""
    both, one = (True, True), (True, False)
    records = []
    for case in range(20):
        records += pair(case, "", one if case in (0, 1) else both)
        records += pair(case, "jpeg", one if case in (1, 2) else both)
        if case != 19:
            records += pair(case, "blur", both if case == 0 else one)
    return records


def test_the_drop_is_taken_over_the_cases_that_both_have() -> None:
    scores = analyse(run())["sources"]["pope"]
    assert list(scores) == ["clean", "blur", "jpeg"]
    assert scores["clean"]["symmetric_accuracy"] == 90
    assert "drop" not in scores["clean"]
    # blur: of the cases 0 to 18, 17 are right clean and 1 blurred (case 0, wrong clean): (17 - 1) / 19.
    assert scores["blur"]["shared_cases"] == 19
    assert scores["blur"]["symmetric_accuracy"] == pytest.approx(100 / 19)
    assert scores["blur"]["drop"] == pytest.approx(100 * 16 / 19)
    low, high = scores["blur"]["drop_interval"]
    assert 0 < low < 100 * 16 / 19 < high <= 100
    assert (scores["blur"]["drop_significant"], scores["blur"]["drop_discordant_clusters"]) == (True, 18)
    assert scores["blur"]["drop_p"] == pytest.approx(38 / 2**18, abs=2e-4)  # McNemar's: 17 of 18 turned wrong
    # jpeg: case 0 becomes right, case 2 wrong.
    assert scores["jpeg"]["drop"] == 0
    low, high = scores["jpeg"]["drop_interval"]
    assert low < 0 < high


def test_the_summary_names_what_costs_most_and_only_what_is_certain() -> None:
    found = analyse(run())
    low, high = found["sources"]["pope"]["blur"]["drop_interval"]
    clean = "95 % CI [{:.1f}, {:.1f}]".format(*found["sources"]["pope"]["clean"]["interval"])
    assert found["summary"] == (
        f"VHExpansion pope: clean symmetric accuracy is 90.0 %, {clean}, n = 20: not significantly above its "
        "permutation baseline (90.0 %), so no evidence that the model uses the image. "
        f"Symmetric accuracy drops 84.2 points under blur, 95 % CI [{low:.1f}, {high:.1f}], n = 19."
    )
    harmless = analyse([record for record in run() if record.perturbation != "blur"])["summary"]
    assert harmless.endswith("No significant change under any perturbation.")
    rows = {line.split()[0]: line for line in report(found) if line.startswith("  ")}
    assert rows["jpeg"].endswith("20       n/a (2 discordant clusters, need 6)")
    assert rows["blur"].endswith("19       significant (p < 0.001)")
    assert f"\N{MINUS SIGN}84.2 [\N{MINUS SIGN}{high:.1f}, \N{MINUS SIGN}{low:.1f}]" in rows["blur"]
    assert rows["clean"].endswith("20       not above baseline")


def test_one_case_that_turned_wrong_proves_nothing() -> None:
    records = []
    for case in range(50):
        records += pair(case, "", (True, True))
        records += pair(case, "jpeg", (case != 0, True))
    found = analyse(records)
    assert found["sources"]["pope"]["jpeg"]["drop"] == 2
    assert found["sources"]["pope"]["jpeg"]["drop_interval"][0] < 0
    assert found["summary"].endswith("No significant change under any perturbation.")


def test_a_guesser_is_told_apart_from_nothing() -> None:
    guesses = [(True, True), (True, False), (False, True), (False, False)] * 5
    records = [record for case, right in enumerate(guesses) for record in pair(case, "", right)]
    assert "not significantly above its permutation baseline (25.0 %), so no evidence" in analyse(records)["summary"]


def test_a_yes_to_each_original_and_a_no_to_each_twin_tell_nothing() -> None:
    records = [record for case in range(20) for record in pair(case, "", (True, True))]
    flipped = {"yes": "no", "no": "yes"}
    records = [replace(r, answer=flipped[r.answer]) if r.pair_id in ("c1", "c3") else r for r in records]
    clean = analyse(records)["sources"]["pope"]["clean"]
    assert (clean["symmetric_accuracy"], clean["permutation_baseline"], clean["chance"]) == (90, 90, 90)
    assert "not significantly above its permutation baseline (90.0 %), so no evidence" in analyse(records)["summary"]


def test_questions_about_one_image_make_no_certainty() -> None:
    # 20 cases that a blur turns wrong: all about one image, so that nothing can be said about others.
    records = []
    for case in range(20):
        records += pair(case, "", (True, True), scene_ids=("image",))
        records += pair(case, "blur", (True, False), scene_ids=("image",))
    blur = analyse(records)["sources"]["pope"]["blur"]
    assert (blur["drop"], blur["drop_interval"]) == (100, None)
    assert any("\N{MINUS SIGN}100.0 n/a" in line for line in report(analyse(records)))


def test_a_run_without_clean_questions_and_with_halves() -> None:
    blurred = [record for record in run() if record.perturbation == "blur"][1:]
    found = analyse(blurred)
    assert found["sources"]["pope"]["blur"]["drop"] is None
    assert found["sources"]["pope"]["blur"]["incomplete_pairs"] == 1
    assert found["summary"] == (
        "VHExpansion pope: no clean pair was answered, so no accuracy drop is available. "
        "Responses without their twin, left out: 1."
    )


def test_a_perturbation_of_other_cases_has_no_drop() -> None:
    found = analyse([*pair(0, "", (True, True)), *pair(1, "jpeg", (True, False))])
    assert found["sources"]["pope"]["jpeg"]["drop"] is None
    assert found["summary"].endswith(
        "No accuracy drop for jpeg: no case was also evaluated clean (--limit samples tasks separately)."
    )


def test_sources_stay_apart() -> None:
    records = [*pair(0, "", (True, True)), *pair(0, "", (True, False), source="ode")]
    found = analyse(records)["sources"]
    assert [found[name]["clean"]["symmetric_accuracy"] for name in ("ode", "pope")] == [0, 100]


def test_other_benchmarks_are_no_answer() -> None:
    with pytest.raises(VhbenchError, match="expected responses to questions of VHExpansion; got 1 of other benchmarks"):
        analyse([Record("a", benchmark="ode")])


def test_the_command_writes_numbers_and_a_picture(tmp_path: Path) -> None:
    samples = tmp_path / "model" / "2026_samples_vhexpansion_pope_all.jsonl"
    samples.parent.mkdir()
    samples.write_text("\n".join(json.dumps({"accuracy": asdict(record)}) for record in run()))
    result = CliRunner().invoke(app, ["analyse", "vhexpansion", str(tmp_path), "--out", str(tmp_path / "report")])
    assert result.exit_code == 0, result.output
    assert "Symmetric accuracy drops 84.2 points under blur" in result.output
    written = json.loads((tmp_path / "report" / "vhexpansion_analysis.json").read_text())
    written.pop("text_only_baseline", None)  # what the command adds where there are images enough
    assert written.pop("provenance") == {}, "nothing tells where these answers come from"
    [note] = written.pop("notes")
    assert note.startswith("vhexpansion_pope_all: its samples have no provenance")
    assert written == json.loads(json.dumps(analyse(run())))
    with Image.open(tmp_path / "report" / "vhexpansion_analysis.png") as picture:
        assert picture.width > 800
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 10


def test_the_command_says_what_is_wrong_with_its_results(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["analyse", "vhexpansion", str(tmp_path / "none")])
    assert isinstance(result.exception, VhbenchError)
    assert "no such file or folder" in str(result.exception)


def test_of_an_attack_it_tells_how_many_right_answers_turned() -> None:
    # Clean: of 4 originals 3 are right (not case 3). Attacked: cases 0 and 3 are wrong, so one of three turned.
    records = []
    for case in range(4):
        records += pair(case, "", (case != 3, True))
        records += pair(case, "ifgsm", (case not in (0, 3), False))
    found = analyse(records)
    told = found["sources"]["pope"]["ifgsm"]
    assert (told["right_before"], told["turned_wrong"]) == (3, 1)
    assert told["success_rate"] == pytest.approx(100 / 3)
    low, high = told["success_interval"]
    assert low < 100 / 3 < high
    assert (
        f"ifgsm: attack success rate 33.3 % of 3 initially correct responses, 95 % CI [{low:.1f}, {high:.1f}]."
        in found["summary"]
    )
    assert "success_rate" not in analyse(run())["sources"]["pope"]["jpeg"]


@pytest.mark.parametrize("unread", [{"failure": "failed"}, {}])
def test_a_response_to_an_attack_that_is_neither_yes_nor_no_is_told_beside_the_rate(unread: dict[str, str]) -> None:
    """Of 40 right before, one is wrong after and one is neither: 1 of 39, and 1 to 2 of 40."""
    records = []
    for case in range(40):
        records += pair(case, "", (True, True))
        first, twin = pair(case, "ifgsm", (case != 0, True))
        records += [replace(first, prediction="", response="", **unread) if case == 39 else first, twin]
    found = analyse(records)
    told = found["sources"]["pope"]["ifgsm"]
    assert (told["right_before"], told["turned_wrong"], told["unread_after"]) == (39, 1, 1)
    assert told["success_rate"] == pytest.approx(100 / 39)
    assert told["success_bounds"] == [2.5, 5.0]
    more = "ifgsm: 1 more responses are neither yes nor no after the attack; counting them, the rate is 2.5 to 5.0 %."
    assert more in found["summary"]
