"""MIOH at the size of COCO train: read 118,000 images with 860,000 instances, then generate up to 3,484 questions.

``python benchmarks/bench_mioh.py 0.1`` uses a tenth of the images. Existence and counting come from the COCO file;
attributes from a PACO file of half the images, which fill a part of their cells; positions from a Synthetic Visual
Genome file that lists relations in 33,000 of COCO's images. ``tests/support/mioh_files.py`` writes them. No image file
is opened. Every answer is confirmed by ``tests/support/mioh_checker.py``, which was written apart from the generator.
Each measurement has a process of its own; seconds are processor time.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import Figure, apart, report

from vhbench.schema import Row, Scene

IMAGES, INSTANCES, QUESTIONS = 118_000, 860_000, 3_484


def write(folder: Path, scale: float) -> None:
    """Write the three files."""
    import mioh_files

    mioh_files.write_all(folder, round(IMAGES * scale), round(INSTANCES * scale))


def load(folder: Path) -> int:
    """Load the COCO file by ``json.load``."""
    with (folder / "coco.json").open() as file:
        return len(json.load(file)["images"])


def read(folder: Path) -> int:
    """Read the COCO file into a pool."""
    from vhbench.adapters.coco import CocoScenes
    from vhbench.generators.mioh.pools import ScenePool

    scenes = CocoScenes(folder / "coco.json", folder / "photos")
    ScenePool(scenes)
    return len(scenes)


def generate(folder: Path) -> dict[str, Any]:
    """Make every shard of the build that ``vhbench build mioh`` runs, and have the answers confirmed."""
    from vhbench.builds.mioh import MiohBuild
    from vhbench.generators.mioh.question_types import QUESTION_TYPES

    sources = tuple(f"{name}:{folder / name}.json" for name in ("coco", "paco", "svg"))
    build = MiohBuild(source=sources, images=str(folder / "photos"))
    start = time.process_time()
    for task in dict.fromkeys(kind.task for kind in QUESTION_TYPES.values()):
        build.pool(task)
    reading, start = time.process_time() - start, time.process_time()
    made = [item for shard in range(len(build.types)) for item in build.make(shard)]
    generating = time.process_time() - start
    from mioh_checker import faults

    questions = [item.question for item in made if isinstance(item, Row)]
    wrong = faults(questions, [item for item in made if isinstance(item, Scene)])
    assert not wrong, wrong[0]
    return {"questions": len(questions), "reading": reading, "generating": generating}


def figures(scale: float = 1.0) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        apart(write, folder, scale)
        (images, baseline), (_, reading), (made, whole) = (apart(work, folder) for work in (load, read, generate))
    theirs = {"baseline": "json.load", "theirs": baseline.processor}
    memory = {"unit": "GB", "bound": 1.5, "baseline": "json.load", "theirs": baseline.gigabytes}
    work = f"generate {made['questions']:,} of {QUESTIONS:,} questions"
    return [
        Figure(work=f"read {images:,} images", ours=reading.processor, bound=60 * scale, **theirs),
        Figure(work="  memory", ours=reading.gigabytes, **memory),
        Figure(work="read three files", ours=made["reading"], bound=60 * scale, **theirs),
        Figure(work=work, ours=made["generating"], bound=60, **theirs),
        Figure(work="  memory, checker included", ours=whole.gigabytes, **memory),
    ]


if __name__ == "__main__":
    report(figures(*map(float, sys.argv[1:2])))
