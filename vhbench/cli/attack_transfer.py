"""``vhbench attack-transfer SPLIT --model NAME``: whether attacks on one model flip the answers of another."""

from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option


@dataclass(frozen=True, kw_only=True)
class _TransferOptions:
    split: Path = option("An attacked VHExpansion split, such as out/vhexpansion.", argument=True)
    model: str = option("Model to evaluate: a Hub repository or a local folder.", metavar="NAME")
    out: Path = option("JSON file for all numbers.", Path("transfer.json"), names=("--out", "-o"))
    device: str = option("Device: auto, cpu, cuda, cuda:1 …", "auto")
    dtype: str = option("Precision: auto, float32, float16 or bfloat16.", "auto")
    revision: str = option("Commit, branch or tag of the model's repository.", "")


@build_command.command
def attack_transfer(options: _TransferOptions) -> None:
    """Measure how attacked images transfer to a second model.

    Runs the model on clean and on attacked images and reports the share of its correct answers that the attack
    flips, next to the control (random_noise) if the split has one. With the attacked model itself, it recomputes the
    success rate. `lmms-eval` on the attacked split and `vhbench analyse vhexpansion` report the same for any model
    that lmms-eval supports.

    Example: `vhbench attack-transfer out/vhexpansion --model Qwen/Qwen2.5-VL-3B-Instruct`
    """
    from vhbench.adapters.vlms import load_vlm
    from vhbench.analysis.transfer import transfer
    from vhbench.builds.vhexpansion_attack import SUFFIX
    from vhbench.files import json_bytes, write_atomic
    from vhbench.splits import read_manifest

    read_manifest(options.split)  # fails fast, before minutes of model loading
    vlm = load_vlm(options.model, device=options.device, dtype=options.dtype, revision=options.revision)
    outcomes = transfer(options.split, lambda image, question: vlm.answer([image], [question], suffix=SUFFIX)[0])
    write_atomic(options.out, json_bytes({"model": vlm.name, "attacks": outcomes}))
    for method, outcome in outcomes.items():
        line = f"{method}: {outcome['turned_wrong']} of {outcome['right_before']} correct answers flipped"
        if outcome["success_interval"]:
            low, high = outcome["success_interval"]
            line += f", {outcome['success_rate']:.1f} % [{low:.1f}, {high:.1f}]"
        if outcome["unread_after"]:
            low, high = outcome["success_bounds"]
            line += f"; {outcome['unread_after']} more are neither yes nor no, with them {low:.1f} to {high:.1f} %"
        typer.echo(line)
    typer.echo(f"wrote {options.out}")
