"""Synthetic Visual Genome: what its images show, what is absent, and which entries are left out."""

import json
from pathlib import Path
from typing import Any

import pytest

from vhbench.adapters.category_names import read_names
from vhbench.adapters.svg import SvgScenes
from vhbench.schema import Relation, VhbenchError


def thing(name: str, *box: float, **relations: Any) -> dict[str, Any]:
    """Return an object; relations: "_2=above" is that it is above the object 2."""
    listed = [{"object": other.strip("_"), "name": predicate} for other, predicate in relations.items()]
    return {"name": name, "bbox": list(box or (0, 0, 10, 20)), "relations": listed}


def image(**objects: Any) -> dict[str, Any]:
    named = {name.strip("_"): value for name, value in objects.items()}
    return {"width": 100, "height": 50, "objects": named}


def write(folder: Path, **images: Any) -> Path:
    file = folder / "svg.json"
    file.write_text(json.dumps(images))
    return file


def test_objects_and_their_spatial_relations(tmp_path: Path) -> None:
    shown = image(
        _7=thing("Red_Dog", 1, 2, 11.255, 22, _9="On top of ", _8="near"),
        _8=thing("sky", 0, 0, 100, 9),  # no thing with a place
        _9=thing("sofa", 0, 20, 90.5, 51.5, _7="beneath", _8="below"),
        _10=thing("tv", 5, 5, 9, 9),
        _11=thing("sofa"),
    )
    [scene] = SvgScenes(write(tmp_path, a=shown), None, names=read_names(["sofa=couch"]))
    assert (scene.id, scene.width, scene.height, scene.image) == ("svg:a", 100, 50, Path("a"))
    assert [(o.id, o.category, o.box, round(o.area, 2)) for o in scene.objects] == [
        (0, "red dog", (1, 2, pytest.approx(10.25, abs=0.011), 20), pytest.approx(205, abs=0.3)),
        (1, "couch", (0, 20, 90.5, 31.5), 2850.75),
        (2, "TV or monitor", (5, 5, 4, 4), 16),
        (3, "couch", (0, 0, 10, 20), 200),
    ]
    assert scene.relations == (Relation(0, "on", 1), Relation(1, "under", 0))
    assert (scene.known, scene.countable) == ({"red dog"}, {"red dog"})  # one couch is no anchor, nor is the TV
    assert scene.provenance == {"source": "svg", "image_id": "a"}


def test_relations_to_what_is_not_listed_leave_numbers_open(tmp_path: Path) -> None:
    cup, flat = thing("cup"), thing("hat", 0, 0, 0, 9)
    shown = {
        "a": image(_1=thing("dog", _5="on", _2="near"), _2=cup),
        "b": image(_1=thing("dog", _3="on", _2="near"), _2=cup, _3=flat),
    }
    file = write(tmp_path, **shown)
    scenes = SvgScenes(file, None, skip_bad=True)
    first, second = ((scene.known, scene.countable) for scene in scenes)
    assert (first, second) == (({"dog"}, set()), ({"dog"}, {"dog"}))
    assert scenes.faults.items == [
        ("relation to a missing object", "image a, object 1"),
        ("box outside its image", "image b, object 3"),
        ("relation to a missing object", "image b, object 1"),
    ]
    with pytest.raises(VhbenchError) as raised:
        SvgScenes(file, None)
    assert str(raised.value) == (
        f"{file}: image a, object 1: 'on' to object 5; --skip-bad leaves such entries out and counts them"
    )


def test_a_category_of_which_an_object_was_dropped_is_not_counted(tmp_path: Path) -> None:
    large = thing("dog", 1, 1, 9, 60, _1="next to")
    shown = image(_1=thing("dog", _3="next to"), _2=large, _3=thing("cup"))
    [scene] = SvgScenes(write(tmp_path, a=shown), None, skip_bad=True)
    assert (scene.known, scene.countable, scene.relations) == ({"dog"}, set(), (Relation(0, "next to", 1),))


@pytest.mark.parametrize(
    ("box", "fits"),
    [
        ((0, 0, 101.5, 51.5), True), ((-0.1, 0, 9, 9), False), ((0, -0.1, 9, 9), False), ((0, 0, 101.6, 9), False),
        ((0, 0, 9, 51.6), False), ((9, 0, 9, 9), False), ((0, 9, 9, 9), False),
    ],
)  # fmt: skip
def test_boxes_fit_their_image(box: tuple[float, ...], fits: bool, tmp_path: Path) -> None:
    file = write(tmp_path, a=image(_1=thing("dog", *box), _2=thing("cup")))
    [scene] = SvgScenes(file, None, skip_bad=True)
    assert len(scene.objects) == 1 + fits
    if not fits:
        with pytest.raises(VhbenchError) as raised:
            SvgScenes(file, None)
        text = f"bbox {list(map(float, box))} (x1, y1, x2, y2) does not fit 100x50"
        assert f"{file}: image a, object 1: {text}; --skip-bad" in str(raised.value)


def test_images_without_a_file_or_a_size_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images/a.jpg").touch()
    shown = image(_1=thing("dog"))
    images = {"a": shown, "b": shown, "c": {**shown, "width": 0}, "d": {"width": 1}}
    (tmp_path / "images/c.png").touch()
    file = write(tmp_path, **images)
    scenes = SvgScenes(file, tmp_path / "images", skip_bad=True)
    assert (len(scenes), scenes.keys, scenes[0].image) == (1, ["a"], tmp_path / "images/a.jpg")
    assert scenes.bare(0).objects == ()
    assert scenes.faults.items == [
        ("missing image file", "image b"), ("image without a size", "image c"), ("malformed entry", "image d"),
    ]  # fmt: skip
    with pytest.raises(VhbenchError, match=rf"^no folder of images at {tmp_path / 'none'}$"):
        SvgScenes(file, tmp_path / "none")
    with pytest.raises(VhbenchError, match=r"svg\.json: no usable image has an object$"):
        SvgScenes(write(tmp_path, a=image(_1=thing("sky"))), None)
