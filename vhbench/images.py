"""Images that somebody else made: opened safely, or refused in one line; and how what they show is seen.

Whatever Pillow can open it opens, unless it is told otherwise: PostScript goes to Ghostscript, and a file of a few
bytes may unpack to gigabytes. So the formats are named, and the size is read before any pixel.

One picture must look the same to everybody: models, people, perturbations and attacks. So here, and nowhere else, is
decided what an image shows: its first frame, turned as its EXIF orientation says, with 8 bits a channel, on white
where it is transparent. What other readers of a split would show otherwise is written into it as such a picture.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

import numpy as np
from PIL import ExifTags, Image, ImageFile, UnidentifiedImageError

from vhbench.files import read_image
from vhbench.schema import ImageData, VhbenchError

P = ParamSpec("P")
T = TypeVar("T")

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
MAX_PIXELS = 64_000_000

Sizes = tuple[tuple[int, int], tuple[int, int]]
"""(width, height) of an image as it is seen, and as its pixels lie in the file."""

_MEMORY: Final = 800_000_000
_OPAQUE, _TRANSPARENT, _DEEP = 12, 20, 40
"""Bytes that may be taken to see an image, and what a pixel takes: of 8 bits a channel, put on white, of more bits."""

_LARGE: Final = 8 << 20
"""Bytes of an array that are more than what most pictures take."""

_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error)
"""What Pillow raises where an image is cut or spoilt."""

_SPOILT_EXIF = (*_DAMAGED, KeyError, TypeError, AttributeError, OverflowError, ZeroDivisionError)
"""What it raises besides where only the EXIF data are: the picture is whole."""

_TURNS: Final[dict[object, Image.Transpose]] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""EXIF orientation → what puts the picture upright."""

_AS_IT_LIES: Final = (0, 1)
_ON_ITS_SIDE: Final = (5, 6, 7, 8)
"""Orientations of a picture that is not turned, and of one whose width and height are exchanged."""

_KEPT: Final = 64
_SMALL: Final = 1 << 20
"""How many images are kept for the next rows, and how large one may be, encoded."""

_PORTABLE: Final = {"PNG", "JPEG", "MPO", "WEBP"}
"""What browsers and other readers show; MPO is a JPEG with more pictures behind it, as some cameras write it."""

_EIGHT_BIT: Final = {"1", "L", "LA", "P", "RGB", "RGBA"}
"""Modes that every reader shows alike."""

_PNG_NOTES: Final = {b"eXIf", b"tEXt", b"zTXt", b"iTXt"}
"""The chunks of a PNG in which an orientation may stand; without them, its pixels need not be unpacked to find out."""


def open_image(image: ImageData) -> Image.Image:
    """Return what an image shows: its first frame, upright, in the simplest of L, LA, RGB and RGBA that keeps it.

    Args:
        image: encoded as one of :data:`FORMATS`, of 64 megapixels at most; of 40 where it is
            transparent and of 20 where it has more than 8 bits a channel, which take more memory.

    Raises:
        VhbenchError: for any other format, for one that is larger, and for one that is cut or damaged.
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
        raise VhbenchError(f"{what} cannot be decoded (it must be one of {', '.join(FORMATS)})") from error
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        raise VhbenchError(f"{what} cannot be decoded ({' '.join(str(error).split())[:120]})") from error
    limit = f"at most {most // 1_000_000} megapixels"
    raise VhbenchError(f"{what} of {opened.width} × {opened.height} pixels; {limit}")


def _most_pixels(opened: Image.Image) -> int:
    """Return how many pixels an image of this mode may have; they need not be there yet."""
    deep = opened.mode in {"I", "F"} or opened.mode.startswith("I;")
    taken = _DEEP if deep else _TRANSPARENT if opened.has_transparency_data else _OPAQUE
    return min(MAX_PIXELS, _MEMORY // taken)


def to_display_rgb(image: Image.Image) -> Image.Image:
    """Return an opened image as models and people see it: RGB, upright, on white where it is transparent."""
    seen = _upright(_eight_bit(image), _orientation(image))
    if seen.mode in ("LA", "RGBA"):
        seen = Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen.convert("RGBA"))
    return seen.convert("RGB")


def to_store(image: ImageData) -> bytes:
    """Return the bytes with which a split keeps an image: its own, or a PNG of what it shows.

    Its own are kept where every reader shows the same. They are not where it is turned by EXIF, has 16 bits or CMYK,
    moves, or is a GIF, BMP or TIFF. What cannot be decoded stays as it is: ``vhbench verify`` says so.

    Raises:
        VhbenchError: if its file cannot be read.
    """
    data = read_image(image)
    try:
        with _quiet(), Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            if _shown_alike(opened, data):
                return data
        return to_png(open_image(data))
    except (*_DAMAGED, Image.DecompressionBombError, VhbenchError):
        return data


def sizes_of(image: ImageData) -> Sizes:
    """Return (width, height) of an image as it is seen, and as its pixels lie in the file.

    Raises:
        VhbenchError: if it cannot be read or is no image.
    """
    data = read_image(image)
    try:
        with _quiet(), Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            turned = _may_be_turned(opened, data) and _orientation(opened) in _ON_ITS_SIDE
            return _sizes(opened.size, turned)
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        raise VhbenchError(f"image cannot be decoded (it must be one of {', '.join(FORMATS)})") from error


def _sizes(lying: tuple[int, int], turned: bool) -> Sizes:
    width, height = lying
    return ((height, width) if turned else lying), lying


def thumbnail(image: ImageData, side: int) -> tuple[Sizes, Image.Image]:
    """Return the sizes of an image, and what it shows in grey, ``side`` pixels wide and high.

    It is read once, and of a JPEG no more is decoded than that takes.

    Raises:
        VhbenchError: as :func:`sizes_of` and :func:`open_image` do.
    """
    data = read_image(image)
    try:
        with _whole_images(), _quiet(), Image.open(io.BytesIO(data), formats=("JPEG",)) as opened:
            turn = _orientation(opened)
            sizes = _sizes(opened.size, turn in _ON_ITS_SIDE)
            opened.draft("L", (side, side))
            opened.load()
            small = _upright(opened, turn)
    except (*_DAMAGED, Image.DecompressionBombError):
        sizes, small = sizes_of(data), to_display_rgb(open_image(data))
    return sizes, small.convert("L").resize((side, side), Image.Resampling.LANCZOS)


def to_png(image: Image.Image, **options: int) -> bytes:
    """Return an image as PNG; the options are Pillow's."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", **options)
    return buffer.getvalue()


