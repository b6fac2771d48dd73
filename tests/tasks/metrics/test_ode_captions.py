"""The length of ODE's captions, beside their rates: one rule for the tasks and for ``vhbench score``."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.schema import Record
from vhbench.tasks.metrics import ode_captions
from vhbench.tasks.metrics.measuring import measure

WORDS = {"dog": ["puppy"], "boat": [], "sea": []}
SAID = [
    ("1", "A dog by the sea.", ""),
    ("2", "<think>A boat? No.</think>Two dogs.", ""),
    ("3", "I see a boat on the", ""),
    ("4", "I cannot see any image.", "refused"),
]
RECORDS = [
    Record(
        name,
        kind="caption",
        response=said,
        failure=failure,
        objects=("dog", "sea"),
        scene_ids=(name,),
        cut_off=name == "3",
    )
    for name, said, failure in SAID
]


def test_words_and_what_breaks_off_by_hand() -> None:
    found = ode_captions.score(RECORDS, vocabulary=WORDS)
    assert found["words"] == pytest.approx((5 + 2 + 6) / 3), "of those that were given, without thoughts"
    assert found["cut_off"] == 1 / 4
    assert found["intervals"]["words"] is None, "three captions tell nothing of how long others are"
    more = [replace(r, id=f"{r.id}-{n}", scene_ids=(f"{r.id}-{n}",)) for r in RECORDS for n in range(10)]
    many = ode_captions.score(more, vocabulary=WORDS)
    low, high = many["intervals"]["words"]
    assert low < found["words"] < high


def test_the_table_of_the_tasks_has_the_same() -> None:
    found = ode_captions.score(RECORDS, vocabulary=WORDS)
    table = measure(RECORDS, "caption", claimed=ode_captions.counter(WORDS)).scores
    assert (table["words"].value, table["words"].interval) == (found["words"], found["intervals"]["words"])
    assert table["cut_off"].value == 100 * found["cut_off"]


def test_what_breaks_off_is_seen_in_the_words_of_any_harness() -> None:
    foreign = [{"id": name, "response": said, "objects": ["dog"]} for name, said, _ in SAID]
    assert ode_captions.score(foreign, vocabulary=WORDS)["cut_off"] == 1 / 4


def test_without_captions_there_is_no_length() -> None:
    found = ode_captions.score(RECORDS[3:], vocabulary=WORDS)
    assert (found["words"], found["intervals"]["words"], found["refused"]) == (None, None, 1)


def test_the_command_prints_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vhbench.compare.scoring.vocabulary", lambda split: WORDS)
    answers, questions = tmp_path / "answers.jsonl", tmp_path / "questions.jsonl"
    answers.write_text("\n".join(json.dumps({"id": name, "caption": said}) for name, said, _ in SAID))
    questions.write_text(
        "\n".join(json.dumps({"id": name, "kind": "caption", "objects": ["dog"]}) for name, *_ in SAID)
    )
    told = CliRunner().invoke(
        app, ["score", "captions", "--responses", str(answers), "--questions", str(questions)], catch_exceptions=False
    )
    printed = [line.split()[:2] for line in told.output.splitlines() if line.startswith("  ")]
    assert ["words", "4.3333"] in printed, told.output
    assert ["cut_off", "0.2500"] in printed


def test_what_is_present_likely_and_not_judged_by_hand() -> None:
    known = ode_captions.matcher({"dog": ["puppy"], "boat": [], "sea": [], "man": [], "person": []})
    truth = ode_captions._truth(("dog", "man"), ("boat", "dog"), ("sea",), known)
    assert (truth.present, truth.likely) == ({"dog", "man"}, {"boat"})
    assert {"sea", "person"} <= truth.unjudged
    assert not truth.unjudged & truth.present


def by_judge(response: str, *asserted: str) -> list[Record]:
    """Return three captions of a dog, of which a judge lists what the given ones assert."""
    said = [(str(number), text) for number, text in enumerate([*asserted, "", "", ""][:3])]
    return [replace(RECORDS[0], id=i, scene_ids=(i,), response=response, prediction=text, objects=("dog",))
            for i, text in said]  # fmt: skip


def test_mentions_that_a_judge_removes_are_counted_and_warned_of() -> None:
    found = ode_captions.score(by_judge("A dog on a boat.", "dog", "dog"), vocabulary=WORDS)
    assert found["judge"] == {"mentions": 6, "removed": 2, "chair_i": 0.5}
    assert (found["chair_i"], found["counters"]["mentions"], found["counters"]["hallucinated"]) == (0.25, 4, 1)
    assert found["warnings"] == [
        "the judge removed 2 of 6 mentions that the rules count; CHAIR is 25.0 with it, 50.0 by the rules: captions "
        "may instruct the judge"
    ]


def test_a_judge_that_agrees_is_no_reason_for_a_warning() -> None:
    found = ode_captions.score(by_judge("A dog on a boat.", "dog, boat"), vocabulary=WORDS)
    assert (found["judge"], found["warnings"]) == ({"mentions": 6, "removed": 0, "chair_i": 0.5}, [])
    assert "judge" not in ode_captions.score(by_judge("A dog on a boat."), vocabulary=WORDS)
    none = ode_captions.score(by_judge("A dark room.", "dog"), vocabulary=WORDS)
    assert none["judge"] == {"mentions": 0, "removed": 0, "chair_i": None}


def test_words_that_cannot_be_judged_of_a_record() -> None:
    known = ode_captions.matcher({"dog": [], "sea": [], "man": [], "person": []})
    unjudged = ode_captions.unjudged_of(Record("1", objects=("man",), neutral=("sea",), candidates=("dog",)), known)
    assert {"sea", "person"} <= unjudged
    assert not {"man", "dog"} & unjudged


def test_a_judge_that_removes_all_mentions_is_warned_of_after_other_warnings() -> None:
    records = [replace(one, cut_off=True) for one in by_judge("A dog on a boat.", *["a nice day"] * 3)]
    found = ode_captions.score(records, vocabulary=WORDS)
    assert (found["chair_i"], found["judge"]["removed"]) == (None, 6)
    truncated, judged = found["warnings"]
    assert truncated.startswith("3 of 3 responses (100.0 %) are truncated")
    assert "removed 6 of 6 mentions that the rules count; CHAIR is 0.0 with it, 50.0 by the rules" in judged
