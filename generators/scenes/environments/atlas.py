"""Environments: where a scene can be, in which states, and which words each of them paints as areas.

An *area* is present but not countable (sky, grass, a painted window): its word is never counted and never asked
about as absent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt
import resvg_py

from vhbench.generators.scenes.catalog import Place
from vhbench.generators.scenes.environments import brushes as brush
from vhbench.generators.scenes.environments import indoor, outdoor
from vhbench.generators.scenes.environments.words import AREA_CONFUSABLE as AREA_CONFUSABLE
from vhbench.generators.scenes.environments.words import STATE_WORDS as STATE_WORDS
from vhbench.schema import VhbenchError
from vhbench.seeding import rng


@dataclass(frozen=True, slots=True)
class Band:
    """Where things of a place may be, in fractions of the picture.

    Attributes:
        top: smallest height of the foot, from the top (wall and air: of the middle).
        bottom: largest height.
        far: from and to across the picture at ``top``.
        near: the same at ``bottom``.
    """

    top: float
    bottom: float
    far: tuple[float, float] = (0.04, 0.96)
    near: tuple[float, float] = (0.04, 0.96)


VARIANTS = 4
"""How many pictures there are of each environment and state."""

OUTDOOR_STATES = ("sunny", "gloomy", "sunset", "night")
INDOOR_STATES = ("bright", "dim")

RESOLUTION = 0.64
"""Share of the pixels' number at which environments are painted: a soft background, and three times as fast."""

SEED = 20250117
"""The paintings do not depend on a split's seed, so that they can be cached."""


@dataclass(frozen=True, slots=True)
class Environment:
    """One environment.

    Attributes:
        name: the word for it, in English.
        paint: paints it onto a canvas.
        states: what it can be like; the first is the usual one.
        horizon: height of the eye's horizon, as a fraction from the top; sizes shrink towards it.
        bands: place → where things of that place may be. A place that is missing cannot be used here.
        paints: the words that it paints, whatever the state.
        indoor: no weather, soft shadows.
        synonyms: other words for it.
    """

    name: str
    paint: Callable[[brush.Canvas], None]
    states: tuple[str, ...]
    horizon: float
    bands: Mapping[Place, Band]
    paints: tuple[str, ...]
    indoor: bool = False
    synonyms: tuple[str, ...] = ()

    @property
    def places(self) -> frozenset[Place]:
        """The places that things can have here."""
        return frozenset(self.bands)

    def areas(self, state: str = "") -> tuple[str, ...]:
        """Return the words that are painted in a state."""
        state = canonical_state(state, self.name) or self.states[0]
        words = list(self.paints)
        if "sky" in words:
            words += {"night": ["star", "moon", "cloud"], "sunny": ["sun", "cloud"], "withered": ["sun", "cloud"]}.get(
                state, ["cloud"]
            )
        if state == "withered" and "grass" in words:
            words.append("tussock")
        if state == "snowy":
            words = [word for word in words if word != "grass"] + ["snow"]
        return tuple(dict.fromkeys(words))


@dataclass(frozen=True, slots=True)
class Backdrop:
    """A painted environment.

    Attributes:
        name: of the environment.
        state: of the environment.
        pixels: sRGB, uint8, shape (size, size, 3), read-only.
        horizon: as in :class:`Environment`.
        bands: as in :class:`Environment`.
        areas: the words painted in this very picture.
        indoor: no weather, soft shadows.
        haze: the colour that far things fade to, sRGB.
        shadow: opacity of cast shadows in [0, 1].
        light: factor per channel for the light on things; close to 1 so that colours keep their names.
    """

    name: str
    state: str
    pixels: npt.NDArray[np.uint8]
    horizon: float
    bands: Mapping[Place, Band]
    areas: tuple[str, ...]
    indoor: bool
    haze: tuple[int, int, int]
    shadow: float
    light: tuple[float, float, float]


def find_environment(word: str) -> Environment | None:
    """Return the environment that a word or synonym stands for, or None."""
    return _index().get(word.strip().lower().replace("_", " "))


