"""The analysis of an ODE run: what is imagined next to what, and the curve from standard to fictional."""

import json
import re
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench.analysis import ode_hallucinations
from vhbench.cli import app
from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import chair

WORDS = {"dog": ("puppy",), "boat": (), "sea": (), "fire hydrant": (), "person": ("man",), "cat": ()}


def caption(number: int, criterion: str, response: str, objects: tuple[str, ...], **more: tuple[str, ...]) -> Record:
    return Record(
        id=f"c{number}",
        benchmark="ode",
        kind="caption",
        task="caption",
        criterion=criterion,
        response=response,
        objects=objects,
        scene_ids=(f"s{number}",),
        **more,
    )


def existence(number: int, criterion: str, word: str, answer: str, prediction: str, objects: tuple[str, ...]) -> Record:
    return Record(
        id=f"e{number}",
        benchmark="ode",
        kind="yes_no",
        task="existence",
        criterion=criterion,
        question=f"Is there a {word} in the image?",
        answer=answer,
        response=prediction,
        prediction=prediction,
        objects=objects,
        scene_ids=(f"s{number}",),
    )


RUN = [
    caption(1, "standard", "A dog by the sea.", ("dog", "sea")),
    caption(2, "standard", "A puppy and a boat on the sea.", ("dog", "sea"), candidates=("boat",)),
    caption(3, "fictional", "A dog, a boat and a cat.", ("dog", "fire hydrant"), candidates=("cat",)),
    caption(4, "fictional", "A man with a dog.", ("dog", "sea"), neutral=("person",)),
    existence(5, "standard", "boat", "no", "no", ("dog", "sea")),
    existence(6, "standard", "dog", "yes", "yes", ("dog", "sea")),
    existence(7, "fictional", "boat", "no", "yes", ("fire hydrant",)),
    existence(8, "fictional", "fire hydrant", "yes", "no", ("fire hydrant",)),
]


def test_matrix_counts_what_is_imagined_next_to_each_fact() -> None:
    found = ode_hallucinations.analyse(RUN, WORDS)
    assert found["cooccurrence"] == {
        "dog": {"boat": 2, "cat": 1},
        "fire hydrant": {"boat": 2, "cat": 1},
        "sea": {"boat": 1},
    }
    assert found["hallucinations"] == {"boat": 3, "cat": 1}
    assert found["facts"] == {"dog": 4, "fire hydrant": 1, "sea": 3}


def test_lift_says_how_much_more_often_than_in_general() -> None:
    found = ode_hallucinations.analyse(RUN, WORDS)["lift"]
    # A boat is imagined in 2 of 4 captions and in 1 of the 2 questions that ask for one and mean no. All four captions
    # show a dog, and so does one of the questions: 2 · 4/4 + 1 · 1/2 were to be expected, 2 there are.
    assert found["dog"]["boat"]["lift"] == pytest.approx(2 / 2.5)
    assert found["fire hydrant"]["boat"]["lift"] == pytest.approx(2 / (2 * 1 / 4 + 1 * 1 / 2))
    assert found["sea"]["boat"]["lift"] == pytest.approx(1 / (2 * 3 / 4 + 1 * 1 / 2))
    assert found["fire hydrant"]["cat"]["lift"] == 4, "imagined in one of four captions, the one that shows it"
    assert found["fire hydrant"]["cat"]["interval"] is None
    assert {fact: set(row) for fact, row in found.items()} == {
        fact: set(row) for fact, row in ode_hallucinations.analyse(RUN, WORDS)["cooccurrence"].items()
    }


def test_curve_holds_each_criterions_scores() -> None:
    found = ode_hallucinations.analyse(RUN, WORDS)["curve"]
    assert list(found) == ["standard", "fictional"]
    assert found["standard"]["caption"]["chair_s"]["value"] == 0.5  # one of two captions names a boat
    assert found["standard"]["caption"]["cover"]["value"] == 1.0
    assert found["fictional"]["caption"]["chair_i"]["value"] == 0.5  # boat and cat of dog, boat, cat, dog
    assert found["standard"]["existence"]["f1"]["value"] == 1.0
    assert found["fictional"]["existence"]["f1"]["value"] == 0.0  # of "no", which was said once, of what is there
    assert found["fictional"]["existence"]["accuracy"]["value"] == 0.0


