"""Thresholds that are fitted to annotated photos reach the precision that was asked for, also on others."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vhbench.adapters import loaded_models
from vhbench.builds import ode_calibration
from vhbench.builds.ode_calibration import Calibration
from vhbench.generators.ode import calibrating, verifier_scores
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.protocols import Detection
from vhbench.schema import Scene, SceneObject, VhbenchError


@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), max_size=60),
    st.sampled_from([0.6, 0.9]),
)
def test_what_is_believed_reaches_the_precision(cases: list[tuple[float, bool]], precision: float) -> None:
    high, low = calibrating.keep(cases, precision, least=5), calibrating.absent(cases, precision, least=5)
    if high is not None:
        believed = [there for score, there in cases if score >= high]
        assert sum(believed) >= precision * len(believed) - 1e-9
    if low is not None:
        absent = [not there for score, there in cases if score < low]
        assert sum(absent) >= precision * len(absent) - 1e-9
    told = calibrating.thresholds({"dog": cases}, precision, least=5)["dog"] if cases else {"absent": 0, "keep": 1}
    assert 0 <= told["absent"] <= told["keep"] <= 1


def test_a_rare_word_takes_the_thresholds_of_all() -> None:
    often = [(0.9, True)] * 20 + [(0.4, False)] * 20
    told = calibrating.thresholds(
        {"dog": often, "yak": [(0.3, True)], "fog": [(0.9, False)] * 30 + [(0.9, True)] * 12}, 0.9
    )
    assert told["dog"]["keep"] == 0.9
    assert told["fog"]["keep"] == calibrating.NEVER
    assert told["yak"]["keep"] in (calibrating.NEVER, 0.9)


class Noisy:
    """A detector whose scores are right more often than not, differently for each word."""

    name = "noisy"

    def knows(self, word: str) -> bool:
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        random = np.random.default_rng(len(images[0]))
        shift = {"dog": 0.5, "cat": 0.3}
        return [
            [
                Detection(
                    word,
                    float(np.clip(random.normal(0.3 + (b"dog" in image) * shift.get(word, 0), 0.1), 0, 1)),
                    (0, 0, 9, 9),
                )
                for word in asked
            ]
            for image, asked in zip(images, words, strict=True)
        ]

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        return [[0.9 if "red" in text else 0.1 / len(each) for text in each] for each in texts]


def test_scores_are_those_of_annotated_photos() -> None:
    known = frozenset({"dog", "cat"})
    scenes = [
        Scene(
            f"s{i}",
            b"dog" * (i + 1) if i % 2 else b"none" * (i + 1),
            10,
            10,
            objects=(SceneObject(1, "dog", (0, 0, 9, 9), 81),) if i % 2 else (),
            known=known,
        )
        for i in range(40)
    ]
    scored = ode_calibration.scores(scenes, Noisy())
    assert [there for _, there in scored["dog"]].count(True) == 20
    assert not any(there for _, there in scored["cat"])
    told = calibrating.thresholds(scored, 0.9)
    assert 0.4 < told["dog"]["keep"] < 0.8


def test_the_command_writes_what_builds_read(image_models: dict[str, Path], tmp_path: Path, monkeypatch: Any) -> None:
    from typer.testing import CliRunner

    from vhbench.cli import app

    monkeypatch.setattr(loaded_models, "verifier", lambda *_: Noisy())
    images, annotations = [], []
    for number in range(1, 5):
        Image.effect_noise((60, 60), 40).convert("RGB").save(tmp_path / f"{number}.png")
        images.append({"id": number, "file_name": f"{number}.png", "width": 60, "height": 60})
        shown = {"category_id": 1 + number % 2, "bbox": [5, 5, 40, 40], "area": 1600, "iscrowd": 0}
        annotations.append({"id": number, "image_id": number, **shown})
    names = [{"id": 1, "name": "dog"}, {"id": 2, "name": "cat"}]
    (tmp_path / "instances.json").write_text(
        json.dumps({"images": images, "annotations": annotations, "categories": names})
    )
    command = [
        "calibrate",
        "--annotations",
        str(tmp_path / "instances.json"),
        "--images",
        str(tmp_path),
        "--device",
        "cpu",
    ]
    output = ["--out", str(tmp_path / "t.json"), "--detector", str(image_models["owlv2"])]
    result = CliRunner().invoke(app, [*command, *output])
    assert result.exit_code == 0, result.output
    read = Calibration(str(tmp_path / "t.json")).detection(0.65, 0.2)
    assert set(read.words) == {"dog", "cat"}
    assert read.of("yak") == (0.65, 0.2)
    result = CliRunner().invoke(app, command)
    assert str(result.exception) == "expected --detector NAME, --verifier NAME, or both"


def test_a_verifier_is_calibrated_by_kinds_of_attributes() -> None:
    import io

    file = io.BytesIO()
    Image.new("RGB", (20, 20)).save(file, "PNG")
    thing = SceneObject(
        1, "door", (0, 0, 9, 9), 81, attributes=(("colour", "red"),), known_attributes=frozenset({"colour"})
    )
    weighed = verifier_scores.scores([Scene("s", file.getvalue(), 20, 20, (thing,))] * 12, Noisy())
    assert [right for _, right in weighed["colour"]] == [True, False] * 12
    assert calibrating.keep(weighed["colour"], 0.95) == 0.9


def test_other_files_are_no_calibration(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{"words": {"dog": 3}}')
    with pytest.raises(VhbenchError, match=r"expected words as \{WORD: \{keep, absent\}\}"):
        Calibration(str(file)).detection(0.6, 0.2)
    file.write_text('{"dogs": 3}')
    with pytest.raises(VhbenchError, match="expected a file that `vhbench calibrate` wrote"):
        Calibration(str(file)).detection(0.6, 0.2)
    with pytest.raises(VhbenchError, match="expected FILE, coco:FILE or paco:FILE"):
        ode_calibration.photos("svg:x.json", tmp_path, 3)


def test_what_is_never_believed_is_not_believed_at_a_score_of_one_either() -> None:
    found = DetectionThresholds(words={"fog": (calibrating.NEVER, 0.2), "dog": (0.9, 0.2)})
    assert [found.of(word)[0] <= 1.0 for word in ("fog", "dog", "cat")] == [False, True, True]
    kinds = VerifierThresholds(kinds={"action": calibrating.NEVER, "colour": 0.9})
    assert [kinds.of(kind) <= 1.0 for kind in ("action", "colour", "size")] == [False, True, True]


def test_what_was_not_looked_for_is_not_scored() -> None:
    class Seeing(Noisy):
        def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
            return [[Detection("stone", 0.8, (0, 0, 9, 9))] for _ in images]

    stone = SceneObject(1, "stone", (0, 0, 9, 9), 81)
    shown = Scene("s", b"", 9, 9, (stone,), known=frozenset({"stone", "rock", "cat"}))
    told = {word: cases[0] for word, cases in ode_calibration.scores([shown], Seeing()).items()}
    assert told == {"stone": (0.8, True), "rock": (0.0, False), "cat": (0.0, False)}
