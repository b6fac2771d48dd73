"""Attacked pairs in a built split: which direction, within epsilon, resumable, and what the split says about them."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters.vlms import TransformersVLM
from vhbench.analysis.transfer import transfer
from vhbench.builds import sharding
from vhbench.builds.row_ids import RowNames
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.builds.vhexpansion_attack import attack_facts, attack_table
from vhbench.card import write_card
from vhbench.cli import app
from vhbench.schema import Row, Scene, VhbenchError
from vhbench.seeding import rng

QUESTION = "Is there a dog in the image?"
named = RowNames(0, "vhexpansion").of


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two images, asked whether there is a dog: yes, no."""
    with (tmp_path / "cases.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["id", "image", "question", "answer"])
        table.writeheader()
        for number, answer in enumerate(("yes", "no")):
            pixels = rng(number, "picture").integers(0, 256, (30, 40, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / f"{number}.png")
            table.writerow({"id": f"q{number}", "image": f"{number}.png", "question": QUESTION, "answer": answer})
    return tmp_path / "cases.csv"


@pytest.fixture
def folder(tiny_vlm: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "cache"))
    return tiny_vlm("llava")


def build(source: Path, folder: Path) -> VHExpansionBuild:
    return VHExpansionBuild(source=f"table:{source}", perturb=(), attack=("ifgsm",), model=(str(folder),), steps=4)


def pixels(row: Row) -> np.ndarray[Any, np.dtype[np.int16]]:
    image = row.question.images[0]
    data = image if isinstance(image, bytes) else image.read_bytes()
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(np.int16)


def test_a_tiny_model_that_always_fails_is_kept_failing(source: Path, folder: Path) -> None:
    """It babbles: neither yes nor no, so that every case counts as failed and is kept similar."""
    items = list(build(source, folder).make(0))
    rows = {item.question.id: item for item in items if isinstance(item, Row)}
    assert set(rows) == {f"q{n}{form}{twin}" for n in (0, 1) for form in ("", "/ifgsm") for twin in ("", "/negated")}
    for number in (0, 1):
        change = np.abs(pixels(rows[f"q{number}/ifgsm"]) - pixels(rows[f"q{number}"])).max()
        assert 0 < change <= 8
        assert rows[f"q{number}/ifgsm"].question.images == rows[f"q{number}/ifgsm/negated"].question.images
    reports = {item.id: item.provenance for item in items if isinstance(item, Scene)}
    assert set(reports) == {f"{named('q0')}/ifgsm", f"{named('q1')}/ifgsm"}
    for report in reports.values():
        assert report["direction"] == "similar"
        assert report["before"] <= report["after"] <= 1 + 1e-6
        assert report["linf"] <= 8
        assert report["model"] == folder.name, "where the model lies stays private"


def test_a_second_build_takes_the_attacked_images_from_the_cache(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = list(build(source, folder).make(0))
    monkeypatch.setattr("vhbench.adapters.attacks.run", None)
    assert list(build(source, folder).make(0)) == first


def test_the_manifest_names_the_model_and_its_weights_but_no_place(source: Path, folder: Path) -> None:
    attacked = build(source, folder)
    assert attacked.config["model"] == folder.name
    assert attacked.config["attack"]["epsilon"] == pytest.approx(8 / 255)
    assert len(attacked.sources["model"]) == 64
    assert str(folder.parent) not in repr(attacked.config)


def answering(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the tiny model, which babbles, say yes to every image that is as it was, and no to every changed one."""
    originals = {(folder / f"{number}.png").read_bytes() for number in (0, 1)}

    def answer(self: TransformersVLM, images: list[bytes], *_: Any, **__: Any) -> list[str]:
        return ["Yes." if image in originals else "No." for image in images]

    monkeypatch.setattr(TransformersVLM, "answer", answer)


def test_with_answers_the_manifest_and_the_card_tell_how_many_right_answers_turned(
    source: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, source.parent)
    attacked = replace(build(source, folder), attack=("ifgsm", "random_noise"), answers=True)
    attacked.check()
    manifest = sharding.run(attacked, tmp_path / "out", progress=False)
    assert manifest is not None
    found = manifest.extra["attacks"]
    assert list(found) == ["ifgsm", "random_noise"]
    # Asked whether there is a dog, it says yes, and no when attacked: right (yes) turns wrong, wrong (no) turns right.
    told = {
        name: found["ifgsm"][name] for name in ("cases", "turned_wrong", "kept_right", "turned_right", "kept_wrong")
    }
    assert told == {"cases": 2, "turned_wrong": 1, "kept_right": 0, "turned_right": 1, "kept_wrong": 0}
    assert found["ifgsm"]["success_rate"] == 100
    assert found["ifgsm"]["interval"] == [2.5, 100]  # one of one: 0.025 ** 1
    split = tmp_path / "out" / "vhexpansion"
    outcomes = {scene.id: scene.provenance["outcome"] for scene in splits.read_scenes(split).values()}
    assert outcomes[f"{named('q0')}/ifgsm"] == "turned_wrong"
    assert outcomes[f"{named('q1')}/ifgsm"] == "turned_right"
    write_card(split)
    assert "| ifgsm | 2 | " in (split / "README.md").read_text()
    assert "| 1 | 1 | 100.0 % | 2.5–100.0 % | " in (split / "README.md").read_text()
    assert splits.verify(split) == []
    assert attacked.outcome(split)[1][0] == "ifgsm"

    told = transfer(split, lambda image, question: "Yes.")
    assert {method: (t["right_before"], t["turned_wrong"]) for method, t in told.items()} == {
        "ifgsm": (1, 0),
        "random_noise": (1, 0),
    }
    assert told["ifgsm"]["outcomes"] == {named("q0"): "kept_right", named("q1"): "kept_wrong"}
    result = CliRunner().invoke(
        app, ["attack-transfer", str(split), "--model", str(folder), "-o", str(tmp_path / "transfer.json")]
    )
    assert result.exit_code == 0, result.output
    assert "ifgsm: 0 of 0 correct answers" in result.output or "ifgsm: 1 of 1 correct answers" in result.output
    assert (tmp_path / "transfer.json").is_file()


def test_a_split_without_attacks_has_nothing_to_transfer(source: Path, tmp_path: Path) -> None:
    plain = VHExpansionBuild(source=f"table:{source}", perturb=("none",))
    sharding.run(plain, tmp_path / "out", progress=False)
    assert "attacks" not in splits.read_manifest(tmp_path / "out" / "vhexpansion").extra
    with pytest.raises(
        VhbenchError, match="holds no attacked images; build it with --attack ifgsm, pgd, apgd, random_noise"
    ):
        transfer(tmp_path / "out" / "vhexpansion", lambda image, question: "")


def test_options_of_an_attack_reach_its_settings_and_the_manifest(source: Path, folder: Path) -> None:
    options = {"steps": 0, "steps_similar": 3, "gamma": 2.0, "start": 1, "epsilon": 4, "axis": "tokens"}
    attacked = replace(build(source, folder), **options, instruction="is there a dog ?", dtype="float32")
    settings = attacked._attack("pgd").settings
    assert (settings.steps_apart, settings.steps_similar) == (500, 3)
    assert settings.step_size == pytest.approx(2 / 255)
    assert settings.start == pytest.approx(1 / 255)
    assert settings.axis == attacked.config["attack"]["axis"] == "tokens"
    assert attacked.config["model_options"] == {"dtype": "float32", "revision": "", "instruction": "is there a dog ?"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attack": ("fgsm",)}, "--attack: expected one of ifgsm, pgd, apgd, random_noise"),
        ({"axis": "both"}, "attack axis: expected one of "),
        ({"start": 9}, "--start 9: expected 0 to --epsilon, 8 grey levels"),
        ({"attack": (), "model": ()} | {"answers": True}, "--answers: expected --attack as well"),
        ({"attack": ()}, "--model: expected --attack as well"),
        ({"attack": (), "model": (), "loss": "answer"}, "--loss: expected --attack as well"),
        ({"gamma": -1.0}, "--gamma: expected 0 to 255"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_is_loaded(
    options: dict[str, Any], message: str, source: Path
) -> None:
    attacked = VHExpansionBuild(source=f"table:{source}", attack=("ifgsm",), model=("none/such",))
    with pytest.raises(VhbenchError, match=message):
        replace(attacked, **options).check()


def test_the_table_has_both_rates_with_their_intervals() -> None:
    about = {"attack": "pgd", "achieved": True, "saved": 0.5, "noise": 0.9, "image": "a", "outcome": "kept_right"}
    facts = attack_facts([{**about, "consistent": [True, False]}])
    assert attack_table(facts["attacks"])[1] == [
        *("pgd", "1", "0"), *("1", "0", "0.0 %", "0.0–97.5 %"), *("1", "1", "100.0 %", "2.5–100.0 %")
    ]  # fmt: skip


def test_a_response_that_is_neither_yes_nor_no_is_told_beside_the_rate() -> None:
    """Of three right before, one is wrong after and one right; the third is neither: 1 of 2, and 1 to 2 of 3."""
    about = {"attack": "pgd", "achieved": True, "saved": 0.5, "noise": 0.9}
    reports = [
        {**about, "image": "a", "outcome": "turned_wrong", "consistent": [True, False]},
        {**about, "image": "b", "outcome": "kept_right", "consistent": [True, None]},
        {**about, "image": "c", "outcome": "unread_right", "consistent": [True, None]},
        {**about, "image": "d", "outcome": "unread_wrong", "consistent": [False, None]},
    ]
    facts = attack_facts(reports)
    found = facts["attacks"]["pgd"]
    assert (found["success_rate"], found["unread_after"], found["bounds"]) == (50.0, 1, [33.33, 66.67])
    pairs = found["inconsistent"]
    assert (pairs["consistent_before"], pairs["unread_after"], pairs["bounds"]) == (1, 2, [33.33, 100.0])
    row = attack_table(facts["attacks"])[1]
    assert row[3:6] == ["2", "1", "50.0 % (1 unread: 33.33–66.67 %)"]
    assert row[9] == "100.0 % (2 unread: 33.33–100.0 %)"
    none = attack_facts([reports[2]])
    assert none["attacks"]["pgd"]["success_rate"] is None
    assert attack_table(none["attacks"])[1][5] == "– (1 unread: 0.0–100.0 %)"


@pytest.mark.parametrize("response", ["", "Hm, 42.", "I can't help with that."])
def test_a_build_and_a_transfer_keep_responses_that_are_neither_yes_nor_no(
    response: str, source: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    originals = {(source.parent / f"{number}.png").read_bytes() for number in (0, 1)}

    def answer(self: TransformersVLM, images: list[bytes], *_: Any, **__: Any) -> list[str]:
        return ["Yes." if image in originals else response for image in images]

    monkeypatch.setattr(TransformersVLM, "answer", answer)
    attacked = replace(build(source, folder), attack=("random_noise",), answers=True)
    manifest = sharding.run(attacked, tmp_path / "out", progress=False)
    assert manifest is not None
    found = manifest.extra["attacks"]["random_noise"]
    assert (found["cases"], found["success_rate"], found["unread_after"], found["bounds"]) == (2, None, 1, [0.0, 100.0])
    split = tmp_path / "out" / "vhexpansion"
    outcomes = [scene.provenance["outcome"] for scene in splits.read_scenes(split).values()]
    assert sorted(outcomes) == ["unread_right", "unread_wrong"]
    told = transfer(split, lambda image, question: "Yes." if image in originals else response)["random_noise"]
    assert (told["right_before"], told["unread_after"], told["success_bounds"]) == (0, 1, [0.0, 100.0])
    assert sorted(told["outcomes"].values()) == ["unread_right", "unread_wrong"]


def test_a_twin_without_a_response_leaves_the_outcome_of_its_question() -> None:
    about = {"attack": "pgd", "achieved": True, "saved": 0.5, "noise": 0.9}
    lost = {**about, "image": "a", "outcome": "turned_wrong"}
    kept = {**about, "image": "b", "outcome": "kept_right", "consistent": [True, True]}
    facts = attack_facts([lost, kept])["attacks"]["pgd"]
    assert (facts["success_rate"], facts["turned_wrong"], facts["kept_right"]) == (50.0, 1, 1)
    assert (facts["inconsistent"]["consistent_before"], facts["inconsistent"]["rate"]) == (1, 0.0)
