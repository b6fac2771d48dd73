"""The names and identities of models; none is loaded."""

import hashlib
from pathlib import Path

import pytest

from vhbench.adapters import loaded_models, model_identity
from vhbench.adapters.loaded_models import Pipeline
from vhbench.schema import VhbenchError

COMMIT = "a1" * 20


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x.onnx").write_bytes(b"w")
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/config.json").write_text("{}")
    return tmp_path


def test_a_detector_in_a_file_is_identified_with_its_words(folder: Path) -> None:
    name = f"onnx:{folder / 'x.onnx'}"
    assert loaded_models.model_of("") == ""
    assert loaded_models.model_of(name) == f"sha256:{sha(b'w')}"
    (folder / "x.txt").write_text("dog")
    assert loaded_models.model_of(name) == f"sha256:{sha(b'w')}+{sha(b'dog')}"
    assert loaded_models.model_of(str(folder / "x.onnx")) == f"sha256:{sha(b'w')}"
    with pytest.raises(VhbenchError, match=r"^--detector onnx:none\.onnx: no such file$"):
        loaded_models.model_of("onnx:none.onnx")
    tiny = model_identity.identity(str(folder / "tiny"))
    assert loaded_models.model_of(f"vqa:{folder / 'tiny'}") == loaded_models.model_of(str(folder / "tiny")) == tiny


def test_a_pipeline_depends_on_its_model_options_and_libraries(folder: Path) -> None:
    tiny = Pipeline(str(folder / "tiny"), steps=3, guidance=2.5, dtype="float16", device="cpu", batch=9)
    options = {"steps": 3, "guidance": 2.5, "dtype": "float16"}
    assert tiny.stated == options
    identity = model_identity.identity(str(folder / "tiny"), holds=model_identity.PIPELINE)
    libraries = model_identity.libraries("diffusers", "torch", "transformers")
    assert tiny.depends_on == options | {"model": identity, "libraries": libraries}
    named = Pipeline(f"org/x@{COMMIT}", steps=3, guidance=2.5, dtype="float16")
    assert named.stated == options | {"model": f"org/x@{COMMIT}"}
    other = "b2" * 20
    assert Pipeline(f"org/x@{COMMIT}", other).stated["model"] == f"org/x@{other}"
    assert "model" not in Pipeline("org/x@main").stated


@pytest.mark.parametrize(
    ("text", "identity", "revision", "pinned"),
    [
        ("org/x", f"org/x@{COMMIT}", "", ("org/x", COMMIT)),
        ("org/x@main", f"org/x@{COMMIT}", "v2", ("org/x", COMMIT)),
        ("./folder", "sha256:01", "", ("./folder", "")),
        ("org/x@main", "sha256:01", "", ("org/x", "main")),
        ("org/x@main", "sha256:01", "v2", ("org/x", "v2")),
    ],
)
def test_the_commit_that_is_loaded(text: str, identity: str, revision: str, pinned: tuple[str, str]) -> None:
    assert loaded_models._pinned(text, identity, revision) == pinned


@pytest.mark.parametrize("name", ["tiny", "org/tiny", "org/tiny@main", "vqa:org/tiny", "/models/tiny/", "vqa:tiny@v1"])
def test_the_short_name_of_a_model(name: str) -> None:
    assert loaded_models._short(name) == "tiny"


def test_models_are_named_and_keyed_before_they_are_loaded(folder: Path) -> None:
    tiny = str(folder / "tiny")
    assert loaded_models.image_source(Pipeline(tiny, dtype="float32", device="cpu")).name == "diffusers:tiny"
    detector, verifier = loaded_models.detector(tiny, "cpu"), loaded_models.verifier(f"vqa:{tiny}", "cpu")
    assert (detector.name, verifier.name) == ("tiny", "tiny")
    assert loaded_models.detector(tiny, "cpu") is detector
    loaded_models.unload()
    assert loaded_models.detector(tiny, "cpu") is not detector
    loaded_models.unload()
