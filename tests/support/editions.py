"""A training edition and a test edition of ODE that share nothing, small and built once a run."""

import io
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest
from filelock import FileLock
from PIL import Image

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild
from vhbench.columns import RECORD
from vhbench.files import read_image
from vhbench.images import to_png
from vhbench.schema import ImageData, Record

SIDE = 112
"""Pixels: a multiple of Qwen2-VL's 28, so that nobody has to scale a picture, each in another way."""


class Editions(NamedTuple):
    """What is trained on, and what is scored."""

    train: Path
    test: Path


def build(folder: Path, part: str, seed: int) -> Path:
    """Build six pictures of one part of the concepts, all levels of questions."""
    levels = ("caption", "existence", "attribute", "relation")
    criteria = ("standard", "fictional")
    build = OdeBuild(part=part, seed=seed, pairs=2, size=SIDE, levels=levels, criteria=criteria)
    build.check()
    sharding.run(build, folder, progress=False)
    return folder / "ode"


@pytest.fixture(scope="session")
def editions(shared_folder: Path) -> Editions:
    """The two editions, built by whichever worker asks first."""
    root = shared_folder / "editions"
    root.mkdir(exist_ok=True)
    with FileLock(str(root / "lock")):
        return Editions(build(root / "train", "1/2", 22), build(root / "test", "2/2", 4))


def upside_down(image: ImageData) -> bytes:
    """Return another picture of the same things."""
    with Image.open(io.BytesIO(read_image(image))) as opened:
        return to_png(opened.convert("RGB").transpose(Image.Transpose.FLIP_TOP_BOTTOM))


def answered(folder: Path, split: Path, says: str) -> Path:
    """Write the samples of a model that says one thing to each closed question but one, which nobody can read."""
    lines = []
    for place, question in enumerate(q for q in splits.read_questions(split) if q.kind != "caption"):
        asked = {name: getattr(question, name) for name in RECORD}
        record = Record(**asked, response=says.title() if place else "…", prediction=says if place else "")
        lines.append(orjson.dumps({"accuracy": asdict(record)}))
    folder.mkdir()
    (folder / "20260101_000000_samples_ode.jsonl").write_bytes(b"\n".join(lines))
    return folder
