from pathlib import Path

import numpy as np
import pytest

from vhbench.generators.scenes.environments import paintings
from vhbench.generators.scenes.environments.paintings import Painting, kept

KEY = ("beach", "sunny", 1, 6)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path))
    return tmp_path / "paintings"


def paint(level: int = 7) -> Painting:
    return Painting(np.full((6, 6, 3), level, np.uint8), ("sky", "sand"))


def refuse() -> Painting:
    raise AssertionError("painted again")


def test_a_painting_is_painted_once(folder: Path) -> None:
    first, second = kept(KEY, paint), kept(KEY, refuse)
    assert (first.pixels == second.pixels).all()
    assert first.areas == second.areas == ("sky", "sand")


@pytest.mark.parametrize("spoil", [lambda content: content[:-1], lambda content: content[:40] + b"x" + content[41:]])
def test_what_is_damaged_is_painted_anew(folder: Path, spoil) -> None:
    kept(KEY, paint)
    (file,) = folder.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert kept(KEY, lambda: paint(9)).pixels.max() == 9
    assert kept(KEY, refuse).pixels.max() == 9


def test_the_folder_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paintings, "_MOST", 1000)
    for variant in range(9):
        kept((*KEY[:2], variant, 6), paint)
    assert 1 <= len(list(folder.iterdir())) < 9
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 1000 + 100


def test_nothing_is_kept_where_nothing_can_be_written(folder: Path) -> None:
    folder.write_text("a file")
    assert kept(KEY, paint).areas == ("sky", "sand")