def canonical_state(word: str, name: str = "") -> str:
    """Return the state that a word stands for, or the word itself where it stands for none.

    Args:
        word: "lush", "sunny" …
        name: of an environment: "lush" is "sunny" for a forest, and nothing for a desert.
    """
    if word not in STATE_WORDS:
        return word
    state, needs = STATE_WORDS[word]
    painted = ENVIRONMENTS[name].paints if name else needs
    return state if not needs or set(needs) & set(painted) else word


@lru_cache(maxsize=128)  # 100 MB at 512 pixels
def backdrop(name: str, *, state: str = "", variant: int = 0, size: int = 512) -> Backdrop:
    """Paint an environment.

    Args:
        name: of the environment, or a synonym.
        state: one of its states, or "" for the usual one.
        variant: any number; pictures repeat after :data:`VARIANTS`.
        size: side in pixels.

    Raises:
        VhbenchError: if there is no such environment or state.
    """
    environment = _find(name)
    state = _state(environment, state)
    canvas = _canvas(environment.name, state, variant % VARIANTS)
    flat = _rasterise(canvas.svg(), round(size * RESOLUTION))
    lit = cv2.resize(flat * _light(canvas, flat, environment), (size, size), interpolation=cv2.INTER_CUBIC)
    pixels = np.clip(lit * _grain(environment.name, variant % VARIANTS, size) + 0.5, 0, 255).astype(np.uint8)
    pixels.flags.writeable = False
    rows = (
        pixels[int(size * environment.horizon * 0.9) : int(size * environment.horizon) + 1]
        if environment.horizon > 0
        else pixels
    )
    red, green, blue = (int(channel) for channel in rows.reshape(-1, 3).mean(0))
    return Backdrop(
        name=environment.name,
        state=state,
        pixels=pixels,
        horizon=environment.horizon,
        bands=environment.bands,
        areas=tuple(canvas.areas),
        indoor=environment.indoor,
        haze=(red, green, blue),
        shadow=0.26 if environment.indoor else {"sunny": 0.36, "night": 0.2}.get(state, 0.28),
        light=_LIGHT.get(state, (1.0, 1.0, 1.0)),
    )


def _find(name: str) -> Environment:
    environment = find_environment(name)
    if environment is None:
        raise VhbenchError(f"unknown environment {name!r}: must be one of {', '.join(ENVIRONMENTS)}")
    return environment


def _state(environment: Environment, state: str) -> str:
    state = canonical_state(state, environment.name) or environment.states[0]
    if state not in environment.states:
        raise VhbenchError(f"{environment.name} cannot be {state!r}: must be one of {', '.join(environment.states)}")
    return state


@lru_cache(maxsize=512)
def _canvas(name: str, state: str, variant: int) -> brush.Canvas:
    environment = ENVIRONMENTS[name]
    state = _state(environment, state)
    canvas = brush.Canvas(rng(SEED, "environment", name, state, variant), state)
    environment.paint(canvas)
    if state == "snowy":
        brush.falling_snow(canvas)
    return canvas


def _rasterise(svg: str, size: int) -> npt.NDArray[np.uint8]:
    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size, skip_system_fonts=True))
    blue_green_red = np.asarray(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR))
    return np.ascontiguousarray(blue_green_red[..., ::-1], dtype=np.uint8)


def _light(canvas: brush.Canvas, pixels: npt.NDArray[np.uint8], environment: Environment) -> npt.NDArray[np.float32]:
    """Return the factor per pixel that a state's light has; the sky is painted in the state's own colours."""
    tint = _INDOOR_TINTS.get(canvas.state, "#ffffff") if environment.indoor else canvas.mood.tint
    factor = np.array([int(tint[i : i + 2], 16) / 255 for i in (1, 3, 5)], dtype=np.float32)
    if not canvas.sky_parts or tint == "#ffffff":
        return np.broadcast_to(factor, pixels.shape)
    sky = _rasterise(canvas.svg(parts=canvas.sky_parts), pixels.shape[0])
    is_sky = (sky == pixels).all(-1, keepdims=True)
    return np.where(is_sky, np.float32(1), factor)


