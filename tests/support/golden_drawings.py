"""Digests of the markup of every environment and creature, and of the pixels of a few sprites.

No stroke changes without a change of this file.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.creatures import creature
from vhbench.generators.scenes.drawings import sprites
from vhbench.generators.scenes.drawings.sprites import Look
from vhbench.generators.scenes.environments import backdrops
from vhbench.generators.scenes.environments.atlas import ENVIRONMENTS
from vhbench.generators.scenes.source import SceneSource
from vhbench.generators.scenes.specs import random_spec
from vhbench.schema import ObjectSpec, SceneSpec

FILE = Path(__file__).resolve().parent.parent / "golden" / "drawings.json"


def digest(texts: Iterable[str]) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()[:16]


def environments() -> dict[str, str]:
    """Return environment → digest over its states and variants."""
    return {
        name: digest(
            backdrops._canvas(name, state, variant).svg()
            for state in environment.states
            for variant in range(backdrops.VARIANTS)
        )
        for name, environment in ENVIRONMENTS.items()
    }


def creatures() -> dict[str, str]:
    """Return creature → digest over its actions, colours and variants."""
    found = {}
    for word in creature.CREATURES:
        entry = catalog.find(word)
        looks = [(colour, "") for colour in ("", *entry.colours)] + [("", action) for action in entry.actions]
        found[word] = digest(
            str(creature.creature(word, colour, action, variant))
            for colour, action in looks
            for variant in range(creature.VARIANTS)
        )
    return found


def rasters() -> dict[str, str]:
    """Return look → digest of its pixels and of its shadow's at two sizes."""
    found = {}
    for look in (Look("basketball"), Look("duck", flip=True), Look("car", colour="red", sunk=0.25)):
        pieces = []
        for longest in (40, 97):
            drawn, cast = sprites.sprite(look, longest), sprites.shadow(look, longest)
            pieces += [drawn.rgb.tobytes().hex(), drawn.alpha.tobytes().hex(), cast.darkness.tobytes().hex()]
            pieces += [str(part) for part in (drawn.rgb.shape, cast.darkness.shape, cast.at)]
        found[look.word] = digest(pieces)
    return found


def specs() -> dict[str, SceneSpec]:
    """Return name → specification: of random things, with and without requests."""
    red, sitting = ObjectSpec("car", 2, colour="red"), ObjectSpec("person", action="sitting")
    requests: dict[str, dict[str, Any]] = {
        "open": {},
        "words": {"words": ("dog", "cat", "kite", "chair", "car", "boat"), "k": 4},
        "must": {"must": (red, sitting), "absent": ("dog", "tree")},
        "place": {"environment": "beach", "state": "sunset", "k": 6},
        "among": {"among": ("kitchen", "street"), "counts": (2, 4)},
        "crowd": {"k": 8, "counts": (3,)},
    }
    return {
        f"{name}-{number}": random_spec(number, name, number, **request)
        for name, request in requests.items()
        for number in range(4)
    }


@cache
def scenes() -> dict[str, str]:
    """Return name → digest of the small scene of a specification, its ground truth and its image, or its rejection."""
    hard = {
        word: SceneSpec(word, (ObjectSpec("dog", hard=(word,)), ObjectSpec("chair", 2)), "park")
        for word in ("small", "truncated", "occluded", "low_contrast")
    }
    related = {
        word: SceneSpec(word, (ObjectSpec("cup"), ObjectSpec("table")), relations=((0, word, 1),))
        for word in ("left of", "right of", "on", "above", "in front of", "behind", "next to")
    }
    asked = {name: replace(spec, width=176, height=144) for name, spec in (specs() | hard | related).items()}
    made = SceneSource("png").make(list(asked.values()), seed=5)
    return {name: digest([_text(asdict(scene))]) for name, scene in zip(asked, made, strict=True)}


def _text(value: Any) -> str:
    """Return a value as text, whatever the order of its sets."""
    if isinstance(value, dict):
        return str({key: _text(part) for key, part in value.items()})
    if isinstance(value, frozenset):
        return str(sorted(map(_text, value)))
    return str([*map(_text, value)]) if isinstance(value, list | tuple) else str(value)


def golden(part: str) -> dict[str, str]:
    """Return the digests as they were."""
    return dict(json.loads(FILE.read_text())[part])


def renew() -> None:
    """Write the digests as they are."""
    found = {"environments": environments(), "creatures": creatures(), "sprites": rasters(), "scenes": scenes()}
    found["specs"] = {name: digest([str(spec)]) for name, spec in specs().items()}
    FILE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
