"""Memory and time of commands at size: ``score``, ``verify``, ``diff`` and ``export sft``.

``python benchmarks/bench_commands.py 0.1`` uses a tenth of a million responses and of 100,000 questions.
"""

import json
import os
import struct
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from measuring import COMMAND, READS, Figure, Used, apart, report, run

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.mioh import MiohBuild
from vhbench.builds.ode import OdeBuild
from vhbench.schema import Row, Scene
from vhbench.seeding import rng
from vhbench.splits.stored_scenes import StoredScene, truth_of

SENTENCES = ("Yes, there is a dog in the image.", "There is no dog.", "**Answer:** no", "I cannot tell.")
RESPONSES = ("Yes", "No.", "yes", "No") * 4 + SENTENCES
LETTERS = ("A", "(B)", "The answer is C.", "Image 1", "D. Neither")
LOADS = "import json, sys; [json.loads(line) for line in open(sys.argv[1])]"
HASHES = """
import hashlib, pathlib, sys
[hashlib.sha256(path.read_bytes()) for path in pathlib.Path(sys.argv[1]).rglob("*") if path.is_file()]
"""


def responses(rows: int, *, letters: bool = False) -> Iterator[dict[str, Any]]:
    """Yield answered questions, two to a pair; four fifths of the responses are one word."""
    texts = LETTERS if letters else RESPONSES
    for n, pick in enumerate(np.random.default_rng(0).integers(len(texts), size=rows).tolist()):
        row = {"id": f"q{n}", "question": f"Is there a dog in image {n}?", "answer": "yes" if n % 2 else "no"}
        if letters:
            row |= {"answer": "ABCD"[n % 4], "choices": ("Image 1", "Image 2", "Both", "Neither")}
        yield {**row, "pair_id": f"p{n // 2}", "negated": bool(n % 2), "response": texts[pick]}


def score(rows: int) -> list[Figure]:
    """Score yes/no answers, pairs and letters; compare with ``json.loads`` of the same lines."""
    with tempfile.TemporaryDirectory(prefix="bench-score-") as name:
        answers, letters, bare = (Path(name, f"{file}.jsonl") for file in ("answers", "letters", "bare"))
        for file, lines in ((answers, responses(rows)), (letters, responses(rows, letters=True))):
            with file.open("w", encoding="utf-8") as out:
                out.writelines(json.dumps(line) + "\n" for line in lines)
        with bare.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps({key: row[key] for key in ("id", "response")}) + "\n" for row in responses(rows))
        commands = {
            "yes-no": ["yes-no", "--positive", "no", "--responses", answers],
            "auto": ["auto", answers],
            "yes-no, joined with questions": [
                "yes-no", "--positive", "no", "--responses", bare, "--questions", answers,
            ],
            "multiple-choice": ["multiple-choice", "--responses", letters],
            "symmetric": ["symmetric", "--responses", answers],
        }  # fmt: skip
        loads = run(LOADS, answers)
        found = {form: run(COMMAND, "score", *words, "--json") for form, words in commands.items()}
    return [
        figure
        for form, used in found.items()
        for figure in _both(f"score {form}: {rows:,}", used, "json.loads", loads, rows / 50_000, 0.5)
    ]


def _both(work: str, used: Used, baseline: str, theirs: Used, seconds: float | None, gigabytes: float) -> list[Figure]:
    """Return a figure of processor time and one of memory."""
    return [
        Figure(work=work, ours=used.processor, bound=seconds, baseline=baseline, theirs=theirs.processor),
        Figure(work="  memory", ours=used.gigabytes, unit="GB", bound=gigabytes, baseline=baseline,
               theirs=theirs.gigabytes),
    ]  # fmt: skip


def _write_split(folder: Path, count: int) -> None:
    """Write yes/no questions in pairs, each pair with a scene of its own, after a few drawn ones."""
    drawn = list(OdeBuild(pairs=1, size=64).make(0))
    questions = [item.question for item in drawn if isinstance(item, Row) and item.question.kind == "yes_no"]
    twins = {(q.pair_id, q.answer): q for q in questions}
    truths = {item.id: item for item in drawn if isinstance(item, Scene)}
    pairs = [(truths[q.scene_ids[0]], q) for q in questions if q.answer == "yes"]
    scenes: list[StoredScene] = []

    def rows() -> Iterator[Row]:
        for n in range(count // 2):
            scene, question = pairs[n % len(pairs)]
            note = str(n).encode()  # a comment at the beginning: another JPEG of the same picture
            image = scene.image[:2] + b"\xff\xfe" + struct.pack(">H", len(note) + 2) + note + scene.image[2:]
            noise = {**scene.provenance, "noise": rng(0, n).bytes(200).hex()}  # real scenes differ more than copies
            scenes.append(truth_of(replace(scene, id=f"s{n}", image=image, provenance=noise)))
            for one in (question, twins[question.pair_id, "no"]):
                row = replace(one, id=f"{one.answer}-{n}", pair_id=f"p{n}", scene_ids=(f"s{n}",), images=(image,))
                yield Row("ode_random_existence", row)

    splits.write_split(folder, rows(), benchmark="ode", version="1.0.0", seed=0, config={}, scenes=scenes)


def verify(count: int) -> list[Figure]:
    """Verify a split and compare it with itself; compare with SHA-256 of its files."""
    with tempfile.TemporaryDirectory(prefix="bench-verify-") as name:
        folder = Path(name, "ode")
        apart(_write_split, folder, count)
        hashes = run(HASHES, folder)
        return [
            figure
            for words in (("verify", folder), ("diff", folder, folder))
            for figure in _both(f"{words[0]}: {count:,}", run(COMMAND, *words), "SHA-256", hashes, None, 1.0)
        ]


def _build_halves(folder: Path, name: str) -> None:
    """Build two concept splits: a large one to train on, a small one to evaluate."""
    for part, ode, mioh in ((1, 40, ("450", "25")), (2, 4, ("150", "2"))):
        out, half = folder / str(part), f"{part}/2"
        made = (
            OdeBuild(part=half, seed=part, pairs=ode)
            if name == "ode"
            else MiohBuild(
                source=(f"scenes:{mioh[0]}",), cells=mioh[1], part=half, seed=part, scratch=str(out), allow_missing=True
            )
        )
        made.check()
        sharding.run(made, out, workers=os.cpu_count() or 1, progress=False)


def export() -> list[Figure]:
    """Export 4,000 rows to fine-tune on; compare with reading the split by pyarrow."""
    figures = []
    for benchmark, questions in (("ode", 2300), ("mioh", 2050)):
        with tempfile.TemporaryDirectory(prefix="bench-export-") as name:
            folder, out = Path(name), Path(name, "rows")
            apart(_build_halves, folder, benchmark)
            train, test = folder / "1" / benchmark, folder / "2" / benchmark
            used = run(COMMAND, "export", "sft", "--split", train, "--test", test, "--number", questions, "--out", out)
            rows = json.loads((out / "provenance.json").read_text())["counts"]["rows"]
            assert rows >= 4000, rows
            reads = run(READS, *train.rglob("test-*.parquet"))
            baseline = {"baseline": "pyarrow reads the split", "theirs": reads.seconds}
            figures.append(
                Figure(work=f"export sft {benchmark}: {rows:,} rows", ours=used.seconds, bound=30, **baseline)
            )
    return figures


def figures(scale: float = 1.0) -> list[Figure]:
    rows = round(100_000 * scale)
    return [*score(10 * rows), *verify(rows), *export()]


if __name__ == "__main__":
    report(figures(*map(float, sys.argv[1:2])))
