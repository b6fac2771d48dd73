"""A training edition and a test edition of ODE that share nothing, small and built once a run."""

from pathlib import Path
from typing import NamedTuple

import pytest
from filelock import FileLock

from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild


class Editions(NamedTuple):
    """What is trained on, and what is scored."""

    train: Path
    test: Path


def build(folder: Path, part: str, seed: int) -> Path:
    """Build six pictures of one part of the concepts, all levels of questions."""
    levels = ("caption", "existence", "attribute", "relation")
    criteria = ("standard", "fictional")
    build = OdeBuild(part=part, seed=seed, pairs=2, size=128, levels=levels, criteria=criteria)
    build.check()
    sharding.run(build, folder, progress=False)
    return folder / "ode"


@pytest.fixture(scope="session")
def editions(shared_folder: Path) -> Editions:
    """The two editions, built by whichever worker asks first."""
    root = shared_folder / "editions"
    root.mkdir(exist_ok=True)
    with FileLock(str(root / "lock")):
        return Editions(build(root / "train", "1/2", 21), build(root / "test", "2/2", 4))
