"""A painter, a detector and a verifier that are perfect by construction.

The painter paints flat rectangles, each of a colour of its own, which tells the others what it is.
"""

import io
from collections.abc import Iterator, Sequence

from PIL import Image

from vhbench.generators.ode import environments, prompts
from vhbench.protocols import Detection
from vhbench.schema import Box, ObjectSpec, Scene, SceneSpec

_PAINTED: dict[tuple[int, int, int], ObjectSpec | SceneSpec] = {}


def _colour_of(thing: ObjectSpec | SceneSpec) -> tuple[int, int, int]:
    number = len(_PAINTED) + 1
    colour = (number >> 16, (number >> 8) & 255, number & 255)
    _PAINTED[colour] = thing
    return colour


class PerfectPainter:
    """Shows exactly what it is asked for; counts the images that it paints."""

    name, exact = "diffusers:perfect", False

    def __init__(self) -> None:
        self.painted = 0

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene]:
        for spec in specs:
            self.painted += 1
            picture = Image.new("RGB", (spec.width, spec.height), _colour_of(spec))
            things = [thing for thing in spec.objects for _ in range(thing.count)]
            for i, thing in enumerate(things):
                x, y, width, height = box_of(i, spec)
                picture.paste(_colour_of(thing), (int(x), int(y), int(x + width), int(y + height)))
            file = io.BytesIO()
            picture.save(file, "PNG")
            yield Scene(f"{spec.id}-{seed}", file.getvalue(), spec.width, spec.height, objects=())


def box_of(number: int, spec: SceneSpec) -> Box:
    """Return where the n-th thing of a picture is: beside the others, and away from the edge."""
    side = spec.width // 8
    return (float(side * (number % 3) * 2 + side), float(side * (number // 3) * 2 + side), float(side), float(side))


class PerfectDetector:
    """Finds what the painter painted, and nothing else; counts the images that it looks at."""

    name = "perfect"

    def __init__(self) -> None:
        self.looked = 0

    def knows(self, word: str) -> bool:
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        self.looked += len(images)
        return [self._found(image, asked) for image, asked in zip(images, words, strict=True)]

    def _found(self, image: bytes, asked: Sequence[str]) -> list[Detection]:
        picture = Image.open(io.BytesIO(image))
        spec = _PAINTED[picture.getpixel((0, 0))]  # type: ignore[index]
        assert isinstance(spec, SceneSpec)
        things = [thing for thing in spec.objects for _ in range(thing.count)]
        found = [Detection(thing.category, 0.95, box_of(i, spec)) for i, thing in enumerate(things)]
        whole = (0.0, 0.0, float(spec.width), float(spec.height))
        found += [Detection(spec.environment, 0.95, whole)] if spec.environment else []
        return [one for one in found if one.category in asked]


class PerfectVerifier:
    """Knows what is painted in the middle of a part, or behind everything."""

    name = "perfect"

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        return [self._weigh(image, each) for image, each in zip(images, texts, strict=True)]

    def _weigh(self, image: bytes, texts: Sequence[str]) -> list[float]:
        picture = Image.open(io.BytesIO(image))
        middle = _PAINTED[picture.getpixel((picture.width // 2, picture.height // 2))]  # type: ignore[index]
        corner = _PAINTED[picture.getpixel((0, 0))]  # type: ignore[index]
        assert isinstance(corner, SceneSpec)
        if isinstance(middle, ObjectSpec) and picture.width < corner.width:
            said = [middle.colour, *middle.state.split(", "), middle.action]
            thing = middle.category
            right = {
                f"a photo of {prompts.phrase(ObjectSpec(thing, **{slot: value}))}"  # type: ignore[arg-type]
                for value in said
                for slot in ("state", "action")
                if value
            }
        else:
            place = environments.DEFAULT.description(corner.environment).split()[-1]
            here = [text for text in texts if place in text.split()]
            right = {text for text in here if corner.state in text} or set(here)
        known = [text in right for text in texts]
        share = 0.97 / max(1, sum(known))
        return [share if yes else 0.03 / max(1, len(texts) - sum(known)) for yes in known]
