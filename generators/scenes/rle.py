"""COCO's compressed run-length encoding of masks, without pycocotools (which has no wheel for every platform)."""

import numpy as np
import numpy.typing as npt

from vhbench.schema import Mask, VhbenchError


def encode(mask: npt.NDArray[np.bool_]) -> Mask:
    """Encode a boolean mask, shape (height, width).

    Runs go down the columns and start with zeros; each run is written as its difference to the run two before, in
    groups of five bits with a continuation bit, shifted into printable ASCII.
    """
    height, width = mask.shape
    flat = mask.ravel(order="F")
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = np.diff(np.concatenate([[0], edges, [flat.size]])).tolist()
    if flat.size and flat[0]:
        runs.insert(0, 0)
    out = bytearray()
    for i, run in enumerate(runs):
        value = run - runs[i - 2] if i > 2 else run
        more = True
        while more:
            bits = value & 0x1F
            value >>= 5
            more = not (value == 0 and not bits & 0x10) and not (value == -1 and bits & 0x10)
            out.append((bits | 0x20 if more else bits) + 48)
    return Mask((height, width), out.decode("ascii"))


def decode(mask: Mask) -> npt.NDArray[np.bool_]:
    """Return the boolean mask, shape (height, width).

    Raises:
        VhbenchError: if the runs do not add up to the mask's size.
    """
    height, width = mask.size
    runs: list[int] = []
    value = shift = 0
    for code in mask.counts.encode("ascii", "replace"):
        bits = code - 48
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20:
            continue
        if bits & 0x10:
            value |= -1 << shift
        runs.append(value + runs[-2] if len(runs) > 2 else value)
        value = shift = 0
    if sum(runs) != height * width or min(runs, default=0) < 0:
        raise VhbenchError(f"a mask of {width}x{height} pixels does not fit its runs (they cover {sum(runs)} pixels)")
    ones = np.arange(len(runs)) % 2 == 1
    return np.repeat(ones, runs).reshape((height, width), order="F")
