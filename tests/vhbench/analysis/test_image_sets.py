"""Sets of images are as far apart as their features are, and sets of one kind are not apart."""

import json
from pathlib import Path

import numpy as np
import pytest
import tiny_clip_model
from PIL import Image
from typer.testing import CliRunner

from vhbench.analysis import image_sets
from vhbench.cli import app
from vhbench.schema import VhbenchError


def features(seed: int, shift: float = 0.0, count: int = 60) -> image_sets.Floats:
    found = np.random.default_rng(seed).normal(size=(count, 8)) + shift
    unit: image_sets.Floats = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def test_distance_is_that_of_its_definition() -> None:
    one, two = features(1, count=12), features(2, 0.5, count=15)

    def kernel(a: image_sets.Floats, b: image_sets.Floats) -> float:
        return float(np.exp(-np.square(a - b).sum() / 200))

    def within(some: image_sets.Floats) -> float:
        return float(np.mean([kernel(a, b) for i, a in enumerate(some) for j, b in enumerate(some) if i != j]))

    between = np.mean([kernel(a, b) for a in one for b in two])
    found = image_sets.distance(one, two)
    assert found["cmmd"] == pytest.approx(1000 * (within(one) + within(two) - 2 * between))


def test_one_distribution_is_not_apart_and_two_are() -> None:
    claims = [image_sets.distance(features(seed), features(seed + 100))["p"] <= 0.05 for seed in range(20)]
    assert sum(claims) <= 4  # 3.6 % of binomial draws at 5 % have more than three
    apart = image_sets.distance(features(1), features(2, 0.5))
    assert apart["p"] < 0.01
    low, high = apart["interval"]
    assert 0 < low < apart["cmmd"] < high


def test_the_command_compares_folders_and_draws_them(tmp_path: Path) -> None:
    (tmp_path / "clip").mkdir()
    model = tiny_clip_model.save(tmp_path / "clip")
    for name, shade in (("drawn", 200), ("photos", 40)):
        (tmp_path / name).mkdir()
        for i in range(12):
            Image.effect_noise((40, 30), shade + i).convert("RGB").save(tmp_path / name / f"{i}.png")
    words = ["analyse", "images", str(tmp_path / "drawn"), str(tmp_path / "photos"), "--clip", str(model)]
    done = CliRunner().invoke(app, [*words, "--device", "cpu", "--out", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "images_analysis.json").read_bytes())
    assert list(found["images"].values()) == [12, 12]
    assert (tmp_path / "images_map.png").is_file()
    for twice in (str(tmp_path / "drawn"), f"{tmp_path}/drawn/", f"{tmp_path}/photos/../drawn"):
        again = CliRunner().invoke(app, ["analyse", "images", str(tmp_path / "drawn"), twice, "--clip", str(model)])
        assert str(again.exception).startswith("expected a split and at least one other set of images, each once; got ")
    with pytest.raises(VhbenchError, match=r"expected photos .*, got none"):
        image_sets._images_of(tmp_path / "clip", 9, 0)
    (tmp_path / "drawn" / "0.png").rename(tmp_path / "clip" / "0.png")
    with pytest.raises(VhbenchError, match="at least 10 images, got 1"):
        image_sets._images_of(tmp_path / "clip", 9, 0)


def test_images_of_both_sets_are_left_out_of_the_second(tmp_path: Path) -> None:
    """Copies are no independent sample: the estimate of a set and its copy is below zero, with its interval."""
    for name, numbers in (("a", range(12)), ("copy", range(12)), ("b", range(9, 24))):
        (tmp_path / name).mkdir()
        for i in numbers:
            (tmp_path / name / f"{i}.png").write_bytes(b"%d" % i)
    first = image_sets._images_of(tmp_path / "a", 100, 0)
    assert len(first) == 12
    assert sorted(map(int, image_sets._images_of(tmp_path / "b", 100, 0, set(first)))) == list(range(12, 24))
    with pytest.raises(VhbenchError, match="copy: expected at least 10 images that the first set lacks, got 0"):
        image_sets._images_of(tmp_path / "copy", 100, 0, set(first))


def test_the_interval_of_one_distribution_is_around_zero() -> None:
    """20 pairs of samples: centred estimates, of which few intervals exclude 0."""
    found = [image_sets.distance(features(seed), features(seed + 100)) for seed in range(20)]
    assert abs(np.mean([one["cmmd"] for one in found])) < 0.1
    assert sum(not one["interval"][0] <= 0 <= one["interval"][1] for one in found) <= 3
