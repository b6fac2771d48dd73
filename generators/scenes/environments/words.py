"""Words around environments: what their states are called, and what their areas may be taken for."""

from collections.abc import Mapping

_PLANTS = ("grass", "tree", "forest")
_WATERS = ("sea", "lake", "river")
STATE_WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(("lush", "verdant", "green"), ("sunny", _PLANTS)),
    **dict.fromkeys(("calm", "sparkling", "rippling"), ("sunny", _WATERS)),
    **dict.fromkeys(("daytime", "fair"), ("sunny", ("sky",))),
    **dict.fromkeys(("cloudy", "overcast"), ("gloomy", ("sky",))),
    **dict.fromkeys(("turbulent", "stormy", "rough"), ("gloomy", ("sea",))),
    **dict.fromkeys(("dark", "starry"), ("night", ("sky",))),
    **dict.fromkeys(("snow-covered", "winter"), ("snowy", ())),
    **dict.fromkeys(("yellowed", "withering", "dry", "autumn"), ("withered", _PLANTS)),
    "dusk": ("sunset", ("sky",)),
}
"""Words that people use → the state, and what an environment must paint (one of it) for the word to mean that."""

AREA_CONFUSABLE: Mapping[str, tuple[str, ...]] = {
    "forest": ("tree", "bush", "leave", "grass"),
    "tree": ("leave", "bush", "forest"),
    "grass": ("ground", "leave", "flower", "bush", "tussock"),
    "mountain": ("rock", "stone", "ground"),
    "snow": ("ice", "ground", "grass"),
    "glacier": ("ice", "snow", "mountain", "rock"),
    "desert": ("sand", "ground"),
    "sand": ("ground", "beach", "desert", "rock"),
    "beach": ("sand", "sea", "water", "ground", "waterfront"),
    "sea": ("water", "river", "lake"),
    "lake": ("water", "river", "sea", "waterfront"),
    "river": ("water", "lake", "sea", "waterfront"),
    "water": ("sea", "lake", "river"),
    "island": ("beach", "sand", "ground", "rock"),
    "pier": ("bridge", "floor", "board", "waterfront"),
    "reef": ("rock", "stone", "bush", "flower", "tree", "fish"),
    "building": ("house", "window", "door", "wall", "glass"),
    "house": ("building", "window", "door", "wall"),
    "street": ("road", "ground", "building", "sidewalk"),
    "road": ("ground", "street", "path", "track"),
    "runway": ("road", "ground", "track"),
    "airport": ("building", "road", "ground"),
    "rail": ("track", "railing", "handrail", "fence", "stone", "rock", "board"),
    "track": ("ground", "road", "court"),
    "court": ("ground", "floor", "track", "net"),
    "stage": ("floor", "curtain", "light", "lamp", "board", "wall"),
    "window": ("glass", "mirror", "wall"),
    "wall": ("building",),
    "floor": ("ground", "board"),
    "ceiling": ("light", "lamp", "wall"),
    "ceiling light": ("lamp", "light"),
    "spotlight": ("lamp", "light"),
    "cabinet": ("dresser", "refrigerator", "door", "bookshelf", "board", "drawing"),
    "counter": ("table", "bar"),
    "oven": ("cooktop", "microwave"),
    "cooktop": ("oven", "grill"),
    "curtain": ("pole", "tablecloth"),
    "board": ("sign", "drawing", "television"),
    "carpet": ("blanket", "quilt", "tablecloth"),
    "sun": ("light",),
    "moon": ("light",),
    "star": ("light",),
    "cloud": ("sky",),
    "ground": ("floor", "rock", "stone"),
    "path": ("road", "ground"),
    "sidewalk": ("road", "ground", "path"),
}
"""Area → words that must not be asked as absent when it is painted."""
