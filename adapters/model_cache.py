"""What models made before, kept on disk by everything that it depends on.

That is images, also those that a filter rejects, what detectors found in them, and what verifiers said. So a build that
filters otherwise paints nothing anew, and one that was killed goes on image by image. A model is loaded when something
is missing, and not before.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import orjson

from vhbench.files import cache_folder, canonical, json_bytes, write_atomic
from vhbench.protocols import Detection, Detector, ImageSource, Verifier
from vhbench.schema import Rejection, Scene, SceneSpec

Model = TypeVar("Model")


class _MadeBefore(Generic[Model]):
    """Entries of JSON in the cache, and the model that makes what is missing."""

    def __init__(
        self, name: str, depends_on: Mapping[str, Any], load: Callable[[], Model], *, folder: Path | None = None
    ) -> None:
        """Load nothing yet.

        Args:
            name: of the model.
            depends_on: everything that an entry depends on, and that is not its own; JSON types only.
            load: makes the model.
            folder: for the entries; in the user's cache by default.
        """
        self.name = name
        self.depends_on = dict(depends_on)
        self._load = load
        self._folder = folder or cache_folder() / "made"

    @cached_property
    def model(self) -> Model:
        """The model, loaded when it is first asked for."""
        return self._load()

    def _place(self, *own: Any) -> Path:
        key = hashlib.sha256(canonical([self.depends_on, *own])).hexdigest()
        return self._folder / key[:2] / f"{key}.json"

    def _read(self, place: Path) -> Any:
        """Return an entry, None where there is none or it was cut off."""
        try:
            return orjson.loads(place.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None

    def _write(self, place: Path, entry: Any) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, json_bytes(entry), durable=False)

    def _looked_up(
        self,
        kind: str,
        images: Sequence[bytes],
        words: Sequence[Sequence[str]],
        look: Callable[[Model, Sequence[bytes], Sequence[Sequence[str]]], Sequence[Any]],
    ) -> list[Any]:
        """Return what is known of each image and the words that it is asked about; look, all at once, where nothing is.

        Args:
            kind: of the entries.
            images: encoded.
            words: of each image.
            look: returns the entries of images, by the model; JSON types only.
        """
        places = [self._place(kind, _digest(image), list(each)) for image, each in zip(images, words, strict=True)]
        known = [self._read(place) for place in places]
        missing = [i for i, entry in enumerate(known) if entry is None]
        if missing:
            found = look(self.model, [images[i] for i in missing], [words[i] for i in missing])
            for i, entry in zip(missing, found, strict=True):
                self._write(places[i], entry)
                known[i] = entry
        return known


class KeptImages(_MadeBefore[ImageSource]):
    """An image source; implements :class:`vhbench.protocols.ImageSource`."""

    exact = False

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield what was made of each spec, or is made now."""
        places = [self._place("image", seed, _asked(spec)) for spec in specs]
        known = [self._kept(spec, place) for spec, place in zip(specs, places, strict=True)]
        missing = [spec for spec, found in zip(specs, known, strict=True) if found is None]
        fresh = iter(self.model.make(missing, seed=seed)) if missing else iter(())
        for place, found in zip(places, known, strict=True):
            if found is None:
                made = next(fresh)
                self._keep(place, made)
                yield made
            else:
                yield found

    def _keep(self, place: Path, made: Scene | Rejection) -> None:
        if isinstance(made, Rejection):
            self._write(place, {"item": made.item, "reason": made.reason, "detail": made.detail})
            return
        assert isinstance(made.image, bytes)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place.with_suffix(".png"), made.image, durable=False)
        image = hashlib.sha256(made.image).hexdigest()
        self._write(place, {"id": made.id, "image": image, "provenance": made.provenance})

    def _kept(self, spec: SceneSpec, place: Path) -> Scene | Rejection | None:
        entry = self._read(place)
        if entry is None or "reason" in entry:
            return entry and Rejection(**entry)
        try:
            image = place.with_suffix(".png").read_bytes()
        except OSError:
            return None
        if hashlib.sha256(image).hexdigest() != entry["image"]:
            return None
        return Scene(entry["id"], image, spec.width, spec.height, objects=(), provenance=entry["provenance"])


class KeptDetections(_MadeBefore[Detector]):
    """A detector; implements :class:`vhbench.protocols.Detector`."""

    def knows(self, word: str) -> bool:
        """Tell whether the detector can be asked for a word."""
        return self.model.knows(word)

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        """Return what was found in each image, or is found now."""

        def look(model: Detector, *missing: Any) -> list[Any]:
            return [[[d.category, d.score, d.box] for d in each] for each in model.detect(*missing)]

        known = self._looked_up("detections", images, words, look)
        return [[Detection(word, score, tuple(box)) for word, score, box in each] for each in known]


class KeptVerdicts(_MadeBefore[Verifier]):
    """A verifier; implements :class:`vhbench.protocols.Verifier`."""

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return what was said of each image, or is said now."""

        def look(model: Verifier, *missing: Any) -> list[Any]:
            return [[float(value) for value in each] for each in model.probabilities(*missing)]

        return self._looked_up("verdicts", images, texts, look)


def _asked(spec: SceneSpec) -> list[Any]:
    """Return what an image depends on; its seed follows from the build's and the spec's id."""
    return [spec.id, spec.prompt, spec.negative_prompt, spec.width, spec.height]


def _digest(image: bytes) -> str:
    return hashlib.sha256(image).hexdigest()
