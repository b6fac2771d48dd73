"""Disk cache of model outputs, keyed by everything they depend on.

It covers generated images including rejected ones, detections, and verifier outputs. A build with another filter
therefore regenerates nothing, and an interrupted build resumes at the next image. Models are only loaded for missing
outputs.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from vhbench.files import cached
from vhbench.images import open_image
from vhbench.protocols import Detection, Detector, ImageSource, Verifier
from vhbench.schema import Rejection, Scene, SceneSpec

_Model = TypeVar("_Model")


class _Cached(Generic[_Model]):
    """Model with cached outputs."""

    def __init__(
        self, name: str, depends_on: Mapping[str, Any], load: Callable[[], _Model], *, folder: Path | None = None
    ) -> None:
        """Set up without loading the model; outputs depend on their inputs and ``depends_on`` (JSON types only)."""
        self.name = name
        self._depends_on = dict(depends_on)
        self._load = load
        self._folder = folder

    @cached_property
    def model(self) -> _Model:
        """The model, loaded on first use."""
        return self._load()

    def _cached(
        self, kind: str, items: Sequence[Any], keys: Sequence[Any], make: Callable[[Sequence[Any]], Any]
    ) -> Iterator[Any]:
        """Yield an output per item, from the cache or from ``make`` for missing ones."""
        every = ([self._depends_on, *key] for key in keys)
        return cached(kind, every, lambda missing: make([items[i] for i in missing]), folder=self._folder)

    def _by_image(
        self, kind: str, images: Sequence[bytes], words: Sequence[Sequence[str]], make: Callable[..., Any]
    ) -> Iterator[Any]:
        """Yield an output per image with the given words; ``make`` takes images and words."""
        pairs = list(zip(images, words, strict=True))
        keys = [(hashlib.sha256(image).hexdigest(), list(own)) for image, own in pairs]
        return self._cached(kind, pairs, keys, lambda missing: make(*zip(*missing, strict=True)))


class CachedImageSource(_Cached[ImageSource]):
    """Cached image source; implements :class:`vhbench.protocols.ImageSource`."""

    exact = False

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield the cached or newly generated image of each spec."""
        # An image's own seed derives from the build's seed and the spec's id.
        keys = [(seed, [s.id, s.prompt, s.negative_prompt, s.width, s.height]) for s in specs]

        def make(missing: Sequence[SceneSpec]) -> Iterator[Any]:
            for item in self.model.make(missing, seed=seed):
                if isinstance(item, Rejection):
                    yield [item.item, item.reason, item.detail]
                else:
                    yield [item.id, item.image, item.provenance]

        for spec, (name, content, detail) in zip(specs, self._cached("generated", specs, keys, make), strict=True):
            if isinstance(content, str):
                yield Rejection(name, content, detail)
            else:
                width, height = (spec.width, spec.height) if spec.width else open_image(content).size
                yield Scene(name, content, width, height, objects=(), provenance=detail)


class KeptDetections(_Cached[Detector]):
    """Cached detector; implements :class:`vhbench.protocols.Detector`."""

    def knows(self, word: str) -> bool:
        """Return whether the detector supports a word."""
        return self.model.knows(word)

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return the cached or new detections in each image."""

        def make(*missing: Any) -> list[Any]:
            return [[[d.category, d.score, d.box] for d in each] for each in self.model.detect(*missing)]

        known = self._by_image("detections", images, words, make)
        return [[Detection(word, score, tuple(box)) for word, score, box in each] for each in known]


class KeptVerdicts(_Cached[Verifier]):
    """Cached verifier; implements :class:`vhbench.protocols.Verifier`."""

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return the cached or new probabilities for each image."""

        def make(*missing: Any) -> list[Any]:
            return [[float(value) for value in each] for each in self.model.probabilities(*missing)]

        return list(self._by_image("verdicts", images, texts, make))