def _grain(name: str, variant: int, size: int) -> npt.NDArray[np.float32]:
    """Return a fine noise, so that flat fills look like paint."""
    return 1 + 0.012 * rng(SEED, "grain", name, variant).standard_normal((size, size, 1), dtype=np.float32)


@lru_cache(maxsize=1)
def _index() -> Mapping[str, Environment]:
    index = {environment.name: environment for environment in ENVIRONMENTS.values()}
    for environment in ENVIRONMENTS.values():
        for word in environment.synonyms:
            index.setdefault(word, environment)
    return index


_LIGHT = {
    "night": (0.80, 0.84, 0.94),
    "gloomy": (0.93, 0.94, 0.95),
    "sunset": (1.0, 0.96, 0.91),
    "dim": (0.86, 0.85, 0.84),
}
_INDOOR_TINTS = {"bright": "#ffffff", "dim": "#a8a39c"}

_AIR: dict[Place, Band] = {"air": Band(0.12, 0.38), "sky": Band(0.10, 0.30)}
_LAND: dict[Place, Band] = {**_AIR, "ground": Band(0.60, 0.97), "floor": Band(0.66, 0.97), "table": Band(0.66, 0.97)}
_ROOM: dict[Place, Band] = {
    "ground": Band(0.66, 0.97),
    "floor": Band(0.70, 0.97),
    "table": Band(0.70, 0.97),
    "wall": Band(0.16, 0.38),
    "air": Band(0.12, 0.38),
}


def _standing(band: Band, **others: Band) -> dict[Place, Band]:
    """Return bands for things that stand within one band, and in the air."""
    bands: dict[Place, Band] = {**_AIR, "ground": band, "floor": band, "table": band}
    if "water" in others:
        bands["water"] = others["water"]
    return bands


def _land(
    name: str, paint: Callable[[brush.Canvas], None], horizon: float, paints: str, *, also: str = "", synonyms: str = ""
) -> Environment:
    states = (*OUTDOOR_STATES, *also.split())
    return Environment(name, paint, states, horizon, _LAND, tuple(paints.split()), synonyms=_split(synonyms))


def _inside(name: str, paint: Callable[[brush.Canvas], None], paints: str, *, synonyms: str = "") -> Environment:
    words = tuple(word.replace("_", " ") for word in paints.split())
    return Environment(name, paint, INDOOR_STATES, 0.40, _ROOM, words, indoor=True, synonyms=_split(synonyms))


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split(",")) if words else ()


