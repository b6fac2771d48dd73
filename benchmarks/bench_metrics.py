"""Speed of the metrics, each against a named baseline on the same input in the same run.

Budgets, on one core: CHAIR over the 10,000 captions of POPE's caption_data in 2 s, of which finding the words takes
half and telling which of them are claims the other, twelve times as quick as the reference's way; AMBER's 1,004
captions and 14,216 answers in 1 s; an interval of a million answers in 1 s; importing a metric in 0.3 s. A budget
that is not kept ends the run with exit code 1.
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
from measuring import Figure

from vhbench.files import read_json, read_rows
from vhbench.language.captions.nouns import builtin_nouns, builtin_similarity
from vhbench.language.captions.vocabulary import COCO_MERGED
from vhbench.statistics import intervals
from vhbench.tasks.metrics import amber, chair
from vhbench.tasks.metrics.amber_captions import THRESHOLD
from vhbench.tasks.metrics.pattern_reference import pattern_singular

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = Path(os.environ.get("VHBENCH_REFERENCE", ROOT.parent / "shared" / "reference"))


def figures() -> list[Figure]:
    """Return the seconds of each metric beside its baseline; none without the reference data."""
    return [measured() for measured in MEASURED] if REFERENCE.is_dir() else []


def main() -> int:
    if not REFERENCE.is_dir():
        print(f"no reference data at {REFERENCE}; set VHBENCH_REFERENCE")
        return 0
    print(f"{'metric':<46}{'here':>9}   {'goal':<16}{'baseline':<46}{'time':>8}{'ratio':>8}")
    held = True
    for measured in MEASURED:
        found = measured()
        against = "" if found.theirs is None else f"{found.theirs:>7.3f}s{found.ratio:>7.1f}x"
        missed = "" if found.held else "   NOT HELD"
        print(
            f"{found.work:<46}{found.ours:>8.3f}s   {found.goal:<16}{found.baseline:<46}{against}{missed}", flush=True
        )
        held = held and found.held
    return int(not held)


def best(function: Callable[[], Any], repeats: int = 3) -> float:
    """Return the least processor time of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def _chair() -> Figure:
    return _captions("CHAIR as the reference counts, 10,000 captions", None, compat=True)


def _chair_repaired() -> Figure:
    return _captions("the same repaired: what captions claim", 2.0, compat=False)


def _captions(work: str, bound: float | None, *, compat: bool) -> Figure:
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

    return Figure(
        work=work,
        ours=best(lambda: [chair.score(rows, gold, synonyms=synonyms, compat=compat) for rows in models]),
        bound=bound,
        baseline="each token singularised, as the reference",
        theirs=best(word_by_word, 1),
        times=12,
    )


def _amber() -> Figure:
    responses, annotations, relation = _amber_data()
    found = amber.score(responses, annotations=annotations, relation=relation, compat=True)["counters"]
    plain = _amber_as_the_reference(responses, annotations, relation)
    assert plain == {name: found[name] for name in plain}, "the baseline counts something else"
    return Figure(
        work="AMBER, 1,004 captions and 14,216 answers",
        ours=best(lambda: amber.score(responses, annotations=annotations, relation=relation, compat=True)),
        bound=1.0,
        baseline="the reference's loops over lists, same counts",
        theirs=best(lambda: _amber_as_the_reference(responses, annotations, relation)),
    )


def _amber_with_intervals() -> Figure:
    responses, annotations, relation = _amber_data()
    ours = best(lambda: amber.score(responses, annotations=annotations, relation=relation))
    return Figure(work="the same repaired, with intervals", ours=ours, bound=1.0, baseline="none: it has no intervals")


def _amber_data() -> tuple[list[Any], list[Any], dict[str, list[str]]]:
    cases = {case["name"]: case for case in read_json(REFERENCE / "golden" / "amber.json")["cases"]}
    responses = cases["1004 random responses"]["responses"] + cases["all discriminative perfect"]["responses"]
    relation = read_json(REFERENCE / "AMBER" / "relation.json")
    return responses, read_json(REFERENCE / "AMBER" / "annotations.json"), relation


