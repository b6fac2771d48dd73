"""CLIP with a tiny random model: similarities, and features cached by the image's hash."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vhbench.adapters.clip import ClipScorer
from vhbench.schema import VhbenchError


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor, CLIPTokenizer

    folder = tmp_path_factory.mktemp("clip")
    letters = [*"abcdefghijklmnopqrstuvwxyz"]
    words = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{letter}</w>" for letter in letters)]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    torch.manual_seed(0)
    text = {"vocab_size": len(words), "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1,
            "num_attention_heads": 2, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}  # fmt: skip
    vision = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
              "image_size": 32, "patch_size": 16}  # fmt: skip
    CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8)).save_pretrained(folder)
    tokenizer = CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    size = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
    CLIPProcessor(CLIPImageProcessor(**size), tokenizer).save_pretrained(folder)
    return folder


def picture(value: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 30), (value, 255 - value, 90)).save(buffer, "PNG")
    return buffer.getvalue()


def test_similarities_are_cosines_and_cached(tiny_clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = ClipScorer(str(tiny_clip), batch=2, cache=tmp_path, device="cpu")
    images, texts = [picture(v) for v in (0, 120, 250)], ["a photo of a dog", "a photo of a kite"]
    found = scorer.similarity(images, texts)
    assert found.shape == (3, 2)
    assert np.abs(found).max() <= 1.0001
    assert len(list(tmp_path.rglob("*.npy"))) == 3
    again = ClipScorer(str(tiny_clip), batch=3, cache=tmp_path, device="cpu")
    monkeypatch.setattr(again, "_encode_images", lambda images: pytest.fail("not read from the cache"))
    np.testing.assert_allclose(again.similarity(images, texts), found, atol=1e-5)


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"cannot load CLIP model '.*none'"):
        ClipScorer(str(tmp_path / "none"), cache=tmp_path).similarity([picture(1)], ["x"])
