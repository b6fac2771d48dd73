"""``vhbench calibrate``: from which scores on are a detector and a verifier to be believed?"""

from pathlib import Path
from typing import Annotated

import typer

from vhbench.schema import VhbenchError


def calibrate(
    annotations: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="Annotated photos: instances in COCO's form, or `paco:FILE` with attributes."
        ),
    ],
    images: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the photos.")],
    detector: Annotated[str, typer.Option(metavar="NAME", help="As in `vhbench build ode --detector`.")] = "",
    verifier: Annotated[str, typer.Option(metavar="NAME", help="As in `vhbench build ode --verifier`.")] = "",
    precision: Annotated[
        float,
        typer.Option(min=0.5, max=1, help="Share of what is believed to be there that shall be, and of absences."),
    ] = 0.95,
    number: Annotated[int, typer.Option(min=1, help="Photos that are looked at, at random.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Which photos.")] = 0,
    device: Annotated[str, typer.Option(help="Where models run: auto, cpu, cuda, cuda:1.")] = "auto",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the thresholds.")
    ] = Path("thresholds.json"),
) -> None:
    """Fit the thresholds of a detector, word by word, and of a verifier, by kinds of attributes, to annotated photos.

    `vhbench build ode --calibration thresholds.json` takes them. Words that too few photos show take those of all words
    together; what never reaches the precision is never believed.

    Example: `vhbench calibrate --detector IDEA-Research/grounding-dino-base --annotations instances_val2017.json
    --images val2017 --precision 0.95`
    """
    from vhbench.builds import ode_calibration
    from vhbench.files import json_bytes, write_atomic

    if not detector and not verifier:
        raise VhbenchError("vhbench calibrate: needs --detector NAME, --verifier NAME, or both")
    scenes = ode_calibration.photos(annotations, images, number, seed=seed)
    found = ode_calibration.calibrate(scenes, detector=detector, verifier=verifier, precision=precision, device=device)
    write_atomic(output, json_bytes(found))
    for word, told in found.get("words", {}).items():
        typer.echo(f"{word}: there from {told['keep']:.3f} on, absent below {told['absent']:.3f}")
    for kind, value in found.get("kinds", {}).items():
        typer.echo(f"{kind}: believed from {value:.3f} on")
    typer.echo(f"wrote {output}")
