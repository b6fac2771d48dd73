"""Card of a training set: contents, provenance and splits that must not be mixed with it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Template

from vhbench.schema import CANARY
from vhbench.training.examples import TrainingExample

_GROUPED = ("kind", "criterion", "question_type", "pressure", "perturbation", "task", "source")


def counts(lessons: Sequence[TrainingExample]) -> dict[str, Any]:
    """Return row counts by format, reference answer and question columns."""
    numbers: dict[str, Any] = {
        "rows": len(lessons),
        "images": len({image for lesson in lessons for image in lesson.images}),
        "form": dict(sorted(Counter(lesson.form for lesson in lessons).items())),
        "right": dict(sorted(Counter(lesson.right for lesson in lessons if lesson.right).items())),
    }
    if rejected := Counter(lesson.rejected_by for lesson in lessons if lesson.rejected_by):
        numbers["rejected_by"] = dict(sorted(rejected.items()))
    for name in _GROUPED:
        values = Counter(lesson.facets[name] for lesson in lessons if lesson.facets.get(name))
        if values:
            numbers[name] = dict(sorted(values.items()))
    return numbers


def card(facts: Mapping[str, Any], layout: str, *, preferences: bool = False) -> str:
    """Return the card as Markdown, with the header by which ``datasets`` finds the rows."""
    numbers = facts["counts"]
    head = ["---", "license: other", "tags: [vhbench, hallucination, vision-language]"]
    if layout == "parquet":
        head += ["configs:", "- config_name: default", "  data_files:", "  - split: train", "    path: data/*.parquet"]
    load = {
        "parquet": '`load_dataset("parquet", data_files="data/*.parquet", split="train")` reads them.',
        "folder": '`load_dataset("imagefolder", data_dir=".", split="train")` reads them.',
        "llava": "LLaVA's trainer reads `llava.json` and `images`; several images a row only LLaVA-NeXT's.",
        "sharegpt": "LLaMA-Factory reads them as `dataset: vhbench` with this folder as `dataset_dir`.",
    }[layout]
    template = Template(Path(__file__).with_name("card.jinja").read_text(encoding="utf-8"), keep_trailing_newline=True)
    return str(template.render(
        facts, head=head, load=load, preferences=preferences, apart=_apart(facts), canary=CANARY.partition(":")[0],
        origins=[_source(source) for source in facts["sources"]],
        groups={name: group for name, group in numbers.items() if isinstance(group, dict)},
    ))  # fmt: skip


def _source(source: Mapping[str, Any]) -> str:
    line = f"{source['name']}: {source['benchmark']} {source['version']}, content hash `{source['content_hash']}`"
    return line + (f", seed {source['seed']}" if source.get("seed", -1) >= 0 else "")


def _apart(facts: Mapping[str, Any]) -> list[str]:
    if not facts["tests"]:
        return ["- Exported without a test split (`--unchecked`): overlap with test data is unknown."]
    what = "image, scene or concept" if facts["concepts_apart"] else "image or scene; concepts may be shared"
    return [f"- {_source(test)}: no shared {what} (compared by hash at export)." for test in facts["tests"]] + [
        "- Concepts are objects and places, without ubiquitous background (sky, grass, a wall)."
    ]
