"""Visible GPUs, and their assignment to worker processes."""

import os
from functools import cache

_VISIBLE = "CUDA_VISIBLE_DEVICES"


@cache
def visible_devices() -> tuple[str, ...]:
    """Return the GPU names for ``CUDA_VISIBLE_DEVICES``; empty without torch or a GPU."""
    given = os.environ.get(_VISIBLE)
    if given is not None:
        return tuple(name.strip() for name in given.split(",") if name.strip() not in ("", "-1"))
    try:
        import torch
    except ImportError:
        return ()
    return tuple(str(i) for i in range(torch.cuda.device_count()))


def show_device(worker: int, devices: tuple[str, ...]) -> None:
    """Show a worker process its GPU alone, round-robin; call it before torch is loaded."""
    os.environ[_VISIBLE] = devices[worker % len(devices)]
