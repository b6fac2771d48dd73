"""Ground truth of a rendered scene, measured on the map of pixel owners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vhbench import masks
from vhbench.generators.scenes import catalog, paints
from vhbench.generators.scenes.drawings.render import Placed, Silhouettes
from vhbench.generators.scenes.rasters import Pixels
from vhbench.generators.scenes.truth import relations
from vhbench.opencv import cv2
from vhbench.schema import Box, SceneObject

SIZES: Mapping[str, tuple[float, float]] = {
    "tiny": (0.0, 0.06),
    "small": (0.06, 0.125),
    "medium": (0.125, 0.33),
    "large": (0.33, 1.0),
}
"""Size name → bounds of sqrt(box area / image area).

Within 10% of a bound, the size is unknown, since annotators would disagree.
"""

SMALL_BOX = 0.005  # maximum box area of a small hard positive, as a fraction of the image (36² of 512²)
OCCLUDED = (0.2, 0.6)  # visible fraction of an occluded hard positive
TRUNCATED = (0.3, 0.75)  # in-frame fraction of a truncated hard positive
LOW_CONTRAST = 20.0  # maximum contrast (see :func:`contrast`) of a low-contrast hard positive
LEAST_CONTRAST = 12.0  # minimum contrast of any other object
LEAST_PIXELS = 0.0006  # minimum visible area of a present object, as a fraction of the image (157 of 512²)
LEAST_PART = 0.002  # the same for an occluded or truncated hard positive, which must stay recognizable
_WHOLE = 0.8
_COLOUR_SAMPLE = 2000
_GREYS = ("black", "white", "gray")


@dataclass(frozen=True, slots=True)
class Extent:
    """Visible extent of an object; the box is empty if nothing is visible."""

    box: Box
    area: int
    visible: npt.NDArray[np.bool_]  # mask within the box
    visible_fraction: float
    in_frame_fraction: float


def measure(owned: Silhouettes) -> list[Extent]:
    """Measure the visible part of every object."""
    return [_measure_one(owned, i) for i in range(len(owned.things))]


def _measure_one(owned: Silhouettes, i: int) -> Extent:
    window = owned.windows[i]
    visible = owned.owner[window] == i + 1
    area = int(np.count_nonzero(visible))
    in_frame, whole = int(owned.in_frame[i]), int(owned.whole[i])
    visible_share, framed = round(area / in_frame, 6) if in_frame else 0.0, round(in_frame / whole, 6)
    if not area:
        return Extent((0.0, 0.0, 0.0, 0.0), 0, visible[:0, :0], visible_share, framed)
    left, top, width, height = cv2.boundingRect(visible.view(np.uint8))
    box = (float(window[1].start + left), float(window[0].start + top), float(width), float(height))
    return Extent(box, area, visible[top : top + height, left : left + width], visible_share, framed)


def scene_object(number: int, thing: Placed, seen: Extent, picture: Pixels) -> SceneObject:
    """Return the scene object of a visible object."""
    entry = catalog.find(thing.look.word)
    declared = "" if entry.coco == "person" else thing.look.colour or entry.default_colour  # clothes are not skin
    left, top, width, height = map(int, seen.box)
    colour, sure = _colour(declared, seen.visible, picture[top : top + height, left : left + width])
    size = size_name(seen.box, picture.shape[1], picture.shape[0])
    action = thing.look.action or (catalog.DEFAULT_ACTION if entry.actions and entry.place == "ground" else "")
    attributes = {"colour": colour, "size": size, "action": action, "state": thing.look.state}
    whole = seen.visible_fraction >= _WHOLE and seen.in_frame_fraction >= _WHOLE
    sure_of = {"colour": sure, "state": whole}  # the hidden part of a candle may be its flame
    known = {name for name, value in attributes.items() if value and sure_of.get(name, True)}
    return SceneObject(
        id=number,
        category=entry.name,
        box=seen.box,
        area=float(seen.area),
        mask=masks.encode(seen.visible, size=(picture.shape[0], picture.shape[1]), corner=(left, top)),
        visible_fraction=seen.visible_fraction,
        in_frame_fraction=seen.in_frame_fraction,
        attributes=tuple((name, value) for name, value in attributes.items() if value),
        known_attributes=frozenset(known),
    )


def _colour(declared: str, visible: npt.NDArray[np.bool_], pixels: Pixels) -> tuple[str, bool]:
    """Apply :func:`seen_colour` to a sample of the visible pixels."""
    if not declared:
        return "", False
    places = np.flatnonzero(visible)
    places = places[:: max(1, len(places) // _COLOUR_SAMPLE)]
    rows, columns = np.divmod(places, visible.shape[1])
    return seen_colour(declared, pixels[rows, columns])


def seen_colour(declared: str, pixels: Pixels) -> tuple[str, bool]:
    """Return the declared colour if pixels, shape (n, 3), show it, and whether it is unique.

    They show it if at least half of them have it, or at least a quarter and no other hue has more (a red bicycle has
    black tyres); otherwise the name is "". It is unique, so that other colours can be denied, if half of the pixels
    have it and no other colour exceeds 30%.
    """
    shares = paints.shares(pixels)
    share = shares.pop(declared, 0.0)
    hues = max((value for name, value in shares.items() if name not in _GREYS), default=0.0)
    main = share >= 0.5 or (share >= 0.25 and declared not in _GREYS and hues < share)
    return declared if main else "", share >= 0.5 and max(shares.values(), default=0.0) <= 0.3


def size_name(box: Box, width: int, height: int) -> str:
    """Return the size name of a box, or "" within 10% of the bound between two names."""
    share = (box[2] * box[3] / (width * height)) ** 0.5
    for name, (low, high) in SIZES.items():
        if low <= share < high:
            return name if (low == 0 or share >= 1.1 * low) and (high == 1 or share < 0.9 * high) else ""
    return "large"


def bodies(objects: Sequence[SceneObject], owned: Silhouettes) -> list[relations.Body]:
    """Return the input of the rules in :mod:`relations`, one per object."""
    shares = owned.hidden / np.maximum(owned.in_frame, 1)[:, None]
    own = owned.hidden / np.maximum(owned.in_frame, 1)[None, :]
    return [
        relations.Body(
            o.id,
            o.box,
            thing.depth,
            thing.lifted,
            host=thing.host + 1 if thing.host >= 0 else None,
            hides={int(j) + 1: float(shares[j, i]) for j in np.flatnonzero(shares[:, i])},
            over={int(j) + 1: float(own[j, i]) for j in np.flatnonzero(own[:, i])},
        )
        for i, (o, thing) in enumerate(zip(objects, owned.things, strict=True))
    ]


def contrast(picture: Pixels, seen: Extent) -> float:
    """Return the contrast of an object to its surroundings.

    The contrast is the mean CIE76 difference ΔE between the visible pixels and the mean colour of a rim around them,
    which is a tenth of the box's longer side wide and at least 4 pixels. Large objects are subsampled on a grid.
    """
    within, around = _sampled(picture, seen)
    if not len(around) or not len(within):
        return 0.0
    colours = np.concatenate((around, within)).astype(np.float32)
    colours /= 255
    squares = np.zeros(len(within), np.float32)
    for channel in cv2.transpose(cv2.cvtColor(colours[None], cv2.COLOR_RGB2LAB)[0]):  # faster than triples
        difference = channel[len(around) :]
        difference -= channel[: len(around)].cumsum()[-1] / np.float32(len(around))
        difference *= difference
        squares += difference
    return float(np.sqrt(squares, out=squares).mean())


def surroundings(picture: Pixels, seen: Extent) -> tuple[float, float, float]:
    """Return the mean RGB of the rim that :func:`contrast` uses; the rim must be non-empty."""
    _, around = _sampled(picture, seen)
    red, green, blue = (float(channel) for channel in around.mean(0))
    return red, green, blue


def _sampled(picture: Pixels, seen: Extent) -> tuple[Pixels, Pixels]:
    """Return the colours, shape (n, 3), of visible pixels and of the rim around them."""
    left, top, width, height = map(int, seen.box)
    longest = max(width, height)
    reach, step = max(4, round(0.1 * longest)), max(1, longest // 80)
    rows, first_row = _grid(top, height, reach, step, picture.shape[0])
    columns, first_column = _grid(left, width, reach, step, picture.shape[1])
    patch = picture[rows, columns]
    inside = np.zeros(patch.shape[:2], np.uint8)
    part = seen.visible[first_row[0] :: step, first_column[0] :: step]
    inside[first_row[1] :, first_column[1] :][: part.shape[0], : part.shape[1]] = part
    kernel = np.ones((2 * (reach // step) + 1,) * 2, np.uint8)
    colours = patch.reshape(-1, 3)
    around = np.flatnonzero(cv2.dilate(inside, kernel) > inside)
    return colours.take(np.flatnonzero(inside), 0), colours.take(around, 0)


def _grid(start: int, length: int, reach: int, step: int, most: int) -> tuple[slice, tuple[int, int]]:
    """Return the sampled rows around a box, and the first box row in box and sample indices."""
    first = max(0, start - reach)
    into = -(-(start - first) // step)
    return slice(first, min(most, start + length + reach), step), (first + into * step - start, into)
