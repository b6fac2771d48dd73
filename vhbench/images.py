"""Safe decoding of untrusted images, and the one definition of their displayed pixels.

Pillow opens any format it knows by default: PostScript is passed to Ghostscript, and a file of a few bytes may expand
to gigabytes. So formats are restricted, and the size is checked before decoding.

An image must be identical for models, people, perturbations and attacks. So only this module defines its displayed
pixels: the first frame, rotated by its EXIF orientation, with 8 bits per channel, on white where it is transparent.
Images that other readers of a split would display differently are stored re-encoded this way.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

import numpy as np
from PIL import ExifTags, Image, ImageFile, UnidentifiedImageError

from vhbench.files import read_image
from vhbench.schema import ImageData, VhbenchError

P = ParamSpec("P")
T = TypeVar("T")

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
MAX_PIXELS = 64_000_000  # more are a decompression bomb rather than a photo

Sizes = tuple[tuple[int, int], tuple[int, int]]  # (width, height) of an image as displayed, and as stored in the file
_MEMORY: Final = 800_000_000  # bytes to decode one image
# bytes per pixel while decoding: with 8 bits per channel, transparency, more bits
_OPAQUE, _TRANSPARENT, _DEEP = 12, 20, 40
# Pillow's exceptions for truncated or damaged images
_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error)
# further exceptions for damaged EXIF data alone: the image is intact
_SPOILT_EXIF = (*_DAMAGED, KeyError, TypeError, AttributeError, OverflowError, ZeroDivisionError)

# EXIF orientation → transposition to upright
_TURNS: Final[dict[object, Image.Transpose]] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

_AS_IT_LIES: Final = (0, 1)
_ON_ITS_SIDE: Final = (5, 6, 7, 8)  # orientations that exchange width and height
_KEPT, _SMALL = 64, 1 << 20  # cache size in images, and maximum encoded size of a cached one
# formats that all readers display; MPO is a JPEG with further images, as of cameras
_PORTABLE: Final = {"PNG", "JPEG", "MPO", "WEBP"}
_EIGHT_BIT: Final = {"1", "L", "LA", "P", "RGB", "RGBA"}  # modes that every reader displays identically
# PNG chunks that may have an orientation; without them, it is known without decoding
_PNG_NOTES: Final = {b"eXIf", b"tEXt", b"zTXt", b"iTXt"}


def open_image(image: ImageData) -> Image.Image:
    """Return an image's displayed pixels: first frame, upright, in the simplest lossless mode of L, LA, RGB and RGBA.

    It is encoded as one of :data:`FORMATS`, of 64 megapixels at most; of 40 with transparency and of 20 with more than
    8 bits per channel, which take more memory. Raises VhbenchError for any other, and a truncated or damaged one.
    """
    what = "image" if isinstance(image, bytes) else f"image {image}"
    data = io.BytesIO(read_image(image))
    try:
        with _whole_images(), _quiet():
            opened = Image.open(data, formats=FORMATS)
            if opened.width * opened.height <= (most := _most_pixels(opened)):
                opened.load()
                return _upright(_eight_bit(opened), _orientation(opened))
    except UnidentifiedImageError as error:
        raise VhbenchError(f"{what} cannot be decoded, expected one of {', '.join(FORMATS)}") from error
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        raise VhbenchError(f"{what} cannot be decoded ({' '.join(str(error).split())[:120]})") from error
    limit = f"at most {most // 1_000_000} megapixels"
    raise VhbenchError(f"{what} of {opened.width} × {opened.height} pixels; {limit}")


def _most_pixels(opened: Image.Image) -> int:
    """Return the maximum pixels for an image's mode; it need not be decoded."""
    deep = opened.mode in {"I", "F"} or opened.mode.startswith("I;")
    bytes_per_pixel = _DEEP if deep else _TRANSPARENT if opened.has_transparency_data else _OPAQUE
    return min(MAX_PIXELS, _MEMORY // bytes_per_pixel)


def to_display_rgb(image: Image.Image) -> Image.Image:
    """Return an opened image as models and people see it: RGB, upright, on white."""
    seen = _upright(_eight_bit(image), _orientation(image))
    if seen.mode in ("LA", "RGBA"):
        seen = Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen.convert("RGBA"))
    return seen.convert("RGB")


def to_store(image: ImageData) -> bytes:
    """Return the bytes of an image for a split: unchanged, or a PNG of its displayed pixels.

    They are unchanged if every reader displays them identically. They are not if the image is rotated by EXIF, has 16
    bits or CMYK, is animated, or is a GIF, BMP or TIFF. An undecodable image is unchanged: ``vhbench verify`` reports
    it. Raises VhbenchError if its file cannot be read.
    """
    data = read_image(image)
    try:
        with _quiet(), Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            if _shown_alike(opened, data):
                return data
        return to_png(open_image(data))
    except (*_DAMAGED, Image.DecompressionBombError, VhbenchError):
        return data


