"""From a layout to pixels and to the map of who owns which pixel."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes.drawings.sprites import Look, Sprite, sprite
from vhbench.generators.scenes.environments.backdrops import Backdrop, backdrop
from vhbench.generators.scenes.rasters import Pixels

VARIANTS = 2
"""Paintings per environment and state, each also mirrored; few, so that they are painted once and kept."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A thing that has its place."""

    spec: int  # index of its ObjectSpec, or -1 for a thing that was added to hide another
    look: Look
    x: int  # left edge in pixels; may lie outside the picture
    y: int  # top edge in pixels
    longest: int  # longest side in pixels
    depth: float  # painters' order; greater is nearer
    host: int = -1  # index of the thing it stands on, or -1
    grounded: bool = True  # whether it stands on something and so casts a shadow
    lifted: bool = False  # whether it flies, hangs or stands on another thing, rather than on the ground
    haze: float = 0.0  # 0 … 1, how much of it is lost in the distance, or blended away on purpose
    tint: tuple[float, float, float] | None = None  # the colour into which it is lost; None is the backdrop's haze

    def sprite(self) -> Sprite:
        """Return its pixels."""
        return sprite(self.look, self.longest)


@dataclass(frozen=True, slots=True)
class Silhouettes:
    """Who owns which pixel."""

    things: Sequence[Placed]  # in the order of their numbers
    owner: npt.NDArray[np.uint8]  # (height, width); 0 where the backdrop shows, i + 1 where thing i does
    whole: npt.NDArray[np.int64]  # pixels of each thing's silhouette, in the frame or not
    in_frame: npt.NDArray[np.int64]  # of it, pixels inside the frame
    hidden: npt.NDArray[np.int64]  # (things, things): pixels of the first that the second, nearer, covers


def painting_order(things: Sequence[Placed]) -> list[int]:
    """Return the indices from far to near; equal depths in the order of the list."""
    return sorted(range(len(things)), key=lambda i: (things[i].depth, i))


def silhouettes(things: Sequence[Placed], width: int, height: int) -> Silhouettes:
    """Paint the things by numbers: the same order and the same sprites as :func:`paint`, without colour."""
    owner = np.zeros((height, width), np.uint8)
    whole, in_frame = np.zeros(len(things), np.int64), np.zeros(len(things), np.int64)
    hidden = np.zeros((len(things), len(things)), np.int64)
    done: list[int] = []
    for i in painting_order(things):
        solid = things[i].sprite().solid
        whole[i] = np.count_nonzero(solid)
        window, part = _overlap(things[i].x, things[i].y, solid.shape, (height, width))
        solid = solid[part]
        in_frame[i] = np.count_nonzero(solid)
        for far in done:
            hidden[far, i] = _common(things[far], things[i], (height, width))
        owner[window][solid] = i + 1
        done.append(i)
    return Silhouettes(things, owner, whole, in_frame, hidden)


def _common(far: Placed, near: Placed, frame: tuple[int, int]) -> int:
    """Count the pixels in the frame that lie in both silhouettes."""
    a, b = far.sprite().solid, near.sprite().solid
    left, top = max(far.x, near.x, 0), max(far.y, near.y, 0)
    right = min(far.x + a.shape[1], near.x + b.shape[1], frame[1])
    bottom = min(far.y + a.shape[0], near.y + b.shape[0], frame[0])
    if right <= left or bottom <= top:
        return 0
    one = a[top - far.y : bottom - far.y, left - far.x : right - far.x]
    two = b[top - near.y : bottom - near.y, left - near.x : right - near.x]
    return int(np.count_nonzero(one & two))


Slices = tuple[slice, slice]


def _overlap(x: int, y: int, shape: tuple[int, int], frame: tuple[int, int]) -> tuple[Slices, Slices]:
    """Return where a patch at (x, y) lies in the frame, and which part of the patch that is."""
    top, bottom = max(0, y), max(0, min(frame[0], y + shape[0]))
    left, right = max(0, x), max(0, min(frame[1], x + shape[1]))
    bottom, right = max(top, bottom), max(left, right)
    return (slice(top, bottom), slice(left, right)), (slice(top - y, bottom - y), slice(left - x, right - x))


def scenery(name: str, state: str, variant: int, width: int, height: int) -> Backdrop:
    """Return a backdrop at any size; ``variant`` counts paintings, and from :data:`VARIANTS` on their mirror images.

    Where things may be is mirrored by :func:`layout.stage.mirror`.
    """
    painted = backdrop(name, state=state, variant=variant % VARIANTS, size=max(width, height))
    pixels = painted.pixels
    if pixels.shape[:2] != (height, width):
        pixels = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    return replace(painted, pixels=pixels[:, ::-1] if is_mirrored(variant) else pixels)


def is_mirrored(variant: int) -> bool:
    """Tell whether a variant of a backdrop is a mirror image."""
    return variant >= VARIANTS


def paint(things: Sequence[Placed], scene: Backdrop) -> Pixels:
    """Return the picture, (height, width, 3): the backdrop, and on it, from far to near, shadows and things.

    Blending is done in integers, so that the pixels do not depend on the processor.
    """
    canvas = np.ascontiguousarray(scene.pixels).copy()
    for i in painting_order(things):
        thing = things[i]
        pixels = thing.sprite()
        if thing.grounded:
            corner = (thing.x + pixels.shadow_at[0], thing.y + pixels.shadow_at[1])
            _darken(canvas, pixels.shadow, corner)
        _blend(canvas, pixels, thing, scene)
    return canvas


def _darken(canvas: Pixels, shadow: Pixels, corner: tuple[int, int]) -> None:
    window, part = _overlap(*corner, (shadow.shape[0], shadow.shape[1]), (canvas.shape[0], canvas.shape[1]))
    keep = (255 - shadow[part].astype(np.uint16))[..., None]
    canvas[window] = ((canvas[window] * keep + 127) // 255).astype(np.uint8)


def _blend(canvas: Pixels, pixels: Sprite, thing: Placed, scene: Backdrop) -> None:
    window, part = _overlap(thing.x, thing.y, pixels.solid.shape, (canvas.shape[0], canvas.shape[1]))
    below = canvas[window].astype(np.uint16)
    rgb = pixels.rgb[part].astype(np.float32) * np.asarray(scene.light, np.float32)
    if thing.haze > 0:
        rgb += (np.asarray(thing.tint or scene.haze, np.float32) - rgb) * np.float32(thing.haze)
    alpha = pixels.alpha[part].astype(np.uint16)[..., None]
    top = (rgb + 0.5).astype(np.uint16)
    canvas[window] = ((top * alpha + below * (255 - alpha) + 127) // 255).astype(np.uint8)
