"""Time, memory and size of a leaderboard of 100 models × 8,786 made-up responses: ``vhbench leaderboard build``.

``python benchmarks/bench_board.py 20`` uses fewer models. The questions are the starters', repeated under other ids
about other images. What follows from the split alone (text-only and single-image baselines) is in the cache, as it is
from the second build on.
"""

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path

from measuring import COMMAND, READS, Figure, apart, report, run

from vhbench import splits
from vhbench.adapters.calibration_forms import caption
from vhbench.builds.starter import starter
from vhbench.leaderboard.baselines import levels
from vhbench.leaderboard.boards import Board, Edition, of_split, read_board, write_board
from vhbench.leaderboard.entries import ModelInfo
from vhbench.leaderboard.packed_answers import PackedAnswer
from vhbench.leaderboard.question_index import read_edition
from vhbench.leaderboard.submitting import RunAnswers, submit
from vhbench.schema import Row
from vhbench.seeding import rng

SIZES = {"ode": (2714, 288), "mioh": (3484, 0), "vhexpansion": (2300, 0)}
"""Benchmark → questions, and captions."""


def repeated(name: str) -> Iterator[Row]:
    """Yield a starter's rows again and again, until there are enough; of VHExpansion whole pairs."""
    rows = sorted(splits.read_rows(starter(name)), key=lambda row: (row.question.pair_id, row.question.id))
    left = {True: SIZES[name][1], False: SIZES[name][0]}
    for copy in range(100):
        mark = f"-{copy}" if copy else ""
        for row in rows:
            question = row.question
            is_caption = question.kind == "caption"
            if not left[is_caption] or (name == "vhexpansion" and copy >= 4 and question.pair_id[0] >= "2"):
                continue
            left[is_caption] -= 1
            case, slash, perturbation = question.pair_id.partition("/")
            pair = f"{case}{mark}{slash}{perturbation}" if case else ""
            scenes = tuple(scene + mark for scene in question.scene_ids)
            yield Row(row.config, replace(question, id=question.id + mark, pair_id=pair, scene_ids=scenes))


def prepare(folder: Path, models: int) -> None:
    """Write splits and a board with all entries."""
    editions = list[Edition]()
    for name in SIZES:
        made = splits.read_manifest(starter(name))
        vocabulary = {key: made.config[key] for key in ("vocabulary",) if key in made.config}
        split = folder / "splits" / name
        splits.write_split(split, repeated(name), benchmark=name, version=made.version, seed=0, config=vocabulary)
        editions.append(of_split(split))
    write_board(Board(folder=folder, title="A hundred models", editions=tuple(editions)))
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(enter, repeat(folder), editions, repeat(models)))


def enter(folder: Path, edition: Edition, models: int) -> None:
    """Add all entries to an edition, and cache what follows from it alone."""
    board, questions = read_board(folder), read_edition(edition, folder / "splits" / edition.benchmark)
    levels(questions)
    for number in range(models):
        skill, offered = 0.3 + 0.6 * number / models, RunAnswers(questions)
        random = rng(0, "board", number, edition.name)
        for row in questions.rows:
            if row["kind"] == "caption":
                seen = [w for w in row["objects"] if random.random() < skill] + list(row["candidates"][: number % 2])
                response = (
                    caption(seen) + " The scene is drawn in a calm style with clear colours." * 3 + f" ({number})"
                )
            else:
                allowed = "ABCDEFGHIJ"[: len(row["choices"])] if row["choices"] else ("yes", "no")
                sure = random.random() < skill
                answer = row["answer"] if sure else str(allowed[int(random.integers(len(allowed)))])
                response = (answer, f"{answer.capitalize()}.", f"The answer is {answer}.")[number % 3]
            offered.add(row["id"], PackedAnswer(response))
        found = submit(
            board, offered, ModelInfo(name=f"Model {number:03}", organisation="Lab", parameters=number * 10**9)
        )
        assert found.entry is not None, found.reasons
        found.place.write(found.entry, found.answers)


def figures(models: int = 100) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name) / "board", Path(name) / "site"
        apart(prepare, folder, models)
        built = run(COMMAND, "leaderboard", "build", "--board", folder, "--out", out)
        reads = run(READS, *folder.rglob("*.parquet"))
        pieces = [path.stat().st_size / 1e3 for path in out.glob("data/*/[0-9]*.js")]
        site = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        answers = sum(path.stat().st_size for path in folder.rglob("answers.parquet"))
        work, base = f"{models} models × {sum(map(sum, SIZES.values())):,} questions", "pyarrow reads board and splits"
        return [
            Figure(work=work, ours=built.seconds, bound=60, baseline=base, theirs=reads.seconds),
            Figure(work="  processor", ours=built.processor, baseline=base, theirs=reads.processor),
            Figure(
                work="  memory of the largest process", ours=built.gigabytes, unit="GB", bound=1, baseline=base,
                theirs=reads.gigabytes,
            ),
            Figure(work="the overview", ours=(out / "index.html").stat().st_size / 1e3, unit="kB", bound=400),
            Figure(work=f"the largest of {len(pieces)} pieces of examples", ours=max(pieces), unit="kB", bound=260),
            Figure(work="the whole site", ours=site / 1e6, unit="MB", baseline="the entries", theirs=answers / 1e6),
        ]  # fmt: skip


if __name__ == "__main__":
    report(figures(*map(int, sys.argv[1:2])))
