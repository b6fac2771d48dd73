"""The three pressures of MIOH (arXiv 2608.30653, section 3.3) and where they begin.

The paper publishes no numbers; these defaults are ours, they are options of the build, and the manifest holds them.
Between "easy" and "hard" there is a gap on purpose, so that a pressed question differs visibly from its easy twin.
"""

from dataclasses import dataclass
from typing import Final

from vhbench.benchmarks import pressure_family

CLIP_PROMPT: Final = "A photo of {}"


@dataclass(frozen=True, slots=True)
class PressureThresholds:
    """When a positive is hard, and when a negative is.

    Areas are shares of the image; fills are (mask area / box area) relative to the category's median.

    What is said of positives holds for presence, attributes and relations: hard if every instance is, easy if one is.
    Counting is the other way round, since each instance counts: hard if at least one is, easy if every one is.

    Attributes:
        small: hard positive: every instance covers less than this; one that is hidden or cut as well, or covers less
            than a fifth of it, is not asked about.
        large: easy positive: an instance covers at least this.
        tiny: an instance whose shorter side is below this share of the image's longer side is too small to ask
            about: it is no positive, and nothing of its kind is counted in its image.
        hidden: hard positive: visible fraction (or, where unknown, relative fill) below this.
        clear: easy positive: visible fraction (relative fill) at least this.
        cut: hard positive: less than this share of the silhouette is inside the frame; where unknown: the box
            touches the frame and its centre lies within ``margin`` of it.
        margin: share of the width or height.
        cooccurring: hard negative: max over what is present of P(target | present) at least this, and
        near: at least this quantile among the images without the target.
        far: easy negative: at most this quantile.
        clip_low: hard positive: similarity to "A photo of [object]" at most this quantile of the positives.
        clip_high: hard negative: similarity at least this quantile of the negatives.
        support: images that must show a category before P(. | category) is believed.
    """

    small: float = 0.01
    large: float = 0.03
    tiny: float = 0.02
    hidden: float = 0.5
    clear: float = 0.75
    cut: float = 0.6
    margin: float = 0.15
    cooccurring: float = 0.1
    near: float = 0.8
    far: float = 0.5
    clip_low: float = 0.2
    clip_high: float = 0.9
    support: int = 3


@dataclass(frozen=True, slots=True)
class Pressure:
    """What one value of the column ``pressure`` means.

    Attributes:
        name: in the column.
        head: what stands above a column of a table.
        words: how a sentence speaks of it: "loses 5 points with …".
        images: how many images the question gets; 0 for as many as its easy twin.
        hp: whether its positives are hard.
        hn: whether its negatives are.
    """

    name: str
    head: str
    words: str
    images: int = 0
    hp: bool = False
    hn: bool = False

    @property
    def presses(self) -> bool:
        """Whether it is harder than easy: fewer images than the easy question has, or as many, are no pressure."""
        return self.hp or self.hn or self.group == "ni"

    @property
    def group(self) -> str:
        """What configs and tasks call it; all numbers of images that press are one, and so are the others."""
        return pressure_family(self.name).replace("+", "_")


_ALL = (
    Pressure("easy", "easy", "easy questions"),
    *(Pressure(f"ni{n}", f"NI {n}", f"{n} images", images=n) for n in (2, 4, 8, 10)),
    Pressure("hp", "HP", "hard positives", hp=True),
    Pressure("hn", "HN", "hard negatives", hn=True),
    Pressure("hp+hn", "HP+HN", "hard positives and negatives together", hp=True, hn=True),
)

PRESSURES: Final[dict[str, Pressure]] = {pressure.name: pressure for pressure in _ALL}
"""The values of the column ``pressure``, in the order of reports."""

NUMBERS_OF_IMAGES: Final = tuple(pressure.images for pressure in PRESSURES.values() if pressure.images)
