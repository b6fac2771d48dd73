"""Recipes: everything that a released dataset version depends on, in one YAML file.

``editions/NAME.yaml`` names benchmark, version, seed, options, models with their commits, input files with their
SHA-256, and the reviewers' verdict. What cannot be known where a recipe is written stays null, which is unpinned:
:func:`pin` fills it on a machine with the files and the Hub, and no unpinned recipe is released.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import yaml

from vhbench.benchmarks import benchmark, load
from vhbench.builds.split_build import SplitBuild
from vhbench.files import canonical, convert, parse_yaml, quote_value, read_text, write_atomic
from vhbench.options import options_of
from vhbench.schema import Manifest, VhbenchError

RECORDED = "recipe"
"""Manifest extra: name and digest of the recipe that a split was built by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
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
class Recipe:
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
    models: Mapping[str, Model] = field(default_factory=dict)
    sources: Mapping[str, str] | None = None
    review: Review = Review()
    content_hash: str = ""
    about: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of everything that determines the split, in hex."""
        told = {name: value for name, value in asdict(self).items() if name not in ("review", "content_hash", "about")}
        return hashlib.sha256(canonical(told)).hexdigest()

    @property
    def unpinned(self) -> list[str]:
        """Names of models and inputs without a commit or checksum."""
        models = [f"the commit of {model.name}" for model in self.models.values() if not model.revision]
        return [*models, *(["the SHA-256 of its inputs"] if self.sources is None else [])]


def read_recipe(file: Path) -> Recipe:
    """Read a recipe.

    Raises:
        VhbenchError: if it cannot be read, or has other fields.
    """
    data = parse_yaml(read_text(file), f"cannot read the recipe {file}")
    if not isinstance(data, dict) or (odd := sorted(map(str, data.keys() - {f.name for f in fields(Recipe)}))):
        what = ", ".join(odd) if isinstance(data, dict) else quote_value(data)
        raise VhbenchError(f"{file}: expected the fields {', '.join(f.name for f in fields(Recipe))}; got {what}")
    recipe: Recipe = convert(data, Recipe, str(file))
    known = options_of(load(benchmark(recipe.benchmark).build))
    if wrong := sorted(recipe.options.keys() - known.keys()):
        raise VhbenchError(f"{file}: options: expected {', '.join(known)}; got {', '.join(wrong)}")
    return recipe


def build_of(recipe: Recipe) -> SplitBuild:
    """Return the build of a recipe.

    Raises:
        VhbenchError: if an option is invalid, or an input has another SHA-256 than the recipe says.
    """
    commits = {key: model.revision or "" for key, model in recipe.models.items()}
    options = {name: _filled(value, commits) for name, value in recipe.options.items()}
    kind = load(benchmark(recipe.benchmark).build)
    try:
        build: SplitBuild = kind(**options, seed=recipe.seed, version=recipe.version)
    except TypeError as error:
        raise VhbenchError(f"the recipe lacks an option: {error}") from error
    build.check()
    if recipe.sources is not None and dict(build.sources) != dict(recipe.sources):
        odd = sorted(name for name, _ in set(build.sources.items()) ^ set(recipe.sources.items()))
        raise VhbenchError(f"the recipe has other inputs than there are: {', '.join(odd)}")
    return build


def _filled(value: Any, commits: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return tuple(_filled(one, commits) for one in value)
    if not isinstance(value, str):
        return value
    for key, commit in commits.items():
        value = value.replace(f"@{{{key}}}", f"@{commit}" if commit else "").replace(f"{{{key}}}", commit)
    return value


def recorded(recipe: Recipe, name: str) -> dict[str, Any]:
    """Return the manifest entries of a split that is built by a recipe."""
    return {RECORDED: {"name": name, "digest": recipe.digest}}


def pin(file: Path) -> Recipe:
    """Fill the commits of models from the Hub and the SHA-256 of inputs; write and return the recipe.

    Raises:
        VhbenchError: if an input is missing, or the Hub cannot be reached.
    """
    from vhbench.adapters import hub

    recipe = read_recipe(file)
    models = {
        key: model if model.revision else replace(model, revision=hub.model_commit(model.name))
        for key, model in recipe.models.items()
    }
    recipe = replace(recipe, models=models)
    recipe = replace(recipe, sources=dict(build_of(replace(recipe, sources=None)).sources))
    write_recipe(file, recipe)
    return recipe


def write_recipe(file: Path, recipe: Recipe) -> None:
    """Write a recipe, without its comments in YAML."""
    write_atomic(file, yaml.safe_dump(asdict(recipe), sort_keys=False, allow_unicode=True, width=120).encode())


def differences(recipe: Recipe, manifest: Manifest) -> list[str]:
    """Return why a split is not the version that a recipe describes; empty if it is."""
    told = manifest.extra.get(RECORDED)
    found = told.get("digest") if isinstance(told, dict) else None
    expected: dict[str, tuple[Any, Any]] = {
        "benchmark": (recipe.benchmark, manifest.benchmark),
        "version": (recipe.version, manifest.version),
        "recipe": (recipe.digest, found),
        "inputs": (recipe.sources if recipe.sources is None else dict(recipe.sources), dict(manifest.sources)),
        "content hash": (recipe.content_hash, manifest.content_hash),
    }
    return [
        f"expected the {name} {quote_value(wanted)} of the recipe, got {quote_value(there)}"
        for name, (wanted, there) in expected.items()
        if wanted != there and wanted not in (None, "")
    ]
