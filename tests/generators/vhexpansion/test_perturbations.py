import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.special import ndtri

from vhbench.generators.vhexpansion.perturbations import (
    PERTURBATIONS,
    at_severities,
    disk_kernel,
    gaussian_noise,
    perturbation,
)
from vhbench.schema import VhbenchError
from vhbench.seeding import rng


def load(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path))


def photo(height: int = 90, width: int = 120) -> np.ndarray:
    """A smooth picture with some texture, from a fixed seed."""
    y, x = np.mgrid[:height, :width]
    waves = np.stack([np.sin(x / 7) + np.cos(y / 5), np.sin((x + y) / 11), np.cos(x / 3)], axis=-1)
    return (128 + 50 * waves + rng(0, "photo").normal(0, 4, waves.shape)).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("name", "golden"),
    [
        ("brightness", "brightness_c0.5.png"),
        ("defocus_blur", "defocus_r5_alias0.5.png"),
        ("jpeg_compression", "jpeg_q30.png"),
    ],
)
def test_matches_the_reference_within_one_level(reference: Path, name: str, golden: str) -> None:
    folder = reference / "golden" / "corruptions"
    ours = PERTURBATIONS[name](load(folder / "input.png"), rng(0))
    assert np.abs(ours.astype(int) - load(folder / golden)).max() <= 1


def test_gaussian_noise_has_the_reference_distribution() -> None:
    grey = np.full((700, 700), 128, np.uint8)
    noise = gaussian_noise(grey, rng(0)).astype(float) - 128
    # The reference truncates: half a level below zero on average, and 1/12 of variance from the levels.
    assert noise.mean() == pytest.approx(-0.5, abs=0.15)
    assert noise.std() == pytest.approx(np.hypot(0.08 * 255, 12**-0.5), rel=0.005)
    from scipy.stats import kurtosis, skew

    assert skew(noise, axis=None) == pytest.approx(0, abs=0.02)
    assert kurtosis(noise, axis=None) == pytest.approx(0, abs=0.04)
    shifted = (noise * np.roll(noise, 1, axis=1)).mean() / noise.var()
    assert shifted == pytest.approx(0, abs=0.006)


