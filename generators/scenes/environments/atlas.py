"""All environments and the words they render."""

from collections.abc import Callable, Mapping
from pathlib import Path

from vhbench.generators.scenes.catalog import Place, plain
from vhbench.generators.scenes.environments import indoor, outdoor
from vhbench.generators.scenes.environments.brushes import Canvas
from vhbench.generators.scenes.environments.environment import Band, Environment
from vhbench.tsv import records, words

Bands = Mapping[Place, Band]
Painter = Callable[[Canvas], None]

_OUTDOORS = "sunny,gloomy,sunset,night"
_INDOORS = "bright,dim"
_SEASONS = f"{_OUTDOORS},withered,snowy"

_AIR: Bands = {"air": Band(0.12, 0.38), "sky": Band(0.10, 0.30)}
_LAND: Bands = {**_AIR, "ground": Band(0.60, 0.97), "floor": Band(0.66, 0.97), "table": Band(0.66, 0.97)}
_ROOM: Bands = {
    "ground": Band(0.66, 0.97), "floor": Band(0.70, 0.97), "table": Band(0.70, 0.97), "wall": Band(0.16, 0.38),
    "air": Band(0.12, 0.38),
}  # fmt: skip


def _standing(band: Band) -> Bands:
    """Return one band for all standing objects."""
    return {"ground": band, "floor": band, "table": band}


def _shore(band: Band, water: Band) -> Bands:
    return {**_AIR, **_standing(band), "water": water}


def _at(
    name: str, paint: Painter, horizon: float, bands: Bands, paints: str, synonyms: str = "", states: str = _OUTDOORS
) -> Environment:
    return Environment(name, paint, words(states), horizon, bands, words(paints), states == _INDOORS, words(synonyms))


_ALL = (
    _at("grass", outdoor.grass, 0.45, _LAND, "sky,mountain,grass", "meadow,field,tussock,ground", _SEASONS),
    _at("forest", outdoor.forest, 0.44, _LAND, "sky,tree,ground,grass,forest", "woods,tree", _SEASONS),
    _at("park", outdoor.park, 0.45, _LAND, "sky,tree,grass,path,ground", "garden", _SEASONS),
    _at("mountain", outdoor.mountain, 0.48, _LAND, "sky,mountain,forest,tree,grass", "mountains", _SEASONS),
    _at("snow", outdoor.snow, 0.45, _LAND, "sky,mountain,tree,snow", "snowfield"),
    _at("desert", outdoor.desert, 0.46, _LAND, "sky,desert,sand"),
    _at("street", outdoor.street, 0.36, _LAND, "sky,building,house,window,sidewalk,tree,road,street,ground",
        "road,city,sidewalk,building", f"{_OUTDOORS},snowy"),
    _at("court", outdoor.court, 0.42, _LAND, "sky,tree,court,ground", "tennis court"),
    _at("track", outdoor.track, 0.42, _LAND, "sky,tree,grass,track,ground", "running track"),
    _at("airport", outdoor.airport, 0.44, _LAND, "sky,building,window,grass,runway,airport,ground", "runway"),
    _at("railway", outdoor.railway, 0.42, _LAND, "sky,mountain,grass,ground,rail", "rail,rails", _SEASONS),
    _at("beach", outdoor.beach, 0.38, _shore(Band(0.68, 0.97), Band(0.44, 0.54)),
        "sky,sea,water,sand,beach,waterfront", "sand,waterfront,seaside"),
    _at("lake", outdoor.lake, 0.42, _shore(Band(0.85, 0.97), Band(0.52, 0.72)),
        "sky,mountain,forest,tree,lake,water,grass,waterfront", "", _SEASONS),
    _at("river", outdoor.river, 0.43, {**_AIR, **_standing(Band(0.60, 0.97, (0.66, 0.96), (0.74, 0.97)))},
        "sky,mountain,grass,river,water,waterfront", "", f"{_OUTDOORS},withered"),
    _at("sea", outdoor.sea, 0.38, {**_AIR, "water": Band(0.54, 0.92)}, "sky,sea,water", "ocean,water"),
    _at("glacier", outdoor.glacier, 0.45, {**_AIR, "water": Band(0.66, 0.92)}, "sky,glacier,sea,water,snow"),
    _at("island", outdoor.island, 0.40, _shore(Band(0.73, 0.88, (0.22, 0.78), (0.18, 0.82)), Band(0.48, 0.58)),
        "sky,sea,water,island,sand,grass,beach"),
    _at("pier", outdoor.pier, 0.38, _shore(Band(0.66, 0.97, (0.2, 0.8), (0.04, 0.96)), Band(0.45, 0.53)),
        "sky,sea,water,pier,floor", "dock"),
    _at("sky", outdoor.sky_only, -0.6, {"air": Band(0.15, 0.85), "sky": Band(0.12, 0.5)}, "sky", "cloud"),
    _at("reef", outdoor.reef, 0.30, _standing(Band(0.86, 0.97)), "sand,reef,water,sea",
        "coral reef,underwater", "sunny,gloomy"),
    _at("kitchen", indoor.kitchen, 0.40, _ROOM, "wall,floor,cabinet,counter,oven,cooktop", "", _INDOORS),
    _at("living room", indoor.living_room, 0.40, _ROOM, "wall,floor,window,carpet", "floor", _INDOORS),
    _at("bedroom", indoor.bedroom, 0.40, _ROOM, "wall,floor,window,curtain", "", _INDOORS),
    _at("bathroom", indoor.bathroom, 0.40, _ROOM, "wall,floor", "", _INDOORS),
    _at("room", indoor.room, 0.40, _ROOM, "wall,floor", "wall", _INDOORS),
    _at("classroom", indoor.classroom, 0.40, _ROOM, "wall,floor,board", "", _INDOORS),
    _at("office", indoor.office, 0.40, _ROOM, "wall,ceiling,ceiling light,window,floor", "ceiling", _INDOORS),
    _at("stage", indoor.stage, 0.46, {**_ROOM, "ground": Band(0.74, 0.97), "table": Band(0.74, 0.97)},
        "stage,curtain,floor,spotlight", "", _INDOORS),
)  # fmt: skip

ENVIRONMENTS: Mapping[str, Environment] = {environment.name: environment for environment in _ALL}
"""Name → environment."""

_BY_WORD = {word: e for e in reversed(_ALL) for word in e.synonyms} | dict(ENVIRONMENTS)

AREAS: frozenset[str] = frozenset(word for e in _ALL for state in e.states for word in e.areas(state))
"""All words that some environment renders."""

AREA_CONFUSABLE: Mapping[str, tuple[str, ...]] = dict(
    records(Path(__file__).with_name("areas.tsv"), lambda area, not_absent: (area, words(not_absent)), {})
)
"""Area → words that must not be used as absent if it is rendered."""


def find_environment(word: str) -> Environment | None:
    """Return the environment that a word or synonym stands for, or None."""
    return _BY_WORD.get(plain(word))
