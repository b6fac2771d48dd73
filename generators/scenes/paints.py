"""Colour names: the paints of drawings, and the naming of pixels.

The eleven names are the basic colour terms of English (Berlin and Kay, 1969), which colour questions also use.
:data:`_PALETTE` defines the paints and :func:`shares` names pixels. The two are independent; a test checks their
agreement for every drawing.
"""

import colorsys
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from vhbench.colours import COLOURS

_HSL = tuple[float, float, float]  # hue, saturation and lightness, each in [0, 1]
_Image = npt.NDArray[np.float32]

_PALETTE: Mapping[str, _HSL] = {
    "red": (0.0, 0.78, 0.46),
    "orange": (0.075, 0.92, 0.53),
    "yellow": (0.135, 0.94, 0.56),
    "green": (0.345, 0.55, 0.38),
    "blue": (0.590, 0.70, 0.46),
    "purple": (0.765, 0.50, 0.46),
    "pink": (0.925, 0.80, 0.75),
    "brown": (0.068, 0.52, 0.32),
    "black": (0.62, 0.06, 0.15),
    "white": (0.60, 0.12, 0.95),
    "gray": (0.58, 0.04, 0.55),
}
"""Name → paint of a drawing's slot."""

_Numbers = npt.NDArray[np.uint8]  # colour names as indices into :data:`COLOURS`
_PURPLE, _PINK, _BROWN = (np.uint8(COLOURS.index(name)) for name in ("purple", "pink", "brown"))
_BLACK, _WHITE, _GRAY = (np.uint8(COLOURS.index(name)) for name in ("black", "white", "gray"))

_HUES = np.array([12, 40, 66, 170, 255, 308, 345], np.float32)
"""Boundaries in degrees between the names of saturated colours."""

_BY_HUE = np.array(
    [COLOURS.index(name) for name in ("red", "orange", "yellow", "green", "blue", "purple", "pink", "red")], np.uint8
)


def channels(colour: str) -> bytes:
    """Return red, green and blue of ``"#rrggbb"``, 0 … 255."""
    return bytes.fromhex(colour[1:])


def parse_hex(colour: str) -> _HSL:
    """Return the HSL of ``"#rrggbb"``."""
    red, green, blue = (channel / 255 for channel in channels(colour))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    return hue, saturation, lightness


def to_hex(colour: _HSL) -> str:
    """Return ``"#rrggbb"``; saturation and lightness are clipped to [0, 1]."""
    hue, saturation, lightness = colour
    rgb = colorsys.hls_to_rgb(hue % 1, min(1.0, max(0.0, lightness)), min(1.0, max(0.0, saturation)))
    return "#" + bytes(round(channel * 255) for channel in rgb).hex()


def shade(colour: str, factor: float) -> str:
    """Darken (``factor`` < 1) or lighten (1 to 2, where 2 is white) a hexadecimal colour."""
    mixed = (c * factor if factor <= 1 else 255 - (255 - c) * (2 - factor) for c in channels(colour))
    return "#" + bytes(min(255, max(0, int(c))) for c in mixed).hex()


def mix(one: str, other: str, share: float) -> str:
    """Return the linear interpolation between two colours."""
    pairs = zip(channels(one), channels(other), strict=True)
    return "#" + bytes(round(a + (b - a) * share) for a, b in pairs).hex()


def paint(name: str) -> str:
    """Return the hexadecimal paint of a colour name."""
    return to_hex(_PALETTE[name])


def reshade(shade_of_base: str, base: str, name: str) -> str:
    """Recolour a shade of a slot with this base colour by a colour's name, preserving its relative lightness."""
    hue, saturation, lightness = _PALETTE[name]
    offset = parse_hex(shade_of_base)[2] - parse_hex(base)[2]
    # Very light and very dark paints leave little room for shades; more contrast would change the colour name.
    contrast = {"black": 0.35, "white": 0.45, "yellow": 0.6, "orange": 0.6, "pink": 0.5}.get(name, 0.7)
    return to_hex((hue, saturation, min(0.97, max(0.05, lightness + contrast * offset))))


def shares(pixels: npt.NDArray[np.uint8]) -> dict[str, float]:
    """Return the fraction of pixels, shape (n, 3), per colour name that occurs."""
    rgb = np.asarray(pixels, dtype=np.float32) / np.float32(255)
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    high, low = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    chroma, lightness = high - low, (high + low) / 2
    numbers = _number_of_hue(_hue(red, green, blue, high, chroma), high, chroma)
    neutral = (chroma < 0.10) | (chroma < 0.20 * high) & (chroma < 0.16)
    grey = np.where(lightness > 0.80, _WHITE, np.where(lightness < 0.27, _BLACK, _GRAY))
    numbers = np.where(neutral, grey, numbers)
    numbers = np.where((high < 0.22) | (high < 0.30) & (chroma < 0.12), _BLACK, numbers)
    counts = np.bincount(numbers, minlength=len(COLOURS)).tolist()
    return {name: count / len(pixels) for name, count in zip(COLOURS, counts, strict=True) if count}


def _hue(red: _Image, green: _Image, blue: _Image, high: _Image, chroma: _Image) -> _Image:
    """Return hues in degrees."""
    safe = np.maximum(chroma, 1e-6)
    first = (green - blue) / safe  # from -1 to 1
    first = np.where(first < 0, first + 6, first)
    rest = np.where(high == green, (blue - red) / safe + 2, (red - green) / safe + 4)
    return np.asarray(np.where(high == red, first, rest) * 60, dtype=np.float32)


def _number_of_hue(hue: _Image, high: _Image, chroma: _Image) -> _Numbers:
    """Name saturated pixels by hue; brown is dark orange, pink is light red."""
    numbers = _BY_HUE[np.searchsorted(_HUES, hue, side="right")]
    saturation = chroma / np.maximum(high, 1e-6)
    reddish = (hue < 20) | (hue >= 308)
    numbers = np.where(reddish & (high > 0.75) & (saturation < 0.52), _PINK, numbers)
    numbers = np.where((hue >= 308) & (hue < 345) & (high < 0.55), _PURPLE, numbers)
    warm = (hue >= 8) & (hue < 48) & (numbers != _PINK)
    brown = warm & ((high < 0.66) | (high < 0.83) & (saturation < 0.72))
    return np.where(brown, _BROWN, numbers)