def _shown_alike(opened: Image.Image, data: bytes) -> bool:
    """Tell whether every reader shows an image as we do; its pixels need not be there yet."""
    moves = opened.format != "MPO" and getattr(opened, "is_animated", False)
    if opened.format not in _PORTABLE or opened.mode not in _EIGHT_BIT or moves:
        return False
    return not _may_be_turned(opened, data) or _orientation(opened) in _AS_IT_LIES


def _may_be_turned(opened: Image.Image, data: bytes) -> bool:
    """Tell whether an orientation may stand in an image."""
    return opened.format != "PNG" or not _PNG_NOTES.isdisjoint(_chunks(data))


def _chunks(png: bytes) -> Iterator[bytes]:
    """Yield the kinds of a PNG's chunks."""
    place = 8
    while place + 8 <= len(png):
        yield png[place + 4 : place + 8]
        place += 12 + int.from_bytes(png[place : place + 4], "big")


def _orientation(image: Image.Image) -> object:
    """Return the EXIF orientation, 1 where there is none; "" where the EXIF data cannot be read."""
    try:
        return image.getexif().get(ExifTags.Base.Orientation, 1)
    except _SPOILT_EXIF:
        return ""


def _upright(image: Image.Image, orientation: object) -> Image.Image:
    if orientation not in _TURNS:
        return image
    turned = image.transpose(_TURNS[orientation])
    turned.info = {}  # which would have it turned once more
    return turned


def _eight_bit(image: Image.Image) -> Image.Image:
    """Return an image in the simplest of L, LA, RGB and RGBA that keeps what it shows."""
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
    """Return grey of 16 or 32 bits, or of floating point, with 8 bits: black stays black, and white white.

    16 bits have a white of their own, 65,535. The other modes have none: the smallest usual one that holds the
    values is taken (1 of floating point, 255, 65,535); else they are spread between their ends.
    """
    values = np.nan_to_num(np.asarray(image, dtype=np.float64), posinf=0, neginf=0)
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    sixteen = image.mode.startswith("I;") or (image.mode == "I" and image.format == "PNG")
    whites = (65_535,) if sixteen else (1, 255, 65_535) if image.mode == "F" else (255, 65_535)
    fits = [white for white in whites if low == 0 and high <= white]
    white = fits[0] if fits else high - low
    return Image.fromarray(np.rint((values - low) * (255 / white)).astype(np.uint8))


def kept_if_small(function: Callable[Concatenate[bytes, P], T]) -> Callable[Concatenate[bytes, P], T]:
    """Keep what a function of an encoded image gave for the last small ones: of 64 photos it would be gigabytes."""
    kept = lru_cache(maxsize=_KEPT)(function)

    @wraps(function)
    def call(image: bytes, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if len(image) > _SMALL:
            return function(image, *args, **kwargs)
        return kept(image, *args, **kwargs)  # type: ignore[arg-type] # texts and numbers

    return call


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Pillow's warnings away: its own limits are higher, and what it says of metadata changes no pixel."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _whole_images() -> Iterator[None]:
    """Let Pillow refuse cut images, also where lmms-eval has told it, for the whole process, to fill in what lacks."""
    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before


@cache
def keep_freed_memory() -> None:
    """Let the C library keep what arrays free, rather than have the system empty its pages for the next ones.

    glibc does so with blocks up to the size of the largest that was freed; others are not the worse for it.
    """
    np.empty(_LARGE, np.uint8)
