"""MIOH of pictures that are described, not drawn: a build that takes a second."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from vhbench.builds.split_build import SplitBuild
from vhbench.generators.mioh.filler import Filler
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.sizes import sizes
from vhbench.images import to_png
from vhbench.schema import Question, Row, Scene, SceneObject
from vhbench.seeding import rng

TYPES = ("E1", "E5", "C1", "P1")
WORDS = ("dog", "cat", "bus", "cup", "chair", "kite")


@dataclass(frozen=True, kw_only=True)
class PaperMioh(SplitBuild):
    """MIOH of pictures that are described, not drawn."""

    benchmark = "mioh"
    shards = len(TYPES)

    each: int = 6

    @property
    def config(self) -> Mapping[str, Any]:
        return {}

    @property
    def sources(self) -> Mapping[str, str]:
        return {}

    def make(self, shard: int) -> Iterator[Row]:
        filler = Filler(QUESTION_TYPES[TYPES[shard]], paper_pool(), sizes(self.each), seed=self.seed, source="paper")
        for made in filler.fill():
            if isinstance(made, Question):
                yield Row(f"mioh_{PRESSURES[made.pressure].group}", made)


@lru_cache(maxsize=1)
def paper_pool() -> ScenePool:
    return ScenePool([paper_scene(number) for number in range(400)])


def paper_scene(number: int) -> Scene:
    random = rng(number, "paper")
    objects = []
    for i in range(int(random.integers(1, 5))):
        side = float(random.choice([50, 220]))
        x, y = (float(v) for v in random.uniform(10, 990 - side, 2))
        word = WORDS[int(random.integers(len(WORDS)))]
        thing = SceneObject(i, word, (x, y, side, side), side * side, visible_fraction=1.0, in_frame_fraction=1.0)
        objects.append(thing)
    known = frozenset(WORDS)
    image = to_png(picture(number))
    return Scene(f"s{number}", image, 1000, 1000, tuple(objects), known=known, countable=known)


def picture(number: int) -> Image.Image:
    return Image.fromarray(rng(number, "noise").integers(0, 256, (4, 4, 3), dtype=np.uint8))
