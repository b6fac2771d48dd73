"""What generators ask of the outside world; adapters answer. The two meet in :mod:`vhbench.builds`."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, Protocol, overload

from vhbench.schema import Box, Rejection, Row, Scene, SceneSpec

_KEPT = 256
"""Scenes of a sequence that are kept after they were made."""


@dataclass(frozen=True, slots=True)
class Detection:
    """One detected object: the word that was asked for, its confidence in [0, 1] and its box in pixels."""

    category: str
    score: float
    box: Box


class SceneSequence(Sequence[Scene]):
    """Scenes that are made when they are asked for: all of COCO need not be in memory.

    Readers of annotated files give ``__len__`` and :meth:`scene`; indexing, slices and iteration follow from them.
    """

    @abstractmethod
    def scene(self, place: int) -> Scene:
        """Make the scene at a place from 0 to the length less one."""

    @overload
    def __getitem__(self, index: int) -> Scene: ...
    @overload
    def __getitem__(self, index: slice) -> "Sequence[Scene]": ...
    def __getitem__(self, index: int | slice) -> "Scene | Sequence[Scene]":
        """Make one scene, or a list of them for a slice."""
        if isinstance(index, slice):
            return [self.scene(i) for i in range(len(self))[index]]
        return self._kept(range(len(self))[index])

    @cached_property
    def _kept(self) -> Callable[[int], Scene]:
        """Make one scene; the last few are kept, since who asks for one asks for it again and again."""
        return lru_cache(maxsize=_KEPT)(self.scene)

    def __iter__(self) -> Iterator[Scene]:
        """Make one scene after the other."""
        return map(self.scene, range(len(self)))

    def bare(self, place: int) -> Scene:
        """Return a scene of which only its id, image and size are wanted; readers leave out the rest."""
        return self[place]


def bare(scenes: Sequence[Scene], place: int) -> Scene:
    """Return a scene of which only its id, image and size are wanted: to make the whole of it takes longer."""
    return scenes.bare(place) if isinstance(scenes, SceneSequence) else scenes[place]


class ImageSource(Protocol):
    """Makes images from specs: the embedded scenes, or a text-to-image model."""

    name: str
    exact: bool
    """Whether the scenes' truth is exact by construction, so that no detector has to look at them."""

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield one scene or one rejection per spec, in order; equal seeds give equal images."""
        ...


@dataclass(frozen=True, slots=True)
class Note:
    """What a shard has to say for the manifest: entries of a table there, to which other shards add theirs.

    Attributes:
        name: of the table.
        entries: name → anything that JSON can hold; names must differ from those of other shards.
    """

    name: str
    entries: Mapping[str, Any]


class Build(Protocol):
    """A split that can be built shard by shard, by any number of processes, in any order.

    Implementations are picklable frozen dataclasses. What a shard yields depends on the seed and on the shard's
    index only; the number of shards depends on the options of the build and never on the number of workers.
    """

    benchmark: ClassVar[str]
    """The benchmark's name, which the split's folder bears."""

    @property
    def on_gpu(self) -> bool:
        """Whether shards run models on a GPU where there is one: worker processes then share out the visible ones."""
        return False

    @property
    def version(self) -> str:
        """Return the edition's version, MAJOR.MINOR.PATCH."""
        ...

    @property
    def seed(self) -> int:
        """Return the seed that everything random follows from."""
        ...

    @property
    def config(self) -> Mapping[str, Any]:
        """Return every option of the build, JSON types only; goes into the manifest."""
        ...

    @property
    def sources(self) -> Mapping[str, str]:
        """Return name → SHA-256 of what was read."""
        ...

    @property
    def shards(self) -> int:
        """How many shards there are."""
        ...

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection | Note]:
        """Yield a shard's rows, the scenes behind them, what was left out, and what the manifest shall say of it."""
        ...

    def facts(self, scenes: Iterable[Scene]) -> Mapping[str, Any]:
        """Return what else the manifest shall say, JSON types only; the scenes come without their images."""
        return {}


class Detector(Protocol):
    """Finds named things in images."""

    name: str

    def knows(self, word: str) -> bool:
        """Tell whether it can be asked for a word; one with a closed set of classes knows those alone."""
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return the detections per image, for the words that it was asked for in that image."""
        ...


class Verifier(Protocol):
    """Tells which of several texts an image shows."""

    name: str

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return for each image how likely each of its texts is, if one of them is right: they add up to 1."""
        ...


class WhiteBoxVLM(Protocol):
    """A vision-language model whose image features can be differentiated with respect to the pixels."""

    name: str
    fingerprint: str
    """Changes with the weights, the image processor and the precision."""

    device: Any
    reference_axis: Literal["tokens", "features"]
    """Along which axis the code released with VHExpansion compares this family's features."""

    def features(self, pixels: Any) -> Any:
        """Map pixels (batch, 3, height, width), float in [0, 1] or uint8, to features (batch, tokens, dimension).

        Whole levels are read as a picture from a file is; floats are seen the same way, differentiably.
        """
        ...


class Rewriter(Protocol):
    """Rewrites a question, for example as its negation."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def rewrite(self, prompt: str) -> str:
        """Return the model's answer to a prompt."""
        ...
