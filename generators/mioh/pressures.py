"""The three pressures of MIOH (arXiv 2608.30653, section 3.3) and their thresholds.

The paper publishes no values. These defaults are ours; they are build options, and the manifest records them. The gap
between "easy" and "hard" is intentional, so that a pressed question differs visibly from its easy twin.
"""

from dataclasses import dataclass
from typing import Final

from vhbench.benchmarks import pressure_family

CLIP_PROMPT: Final = "A photo of {}"


@dataclass(frozen=True, slots=True)
class PressureThresholds:
    """Thresholds for hard positives and hard negatives.

    Areas are fractions of the image; fills are (mask area / box area) relative to the category's median. For presence,
    attributes and relations, a positive is hard if every instance is hard and easy if one is easy. Counting is the
    reverse, since each instance counts: hard if at least one is hard, easy if every one is easy.

    Attributes:
        small: hard positive: every instance covers less than this. An instance that is also occluded or cut, or that
            covers less than a fifth of this, is not used in questions.
        large: easy positive: an instance covers at least this.
        tiny: minimum ratio of an instance's shorter side to the image's longer side. A smaller instance is not a
            positive, and its category is not counted in that image.
        hidden: hard positive: visible fraction (or relative fill, if unknown) below this.
        clear: easy positive: visible fraction (or relative fill) at least this.
        related: minimum fraction of the image that each object of a relation covers: a table in the background is
            easily overlooked.
        cut: hard positive: less than this fraction of the silhouette is inside the frame. If unknown: the box touches
            the frame and its centre is within ``margin`` of it.
        margin: fraction of the width or height.
        cooccurring: hard negative: max P(target | present) at least this, and
        near: at least this quantile among the images without the target.
        far: easy negative: at most this quantile.
        clip_low: hard positive: similarity to "A photo of [object]" at most this quantile of the positives.
        clip_high: hard negative: similarity at least this quantile of the negatives.
        support: minimum number of images with a category for estimating P(. | category).
    """

    small: float = 0.01
    large: float = 0.03
    tiny: float = 0.02
    related: float = 0.0075
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
    """One value of the column ``pressure``.

    Attributes:
        name: value of the column.
        head: header of a table column.
        images: number of images per question; 0 for as many as the easy twin.
        hp: whether positives are hard.
        hn: whether negatives are hard.
    """

    name: str
    head: str
    images: int = 0
    hp: bool = False
    hn: bool = False

    @property
    def presses(self) -> bool:
        """Whether it is harder than easy: more images than the easy question, HP or HN."""
        return self.hp or self.hn or self.group == "ni"

    @property
    def group(self) -> str:
        """Name in configs and tasks; all NI values that are a pressure share one."""
        return pressure_family(self.name).replace("+", "_")


_ALL = (
    Pressure("easy", "easy"),
    *(Pressure(f"ni{n}", f"NI {n}", images=n) for n in (2, 4, 8, 10)),
    Pressure("hp", "HP", hp=True),
    Pressure("hn", "HN", hn=True),
    Pressure("hp+hn", "HP+HN", hp=True, hn=True),
)

PRESSURES: Final[dict[str, Pressure]] = {pressure.name: pressure for pressure in _ALL}
"""Values of the column ``pressure``, in report order."""

NUMBERS_OF_IMAGES: Final = tuple(pressure.images for pressure in PRESSURES.values() if pressure.images)
