"""Images that somebody else made: opened safely, or refused in one line.

Whatever Pillow can open it opens, unless it is told otherwise: PostScript goes to Ghostscript, and a file of a few
bytes may unpack to gigabytes. So the formats are named, and the size is read before any pixel.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, ImageFile, UnidentifiedImageError

from vhbench.schema import ImageData, VhbenchError, read_image

FORMATS = ("PNG", "JPEG", "WEBP")
MAX_PIXELS = 64_000_000

_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, IndexError, struct.error, zlib.error)
"""What Pillow raises where an image is cut or spoilt."""


def open_image(image: ImageData) -> Image.Image:
    """Return an image with its pixels unpacked.

    Args:
        image: encoded as PNG, JPEG or WebP, of 64 megapixels at most.

    Raises:
        VhbenchError: for any other format, for one that is larger, and for one that is cut or damaged.
    """
    what = "image" if isinstance(image, bytes) else f"image {image}"
    data = io.BytesIO(read_image(image))
    try:
        with _whole_images(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own limits are higher
            opened = Image.open(data, formats=FORMATS)
            if opened.width * opened.height <= MAX_PIXELS:
                opened.load()
                return opened
    except UnidentifiedImageError as error:
        raise VhbenchError(f"{what} cannot be decoded (it must be one of {', '.join(FORMATS)})") from error
    except (*_DAMAGED, Image.DecompressionBombError) as error:
        raise VhbenchError(f"{what} cannot be decoded ({' '.join(str(error).split())[:120]})") from error
    limit = f"at most {MAX_PIXELS // 1_000_000} megapixels"
    raise VhbenchError(f"{what} of {opened.width} × {opened.height} pixels; {limit}")


def to_png(image: Image.Image, **options: int) -> bytes:
    """Return an image as PNG; the options are Pillow's."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", **options)
    return buffer.getvalue()


@contextmanager
def _whole_images() -> Iterator[None]:
    """Let Pillow refuse cut images, also where lmms-eval has told it, for the whole process, to fill in what lacks."""
    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before
