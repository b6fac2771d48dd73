"""``vhbench build vhexpansion``."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vhbench.cli import running

if TYPE_CHECKING:
    from vhbench.builds.vhexpansion import VHExpansionBuild

_CASES = "Initial cases"
_IMAGE = "What happens to the image"
_ATTACK = "White-box attacks"


@dataclass(frozen=True, slots=True, kw_only=True)
class VHExpansionOptions:
    """What ``vhbench build vhexpansion`` takes beside :class:`running.RunOptions`."""

    source: Annotated[
        str,
        typer.Option(
            "--source",
            "-s",
            metavar="FORM:PATH",
            help="`pope:coco_pope_random.json` (or the folder of all three), `mmvp:FOLDER`, `vhtest:YNQ_Benchmark`, "
            "`ode:OUT/ode` (a split built here), or `table:FILE`: CSV, JSON lines or Parquet with image, question, "
            "answer, and options where there are several. FORM may be left out where it can be told.",
            rich_help_panel=_CASES,
        ),
    ]
    images: Annotated[
        str, typer.Option(metavar="DIR", help="Folder of the images that the source names.", rich_help_panel=_CASES)
    ] = ""
    name: Annotated[
        str,
        typer.Option(
            help="Of the source in rows and configs. Tasks are there for pope, mmvp, vhtest, ode and table; for any "
            "other name `vhbench tasks OUT/vhexpansion` writes them.",
            rich_help_panel=_CASES,
        ),
    ] = ""
    limit: Annotated[
        int,
        typer.Option(min=0, help="Only the first N cases; of a split, from all its configs.", rich_help_panel=_CASES),
    ] = 0
    rewriter: Annotated[
        str,
        typer.Option(
            help="Who negates: `rule`, `openai:MODEL@URL` (any compatible endpoint; key in VHBENCH_API_KEY) or "
            "`transformers:NAME`. A model's negation is checked, and the rule's taken where it is wrong.",
            rich_help_panel=_CASES,
        ),
    ] = "rule"
    perturb: Annotated[
        str,
        typer.Option(
            help="Comma-separated: gaussian_noise, brightness, defocus_blur, jpeg_compression; or `none`.",
            rich_help_panel=_IMAGE,
        ),
    ] = "gaussian_noise,brightness,defocus_blur,jpeg_compression"
    severity: Annotated[
        int, typer.Option(min=0, max=5, help="1–5 as in ImageNet-C; 0: the paper's.", rich_help_panel=_IMAGE)
    ] = 0
    keep_unsure: Annotated[
        bool,
        typer.Option(
            "--keep-unsure",
            help="Keep questions about colour and light on brightened images (brown turns orange there), about blur on "
            "blurred ones and the like, as the paper does, although their answers may have changed.",
            rich_help_panel=_IMAGE,
        ),
    ] = False
    attack: Annotated[str, typer.Option(help="`ifgsm`, `pgd` or both, comma-separated.", rich_help_panel=_ATTACK)] = ""
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The attacked model, e.g. `llava-hf/llava-1.5-7b-hf`, or a folder.",
            rich_help_panel=_ATTACK,
        ),
    ] = ""
    failed: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Its lmms-eval samples (--log_samples) on these cases, which say what it already fails; "
            "`ask`: the model is asked.",
            rich_help_panel=_ATTACK,
        ),
    ] = "ask"
    steps: Annotated[
        int, typer.Option(min=0, help="0: the paper's, 500 apart and 100 similar.", rich_help_panel=_ATTACK)
    ] = 0
    epsilon: Annotated[
        int, typer.Option(min=1, max=255, help="Largest change of a pixel, in grey levels.", rich_help_panel=_ATTACK)
    ] = 8
    schedule: Annotated[str, typer.Option(help="Step size: `constant` or `cosine`.", rich_help_panel=_ATTACK)] = (
        "constant"
    )
    stop_at: Annotated[
        float | None,
        typer.Option(help="An image is finished at this similarity; all steps otherwise.", rich_help_panel=_ATTACK),
    ] = None
    batch: Annotated[int, typer.Option(min=1, help="Images attacked together.", rich_help_panel=_ATTACK)] = 8
    compat: Annotated[
        bool,
        typer.Option(
            "--compat", help="Attack as the released code does; add --schedule cosine.", rich_help_panel=_ATTACK
        ),
    ] = False
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw a contact sheet: originals beside their perturbed forms."),
    ] = None


def vhexpansion(what: VHExpansionOptions, how: running.RunOptions) -> None:
    """Build VHExpansion: does a right answer survive negation and a slightly changed image?

    Each initial case becomes four: original, negated, perturbed, perturbed and negated.

    Example: `vhbench build vhexpansion --out out --source pope:coco_pope_random.json --images val2014`

    With attacks: `vhbench build vhexpansion --out out --source ode:out/ode --attack ifgsm,pgd --model
    llava-hf/llava-1.5-7b-hf`
    """
    running.run(lambda seed: _build(what, seed, how.version), how, benchmark="vhexpansion")
    if what.sheet is not None:
        from vhbench.builds.vhexpansion_sheet import draw_sheet

        draw_sheet(how.out / "vhexpansion", what.sheet)
        typer.echo(f"contact sheet {what.sheet}")


def _build(what: VHExpansionOptions, seed: int, version: str) -> "VHExpansionBuild":
    """Return the build that the options ask for.

    Raises:
        VhbenchError: if one of them cannot be.
    """
    from vhbench.builds.vhexpansion import VHExpansionBuild

    perturbations = [] if what.perturb == "none" else _names(what.perturb)
    build = VHExpansionBuild(
        source=what.source,
        images=what.images,
        name=what.name,
        perturb=(*perturbations, *_names(what.attack)),
        severity=what.severity,
        rewriter=what.rewriter,
        model=what.model,
        failed=what.failed,
        options=_attack(what),
        limit=what.limit,
        keep_unsure=what.keep_unsure,
        seed=seed,
        version=version,
    )
    build.check()
    return build


def _attack(what: VHExpansionOptions) -> dict[str, object]:
    """Return fields of ``AttackConfig``; the numbers of steps only where they are not the paper's."""
    options: dict[str, object] = {
        "epsilon": what.epsilon / 255,
        "schedule": what.schedule,
        "batch_size": what.batch,
        "stop_at": what.stop_at,
        "compat": what.compat,
    }
    if what.steps:
        options.update(steps_apart=what.steps, steps_similar=what.steps)
    return options


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
