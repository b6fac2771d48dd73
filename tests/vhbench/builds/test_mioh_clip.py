"""MIOH built with CLIP: a tiny random model decides what is hard, once per image."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import tiny_clip_model
from typer.testing import CliRunner

from vhbench import splits
from vhbench.builds import mioh
from vhbench.cli import app
from vhbench.generators.mioh.facts import Fact
from vhbench.generators.mioh.pools import ScenePool
from vhbench.schema import Manifest, Question


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-clip"
    folder.mkdir()
    return tiny_clip_model.save(folder)


def build(out: Path, *more: str, types: str = "E1,E5") -> Manifest:
    mioh._pool.cache_clear()
    arguments = ["build", "mioh", "--source", "scenes:80", "--size", "96", "--types", types, "--cells", "3"]
    done = CliRunner().invoke(app, [*arguments, "--allow-missing", "--out", str(out), *more], catch_exceptions=False)
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

    features = list((tmp_path / "cache" / "clip").glob("*/*"))
    assert 60 < len(features) <= 80
    written = {file: file.stat().st_mtime_ns for file in features}
    # Worker processes find every image in the cache.
    assert build(tmp_path / "two", "--clip", str(clip), "--workers", "2").content_hash == one.content_hash
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "cache" / "clip").glob("*/*")} == written


def test_clip_changes_what_is_hard_of_attributes_and_positions(
    clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "cache"))
    build(tmp_path / "plain", types="A1,P1")
    build(tmp_path / "clip", "--clip", str(clip), types="A1,P1")
    for kind, pressure in product(("A1", "P1"), ("hp", "hn")):
        images = [
            [q.scene_ids for q in pressed(tmp_path / name, pressure) if q.question_type == kind]
            for name in ("plain", "clip")
        ]
        assert images[0] != images[1]


FACTS = ("a thing", "a colour", "left of")


def fact_of(pool: ScenePool, name: str) -> Fact:
    """Return a fact of each kind that some scenes show and others do not."""
    named: list[Fact] = [fact for fact in pool.relation_facts() if fact.predicate == name]
    if name == "a thing":
        named = [*pool.existence_facts()]
    if name == "a colour":
        named = [*pool.attribute_facts()]
    return max(named, key=lambda fact: min(len(found(pool, fact, part)) for part in ("yes", "no")))


def found(pool: ScenePool, fact: Fact, name: str, part: str = "truth") -> set[int]:
    return set(pool.scenes_of(getattr(getattr(pool, part)(fact), name)).tolist())


@pytest.mark.parametrize("name", FACTS)
def test_low_similarity_is_a_hard_positive_and_high_similarity_a_hard_negative(name: str) -> None:
    from vhbench.builds import mioh_synthetic

    scenes, _ = mioh_synthetic.draw(60, 2, 96)
    rules, both = ScenePool(scenes), ScenePool(scenes)
    fact = fact_of(rules, name)
    score = np.random.default_rng(0).random(len(scenes), np.float32)
    asked = list[str]()

    def similarity(text: str) -> np.ndarray:
        asked.append(text)
        return score

    both.clip = similarity

    yes, no = sorted(found(rules, fact, "yes")), sorted(found(rules, fact, "no"))
    low = {i for i in yes if score[i] <= np.quantile(score[yes], 0.2)}
    assert found(both, fact, "hard") == found(rules, fact, "hard") | low
    assert found(both, fact, "easy") == found(rules, fact, "easy") - low
    assert low - found(rules, fact, "hard")
    part = "truth"
    names, false = ("near", "far"), no
    if name != "a thing":  # suggested or not, and hard to see or not, among scenes with the objects and values
        there = found(rules, fact, "there", "binding")
        part, names, false = "binding", ("near", "calm"), sorted(there)
        gone = sorted(there.intersection(no))
        low = {i for i in gone if score[i] <= np.quantile(score[gone], 0.2)}
        assert found(both, fact, "hard", part) == found(rules, fact, "hard", part) | low
        assert found(both, fact, "soft", part) == found(rules, fact, "soft", part) - low
    high = {i for i in false if score[i] >= np.quantile(score[false], 0.9)}
    assert found(both, fact, names[0], part) == found(rules, fact, names[0], part) | high
    assert found(both, fact, names[1], part) == found(rules, fact, names[1], part) - high
    assert high - found(rules, fact, names[0], part)
    assert set(asked) == {f"A photo of {fact.phrase()}"}
    assert set(asked) <= {text for group in both.clip_texts() for text in group}
