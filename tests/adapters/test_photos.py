"""Photos of the wrong size, and the same photo under two names."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageEnhance
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters.photos import Photos, check_size
from vhbench.cli import app
from vhbench.schema import Scene, VhbenchError


def photo(orientation: int) -> bytes:
    exif, buffer = Image.Exif(), io.BytesIO()
    exif[274] = orientation
    Image.new("RGB", (40, 30)).save(buffer, "JPEG", exif=exif)
    return buffer.getvalue()


@pytest.mark.parametrize(("orientation", "size"), [(1, (40, 30)), (3, (40, 30)), (6, (30, 40)), (1, (80, 60))])
def test_boxes_are_of_the_upright_photo(orientation: int, size: tuple[int, int]) -> None:
    check_size(Scene("coco:7", photo(orientation), *size, objects=()))


def test_boxes_of_a_photo_as_it_lies_in_its_file_are_refused() -> None:
    with pytest.raises(VhbenchError) as caught:
        check_size(Scene("coco:7", photo(6), 40, 30, objects=()))
    assert str(caught.value) == (
        "image of scene 'coco:7': EXIF turns it to 30 × 40 pixels, its annotations are of the unturned 40 × 30; "
        "annotate the upright image, or remove the EXIF orientation"
    )


def test_boxes_of_a_picture_of_another_size_are_refused() -> None:
    with pytest.raises(VhbenchError) as caught:
        check_size(Scene("coco:7", photo(1), 140, 30, objects=()))
    assert str(caught.value) == (
        "image of scene 'coco:7': is of 40 × 30 pixels, its annotations are of 140 × 30; expected the same image"
    )
    with pytest.raises(VhbenchError, match=r"^image of scene 'coco:7': image cannot be decoded"):
        check_size(Scene("coco:7", b"no image", 40, 30, objects=()))


def picture(number: int, size: tuple[int, int] = (320, 240)) -> Image.Image:
    """Blots of light and dark, the finer the fainter, as photos have them, and noise."""
    random = np.random.default_rng(number)
    shape = (size[1], size[0], 3)
    found = random.normal(0, 6, shape)
    for across in (4, 8, 16, 32):
        blots = Image.fromarray(random.integers(0, 256, (across * 3 // 4, across, 3), np.uint8))
        found += (np.asarray(blots.resize(size, Image.Resampling.BICUBIC)) - 128.0) * 1.6 / across
    return Image.fromarray(np.clip(found + 110, 0, 255).astype(np.uint8))


def jpeg(image: Image.Image, quality: int = 90) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def scene(name: str, data: bytes, size: tuple[int, int] = (320, 240)) -> Scene:
    return Scene(f"coco:{name}", data, *size, objects=())


def copies(number: int) -> dict[str, Scene]:
    """What becomes of a photo on its way through other people's hands."""
    image = picture(number)
    png = io.BytesIO()
    image.save(png, "PNG")
    return {
        "the same": scene("a", jpeg(image)),
        "poor": scene("poor", jpeg(image, 15)),
        "half": scene("half", jpeg(image.resize((160, 120))), (160, 120)),
        "png": scene("png", png.getvalue()),
        "bright": scene("bright", jpeg(ImageEnhance.Brightness(image).enhance(1.2))),
        "grey": scene("grey", jpeg(image.convert("L"))),
        "cut": scene("cut", jpeg(image.crop((5, 4, 315, 236))), (310, 232)),
    }


@pytest.mark.parametrize("name", copies(0))
def test_the_same_photo_under_two_names_is_found(name: str) -> None:
    for number in range(3):
        photos = Photos([scene("7", jpeg(picture(number))), copies(number)[name]])
        assert not photos.fit([0, 1])
        assert photos.fit([0])
        assert [r.reason for r in photos.left_out()] == ["the same photo under two names: never in one question"]


def test_other_photos_are_apart() -> None:
    photos = Photos([scene(str(i), jpeg(picture(i))) for i in range(40)])
    assert photos.fit(range(40))
    assert photos.left_out() == []


def test_the_real_photos_are_apart(reference: Path) -> None:
    files = sorted((reference / "coco_mini" / "val2017").iterdir())
    photos = Photos([Scene(f"coco:{f.stem}", f, *Image.open(f).size, objects=()) for f in files])
    assert photos.fit(range(len(files)))


def test_flat_pictures_are_told_apart_by_their_bytes() -> None:
    flat = [jpeg(Image.new("RGB", (320, 240), (shade, 0, 0))) for shade in (10, 200, 200)]
    photos = Photos([scene(str(i), data) for i, data in enumerate(flat)])
    assert (photos.fit([0, 1]), photos.fit([1, 2])) == (True, False)


def test_bad_photos_stop_the_build_or_are_counted() -> None:
    scenes = [scene("7", jpeg(picture(1))), scene("8", jpeg(picture(2)), (420, 240))]
    with pytest.raises(VhbenchError, match=r"420 × 240; expected the same image; --skip-bad leaves such photos"):
        Photos(scenes).fit([0, 1])
    photos = Photos(scenes, skip_bad=True)
    assert (photos.fit([0, 1]), photos.fit([0])) == (False, True)
    assert [(r.item, r.reason) for r in photos.left_out()] == [("coco:8", "bad photo")]


def write(folder: Path, photos: int) -> list[str]:
    """Write a COCO file of photos, each there under two names, with a dog in every other one."""
    (folder / "photos").mkdir()
    names = [f"{i}{copy}.jpg" for i in range(photos) for copy in "ab"]
    for i, name in enumerate(names):
        (folder / "photos" / name).write_bytes(jpeg(picture(i // 2), 90 - 30 * (i % 2)))
    content = {
        "images": [{"id": i, "file_name": name, "width": 320, "height": 240} for i, name in enumerate(names)],
        "annotations": [
            {"id": i, "image_id": i, "category_id": 1 + i // 2 % 2, "bbox": [90, 60, 120, 120], "area": 9000}
            for i in range(len(names))
        ],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "kite"}],
    }
    (folder / "coco.json").write_text(json.dumps(content))
    return ["build", "mioh", "--source", f"coco:{folder / 'coco.json'}", "--images", str(folder / "photos"),
            "--types", "E1", "--cells", "4", "--allow-missing", "--out", str(folder / "out")]  # fmt: skip


def test_no_question_of_a_build_shows_a_photo_twice(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, write(tmp_path, 12), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    split = tmp_path / "out" / "mioh"
    questions = list(splits.read_questions(split))
    assert len(questions) >= 4
    for question in questions:
        shown = [int(name.partition(":")[2]) // 2 for name in question.scene_ids]
        assert len(set(shown)) == len(shown), question.id
    assert splits.read_manifest(split).rejections["the same photo under two names: never in one question"] >= 1


def test_a_size_that_is_off_is_one_line_of_a_build(tmp_path: Path) -> None:
    command = write(tmp_path, 12)
    content = json.loads((tmp_path / "coco.json").read_text())
    for image in content["images"]:
        image["width"] += 100
    (tmp_path / "coco.json").write_text(json.dumps(content))
    text = "is of 320 × 240 pixels, its annotations are of 420 × 240; expected the same image"
    with pytest.raises(VhbenchError, match=text):
        CliRunner().invoke(app, command, catch_exceptions=False)
    assert not (tmp_path / "out" / "mioh").exists()
