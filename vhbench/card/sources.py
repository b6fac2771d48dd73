"""Sources in the card: origin, licence and citation."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml


@dataclass(frozen=True, slots=True)
class Source:
    """Source of images, words or annotations; ``cite``: key in ``references.bib``, or ""."""

    title: str
    licence: str
    url: str = ""
    cite: str = ""

    @property
    def bibtex(self) -> str:
        """Its BibTeX entry, or ""."""
        return references()[self.cite] if self.cite else ""


@cache
def sources() -> dict[str, Source]:
    """Return all sources by name."""
    return {name: Source(**about) for name, about in yaml.safe_load(_text("sources.yaml")).items()}


@cache
def references() -> dict[str, str]:
    """Return the BibTeX entries by their keys."""
    entries = re.split(r"\n\n(?=@)", _text("references.bib").strip())
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}


def source(name: str) -> Source:
    """Return a source: text-to-image models by the longest beginning of their names, unknown ones with only a name."""
    kind, _, model = name.lower().partition(":")
    if entry := sources().get(name) or sources().get(kind):
        return entry
    models = yaml.safe_load(_text("models.yaml"))
    if families := [family for family in models if kind == "diffusers" and model.startswith(family)]:
        return Source(**models[max(families, key=len)])
    return Source(name, "not known to vhbench; ask the builder of this split")


def _text(file: str) -> str:
    return files("vhbench.card").joinpath(file).read_text(encoding="utf-8")
