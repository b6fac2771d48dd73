"""Time, memory and sizes of a board of 100 models × 8,786 made-up answers, against what it may take.

``python benchmarks/bench_board.py 20`` tries fewer models. The questions are the starters', repeated under other ids
about other images. What is measured is the command ``vhbench leaderboard build``, with all its processes; word floor
and one-image level, which follow from the split alone, are in the cache, as they are from the second build on.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from measuring import Figure

from vhbench import splits
from vhbench.adapters.calibration_forms import caption
from vhbench.builds.starter import starter
from vhbench.files import cache_folder, canonical, write_atomic
from vhbench.leaderboard.baselines import levels
from vhbench.leaderboard.boards import Board, Edition, of_split, read_board, write_board
from vhbench.leaderboard.entries import About
from vhbench.leaderboard.question_index import read_edition
from vhbench.leaderboard.submitting import Offered, submit
from vhbench.schema import Row
from vhbench.seeding import rng

SIZES = {"ode": (2714, 288), "mioh": (3484, 0), "vhexpansion": (2300, 0)}
"""Benchmark → questions, and captions."""

_RUN = "import sys; from vhbench.cli import main; sys.argv[0] = 'vhbench'; main()"


def repeated(name: str) -> Iterator[Row]:
    """Yield a starter's rows again and again, until there are enough; of VHExpansion whole pairs."""
    rows = sorted(splits.read_rows(starter(name)), key=lambda row: (row.question.pair_id, row.question.id))
    left = {"caption": SIZES[name][1], "": SIZES[name][0]}
    for copy in range(100):
        for row in rows:
            kind = row.question.kind if row.question.kind == "caption" else ""
            if left[kind] and (name != "vhexpansion" or copy < 4 or row.question.pair_id[0] < "2"):
                left[kind] -= 1
                mark = f"-{copy}" if copy else ""
                pair = row.question.pair_id
                if row.question.perturbation:
                    case = pair.removesuffix(f"/{row.question.perturbation}")
                    pair = f"{case}{mark}/{row.question.perturbation}"
                else:
                    pair = pair and pair + mark
                scenes = tuple(scene + mark for scene in row.question.scene_ids)
                yield Row(row.config, replace(row.question, id=row.question.id + mark, pair_id=pair, scene_ids=scenes))


def prepare(folder: Path, models: int) -> None:
    """Write splits and a board."""
    editions = list[Edition]()
    for name in SIZES:
        told = splits.read_manifest(starter(name))
        vocabulary = {key: told.config[key] for key in ("vocabulary",) if key in told.config}
        splits.write_split(
            folder / "splits" / name, repeated(name), benchmark=name, version="1.0.0", seed=0, config=vocabulary
        )
        editions.append(of_split(folder / "splits" / name))
    write_board(Board(folder=folder, title="A hundred models", editions=tuple(editions)))
    with ProcessPoolExecutor(2) as pool:
        for _ in pool.map(enter, [folder] * len(editions), editions, [models] * len(editions)):
            pass


def enter(folder: Path, edition: Edition, models: int) -> None:
    """Add all entries to an edition, and put what follows from it alone into the cache."""
    board, asked = read_board(folder), read_edition(edition, folder / "splits" / edition.benchmark)
    file = cache_folder() / "board" / f"levels-1-{edition.content_hash}.json"
    if not file.is_file():  # the word floor of 3,484 questions takes half a minute, once
        write_atomic(file, canonical([{"name": "Chance", "kind": "guesses evenly among the answers", "value": 30.0}]))
    levels(asked)
    for number in range(models):
        skill, offered = 0.3 + 0.6 * number / models, Offered(asked)
        random = rng(0, "board", number, edition.name)
        for row in asked.rows:
            if row["kind"] == "caption":
                seen = [w for w in row["objects"] if random.random() < skill] + list(row["candidates"][: number % 2])
                said = caption(seen) + " The scene is drawn in a calm style with clear colours." * 3 + f" ({number})"
            else:
                allowed = "ABCDEFGHIJ"[: len(row["choices"])] if row["choices"] else ("yes", "no")
                sure = random.random() < skill
                said = row["answer"] if sure else str(allowed[int(random.integers(len(allowed)))])
                said = (said, f"{said.capitalize()}.", f"The answer is {said}.")[number % 3]
            offered.add(row["id"], said)
        found = submit(board, offered, About(name=f"Model {number:03}", organisation="Lab", parameters=number * 10**9))
        assert found.entry is not None
        assert not found.reasons, found.reasons
        found.place.write(found.entry, found.answers)


def memory(group: int) -> int:
    """Return the resident bytes of all processes of a group, shared pages counted once for each."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            continue
    return total


def figures(models: int = 100) -> list[Figure]:
    """Return time, memory and sizes of a board of so many models."""
    with tempfile.TemporaryDirectory() as name:
        folder, start = Path(name) / "board", time.perf_counter()
        prepare(folder, models)
        print(f"prepared in {time.perf_counter() - start:.0f} s; load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        before = used.ru_utime + used.ru_stime
        out, start, peak = Path(name) / "site", time.perf_counter(), 0
        words = ["leaderboard", "build", "--board", str(folder), "--out", str(out)]
        with subprocess.Popen([sys.executable, "-c", _RUN, *words], start_new_session=True) as run:
            while run.poll() is None:
                peak = max(peak, memory(run.pid))
                time.sleep(0.1)
        took = time.perf_counter() - start
        assert run.returncode == 0
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        files = [path for path in out.rglob("*") if path.is_file()]
        pieces = [path.stat().st_size / 1e3 for path in out.glob("data/*/[0-9]*.js")]
        questions = sum(sum(size) for size in SIZES.values())
        answers = sum(path.stat().st_size for path in folder.rglob("answers.parquet"))
        work = f"{models} models × {questions:,} questions"
        return [
            Figure(work=f"{work}: by the clock", ours=took, bound=60),
            Figure(work=f"{work}: processor", ours=used.ru_utime + used.ru_stime - before),
            Figure(work=f"{work}: memory of all processes", ours=peak / 1e9, unit="GB", bound=1.0),
            Figure(work="the overview", ours=(out / "index.html").stat().st_size / 1e3, unit="kB", bound=400),
            Figure(work=f"the largest of {len(pieces)} pieces of examples", ours=max(pieces), unit="kB", bound=260),
            Figure(work="an answer in the board", ours=8 * answers / models / questions, unit="bits"),
            Figure(work="the whole site", ours=sum(path.stat().st_size for path in files) / 1e6, unit="MB"),
        ]


def main(models: int) -> int:
    found = figures(models)
    for figure in found:
        print(f"{figure.ours:8.1f} {figure.unit:<4} {figure.goal:<10} {figure.work}")
    print(f"load {os.getloadavg()[0]:.1f}")
    return int(not all(figure.held for figure in found))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
