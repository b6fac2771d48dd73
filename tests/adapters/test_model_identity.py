"""A model is identified by what its files contain, wherever they are."""

import hashlib
from pathlib import Path

import numpy
import pytest
from hub_standin import HubStandin

from vhbench.adapters import model_identity
from vhbench.adapters.model_identity import identity, libraries, named
from vhbench.schema import VhbenchError


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def model(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_a_folder_is_identified_by_names_and_contents_of_its_files(tmp_path: Path) -> None:
    files = {"config.json": b"{}", "a/weights": b"w"}
    first = model(tmp_path / "first", **files)
    expected = sha(f"a/weights\0{sha(b'w')}\nconfig.json\0{sha(b'{}')}\n".encode())
    assert identity(str(first)) == f"sha256:{expected}"
    hidden = {".gitattributes": b"x", ".cache/note": b"y", "a/.lock": b""}
    assert identity(str(model(tmp_path / "second", **files, **hidden))) == f"sha256:{expected}"
    renamed = model(tmp_path / "third", **{"config.json": b"{}", "b/weights": b"w"})
    assert identity(str(renamed)) != identity(str(first))


def test_a_file_is_identified_by_its_content(tmp_path: Path) -> None:
    assert identity(str(model(tmp_path, **{"x.onnx": b"w"}) / "x.onnx")) == f"sha256:{sha(b'w')}"


def test_the_hash_of_large_weights_is_kept_until_they_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_identity, "cache_folder", lambda: tmp_path / "cache")
    small, large = tmp_path / "small", tmp_path / "large"
    for path, size in ((small, (1 << 24) - 1), (large, 1 << 24)):
        with path.open("wb") as file:
            file.truncate(size)  # all zeros, of which none is on the disk
        assert model_identity._file_hash(path) == sha(bytes(size))
    [note] = (tmp_path / "cache/hashes").iterdir()
    assert note.read_text() == sha(bytes(1 << 24))
    note.write_text("known")
    assert model_identity._file_hash(large) == "known"
    with large.open("r+b") as file:
        file.truncate((1 << 24) + 1)
    assert model_identity._file_hash(large) == sha(bytes((1 << 24) + 1))


def test_a_model_on_the_hub_is_identified_by_its_commit(hub: HubStandin, tmp_path: Path) -> None:
    commit = "c" * 40
    place = tmp_path / "cache/hub/models--org--x"
    (place / "snapshots" / commit).mkdir(parents=True)
    (place / "snapshots" / commit / "config.json").write_text("{}")
    (place / "refs").mkdir()
    (place / "refs/main").write_text(commit)
    with hub.in_process(tmp_path / "cache"):
        assert identity("org/x", commit) == f"org/x@{commit}"
        with pytest.raises(VhbenchError, match=r"^cannot load the model 'org/none': "):
            identity("org/none")
        with pytest.raises(
            VhbenchError, match=r"^cannot load the model '\./none': no such folder, and not a valid Hub"
        ):
            identity("./none")


def test_a_folder_with_an_at_sign_is_no_revision(tmp_path: Path) -> None:
    folder = model(tmp_path / "a@b", x=b"")
    assert named(str(folder)) == (str(folder), "")
    assert named("a@b") == ("a", "b")


def test_versions_of_libraries() -> None:
    assert libraries("numpy", "no-such-library") == {"numpy": numpy.__version__, "no-such-library": ""}
