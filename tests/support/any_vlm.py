"""A tiny, randomly initialised model of any vision-language class that the installed transformers has.

Its configuration is the class's own with every size made small; its processor is the class's own, around a tokenizer
of a few words. Nothing is downloaded. Where a class needs more than that, ``FAMILIES`` says what.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TOKENS = {
    "image_token": "<image>", "video_token": "<video>", "audio_token": "<audio>", "boi_token": "<boi>",
    "eoi_token": "<eoi>", "boa_token": "<boa>", "eoa_token": "<eoa>", "boundary": "<|image|>",
    "start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>",
    "image_start_token": "<im_start>", "image_end_token": "<im_end>", "vision_start_token": "<|vision_start|>",
    "vision_end_token": "<|vision_end|>", "vision_bos_token": "<|vision_bos|>", "vision_eos_token": "<|vision_eos|>",
    "audio_bos_token": "<|audio_bos|>", "audio_eos_token": "<|audio_eos|>", "image_id_start_token": "<image_id>",
    "image_id_end_token": "</image_id>", "slice_start_token": "<slice>", "slice_end_token": "</slice>",
    "img_line_break_token": "<im_row>", "video_end_token": "<video_end>", "video_start_token": "<video_start>",
    "image_wrapper_token": "<fake_token_around_image>", "eof_token": "<eof>", "image_pad": "<|image_pad|>",
    "video_pad": "<|video_pad|>", "image_break_token": "<im_break>", "image_boundary_token": "<fake_token>",
}  # fmt: skip
MORE = (
    "<end_of_utterance> <global-img> <fake_token_around_image> <image_soft_token> <start_of_image> <end_of_image> "
    "[IMG] [IMG_BREAK] [IMG_END] <|img_start|> <|img_end|> <|img_thumbnail|> <|image_start|> <|image_end|> <|patch|> "
    "<|tile_x_separator|> <|tile_y_separator|> <|image_1|> <|begin_of_image|> <|end_of_image|> <|begin_of_video|> "
    "<|end_of_video|> <tile_1_of_2> <|START_OF_IMG|> <|END_OF_IMG|> <|IMG_LINE_BREAK|> <|IMG_PATCH|> "
    "<|video_start|> <|video_end|> <|endoftext|> <|endoftext10|> <imgpad> TILE_0 TILE TILE_GLOBAL"
).split()
PLAIN = "[PAD] [UNK] [CLS] [SEP] <s> </s> yes no describe the image is there a dog cat picture in . , ?".split()
CHAT = """{% for m in messages %}{% for c in m['content'] %}
{%- if c['type'] == 'image' %}TOKEN {% else %}{{ c['text'] }}{% endif %}
{%- endfor %}{% endfor %}"""

SMALL: Mapping[tuple[str, ...], Any] = {
    ("hidden_size", "embed_dim", "d_model", "vision_output_dim", "out_hidden_size", "output_hidden_size",
     "encoder_hidden_size", "projection_dim", "language_hidden_size", "hidden_dim", "projector_hidden_size",
     "mm_hidden_size", "latent_dim", "width", "qk_size", "text_hidden_size", "projection_hidden_act_size",
     "vision_feature_dim", "n_embd"): 32,
    ("intermediate_size", "mlp_dim", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "d_ff", "intermediate_size_mlp",
     "moe_intermediate_size", "shared_expert_intermediate_size", "projector_intermediate_size", "dense_mlp_dim",
     "merger_intermediate_size", "n_inner", "intermediate_dim"): 64,
    ("num_hidden_layers", "depth", "num_layers", "encoder_layers", "decoder_layers", "n_layer", "num_global_layers",
     "num_decoder_layers", "layers"): 2,
    ("num_attention_heads", "num_heads", "heads", "num_key_value_heads", "encoder_attention_heads",
     "decoder_attention_heads", "n_head", "attention_heads"): 2,
    ("head_dim", "d_kv", "global_head_dim"): 16,
    ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"): 2,
    ("num_experts_per_tok", "moe_k", "moe_topk"): 1,
    ("max_position_embeddings", "n_positions"): 4096,
}  # fmt: skip
SIZES = {name: value for names, value in SMALL.items() for name in names}


LEFT_OUT = set(
    "architectures dtype indexer_types kv_source_layers layer_types mlp_layer_types moe_layers no_rope_layers "
    "per_layer_config rope_scaling_layers transformers_version".split()
)
"""What follows from the number of layers, or from nothing here."""


def shrunk(values: Any, changes: Mapping[str, Any], vocabulary: int) -> Any:
    """Return a configuration's values with every size made small; ``changes`` says more, part by part."""
    if not isinstance(values, dict):
        return values
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key in LEFT_OUT:
            continue
        if isinstance(value, dict) and not key.startswith(("id2label", "label2id")):
            found[key] = shrunk(value, {}, vocabulary)
        elif key in SIZES and isinstance(value, int):
            found[key] = SIZES[key]
        elif key in ("image_size", "crop_size") and isinstance(value, int):
            found[key] = SIDE
        elif key == "patch_size" and isinstance(value, int):
            found[key] = PATCH
        elif key in ("image_size", "patch_size") and isinstance(value, (list, tuple)):
            found[key] = [SIDE if key == "image_size" else PATCH] * len(value)
        elif key == "vocab_size":
            found[key] = vocabulary
        elif key == "pad_token_id" and isinstance(value, int):
            found[key] = 0
        elif key == "mrope_section":
            found[key] = [2, 3, 3]
        else:
            found[key] = value
    return merged(found, changes)


