"""Attack a tiny random model of every vision-language class of the installed transformers, and print docs' table.

``python tests/by_hand/vlm_coverage.py`` takes some minutes and 4 GB; ``… TYPE TYPE`` tries some. Not part of the suite:
``tests/adapters/test_vlm_connectors.py`` holds the classes that work.
"""

import io
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import any_vlm

from vhbench.adapters.attack_config import AttackConfig, Method
from vhbench.adapters.attacks import AttackCase, attack
from vhbench.adapters.vlms import TransformersVLM
from vhbench.schema import Rejection, VhbenchError

HEAD = """| model type | class | PGD | I-FGSM | noise | reported − own | largest change |
|---|---|---:|---:|---:|---:|---:|"""


def line(model_type: str) -> str:
    """Return the cells of a class that works.

    Raises:
        VhbenchError: if it is refused.
        Untried: if no tiny model of it could be made.
    """
    try:
        model, processor = any_vlm.build(model_type)
    except Exception as error:
        raise Untried(f"{type(error).__name__}: {error}") from error
    vlm = TransformersVLM(model, processor, name=model_type)
    photo = any_vlm.photo()
    clean = seen(vlm, photo)
    cells, apart, changed = [], 0.0, 0
    methods: tuple[Method, ...] = ("pgd", "ifgsm", "random_noise")
    for method in methods:
        config = AttackConfig(method=method, steps_apart=10)
        (result,) = attack([AttackCase("a", photo, "apart")], model=vlm, config=config)
        if isinstance(result, Rejection):
            raise VhbenchError(str(result.detail))
        changed = max(changed, result.linf)
        if clean is not None:
            own = torch.cosine_similarity(seen(vlm, Image.open(io.BytesIO(result.png))), clean, dim=1).mean().item()
            apart = max(apart, abs(own - result.saved))
        cells.append(f"{result.saved:.4f}")
    return f"{' | '.join(cells)} | {'–' if clean is None else f'{apart:.0e}'} | {changed}"


def seen(vlm: TransformersVLM, picture: Any) -> Any:
    """Return what the model's own processor and forward pass make of a picture, None without ``get_image_features``."""
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    return any_vlm.own_features(vlm.model, vlm.processor, image, vlm._prompt(vlm.instruction), vlm.layout == "flat")


class Untried(Exception):
    """No tiny model of a class could be made here."""


def main() -> None:
    """Print the table of the classes that work, and what became of the others."""
    warnings.filterwarnings("ignore")
    print(HEAD)
    others: dict[str, list[str]] = {"refused": [], "not tried": []}
    for model_type in sys.argv[1:] or any_vlm.classes():
        name = any_vlm.classes().get(model_type, "")
        try:
            print(f"| {model_type} | {name} | {line(model_type)} |", flush=True)
        except VhbenchError as error:
            others["refused"].append(f"| {model_type} | {name} | {error} |")
        except Untried as error:
            others["not tried"].append(f"| {model_type} | {name} | {str(error).splitlines()[0][:160]} |")
    for kind, lines in others.items():
        print(f"\n{kind}\n", *lines, sep="\n")


if __name__ == "__main__":
    main()
