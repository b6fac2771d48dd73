"""``vhbench build mioh``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vhbench.cli import running

_SOURCES, _ASKED = "Where images come from", "What is asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class MiohOptions:
    """What ``vhbench build mioh`` takes beside :class:`running.RunOptions`."""

    source: Annotated[
        list[str] | None,
        typer.Option(
            help="`scenes[:N]` (N drawn pictures), `coco:INSTANCES.json` (COCO, COCO-ReM, or any file of that form), "
            "`paco:FILE` (attributes), `svg:FILE` (relations; a `coco:` file of the same images says what is absent). "
            "May be given several times: each task takes the source that knows most about it.",
            rich_help_panel=_SOURCES,
        ),
    ] = None
    images: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder that the files' images lie in.", rich_help_panel=_SOURCES),
    ] = None
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave bad entries out and count them.", rich_help_panel=_SOURCES)
    ] = False
    size: Annotated[
        int, typer.Option(min=64, max=4096, help="Side of drawn pictures in pixels.", rich_help_panel=_SOURCES)
    ] = 512
    cells: Annotated[
        str,
        typer.Option(
            help="`paper` (3,484 questions), a number for each of the 26 × 5 cells (with HP+HN), or a JSON file of "
            "task → pressure → number.",
            rich_help_panel=_ASKED,
        ),
    ] = "paper"
    types: Annotated[
        str, typer.Option(help="Question types, e.g. `E5,C4`; all 26 by default.", rich_help_panel=_ASKED)
    ] = ""
    clip: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="CLIP model for pressure by similarity, e.g. `openai/clip-vit-large-patch14`; without it HP and HN "
            "go by size, occlusion, frame and co-occurrence alone.",
            rich_help_panel=_ASKED,
        ),
    ] = ""
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A threshold of the pressures, e.g. `small=0.02`; see vhbench.generators.mioh.pressures.",
            rich_help_panel=_ASKED,
        ),
    ] = None


def mioh(what: MiohOptions, how: running.RunOptions) -> None:
    """Build MIOH: can a model keep objects apart over several images?

    26 question types (existence, attribute, counting, position; comprehensive, selective, comparative), each easy and
    under three pressures: number of images (NI), hard positives (HP), hard negatives (HN).

    Example: `vhbench build mioh --source coco:instances_train2017.json --images train2017 --out out`
    """
    from vhbench.builds.mioh import MiohBuild, read_cells, read_thresholds
    from vhbench.generators.mioh.question_types import QUESTION_TYPES

    read = tuple(what.source or ["scenes"])
    cells, thresholds = read_cells(what.cells), read_thresholds(what.threshold or [], read[0])

    def make(seed: int) -> MiohBuild:
        return MiohBuild(
            read=read,
            images=str(what.images or ""),
            cells=cells,
            types=tuple(what.types.split(",")) if what.types else tuple(QUESTION_TYPES),
            thresholds=thresholds,
            clip=what.clip,
            skip_bad=what.skip_bad,
            size=what.size,
            scratch=str(how.out),
            seed=seed,
            version=how.version,
        )

    running.run(make, how, benchmark="mioh")
