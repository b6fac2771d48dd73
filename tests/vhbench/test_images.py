"""No image of somebody else's reaches a decoder that it should not reach."""

import ast
import io
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import images, splits
from vhbench.builds.vhexpansion_sheet import draw_sheet
from vhbench.cli import app
from vhbench.generators.vhexpansion.expansion import UnusableImage, decode
from vhbench.images import FORMATS, MAX_PIXELS, open_image
from vhbench.schema import Row, VhbenchError

ROOT = Path(__file__).resolve().parents[2]
ROW = next(item for item in ToyBuild(shards=1).make(0) if isinstance(item, Row))


def encoded(kind: str, size: tuple[int, int] = (4, 4)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, kind)
    return buffer.getvalue()


def black_and_white(width: int, height: int, depth: int = 1, colour: int = 0) -> bytes:
    """A PNG, whole with one bit per pixel: 220 kB hold 1.6 gigapixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packed = zlib.compressobj(1)
    line = b"\0" + bytes((width + 7) // 8)
    data = b"".join(packed.compress(line) for _ in range(height)) + packed.flush()
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


UNKNOWN = "image cannot be decoded, expected one of PNG, JPEG, WEBP, GIF, BMP, TIFF"
BAD = {
    "PostScript": (
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n(run) print\n",
        UNKNOWN,
    ),
    "PPM": (encoded("PPM"), UNKNOWN),
    "ICO": (encoded("ICO"), UNKNOWN),
    "no image": (b"<svg onload='alert(1)'/>", UNKNOWN),
    "cut": (encoded("PNG", (64, 64))[:-30], "image cannot be decoded"),
    "large": (black_and_white(16_000, 11_000), "image of 16000 × 11000 pixels; at most 64 megapixels"),
    "16 bits": (black_and_white(8_000, 3_000, depth=16), "image of 8000 × 3000 pixels; at most 20 megapixels"),
    "transparent": (black_and_white(9_000, 5_000, 8, 6), "image of 9000 × 5000 pixels; at most 40 megapixels"),
    "bomb": (black_and_white(40_000, 40_000), "image cannot be decoded (Image size (1600000000 pixels) exceeds"),
}
each_bad = pytest.mark.parametrize(("data", "fault"), BAD.values(), ids=BAD)


@pytest.fixture(autouse=True)
def no_ghostscript(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any, **__: Any) -> None:
        raise AssertionError("PostScript was run")

    monkeypatch.setattr("PIL.EpsImagePlugin.Ghostscript", run)


def split(folder: Path, image: bytes) -> Path:
    rows = [Row("a", replace(ROW.question, images=(image,), benchmark="vhexpansion", pair_id="p"))]
    rows.append(Row("a", replace(rows[0].question, id="twin", negated=True, answer="no")))
    splits.write_split(folder, rows, benchmark="vhexpansion", version="1.0.0", seed=0, config={})
    return folder


@pytest.mark.parametrize("kind", FORMATS)
def test_an_image_is_opened(kind: str, tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(encoded(kind))
    for image in (encoded(kind), tmp_path / "image"):
        assert open_image(image).convert("RGB").size == (4, 4)


@each_bad
def test_a_bad_image_is_refused_in_one_line(data: bytes, fault: str, tmp_path: Path) -> None:
    with pytest.raises(VhbenchError) as refused:
        open_image(data)
    assert fault in str(refused.value)
    (tmp_path / "x.png").write_bytes(data)
    with pytest.raises(VhbenchError, match=r"x\.png"):
        open_image(tmp_path / "x.png")


@each_bad
def test_a_bad_image_is_refused_everywhere(data: bytes, fault: str, tmp_path: Path) -> None:
    folder = split(tmp_path / "split", data)
    assert fault in splits.verify(folder)[0]
    shown = CliRunner().invoke(app, ["preview", str(folder), "-o", str(tmp_path / "x.png")])
    assert isinstance(shown.exception, VhbenchError)
    assert str(shown.exception).startswith("question 'q0-0', image 1: image ")
    assert fault in str(shown.exception)
    with pytest.raises(VhbenchError, match=r"question 'q0-0', image 1: image ") as refused:
        draw_sheet(folder, tmp_path / "y.png")
    assert fault in str(refused.value)
    with pytest.raises(UnusableImage) as unusable:
        decode(data)
    assert (unusable.value.reason, fault in str(unusable.value)) == ("unreadable_image", True)


@pytest.mark.parametrize("size", [(1, 60_000), (60_000, 1)])
def test_a_sheet_of_a_very_long_image_stays_small(size: tuple[int, int], tmp_path: Path) -> None:
    shown = CliRunner().invoke(
        app, ["preview", str(split(tmp_path / "s", black_and_white(*size))), "-o", str(tmp_path / "x.png")]
    )
    assert shown.exit_code == 0, shown.exception
    with Image.open(tmp_path / "x.png") as sheet:
        assert sheet.width * sheet.height < MAX_PIXELS / 10


def test_nothing_else_opens_an_image() -> None:
    own = {"perturbations.py"}  # what they have encoded themselves, a line before
    for folder in ("vhbench", "generators", "adapters", "tasks"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Attribute) and ast.unparse(node) == "Image.open":
                    assert file.name in {"images.py", *own}, f"{file}:{node.lineno}: use vhbench.images.open_image"


def test_photos_with_transparency_stay_readable() -> None:
    cut = black_and_white(4_000, 3_000, 8, 6)  # 12 megapixels; refused for what it lacks alone
    with pytest.raises(VhbenchError, match="cannot be decoded"):
        open_image(cut)


def test_what_is_made_of_small_images_is_kept_and_of_photos_is_not() -> None:
    seen: list[int] = []

    @images.kept_if_small
    def size(data: bytes, more: int) -> int:
        seen.append(len(data))
        return len(data) + more

    for _ in range(2):
        assert (size(b"a" * 1000, 1), size(b"a" * 2_000_000, 2)) == (1001, 2_000_002)
    assert seen == [1000, 2_000_000, 2_000_000]