def merged(values: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested values with others in their places; None takes one out."""
    found = dict(values)
    for key, value in changes.items():
        if isinstance(value, Mapping) and isinstance(found.get(key), dict):
            found[key] = merged(found[key], value)
        elif value is None:
            found.pop(key, None)
        else:
            found[key] = value
    return found


def tokenizer(*, named: bool = True) -> Any:
    """Return a tokenizer of a few words, whose special tokens may have names."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import PreTrainedTokenizerFast

    vocabulary = list(dict.fromkeys([*PLAIN, *TOKENS.values(), *MORE, *(f"<extra{i}>" for i in range(40))]))
    model = Tokenizer(WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    model.pre_tokenizer = WhitespaceSplit()
    made = PreTrainedTokenizerFast(
        tokenizer_object=model, unk_token="[UNK]", pad_token="[PAD]", bos_token="<s>", eos_token="</s>",
        extra_special_tokens=TOKENS if named else list(TOKENS.values()),
    )  # fmt: skip
    made.add_tokens(MORE, special_tokens=True)
    return made


SIDE, PATCH = 56, 14
LARGEST = 30_000_000
"""Weights. A class that stays larger has sizes that no rule here knows."""


@dataclass(frozen=True)
class Family:
    """What a class needs beyond small sizes.

    Attributes:
        config: changes to its configuration.
        images: arguments of its image processor.
        processor: arguments of its processor.
        kin: another model type whose processor it takes; "" where it has its own.
        counted: the token that the model counts its image features by; "" for the processor's ``image_token``.
        token: what stands for an image in a prompt; "" for the processor's own ``image_token``.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    images: Mapping[str, Any] = field(default_factory=dict)
    processor: Mapping[str, Any] = field(default_factory=dict)
    token: str = ""
    kin: str = ""
    counted: str = ""


LLAVA = {"patch_size": PATCH, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
GRIDS = [[SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
SECTIONS = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}}
FAMILIES: dict[str, Family] = {
    "gemma3n": Family(
        config={
            "text_config": {
                "intermediate_size": 64,
                "activation_sparsity_pattern": [0.0, 0.0],
                "laurel_rank": 4,
                "num_kv_shared_layers": 0,
                "hidden_size_per_layer_input": 8,
                "vocab_size_per_layer_input": 64,
            },
            "vision_config": {"architecture": "mobilenetv3_small_050", "hidden_size": 288, "vocab_size": 8},
            "vision_soft_tokens_per_image": 4,
        },
        processor={"image_seq_length": 4},
    ),
    "gemma4": Family(
        config={
            "text_config": {"hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 64},
            "vision_config": {
                "patch_size": PATCH,
                "model_type": "gemma4_vision",
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "num_key_value_heads": 2,
                "head_dim": 16,
                "global_head_dim": 16,
            },
        },
    ),
    "fast_vlm": Family(
        kin="llava", config={"vision_config": {"architecture": "fastvit_t8", "hidden_size": 768}}, processor=LLAVA
    ),
    "perception_lm": Family(
        config={
            "vision_use_cls_token": True,
            "vision_config": {
                "architecture": "vit_pe_core_tiny_patch16_384",
                "hidden_size": 32,
                "model_args": {
                    "embed_dim": 32,
                    "depth": 1,
                    "num_heads": 2,
                    "img_size": [SIDE, SIDE],
                    "patch_size": PATCH,
                    "global_pool": "",
                    "use_post_transformer_norm": False,
                    "init_values": 0.1,
                    "ref_feat_shape": [4, 4],
                },
            },
        },
        images={"tile_size": SIDE, "max_num_tiles": 4},
        processor={"patch_size": PATCH, "pooling_ratio": 1},
    ),
    "florence2": Family(
        images={"image_seq_length": 16},
        config={
            "vision_config": {
                "embed_dim": [16] * 4,
                "depths": [1] * 4,
                "num_heads": [2] * 4,
                "num_groups": [2] * 4,
                "patch_size": [7, 3, 3, 3],
            }
        },
    ),
    "molmo2": Family(config={"adapter_config": {"vision_feature_layer": [1, 0]}}),
    "dots3_note": Family(config={"text_config": {"per_layer_config": None}}),
    "deepseek_vl_hybrid": Family(images={"high_res_size": {"height": SIDE, "width": SIDE}}),
    "instructblip": Family(config={"qformer_config": {"num_attention_heads": 2}}),
    "kosmos-2": Family(kin="blip"),
    "granite4_vision": Family(
        config={"image_grid_pinpoints": GRIDS}, images={"image_grid_pinpoints": GRIDS}, processor=LLAVA
    ),
    "lfm2_vl": Family(
        config={"vision_config": {"patch_size": 16}},
        images={"size": {"height": 64, "width": 64}, "tile_size": 64, "min_image_tokens": 4, "max_image_tokens": 16},
    ),
    "llama4": Family(
        counted="<|patch|>",
        config={"vision_config": {"projector_input_dim": 32, "projector_output_dim": 32, "intermediate_size": 128}},
        images={"max_patches": 4},
    ),
    "paligemma": Family(images={"image_seq_length": 16}),
    "phi4_multimodal": Family(
        config={"vision_config": {"image_size": 448, "crop_size": 448}},
        images={"dynamic_hd": 4, "size": {"height": 448, "width": 448}},
    ),
    "qianfan_ocr": Family(token="<image>", processor={"image_seq_length": 4}),
    "shieldgemma2": Family(config={"mm_tokens_per_image": 4}, processor={"image_seq_length": 4}),
    "t5gemma2": Family(config={"encoder": {"mm_tokens_per_image": 4}}, processor={"image_seq_length": 4}),
    "qwen2_5_vl": Family(config={"text_config": SECTIONS}),
    "qwen3_vl": Family(config={"text_config": SECTIONS, "vision_config": {"deepstack_visual_indexes": [0]}}),
    "aya_vision": Family(counted="<|IMG_PATCH|>", processor={"img_size": SIDE, "patch_size": 2 * PATCH}),
    "internvl": Family(processor={"image_seq_length": 4}),
    "cosmos3_omni": Family(kin="qwen3_vl"),
    "diffusion_gemma": Family(kin="gemma4"),
    "glm4v_moe": Family(kin="glm4v"),
    "glm_ocr": Family(kin="glm46v"),
    "glmga": Family(kin="glm46v"),
    "mistral4": Family(kin="mistral3"),
    "qwen3_vl_moe": Family(kin="qwen3_vl"),
    "emu3": Family(config={"vocabulary_map": {"<image>": 6}}),
    "chameleon": Family(config={"vocabulary_map": {"<image>": 6}}),
    "mistral3": Family(processor={"patch_size": PATCH}),
    "vipllava": Family(config={"vision_feature_layer": [-1, -2]}, processor=LLAVA),
    "video_llava": Family(
        images={"size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}}, processor=LLAVA
    ),
    "llava_next_video": Family(
        config={"image_grid_pinpoints": GRIDS}, images={"image_grid_pinpoints": GRIDS}, processor=LLAVA
    ),
    "gemma3": Family(
        token="<boi>", counted="<image>", config={"mm_tokens_per_image": 4}, processor={"image_seq_length": 4}
    ),
    "idefics3": Family(
        images={"size": {"longest_edge": 2 * SIDE}, "max_image_size": {"longest_edge": SIDE}},
        processor={"image_seq_len": 4},
    ),
    "llava": Family(processor=LLAVA),
    "llava_next": Family(
        config={"image_grid_pinpoints": GRIDS}, images={"image_grid_pinpoints": GRIDS}, processor=LLAVA
    ),
    "llava_onevision": Family(
        config={"image_grid_pinpoints": GRIDS},
        images={"image_grid_pinpoints": GRIDS},
        processor={"num_image_tokens": (SIDE // PATCH) ** 2, "vision_feature_select_strategy": "full"},
    ),
    "mllama": Family(
        config={
            "text_config": {"pad_token_id": 0, "cross_attention_layers": [1]},
            "vision_config": {"intermediate_layers_indices": [0, 1], "vision_output_dim": 96},
        }
    ),
    "smolvlm": Family(
        images={"size": {"longest_edge": 2 * SIDE}, "max_image_size": {"longest_edge": SIDE}},
        processor={"image_seq_len": 4},
    ),
}


def classes() -> dict[str, str]:
    """Return model type → class of every vision-language model that the installed transformers has."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

    return {**MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES, "phi4_multimodal": "Phi4MultimodalForCausalLM"}


def build(model_type: str) -> tuple[Any, Any]:
    """Build the model and the processor of a model type."""
    import torch
    import transformers
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING,
        MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    )

    family = FAMILIES.get(model_type, Family())
    words = tokenizer(named=model_type != "instructblip")
    processor = make_processor(model_type, family, words)
    kind = transformers.CONFIG_MAPPING[model_type]
    classes = next(m for m in (MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING, MODEL_FOR_CAUSAL_LM_MAPPING) if kind in m)
    values = shrunk(kind().to_dict(), family.config, len(words))
    image = family.counted or getattr(processor, "image_token", None) or "<image>"
    for part in (values, *(value for value in values.values() if isinstance(value, dict))):
        for key in ("image_token_id", "image_token_index"):
            if key in part:
                part[key] = words.convert_tokens_to_ids(str(image))
    config = kind.from_dict(values)
    with torch.device("meta"):
        weights = sum(w.numel() for w in classes[kind](config).parameters())
    if weights > LARGEST:
        raise ValueError(f"not made small: {weights:,} weights")
    torch.manual_seed(0)
    model = classes[kind](config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                torch.nn.init.xavier_normal_(weight.view(weight.shape[0], -1))
            elif not weight.isfinite().all():
                weight.zero_()
    return model.eval(), processor


def make_processor(model_type: str, family: Family, words: Any) -> Any:
    """Build the processor of a model type around a tokenizer."""
    import transformers
    from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES
    from transformers.models.auto.video_processing_auto import VIDEO_PROCESSOR_MAPPING_NAMES

    if model_type == "smolvlm":  # spells the numbers of video frames with a package that need not be installed
        from transformers.models.smolvlm import processing_smolvlm

        processing_smolvlm.num2words = processing_smolvlm.num2words or str
    kind = getattr(transformers, PROCESSOR_MAPPING_NAMES[family.kin or model_type])
    names = IMAGE_PROCESSOR_MAPPING_NAMES.get(family.kin or model_type) or {}
    pictures = names.get("torchvision") or names["pil"]
    wanted = inspect.signature(kind.__init__).parameters
    given: dict[str, Any] = {"tokenizer": words}
    if "qformer_tokenizer" in wanted:
        given["qformer_tokenizer"], given["num_query_tokens"] = tokenizer(), 4
    if "image_processor" in wanted:
        given["image_processor"] = small_images(getattr(transformers, pictures), family.images)
    if "video_processor" in wanted:
        found = VIDEO_PROCESSOR_MAPPING_NAMES.get(family.kin or model_type) or {}
        name = found.get("torchvision") or "LlavaNextVideoVideoProcessor"
        given["video_processor"] = getattr(transformers, name)()
    if "feature_extractor" in wanted:
        given["feature_extractor"] = transformers.Gemma3nAudioFeatureExtractor()
    if "audio_processor" in wanted:
        given["audio_processor"] = transformers.Phi4MultimodalFeatureExtractor()
    processor = kind(**given, **family.processor)
    token = family.token or getattr(processor, "image_token", None) or ""
    processor.chat_template = CHAT.replace("TOKEN", str(token))
    return processor


def small_images(kind: Any, options: Mapping[str, Any]) -> Any:
    """Return an image processor whose pictures are small."""
    size = getattr(kind, "size", None) or {}
    given: dict[str, Any] = {}
    if set(size) == {"height", "width"}:
        given["size"] = {"height": SIDE, "width": SIDE}
    elif set(size) == {"shortest_edge"}:
        given["size"] = {"shortest_edge": SIDE}
    if getattr(kind, "crop_size", None):
        given["crop_size"] = {"height": SIDE, "width": SIDE}
    if isinstance(getattr(kind, "patch_size", None), int):
        given["patch_size"] = PATCH
    return kind(**{**given, **options})


def save(model_type: str, folder: Path) -> Path:
    """Build a model of a type and save it with its processor, as a repository would be."""
    model, processor = build(model_type)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def photo(width: int = 640, height: int = 427) -> Any:
    """Return a picture as soft and as grainy as a photograph, RGB uint8."""
    import numpy as np
    from PIL import Image

    random = np.random.default_rng(0)
    coarse = random.integers(0, 256, (height // 40, width // 40, 3), dtype=np.uint8)
    soft = np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)).astype(np.int16)
    return np.clip(soft + random.integers(-6, 7, soft.shape), 0, 255).astype(np.uint8)


def own_features(model: Any, processor: Any, picture: Any, prompt: str, flat: bool = False) -> Any:
    """Return what a model sees of a picture, found without vhbench: its processor, then what its forward pass asks."""
    import torch

    inputs = processor(images=[picture] if flat else [[picture]], text=[prompt], return_tensors="pt")
    owners = [part for part in model.modules() if hasattr(part, "get_image_features")]
    if not owners or model.config.model_type == "llama4":  # projects what this function gives
        return None
    owner, seen = owners[-1], []
    asked = type(owner).get_image_features

    def kept(self: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(asked(self, *args, **kwargs))
        return seen[-1]

    type(owner).get_image_features = kept
    try:
        with torch.no_grad():
            model(**inputs)
    except (ValueError, RuntimeError, IndexError, TypeError, AttributeError):
        if not seen:  # a tiny processor may place another number of image tokens; what is seen is seen before
            raise
    finally:
        type(owner).get_image_features = asked
    features = getattr(seen[0], "pooler_output", seen[0])
    parts = [features] if isinstance(features, torch.Tensor) else list(features)
    return torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])
