"""Tiny randomly initialised text-to-image pipelines and detectors, saved as a Hub repository would be."""

import string
from pathlib import Path
from typing import Any

import pytest

LETTERS = [*string.ascii_lowercase, *(f"{c}</w>" for c in string.ascii_lowercase), ".", ".</w>", ",</w>"]
HIDDEN = 16


@pytest.fixture(scope="session")
def image_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of one of each, by the name of the function that saves it."""
    folder = tmp_path_factory.mktemp("image_models")
    saving = (stable_diffusion, flux, owlv2, grounding_dino, clip, vilt)
    return {save.__name__: save(folder / save.__name__) for save in saving}


def clip(folder: Path) -> Path:
    """Save a CLIPModel with its processor."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor

    torch.manual_seed(0)
    vision = {
        "hidden_size": HIDDEN, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
        "image_size": 32, "patch_size": 16, "projection_dim": HIDDEN,
    }  # fmt: skip
    CLIPModel(CLIPConfig(text_config=clip_text_config(), vision_config=vision, projection_dim=HIDDEN)).save_pretrained(
        folder
    )
    images = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    CLIPProcessor(images, clip_tokenizer()).save_pretrained(folder)
    return folder


def vilt(folder: Path) -> Path:
    """Save a ViltForQuestionAnswering that answers yes or no, with its processor."""
    import torch
    from transformers import ViltConfig, ViltForQuestionAnswering, ViltImageProcessor, ViltProcessor

    torch.manual_seed(0)
    tokenizer = letter_tokenizer()
    config = ViltConfig(
        vocab_size=len(tokenizer), hidden_size=HIDDEN, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        image_size=32, patch_size=16, max_position_embeddings=64, id2label={0: "no", 1: "yes", 2: "red"},
        label2id={"no": 0, "yes": 1, "red": 2},
    )  # fmt: skip
    ViltForQuestionAnswering(config).save_pretrained(folder)
    tokenizer.model_max_length = 64
    ViltProcessor(ViltImageProcessor(size={"shortest_edge": 32}, size_divisor=16), tokenizer).save_pretrained(folder)
    return folder


def letter_tokenizer() -> Any:
    """A BERT tokenizer that knows letters only."""
    from transformers import BertTokenizer

    letters = string.ascii_lowercase
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", *letters, *(f"##{c}" for c in letters)]
    return BertTokenizer(vocab={word: i for i, word in enumerate(words)})


def clip_tokenizer() -> Any:
    """A CLIP tokenizer that knows letters only."""
    from transformers import CLIPTokenizer

    words = [*LETTERS, "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={word: i for i, word in enumerate(words)}, merges=[], model_max_length=77)


def clip_text_config(**more: Any) -> dict[str, Any]:
    size = len(LETTERS)
    return {
        "vocab_size": size + 2, "hidden_size": HIDDEN, "intermediate_size": 32, "num_hidden_layers": 1,
        "num_attention_heads": 2, "projection_dim": HIDDEN, "bos_token_id": size, "eos_token_id": size + 1,
        "pad_token_id": size + 1, **more,
    }  # fmt: skip


def autoencoder(channels: int) -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=[8, 8], in_channels=3, out_channels=3, latent_channels=channels, norm_num_groups=4,
        down_block_types=["DownEncoderBlock2D"] * 2, up_block_types=["UpDecoderBlock2D"] * 2,
        shift_factor=0.0, scaling_factor=1.0, use_quant_conv=False, use_post_quant_conv=False,
    )  # fmt: skip


