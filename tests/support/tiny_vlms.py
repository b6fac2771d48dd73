"""Tiny randomly initialised vision-language models of several families, saved as a Hub repository would be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WORDS = "[PAD] [UNK] [CLS] [SEP] <image> <video> <|image_pad|> <|video_pad|> <|vision_start|> <|vision_end|> <s> </s>"
VOCABULARY = [*WORDS.split(), *"yes no describe the image is there a dog cat picture in . , ?".split()]
IMAGE, VIDEO = VOCABULARY.index("<image>"), VOCABULARY.index("<video>")
SIDE, PATCH = 28, 14
CHAT = """{% for m in messages %}{% for c in m['content'] %}
{%- if c['type'] == 'image' %}TOKEN {% else %}{{ c['text'] }}{% endif %}
{%- endfor %}{% endfor %}"""
TEXT = {
    "vocab_size": len(VOCABULARY), "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
    "num_attention_heads": 2, "num_key_value_heads": 2, "bos_token_id": 10, "eos_token_id": 11, "pad_token_id": 0,
}  # fmt: skip
VISION = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
    "image_size": SIDE, "patch_size": PATCH,
}  # fmt: skip
GRIDS = [[SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]


def tokenizer() -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import PreTrainedTokenizerFast

    model = Tokenizer(WordLevel({word: i for i, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    model.pre_tokenizer = WhitespaceSplit()
    extra = [word for word in VOCABULARY if word.startswith("<")]
    return PreTrainedTokenizerFast(
        tokenizer_object=model, unk_token="[UNK]", pad_token="[PAD]", bos_token="<s>", eos_token="</s>",
        extra_special_tokens=extra,
    )  # fmt: skip


def llava() -> tuple[Any, Any]:
    from transformers import LlavaConfig, LlavaForConditionalGeneration, LlavaImageProcessor, LlavaProcessor

    config = LlavaConfig(
        vision_config={"model_type": "clip_vision_model", **VISION}, text_config={"model_type": "llama", **TEXT},
        image_token_index=IMAGE,
    )  # fmt: skip
    images = LlavaImageProcessor(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, do_pad=True)
    processor = LlavaProcessor(
        images, tokenizer(), patch_size=PATCH, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=CHAT.replace("TOKEN", "<image>"),
    )  # fmt: skip
    return LlavaForConditionalGeneration(config), processor


def llava_next() -> tuple[Any, Any]:
    from transformers import (
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextImageProcessor,
        LlavaNextProcessor,
    )

    config = LlavaNextConfig(
        vision_config={"model_type": "clip_vision_model", **VISION}, text_config={"model_type": "llama", **TEXT},
        image_token_index=IMAGE, image_grid_pinpoints=GRIDS,
    )  # fmt: skip
    images = LlavaNextImageProcessor(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, image_grid_pinpoints=GRIDS
    )
    processor = LlavaNextProcessor(
        images, tokenizer(), patch_size=PATCH, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=CHAT.replace("TOKEN", "<image>"),
    )  # fmt: skip
    return LlavaNextForConditionalGeneration(config), processor


def llava_onevision() -> tuple[Any, Any]:
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessor,
        LlavaOnevisionProcessor,
        LlavaOnevisionVideoProcessor,
    )

    config = LlavaOnevisionConfig(
        vision_config={"model_type": "siglip_vision_model", "vision_use_head": False, **VISION},
        text_config={"model_type": "qwen2", **TEXT},
        image_token_index=IMAGE, video_token_index=VIDEO, image_grid_pinpoints=GRIDS,
    )  # fmt: skip
    images = LlavaOnevisionImageProcessor(size={"height": SIDE, "width": SIDE}, image_grid_pinpoints=GRIDS)
    processor = LlavaOnevisionProcessor(
        images, tokenizer(), LlavaOnevisionVideoProcessor(size={"height": SIDE, "width": SIDE}),
        num_image_tokens=(SIDE // PATCH) ** 2, vision_feature_select_strategy="full",
        chat_template=CHAT.replace("TOKEN", "<image>"),
    )  # fmt: skip
    return LlavaOnevisionForConditionalGeneration(config), processor


def instructblip() -> tuple[Any, Any]:
    from transformers import (
        BlipImageProcessor,
        InstructBlipConfig,
        InstructBlipForConditionalGeneration,
        InstructBlipProcessor,
    )

    config = InstructBlipConfig(
        vision_config=VISION,
        qformer_config={
            "vocab_size": len(VOCABULARY), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 2, "encoder_hidden_size": 32, "cross_attention_frequency": 1,
        },
        text_config={"model_type": "llama", **TEXT}, num_query_tokens=4, image_token_index=IMAGE,
    )  # fmt: skip
    images = BlipImageProcessor(size={"height": SIDE, "width": SIDE})
    processor = InstructBlipProcessor(images, tokenizer(), tokenizer(), num_query_tokens=4)
    return InstructBlipForConditionalGeneration(config), processor


def qwen2_vl() -> tuple[Any, Any]:
    from transformers import (
        Qwen2VLConfig,
        Qwen2VLForConditionalGeneration,
        Qwen2VLImageProcessor,
        Qwen2VLProcessor,
        Qwen2VLVideoProcessor,
    )

    token = VOCABULARY.index
    config = Qwen2VLConfig(
        vision_config={
            "embed_dim": 32, "hidden_size": 32, "depth": 2, "num_heads": 2, "mlp_ratio": 2, "patch_size": PATCH,
        },
        text_config={
            **TEXT, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]},
        },
        image_token_id=token("<|image_pad|>"), video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"), vision_end_token_id=token("<|vision_end|>"),
    )  # fmt: skip
    size = {"shortest_edge": 4 * PATCH**2, "longest_edge": 64 * PATCH**2}
    template = CHAT.replace("TOKEN", "<|vision_start|> <|image_pad|> <|vision_end|>")
    processor = Qwen2VLProcessor(
        Qwen2VLImageProcessor(size=size), tokenizer(), Qwen2VLVideoProcessor(size=size), chat_template=template
    )
    return Qwen2VLForConditionalGeneration(config), processor


FAMILIES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "llava": llava,
    "llava_next": llava_next,
    "llava_onevision": llava_onevision,
    "instructblip": instructblip,
    "qwen2_vl": qwen2_vl,
}


def save(family: str, folder: Path) -> Path:
    """Build a model of a family and save it."""
    import torch

    torch.manual_seed(0)
    model, processor = FAMILIES[family]()
    for weight in model.parameters():  # transformers' own start is so small that the features hardly see the image
        if weight.ndim > 1:
            torch.nn.init.xavier_normal_(weight)
    model.eval().save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_vlm(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a tiny model of a family, built when it is first asked for."""
    built: dict[str, Path] = {}

    def folder(family: str) -> Path:
        if family not in built:
            built[family] = save(family, tmp_path_factory.mktemp(family))
        return built[family]

    return folder
