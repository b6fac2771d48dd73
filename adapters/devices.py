"""GPUs that this process may use, and which of them each of several worker processes gets."""

import os
from functools import cache

VISIBLE = "CUDA_VISIBLE_DEVICES"


@cache
def visible_devices() -> tuple[str, ...]:
    """Return the GPUs by the names that ``CUDA_VISIBLE_DEVICES`` takes; none where there is no torch or no GPU."""
    given = os.environ.get(VISIBLE)
    if given is not None:
        return tuple(name.strip() for name in given.split(",") if name.strip() not in ("", "-1"))
    try:
        import torch
    except ImportError:
        return ()
    return tuple(str(i) for i in range(torch.cuda.device_count()))


def device_of(worker: int, devices: tuple[str, ...]) -> str:
    """Return the GPU of the worker with a number, in turn.

    >>> [device_of(worker, ("0", "1", "2")) for worker in range(5)]
    ['0', '1', '2', '0', '1']
    """
    return devices[worker % len(devices)]
