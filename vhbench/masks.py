"""COCO's compressed run-length encoding of masks, without pycocotools' platform wheels."""

import numpy as np
import numpy.typing as npt

from vhbench.schema import Mask, VhbenchError

_WIDEST = 60  # bits of a run


def encode(
    mask: npt.NDArray[np.bool_], *, size: tuple[int, int] | None = None, corner: tuple[int, int] = (0, 0)
) -> Mask:
    """Encode a boolean mask, shape (height, width).

    Runs are column-major and start with zeros; each run is written as its difference to the run two before, in groups
    of five bits with a continuation bit, shifted into printable ASCII.

    A mask that is part of a whole comes with the whole's ``size`` (height, width) and its ``corner`` (left, top) there.
    """
    height, width = size or mask.shape
    left, top = corner
    framed = np.zeros((mask.shape[1], mask.shape[0] + 2), np.bool_)  # a column per row, with zeros above and below
    framed[:, 1:-1] = mask.T
    column, row = np.nonzero(framed[:, 1:] != framed[:, :-1])
    edges = (column + left) * height + row + top
    if edges.size and mask.shape[0] == height:
        # A run that continues at the top of the next column does not end at the bottom of this one.
        goes_on = edges[1:] == edges[:-1]
        edges = edges[~(np.append(goes_on, False) | np.append(False, goes_on))]
    ends = edges if edges.size and edges[-1] == height * width else np.append(edges, height * width)
    runs = ends.copy()
    runs[1:] -= ends[:-1]
    return Mask((height, width), _characters(runs))


def _characters(runs: npt.NDArray[np.int_]) -> str:
    values = runs.copy()
    values[3:] -= runs[1:-2]
    most = int(runs.max()).bit_length() // 5 + 1  # groups of a run; a difference of two needs no more
    groups = values[:, None] >> np.arange(0, 5 * most, 5)
    further = (groups < -16) | (groups >= 16)
    groups &= 0x1F
    groups += 48
    groups[further] += 0x20
    written = np.ones(further.shape, np.bool_)
    written[:, 1:] = further[:, :-1]
    return groups[written].astype(np.uint8).tobytes().decode("ascii")


def decode(mask: Mask) -> npt.NDArray[np.bool_]:
    """Return the boolean mask, shape (height, width); raise VhbenchError if the runs do not add up to its size."""
    height, width = mask.size
    runs: list[int] = []
    value = shift = 0
    for code in mask.counts.encode("ascii", "replace"):
        bits = code - 48
        value |= (bits & 0x1F) << shift
        shift += 5
        if shift > _WIDEST:  # it would grow endlessly, and no mask has so many pixels
            raise VhbenchError(f"a mask of {width}x{height} pixels has a run that is longer than any")
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
