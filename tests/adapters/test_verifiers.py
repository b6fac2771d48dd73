"""Verifiers: real classes of CLIP and ViLT, tiny and randomly initialised."""

import io
import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from vhbench.adapters.verifiers import ClipVerifier, QuestionVerifier
from vhbench.schema import VhbenchError


def picture(colour: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(("kind", "model"), [(ClipVerifier, "clip"), (QuestionVerifier, "vilt")])
def test_probabilities_add_up_whatever_the_batch(
    kind: type[ClipVerifier | QuestionVerifier], model: str, image_models: dict[str, Path]
) -> None:
    images, texts = [picture("red"), picture("blue")], [["a red cat", "a blue cat"], ["a cat", "a dog", "a bus"]]
    together = kind(str(image_models[model]), device="cpu").probabilities(images, texts)
    alone = kind(str(image_models[model]), device="cpu", batch=1).probabilities(images, texts)
    assert [len(each) for each in together] == [2, 3]
    for one, other in zip(together, alone, strict=True):
        assert sum(one) == pytest.approx(1)
        assert one == pytest.approx(other, abs=1e-3)


def test_what_is_no_clip_is_named(image_models: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="cannot load the verifier"):
        ClipVerifier(str(tmp_path))
    with pytest.raises(VhbenchError, match="is not a CLIP-like model"):
        ClipVerifier(str(image_models["grounding_dino"]))


def test_what_is_never_answered_with_yes_shares_nothing_out(
    image_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier = QuestionVerifier(str(image_models["vilt"]), device="cpu")
    monkeypatch.setattr(verifier, "_yes", lambda asked: [0.0] * len(asked))
    assert verifier.probabilities([picture("red")], [["a red cat", "a blue cat"]]) == [[0.0, 0.0]]


def test_what_answers_no_questions_with_yes_is_named(image_models: dict[str, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(image_models["vilt"], tmp_path / "colours")
    config = json.loads((folder / "config.json").read_text())
    config |= {"id2label": {"0": "red", "1": "blue", "2": "green"}, "label2id": {"red": 0, "blue": 1, "green": 2}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(VhbenchError, match="its answers must include yes and no"):
        QuestionVerifier(str(folder), device="cpu")
