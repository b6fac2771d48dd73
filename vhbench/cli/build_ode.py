"""``vhbench build ode``."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vhbench.cli import running

if TYPE_CHECKING:
    from vhbench.builds.ode import OdeBuild

_IMAGES = "Images and filter"
_DRAW = "What meets in a picture"


@dataclass(frozen=True, slots=True, kw_only=True)
class OdeOptions:
    """What ``vhbench build ode`` takes beside :class:`running.RunOptions`."""

    graph: Annotated[
        list[str] | None,
        typer.Option(
            help="Concept graph: `starter` (the default), `amber:DIR` (AMBER's data), `coco:FILE` (instances JSON), or "
            "a .json or .graphml file of your own. Given several times, the graphs are merged: words join, counts of "
            "co-occurrence add up.",
            rich_help_panel=_DRAW,
        ),
    ] = None
    node_types: Annotated[
        str, typer.Option(metavar="FILE", help="For amber:DIR: JSON of word → kind.", rich_help_panel=_DRAW)
    ] = ""
    add: Annotated[
        str,
        typer.Option(
            metavar="GRAPH",
            help="Grow a released benchmark: a graph file whose new words become the graph's next version, with pairs "
            "of their own. All older pairs and questions stay as they were, which merging does not promise.",
            rich_help_panel=_DRAW,
        ),
    ] = ""
    pairs: Annotated[
        int, typer.Option(min=1, help="Pairs per criterion and pairing (8 of them).", rich_help_panel=_DRAW)
    ] = 40
    variants: Annotated[int, typer.Option(min=1, help="Images per pair.", rich_help_panel=_DRAW)] = 1
    concepts: Annotated[
        int, typer.Option(min=2, max=5, help="Concepts that meet in an image.", rich_help_panel=_DRAW)
    ] = 2
    criteria: Annotated[str, typer.Option(help="Which criteria.", rich_help_panel=_DRAW)] = (
        "standard,long_tail,random,fictional"
    )
    levels: Annotated[
        str, typer.Option(help="Levels of questions; `relation` can be added.", rich_help_panel=_DRAW)
    ] = "caption,existence,attribute"
    epsilon: Annotated[
        float, typer.Option(help="Long tail: pairs seen together more than ε times.", rich_help_panel=_DRAW)
    ] = 0
    delta: Annotated[
        float,
        typer.Option(help="Long tail: and less than δ times; 0 for just above the median.", rich_help_panel=_DRAW),
    ] = 0
    images: Annotated[
        str,
        typer.Option(
            help="`scenes` (drawn here, with exact truth) or `diffusers:NAME`, e.g. "
            "`diffusers:black-forest-labs/FLUX.1-dev`.",
            rich_help_panel=_IMAGES,
        ),
    ] = "scenes"
    detector: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Zero-shot detector that looks at diffusers' images, e.g. `IDEA-Research/grounding-dino-base`.",
            rich_help_panel=_IMAGES,
        ),
    ] = ""
    size: Annotated[int, typer.Option(min=64, max=4096, help="Image side in pixels.", rich_help_panel=_IMAGES)] = 512
    retries: Annotated[int, typer.Option(min=0, help="New seeds for a rejected image.", rich_help_panel=_IMAGES)] = 2
    reserve: Annotated[
        int, typer.Option(min=1, help="Pairs tried at most for each that is asked for.", rich_help_panel=_IMAGES)
    ] = 10
    keep: Annotated[
        float, typer.Option(help="Detector's confidence from which a thing is there.", rich_help_panel=_IMAGES)
    ] = 0.65
    absent: Annotated[float, typer.Option(help="Confidence below which it is not there.", rich_help_panel=_IMAGES)] = (
        0.2
    )
    trust_prompt: Annotated[
        bool,
        typer.Option(
            help="Ask about the prompt's colours and actions as the paper does, unchecked.", rich_help_panel=_IMAGES
        ),
    ] = False
    steps: Annotated[int, typer.Option(min=1, help="Denoising steps.", rich_help_panel=_IMAGES)] = 30
    guidance: Annotated[
        float, typer.Option(help="Guidance scale; negative for the pipeline's own.", rich_help_panel=_IMAGES)
    ] = -1
    dtype: Annotated[str, typer.Option(help="auto, float32, float16 or bfloat16.", rich_help_panel=_IMAGES)] = "auto"
    offload: Annotated[
        str, typer.Option(help="none, model or sequential: less GPU memory, more time.", rich_help_panel=_IMAGES)
    ] = "none"
    batch: Annotated[int, typer.Option(min=1, help="Images made at once.", rich_help_panel=_IMAGES)] = 4


def ode(what: OdeOptions, how: running.RunOptions) -> None:
    """Build ODE: does a model see what is there, also where nobody would expect it?

    Concepts are drawn from a graph by four criteria (standard, long_tail, random, fictional), shown in new images,
    and asked about: caption, existence, attribute.

    Example: `vhbench build ode --out out --graph amber:AMBER --pairs 40 --workers 4`

    With a text-to-image model: `vhbench build ode --out out --images diffusers:black-forest-labs/FLUX.1-dev
    --detector IDEA-Research/grounding-dino-base --offload model`
    """
    running.run(lambda seed: _build(what, seed, how.version), how, benchmark="ode")
    asked: Counter[str] = Counter()
    for share in _build(what, how.seed, how.version).plan:
        asked[share.criterion] += share.pairs * what.variants
    _table(how.out / "ode", asked)


def _build(what: OdeOptions, seed: int, version: str) -> "OdeBuild":
    """Return the build that the options ask for.

    Raises:
        VhbenchError: if one of them cannot be.
    """
    from vhbench.builds.ode import OdeBuild
    from vhbench.generators.ode.filtering import DetectionThresholds

    build = OdeBuild(
        graph=tuple(what.graph or ("starter",)),
        node_types=what.node_types,
        add=what.add,
        pairs=what.pairs,
        variants=what.variants,
        concepts=what.concepts,
        images=what.images,
        detector=what.detector,
        seed=seed,
        levels=tuple(what.levels.split(",")),
        criteria=tuple(what.criteria.split(",")),
        epsilon=what.epsilon,
        delta=what.delta or None,
        thresholds=DetectionThresholds(keep=what.keep, absent=what.absent),
        retries=what.retries,
        reserve=what.reserve,
        trust_prompt=what.trust_prompt,
        size=what.size,
        options={} if what.images == "scenes" else _pipeline(what),
        version=version,
    )
    build.check()
    return build


def _pipeline(what: OdeOptions) -> dict[str, object]:
    """Return how a text-to-image pipeline is run."""
    return {
        "steps": what.steps,
        "dtype": what.dtype,
        "offload": what.offload,
        "batch": what.batch,
        "guidance": None if what.guidance < 0 else what.guidance,
    }


def _table(split: Path, asked: Mapping[str, int]) -> None:
    """Print what was asked for, what was kept, and what was rejected for which reason; nothing for an unmerged job."""
    from rich.console import Console
    from rich.table import Table

    from vhbench import splits
    from vhbench.generators.ode.criteria import CRITERIA

    if not (split / "manifest.json").is_file():
        return
    rejections = list(splits.read_rejections(split))
    rows = splits.read_manifest(split).rows
    found = Table("criterion", "images asked", "images kept", "rejected, by reason", title="ODE")
    for criterion in CRITERIA:
        levels = [count for name, count in rows.items() if name == f"ode_{criterion}_caption"]
        reasons = Counter(r.reason for r in rejections if r.item.startswith(f"{criterion}-"))
        told = ", ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
        if levels or reasons:
            kept = str(sum(levels)) if levels else "?"
            found.add_row(criterion, str(asked[criterion]), kept, told or "none")
    Console().print(found)
