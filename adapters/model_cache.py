"""What models made before, in the cache by everything that it depends on.

That is images, also those that a filter rejects, what detectors found in them, and what verifiers said. So a build that
filters otherwise paints nothing anew, and one that was killed resumes at the next image. A model is loaded when
something is missing, and not before.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from vhbench.files import cached
from vhbench.protocols import Detection, Detector, ImageSource, Verifier
from vhbench.schema import Rejection, Scene, SceneSpec

_Model = TypeVar("_Model")


class _Cached(Generic[_Model]):
    """A model whose results are cached."""

    def __init__(
        self, name: str, depends_on: Mapping[str, Any], load: Callable[[], _Model], *, folder: Path | None = None
    ) -> None:
        """Load nothing yet.

        Args:
            name: of the model.
            depends_on: everything that a result depends on, and that is not its own; JSON types only.
            load: makes the model.
            folder: for the results; the user's cache by default.
        """
        self.name = name
        self._depends_on = dict(depends_on)
        self._load = load
        self._folder = folder

    @cached_property
    def model(self) -> _Model:
        """The model, loaded when it is first asked for."""
        return self._load()

    def _cached(
        self, kind: str, items: Sequence[Any], keys: Sequence[Any], make: Callable[[Sequence[Any]], Any]
    ) -> Iterator[Any]:
        """Yield a result per item: the one of its key, or what ``make`` gives for the items that have none."""
        every = ([self._depends_on, *key] for key in keys)
        return cached(kind, every, lambda missing: make([items[i] for i in missing]), folder=self._folder)

    def _by_image(
        self, kind: str, images: Sequence[bytes], words: Sequence[Sequence[str]], make: Callable[..., Any]
    ) -> Iterator[Any]:
        """Yield a result per image and the words that it is asked about; ``make`` takes images and words."""
        pairs = list(zip(images, words, strict=True))
        keys = [(hashlib.sha256(image).hexdigest(), list(asked)) for image, asked in pairs]
        return self._cached(kind, pairs, keys, lambda missing: make(*zip(*missing, strict=True)))


class KeptImages(_Cached[ImageSource]):
    """An image source; implements :class:`vhbench.protocols.ImageSource`."""

    exact = False

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield what was made of each spec, or is made now."""
        # An image's own seed follows from the build's and the spec's id.
        keys = [(seed, [s.id, s.prompt, s.negative_prompt, s.width, s.height]) for s in specs]

        def make(missing: Sequence[SceneSpec]) -> Iterator[Any]:
            for made in self.model.make(missing, seed=seed):
                if isinstance(made, Rejection):
                    yield [made.item, made.reason, made.detail]
                else:
                    yield [made.id, made.image, made.provenance]

        for spec, (name, content, told) in zip(specs, self._cached("generated", specs, keys, make), strict=True):
            if isinstance(content, str):
                yield Rejection(name, content, told)
            else:
                yield Scene(name, content, spec.width, spec.height, objects=(), provenance=told)


class KeptDetections(_Cached[Detector]):
    """A detector; implements :class:`vhbench.protocols.Detector`."""

    def knows(self, word: str) -> bool:
        """Tell whether the detector can be asked for a word."""
        return self.model.knows(word)

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return what was found in each image, or is found now."""

        def make(*missing: Any) -> list[Any]:
            return [[[d.category, d.score, d.box] for d in each] for each in self.model.detect(*missing)]

        known = self._by_image("detections", images, words, make)
        return [[Detection(word, score, tuple(box)) for word, score, box in each] for each in known]


class KeptVerdicts(_Cached[Verifier]):
    """A verifier; implements :class:`vhbench.protocols.Verifier`."""

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return what was said of each image, or is said now."""

        def make(*missing: Any) -> list[Any]:
            return [[float(value) for value in each] for each in self.model.probabilities(*missing)]

        return list(self._by_image("verdicts", images, texts, make))
