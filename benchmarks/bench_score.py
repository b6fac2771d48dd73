"""Memory and time of ``vhbench score`` on a million answers: 0.5 GB and 20 s of one core are allowed.

``python benchmarks/bench_score.py 100000`` tries fewer. Each command runs in a process of its own, whose peak of the
resident memory is told.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Figure, Used, measure

ALLOWED = 0.5
"""GB."""
SECONDS = 20
"""Of the processor, for a million answers."""

SENTENCES = ("Yes, there is a dog in the image.", "There is no dog.", "**Answer:** no", "I cannot tell.")
SAID = ("Yes", "No.", "yes", "No") * 4 + SENTENCES
"""Asked to answer with one word, most models do."""

LETTERS = ("A", "(B)", "The answer is C.", "Image 1", "D. Neither")
CHOICES = ("Image 1", "Image 2", "Both", "Neither")


def yes_no(rows: int) -> Iterator[dict[str, Any]]:
    picks = np.random.default_rng(0).integers(len(SAID), size=rows)
    for n, pick in enumerate(picks.tolist()):
        right = "yes" if n % 2 else "no"
        yield {"id": f"q{n}", "question": f"Is there a dog in image {n}?", "answer": right, "response": SAID[pick]}


def multiple_choice(rows: int) -> Iterator[dict[str, Any]]:
    picks = np.random.default_rng(0).integers(len(LETTERS), size=rows)
    for n, pick in enumerate(picks.tolist()):
        asked = {"question": f"Which image shows dog {n}?", "choices": CHOICES, "answer": "ABCD"[n % 4]}
        yield {"id": f"q{n}", **asked, "response": LETTERS[pick]}


def pairs(rows: int) -> Iterator[dict[str, Any]]:
    for n, row in enumerate(yes_no(rows)):
        yield {**row, "pair_id": f"p{n // 2}", "negated": bool(n % 2)}


def write(file: Path, rows: Iterator[dict[str, Any]]) -> Path:
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return file


def forms(rows: int) -> dict[str, Used]:
    """Return what each form of ``score`` takes for so many answers."""
    with tempfile.TemporaryDirectory(prefix="bench-score-") as name:
        folder = Path(name)
        answers = write(folder / "answers.jsonl", yes_no(rows))
        said = folder / "said.json"
        said.write_text(json.dumps({row["id"]: row["response"] for row in yes_no(rows)}))
        choices = write(folder / "choices.jsonl", multiple_choice(rows))
        twins = write(folder / "pairs.jsonl", pairs(rows))
        commands: dict[str, list[object]] = {
            "yes-no": ["yes-no", "--positive", "no", "--responses", answers],
            "auto": ["auto", answers],
            "yes-no, joined with questions": [
                "yes-no", "--positive", "no", "--responses", said, "--questions", answers,
            ],
            "multiple-choice": ["multiple-choice", "--responses", choices],
            "symmetric": ["symmetric", "--responses", twins],
        }  # fmt: skip
        return {name: measure(name, "score", *words, "--json", quiet=True) for name, words in commands.items()}


def figures(rows: int = 1_000_000) -> list[Figure]:
    """Return processor time and memory of each form, the goals in proportion to the number of answers."""
    found = forms(rows)
    return [
        figure
        for name, used in found.items()
        for figure in (
            Figure(work=f"{name}: {rows:,} answers", ours=used.processor, bound=SECONDS * rows / 1e6),
            Figure(work=f"{name}: memory", ours=used.gigabytes, unit="GB", bound=ALLOWED),
        )
    ]


def main() -> None:
    """Print what each command takes."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{rows:,} answers; {ALLOWED} GB and {SECONDS} s of the processor a million allowed")
    sys.exit(not all(figure.held for figure in figures(rows)))


if __name__ == "__main__":
    main()
