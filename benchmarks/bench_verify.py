"""Memory and time of ``vhbench verify`` and ``vhbench diff`` on 100,000 questions, against the 1 GB that they may take.

``python benchmarks/bench_verify.py 10000`` tries fewer. Every question has a scene of its own, with the truth of one
that was drawn (at 64 pixels, so that the time is that of the rows). Each command runs in a process of its own, whose
peak of the resident memory is told.
"""

import multiprocessing
import struct
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from measuring import measure

from vhbench import splits
from vhbench.builds.ode import OdeBuild
from vhbench.schema import Question, Row, Scene
from vhbench.seeding import rng
from vhbench.splits.stored_scenes import StoredScene, truth_of

ALLOWED = 1.0
"""GB."""


def _drawn() -> tuple[list[Scene], list[Question]]:
    made = list(OdeBuild(pairs=1, size=64).make(0))
    return [one for one in made if isinstance(one, Scene)], [one.question for one in made if isinstance(one, Row)]


def _numbered(image: bytes, number: int) -> bytes:
    """Return the same JPEG in other bytes: with a comment at its beginning."""
    note = str(number).encode()
    return image[:2] + b"\xff\xfe" + struct.pack(">H", len(note) + 2) + note + image[2:]


def write(folder: Path, count: int) -> None:
    """Write a split of so many questions."""
    drawn, asked = _drawn()
    scenes: list[StoredScene] = []
    by_answer = {(q.pair_id, q.answer): q for q in asked if q.kind == "yes_no"}
    pairs = [
        (s, q) for s in drawn for (_, answer), q in by_answer.items() if q.scene_ids == (s.id,) and answer == "yes"
    ]

    def rows() -> Iterator[Row]:
        for number in range(count // 2):
            scene, question = pairs[number % len(pairs)]
            twin = by_answer[question.pair_id, "no"]
            image, name = _numbered(scene.image, number), f"s{number}"
            # Scenes are not so much alike as copies are.
            told = {**scene.provenance, "noise": rng(0, number).bytes(200).hex()}
            scenes.append(truth_of(replace(scene, id=name, image=image, provenance=told)))
            for one in (question, twin):
                yield Row("ode_random_existence", replace(
                    one, id=f"{one.answer}-{number}", pair_id=f"p{number}", scene_ids=(name,), images=(image,),
                ))  # fmt: skip

    splits.write_split(folder, rows(), benchmark="ode", version="1.0.0", seed=0, config={}, scenes=scenes)


def main() -> None:
    """Print the peak of each command."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(f"{count:,} questions, {count // 2:,} images and scenes; {ALLOWED} GB allowed", flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-verify-") as name:
        folder = Path(name) / "ode"
        # In a process of its own: the peak of one that is started from a large process is that process's.
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(folder, count))
        writer.start()
        writer.join()
        found = [measure("verify", "verify", folder), measure("diff", "diff", folder, folder)]
    sys.exit(max(used.gigabytes for used in found) > ALLOWED)


if __name__ == "__main__":
    main()
