"""MIOH built with CLIP: a tiny random model decides what is hard, once per image."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import tiny_clip_model
from typer.testing import CliRunner

from vhbench import splits
from vhbench.builds import mioh, mioh_synthetic
from vhbench.cli import app
from vhbench.generators.mioh.facts import Fact
from vhbench.generators.mioh.pools import ScenePool
from vhbench.schema import Manifest, Question


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-clip"
    folder.mkdir()
    return tiny_clip_model.save(folder)


@pytest.fixture(scope="module", autouse=True)
def _drawn_once() -> Iterator[None]:
    """Draw each pool of scenes once, whichever build asks for it; worker processes draw their own."""
    drawn = lru_cache(mioh_synthetic.draw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            mioh_synthetic, "draw", lambda number, seed, size, scratch="", *part: drawn(number, seed, size, "", *part)
        )
        yield


def build(out: Path, *more: str) -> Manifest:
    mioh._pool.cache_clear()
    arguments = ["build", "mioh", "--source", "scenes:80", "--size", "96", "--types", "E1,E5,A1,P1", "--cells", "3"]
    arguments += ["--seed", "10", "--allow-missing", "--out", str(out), *more]  # with seed 10, 80 scenes fill them
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return splits.read_manifest(out / "mioh")


@pytest.fixture(scope="module")
def built(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of one build by rules alone and one with CLIP, and of the cache of the latter."""
    folder = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VHBENCH_CACHE", str(folder / "cache"))
        assert build(folder / "plain").config["pressures"] == "rules alone, no CLIP"
        assert build(folder / "clip", "--clip", str(clip)).config["pressures"] == "rules and CLIP (tiny-clip)"
        yield folder


def pressed(out: Path, kind: str, pressure: str) -> list[Question]:
    found = [q for q in splits.read_questions(out / "mioh") if (q.question_type, q.pressure) == (kind, pressure)]
    assert found, f"no question of {kind} under {pressure}"
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "pressure"), product(("E1", "E5", "A1", "P1"), ("hp", "hn")))
def test_clip_changes_what_is_hard(built: Path, kind: str, pressure: str) -> None:
    plain, clip = ([q.scene_ids for q in pressed(built / name, kind, pressure)] for name in ("plain", "clip"))
    assert plain != clip


@pytest.mark.slow
def test_clip_looks_at_each_image_once(built: Path, clip: Path, tmp_path: Path) -> None:
    written = {file: file.stat().st_mtime_ns for file in (built / "cache" / "clip").glob("*/*")}
    assert 60 < len(written) <= 80
    # Worker processes find every image in the cache.
    again = build(tmp_path, "--clip", str(clip), "--workers", "2")
    assert again.content_hash == splits.read_manifest(built / "clip" / "mioh").content_hash
    assert {file: file.stat().st_mtime_ns for file in (built / "cache" / "clip").glob("*/*")} == written


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
    scenes, _ = mioh_synthetic.draw(60, 3, 96)
    rules, both = ScenePool(scenes), ScenePool(scenes)
    fact = fact_of(rules, name)
    score = np.random.default_rng(1).random(len(scenes), np.float32)
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
