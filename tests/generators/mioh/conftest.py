"""A synthetic world for MIOH: boxes on paper, no pixels, with attributes and relations."""

from dataclasses import replace

import numpy as np
import pytest

from vhbench.builds import mioh_synthetic
from vhbench.builds.mioh import DRAWN
from vhbench.generators.mioh.filler import Filler
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.sizes import sizes
from vhbench.schema import Question, Rejection, Scene, SceneObject

WORDS = ("dog", "cat", "bus", "person", "knife", "cup", "chair", "kite", "horse", "umbrella")
GUESTS = ("lamp", "tent", "boat")
COLOURS = ("red", "green", "black")


def paper_scene(number: int) -> Scene:
    random = np.random.default_rng(number)
    family = number % 2  # things go in company: else no image would show two that are asked about together
    families = [family if random.random() < 0.85 else 1 - family for _ in range(int(random.integers(2, 7)))]
    words = [WORDS[which * 5 + int(random.integers(5))] for which in families]
    colours = [str(random.choice(COLOURS)) for _ in words]
    places, bias, sizes = [WORDS.index(word) % 5 for word in words], 0.4, (50, 70, 220, 260)
    if number % 4 in (0, 3):  # one of each, two of a colour: the images of a question have equal numbers
        guest, suggests = int(random.integers(3)), random.random() < 0.5
        words, sizes = [*WORDS[family * 5 : family * 5 + 5], GUESTS[guest]], (90, 95, 220, 240, 260)
        colours = [COLOURS[(i + guest) % 3] for i in range(6)]
        places, bias = [(i + 2 * guest) % 5 for i in range(6)], 0.6 * suggests
        if not suggests:
            colours = [str(colour) for colour in random.permutation(colours)]
    objects = []
    for i, word in enumerate(words):
        side = float(random.choice(sizes))
        x, y = (float(v) for v in random.uniform(10, 990 - side, 2))
        x = (1 - bias) * x + bias * places[i] / 4 * (990 - side)  # some are mostly to the left of others
        thing = SceneObject(i, word, (x, y, side, side), side * side, visible_fraction=1.0, in_frame_fraction=1.0)
        objects.append(replace(thing, attributes=(("colour", colours[i]),), known_attributes=frozenset({"colour"})))
    known = frozenset((*WORDS, *GUESTS)) - {WORDS[number % len(WORDS)]} | set(words)
    return Scene(f"s{number}", b"image", 1000, 1000, tuple(objects), known=known, countable=known)


@pytest.fixture(scope="session")
def scenes() -> list[Scene]:
    return [paper_scene(i) for i in range(2300)]


@pytest.fixture(scope="session")
def rows(scenes: list[Scene]) -> list[Question | Rejection]:
    pool, wanted = ScenePool(scenes), sizes(10)
    return [
        made for kind in QUESTION_TYPES.values() for made in Filler(kind, pool, wanted, seed=5, source="paper").fill()
    ]


@pytest.fixture(scope="session")
def questions(rows: list[Question | Rejection]) -> list[Question]:
    return [row for row in rows if isinstance(row, Question)]


@pytest.fixture(scope="session")
def drawn() -> ScenePool:
    """Return a round of drawn scenes, which show the objects of four relations together."""
    scenes, _ = mioh_synthetic.draw(mioh_synthetic.ROUND, 3, 192)
    return ScenePool(scenes, DRAWN, suggesting=mioh_synthetic.HUBS)
