"""Digests of the markup of every environment and creature, and of the pixels of a few sprites.

No stroke changes without a change of this file.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.creatures import creature
from vhbench.generators.scenes.drawings import sprites
from vhbench.generators.scenes.drawings.sprites import Look
from vhbench.generators.scenes.environments import backdrops
from vhbench.generators.scenes.environments.atlas import ENVIRONMENTS

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


def golden(part: str) -> dict[str, str]:
    """Return the digests as they were."""
    return dict(json.loads(FILE.read_text())[part])


def renew() -> None:
    """Write the digests as they are."""
    found = {"environments": environments(), "creatures": creatures(), "sprites": rasters()}
    FILE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
