"""Recipes: everything that a released dataset version depends on, in one YAML file.

``editions/NAME.yaml`` names benchmark, version, seed, options, models with their commits, input files with their
SHA-256, and the reviewers' verdict. What cannot be known where a recipe is written stays null, which is unpinned:
:meth:`EditionRecipe.pinned` fills it on a machine with the files and the Hub, and no unpinned recipe is released.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

import yaml

from vhbench.adapters import hub
from vhbench.benchmarks import benchmark, load
from vhbench.builds.split_build import SplitBuild
from vhbench.files import canonical, convert, parse_yaml, quote_value, read_text, write_atomic
from vhbench.options import options_of
from vhbench.schema import Manifest, VhbenchError

_COMMIT = re.compile(r"[0-9a-f]{40}")
_MODEL_OPTIONS = ("images", "detector", "verifier", "clip", "model", "rewriter")
_MODEL = re.compile(r"(?:diffusers:|vqa:|transformers:)?([\w.-]+/[\w.-]+)(?:@(.*))?")
"""A model on the Hub as an option's value; local folders and ONNX files are among the inputs, and so are photos."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPin:
    """Model of a recipe: its repository on the Hub, and the commit; None if unpinned."""

    name: str
    revision: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Reviewers' verdict on a built split.

    Attributes:
        content_hash: of the split that was reviewed.
        accepted: whether it may be released; None while it is not decided.
        by: who decided.
    """

    content_hash: str = ""
    accepted: bool | None = None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionRecipe:
    """A dataset version and everything it depends on.

    Attributes:
        benchmark: name of the benchmark.
        version: MAJOR.MINOR.PATCH.
        seed: of the build.
        options: options of ``vhbench build``, by the names of the build's fields; ``{KEY}`` stands for the commit of
            the model KEY.
        models: key → model.
        sources: input file → SHA-256; None if unpinned.
        review: reviewers' verdict.
        content_hash: of the built split, once it is known.
        about: comment.
    """

    benchmark: str
    version: str
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, ModelPin] = field(default_factory=dict)
    sources: Mapping[str, str] | None = None
    review: Review = Review()
    content_hash: str = ""
    about: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of everything that determines the split, in hex."""
        facts = {name: value for name, value in asdict(self).items() if name not in ("review", "content_hash", "about")}
        return hashlib.sha256(canonical(facts)).hexdigest()

    @property
    def unpinned(self) -> list[str]:
        """Names of models and inputs without a commit or checksum."""
        models = [f"the commit of {model.name}" for model in self.models.values() if not _is_commit(model.revision)]
        return [*models, *self._unbound(), *(["the SHA-256 of its inputs"] if self.sources is None else [])]

    def _unbound(self) -> Iterator[str]:
        """Yield models that an option names without a commit of ``models``."""
        values = {name: value if isinstance(value, list) else [value] for name, value in self.options.items()}
        used = " ".join(str(one) for own in values.values() for one in own)
        bound = {model.name for key, model in self.models.items() if f"{{{key}}}" in used}
        for name in _MODEL_OPTIONS:
            for one in filter(None, (_MODEL.fullmatch(str(value)) for value in values.get(name, ()))):
                local = Path(one[1]).exists() or (name == "images" and not one[0].startswith("diffusers:"))
                if one[1] not in bound and not _is_commit(one[2]) and not local:
                    yield f"the commit of {one[1]} (options: {name})"

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a recipe.

        Raises:
            VhbenchError: if it cannot be read, or has other fields or options.
        """
        data = parse_yaml(read_text(file), f"cannot read the recipe {file}")
        known = [f.name for f in fields(cls)]
        if not isinstance(data, dict) or (odd := sorted(map(str, data.keys() - known))):
            what = ", ".join(odd) if isinstance(data, dict) else quote_value(data)
            raise VhbenchError(f"{file}: expected the fields {', '.join(known)}; got {what}")
        recipe: Self = convert(data, cls, str(file))
        options = options_of(load(benchmark(recipe.benchmark).build))
        if wrong := sorted(recipe.options.keys() - options.keys()):
            raise VhbenchError(f"{file}: options: expected {', '.join(options)}; got {', '.join(wrong)}")
        return recipe

    def write(self, file: Path) -> None:
        """Write the recipe, without comments."""
        write_atomic(file, yaml.safe_dump(asdict(self), sort_keys=False, allow_unicode=True, width=120).encode())

    def build(self) -> SplitBuild:
        """Return the build of the recipe.

        Raises:
            VhbenchError: if an option is invalid, or an input has another SHA-256 than the recipe says.
        """
        commits = {key: model.revision or "" for key, model in self.models.items()}
        options = {name: _filled(value, commits) for name, value in self.options.items()}
        if self.benchmark == "ode":  # its pilot does not ask before a build that the recipe fixes
            options["yes"] = True
        arguments = options | {"seed": self.seed, "version": self.version}
        build: SplitBuild = convert(arguments, load(benchmark(self.benchmark).build), "the recipe's options")
        build.check()
        if self.sources is not None and dict(build.sources) != dict(self.sources):
            odd = sorted({name for name, _ in set(build.sources.items()) ^ set(self.sources.items())})
            raise VhbenchError(f"the inputs differ from the recipe's: {', '.join(odd)}")
        return build

    def pinned(self) -> Self:
        """Return the recipe with the commits of its models, from the Hub, and the SHA-256 of its inputs.

        Raises:
            VhbenchError: if an input is missing, or the Hub cannot be reached.
        """
        models = {
            key: model if model.revision else replace(model, revision=hub.commit_of(model.name, kind="model"))
            for key, model in self.models.items()
        }
        filled = replace(self, models=models, sources=None)
        return replace(filled, sources=dict(filled.build().sources))

    def recorded(self, name: str) -> dict[str, Any]:
        """Return the manifest entries of a split that is built by the recipe."""
        return {"recipe": {"name": name, "digest": self.digest}}

    def differences(self, manifest: Manifest) -> list[str]:
        """Return why a split is not the version that the recipe describes; empty if it is."""
        recorded, config = manifest.extra.get("recipe"), manifest.config
        if recorded is None and manifest.content_hash == self.content_hash:  # built with the same options by hand
            recorded = {"digest": self.digest}
        counts = {  # the manifest names files without folders, and replaces 0 and negative numbers by defaults
            name: value
            for name, value in self.options.items()
            if isinstance(value, int) and value > 0 and name in config
        }
        expected: dict[str, tuple[Any, Any]] = {
            "benchmark": (self.benchmark, manifest.benchmark),
            "version": (self.version, manifest.version),
            "seed": (self.seed, manifest.seed),
            **{f"option {name}": (value, config.get(name)) for name, value in counts.items()},
            "recipe": (self.digest, recorded.get("digest") if isinstance(recorded, dict) else None),
            "inputs": (self.sources if self.sources is None else dict(self.sources), dict(manifest.sources)),
            "content hash": (self.content_hash, manifest.content_hash),
        }
        return [
            f"expected the {name} {quote_value(target)} of the recipe, got {quote_value(there)}"
            for name, (target, there) in expected.items()
            if target != there and target not in (None, "")
        ]


def _is_commit(revision: str | None) -> bool:
    return _COMMIT.fullmatch(revision or "") is not None


def _filled(value: Any, commits: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return tuple(_filled(one, commits) for one in value)
    if not isinstance(value, str):
        return value
    for key, commit in commits.items():
        value = value.replace(f"@{{{key}}}", f"@{commit}" if commit else "").replace(f"{{{key}}}", commit)
    return value