def test_gaussian_noise_clips_at_black_and_white() -> None:
    black = gaussian_noise(np.zeros((200, 200, 3), np.uint8), rng(1))
    white = gaussian_noise(np.full((200, 200, 3), 255, np.uint8), rng(1))
    assert (black == 0).mean() == pytest.approx(0.52, abs=0.01)  # half the noise is below 0, and [0, 1) is cut to 0
    assert (white == 255).mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_equal_seeds_give_equal_pixels_and_the_input_stays(name: str) -> None:
    image = photo()
    before = image.copy()
    image.setflags(write=False)
    first, second = (PERTURBATIONS[name](image, rng(7, "x")) for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(image, before)
    assert not np.array_equal(first, image)


def test_noise_differs_between_seeds() -> None:
    assert not np.array_equal(gaussian_noise(photo(), rng(1)), gaussian_noise(photo(), rng(2)))


@given(
    name=st.sampled_from(sorted(PERTURBATIONS)),
    height=st.integers(1, 40),
    width=st.integers(1, 40),
    channels=st.sampled_from([None, 1, 2, 3, 4]),
    severity=st.sampled_from([None, 1, 3, 5]),
)
def test_takes_any_size_and_keeps_shape_and_alpha(
    name: str, height: int, width: int, channels: int | None, severity: int | None
) -> None:
    shape = (height, width) if channels is None else (height, width, channels)
    image = rng(3, height, width).integers(0, 256, shape, dtype=np.uint8)
    out = perturbation(name, severity)(image, rng(0))
    assert out.shape == shape
    assert out.dtype == np.uint8
    if channels in (2, 4):
        assert np.array_equal(out[..., -1], image[..., -1])


@pytest.mark.parametrize("name", ["brightness", "defocus_blur", "gaussian_noise"])
def test_grey_is_the_same_as_three_equal_channels(name: str) -> None:
    grey = photo()[:, :, 0]
    from_grey = PERTURBATIONS[name](grey, rng(0))
    from_rgb = PERTURBATIONS[name](np.repeat(grey[:, :, None], 3, axis=2), rng(0))
    if name == "gaussian_noise":  # the noise of each channel is its own
        assert from_grey.std() == pytest.approx(from_rgb.std(), rel=0.02)
    else:
        assert np.array_equal(from_grey, from_rgb[:, :, 1])


def test_brightness_by_hand() -> None:
    # V = 100/255 rises by 127.5 to 227.5; the other channels keep their share of V: 50 % and 0 %.
    pixel = np.array([[[100, 50, 0], [0, 0, 0], [200, 100, 255]]], np.uint8)
    assert PERTURBATIONS["brightness"](pixel, rng(0)).tolist() == [[[227, 113, 0], [127, 127, 127], [200, 100, 255]]]


def test_defocus_of_a_point_is_the_disk() -> None:
    point = np.zeros((31, 31), np.uint8)
    point[15, 15] = 255
    spread = PERTURBATIONS["defocus_blur"](point, rng(0))
    assert np.array_equal(spread[15 - 8 : 15 + 9, 15 - 8 : 15 + 9], (disk_kernel(5, 0.5) * 255 + 1e-3).astype(np.uint8))


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_severity_rises(name: str) -> None:
    image = photo()
    distance = [np.abs(perturbation(name, s)(image, rng(0)).astype(int) - image).mean() for s in range(1, 6)]
    assert distance == sorted(distance)
    assert distance[0] > 0
    assert len(PERTURBATIONS[name].severities) == 5


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((4, 4, 3), np.float32), "uint8 array, not float32"),
        (np.zeros((0, 4, 3), np.uint8), r"not the shape \(0, 4, 3\)"),
        (np.zeros((4, 4, 5), np.uint8), r"not the shape \(4, 4, 5\)"),
        ([[1]], "uint8 array, not list"),
    ],
)
def test_says_what_is_wrong_with_an_array(image: np.ndarray, message: str) -> None:
    with pytest.raises(VhbenchError, match=message):
        PERTURBATIONS["brightness"](image, rng(0))


def test_says_which_names_and_severities_there_are() -> None:
    with pytest.raises(VhbenchError, match="unknown perturbation 'fog', expected one of gaussian_noise, brightness"):
        perturbation("fog")
    with pytest.raises(VhbenchError, match="expected a severity of 1 to 5, got 9"):
        perturbation("brightness", 9)(photo(), rng(0))
    with pytest.raises(VhbenchError, match="expected a quality of 1 to 95"):
        PERTURBATIONS["jpeg_compression"](photo(), rng(0), quality=0)


@pytest.mark.parametrize(
    ("side", "radius"), [(1, 1), (40, 1), (128, 1), (240, 2), (480, 5), (512, 5), (1024, 10), (3000, 29)]
)
def test_a_blur_grows_with_the_image(side: int, radius: int) -> None:
    point = np.zeros((side, max(side, 40) + 9), np.uint8)
    point[side // 2, 20] = 255
    blurred = perturbation("defocus_blur", relative=True)(point, rng(0))
    assert np.array_equal(blurred, PERTURBATIONS["defocus_blur"](point, rng(0), radius=radius))


@pytest.mark.parametrize("name", PERTURBATIONS)
@pytest.mark.parametrize("severity", [None, 1, 5])
def test_at_the_usual_size_nothing_is_relative(name: str, severity: int | None) -> None:
    image = photo(512, 520)
    relative, fixed = (perturbation(name, severity, relative=each)(image, rng(1)) for each in (True, False))
    assert np.array_equal(relative, fixed)


def imagenet_c(name: str, image: np.ndarray, severity: int) -> np.ndarray:
    """ImageNet-C's formulas in float64, written from its paper's code with Pillow, SciPy and OpenCV's HSV."""
    x, choose = image / 255, severity - 1
    if name == "gaussian_noise":
        draws = np.frombuffer(rng(0).bytes(2 * image.size), dtype="<u2").reshape(image.shape)
        x = x + [0.08, 0.12, 0.18, 0.26, 0.38][choose] * ndtri((draws + 0.5) / 65536)
    elif name == "brightness":
        hsv = cv2.cvtColor(x.astype(np.float32), cv2.COLOR_RGB2HSV)
        hsv[..., 2] = np.clip(hsv[..., 2] + [0.1, 0.2, 0.3, 0.4, 0.5][choose], 0, 1)
        x = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB).astype(float)
    elif name == "defocus_blur":
        radius, alias = [(3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)][choose]
        span = np.arange(-max(8, radius), max(8, radius) + 1)
        disk = (span[:, None] ** 2 + span**2 <= radius**2).astype(float)
        side = (3, 3) if radius <= 8 else (5, 5)
        kernel = cv2.GaussianBlur(disk / disk.sum(), side, sigmaX=alias)
        x = np.stack([cv2.filter2D(plane, -1, kernel) for plane in np.moveaxis(x, -1, 0)], axis=-1)
    else:
        stored = io.BytesIO()
        Image.fromarray(image).save(stored, "JPEG", quality=[25, 18, 15, 10, 7][choose])
        return np.asarray(Image.open(stored))
    return (np.clip(x, 0, 1) * 255).astype(np.uint8)


