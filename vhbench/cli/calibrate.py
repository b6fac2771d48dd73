"""``vhbench calibrate``: from which scores on are a detector and a verifier to be believed?"""

from dataclasses import dataclass
from pathlib import Path

import typer

from vhbench.cli import build_command
from vhbench.options import option
from vhbench.schema import VhbenchError


@dataclass(frozen=True, kw_only=True)
class _CalibrateOptions:
    annotations: str = option(
        "Annotated photos: instances in COCO format, or `paco:FILE` with attributes.", metavar="FILE"
    )
    images: Path = option("Folder of the photos.", metavar="DIR")
    detector: str = option("Detector, as in `vhbench build ode --detector`.", "", metavar="NAME")
    verifier: str = option("Verifier, as in `vhbench build ode --verifier`.", "", metavar="NAME")
    places: Path | None = option(
        "With --verifier: folder of photos by place (DIR/kitchen/1.jpg) on which to calibrate place recognition.",
        None,
        metavar="DIR",
    )
    precision: float = option(
        "Required precision of detections accepted as present, and of those accepted as absent.",
        0.95,
        least=0.5,
        most=1,
    )
    number: int = option("Number of photos, sampled at random.", 1000, least=1)
    seed: int = option("Random seed of the sample.", 0, least=0)
    device: str = option("Device of the models: auto, cpu, cuda, cuda:1.", "auto")
    out: Path = option("JSON file for the thresholds.", Path("thresholds.json"), names=("--out", "-o"), metavar="FILE")


@build_command.command
def calibrate(options: _CalibrateOptions) -> None:
    """Fit detector and verifier thresholds on annotated photos.

    Detector thresholds are fitted per word, verifier thresholds per kind of attribute. Pass the result to
    `vhbench build ode --calibration thresholds.json`. Words with too few photos share one threshold, fitted on all
    words; words that never reach the precision are never accepted.

    Example: `vhbench calibrate --detector IDEA-Research/grounding-dino-base --annotations instances_val2017.json
    --images val2017 --precision 0.95`
    """
    from vhbench.builds import ode_calibration
    from vhbench.files import json_bytes, write_atomic

    if not options.detector and not options.verifier:
        raise VhbenchError("expected --detector NAME, --verifier NAME, or both")
    thresholds = ode_calibration.calibrate(**{name: value for name, value in vars(options).items() if name != "out"})
    write_atomic(options.out, json_bytes(thresholds))
    for word, levels in thresholds.get("words", {}).items():
        typer.echo(f"{word}: present at or above {levels['keep']:.3f}, absent below {levels['absent']:.3f}")
    for kind, value in thresholds.get("kinds", {}).items():
        typer.echo(f"{kind}: accepted at or above {value:.3f}")
    typer.echo(f"wrote {options.out}")
