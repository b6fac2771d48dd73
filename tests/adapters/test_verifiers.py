"""Verifiers: real CLIP classes, tiny and randomly initialised."""

import io
from pathlib import Path

import pytest
from PIL import Image

from vhbench.adapters.verifiers import ClipVerifier
from vhbench.schema import VhbenchError


def picture(colour: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(file, "PNG")
    return file.getvalue()


def test_probabilities_add_up_whatever_the_batch(image_models: dict[str, Path]) -> None:
    images, texts = [picture("red"), picture("blue")], [["a red cat", "a blue cat"], ["a cat", "a dog", "a bus"]]
    together = ClipVerifier(str(image_models["clip"]), device="cpu").probabilities(images, texts)
    alone = ClipVerifier(str(image_models["clip"]), device="cpu", batch=1).probabilities(images, texts)
    assert [len(each) for each in together] == [2, 3]
    for one, other in zip(together, alone, strict=True):
        assert sum(one) == pytest.approx(1)
        assert one == pytest.approx(other, abs=1e-3)


def test_what_is_no_clip_is_named(image_models: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match="cannot load the verifier"):
        ClipVerifier(str(tmp_path))
    with pytest.raises(VhbenchError, match="is no model like CLIP"):
        ClipVerifier(str(image_models["grounding_dino"]))
