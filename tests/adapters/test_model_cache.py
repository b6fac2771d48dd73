"""What was made before is not made again, and what was cut off or depends on something else is."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from vhbench.adapters.model_cache import CachedImageSource, KeptDetections, KeptVerdicts
from vhbench.adapters.model_identity import identity, named
from vhbench.protocols import Detection
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec

SPECS = [SceneSpec(f"case-{i}", (ObjectSpec("dog"),), prompt=f"{i} dogs", width=8, height=8) for i in range(3)]


class Painter:
    name, exact = "painter", False

    def __init__(self) -> None:
        self.made: list[str] = []

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        for spec in specs:
            self.made.append(spec.id)
            file = io.BytesIO()
            Image.new("RGB", (8, 8), (seed, len(self.made), 0)).save(file, "PNG")
            if spec.id == "case-1":
                yield Rejection(spec.id, "blanked by the safety checker", {"seed": seed})
            else:
                yield Scene(f"{spec.id}-{seed}", file.getvalue(), 8, 8, objects=(), provenance={"seed": seed})


class Looker:
    name = "looker"

    def __init__(self) -> None:
        self.seen = 0

    def knows(self, word: str) -> bool:
        return word != "unicorn"

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        self.seen += len(images)
        return [[Detection(word, 0.5, (1, 2, 3, 4)) for word in asked] for asked in words]

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        self.seen += len(images)
        return [[1 / len(each)] * len(each) for each in texts]


def images_of(painter: Painter, folder: Path, **depends_on: Any) -> CachedImageSource:
    return CachedImageSource("painter", {"model": "a", **depends_on}, lambda: painter, folder=folder)


def test_images_and_rejections_are_made_once(tmp_path: Path) -> None:
    first, second = Painter(), Painter()
    made = list(images_of(first, tmp_path).make(SPECS, seed=5))
    again = list(images_of(second, tmp_path).make(SPECS, seed=5))
    assert again == made
    assert isinstance(made[1], Rejection)
    assert (first.made, second.made) == ([spec.id for spec in SPECS], [])


def test_another_seed_prompt_or_model_makes_another_image(tmp_path: Path) -> None:
    list(images_of(Painter(), tmp_path).make(SPECS, seed=5))
    for others in ({"seed": 6}, {"steps": 3}):
        painter = Painter()
        list(
            images_of(painter, tmp_path, **({} if "seed" in others else others)).make(SPECS, seed=others.get("seed", 5))
        )
        assert len(painter.made) == 3, others


def test_what_was_cut_off_is_made_again(tmp_path: Path) -> None:
    before = list(images_of(Painter(), tmp_path).make(SPECS[:1], seed=5))
    [entry] = tmp_path.glob("*/*/*")
    entry.write_bytes(entry.read_bytes()[:-20])
    painter = Painter()
    first, *_ = images_of(painter, tmp_path).make(SPECS, seed=5)
    assert first == before[0]
    assert painter.made == ["case-0", "case-1", "case-2"]
    for entry in tmp_path.glob("*/*/*"):
        entry.write_bytes(b"")
    assert len(list(images_of(painter, tmp_path).make(SPECS, seed=5))) == 3
    assert len(painter.made) == 6


def test_detections_and_verdicts_are_made_once_for_an_image_and_its_words(tmp_path: Path) -> None:
    looker = Looker()
    detector = KeptDetections("looker", {"model": "a"}, lambda: looker, folder=tmp_path)
    words = [["dog", "cat"], ["cat"]]
    found = detector.detect([b"1", b"2"], words)
    assert detector.detect([b"1", b"2"], words) == found
    assert found == [[Detection(word, 0.5, (1, 2, 3, 4)) for word in asked] for asked in words]
    assert looker.seen == 2
    detector.detect([b"1"], [["dog"]])
    assert looker.seen == 3
    detector.detect([b"1", b"2", b"3"], [["cat"]] * 3)
    assert looker.seen == 5, "the same words, but of the second image"
    assert not detector.knows("unicorn")
    verifier = KeptVerdicts("looker", {"model": "a"}, lambda: looker, folder=tmp_path)
    assert verifier.probabilities([b"1"], [["x", "y"]]) == verifier.probabilities([b"1"], [["x", "y"]]) == [[0.5, 0.5]]
    assert looker.seen == 6


def test_a_model_is_what_it_holds_and_not_where_it_lies(tmp_path: Path) -> None:
    for place, weights in (("a/model", "1"), ("b/model", "1"), ("c/model", "2")):
        (tmp_path / place / "unet").mkdir(parents=True)
        (tmp_path / place / "unet" / "weights").write_text(weights)
    first, copy, other = (identity(str(tmp_path / place / "model")) for place in "abc")
    assert first == copy != other
    assert first.startswith("sha256:")
    assert named("org/model@v1") == ("org/model", "v1")
