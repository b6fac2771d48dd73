"""MIOH at the size of COCO train: read 118,000 images with 860,000 instances, then ask the paper's 3,484 questions.

Existence and counting come from the COCO file; attributes from a PACO file of 59,000 images, half of whose objects
have attributes; positions from a Synthetic Visual Genome file that lists relations in 33,000 of COCO's images.
``tests/support/mioh_files.py`` writes them all. No image file is opened. ``--check`` has every answer confirmed by
``tests/support/mioh_checker.py``, which was written apart from the generator.

Baseline of reading: ``json.load`` of the same file. Each measurement has a process of its own; seconds are processor
time. Limits that the project set itself: 60 s and 1.5 GB to read, 60 s and 1.5 GB to ask, no question missing.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

IMAGES, INSTANCES, QUESTIONS = 118_000, 860_000, 3_484
SECONDS, GIGABYTES = 60, 1.5
SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"


def main() -> None:
    """Print one line per measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--instances", type=int, default=INSTANCES)
    parser.add_argument("--check", action="store_true", help="confirm every answer by the independent checker")
    parser.add_argument("--measure", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, folder = options.measure
        print(json.dumps(MEASUREMENTS[name](Path(folder), options)))
        return
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        measure("write", Path(folder), options)
        size = sum(path.stat().st_size for path in Path(folder).glob("*.json")) / 1e6
        print(f"wrote {size:.0f} MB in {time.perf_counter() - start:.0f} s", flush=True)
        report(Path(folder), options)


def report(folder: Path, options: argparse.Namespace) -> None:
    """Measure, print, and hold the limits."""
    base, found = measure("baseline", folder, options), measure("read", folder, options)
    seconds, peak = found["seconds"], found["peak"]
    print(f"read {found['images']:,} images, {found['instances']:,} instances: {seconds:.1f} s, {peak:.2f} GB")
    print(f"  json.load: {base['seconds']:.1f} s, {base['peak']:.2f} GB; ratios {seconds / base['seconds']:.2f}, "
          f"{peak / base['peak']:.2f}", flush=True)  # fmt: skip
    asked = measure("ask", folder, options)
    print(f"asked {asked['questions']:,} of {QUESTIONS:,} questions: {asked['seconds']:.1f} s, after "
          f"{asked['reading']:.1f} s to read three files; {asked['peak']:.2f} GB in all")  # fmt: skip
    print("  seconds by type:", ", ".join(f"{name} {took:.1f}" for name, took in asked["types"].items()))
    if options.check:
        confirmed = asked["questions"] - len(asked["wrong"])
        print(f"  confirmed by the independent checker: {confirmed:,} in {asked['checking']:.1f} s")
        assert not asked["wrong"], asked["wrong"][0]
    for what, did in (("reading", found), ("asking", asked)):
        assert did["seconds"] <= SECONDS, f"{what} took more than {SECONDS} s"
        assert did["peak"] <= GIGABYTES, f"{what} took more than {GIGABYTES} GB"
    assert asked["reading"] <= SECONDS, f"reading three files took more than {SECONDS} s"
    assert asked["questions"] == QUESTIONS, asked["missing"]


def measure(name: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run one measurement in a process of its own and return what it found."""
    command = [sys.executable, __file__, "--images", str(options.images), "--instances", str(options.instances)]
    command += ["--measure", name, str(folder), *(["--check"] if options.check else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def spent(start: float = 0.0) -> float:
    """Return the processor's seconds since an earlier such time."""
    return time.process_time() - start


def peak() -> float:
    """Return this process's peak memory in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def write(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Write the files."""
    sys.path.insert(0, str(SUPPORT))
    import mioh_files

    mioh_files.write_all(folder, options.images, options.instances)
    return {}


def baseline(folder: Path, _: argparse.Namespace) -> dict[str, Any]:
    """Load the COCO file as one would."""
    start = spent()
    with (folder / "coco.json").open() as file:
        data = json.load(file)
    return {"images": len(data["images"]), "seconds": spent(start), "peak": peak()}


def read(folder: Path, _: argparse.Namespace) -> dict[str, Any]:
    """Read the COCO file into a pool."""
    from vhbench.adapters.coco import CocoScenes
    from vhbench.generators.mioh.pools import ScenePool

    start = spent()
    scenes = CocoScenes(folder / "coco.json", folder / "photos")
    ScenePool(scenes)
    return {"images": len(scenes), "instances": scenes.instances, "seconds": spent(start), "peak": peak()}


def ask(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Make every shard of the build that ``vhbench build mioh`` runs, and have the answers checked if asked to."""
    from vhbench.builds.mioh import MiohBuild
    from vhbench.generators.mioh.question_types import QUESTION_TYPES
    from vhbench.schema import Rejection, Row, Scene

    build = MiohBuild(
        source=tuple(f"{name}:{folder / name}.json" for name in ("coco", "paco", "svg")), images=str(folder / "photos")
    )
    start = spent()
    for task in dict.fromkeys(kind.task for kind in QUESTION_TYPES.values()):
        build.pool(task)
    reading, start = spent(start), spent()
    made, types = [], {}
    for shard, name in enumerate(build.types):
        before = spent()
        made += build.make(shard)
        types[name] = spent(before)
    questions = [item.question for item in made if isinstance(item, Row)]
    missing = {item.item: item.detail for item in made if isinstance(item, Rejection) and "wanted" in item.detail}
    found = {"questions": len(questions), "missing": missing, "types": types, "reading": reading}
    found |= {"seconds": spent(start), "peak": peak()}
    if options.check:
        sys.path.insert(0, str(SUPPORT))
        from mioh_checker import faults

        start = spent()
        wrong = faults(questions, [item for item in made if isinstance(item, Scene)])
        found |= {"wrong": wrong, "checking": spent(start)}
    return found


MEASUREMENTS: dict[str, Callable[[Path, argparse.Namespace], dict[str, Any]]] = {
    "write": write, "baseline": baseline, "read": read, "ask": ask,
}  # fmt: skip

if __name__ == "__main__":
    main()
