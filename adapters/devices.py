"""Visible GPUs, and their assignment to worker processes."""

import os
from functools import cache

VISIBLE = "CUDA_VISIBLE_DEVICES"


@cache
def visible_devices() -> tuple[str, ...]:
    """Return the GPU names for ``CUDA_VISIBLE_DEVICES``; empty without torch or a GPU."""
    given = os.environ.get(VISIBLE)
    if given is not None:
        return tuple(name.strip() for name in given.split(",") if name.strip() not in ("", "-1"))
    try:
        import torch
    except ImportError:
        return ()
    return tuple(str(i) for i in range(torch.cuda.device_count()))


def device_of(worker: int, devices: tuple[str, ...]) -> str:
    """Return the GPU of a worker, round-robin.

    >>> [device_of(worker, ("0", "1", "2")) for worker in range(5)]
    ['0', '1', '2', '0', '1']
    """
    return devices[worker % len(devices)]
