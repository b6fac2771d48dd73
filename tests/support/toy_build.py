"""A build that tests can run in other processes: grey noise, one question on each picture in config "a" or "b"."""

import io
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from vhbench.schema import Question, Rejection, Row, Scene, SceneObject, VhbenchError
from vhbench.seeding import rng


@dataclass(frozen=True)
class ToyBuild:
    seed: int = 0
    shards: int = 6
    rows: int = 5
    delay: float = 0
    tell: bool = False
    wrong: bool = False
    crash: bool = False
    benchmark: str = "ode"
    version: str = "1.0.0"
    sources: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    on_gpu: bool = False

    @property
    def config(self) -> Mapping[str, Any]:
        return {"rows": self.rows, "shards": self.shards, "seed": self.seed}

    def check_notes(self, notes: Mapping[str, Mapping[str, object]]) -> None:
        """Accept all."""

    def facts(self, scenes: Iterable[Scene]) -> Mapping[str, Any]:
        return {}

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection]:
        if self.log:
            with self.log.open("a") as log:
                log.write(f"{shard}\n")
        if self.wrong and shard == 2:
            raise VhbenchError("annotation 7: unknown category 'x'")
        if self.crash and shard == 2:
            os._exit(1)
        for n in range(self.rows):
            time.sleep(self.delay)
            pixels = rng(self.seed, "pixels", shard, n).integers(0, 256, (16, 16), dtype="uint8")
            buffer = io.BytesIO()
            Image.fromarray(pixels).convert("RGB").save(buffer, "PNG")
            name = f"s{shard}-{n}"
            thing = SceneObject(1, "dog", (0, 0, 4, 4), 16)
            told = {"source": "toy", "generator_seed": self.seed}
            scene = Scene(name, buffer.getvalue(), 16, 16, (thing,), provenance=told)
            yield scene
            text = f"Is there a dog? {self.seed}" if self.tell else "Is there a dog in this image?"
            question = Question(
                f"q{shard}-{n}",
                images=(scene.image,),
                question=text,
                answer="yes",
                kind="yes_no",
                benchmark="ode",
                scene_ids=(name,),
            )
            yield Row("ab"[n % 2], question)
        yield Rejection(f"r{shard}", "too small", {"area": 3})


@dataclass(frozen=True)
class NodeBuild(ToyBuild):
    """Notes on which of Ray's nodes a shard was built: each has a raylet of its own, which starts the workers.

    Attributes:
        nodes: folder of the note.
    """

    nodes: Path = Path()

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection]:
        with (self.nodes / "nodes").open("a") as notes:
            notes.write(f"{os.getppid()}\n")
        return super().make(shard)


@dataclass(frozen=True)
class GpuBuild(ToyBuild):
    """Tells which GPU each of its shards was built on, as processes without torch see it."""

    on_gpu: bool = True
    notes: Path = Path()

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection]:
        (self.notes / f"{shard}").write_text(os.environ.get("CUDA_VISIBLE_DEVICES", "none"))
        time.sleep(0.3)  # so that no worker takes all of them
        yield from super().make(shard)
