"""Options of fine-tuning; importing them is light."""

from dataclasses import dataclass

from vhbench.options import LARGEST_SEED, option

_HOW, _RUNS, _AFTER = "Training", "Execution", "Evaluation"


@dataclass(frozen=True, kw_only=True)
class Training:
    """Training settings; options of ``vhbench finetune``."""

    learning_rate: float = option(
        "Learning rate, for LoRA; the papers' for LLaVA-1.5 is 1.8e-6.", 1e-4, least=0, panel=_HOW
    )
    epochs: float = option("Number of epochs.", 1.0, least=0, panel=_HOW)
    steps: int = option("Optimizer steps; 0 for as many as the epochs have.", 0, least=0, panel=_HOW)
    batch: int = option("Batch size per device.", 1, least=1, panel=_HOW)
    accumulate: int = option("Gradient accumulation steps.", 16, least=1, panel=_HOW)
    rank: int = option("LoRA rank; 0 trains all weights.", 128, least=0, panel=_HOW)
    alpha: int = option("LoRA alpha.", 256, least=1, panel=_HOW)
    vision: bool = option(
        "Train the vision tower too; it is frozen by default.", False, names=("--vision/--no-vision",), panel=_HOW
    )
    quantize: str = option(
        "Quantize the base model's weights: `4bit` or `8bit` (bitsandbytes, QLoRA).",
        "",
        metavar="BITS",
        panel=_HOW,
    )
    optimizer: str = option("Optimizer: `adamw` or `adamw_8bit`.", "adamw", panel=_HOW)
    max_pixels: int = option(
        "Scale larger images down to this many pixels (Qwen2-VL, Qwen2.5-VL); 0 for the processor's limit.",
        0,
        least=0,
        panel=_HOW,
    )
    beta: float = option("DPO beta, for preference pairs.", 0.1, least=0, panel=_HOW)
    seed: int = option(
        "Random seed of the row order and of LoRA's initialisation.", 0, least=0, most=LARGEST_SEED, panel=_HOW
    )
    untested: bool = option(
        "Allow model classes that vhbench was not tested with.", False, names=("--untested",), panel=_HOW
    )
    device: str = option("Device: auto, cpu or cuda.", "auto", panel=_RUNS)
    dtype: str = option("Precision: auto (bfloat16 on a GPU), float32, float16 or bfloat16.", "auto", panel=_RUNS)
    save_steps: int = option("Steps between checkpoints.", 200, least=1, panel=_RUNS)
    resume: bool = option("Resume from the last checkpoint in OUT.", False, names=("--resume",), panel=_RUNS)
    processes: int = option(
        "Required number of processes, started with `torchrun --nproc_per_node N $(which vhbench) finetune …`; 0 "
        "for any.",
        0,
        least=0,
        panel=_RUNS,
    )
    merge: bool = option(
        "Write the merged model too, in float32, and print how far it is from the adapter.",
        True,
        names=("--merge/--no-merge",),
        panel=_AFTER,
    )
