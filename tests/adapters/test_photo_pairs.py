"""Existing photos under ODE's distribution: those that show a pair, with the truth of their annotations."""

import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from vhbench import splits
from vhbench.adapters import loaded_models, photo_pairs
from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild
from vhbench.protocols import Detection
from vhbench.schema import Scene, VhbenchError

CATEGORIES = ("dog", "cat", "cup", "car", "bench")
SHOWN = [("dog", "cat"), ("dog", "cup"), ("dog", "cat", "cup"), ("car", "bench"), ("cat", "car"), ("cup", "cup")]


@pytest.fixture
def coco(tmp_path: Path) -> str:
    """Six photos of five categories."""
    (tmp_path / "photos").mkdir()
    images, annotations = [], []
    for number, words in enumerate(SHOWN, start=1):
        Image.effect_noise((120, 90), 40 + number).convert("RGB").save(tmp_path / "photos" / f"{number}.jpg")
        images.append({"id": number, "file_name": f"{number}.jpg", "width": 120, "height": 90})
        for place, word in enumerate(words):
            annotations.append({
                "id": len(annotations) + 1, "image_id": number, "category_id": CATEGORIES.index(word) + 1,
                "bbox": [35 * place, 10, 30, 40], "area": 1200, "iscrowd": 0,
            })  # fmt: skip
    categories = [{"id": i, "name": name} for i, name in enumerate(CATEGORIES, start=1)]
    file = tmp_path / "instances.json"
    file.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
    return f"{file}={tmp_path / 'photos'}"


def test_photos_show_the_pairs_of_each_criterion(coco: str, tmp_path: Path) -> None:
    graph = coco.partition("=")[0]
    for criterion in ("standard", "long_tail", "random", "fictional"):
        build = OdeBuild(
            graph=(f"coco:{graph}",), images=f"photos:{coco}", pairs=2, criteria=(criterion,), reserve=20, retries=0
        )
        try:
            sharding.run(build, tmp_path / criterion, progress=False)
        except VhbenchError:
            assert criterion == "fictional", "no photo shows what is never seen together"
            continue
        questions = list(splits.read_questions(tmp_path / criterion / "ode"))
        assert {q.source for q in questions} == {"coco"}
        for question in questions:
            assert tuple(sorted(question.objects)) in {tuple(sorted(set(words))) for words in SHOWN}
        yes = Counter(q.answer for q in questions if q.task == "existence")
        assert yes["yes"] == yes["no"] > 0
        assert splits.verify(tmp_path / criterion / "ode") == []


def test_what_photos_do_not_show_is_told(coco: str, tmp_path: Path) -> None:
    graph = tmp_path / "graph.json"
    words = [{"word": word, "kind": "entity"} for word in ("dog", "cat", "unicorn")]
    graph.write_text(json.dumps({"concepts": words, "edges": []}))
    build = OdeBuild(graph=(str(graph),), images=f"photos:{coco}", pairs=3, criteria=("fictional",))
    sharding.run(build, tmp_path, progress=False)
    told = list(splits.read_rejections(tmp_path / "ode"))
    assert Counter(r.reason for r in told)["no annotated photo"] == 2
    manifest = splits.read_manifest(tmp_path / "ode")
    assert "instances.json" in manifest.sources


class Clerk:
    """A detector that reads what a photo shows from its size."""

    name = "clerk"

    def knows(self, word: str) -> bool:
        return True

    def detect(self, images: Sequence[bytes], words: Sequence[Sequence[str]]) -> list[list[Detection]]:
        found = []
        for image, asked in zip(images, words, strict=True):
            shown = SHOWN[Image.open(io.BytesIO(image)).width - 121]
            boxes = [Detection(word, 0.9, (35.0 * i, 10.0, 30.0, 40.0)) for i, word in enumerate(shown)]
            found.append([box for box in boxes if box.category in asked])
        return found


def test_photos_without_annotations_are_labelled_by_a_detector(
    coco: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, _, folder = coco.partition("=")
    for number in range(1, len(SHOWN) + 1):
        Image.effect_noise((120 + number, 90), 40).convert("RGB").save(f"{folder}/{number}.jpg")
    monkeypatch.setattr(loaded_models, "detector", lambda *options: Clerk())
    monkeypatch.setattr(loaded_models, "model_of", lambda name: name)
    build = OdeBuild(
        graph=(f"coco:{graph}",), images=f"photos:{folder}", detector="x", pairs=1, epsilon=0, delta=99,
        criteria=("standard", "random"),
    )  # fmt: skip
    build.check()
    items = [item for shard in range(build.shards) for item in build.make(shard)]
    scenes = [item for item in items if isinstance(item, Scene)]
    assert len(scenes) == 2
    for scene in scenes:
        assert scene.categories() == set(SHOWN[int(str(scene.provenance["photo"]).removesuffix(".jpg")) - 1])
    with pytest.raises(VhbenchError, match="or photos:DIR with --detector NAME"):
        OdeBuild(images=f"photos:{folder}").check()


def test_the_photos_of_a_folder_are_found_by_their_suffix(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("c.JPG", "b/a.webp", "a.png", "b/b.jpeg", "notes.txt", "d.gif"):
        (tmp_path / name).touch()
    names = [path.relative_to(tmp_path).as_posix() for path in photo_pairs.photo_files(tmp_path)]
    assert names == ["a.png", "b/a.webp", "b/b.jpeg", "c.JPG"]
    (tmp_path / "none").mkdir()
    with pytest.raises(VhbenchError) as raised:
        photo_pairs.photo_files(tmp_path / "none")
    assert str(raised.value) == f"{tmp_path / 'none'}: expected photos (.jpg, .png, .webp), got none"