_SEASONS = "withered snowy"
_ALL = (
    _land("grass", outdoor.grass, 0.45, "sky mountain grass", also=_SEASONS, synonyms="meadow,field,tussock,ground"),
    _land("forest", outdoor.forest, 0.44, "sky tree ground grass forest", also=_SEASONS, synonyms="woods,tree"),
    _land("park", outdoor.park, 0.45, "sky tree grass path ground", also=_SEASONS, synonyms="garden"),
    _land("mountain", outdoor.mountain, 0.48, "sky mountain forest tree grass", also=_SEASONS, synonyms="mountains"),
    _land("snow", outdoor.snow, 0.45, "sky mountain tree snow", synonyms="snowfield"),
    _land("desert", outdoor.desert, 0.46, "sky desert sand"),
    _land(
        "street",
        outdoor.street,
        0.36,
        "sky building house window sidewalk tree road street ground",
        also="snowy",
        synonyms="road,city,sidewalk,building",
    ),
    _land("court", outdoor.court, 0.42, "sky tree court ground", synonyms="tennis court"),
    _land("track", outdoor.track, 0.42, "sky tree grass track ground", synonyms="running track"),
    _land("airport", outdoor.airport, 0.44, "sky building window grass runway airport ground", synonyms="runway"),
    _land("railway", outdoor.railway, 0.42, "sky mountain grass ground rail", also=_SEASONS, synonyms="rail,rails"),
    Environment(
        "beach",
        outdoor.beach,
        OUTDOOR_STATES,
        0.38,
        _standing(Band(0.68, 0.97), water=Band(0.44, 0.54)),
        ("sky", "sea", "water", "sand", "beach", "waterfront"),
        synonyms=("sand", "waterfront", "seaside"),
    ),
    Environment(
        "lake",
        outdoor.lake,
        (*OUTDOOR_STATES, "withered", "snowy"),
        0.42,
        _standing(Band(0.85, 0.97), water=Band(0.52, 0.72)),
        ("sky", "mountain", "forest", "tree", "lake", "water", "grass", "waterfront"),
    ),
    Environment(
        "river",
        outdoor.river,
        (*OUTDOOR_STATES, "withered"),
        0.43,
        _standing(Band(0.60, 0.97, far=(0.66, 0.96), near=(0.74, 0.97))),
        ("sky", "mountain", "grass", "river", "water", "waterfront"),
    ),
    Environment(
        "sea",
        outdoor.sea,
        OUTDOOR_STATES,
        0.38,
        {**_AIR, "water": Band(0.54, 0.92)},
        ("sky", "sea", "water"),
        synonyms=("ocean", "water"),
    ),
    Environment(
        "glacier",
        outdoor.glacier,
        OUTDOOR_STATES,
        0.45,
        {**_AIR, "water": Band(0.66, 0.92)},
        ("sky", "glacier", "sea", "water", "snow"),
    ),
    Environment(
        "island",
        outdoor.island,
        OUTDOOR_STATES,
        0.40,
        _standing(Band(0.73, 0.88, (0.22, 0.78), (0.18, 0.82)), water=Band(0.48, 0.58)),
        ("sky", "sea", "water", "island", "sand", "grass", "beach"),
    ),
    Environment(
        "pier",
        outdoor.pier,
        OUTDOOR_STATES,
        0.38,
        _standing(Band(0.66, 0.97, (0.2, 0.8), (0.04, 0.96)), water=Band(0.45, 0.53)),
        ("sky", "sea", "water", "pier", "floor"),
        synonyms=("dock",),
    ),
    Environment(
        "sky",
        outdoor.sky_only,
        OUTDOOR_STATES,
        -0.6,
        {"air": Band(0.15, 0.85), "sky": Band(0.12, 0.5)},
        ("sky",),
        synonyms=("cloud",),
    ),
    Environment(
        "reef",
        outdoor.reef,
        ("sunny", "gloomy"),
        0.30,
        {place: Band(0.86, 0.97) for place in ("ground", "floor", "table")},
        ("sand", "reef", "water", "sea"),
        synonyms=("coral reef", "underwater"),
    ),
    _inside("kitchen", indoor.kitchen, "wall floor cabinet counter oven cooktop"),
    _inside("living room", indoor.living_room, "wall floor window carpet", synonyms="floor"),
    _inside("bedroom", indoor.bedroom, "wall floor window curtain"),
    _inside("bathroom", indoor.bathroom, "wall floor"),
    _inside("room", indoor.room, "wall floor", synonyms="wall"),
    _inside("classroom", indoor.classroom, "wall floor board"),
    _inside("office", indoor.office, "wall ceiling ceiling_light window floor", synonyms="ceiling"),
    Environment(
        "stage",
        indoor.stage,
        INDOOR_STATES,
        0.46,
        {**_ROOM, "ground": Band(0.74, 0.97), "table": Band(0.74, 0.97)},
        ("stage", "curtain", "floor", "spotlight"),
        indoor=True,
    ),
)

ENVIRONMENTS: Mapping[str, Environment] = {environment.name: environment for environment in _ALL}
"""Name → environment."""

AREAS: frozenset[str] = frozenset(word for e in _ALL for state in e.states for word in e.areas(state))
"""Every word that some environment paints."""
