"""Options of fine-tuning; importing them is light."""

from dataclasses import dataclass
from functools import partial

from vhbench.options import LARGEST_SEED, option

_of_training, _of_execution, _of_evaluation = (
    partial(option, panel=panel) for panel in ("Training", "Execution", "Evaluation")
)


@dataclass(frozen=True, kw_only=True)
class Training:
    """Training settings; options of ``vhbench finetune``."""

    learning_rate: float = _of_training("Learning rate; the default suits LoRA, the papers use 1.8e-6.", 1e-4, least=0)
    epochs: float = _of_training("Number of epochs.", 1.0, least=0)
    steps: int = _of_training("Optimizer steps; 0: as many as --epochs requires.", 0, least=0)
    batch: int = _of_training("Batch size per device.", 1, least=1)
    accumulate: int = _of_training("Gradient accumulation steps.", 16, least=1)
    rank: int = _of_training("LoRA rank; 0 trains all weights.", 128, least=0)
    alpha: int = _of_training("LoRA alpha.", 256, least=1)
    vision: bool = _of_training(
        "Train the vision tower too; it is frozen by default.", False, names=("--vision/--no-vision",)
    )
    quantize: str = _of_training(
        "Quantize the base model's weights: `4bit` or `8bit` (bitsandbytes, QLoRA).", "", metavar="BITS"
    )
    optimizer: str = _of_training("Optimizer: `adamw` or `adamw_8bit`.", "adamw")
    max_pixels: int = _of_training(
        "Scale larger images down to this many pixels (Qwen2-VL, Qwen2.5-VL); 0 for the processor's limit.", 0, least=0
    )
    beta: float = _of_training("DPO beta, for preference pairs.", 0.1, least=0)
    seed: int = _of_training(
        "Random seed of the row order and of LoRA's initialisation.", 0, least=0, most=LARGEST_SEED
    )
    untested: bool = _of_training("Allow model classes that vhbench was not tested with.", False)
    device: str = _of_execution("Device: auto, cpu or cuda.", "auto")
    dtype: str = _of_execution("Precision: auto (bfloat16 on a GPU), float32, float16 or bfloat16.", "auto")
    save_steps: int = _of_execution("Steps between checkpoints.", 200, least=1)
    resume: bool = _of_execution("Resume from the last checkpoint in OUT.", False)
    processes: int = _of_execution(
        "Required number of processes, started with `torchrun --nproc_per_node N $(which vhbench) finetune …`; 0 "
        "for any.",
        0,
        least=0,
    )
    merge: bool = _of_evaluation(
        "Also write the merged model in float32, and print how much its output differs from the adapter's.",
        True,
        names=("--merge/--no-merge",),
    )
