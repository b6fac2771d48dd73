"""A CLIP with random weights, small enough to be built in a test."""

import json
from pathlib import Path


def save(folder: Path) -> Path:
    """Build the model with its tokenizer (single letters) and processor, and save it."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor, CLIPTokenizer

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
