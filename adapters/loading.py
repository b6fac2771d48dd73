"""Helpers for model adapters: optional dependencies, load errors, devices, batches."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from vhbench.schema import VhbenchError

T = TypeVar("T")

DTYPES = ("auto", "float32", "float16", "bfloat16")  # torch dtype names; "auto" depends on the device


@contextmanager
def needed_by(what: str, extra: str = "generate") -> Iterator[None]:
    """Report, as a VhbenchError, which extra to install if an import fails."""
    try:
        yield
    except ImportError as error:
        raise VhbenchError(f"{what} needs: pip install 'vhbench[{extra}]' ({error})") from error


@contextmanager
def loading(what: str) -> Iterator[None]:
    """Report in one line, as a VhbenchError, what transformers or diffusers could not load."""
    try:
        yield
    except (OSError, ValueError, ImportError) as error:  # SmolVLM's processor requires num2words
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise VhbenchError(f"cannot load {what}: {lines[0].strip()}") from error


def pick_device(name: str = "auto") -> str:
    """Return the device; "auto" is a GPU if available."""
    import torch

    return ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name


@cache
def visible_devices() -> tuple[str, ...]:
    """Return the GPU names for ``CUDA_VISIBLE_DEVICES``; empty without torch or a GPU."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is not None:
        return tuple(name.strip() for name in listed.split(",") if name.strip() not in ("", "-1"))
    try:
        import torch
    except ImportError:
        return ()
    return tuple(str(i) for i in range(torch.cuda.device_count()))


def pick_dtype(name: str, device: str) -> str:
    """Return the dtype; "auto" is bfloat16 or float16 on a GPU, float32 on a CPU. Raise if it is unknown."""
    import torch

    if name not in DTYPES:
        raise VhbenchError(f"--dtype: expected one of {', '.join(DTYPES)}, got {name!r}")
    if name != "auto":
        return name
    if not device.startswith("cuda"):
        return "float32"
    return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the items in batches, in order."""
    return (items[start : start + size] for start in range(0, len(items), size))
