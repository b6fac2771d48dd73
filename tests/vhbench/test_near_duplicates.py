"""Copies of photos are found however they were saved; different photos and different scenes are not."""

import io
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageOps

from vhbench import images
from vhbench.near_duplicates import Fingerprint, ImageIndex


def to_png(image: Image.Image) -> bytes:
    return images.to_png(image, compress_level=1)  # a higher one takes four times as long


def jpeg(image: Image.Image, quality: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def crop(image: Image.Image, share: float) -> Image.Image:
    """Cut a share of the width and height off each side."""
    across, down = round(image.width * share), round(image.height * share)
    return image.crop((across, down, image.width - across, image.height - down))


COPIES: dict[str, tuple[Callable[[Image.Image], bytes], set[str]]] = {
    "PNG of the JPEG": (to_png, {"re-encoded"}),
    "quality 40": (lambda i: jpeg(i, 40), {"re-encoded"}),
    "half size": (lambda i: to_png(i.resize((i.width // 2, i.height // 2))), {"re-encoded"}),
    "squashed": (lambda i: to_png(i.resize((i.width, i.height // 2))), {"re-encoded"}),
    "grey": (lambda i: to_png(i.convert("L")), {"re-encoded"}),
    "+10 % brightness": (
        lambda i: to_png(ImageEnhance.Brightness(i).enhance(1.1)), {"re-encoded", "brightened or darkened"},
    ),
    "0.5 % crop": (lambda i: to_png(crop(i, 0.005)), {"re-encoded", "brightened or darkened", "cropped or rotated"}),
    "1 % crop": (lambda i: to_png(crop(i, 0.01)), {"re-encoded", "brightened or darkened", "cropped or rotated"}),
    "5 % crop": (lambda i: to_png(crop(i, 0.05)), {"cropped or rotated"}),
    "mirror": (lambda i: to_png(ImageOps.mirror(i)), {"mirrored re-encoded"}),
    "5 % crop of the mirror image, quality 60": (
        lambda i: jpeg(crop(ImageOps.mirror(i), 0.05), 60), {"mirrored cropped or rotated"},
    ),
    "2° rotation": (lambda i: to_png(i.rotate(2, Image.Resampling.BICUBIC)), {"cropped or rotated"}),
}  # fmt: skip
"""Change → its function, and how the copy may be reported."""


@pytest.fixture(scope="module")
def photos(reference: Path) -> dict[str, Path]:
    return {file.name: file for file in sorted((reference / "coco_mini" / "val2017").iterdir())}


@pytest.fixture(scope="module")
def known(photos: dict[str, Path]) -> dict[str, Fingerprint | None]:
    return {name: Fingerprint.of(file) for name, file in photos.items()}


@pytest.mark.parametrize("change", COPIES)
def test_copies_of_photos_are_found_and_named(
    change: str, photos: dict[str, Path], known: dict[str, Fingerprint | None]
) -> None:
    make, kinds = COPIES[change]
    index, missed = ImageIndex(known), []
    for name, file in photos.items():
        found, kind = index.find(Fingerprint.of(make(Image.open(file).convert("RGB"))))
        assert (not kind and not found) or (found == name and kind in kinds)
        missed += [name] * (not kind)
    assert len(missed) <= 1, missed


def test_padded_photos_are_found_in_most_cases(photos: dict[str, Path], known: dict[str, Fingerprint | None]) -> None:
    index = ImageIndex(known)
    padded = {name: ImageOps.expand(Image.open(file).convert("RGB"), 20) for name, file in photos.items()}
    found = {name: index.find(Fingerprint.of(to_png(image)))[0] for name, image in padded.items()}
    assert all(other in ("", name) for name, other in found.items())
    assert sum(map(bool, found.values())) >= 0.7 * len(photos)  # docs/finetuning.md says so


def test_different_photos_are_no_copies(known: dict[str, Fingerprint | None]) -> None:
    for name, seen in known.items():
        assert ImageIndex({other: found for other, found in known.items() if other != name}).find(seen) == ("", "")


def street(*things: tuple[int, int]) -> bytes:
    """Return one background with small dark objects at places."""
    across = np.linspace(0, 1, 240)
    shades = 120 + 60 * np.sin(9 * across)[None] * np.cos(7 * across)[:, None] + 50 * (across[:, None] > 0.6)
    for x, y in things:
        shades[y : y + 10, x : x + 10] = 30
    return to_png(Image.fromarray(shades.astype(np.uint8)))


def texture(seed: int) -> Image.Image:
    """Return gravel: spots of a few pixels, which scaling to the compared size nearly averages away."""
    noise = np.random.default_rng(seed).normal(size=(512, 512)).astype(np.float32) ** 3
    spots, shades = cv2.GaussianBlur(noise, (0, 0), 1.5), cv2.GaussianBlur(noise, (0, 0), 12)
    mixed = spots / spots.std() + 0.3 * shades / shades.std()
    return Image.fromarray(np.clip(120 + 30 * mixed, 0, 255).astype(np.uint8)).convert("RGB")


def test_one_background_with_other_things_is_another_image() -> None:
    one, other = Fingerprint.of(street((40, 180), (90, 200))), Fingerprint.of(street((150, 170), (90, 200)))
    assert one is not None
    assert other is not None
    assert (
        one.bits[0] ^ other.bits[0]
    ).bit_count() <= 18  # as many as a crop of 5 % changes: the hash alone does not tell
    assert one.copy_kind(other) == ""
    saved = Fingerprint.of(jpeg(Image.open(io.BytesIO(street((40, 180), (90, 200)))), 40))
    assert saved is not None
    assert saved.copy_kind(one) == "re-encoded"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda image: crop(image, 0.005), id="0.5 % crop"),
        pytest.param(lambda image: crop(image, 0.05), id="5 % crop"),
        pytest.param(lambda image: image.rotate(2, Image.Resampling.BICUBIC), id="2° rotation"),
    ],
)
def test_copies_of_a_fine_texture_are_found(change: Callable[[Image.Image], Image.Image], seed: int) -> None:
    one, other = (texture(s) for s in (seed, seed + 100))
    seen = Fingerprint.of(to_png(change(one)))
    assert ImageIndex({"one": Fingerprint.of(to_png(one)), "other": Fingerprint.of(to_png(other))}).find(seen) == (
        "one", "cropped or rotated",
    )  # fmt: skip
    assert ImageIndex({"other": Fingerprint.of(to_png(other))}).find(seen) == ("", "")


def test_the_most_similar_copy_is_named() -> None:
    image = Image.open(io.BytesIO(street((40, 180)))).convert("RGB")
    index = ImageIndex({"cropped": Fingerprint.of(to_png(crop(image, 0.03))), "same": Fingerprint.of(to_png(image))})
    assert index.find(Fingerprint.of(jpeg(image, 60))) == ("same", "re-encoded")


def test_a_flat_image_is_known_by_its_file_alone() -> None:
    flat = Fingerprint.of(to_png(Image.new("RGB", (40, 30), "red")))
    assert flat is None
    assert ImageIndex({"a": None}).find(flat) == ("", "")
