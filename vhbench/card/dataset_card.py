"""Dataset card, changelog, eval.yaml, croissant.json and contact sheet of a split."""

import html
import io
import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from PIL import Image

from vhbench import splits
from vhbench.adapters.hub_names import ReleaseName
from vhbench.audit import restricted_oracles
from vhbench.benchmarks import BENCHMARKS, ODE, Benchmark, tasks
from vhbench.builds.vhexpansion_attack import attack_table
from vhbench.card import counts
from vhbench.card.croissant import croissant
from vhbench.card.sources import references, source
from vhbench.columns import COLUMNS, FLAGS, LISTS
from vhbench.contact_sheet import contact_sheet
from vhbench.files import convert, parse_yaml, write_atomic
from vhbench.schema import Manifest, VhbenchError
from vhbench.splits import manifests
from vhbench.tasks import text_only_baseline

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_READABLE = 600  # characters; a longer option, such as a list of ids, would bury the others
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# end of a link's text if its target, "(…" or ": …", is not a web address
_LINK = re.compile(r"((?<!\\)(?:\\\\)*)\](?=[(:](?!\s*(?:https?://|#)))")
# metadata of a card on the Hub
FRONT_MATTER = re.compile(r"\A\ufeff?\s*---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)

BEGIN = (
    "<!-- vhbench: generated from here on; each release replaces this part and keeps the text outside of the marks -->"
)
END = "<!-- vhbench: end -->"

_FACTS = ("configs", "dataset_info", "size_categories")  # metadata derived from the files, which replace other values
_LICENCES = ("apache-2.0", "other")  # licences of generated cards; another licence in such a card was set by hand
_OPEN = "Apache-2.0"  # licence of sources that leaves the card with the first of ``_LICENCES``
_ALL = "all"  # config of all rows, which ``load_dataset`` takes by default
_MARKDOWN = re.compile(r"([\\`*_\[\]|~#!$])")


def write_card(
    directory: Path,
    *,
    repo_id: str = "",
    changelog: str = "",
    picture: bytes = b"",
    published: str = "",
    into: Path | None = None,
    former: str = "",
) -> None:
    """Write the card and related files; a previous card is replaced, in ``into`` or the split's directory.

    ``repo_id`` is ORG/NAME on the Hub, ``published`` the date of the release (YYYY-MM-DD), ``picture`` a contact sheet
    as PNG, empty to keep the existing one. ``changelog`` is Markdown, in which HTML becomes plain text; "" keeps the
    split's CHANGELOG.md, or starts one. Of a ``former`` card, the manual text outside vhbench's marks is kept, and the
    front matter except for :func:`replaced_metadata`. Raises VhbenchError if the split cannot be read.
    """
    directory = Path(directory)
    into = into or directory
    manifest = splits.read_manifest(directory)
    tally = counts.count(directory)
    release = str(ReleaseName.of(manifest, repo_id)) if repo_id else ""
    repo_id = repo_id or f"ORG/vhbench-{manifest.benchmark}"
    changelog = changelog or _kept_changelog(directory) or changelog_entry(manifest, "First release.")
    changelog = _LINK.sub(r"\1\\]", _TAG.sub("&lt;", changelog))  # without HTML and links to elsewhere than the web
    if picture:
        write_atomic(into / "contact_sheet.png", picture)
    names = [name for name in tally.sources if name]
    cited = [references().get(_about(manifest).cite, ""), *(source(name).bibtex for name in names)]
    bibtex = "\n\n".join(dict.fromkeys(filter(None, cited)))
    has_views = manifest.benchmark == "mioh" and not manifests.is_hidden(manifest)
    noted = manifest.extra.get("restricted_oracles", {})
    views = restricted_oracles.cell_table(directory, noted) if has_views else []
    texts = {
        "CHANGELOG.md": changelog,
        "README.md": _readme(
            former,
            _front_matter(directory, manifest, tally),
            manifest,
            tally,
            repo_id=repo_id,
            release=release,
            sheet=(into / "contact_sheet.png").is_file(),
            changelog=changelog.strip(),
            bibtex=bibtex,
            words=text_only_baseline.table(directory),
            views=views,
        ),
        "eval.yaml": _dump(_evaluation(manifest)),
        "croissant.json": _croissant(manifest, tally, repo_id, bibtex, published),
    }
    for name, text in texts.items():
        write_atomic(into / name, text.encode())


def sheet(directory: Path) -> bytes:
    """Return a contact sheet of twelve questions as PNG, deterministic per split."""
    buffer = io.BytesIO()
    image = contact_sheet([*splits.choose(directory, None, 12, seed=0)])
    image.convert("P", palette=Image.Palette.ADAPTIVE).save(buffer, "PNG")
    return buffer.getvalue()


def draw_sheet(directory: Path, file: Path) -> None:
    """Write a contact sheet of a split into a PNG file."""
    write_atomic(file, sheet(directory))


def changelog_entry(manifest: Manifest, text: str, former: str = "") -> str:
    """Return a changelog with this version's entry on top, replacing an existing one."""
    heading = f"### {manifest.version}"
    parts = re.split(r"(?m)^(?=### )", former)
    entries = [part.strip() for part in parts if part.strip() and part.splitlines()[0].strip() != heading]
    return "\n\n".join([f"{heading}\n\n{text.strip()}", *entries]) + "\n"


def _about(manifest: Manifest) -> Benchmark:
    unknown = replace(ODE, title=manifest.benchmark, asks="", built="", limits=(), cite="")
    return BENCHMARKS.get(manifest.benchmark, unknown)


def _tasks(manifest: Manifest) -> str:
    """Return the tasks of the usage example; those of a custom source must be written first."""
    name = min(manifest.rows, key=len, default="")
    if not name.startswith("vhexpansion_") or name in tasks("vhexpansion"):
        return manifest.benchmark
    return f'{name}_all --include_path "$(vhbench tasks OUT/vhexpansion)"'


def _readme(former: str, front: dict[str, Any], manifest: Manifest, tally: counts.SplitCounts, **values: Any) -> str:
    # The card is Markdown: data are escaped by "cell", so HTML escaping would only double it.
    environment = Environment(loader=PackageLoader("vhbench.card", "."), undefined=StrictUndefined, autoescape=False)  # noqa: S701
    environment.filters["cell"] = cell
    review = manifest.extra.get("review")
    options = {name: _readable(value) for name, value in sorted(manifest.config.items())}
    body = environment.get_template("card.md.jinja").render(
        manifest=manifest,
        about=_about(manifest),
        counts=tally,
        total=f"{sum(manifest.rows.values()):,}",
        tasks=_tasks(manifest),
        first_config=next(iter(sorted(manifest.rows))),
        config=json.dumps(options, indent=2, ensure_ascii=False).replace("```", "'''"),
        secret=manifest.extra.get("commitment", ""),
        hidden=manifests.is_hidden(manifest),
        attacks=_attacks(manifest),
        review=None if review is None else convert(review, _Review, "manifest.json: extra.review"),
        sources=[(name, source(name), number) for name, number in sorted(tally.sources.items()) if name],
        **values,
    )
    metadata, before, after = _own_words(former)
    section = f"{BEGIN}\n\n{body.strip()}\n\n{END}"
    text = "\n\n".join(part for part in (before, section, after) if part)
    return f"---\n{_dump(_metadata(metadata, front, is_ours=BEGIN in former))}---\n\n{text}\n"


def _metadata(previous: dict[str, Any], front: dict[str, Any], *, is_ours: bool) -> dict[str, Any]:
    """Return front matter: previous values stay, lists grow, file facts are replaced."""
    merged = previous | front
    for name in (name for name in front if previous.get(name) and name not in _FACTS):
        former, new = previous[name], front[name]
        if isinstance(new, list):
            values = former if isinstance(former, list) else [former]
            merged[name] = [*values, *(value for value in new if value not in values)]
        elif not (is_ours and name == "license" and former in _LICENCES):
            merged[name] = former
    return merged


def replaced_metadata(former: str) -> list[str]:
    r"""Return which metadata of a third-party card a generated one would replace.

    >>> replaced_metadata("---\nlicense: mit\nconfigs: []\n---\n# Mine")
    ['configs']
    """
    if BEGIN in former:
        return []
    front, match = _own_words(former)[0], FRONT_MATTER.match(former)
    if match and match[1] and match[1].strip() and not front:
        return ["all, since it is no YAML mapping"]
    return [name for name in _FACTS if name in front]


def _own_words(former: str) -> tuple[dict[str, Any], str, str]:
    """Return a card's manual parts: front matter, and text around the generated section."""
    match = FRONT_MATTER.match(former)
    front: Any = {}
    with suppress(VhbenchError):
        front = parse_yaml(match[1] or "", "") if match else {}
    body = former[match.end() :] if match else former
    before, begin, rest = body.partition(BEGIN)
    if begin and END not in rest:
        raise VhbenchError(f"README.md: has {BEGIN!r}, and lacks {END!r}, after which manual text is kept; restore it")
    after = rest.partition(END)[2] if begin else before
    return front if isinstance(front, dict) else {}, before.strip() if begin else "", after.strip()


def _attacks(manifest: Manifest) -> list[list[str]]:
    """Return the table of attack results, header first; the manifest is not trusted."""
    attacks = manifest.extra.get("attacks")
    if not isinstance(attacks, dict) or not attacks:
        return []
    try:
        return attack_table(attacks)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise VhbenchError("manifest.json: extra.attacks: expected method → counts, as a build writes them") from error


class _Review(msgspec.Struct):
    """Human review of a previously built split; the manifest is not trusted."""

    of: str
    annotators: int
    kept: int
    rejected: int
    hanging_on_these: int
    agreement: float | None = None
    kappa: float | None = None


def _kept_changelog(directory: Path) -> str:
    """Return the split's CHANGELOG.md, or ""; a link to an outside file is rejected."""
    file = manifests.inside(directory, "CHANGELOG.md")
    try:
        return file.read_text(encoding="utf-8") if file.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise VhbenchError(f"{file}: cannot be read as UTF-8: {error}") from error


def _readable(value: object) -> object:
    if len(json.dumps(value)) <= _READABLE:
        return value
    return f"… {len(value)} entries, see manifest.json" if isinstance(value, (list, dict)) else "… see manifest.json"


def _split(directory: Path, manifest: Manifest, configs: list[str]) -> dict[str, Any]:
    """Describe the rows of some configs with all facts that ``datasets`` needs without a warning."""
    files = manifests.config_files(manifest)
    size = sum((directory / name).stat().st_size for config in configs for name in files[config])
    return {"name": "test", "num_bytes": size, "num_examples": sum(manifest.rows[config] for config in configs)}


def _front_matter(directory: Path, manifest: Manifest, tally: counts.SplitCounts) -> dict[str, Any]:
    total = sum(manifest.rows.values())
    configs = {_ALL: sorted(manifest.rows), **{config: [config] for config in sorted(manifest.rows)}}
    return {
        "pretty_name": _about(manifest).title,
        "license": _LICENCES[any(source(name).licence != _OPEN for name in tally.sources if name)],
        "language": ["en"],
        "task_categories": ["visual-question-answering"],
        "tags": ["benchmark", "hallucination", "vision-language", "lmms-eval", manifest.benchmark],
        "size_categories": [next((name for most, name in _SIZES if total < most), "n>1M")],
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": "test", "path": [f"{config}/test-*.parquet" for config in of]}],
            }
            | ({"default": True} if name == _ALL else {})
            for name, of in configs.items()
        ],
        "dataset_info": [
            # New objects for each config: of the same one, YAML would write references.
            {"config_name": name, "features": [*map(_feature, COLUMNS)], "splits": [_split(directory, manifest, of)]}
            for name, of in configs.items()
        ],
    }


