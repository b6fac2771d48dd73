"""Memory of a whole build: 100,000 rows of 70 kB images, shards and merge, against the 1 GB that it may take.

``python benchmarks/bench_memory.py 2000`` tries fewer rows. Writes twice 7 GB below the folder for temporary files.
"""

import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vhbench.builds import sharding
from vhbench.schema import Question, Row, Scene

IMAGE_BYTES = 70_000
ROWS_PER_SHARD = 5_000


@dataclass(frozen=True)
class NoiseBuild:
    """Rows with noise in place of images, all different."""

    rows: int
    seed: int = 0
    benchmark: str = "ode"
    version: str = "1.0.0"
    config: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def shards(self) -> int:
        """Of 5,000 rows each."""
        return -(-self.rows // ROWS_PER_SHARD)

    def facts(self, scenes: Iterable[Scene]) -> Mapping[str, Any]:
        """Nothing more."""
        return {}

    def make(self, shard: int) -> Iterator[Row]:
        """Yield a shard's rows."""
        noise = np.random.default_rng(shard).bytes(IMAGE_BYTES)
        for n in range(shard * ROWS_PER_SHARD, min((shard + 1) * ROWS_PER_SHARD, self.rows)):
            image = n.to_bytes(8, "little") + noise[8:]
            yield Row(
                "test",
                Question(
                    f"q{n}",
                    images=(image,),
                    question=f"Is there a dog in picture {n}?",
                    answer="yes",
                    kind="yes_no",
                    benchmark="ode",
                ),
            )


def main() -> None:
    """Print the peak of the resident memory."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    folder = Path(tempfile.mkdtemp(prefix="bench-memory-"))
    start = time.perf_counter()
    try:
        sharding.run(NoiseBuild(rows), folder, progress=sys.stderr.isatty())
    finally:
        shutil.rmtree(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    size = rows * IMAGE_BYTES / 1e9
    print(f"{rows:,} rows of 70 kB ({size:.1f} GB of images): peak memory {peak:.2f} GB of 1.00 allowed, ", end="")
    print(f"{time.perf_counter() - start:.0f} s")
    sys.exit(peak > 1)


if __name__ == "__main__":
    main()
