"""Tiny random LLaVA and Qwen2-VL that can be trained on a CPU: real words, real templates, an ``lm_head`` that moves.

LoRA leaves ``lm_head`` as it is; a random one is so small that the loss could not fall. It is four times as large here.
Patches weigh 24 times as much: else the position hides what an image shows, which takes many more steps to learn.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

SIDE, PATCH, WIDTH, WORDS = 56, 14, 64, 400
LLAVA_SPECIAL = ["<pad>", "<unk>", "<s>", "</s>", "<image>"]
QWEN_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"]
QWEN_SPECIAL += ["<|video_pad|>"]
# As llava-hf/llava-1.5-7b-hf has it: nothing ends an answer.
LLAVA_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] != 'system' %}{{ message['role'].upper() + ': ' }}{% endif %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>\n' }}{% endfor %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}"
    "{{ content['text'] + ' ' }}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)
QWEN_TEMPLATE = (
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}"
    "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n{% endif %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' or 'image' in part %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in part %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXT = {
    "hidden_size": WIDTH, "intermediate_size": 2 * WIDTH, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 4, "max_position_embeddings": 4096,
}  # fmt: skip


def tokenizer(texts: Iterable[str], special: list[str], **named: str) -> Any:
    """Return a byte-level tokenizer that knows the texts' words."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=len(special) + len(alphabet) + WORDS, special_tokens=special, initial_alphabet=alphabet,
        show_progress=False,
    )  # fmt: skip
    raw.train_from_iterator(texts, trainer)
    if "bos_token" in named:
        bos = named["bos_token"]
        raw.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", pair=f"{bos} $A $B", special_tokens=[(bos, special.index(bos))]
        )
    return PreTrainedTokenizerFast(tokenizer_object=raw, extra_special_tokens=special, **named)


def llava(texts: Iterable[str], width: int = WIDTH) -> tuple[Any, Any]:
    from transformers import LlavaConfig, LlavaForConditionalGeneration, LlavaImageProcessor, LlavaProcessor

    words = tokenizer(texts, LLAVA_SPECIAL, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>")
    ids = {"bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 0}
    config = LlavaConfig(
        vision_config={
            "model_type": "clip_vision_model", "hidden_size": WIDTH, "intermediate_size": 2 * WIDTH,
            "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": SIDE, "patch_size": PATCH,
        },
        text_config={
            "model_type": "llama", "vocab_size": len(words), **TEXT, "hidden_size": width,
            "intermediate_size": 2 * width, **ids,
        },
        image_token_index=4,
    )  # fmt: skip
    images = LlavaImageProcessor(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, do_pad=True)
    processor = LlavaProcessor(
        images, words, patch_size=PATCH, vision_feature_select_strategy="default", num_additional_image_tokens=1,
        chat_template=LLAVA_TEMPLATE,
    )  # fmt: skip
    return LlavaForConditionalGeneration(config), processor


def qwen2_vl(texts: Iterable[str]) -> tuple[Any, Any]:
    from transformers import (
        Qwen2VLConfig,
        Qwen2VLForConditionalGeneration,
        Qwen2VLImageProcessor,
        Qwen2VLProcessor,
        Qwen2VLVideoProcessor,
    )

    words = tokenizer(texts, QWEN_SPECIAL, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    token = QWEN_SPECIAL.index
    config = Qwen2VLConfig(
        vision_config={
            "embed_dim": WIDTH, "hidden_size": WIDTH, "depth": 2, "num_heads": 4, "mlp_ratio": 2, "patch_size": PATCH,
        },
        text_config={
            "vocab_size": len(words), **TEXT, "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 0,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]},
        },
        image_token_id=token("<|image_pad|>"), video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"), vision_end_token_id=token("<|vision_end|>"),
    )  # fmt: skip
    size = {"shortest_edge": SIDE**2, "longest_edge": 4 * SIDE**2}
    processor = Qwen2VLProcessor(
        Qwen2VLImageProcessor(size=size), words, Qwen2VLVideoProcessor(size=size), chat_template=QWEN_TEMPLATE
    )
    return Qwen2VLForConditionalGeneration(config), processor


FAMILIES: dict[str, Callable[[Iterable[str]], tuple[Any, Any]]] = {"llava": llava, "qwen2_vl": qwen2_vl}


def save(family: str, texts: Iterable[str], folder: Path) -> Path:
    """Build a model of a family whose tokenizer knows the texts' words, and save it as a repository would be."""
    import torch

    torch.manual_seed(0)
    model, processor = FAMILIES[family](texts)
    for weight in model.parameters():
        if weight.ndim > 1:
            torch.nn.init.xavier_normal_(weight.view(weight.shape[0], -1))
    with torch.no_grad():
        model.lm_head.weight.mul_(4)
        for name, weight in model.named_parameters():
            if "patch_embed" in name:
                weight.mul_(24)
    model.eval().save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
