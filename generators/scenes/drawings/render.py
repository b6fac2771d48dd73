"""Rendering of a layout to pixels and to the map of pixel owners."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vhbench.generators.scenes.drawings.sprites import Look, Sprite, shadow, sprite
from vhbench.generators.scenes.environments.backdrops import Backdrop
from vhbench.generators.scenes.rasters import Pixels
from vhbench.opencv import cv2


@dataclass(frozen=True, slots=True)
class Placed:
    """Object with its position."""

    spec: int  # index of its ObjectSpec, or -1 for an added occluder
    look: Look
    x: int  # left edge in pixels; may lie outside the image
    y: int  # top edge in pixels
    longest: int  # longest side in pixels
    depth: float  # painters' order; greater is nearer
    host: int = -1  # index of the object it stands on, or -1
    grounded: bool = True  # whether it rests on something and so casts a shadow
    lifted: bool = False  # whether it flies, hangs or rests on another object, not on the ground
    haze: float = 0.0  # 0 … 1, how far it is blended into the distance, or low-contrast on purpose
    tint: tuple[float, float, float] | None = None  # colour it is blended into; None is the backdrop's haze


_Slices = tuple[slice, slice]
_Wide = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Silhouettes:
    """Visible owner of each pixel."""

    things: Sequence[Placed]  # in the order of their numbers
    owner: npt.NDArray[np.uint8]  # (height, width); 0 where the backdrop shows, i + 1 where object i does
    windows: Sequence[_Slices]  # rows and columns outside of which an object owns nothing
    whole: npt.NDArray[np.int64]  # pixels of each silhouette, in the frame or not
    in_frame: npt.NDArray[np.int64]  # pixels of each silhouette inside the frame
    hidden: npt.NDArray[np.int64]  # (objects, objects): pixels of the first covered by the nearer second


def silhouettes(things: Sequence[Placed], width: int, height: int) -> Silhouettes:
    """Compute pixel owners with the same order and sprites as :func:`paint`."""
    owner = np.zeros((height, width), np.uint8)
    whole, hidden = np.zeros(len(things), np.int64), np.zeros((len(things), len(things)), np.int64)
    masks = np.zeros((len(things), height, width), np.bool_)  # of each object in the frame
    windows = []
    for i, thing in enumerate(things):
        solid = sprite(thing.look, thing.longest).solid
        window, part = _overlap(thing.x, thing.y, solid.shape, owner.shape)
        masks[i][window], whole[i] = solid[part], np.count_nonzero(solid)
        windows.append(window)
    order = _painting_order(things)
    for done, i in enumerate(order):
        np.copyto(owner, np.uint8(i + 1), where=masks[i])
        for far in order[:done]:
            hidden[far, i] = np.count_nonzero(masks[far] & masks[i])
    return Silhouettes(things, owner, windows, whole, np.count_nonzero(masks, axis=(1, 2)), hidden)


def _painting_order(things: Sequence[Placed]) -> list[int]:
    """Return the indices from far to near; equal depths in list order."""
    return sorted(range(len(things)), key=lambda i: (things[i].depth, i))


def _overlap(x: int, y: int, shape: tuple[int, int], frame: tuple[int, int]) -> tuple[_Slices, _Slices]:
    """Return the overlap of a patch at (x, y) with the frame, in frame and patch coordinates."""
    top, left = max(0, y), max(0, x)
    bottom, right = max(top, min(frame[0], y + shape[0])), max(left, min(frame[1], x + shape[1]))
    return (slice(top, bottom), slice(left, right)), (slice(top - y, bottom - y), slice(left - x, right - x))


def paint(things: Sequence[Placed], scene: Backdrop) -> Pixels:
    """Return the image, (height, width, 3): backdrop, then shadows and objects, far to near.

    Blending uses integers, so that the pixels do not depend on the processor.
    """
    canvas = scene.pixels.copy()
    for i in _painting_order(things):
        thing = things[i]
        if thing.grounded:
            cast = shadow(thing.look, thing.longest)
            _darken(canvas, cast.darkness, (thing.x + cast.at[0], thing.y + cast.at[1]))
        _blend(canvas, sprite(thing.look, thing.longest), thing, scene)
    return canvas


def _darken(canvas: Pixels, darkness: Pixels, corner: tuple[int, int]) -> None:
    window, part = _overlap(*corner, (darkness.shape[0], darkness.shape[1]), (canvas.shape[0], canvas.shape[1]))
    if canvas[window].size:
        left = _thrice(255 - darkness[part])
        left *= canvas[window]
        canvas[window] = _divided(left)


def _blend(canvas: Pixels, pixels: Sprite, thing: Placed, scene: Backdrop) -> None:
    window, part = _overlap(thing.x, thing.y, pixels.solid.shape, (canvas.shape[0], canvas.shape[1]))
    if canvas[window].size:
        alpha = pixels.alpha[part]
        top, below = _lit(pixels.rgb[part], thing, scene), _thrice(255 - alpha)
        top *= _thrice(alpha)
        below *= canvas[window]
        top += below
        canvas[window] = _divided(top)


def _thrice(channel: Pixels) -> _Wide:
    """Repeat a channel for RGB, which is faster than broadcasting."""
    return np.asarray(cv2.cvtColor(channel, cv2.COLOR_GRAY2RGB), np.uint16)


def _divided(products: _Wide) -> _Wide:
    """Divide by 255 in place, rounded."""
    products += 127
    products //= 255
    return products


def _lit(rgb: Pixels, thing: Placed, scene: Backdrop) -> _Wide:
    """Return an object's colours under the scene's light, blended into haze."""
    if thing.haze <= 0 and scene.light == (1.0, 1.0, 1.0):
        return rgb.astype(np.uint16)
    lit = rgb.reshape(rgb.shape[0], -1).astype(np.float32)  # flattened rows are faster than triples
    lit *= np.tile(np.asarray(scene.light, np.float32), rgb.shape[1])
    if thing.haze > 0:
        haze = np.tile(np.asarray(thing.tint or scene.haze, np.float32), rgb.shape[1])
        lit += (haze - lit) * np.float32(thing.haze)
    return (lit + 0.5).astype(np.uint16).reshape(rgb.shape)
