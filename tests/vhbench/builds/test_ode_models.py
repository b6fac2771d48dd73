"""Whole builds with models, tiny ones of the real classes: what was made stays, and what changes it is told."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vhbench.adapters import loaded_models
from vhbench.adapters.detectors import ZeroShotDetector
from vhbench.adapters.text_to_image import DiffusersSource
from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.schema import Rejection, Scene, VhbenchError
from vhbench.splits import read_rejections, verify

ANYTHING = DetectionThresholds(keep=0.0501, absent=0.05, environment=0, environment_share=0)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of this test's own, with models that are loaded anew."""
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "cache"))
    for loaded in (loaded_models.image_source, loaded_models.detector, loaded_models.verifier):
        loaded.cache_clear()
    yield tmp_path / "cache"
    for loaded in (loaded_models.image_source, loaded_models.detector, loaded_models.verifier):
        loaded.cache_clear()


def build_of(models: dict[str, Path], detector: str = "owlv2", **options: Any) -> OdeBuild:
    given: dict[str, Any] = {
        "pairs": 2, "images": f"diffusers:{models['stable_diffusion']}",
        "detector": str(models.get(detector, detector)),
        "criteria": ("fictional",), "size": 64, "retries": 1, "reserve": 2, "steps": 1, "device": "cpu",
        "levels": ("caption", "existence"), "thresholds": ANYTHING,
    }  # fmt: skip
    return OdeBuild(**{**given, **options})


def interrupt() -> None:
    raise KeyboardInterrupt


def answering(models: dict[str, Path]) -> OdeBuild:
    verifier, levels = f"vqa:{models['vilt']}", ("existence", "attribute")
    return build_of(models, "grounding_dino", verifier=verifier, levels=levels, batch=1, retries=0, believe=0.0)


KILLED_AT_THE_THIRD = """
import json, os, pathlib, signal, sys
import pytest, test_ode_models
from vhbench.builds import sharding
models = {name: pathlib.Path(path) for name, path in json.loads(sys.argv[1]).items()}
counting = test_ode_models.Counting(pytest.MonkeyPatch())
counting.most, counting.stop = 2, lambda: os.kill(os.getpid(), signal.SIGKILL)
sharding.run(test_ode_models.answering(models), pathlib.Path(sys.argv[2]), progress=False)
"""


