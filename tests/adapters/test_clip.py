"""CLIP with a tiny random model: similarities, and features cached by the image's hash."""

import io
from pathlib import Path

import numpy as np
import pytest
import tiny_clip_model
from PIL import Image

from vhbench.adapters.clip import ClipScorer
from vhbench.schema import VhbenchError


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_clip_model.save(tmp_path_factory.mktemp("clip"))


def picture(value: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 30), (value, 255 - value, 90)).save(buffer, "PNG")
    return buffer.getvalue()


def table(scorer: ClipScorer, images: list[bytes], texts: list[str]) -> np.ndarray:
    found = scorer.similarities(images, [texts[:1], texts[1:]])
    return np.stack([found(text) for text in texts], axis=1)


def test_similarities_are_cosines_and_cached(tiny_clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)  # left alone: the device is given
    scorer = ClipScorer(str(tiny_clip), batch=2, cache=tmp_path, device="cpu")
    images, texts = [picture(v) for v in (0, 120, 250)], ["a photo of a dog", "a photo of a kite"]
    found = table(scorer, images, texts)
    assert found.shape == (3, 2)
    assert np.abs(found).max() <= 1.0001
    assert len(list((tmp_path / "clip").glob("*/*"))) == 3
    again = ClipScorer(str(tiny_clip), batch=3, cache=tmp_path, device="cpu")
    monkeypatch.setattr(again, "_encode_images", lambda images: pytest.fail("not read from the cache"))
    np.testing.assert_allclose(table(again, images, texts), found, atol=1e-5)


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"cannot load CLIP model '.*none'"):
        ClipScorer(str(tmp_path / "none"), cache=tmp_path).similarities([picture(1)], [["x"]])
