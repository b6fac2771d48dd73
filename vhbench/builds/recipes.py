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

import orjson
import yaml

from vhbench.adapters import hub
from vhbench.benchmarks import benchmark, load
from vhbench.builds.split_build import SplitBuild
from vhbench.files import canonical, convert, parse_yaml, quote_value, read_text, write_atomic
from vhbench.options import options_of
from vhbench.schema import Manifest, VhbenchError

# A model on the Hub as an option's value, after its prefix; a local folder is recognized by its existence
_MODEL = r"(\w[\w.-]*(?:/[\w.-]+)?)(?:@(.*))?"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPin:
    """Model of a recipe: its repository on the Hub, and the commit; None if unpinned."""

    name: str
    revision: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Reviewers' verdict on a built split: whether it may be released, None while it is not decided."""

    content_hash: str = ""
    accepted: bool | None = None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionRecipe:
    """A dataset version and everything it depends on."""

    benchmark: str
    version: str  # MAJOR.MINOR.PATCH
    seed: int = 0
    # options of ``vhbench build``, by the names of the build's fields; ``{KEY}`` stands for the commit of the model KEY
    options: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, ModelPin] = field(default_factory=dict)  # key → model
    sources: Mapping[str, str] | None = None  # input file → SHA-256; None if unpinned
    review: Review = Review()
    content_hash: str = ""  # of the built split, once it is known
    about: str = ""  # comment

    @property
    def digest(self) -> str:
        """SHA-256 of everything that determines the split, in hex."""
        facts = {name: value for name, value in asdict(self).items() if name not in ("review", "content_hash", "about")}
        return hashlib.sha256(canonical(facts)).hexdigest()

    @property
    def unpinned(self) -> list[str]:
        """Names of models and inputs without a commit or checksum."""
        models = [f"the commit of {model.name}" for model in self.models.values() if not hub.is_commit(model.revision)]
        return [*models, *self._unbound(), *(["the SHA-256 of its inputs"] if self.sources is None else [])]

    def _unbound(self) -> Iterator[str]:
        """Yield models that an option names without a commit, its own or one of ``models``."""
        bound = {(model.name, f"{{{key}}}") for key, model in self.models.items()}
        for option, shown in options_of(load(benchmark(self.benchmark).build)).items():
            value = [] if shown.model is None else self.options.get(option, [])
            for one in value if isinstance(value, list) else [value]:
                named = re.fullmatch(f"{shown.model}{_MODEL}", str(one))
                name, revision = named.groups("") if named else ("", "")
                if option in ("images", "model"):
                    revision = str(self.options.get("revision") or revision)
                if name and not (hub.is_commit(revision) or (name, revision) in bound or Path(name).exists()):
                    yield f"the commit of {name} (options: {option})"

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a recipe; raise VhbenchError if it cannot be read, or has other fields or options."""
        data = parse_yaml(read_text(file), f"cannot read the recipe {file}")
        known = [f.name for f in fields(cls)]
        if not isinstance(data, dict) or (odd := sorted(map(str, data.keys() - known))):
            what = ", ".join(odd) if isinstance(data, dict) else quote_value(data)
            raise VhbenchError(f"{file}: expected the fields {', '.join(known)}; got {what}")
        if odd := [key for key in data.get("options") or () if not isinstance(key, str)]:  # yes, no, on, off: YAML
            raise VhbenchError(
                f"{file}: options: expected names; YAML reads one as {odd[0]}: quote it, as in 'yes': true"
            )
        recipe: Self = convert(data, cls, str(file))
        options = options_of(load(benchmark(recipe.benchmark).build))
        if wrong := sorted(recipe.options.keys() - options.keys()):
            raise VhbenchError(f"{file}: options: expected {', '.join(options)}; got {', '.join(wrong)}")
        return recipe

    def write(self, file: Path) -> None:
        """Write the recipe, without comments."""
        write_atomic(file, yaml.safe_dump(asdict(self), sort_keys=False, allow_unicode=True, width=120).encode())

    def build(self) -> SplitBuild:
        """Return the build; raise VhbenchError for an invalid option, or an input whose SHA-256 is not the recipe's."""
        build = self._unchecked()
        build.check()
        if self.sources is not None and dict(build.sources) != dict(self.sources):
            odd = sorted({name for name, _ in set(build.sources.items()) ^ set(self.sources.items())})
            raise VhbenchError(f"the inputs differ from the recipe's: {', '.join(odd)}")
        return build

    def _unchecked(self) -> SplitBuild:
        """Return the build, without reading inputs."""
        commits = {key: model.revision or "" for key, model in self.models.items()}
        options = {name: _filled(value, commits) for name, value in self.options.items()}
        if self.benchmark == "ode":  # its pilot does not ask before a build that the recipe fixes
            options["yes"] = True
        arguments = options | {"seed": self.seed, "version": self.version}
        build: SplitBuild = convert(arguments, load(benchmark(self.benchmark).build), "the recipe's options")
        return build

    def pinned(self) -> Self:
        """Return the recipe with its models' commits and its inputs' SHA-256; raise VhbenchError if one is missing."""
        models = {
            key: replace(model, revision=hub.commit_of(model.name, model.revision or "main", kind="model"))
            for key, model in self.models.items()
            if not hub.is_commit(model.revision)
        }
        filled = replace(self, models={**self.models, **models}, sources=None)
        return replace(filled, sources=dict(filled.build().sources))

    def recorded(self, name: str) -> dict[str, Any]:
        """Return the manifest entries of a split that is built by the recipe."""
        return {"recipe": {"name": name, "digest": self.digest}}

    @property
    def reviewed(self) -> str:
        """Content hash of the split that the reviewers accepted, or ""."""
        return self.review.content_hash if self.review.accepted else ""

    def differences(self, manifest: Manifest) -> list[str]:
        """Return why a split is not the version that the recipe describes; empty if it is.

        Without a content hash in the recipe, this compares what the manifest says, which no hash covers.
        """
        recorded = manifest.extra.get("recipe")
        if recorded is None and manifest.content_hash == self.content_hash:  # built with the same options by hand
            recorded = {"digest": self.digest}
        faults, expected = list[str](), dict[str, tuple[Any, Any]]()
        try:
            stated, there = _flat(self._unchecked().stated), _flat(manifest.config)
            expected = {f"option {name}": (value, there[name]) for name, value in stated.items() if name in there}
        except (VhbenchError, LookupError) as error:  # as where the inputs are missing
            if manifest.content_hash not in (self.content_hash, self.reviewed):
                faults = [f"the options cannot be compared with the recipe's: {error}"]
        expected |= {
            "benchmark": (self.benchmark, manifest.benchmark),
            "version": (self.version, manifest.version),
            "seed": (self.seed, manifest.seed),
            "recipe": (self.digest, recorded.get("digest") if isinstance(recorded, dict) else None),
            "inputs": (dict(manifest.sources if self.sources is None else self.sources), dict(manifest.sources)),
            "content hash": (self.content_hash or manifest.content_hash, manifest.content_hash),
            "reviewed content hash": (self.reviewed or manifest.content_hash, manifest.content_hash),
        }
        return faults + [
            f"expected the {name} {quote_value(target)} of the recipe, got {quote_value(found)}"
            for name, (target, found) in expected.items()
            if target != found
        ]


def _flat(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config as JSON has it, with the options of its models among the others."""
    plain: dict[str, Any] = orjson.loads(canonical(config))
    models = plain.pop("options", None)
    return {**models, **plain} if isinstance(models, dict) else plain


def _filled(value: Any, commits: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return tuple(_filled(one, commits) for one in value)
    if not isinstance(value, str):
        return value
    for key, commit in commits.items():
        value = value.replace(f"@{{{key}}}", f"@{commit}" if commit else "").replace(f"{{{key}}}", commit)
    return value