class Counting:
    """Counts what is painted and looked at; may stop the build after so many images."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.painted = self.looked = 0
        self.most = 10**6
        self.stop: Callable[[], None] = interrupt
        paint, look = DiffusersSource._images, ZeroShotDetector._forward

        def painting(source: DiffusersSource, specs: Any, seed: int) -> Any:
            if self.painted + len(specs) > self.most:
                self.stop()
            self.painted += len(specs)
            return paint(source, specs, seed)

        def looking(detector: ZeroShotDetector, looks: Any) -> Any:
            self.looked += len(looks)
            return look(detector, looks)

        monkeypatch.setattr(DiffusersSource, "_images", painting)
        monkeypatch.setattr(ZeroShotDetector, "_forward", looking)


def test_another_filter_paints_and_looks_at_nothing_anew(
    image_models: dict[str, Path], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting(monkeypatch)
    strict = build_of(image_models, thresholds=DetectionThresholds(keep=1, absent=0.1))
    with pytest.raises(VhbenchError, match="the ode split would have no rows"):
        sharding.run(strict, tmp_path / "strict", progress=False)
    assert counting.painted > 8, "rejected images are tried again, and kept"
    painted, looked = counting.painted, counting.looked
    loose = replace(strict, thresholds=replace(ANYTHING, keep=0.06))
    assert sharding.fingerprint(loose) != sharding.fingerprint(strict)
    loaded_models.image_source.cache_clear()
    loaded_models.detector.cache_clear()
    manifest = sharding.run(loose, tmp_path / "loose", progress=False)
    assert manifest is not None
    assert (counting.painted, counting.looked) == (painted, looked)


def test_a_build_that_was_killed_paints_what_is_missing(
    image_models: dict[str, Path], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting(monkeypatch)
    build = build_of(
        image_models, verifier=str(image_models["clip"]), levels=("existence", "attribute"), batch=1, pairs=3
    )
    counting.most = 4
    with pytest.raises(KeyboardInterrupt):
        sharding.run(build, tmp_path / "a", progress=False)
    assert counting.painted == 4
    counting.most = 10**6
    resumed = sharding.run(build, tmp_path / "a", progress=False)
    whole = counting.painted
    shutil.rmtree(cache)
    quiet = sharding.run(build, tmp_path / "b", progress=False)
    assert resumed is not None
    assert quiet is not None
    assert counting.painted == 2 * whole, "nothing was painted twice"
    assert resumed.content_hash == quiet.content_hash
    assert verify(tmp_path / "a" / "ode") == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="kills a process")
def test_kill_9_of_a_build_with_a_model_that_answers_questions_and_a_rerun(
    image_models: dict[str, Path], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = json.dumps({name: str(path) for name, path in image_models.items()})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    command = [sys.executable, "-c", KILLED_AT_THE_THIRD, models, str(tmp_path / "a")]
    killed = subprocess.run(command, env=environment, capture_output=True, timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    build = answering(image_models)
    counting = Counting(monkeypatch)
    assert not (tmp_path / "a" / "ode").exists()
    resumed = sharding.run(build, tmp_path / "a", progress=False)
    rest = counting.painted
    shutil.rmtree(cache)
    quiet = sharding.run(build, tmp_path / "b", progress=False)
    assert counting.painted - rest == rest + 2, "what the killed process had painted was not painted again"
    assert resumed is not None
    assert quiet is not None
    assert resumed.content_hash == quiet.content_hash
    assert verify(tmp_path / "a" / "ode") == []


def test_the_fingerprint_holds_what_changes_results_alone(image_models: dict[str, Path], tmp_path: Path) -> None:
    build = build_of(image_models)
    mark = sharding.fingerprint(build)
    for same in ({"batch": 1}, {"device": "auto"}, {"offload": "model"}, {"scratch": "x"}):
        assert sharding.fingerprint(replace(build, **same)) == mark, same
    for other in (
        {"steps": 2},
        {"guidance": 3.0},
        {"seed": 1},
        {"best_of": 2},
        {"believe": 0.9},
        {"dtype": "bfloat16"},
    ):
        assert sharding.fingerprint(replace(build, **other)) != mark, other
    folder = tmp_path / "stable_diffusion"
    shutil.copytree(image_models["stable_diffusion"], folder)
    copy = replace(build, images=f"diffusers:{folder}")
    assert sharding.fingerprint(copy) == mark, "the same model elsewhere"
    config = json.loads((folder / "unet" / "config.json").read_bytes())
    (folder / "unet" / "config.json").write_text(json.dumps({**config, "act_fn": "gelu"}))
    loaded_models.model_identity.identity.cache_clear()
    changed = build_of({**image_models, "stable_diffusion": folder})
    assert sharding.fingerprint(changed) != mark, "another model of the same name"
    assert build.config["options"]["libraries"]["diffusers"]


def test_unrelated_code_does_not_change_the_fingerprint() -> None:
    """ODE's digest covers what its module imports, and nothing of the other benchmarks or their adapters."""
    from vhbench.builds.code import _needed, code_files

    files = code_files()
    needed = _needed("vhbench.builds.ode", files)
    assert {
        "generators/ode/shards.py",
        "adapters/text_to_image.py",
        "generators/scenes/source.py",
        "schema.py",
    } <= needed
    assert not {name for name in needed if name.startswith(("generators/mioh", "generators/vhexpansion"))}
    assert not needed & {"adapters/judge.py", "adapters/vlms.py", "builds/vhexpansion.py"}


def test_a_closed_set_detector_is_asked_for_its_classes_alone(
    image_models: dict[str, Path], cache: Path, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from tiny_onnx_detector import save

    graph = tmp_path / "graph.json"
    words = [{"word": word, "kind": "entity"} for word in ("dog", "person", "cup", "unicorn")]
    graph.write_text(json.dumps({"concepts": words, "edges": []}))
    build = build_of(
        image_models,
        detector="owlv2",
        pairs=3,
        graph=(str(graph),),
        thresholds=DetectionThresholds(keep=0.05, absent=0.05),
    )
    build = replace(build, detector=f"onnx:{save(tmp_path, 'yolov8')}", reserve=4)
    items = [item for shard in range(build.shards) for item in build.make(shard)]
    assert {item.reason for item in items if isinstance(item, Rejection)} >= {"the detector does not know"}
    scenes = [item for item in items if isinstance(item, Scene)]
    assert scenes
    assert all(scene.categories() <= {"dog", "person", "cup"} for scene in scenes)


def test_bad_models_are_named_before_anything_is_built(image_models: dict[str, Path], tmp_path: Path) -> None:
    for options, message in (
        ({"images": f"diffusers:{tmp_path / 'none'}"}, "cannot load the model"),
        ({"detector": "onnx:none.onnx"}, r"--detector onnx:none\.onnx: no such file"),
        ({"calibration": __file__, "thresholds": None}, "Expecting|JSON|expected a file that"),
        ({"images": "photos:x.json"}, r"expected photos:INSTANCES\.json=DIR"),
        ({"likely": "all"}, "--likely: expected seen or both"),
    ):
        with pytest.raises(VhbenchError, match=message):
            build_of(image_models, **options).check()


def test_rejections_of_a_split_tell_what_scored_how(image_models: dict[str, Path], cache: Path, tmp_path: Path) -> None:
    build = build_of(image_models, "owlv2", best_of=2)
    assert sharding.run(build, tmp_path, progress=False) is not None
    reasons = {r.reason for r in read_rejections(tmp_path / "ode")}
    assert "another image scored higher" in reasons
