"""``vhbench preview SPLIT``: a contact sheet of a split's questions."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from vhbench.schema import Row, VhbenchError

_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def preview(
    split: Annotated[Path, typer.Argument(help="A split directory, such as out/mioh.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the sheet.")] = Path("sheet.png"),
    config: Annotated[str, typer.Option(help="Show one config of the split only.")] = "",
    count: Annotated[int, typer.Option(min=1, max=400, help="How many questions, spread evenly over the rows.")] = 24,
    columns: Annotated[int, typer.Option(min=1, max=12, help="Questions side by side.")] = 4,
    seed: Annotated[int, typer.Option(help="Take other questions.")] = 0,
    boxes: Annotated[bool, typer.Option("--boxes", help="Draw the objects' boxes and names.")] = False,
    masks: Annotated[bool, typer.Option("--masks", help="Tint the objects' visible parts.")] = False,
) -> None:
    """Draw a contact sheet: questions with their images, choices and answers.

    Look at it before you trust a split: answer the questions yourself. With --boxes and --masks the truth that the
    answers were computed from is drawn in.

    Example: `vhbench preview out/ode -o sheet.png --config ode_fictional_caption --boxes`
    """
    from vhbench import splits
    from vhbench.cli.contact_sheet import contact_sheet

    if output.suffix.lower() not in _SUFFIXES:
        raise VhbenchError(f"{output}: the sheet's name must end in {', '.join(_SUFFIXES)}")
    rows = choose(split, config or None, count, seed)
    scenes = splits.read_scenes(split) if boxes or masks else {}
    if (boxes or masks) and not scenes:
        raise VhbenchError(f"{split}: holds no scenes (the truth behind its images), so there is nothing to draw in")
    output.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(rows, scenes, columns=columns, boxes=boxes, masks=masks).save(output)
    typer.echo(f"{output}: {len(rows)} questions")


def choose(split: Path, config: str | None, count: int, seed: int) -> list[Row]:
    """Return some rows of a split, spread evenly over all of them, in their order.

    Raises:
        VhbenchError: if the split has no such config, or no rows.
    """
    from vhbench import splits
    from vhbench.seeding import rng

    rows = splits.read_manifest(split).rows
    total = sum(rows.values()) if config is None else rows.get(config, 0)
    if config is None or config in rows:
        if not total:
            raise VhbenchError(f"{split}: has no questions")
        edges = [total * i // min(count, total) for i in range(min(count, total) + 1)]
        random = rng(seed, "preview")
        wanted = {int(random.integers(low, high)) for low, high in pairwise(edges)}
    else:
        wanted = set()  # reading it names the configs that there are
    return [row for number, row in enumerate(splits.read_rows(split, config)) if number in wanted]