@pytest.mark.parametrize("name", ["gaussian_noise", "brightness", "defocus_blur", "jpeg_compression"])
def test_all_severities_are_imagenet_cs_on_photos(reference: Path, name: str) -> None:
    """A whole number of JPEG's blocks and more than two strips of the blur's sums, of each of 25 photos."""
    photos = sorted((reference / "coco_mini").rglob("*.jpg"))[:25]
    assert len(photos) == 25
    for file in photos:
        image = np.asarray(Image.open(file).convert("RGB"))[:160, :144]
        for severity in range(1, 6):
            ours = perturbation(f"{name}_{severity}")(image, rng(0)).astype(int)
            assert np.abs(ours - imagenet_c(name, image, severity)).max() <= 1


@pytest.mark.parametrize(
    ("name", "allowed", "refused", "message"),
    [
        ("brightness", {"amount": 1}, {"amount": 1.01}, "brightness: expected an amount in [-1, 1], got 1.01"),
        ("brightness", {"amount": -1}, {"amount": -1.01}, "brightness: expected an amount in [-1, 1], got -1.01"),
        (
            "jpeg_compression",
            {"quality": 95},
            {"quality": 96},
            "jpeg_compression: expected a quality of 1 to 95, got 96",
        ),
        ("jpeg_compression", {"quality": 1}, {"quality": 0}, "jpeg_compression: expected a quality of 1 to 95, got 0"),
        ("gaussian_noise", {"sigma": 0}, {"sigma": -0.1}, "sigma: expected at least 0, got -0.1"),
        ("defocus_blur", {"radius": 1}, {"radius": 0}, "radius: expected at least 1, got 0"),
        ("defocus_blur", {"alias_blur": 1e-3}, {"alias_blur": 0}, "alias_blur: expected at least 0.001, got 0"),
    ],
)
def test_parameters_are_bounded(name: str, allowed: dict, refused: dict, message: str) -> None:
    changed = PERTURBATIONS[name](photo(), rng(0), **allowed)
    assert changed.shape == photo().shape
    with pytest.raises(VhbenchError) as raised:
        PERTURBATIONS[name](photo(), rng(0), **refused)
    assert str(raised.value) == message


def test_the_darkest_and_the_brightest_are_black_and_white() -> None:
    assert not PERTURBATIONS["brightness"](photo(), rng(0), amount=-1).any()
    assert (PERTURBATIONS["brightness"](photo(), rng(0), amount=1).max(axis=2) == 255).all()


@pytest.mark.parametrize("spec", ["brightness:", "brightness:0", "brightness:6", "brightness:3-2", "brightness:1-6"])
def test_other_severities_are_refused(spec: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        at_severities(spec)
    assert str(raised.value) == f"expected brightness:1-5 or a part of it, such as brightness:3, got {spec}"


def test_a_severity_in_the_name_counts() -> None:
    image = photo()
    expected = perturbation("brightness", 2)(image, rng(0))
    for change in (perturbation("brightness_2"), perturbation("brightness_2", 5)):
        assert np.array_equal(change(image, rng(0)), expected)
