"""MIOH built with CLIP: a tiny random model decides what is hard, once per image."""

from pathlib import Path

import numpy as np
import pytest
import tiny_clip_model
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters.clip import ClipScorer
from vhbench.builds import mioh
from vhbench.cli import app
from vhbench.generators.mioh.facts import Exists
from vhbench.generators.mioh.pools import ScenePool
from vhbench.schema import Manifest, Question


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-clip"
    folder.mkdir()
    return tiny_clip_model.save(folder)


def build(out: Path, *more: str) -> Manifest:
    mioh._pool.cache_clear()
    arguments = ["build", "mioh", "--source", "scenes:120", "--size", "96", "--types", "E1,E5", "--cells", "6"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(out), *more], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return splits.read_manifest(out / "mioh")


def pressed(out: Path, pressure: str) -> list[Question]:
    return [q for q in splits.read_questions(out / "mioh") if q.pressure == pressure]


@pytest.mark.slow
def test_clip_changes_what_is_hard_and_looks_at_each_image_once(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "cache"))
    plain, one = build(tmp_path / "plain"), build(tmp_path / "one", "--clip", str(clip))
    assert plain.config["pressures"] == "rules alone, no CLIP"
    assert one.config["pressures"] == "rules and CLIP (tiny-clip)"
    for pressure in ("hp", "hn"):
        images = [[q.scene_ids for q in pressed(tmp_path / name, pressure)] for name in ("plain", "one")]
        assert images[0] != images[1]

    features = list((tmp_path / "cache" / "clip").rglob("*.npy"))
    assert 100 < len(features) <= 120
    monkeypatch.setattr(ClipScorer, "_encode_images", lambda *_: pytest.fail("an image was looked at again"))
    assert build(tmp_path / "again", "--clip", str(clip)).content_hash == one.content_hash
    # Worker processes know nothing of the monkeypatch; they find every image in the cache.
    assert build(tmp_path / "two", "--clip", str(clip), "--workers", "2").content_hash == one.content_hash
    assert sorted((tmp_path / "cache" / "clip").rglob("*.npy")) == sorted(features)


def test_low_similarity_is_a_hard_positive_and_high_similarity_a_hard_negative() -> None:
    from vhbench.builds import mioh_drawn

    scenes, _ = mioh_drawn.draw(60, 0, 96)
    rules, both = ScenePool(scenes), ScenePool(scenes)
    both.clip = np.random.default_rng(0).random((len(scenes), len(both.categories)), np.float32)
    score = both.clip[:, both.columns.column["dog"]]

    def scenes_where(pool: ScenePool, name: str) -> set[int]:
        return set(pool.scenes_of(getattr(pool.truth(Exists("dog")), name)).tolist())

    yes, no = sorted(scenes_where(rules, "yes")), sorted(scenes_where(rules, "no"))
    low = {i for i in yes if score[i] <= np.quantile(score[yes], 0.2)}
    high = {i for i in no if score[i] >= np.quantile(score[no], 0.9)}
    assert scenes_where(both, "hard") == scenes_where(rules, "hard") | low
    assert scenes_where(both, "easy") == scenes_where(rules, "easy") - low
    assert scenes_where(both, "near") == scenes_where(rules, "near") | high
    assert scenes_where(both, "far") == scenes_where(rules, "far") - high
    assert low - scenes_where(rules, "hard")
    assert high - scenes_where(rules, "near")
