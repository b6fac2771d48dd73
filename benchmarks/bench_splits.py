"""Writing a split against a bare pyarrow ParquetWriter, and the memory of a whole build: rows of 69 kB images.

The baseline writes the same columns of the same rows with ``pyarrow.parquet.ParquetWriter(path, schema)`` in row groups
of 200 rows, and no more: no sorting, no hashes, nothing durable. ``write_split`` hashes every image and row while a
thread writes what came before and others hash and sync the files; it sorts, and puts the directory in place at the
end. It needs a second free core: the processor times show how much work there is in each.
"""

import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measuring import Figure, apart, report

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.split_build import SplitBuild
from vhbench.schema import Question, Row
from vhbench.splits import parquet

IMAGE_BYTES = 69_000


def rows(stop: int, start: int = 0) -> Iterator[Row]:
    """Yield rows whose images all differ: as large as a JPEG, and as little compressible."""
    noise = np.random.default_rng(start).bytes(IMAGE_BYTES)
    for n in range(start, stop):
        question = {"question": f"Is there a dog in picture {n}?", "answer": "yes", "kind": "yes_no"}
        yield Row("test", Question(f"q{n}", images=(n.to_bytes(8) + noise[8:],), benchmark="ode", **question))


def bare(folder: Path, count: int) -> None:
    """Write the rows with pyarrow alone."""
    schema = parquet.schema()
    with pq.ParquetWriter(folder / "bare.parquet", schema) as writer:
        questions = (row.question for row in rows(count))
        while group := list(itertools.islice(questions, 200)):
            columns = {name: [getattr(question, name) for question in group] for name in schema.names}
            columns["images"] = [[{"bytes": image, "path": None} for image in images] for images in columns["images"]]
            writer.write_table(pa.table(columns, schema=schema))


def split(folder: Path, count: int) -> None:
    """Write the rows as a split."""
    splits.write_split(folder / "ode", rows(count), benchmark="ode", version="1.0.0", seed=0, config={})


def seconds(write: Callable[[Path, int], None], count: int) -> tuple[float, float]:
    """Return how long one writing takes, by the clock and of the processor."""
    with tempfile.TemporaryDirectory(prefix="bench-splits-") as folder:
        os.sync()
        start, work = time.perf_counter(), time.process_time()
        write(Path(folder), count)
        return time.perf_counter() - start, time.process_time() - work


@dataclass(frozen=True, kw_only=True)
class NoiseBuild(SplitBuild):
    """A build of rows with noise in place of images, in shards of 5,000."""

    benchmark, shards = "ode", 20
    count: int

    @property
    def config(self) -> Mapping[str, int]:
        return {"count": self.count}

    @property
    def sources(self) -> Mapping[str, str]:
        return {}

    def make(self, shard: int) -> Iterator[Row]:
        """Yield a shard's rows."""
        yield from rows((shard + 1) * self.count // self.shards, shard * self.count // self.shards)


def run_build(count: int) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-memory-") as name:
        sharding.run(NoiseBuild(count=count), Path(name), progress=False)


def build(count: int) -> Figure:
    """Compare the memory of a whole build with that of a tenth of it."""
    (_, tenth), (_, whole) = apart(run_build, count // 10), apart(run_build, count)
    baseline = {"baseline": "a tenth of the rows", "theirs": tenth.gigabytes}
    return Figure(work=f"build of {count:,} rows", ours=whole.gigabytes, unit="GB", bound=1.0, **baseline)


def figures(count: int = 10_000) -> list[Figure]:
    """Compare the mean times of twelve turns, in both orders: some pay for memory that was given back to the host."""
    ways = (bare, split)
    seconds(bare, count), seconds(split, count)  # the first run pays for the imports and for fresh memory
    orders = 6 * [ways, ways[::-1]]
    turns = [{way: seconds(way, count) for way in order} for order in orders]
    clock, work = ({way: statistics.fmean(turn[way][kind] for turn in turns) for way in ways} for kind in (0, 1))
    writer = {"baseline": "bare ParquetWriter", "theirs": clock[bare]}
    return [
        Figure(work=f"write_split, {count:,} rows of 69 kB", ours=clock[split], times=1 / 1.3, **writer),
        Figure(work="  processor", ours=work[split], baseline="bare ParquetWriter", theirs=work[bare]),
        build(10 * count),
    ]


if __name__ == "__main__":
    report(figures(*map(int, sys.argv[1:2])))