def _feature(name: str) -> dict[str, Any]:
    if name == "images":
        return {"name": name, "sequence": "image"}
    if name in LISTS:
        return {"name": name, "sequence": "string"}
    return {"name": name, "dtype": "bool" if name in FLAGS else "string"}


def _evaluation(manifest: Manifest) -> dict[str, Any]:
    """Return the entry that registers the dataset as a benchmark on the Hub."""
    return {
        "name": f"vhbench {manifest.benchmark}",
        "description": _about(manifest).asks,
        "evaluation_framework": "lmms-eval",
        "tasks": [{"id": config, "config": config, "split": "test"} for config in sorted(manifest.rows)],
    }


def _croissant(manifest: Manifest, tally: counts.SplitCounts, repo_id: str, bibtex: str, published: str) -> str:
    licences = "; ".join(dict.fromkeys(source(name).licence for name in sorted(tally.sources) if name))
    licence = "https://spdx.org/licenses/Apache-2.0.html" if licences in ("", _OPEN) else licences
    text = f"{_about(manifest).asks} {_about(manifest).built}"
    data = croissant(manifest, repo_id=repo_id, description=text, licence=licence, cite_as=bibtex, published=published)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _dump(data: dict[str, Any]) -> str:
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def cell(text: object) -> str:
    """Return a text that is safe in a Markdown table: no markup, no HTML, no line breaks."""
    return html.escape(_MARKDOWN.sub(r"\\\1", " ".join(str(text).split())), quote=False)