def test_communities_keep_apart_what_never_meets() -> None:
    pairs = {("dog", "boat"): 5, ("sea", "boat"): 4, ("oven", "cup"): 5, ("sink", "cup"): 4}
    assert ode_hallucinations.communities(pairs) == [["boat", "dog", "sea"], ["cup", "oven", "sink"]]
    assert ode_hallucinations.communities({}) == []


def test_neutral_words_and_right_answers_are_not_imagined() -> None:
    matcher = chair.vocabulary_of(WORDS)
    assert ode_hallucinations.hallucinated_concepts(RUN[3], matcher) == set()
    assert ode_hallucinations.hallucinated_concepts(RUN[4], matcher) == set()
    assert ode_hallucinations.hallucinated_concepts(RUN[6], matcher) == {"boat"}


def test_command_writes_json_and_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ode_hallucinations, "asked_vocabulary", lambda records, split: WORDS)
    lines = [json.dumps({"ode": {n: getattr(r, n) for n in Record.__dataclass_fields__}}) for r in RUN]
    (tmp_path / "20250101_samples_ode.jsonl").write_text("\n".join(lines))
    result = CliRunner().invoke(app, ["analyse", "ode", str(tmp_path)])
    assert result.exit_code == 0, result.output
    [row] = [line for line in result.output.splitlines() if line.startswith("  CHAIR_s ↓")]
    assert re.fullmatch(r"  CHAIR_s ↓ +(50\.0 \[\d+\.\d, \d+\.\d\] +){2}2 captions", row), "with its intervals"
    assert "ODE: most frequent hallucinations: boat (3), cat (1)." in result.output
    assert "Co-occurrence (lift): none of 5 object pairs significant (exact tests" in result.output
    assert orjson.loads((tmp_path / "ode_analysis.json").read_bytes())["questions"] == len(RUN)
    with Image.open(tmp_path / "ode_analysis.png") as picture:
        assert picture.width > 1000
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 20


def test_other_benchmarks_are_refused() -> None:
    with pytest.raises(VhbenchError, match="expected responses to questions of ODE; got 1 of other benchmarks"):
        ode_hallucinations.analyse([Record(id="x", benchmark="mioh")], WORDS)


def test_what_is_always_shown_together_is_one_fact_named_after_its_place() -> None:
    """A dog imagined in kitchens is told of kitchens, not of each of the kitchen's furniture."""
    kitchen, street = ("kitchen", "counter", "cooktop", "cabinet"), ("street", "car")
    run = [caption(i, "standard", f"A dog in kitchen {i}.", kitchen) for i in range(12)]
    run += [caption(12 + i, "standard", ("A street.", "The street.", "A car.")[i % 3], street) for i in range(24)]
    words = dict.fromkeys(("dog", *kitchen, *street), ())
    found = ode_hallucinations.analyse(run, words)
    assert found["together"] == {"kitchen": ["cabinet", "cooktop", "counter"], "street": ["car"]}
    assert found["lift"]["kitchen"]["dog"]["lift"] == pytest.approx(3)
    assert found["lift"]["kitchen"]["dog"]["capped"]
    low, high = found["lift"]["kitchen"]["dog"]["simultaneous"]
    assert low < found["lift"]["kitchen"]["dog"]["interval"][0] < high == pytest.approx(3)
    assert "dog is hallucinated 3.0× as often in images with kitchen (cabinet, cooktop, …)" in found["summary"]
    assert "(capped at the estimate)" in found["summary"]
    assert "Co-occurrence (lift): 1 of 1 object pairs significant" in found["summary"]
    groups = {tuple(group["concepts"]): group for group in found["true_communities"]}
    assert groups[tuple(sorted(kitchen))]["rate"] == 1.0
    assert groups[tuple(sorted(street))]["rate"] == 0.0
    assert groups[tuple(sorted(street))]["n"] == 24


def test_a_place_of_an_own_domain_is_known_by_the_questions_about_it() -> None:
    """Its name is in no table of the project; "lorry" would come first by the alphabet."""
    records = [caption(i, "standard", "A lorry.", ("lorry", "motorway")) for i in range(3)]
    words = dict.fromkeys(("lorry", "motorway"), ())
    assert ode_hallucinations.analyse(records, words)["together"] == {"lorry": ["motorway"]}
    place = replace(records[0], id="p", kind="yes_no", task="existence", question_type="place", answer="yes")
    records.append(replace(place, question="Does the image show a motorway?", prediction="yes"))
    assert ode_hallucinations.analyse(records, words)["together"] == {"motorway": ["lorry"]}
