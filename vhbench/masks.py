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
    used = np.flatnonzero(mask.any(0))
    if not used.size:
        return Mask((height, width), _characters(np.array([height * width])))
    first, last = int(used[0]), int(used[-1]) + 1
    flat = mask[:, first:last].ravel(order="F")  # nothing changes in the empty columns left and right
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1 + first * height
    start = [first * height] if flat[0] else []
    end = [last * height] if flat[-1] and last < width else []
    edges = [0, *start, *changes.tolist(), *end, height * width]
    return Mask((height, width), _characters(np.array(edges[1:]) - np.array(edges[:-1])))


def _characters(runs: npt.NDArray[np.int_]) -> str:
    values = runs.copy()
    values[3:] -= runs[1:-2]
    groups, mores = [], []
    more = np.ones(len(values), np.bool_)
    while more.any():
        bits = values & 0x1F
        values = values >> 5
        further = ~np.where(bits & 0x10, values == -1, values == 0)
        groups.append(np.where(more, bits + 48 + 0x20 * further, 0))
        mores.append(more)
        more = more & further
    table = np.stack(groups, axis=1).astype(np.uint8)
    return table[np.stack(mores, axis=1)].tobytes().decode("ascii")


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