def _amber_as_the_reference(responses: list[Any], annotations: list[Any], relation: Any) -> dict[str, int]:
    """Count as AMBER's inference.py does, with the nouns and the similarity of the metric here."""
    words = {word for key, associated in relation.items() for word in (key, *associated)}
    nouns = builtin_nouns(words)
    counts = dict.fromkeys(
        ("chair_score", "safe_cover_score", "hallu_cover_score", "non_hallu_score", "qa_correct_score"), 0
    )
    for row in responses:
        annotation = annotations[row["id"] - 1]
        if annotation["type"] != "generative":
            counts["qa_correct_score"] += row["response"] == {"yes": "Yes", "no": "No"}[annotation["truth"]]
            continue
        wrong, covered, flagged = _caption_as_the_reference(nouns(row["response"]), words, annotation, relation)
        counts["chair_score"] += wrong
        counts["safe_cover_score"] += covered
        counts["hallu_cover_score"] += flagged
        counts["non_hallu_score"] += not wrong
    return counts


def _caption_as_the_reference(said: list[str], words: set[str], annotation: Any, relation: Any) -> tuple[int, int, int]:
    """Return the numbers of hallucinated nouns, of objects covered and of listed hallucinations said."""
    lists, owners = [], []
    for names in (annotation["truth"], annotation["hallu"]):
        entries = [(word, i) for i, name in enumerate(names) for word in relation.get(name, ())]
        entries += [(name, i) for i, name in enumerate(names)]
        lists.append([word for word, _ in entries])
        owners.append([i for _, i in entries])
    safe, hallu = lists
    wrong, covered, flagged = 0, set[int](), set[int]()
    for noun in said:
        if noun not in words:
            continue
        if noun in safe:
            covered.add(owners[0][safe.index(noun)])
            continue
        if noun in hallu:
            flagged.add(owners[1][hallu.index(noun)])
        for place, word in enumerate(hallu):
            if builtin_similarity(noun, word) > THRESHOLD:
                flagged.add(owners[1][place])
                break
        for place, word in enumerate(safe):
            if builtin_similarity(noun, word) > THRESHOLD:
                covered.add(owners[0][place])
                break
        else:
            wrong += 1
    return wrong, len(covered), len(flagged)


def _interval() -> Figure:
    random = np.random.default_rng(0)
    right, images = random.random(1_000_000) < 0.7, random.integers(300_000, size=1_000_000)

    def resample() -> Any:
        sums, sizes = np.bincount(images, weights=right), np.bincount(images)
        picked = random.integers(len(sums), size=len(sums))
        return sums[picked].sum() / sizes[picked].sum()

    return Figure(
        work="an interval, 1,000,000 answers, 300,000 images",
        ours=best(lambda: intervals.mean(right, clusters=images)),
        bound=1.0,
        baseline="numpy: ten resamples of images, of 10,000",
        theirs=best(lambda: [resample() for _ in range(10)]),
    )


def _import() -> Figure:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # numpy's threads wait busily while they start

    def seconds(code: str) -> float:
        timed = f"import time; t = time.process_time(); {code}; print(time.process_time() - t)"
        command = [sys.executable, "-c", timed]
        runs = [subprocess.run(command, capture_output=True, text=True, check=True, env=environment) for _ in range(5)]
        return min(json.loads(run.stdout) for run in runs)

    metrics = "from vhbench.tasks.metrics import amber, chair, multiple_choice, symmetric_accuracy, yes_no"
    return Figure(
        work="importing every metric",
        ours=seconds(metrics),
        bound=0.3,
        baseline="import numpy alone",
        theirs=seconds("import numpy"),
    )


MEASURED: tuple[Callable[[], Figure], ...] = (
    _chair,
    _chair_repaired,
    _amber,
    _amber_with_intervals,
    _interval,
    _import,
)


if __name__ == "__main__":
    sys.exit(main())
