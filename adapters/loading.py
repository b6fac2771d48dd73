"""What adapters of models share: libraries that may be missing, models that cannot be loaded, devices, batches."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from vhbench.schema import VhbenchError

T = TypeVar("T")

DTYPES = ("auto", "float32", "float16", "bfloat16")
"""Precisions by the names of torch; which one "auto" is depends on the device."""


@contextmanager
def needed_by(what: str, extra: str = "generate") -> Iterator[None]:
    """Say which extra to install where an import fails.

    Raises:
        VhbenchError: in place of the ImportError.
    """
    try:
        yield
    except ImportError as error:
        raise VhbenchError(f"{what} needs: pip install 'vhbench[{extra}]' ({error})") from error


@contextmanager
def loading(what: str) -> Iterator[None]:
    """Say in one line what could not be loaded.

    Raises:
        VhbenchError: in place of what transformers and diffusers raise.
    """
    try:
        yield
    except (OSError, ValueError, ImportError) as error:  # SmolVLM's processor asks for num2words
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise VhbenchError(f"cannot load {what}: {lines[0].strip()}") from error


def pick_device(wanted: str = "auto") -> str:
    """Return where a model runs: where it was told to, or for "auto" on a GPU if there is one."""
    import torch

    return ("cuda" if torch.cuda.is_available() else "cpu") if wanted == "auto" else wanted


def pick_dtype(wanted: str, device: str) -> str:
    """Return the precision a model runs in; "auto" is bfloat16 on a GPU that has it, float16 on others, else float32.

    Raises:
        VhbenchError: if there is no such precision.
    """
    import torch

    if wanted not in DTYPES:
        raise VhbenchError(f"--dtype {wanted!r}: must be one of {', '.join(DTYPES)}")
    if wanted != "auto":
        return wanted
    if not device.startswith("cuda"):
        return "float32"
    return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the items in order, so many at once."""
    return (items[start : start + size] for start in range(0, len(items), size))
