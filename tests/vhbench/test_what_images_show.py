"""One picture looks the same to everybody, however it is encoded."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps
from toy_build import ToyBuild

from vhbench import splits
from vhbench.analysis.review_pages import pages
from vhbench.contact_sheet import picture_of
from vhbench.generators.vhexpansion.expansion import decode
from vhbench.images import open_image, sizes_of, to_display_rgb, to_store
from vhbench.schema import Row, Scene, VhbenchError
from vhbench.seeding import rng
from vhbench.tasks.prompts import to_visual

ROW = next(item for item in ToyBuild(shards=1).make(0) if isinstance(item, Row))
RAMP = np.arange(256, dtype=np.uint8).reshape(8, 32)
"""Every grey once, dark at the top."""

LEFT_RED = Image.new("RGB", (40, 20), "blue")
LEFT_RED.paste((255, 0, 0), (0, 0, 20, 20))


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def turned(orientation: int, kind: str = "JPEG") -> bytes:
    """A file whose pixels lie so that EXIF has to turn them to show red at the left."""
    back = {2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6}.get(orientation, 1)
    exif = Image.Exif()
    exif[274] = back
    lying = ImageOps.exif_transpose(_with(LEFT_RED, exif))
    exif[274] = orientation
    return encoded(lying, kind, exif=exif, **({"quality": 100, "subsampling": 0} if kind == "JPEG" else {}))


def _with(image: Image.Image, exif: Image.Exif) -> Image.Image:
    return Image.open(io.BytesIO(encoded(image, "PNG", exif=exif)))


def grey(values: np.ndarray, kind: str) -> np.ndarray:
    return decode(encoded(Image.fromarray(values), kind))


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
@pytest.mark.parametrize("factor", [256, 257])
def test_sixteen_bits_are_scaled_and_not_clipped(kind: str, factor: int) -> None:
    found = grey(RAMP.astype(np.uint16) * factor, kind)
    assert (found.dtype, found.ndim) == (np.uint8, 2)
    assert np.abs(found.astype(int) - RAMP).max() <= 1


@pytest.mark.parametrize(
    ("values", "black_to_white"),
    [
        (RAMP.astype(np.int32), (0, 255)),
        (RAMP.astype(np.int32) * 257, (0, 255)),
        (RAMP.astype(np.int32) * 1_000_000, (0, 255)),
        (RAMP.astype(np.int32) - 128, (0, 255)),
        ((RAMP / 255).astype(np.float32), (0, 255)),
        (RAMP.astype(np.float32), (0, 255)),
        (RAMP.astype(np.float32) * 257, (0, 255)),
        (RAMP.astype(np.float32) * 1e9 - 3, (0, 255)),
        ((RAMP / 510).astype(np.float32), (0, 128)),
        (np.zeros((8, 32), np.float32), (0, 0)),
        (np.zeros((8, 32), np.int32), (0, 0)),
    ],
)
def test_grey_of_other_ranges_is_scaled(values: np.ndarray, black_to_white: tuple[int, int]) -> None:
    found = grey(values, "TIFF")
    assert (found.min(), found.max()) == black_to_white
    assert (np.diff(found.ravel().astype(int)) >= 0).all()


def test_what_is_no_number_is_black() -> None:
    values = np.array([[np.nan, np.inf, 0.5], [0, 1, -np.inf]], np.float32)
    assert grey(values, "TIFF").tolist() == [[0, 0, 128], [0, 255, 0]]


def test_a_dark_picture_of_sixteen_bits_stays_dark() -> None:
    assert grey(np.full((4, 4), 2570, np.uint16), "PNG").tolist() == [[10] * 4] * 4


def palette(transparent: bool) -> Image.Image:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([255, 0, 0, 0, 0, 255])
    image.putpixel((0, 0), 0)
    if transparent:
        image.info["transparency"] = 0
    return image


@pytest.mark.parametrize(
    ("image", "kind", "shape", "corner", "rest"),
    [
        (palette(False), "PNG", (4, 4, 3), (255, 0, 0), (0, 0, 255)),
        (palette(True), "PNG", (4, 4, 4), (255, 255, 255), (0, 0, 255)),
        (palette(True), "GIF", (4, 4, 4), (255, 255, 255), (0, 0, 255)),
        (Image.new("LA", (4, 4), (0, 0)), "PNG", (4, 4, 2), (255, 255, 255), (255, 255, 255)),
        (Image.new("LA", (4, 4), (0, 128)), "PNG", (4, 4, 2), (127, 127, 127), (127, 127, 127)),
        (Image.new("RGBA", (4, 4), (255, 0, 0, 0)), "WEBP", (4, 4, 4), (255, 255, 255), (255, 255, 255)),
        (Image.new("1", (4, 4), 1), "PNG", (4, 4), (255, 255, 255), (255, 255, 255)),
        (Image.new("CMYK", (4, 4), (0, 255, 255, 0)), "TIFF", (4, 4, 3), (255, 0, 0), (255, 0, 0)),
        (Image.new("RGB", (4, 4), (1, 2, 3)), "BMP", (4, 4, 3), (1, 2, 3), (1, 2, 3)),
    ],
)
def test_each_mode_is_shown_as_a_person_sees_it(
    image: Image.Image, kind: str, shape: tuple[int, ...], corner: tuple[int, int, int], rest: tuple[int, int, int]
) -> None:
    data = encoded(image, kind)
    assert decode(data).shape == shape
    seen = to_display_rgb(open_image(data))
    assert seen.mode == "RGB"
    assert (seen.getpixel((0, 0)), seen.getpixel((3, 3))) == (corner, rest)
    with Image.open(io.BytesIO(to_store(data))) as stored:  # as a task gets it
        assert to_visual({"images": [stored]})[0].tobytes() == seen.tobytes()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(10))
def test_a_picture_is_upright_everywhere(orientation: int, kind: str) -> None:
    data = turned(orientation, kind)
    question = replace(ROW.question, images=(to_store(data),))
    with Image.open(io.BytesIO(to_store(data))) as stored:
        assert stored.getexif().get(274, 1) not in range(2, 9)
        shown = (to_display_rgb(open_image(data)), picture_of(question, 0), to_visual({"images": [stored]})[0])
    for image in (Image.fromarray(decode(data)), *shown):
        assert image.size == (40, 20)
        red, _, blue = image.getpixel((2, 10))  # type: ignore[misc]
        assert (red > 200, blue < 60) == (True, True)


@pytest.mark.parametrize("orientation", [3, 6])
def test_a_raw_picture_that_a_task_gets_is_turned_once(orientation: int) -> None:
    with Image.open(io.BytesIO(turned(orientation))) as raw:
        once = to_display_rgb(raw)
    assert once.size == (40, 20)
    assert to_display_rgb(once).tobytes() == once.tobytes()


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_spoilt_exif_turns_nothing() -> None:
    data = encoded(LEFT_RED, "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xffnonsense", quality=100)
    assert decode(data).shape == (20, 40, 3)
    with Image.open(io.BytesIO(to_store(data))) as stored:
        assert (stored.size, dict(stored.getexif())) == ((40, 20), {})


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "TIFF"])
def test_of_a_moving_picture_the_first_is_shown(kind: str) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "lime", "blue")]
    options = {"lossless": True} if kind == "WEBP" else {}
    data = encoded(frames[0], kind, save_all=True, append_images=frames[1:], **options)
    assert to_display_rgb(open_image(data)).getpixel((4, 4)) == (255, 0, 0)
    with Image.open(io.BytesIO(to_store(data))) as stored:
        assert (stored.format, getattr(stored, "n_frames", 1)) == ("PNG", 1)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_what_every_reader_shows_alike_is_stored_as_it_is(kind: str, mode: str) -> None:
    data = encoded(LEFT_RED.convert(mode), kind)
    assert to_store(data) is data


@pytest.mark.parametrize("data", [b"", b"nothing", b"\x89PNG\r\n\x1a\n", b"GIF89a", encoded(LEFT_RED, "GIF")[:20]])
def test_what_is_no_image_is_left_to_verify(data: bytes) -> None:
    assert to_store(data) == data


@given(
    st.integers(2, 9), st.integers(2, 9), st.sampled_from(["GIF", "BMP", "TIFF"]), st.sampled_from(["1", "L", "RGB"])
)
def test_what_is_stored_shows_the_same(width: int, height: int, kind: str, mode: str) -> None:
    pixels = rng(1, width, height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    data = encoded(Image.fromarray(pixels).convert(mode), kind)
    stored = to_store(data)
    assert np.array_equal(decode(stored), decode(data))
    assert to_store(stored) == stored


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF"])
def test_a_split_holds_what_browsers_and_models_can_show(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "picture"
    file.write_bytes(encoded(LEFT_RED, kind))
    question = replace(ROW.question, images=(file,), scene_ids=("s",))
    scene = Scene("s", file, 40, 20, objects=())
    splits.write_split(
        tmp_path / "ode", [Row("a", question)], benchmark="ode", version="1.0.0", seed=0, config={}, scenes=[scene]
    )
    assert splits.verify(tmp_path / "ode") == []
    (stored,) = splits.read_questions(tmp_path / "ode")
    assert "data:image/png;base64," in next(pages([stored], "hash"))[0]


@pytest.mark.parametrize(
    ("orientation", "seen", "lying"), [(1, (40, 20), (40, 20)), (3, (40, 20), (40, 20)), (6, (40, 20), (20, 40))]
)
def test_sizes_are_told_without_unpacking(orientation: int, seen: tuple[int, int], lying: tuple[int, int]) -> None:
    assert sizes_of(turned(orientation)) == (seen, lying)
    with pytest.raises(VhbenchError, match="image cannot be decoded"):
        sizes_of(b"nothing")
