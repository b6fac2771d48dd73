"""Whatever a score depends on is under the content hash; a change of it is found, though every file hash fits."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from toy_build import ToyBuild

from vhbench import splits
from vhbench.files import file_sha256
from vhbench.schema import Row, Scene
from vhbench.splits.stored_scenes import StoredScene, truth_of, write_truths

MADE = list(ToyBuild(rows=4, shards=1).make(0))
ROWS = [item for item in MADE if isinstance(item, Row)]
SCENES = [Scene(id=name, image=b"", width=8, height=8, objects=()) for name in ("s1", "s2")]


def build(folder: Path, **config: Any) -> Path:
    how: dict[str, Any] = {"benchmark": "ode", "version": "1.0.0", "seed": 0, "config": config, "scenes": SCENES}
    splits.write_split(folder / "ode", ROWS, **how)
    return folder / "ode"


def edit(split: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest as somebody would who makes every file's hash fit."""
    data = json.loads((split / "manifest.json").read_text())
    change(data)
    (split / "manifest.json").write_text(json.dumps(data))


def rewritten_scenes(split: Path) -> None:
    """Write other scenes, and their own hash into the manifest."""
    other = [truth_of(Scene(id=scene.id, image=b"", width=9, height=8, objects=())) for scene in SCENES]
    facts = write_truths(split / "scenes.parquet", other)
    new = {"scenes.parquet": file_sha256(split / "scenes.parquet")}
    edit(split, lambda data: (data["files"].update(new), data["extra"].update(facts)))


def test_another_vocabulary_is_another_split(tmp_path: Path) -> None:
    one, two = build(tmp_path / "1", vocabulary={"dog": ["dog"]}), build(tmp_path / "2", vocabulary={"dog": ["cat"]})
    assert splits.read_manifest(one).content_hash != splits.read_manifest(two).content_hash
    assert splits.verify(one) == splits.verify(two) == []


def test_a_changed_vocabulary_is_found(tmp_path: Path) -> None:
    split = build(tmp_path, vocabulary={"dog": ["dog"]})
    edit(split, lambda data: data["config"]["vocabulary"].update(dog=["puppy"]))
    assert [fault for fault in splits.verify(split) if "content hash is" in fault]
    assert splits.recompute_content_hash(split) != splits.read_manifest(split).content_hash


def test_changed_scenes_are_found(tmp_path: Path) -> None:
    split = build(tmp_path)
    rewritten_scenes(split)
    assert [fault for fault in splits.verify(split) if "content hash is" in fault]
    assert splits.recompute_content_hash(split) != splits.read_manifest(split).content_hash


@pytest.mark.parametrize("told", ["0" * 64, "", None, 7])
def test_a_wrong_hash_of_the_scenes_is_found(tmp_path: Path, told: object) -> None:
    split = build(tmp_path)
    edit(split, lambda data: data["extra"].update(scenes_hash=told))
    assert [fault for fault in splits.verify(split) if "its scenes have the hash" in fault]


def test_the_hash_of_scenes_knows_no_order(tmp_path: Path) -> None:
    scenes = [StoredScene("a", "", "{}"), StoredScene("b", "", "{}")]
    assert write_truths(tmp_path / "1", scenes) == write_truths(tmp_path / "2", scenes[::-1])
    assert pq.read_table(tmp_path / "1").num_rows == 2


def test_a_changed_image_of_a_perturbed_row_is_found(tmp_path: Path) -> None:
    perturbed = [Row(row.config, replace(row.question, perturbation="jpeg")) for row in ROWS]
    how: dict[str, Any] = {"benchmark": "ode", "version": "1.0.0", "seed": 0, "config": {}}
    honest = splits.write_split(tmp_path / "1/ode", perturbed, **how)
    swapped = [
        perturbed[0],
        *(Row(r.config, replace(r.question, images=perturbed[0].question.images)) for r in perturbed[1:]),
    ]
    splits.write_split(tmp_path / "2/ode", swapped, **how)
    edit(tmp_path / "2/ode", lambda data: data.update(content_hash=honest.content_hash))
    assert [fault for fault in splits.verify(tmp_path / "2/ode") if "content hash is" in fault]
