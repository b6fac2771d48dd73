"""Croissant JSON-LD (https://docs.mlcommons.org/croissant), the format of data catalogues."""

import json
from importlib.resources import files
from typing import Any

from vhbench.columns import COLUMNS, FLAGS, LISTS
from vhbench.schema import Manifest


def croissant(
    manifest: Manifest, *, repo_id: str, description: str, licence: str, cite_as: str, published: str = ""
) -> dict[str, Any]:
    """Return a split's JSON-LD: one file set and record set per config; ``cite_as`` is BibTeX, ``published`` a date."""
    url = f"https://huggingface.co/datasets/{repo_id}"
    tag = f"v{manifest.version}"
    repository = _node(
        "FileObject",
        "repo",
        description="The repository on the Hugging Face Hub.",
        contentUrl=f"{url}/tree/{tag}",
        encodingFormat="git+https",
        sha256="https://github.com/mlcommons/croissant/issues/80",  # a repository has none; the field is mandatory
    )
    location = {"containedIn": {"@id": "repo"}, "encodingFormat": "application/x-parquet"}
    file_sets = [
        _node("FileSet", f"files-{config}", **location, includes=f"{config}/test-*.parquet")
        for config in sorted(manifest.rows)
    ]
    return {
        "@context": json.loads(files("vhbench.card").joinpath("croissant_context.json").read_bytes()),
        "@type": "sc:Dataset",
        "name": repo_id.rpartition("/")[2],
        "description": description,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "url": url,
        "version": manifest.version,
        "license": licence,
        "citeAs": cite_as,
        **({"datePublished": published} if published else {}),
        "keywords": ["benchmark", "hallucination", "vision-language models", manifest.benchmark],
        "distribution": [repository, *file_sets],
        "recordSet": [_record_set(config) for config in sorted(manifest.rows)],
    }


def _node(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"@type": f"cr:{kind}", "@id": name, "name": name, **more}


def _record_set(config: str) -> dict[str, Any]:
    about = f"The questions of {config}."
    columns = [_field(config, name) for name in COLUMNS]
    return _node("RecordSet", config, description=about, key={"@id": f"{config}/id"}, field=columns)


def _field(config: str, name: str) -> dict[str, Any]:
    source: dict[str, Any] = {"fileSet": {"@id": f"files-{config}"}, "extract": {"column": name}}
    kind = "sc:Boolean" if name in FLAGS else "sc:Text"
    if name == "images":
        kind = "sc:ImageObject"
        source["transform"] = {"jsonPath": "bytes"}
    array = {"isArray": True, "arrayShape": "-1"} if name in ("images", *LISTS) else {}
    return _node("Field", f"{config}/{name}", dataType=kind, **array, source=source)
