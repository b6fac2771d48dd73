"""Protocols that generators require and adapters implement, see :mod:`vhbench.builds`."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, Protocol, overload

from vhbench.schema import Box, Rejection, Scene, SceneSpec

_KEPT = 256  # cache size of a scene sequence


@dataclass(frozen=True, slots=True)
class Detection:
    """A detected object: queried word, confidence in [0, 1] and box in pixels."""

    category: str
    score: float
    box: Box


class SceneSequence(Sequence[Scene]):
    """Lazily created scenes, as all of COCO may not fit in memory.

    Readers of annotated files implement ``__len__`` and :meth:`scene`; indexing, slices and iteration use them.
    """

    @abstractmethod
    def scene(self, index: int) -> Scene:
        """Return the scene at an index from 0 to the length minus one."""

    @overload
    def __getitem__(self, index: int) -> Scene: ...
    @overload
    def __getitem__(self, index: slice) -> "Sequence[Scene]": ...
    def __getitem__(self, index: int | slice) -> "Scene | Sequence[Scene]":
        """Return one scene, or a list of them for a slice."""
        if isinstance(index, slice):
            return [self.scene(i) for i in range(len(self))[index]]
        return self._kept(range(len(self))[index])

    @cached_property
    def _kept(self) -> Callable[[int], Scene]:
        """Return :meth:`scene` with a cache, since requests for one scene are repeated."""
        return lru_cache(maxsize=_KEPT)(self.scene)

    def __iter__(self) -> Iterator[Scene]:
        """Yield one scene after the other."""
        return map(self.scene, range(len(self)))

    def bare(self, index: int) -> Scene:
        """Return a scene with only its id, image and size; readers leave out the rest."""
        return self[index]


def bare(scenes: Sequence[Scene], index: int) -> Scene:
    """Return a scene with only its id, image and size, which is faster than the whole."""
    return scenes.bare(index) if isinstance(scenes, SceneSequence) else scenes[index]


class ImageSource(Protocol):
    """Source of images from specs: synthetic scenes, or a text-to-image model."""

    name: str
    exact: bool
    """Whether scenes are exact by construction, so that no detector has to check them."""

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield one scene or one rejection per spec, in order; equal seeds give equal images."""
        ...


@dataclass(frozen=True, slots=True)
class Note:
    """Entries (name → any JSON value) of a named manifest table from one shard, none of which other shards have."""

    name: str
    entries: Mapping[str, Any]


class Detector(Protocol):
    """Detector of named objects in images."""

    name: str

    def knows(self, word: str) -> bool:
        """Return whether a word can be queried; with a closed set of classes only those."""
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return the detections per image, for the words queried in that image."""
        ...


class Verifier(Protocol):
    """Model that selects among texts for an image."""

    name: str

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return each image's probabilities of its texts, which sum to 1."""
        ...


class WhiteBoxVLM(Protocol):
    """A vision-language model with image features differentiable by pixels."""

    name: str
    fingerprint: str
    """Identifier of weights, image processor and precision."""

    device: Any
    reference_axis: Literal["tokens", "features"]
    """Axis along which the code released with VHExpansion compares this family's features."""

    def features(self, pixels: Any) -> Any:
        """Map pixels to features of shape (batch, tokens, dimension).

        Pixels have shape (batch, 3, height, width), float in [0, 1] or uint8. Integer levels are processed like an
        image from a file; floats in the same way, differentiably.
        """

    def answer_loss(self, pixels: Any, questions: Sequence[str], responses: Sequence[str]) -> Any:
        """Return each response's negative log-likelihood per token, given image and question."""


class Rewriter(Protocol):
    """Model that rewrites a question, for example as its negation."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def rewrite(self, prompt: str) -> str:
        """Return the model's response to a prompt."""
        ...
