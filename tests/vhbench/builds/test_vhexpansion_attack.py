"""Attacked pairs in a built split: which direction, within epsilon, resumable, and what the split says about them."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.schema import Row, Scene
from vhbench.seeding import rng

QUESTION = "Is there a dog in the image?"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two images, asked whether there is a dog: yes, no."""
    with (tmp_path / "cases.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["id", "image", "question", "answer"])
        table.writeheader()
        for number, answer in enumerate(("yes", "no")):
            pixels = rng(number, "picture").integers(0, 256, (30, 40, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / f"{number}.png")
            table.writerow({"id": f"q{number}", "image": f"{number}.png", "question": QUESTION, "answer": answer})
    return tmp_path / "cases.csv"


@pytest.fixture
def folder(tiny_vlm: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "cache"))
    return tiny_vlm("llava")


def build(source: Path, folder: Path) -> VHExpansionBuild:
    return VHExpansionBuild(source=f"table:{source}", perturb=(), attack=("ifgsm",), model=str(folder), steps=4)


def pixels(row: Row) -> np.ndarray[Any, np.dtype[np.int16]]:
    image = row.question.images[0]
    data = image if isinstance(image, bytes) else image.read_bytes()
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(np.int16)


def test_a_tiny_model_that_always_fails_is_kept_failing(source: Path, folder: Path) -> None:
    """It babbles: neither yes nor no, so that every case counts as failed and is kept similar."""
    items = list(build(source, folder).make(0))
    rows = {item.question.id: item for item in items if isinstance(item, Row)}
    assert set(rows) == {f"q{n}{form}{twin}" for n in (0, 1) for form in ("", "/ifgsm") for twin in ("", "/negated")}
    for number in (0, 1):
        change = np.abs(pixels(rows[f"q{number}/ifgsm"]) - pixels(rows[f"q{number}"])).max()
        assert 0 < change <= 8
        assert rows[f"q{number}/ifgsm"].question.images == rows[f"q{number}/ifgsm/negated"].question.images
    reports = {item.id: item.provenance for item in items if isinstance(item, Scene)}
    assert set(reports) == {"q0/ifgsm", "q1/ifgsm"}
    for report in reports.values():
        assert report["direction"] == "similar"
        assert report["before"] <= report["after"] <= 1 + 1e-6
        assert report["linf"] <= 8
        assert report["model"] == folder.name, "where the model lies stays private"


def test_a_second_build_takes_the_attacked_images_from_the_cache(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = list(build(source, folder).make(0))
    monkeypatch.setattr("vhbench.generators.vhexpansion.attack.run", None)
    assert list(build(source, folder).make(0)) == first


def test_the_manifest_names_the_model_and_its_weights_but_no_place(source: Path, folder: Path) -> None:
    attacked = build(source, folder)
    assert attacked.config["model"] == folder.name
    assert attacked.config["attack"]["epsilon"] == pytest.approx(8 / 255)
    assert len(attacked.sources["model"]) == 64
    assert str(folder.parent) not in repr(attacked.config)