def stable_diffusion(folder: Path) -> Path:
    """Save a StableDiffusionPipeline."""
    import torch
    from diffusers import DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel
    from transformers import CLIPTextConfig, CLIPTextModel

    torch.manual_seed(0)
    unet = UNet2DConditionModel(
        block_out_channels=[8, 16], layers_per_block=1, sample_size=8, in_channels=4, out_channels=4, norm_num_groups=4,
        down_block_types=["DownBlock2D", "CrossAttnDownBlock2D"], up_block_types=["CrossAttnUpBlock2D", "UpBlock2D"],
        cross_attention_dim=HIDDEN, attention_head_dim=4,
    )  # fmt: skip
    scheduler = DDIMScheduler(steps_offset=1, clip_sample=False)
    pipe = StableDiffusionPipeline(
        vae=autoencoder(4), unet=unet, text_encoder=CLIPTextModel(CLIPTextConfig(**clip_text_config())),
        tokenizer=clip_tokenizer(), scheduler=scheduler, safety_checker=None, feature_extractor=None,
        requires_safety_checker=False,
    )  # fmt: skip
    pipe.save_pretrained(folder, safe_serialization=True)
    return folder


def flux(folder: Path) -> Path:
    """Save a FluxPipeline."""
    import torch
    from diffusers import FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
    from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel, T5TokenizerFast

    torch.manual_seed(0)
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((f"▁{c}", -2.0) for c in string.ascii_letters)]
    pieces += [(c, -2.0) for c in string.ascii_letters + string.punctuation]
    tokenizer = T5TokenizerFast(vocab=pieces, extra_ids=0, model_max_length=64)
    transformer = FluxTransformer2DModel(
        patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
        joint_attention_dim=HIDDEN, pooled_projection_dim=HIDDEN, axes_dims_rope=[4, 4, 8], guidance_embeds=True,
    )  # fmt: skip
    pipe = FluxPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(), vae=autoencoder(1), transformer=transformer,
        text_encoder=CLIPTextModel(CLIPTextConfig(**clip_text_config())), tokenizer=clip_tokenizer(),
        text_encoder_2=T5EncoderModel(T5Config(
            vocab_size=len(pieces), d_model=HIDDEN, d_ff=32, d_kv=8, num_layers=1, num_heads=2,
        )),
        tokenizer_2=tokenizer,
    )  # fmt: skip
    pipe.save_pretrained(folder, safe_serialization=True)
    return folder


def owlv2(folder: Path) -> Path:
    """Save an Owlv2ForObjectDetection with its processor."""
    import torch
    from transformers import Owlv2Config, Owlv2ForObjectDetection, Owlv2ImageProcessor, Owlv2Processor

    torch.manual_seed(0)
    config = Owlv2Config(
        text_config=clip_text_config(max_position_embeddings=16),
        vision_config={
            "hidden_size": HIDDEN, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
            "image_size": 64, "patch_size": 16,
        },
        projection_dim=HIDDEN,
    )  # fmt: skip
    Owlv2ForObjectDetection(config).save_pretrained(folder)
    images = Owlv2ImageProcessor(size={"height": 64, "width": 64})
    tokenizer = clip_tokenizer()
    tokenizer.model_max_length = 16
    Owlv2Processor(images, tokenizer).save_pretrained(folder)
    return folder


def grounding_dino(folder: Path) -> Path:
    """Save a GroundingDinoForObjectDetection with its processor."""
    import torch
    from transformers import (
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessor,
        GroundingDinoProcessor,
        SwinConfig,
    )

    torch.manual_seed(0)
    tokenizer = letter_tokenizer()
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 1, 1], window_size=4,
            out_features=["stage2", "stage3", "stage4"],
        ),
        text_config={
            "model_type": "bert", "vocab_size": len(tokenizer), "hidden_size": HIDDEN, "intermediate_size": 32,
            "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 256,
        },
        d_model=32, encoder_layers=1, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, num_queries=20, use_pretrained_backbone=False,
        disable_custom_kernels=True,
    )  # fmt: skip
    GroundingDinoForObjectDetection(config).save_pretrained(folder)
    images = GroundingDinoImageProcessor(size={"shortest_edge": 128, "longest_edge": 128})
    GroundingDinoProcessor(images, tokenizer).save_pretrained(folder)
    return folder
