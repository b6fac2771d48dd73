"""Speed of the metrics, each against a named baseline on the same input in the same run.

Budgets, on one core: CHAIR over the 10,000 captions of POPE's caption_data in 1 s; AMBER's 1,004 captions and 14,216
answers in 1 s; 10,000 bootstrap draws over 10,000 questions in 2 s; importing a metric in 0.3 s.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from vhbench.tasks.metrics import amber, amber_captions, chair, intervals, nouns
from vhbench.tasks.metrics.plurals import pattern_singular
from vhbench.tasks.metrics.records import read_json, read_rows
from vhbench.tasks.metrics.vocabulary import COCO_MERGED

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = Path(os.environ.get("VHBENCH_REFERENCE", ROOT.parent / "shared" / "reference"))


def main() -> int:
    if not REFERENCE.is_dir():
        print(f"no reference data at {REFERENCE}; set VHBENCH_REFERENCE")
        return 0
    print(f"{'metric':<46}{'here':>9}{'budget':>9}   {'baseline':<42}{'time':>8}{'ratio':>8}")
    for compare in (_chair, _amber, _bootstrap, _wide_bootstrap, _import):
        name, ours, budget, baseline, theirs = compare()
        late = "" if ours <= budget else "   OVER BUDGET"
        print(f"{name:<46}{ours:>8.3f}s{budget:>8.1f}s   {baseline:<42}{theirs:>7.3f}s{theirs / ours:>7.1f}x{late}")
    return 0


def best(function: Callable[[], Any], repeats: int = 3) -> float:
    """Return the least processor time of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def _chair() -> tuple[str, float, float, str, float]:
    gold = read_json(REFERENCE / "CHAIR" / "gold_objects.json")
    synonyms = (REFERENCE / "CHAIR" / "synonyms.txt").read_text()
    models = [read_rows(file) for file in sorted((REFERENCE / "POPE" / "caption_data").glob("*.json"))]
    assert sum(map(len, models)) == 10_000
    nodes = chair.vocabulary_of(synonyms, compat=True).nodes

    def word_by_word() -> None:
        # CHAIR's reference: every token singularised, then merged two by two, then looked up (tokeniser: split).
        for rows in models:
            for row in rows:
                words = [pattern_singular(word) for word in row["text"].lower().split()]
                merged = [COCO_MERGED.get(f"{a} {b}", a) for a, b in zip(words, [*words[1:], ""], strict=True)]
                truth = gold[str(row["image_id"])]
                [nodes[word] not in truth for word in merged if word in nodes]

    ours = best(lambda: [chair.score(rows, gold, synonyms=synonyms) for rows in models])
    return "CHAIR, 10,000 captions", ours, 1.0, "each token singularised, as the reference", best(word_by_word, 1)


def _amber() -> tuple[str, float, float, str, float]:
    cases = {case["name"]: case for case in read_json(REFERENCE / "golden" / "amber.json")["cases"]}
    responses = cases["1004 random responses"]["responses"] + cases["all discriminative perfect"]["responses"]
    annotations = read_json(REFERENCE / "AMBER" / "annotations.json")
    relation = read_json(REFERENCE / "AMBER" / "relation.json")
    vocabulary = [word for key, words in relation.items() for word in (key, *words)]

    def lists_as_the_reference() -> None:
        # The reference's lookups in lists, without its nouns and its similarity.
        for row in responses:
            truth = annotations[row["id"] - 1]
            if truth["type"] == "generative":
                lists = [[*(a for w in truth[k] for a in relation[w]), *truth[k]] for k in ("truth", "hallu")]
                said = [word for word in row["response"].split() if word in vocabulary]
                [[alike(noun, word) for word in (*lists[1], *lists[0])] for noun in said if noun not in lists[0]]

    def alike(first: str, second: str) -> bool:
        return bool(nouns.builtin_similarity(first, second) > amber_captions.THRESHOLD)

    ours = best(lambda: amber.score(responses, annotations=annotations, relation=relation))
    return (
        "AMBER, 1,004 captions and 14,216 answers",
        ours,
        1.0,
        "the reference's lists, captions only",
        best(lists_as_the_reference),
    )


def _bootstrap() -> tuple[str, float, float, str, float]:
    right = np.random.default_rng(0).random(10_000) < 0.7
    ours = best(lambda: intervals.mean(right))
    return (
        "bootstrap of an accuracy, 10,000 x 10,000",
        ours,
        2.0,
        "numpy: a choice and a mean per draw",
        best(lambda: _choices(right.astype(float)), 1),
    )


def _wide_bootstrap() -> tuple[str, float, float, str, float]:
    generator = np.random.default_rng(0)
    top, bottom = generator.random(10_000), generator.random(10_000)
    ours = best(lambda: intervals.ratio(top, bottom))
    return (
        "bootstrap of a ratio, every question differs",
        ours,
        2.0,
        "numpy: a choice and a mean per draw",
        best(lambda: _choices(top), 1),
    )


def _choices(values: Any) -> None:
    generator = np.random.default_rng(0)
    for _ in range(10_000):
        generator.choice(values, len(values)).mean()


def _import() -> tuple[str, float, float, str, float]:
    def seconds(code: str) -> float:
        timed = f"import time; t = time.process_time(); {code}; print(time.process_time() - t)"
        runs = [
            subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True) for _ in "123"
        ]
        return min(json.loads(run.stdout) for run in runs)

    metrics = "from vhbench.tasks.metrics import amber, chair, multiple_choice, symmetric_accuracy, yes_no"
    return "importing every metric", seconds(metrics), 0.3, "import numpy", seconds("import numpy")


if __name__ == "__main__":
    sys.exit(main())