def stored_format(image: bytes) -> str:
    """Return the format of a stored image by its first bytes: "PNG", "JPEG" (MPO included) or "WEBP"."""
    if image[:8] == b"\x89PNG\r\n\x1a\n":
        return "PNG"
    return "JPEG" if image[:2] == b"\xff\xd8" else "WEBP"


def sizes_of(image: ImageData) -> Sizes:
    """Return (width, height) as displayed, and as stored in the file; raise VhbenchError for what is not an image."""
    data = read_image(image)
    try:
        with _quiet(), Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            turned = _may_be_turned(opened, data) and _orientation(opened) in _ON_ITS_SIDE
            width, height = opened.size
            return ((height, width) if turned else (width, height)), (width, height)
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        raise VhbenchError(f"image cannot be decoded, expected one of {', '.join(FORMATS)}") from error


def to_png(image: Image.Image, **options: int) -> bytes:
    """Return an image as PNG; the options are Pillow's."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", **options)
    return buffer.getvalue()


def _shown_alike(opened: Image.Image, data: bytes) -> bool:
    """Return whether every reader displays an image as vhbench does; it need not be decoded."""
    moves = opened.format != "MPO" and getattr(opened, "is_animated", False)
    if opened.format not in _PORTABLE or opened.mode not in _EIGHT_BIT or moves:
        return False
    return not _may_be_turned(opened, data) or _orientation(opened) in _AS_IT_LIES


def _may_be_turned(opened: Image.Image, data: bytes) -> bool:
    """Return whether an image may have an orientation."""
    return opened.format != "PNG" or not _PNG_NOTES.isdisjoint(_chunks(data))


def _chunks(png: bytes) -> Iterator[bytes]:
    """Yield the types of a PNG's chunks."""
    offset = 8
    while offset + 8 <= len(png):
        yield png[offset + 4 : offset + 8]
        offset += 12 + int.from_bytes(png[offset : offset + 4], "big")


def _orientation(image: Image.Image) -> object:
    """Return the EXIF orientation, 1 without one; "" for unreadable EXIF data."""
    try:
        return image.getexif().get(ExifTags.Base.Orientation, 1)
    except _SPOILT_EXIF:
        return ""


def _upright(image: Image.Image, orientation: object) -> Image.Image:
    if orientation not in _TURNS:
        return image
    turned = image.transpose(_TURNS[orientation])
    turned.info = {}  # it would be rotated a second time
    return turned


def _eight_bit(image: Image.Image) -> Image.Image:
    """Return an image in the simplest lossless mode of L, LA, RGB and RGBA."""
    if image.mode in {"L", "LA", "RGB", "RGBA"} and "transparency" not in image.info:
        return image
    if image.mode in {"I", "F"} or image.mode.startswith("I;"):
        return _scaled(image)
    if image.mode == "1":
        return image.convert("L")
    if not image.has_transparency_data:
        return image.convert("RGB")
    return image.convert("LA" if image.mode == "L" else "RGBA")


def _scaled(image: Image.Image) -> Image.Image:
    """Scale grey of 16 or 32 bits, or of floating point, to 8 bits: black and white are kept.

    For 16 bits, white is 65,535. The other modes have no defined white: it is the smallest usual one that covers the
    values (1 for floating point, 255, 65,535); else their range is stretched.
    """
    values = np.nan_to_num(np.asarray(image, dtype=np.float64), posinf=0, neginf=0)
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    sixteen = image.mode.startswith("I;") or (image.mode == "I" and image.format == "PNG")
    whites = (65_535,) if sixteen else (1, 255, 65_535) if image.mode == "F" else (255, 65_535)
    fits = [white for white in whites if low == 0 and high <= white]
    white = fits[0] if fits else high - low
    return Image.fromarray(np.rint((values - low) * (255 / white)).astype(np.uint8))


def kept_if_small(function: Callable[Concatenate[bytes, P], T]) -> Callable[Concatenate[bytes, P], T]:
    """Cache a function of small encoded images; for 64 photos it would take gigabytes."""
    kept = lru_cache(maxsize=_KEPT)(function)

    @wraps(function)
    def call(image: bytes, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(image) > _SMALL:
            return function(image, *args, **kwargs)
        return kept(image, *args, **kwargs)  # type: ignore[arg-type] # texts and numbers

    return call


def _quiet() -> "warnings.catch_warnings[None]":
    """Silence Pillow's warnings: its limits are higher, and metadata do not change pixels."""
    return warnings.catch_warnings(action="ignore")


@contextmanager
def _whole_images() -> Iterator[None]:
    """Make Pillow reject truncated images, although lmms-eval may have set it to accept them."""
    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before
