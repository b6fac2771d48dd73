"""Model identity: a content hash of local models or a Hub commit; and name parsing."""

import hashlib
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vhbench.adapters.loading import loading
from vhbench.files import cache_folder, file_sha256, write_atomic

PIPELINE, NETWORK = "model_index.json", "config.json"
"""Files present in every diffusers pipeline and in every transformers model."""


def named(text: str) -> tuple[str, str]:
    """Split "NAME" or "NAME@REVISION" into a model's name or folder and its revision.

    >>> named("google/owlv2-base-patch16@4b7b2ca"), named("./model")
    (('google/owlv2-base-patch16', '4b7b2ca'), ('./model', ''))
    """
    name, at, revision = text.rpartition("@")
    return (name, revision) if at and not Path(text).exists() else (text, "")


@cache
def identity(model: str, revision: str = "", *, holds: str = NETWORK) -> str:
    """Return "sha256:…" of a model's folder or file, wherever it is, "NAME@COMMIT" of a Hub model; raise without one.

    ``holds`` is a file that the model contains: :data:`PIPELINE` or :data:`NETWORK`.
    """
    place = Path(model)
    if place.is_file():
        return f"sha256:{_file_hash(place)}"
    if place.is_dir():
        digest = hashlib.sha256()
        files = (path for path in place.rglob("*") if path.is_file())
        for name, path in sorted((path.relative_to(place).as_posix(), path) for path in files):
            if not any(part.startswith(".") for part in Path(name).parts):
                digest.update(f"{name}\0{_file_hash(path)}\n".encode())
        return f"sha256:{digest.hexdigest()}"
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HFValidationError

    with loading(f"the model {model!r}"):
        try:
            file = hf_hub_download(model, holds, revision=revision or None)
        except HFValidationError as error:
            raise ValueError(f"no such folder, and not a valid Hub repository name: {error}") from error
    return f"{model}@{Path(file).parent.name}"


def libraries(*names: str) -> dict[str, str]:
    """Return library → installed version, "" if missing."""
    installed = dict.fromkeys(names, "")
    for name in names:
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return installed


def _file_hash(path: Path) -> str:
    """Return a file's SHA-256, cached for large weights until the file changes."""
    about = path.stat()
    if about.st_size < 1 << 24:
        return file_sha256(path)
    key = hashlib.sha256(f"{path.resolve()}\0{about.st_size}\0{about.st_mtime_ns}".encode()).hexdigest()
    note = cache_folder() / "hashes" / key
    if not note.is_file():
        note.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(note, file_sha256(path).encode(), durable=False)
    return note.read_text(encoding="ascii")
