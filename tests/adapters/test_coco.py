"""COCO, PACO and Synthetic Visual Genome: what is known, and one clear line for every bad entry."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from vhbench.adapters.category_names import read_names
from vhbench.adapters.coco import CocoScenes
from vhbench.adapters.coco_entries import read_keypoints
from vhbench.adapters.paco import PacoScenes
from vhbench.adapters.svg import SvgScenes
from vhbench.protocols import bare
from vhbench.schema import Relation, Scene, VhbenchError


def left_out(scenes: Any) -> Counter[str]:
    return Counter(reason for reason, _ in scenes.faults.items)


def box(identity: int, category: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": identity, "image_id": 1, "category_id": category, "bbox": [10, 10, 20, 30], "area": 500, **more}


def document(**changes: Any) -> dict[str, Any]:
    return {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 80}],
        "annotations": [box(5), box(6, iscrowd=1, category=2)],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "sheep"}, {"id": 3, "name": "kite"}],
    } | changes


def read(folder: Path, content: dict[str, Any], reader: Any = CocoScenes, **options: Any) -> Any:
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / "a.jpg").write_bytes(b"not opened")
    (folder / "file.json").write_text(json.dumps(content))
    return reader(folder / "file.json", folder / "images", **options)


def test_every_category_is_known_and_crowds_are_not_counted(tmp_path: Path) -> None:
    (scene,) = read(tmp_path, document())
    assert scene.known == {"dog", "sheep", "kite"}
    assert scene.countable == {"dog", "kite"}
    assert (scene.count("dog"), scene.count("kite"), scene.count("sheep")) == (1, 0, None)
    assert scene.objects[0].box == (10.0, 10.0, 20.0, 30.0)


def test_a_box_has_the_hundredths_that_the_file_has(tmp_path: Path) -> None:
    """In the numbers that are stored: 10.12, and not the 10.119999885 that 32 bits hold."""
    (scene,) = read(tmp_path, document(annotations=[box(5, bbox=[10.12, 10.34, 20.56, 30.1])]))
    assert json.loads(json.dumps(scene.objects[0].box)) == [10.12, 10.34, 20.56, 30.1]


def test_scenes_are_a_sequence(tmp_path: Path) -> None:
    images = [{"id": n, "file_name": "a.jpg", "width": 100, "height": 80} for n in (3, 1, 2)]
    scenes = read(tmp_path, document(images=images))
    assert [scene.id for scene in scenes] == ["coco:3", "coco:1", "coco:2"]
    assert scenes[-1] == scenes[2]
    assert list(scenes[1:]) == [scenes[1], scenes[2]]
    assert list(reversed(scenes)) == [scenes[2], scenes[1], scenes[0]]
    assert scenes[1] in scenes
    short = [bare(scenes, place) for place in range(3)]
    assert [(s.id, s.image, s.width, s.height) for s in short] == [(s.id, s.image, s.width, s.height) for s in scenes]
    assert bare(list(scenes), 1) == scenes[1]
    for beyond in (3, -4):
        with pytest.raises(IndexError):
            scenes[beyond]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "missing file": (
        {"images": [{"id": 1, "file_name": "b.jpg", "width": 9, "height": 9}]},
        r"file\.json: image 1: no file 'b\.jpg' in .*images",
    ),
    "path": (
        {"images": [{"id": 1, "file_name": "../b.jpg", "width": 9, "height": 9}]},
        r"image 1: file_name '\.\./b\.jpg' leaves its folder",
    ),
    "duplicate image": ({"images": document()["images"] * 2}, "image 1: this id occurs twice"),
    "duplicate annotation": ({"annotations": [box(5), box(5)]}, "annotation 5: this id occurs twice"),
    "unknown category": (
        {"annotations": [box(7, 9)]},
        "annotation 7: category_id 9 is not one of the file's 3",
    ),
    "unknown image": ({"annotations": [box(7) | {"image_id": 4}]}, "annotation 7: image_id 4 is not among"),
    "box outside": ({"annotations": [box(7, bbox=[90, 0, 20, 20])]}, "annotation 7: bbox .* leaves image 1 of 100x80"),
    "image side": (
        {"images": [{"id": 1, "file_name": "a.jpg", "width": 10**12, "height": 9}]},
        r"image 1: size 1000000000000x9 is not within 1 to 100000",
    ),
    "image id": (
        {"images": [{"id": 2**63, "file_name": "a.jpg", "width": 9, "height": 9}]},
        r"file\.json: image 9223372036854775808: the id does not fit into 64 bits",
    ),
    "annotation id": ({"annotations": [box(2**70)]}, r"annotation 1180591620717411303424: the id does not fit"),
    "area": ({"annotations": [box(7, area=-1)]}, r"annotation 7: area -1\.0 is not within 0 to"),
    "empty box": ({"annotations": [box(7, bbox=[9, 0, 0, 20])]}, "annotation 7: bbox .* has no area"),
    "type": ({"annotations": [box(7, bbox="x")]}, r"annotations\[0\]: Expected `array`, got `str` - at `\$\.bbox`"),
    "no instances": ({"annotations": []}, "none of its 3 categories has an instance"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_entries_are_named_with_file_and_id(name: str, tmp_path: Path) -> None:
    changes, message = BAD[name]
    with pytest.raises(VhbenchError, match=message):
        read(tmp_path, document(**changes))


def test_skip_bad_counts_instead(tmp_path: Path) -> None:
    scenes = read(tmp_path, document(annotations=[box(5), box(5), box(7, 9), box(8, 9)]), skip_bad=True)
    assert left_out(scenes) == {"duplicate annotation id": 1, "unknown category": 2}
    assert len(scenes[0].objects) == 1


DROPPED: dict[str, dict[str, Any]] = {
    "empty box": box(7, 3, bbox=[9, 0, 0, 20]),
    "box outside its image": box(7, 3, bbox=[90, 0, 20, 20]),
    "duplicate annotation id": box(5, 3),
    "id out of range": box(2**63, 3),
    "impossible area": box(7, 3, area=-1),
    "malformed entry": box(7, 3, bbox="x"),
}


@pytest.mark.parametrize("reason", DROPPED)
def test_a_dropped_annotation_leaves_its_category_uncertain(reason: str, tmp_path: Path) -> None:
    scenes = read(tmp_path, document(annotations=[box(5), DROPPED[reason]]), skip_bad=True)
    assert left_out(scenes) == {reason: 1}
    assert scenes[0].known == scenes[0].countable == {"dog", "sheep"}


def test_a_dropped_annotation_beside_a_sound_one_is_present_and_not_counted(tmp_path: Path) -> None:
    (scene,) = read(tmp_path, document(annotations=[box(5), box(7, bbox=[9, 0, 0, 20])]), skip_bad=True)
    assert (scene.known, scene.countable) == ({"dog", "sheep", "kite"}, {"sheep", "kite"})


@pytest.mark.parametrize("bad", [box(7, 9), box(7) | {"category_id": "dog"}, {"image_id": 1}])
def test_a_dropped_annotation_of_any_category_leaves_all_uncertain(bad: dict[str, Any], tmp_path: Path) -> None:
    (scene,) = read(tmp_path, document(annotations=[box(5), bad]), skip_bad=True)
    assert (scene.known, scene.countable) == ({"dog"}, frozenset())


def test_a_dropped_annotation_may_be_what_its_rival_is_called(tmp_path: Path) -> None:
    names = [{"id": i, "name": name} for i, name in enumerate(("dog", "car", "truck"))]
    bad = box(7, 1, bbox=[9, 0, 0, 20])
    (scene,) = read(tmp_path, document(annotations=[box(5, 0), bad], categories=names), skip_bad=True)
    assert scene.known == {"dog"}


def test_a_broken_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"images": [')
    with pytest.raises(VhbenchError, match=r"x\.json: not a COCO instances JSON: Input data was truncated"):
        CocoScenes(tmp_path / "x.json", None)
    with pytest.raises(VhbenchError, match=r"cannot read .*none\.json: No such file"):
        CocoScenes(tmp_path / "none.json", None)


def test_the_real_photos(reference: Path) -> None:
    photos = CocoScenes(reference / "coco_mini" / "instances_val2017.json", reference / "coco_mini" / "val2017")
    assert (len(photos), photos.instances, left_out(photos)) == (25, 213, {})
    suitcases = next(s for s in photos if s.id == "coco:475678")
    assert suitcases.count("suitcase") == 12
    assert all("book" not in s.countable for s in photos if s.id in ("coco:553664", "coco:255165"))


def paco(reference: Path, *annotations: dict[str, Any], **image: Any) -> dict[str, Any]:
    names = json.loads((reference / "PACO" / "classes.json").read_text())["attributes"]
    categories = ["mug", "cup", "car_(automobile)", "lamp", "hat", "mug:handle"]
    return {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 80, **image}],
        "annotations": list(annotations),
        "categories": [{"id": i + 1, "name": name} for i, name in enumerate(categories)],
        "attributes": [{"id": i, "name": name} for i, name in enumerate(names)],
    }


def test_paco_knows_what_was_looked_for(tmp_path: Path, reference: Path) -> None:
    thing = box(1, obj_ann_id=1, attribute_ids=[23, 25, 42, 55], dom_color_ids=[23], unknown_transparency=1)
    part = box(2, 6, obj_ann_id=1, attribute_ids=[25])
    lists = {"neg_category_ids": [2, 3], "not_exhaustive_category_ids": [1]}
    (scene,) = read(tmp_path, paco(reference, thing, part, **lists), PacoScenes)
    (mug,) = scene.objects
    assert scene.known == {"mug", "car"}  # a cup could be meant by the mug; nobody looked for lamps and hats
    assert scene.countable == {"car"}
    assert mug.known_attributes == {"colour", "material"}
    assert set(mug.attributes) >= {("colour", "red"), ("partly colour", "white"), ("material", "wood")}


def test_paco_attribute_outside_its_classes(tmp_path: Path, reference: Path) -> None:
    with pytest.raises(VhbenchError, match="annotation 1: attribute 60 is not one of the file's 59 classes"):
        read(tmp_path, paco(reference, box(1, attribute_ids=[60])), PacoScenes)
    scenes = read(tmp_path, paco(reference, box(1, attribute_ids=[23, 60])), PacoScenes, skip_bad=True)
    assert left_out(scenes) == {"unknown attribute": 1}
    (mug,) = scenes[0].objects
    assert (mug.attributes, mug.known_attributes) == ((), frozenset())


def test_paco_dropped_annotation_leaves_its_category_uncertain(tmp_path: Path, reference: Path) -> None:
    bad = box(2, 3, bbox=[9, 0, 0, 20])
    lists = {"neg_category_ids": [3, 4]}
    (scene,) = read(tmp_path, paco(reference, box(1), bad, **lists), PacoScenes, skip_bad=True)
    assert scene.known == scene.countable == {"mug", "lamp"}
    (scene,) = read(tmp_path, paco(reference, box(1), box(2, 99), **lists), PacoScenes, skip_bad=True)
    assert (scene.known, scene.countable) == ({"mug"}, frozenset())


def svg(**changes: Any) -> dict[str, Any]:
    objects = {
        "0": {"name": "Cup", "bbox": [0, 0, 10, 10], "relations": [{"object": 1, "name": "on top of"}]},
        "1": {"name": "table", "bbox": [0, 10, 50, 50], "relations": []},
    }
    return {"a": {"width": 100, "height": 80, "objects": objects | changes}}


def test_svg_relations_and_what_is_known(tmp_path: Path) -> None:
    (scene,) = read(tmp_path, svg(), SvgScenes)
    assert scene.relations == (Relation(0, "on", 1),)
    assert bare(read(tmp_path, svg(), SvgScenes), 0) == Scene(scene.id, scene.image, 100, 80, objects=())
    assert scene.countable == {"cup"}  # only the cup is an anchor
    assert SvgScenes(tmp_path / "file.json", None)[0].image == Path("a")  # its file is not looked for


def test_svg_stuff_is_no_thing_that_has_a_place(tmp_path: Path) -> None:
    under = [{"object": 0, "name": "below"}]
    sky = {"2": {"name": "Sky", "bbox": [0, 0, 99, 9], "relations": under}}
    (scene,) = read(tmp_path, svg(**sky), SvgScenes)
    assert [o.category for o in scene.objects] == ["cup", "table"]
    assert scene.relations == (Relation(0, "on", 1),)


def test_svg_relation_to_a_missing_object(tmp_path: Path) -> None:
    broken = {"2": {"name": "x", "bbox": [0, 0, 9, 9], "relations": [{"object": 7, "name": "on"}]}}
    with pytest.raises(VhbenchError, match=r"file\.json: image a, object 2: 'on' to object 7"):
        read(tmp_path, svg(**broken), SvgScenes)
    assert left_out(read(tmp_path, svg(**broken), SvgScenes, skip_bad=True)) == {"relation to a missing object": 1}
    (scene,) = read(tmp_path, svg(**broken), SvgScenes, skip_bad=True)
    assert (scene.countable, scene.known_predicates) == (frozenset(), frozenset())  # object 7 may be another cup


def test_svg_dropped_object_leaves_its_category_uncertain(tmp_path: Path) -> None:
    on = [{"object": 1, "name": "on"}]
    broken = {
        "2": {"name": "cup", "bbox": [5, 5, 5, 9], "relations": on},
        "3": {"name": "fork", "bbox": [5, 5, 9, 9], "relations": on},
    }
    (scene,) = read(tmp_path, svg(**broken), SvgScenes, skip_bad=True)
    assert (scene.known, scene.countable) == ({"cup", "fork"}, {"fork"})


def test_svg_image_of_an_impossible_size(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"file\.json: image a: size 1000000000000x80 is not within 1 to 100000"):
        read(tmp_path, {"a": svg()["a"] | {"width": 10**12}}, SvgScenes)


def test_svg_images_that_are_not_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.json").write_text(json.dumps(svg()))
    with pytest.raises(VhbenchError, match=r"file\.json: image a: no file of that name in the folder of images"):
        SvgScenes(tmp_path / "file.json", tmp_path / "empty")


def test_svg_images_without_objects(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"file\.json: no usable image has an object"):
        read(tmp_path, {"a": svg()["a"] | {"objects": {}}}, SvgScenes)


def lvis(*annotations: dict[str, Any], **image: Any) -> dict[str, Any]:
    """An LVIS file: images name what was looked for in vain, and what is not all listed, and have no file_name."""
    names = ("dog", "mouse_(computer_equipment)", "kite", "bat_(animal)")
    return {
        "images": [{"id": 1, "coco_url": "http://images/val2017/a.jpg", "width": 100, "height": 80, **image}],
        "annotations": list(annotations),
        "categories": [{"id": i, "name": name} for i, name in enumerate(names, 1)],
    }


def test_in_a_federated_file_what_is_unknown_is_not_absent(tmp_path: Path) -> None:
    lists = {"neg_category_ids": [], "not_exhaustive_category_ids": [1]}
    (scene,) = read(tmp_path, lvis(box(1), box(2, 2), **lists))
    assert (scene.known, scene.countable) == ({"dog", "computer mouse"}, {"computer mouse"})
    (scene,) = read(tmp_path, lvis(box(1), neg_category_ids=[3, 4], not_exhaustive_category_ids=[]))
    assert (scene.known, scene.countable) == ({"dog", "kite", "bat (animal)"},) * 2
    assert scene.image == tmp_path / "images" / "a.jpg"


def test_an_image_of_a_federated_file_that_says_nothing_counts_nothing(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "b.jpg").write_bytes(b"not opened")
    silent = {"id": 2, "file_name": "b.jpg", "width": 100, "height": 80}
    content = lvis(box(1), box(2) | {"image_id": 2}, neg_category_ids=[3])
    first, second = read(tmp_path, content | {"images": [*content["images"], silent]})
    assert (first.known, first.countable) == ({"dog", "kite"}, {"dog", "kite"})
    assert (second.known, second.countable) == ({"dog"}, frozenset())


def test_a_paco_image_that_says_nothing_counts_nothing(tmp_path: Path, reference: Path) -> None:
    (scene,) = read(tmp_path, paco(reference, box(1)), PacoScenes)
    assert (scene.known, scene.countable) == ({"mug"}, frozenset())


@pytest.mark.parametrize("crowd", [0, 1])
def test_a_photo_that_two_images_name_shows_what_either_lists(tmp_path: Path, crowd: int) -> None:
    images = [{"id": n, "file_name": "a.jpg", "width": 100, "height": 80} for n in (1, 2)]
    scenes = read(tmp_path, document(images=images, annotations=[box(5), box(6, 2, image_id=2, iscrowd=crowd)]))
    assert [scene.known for scene in scenes] == [{"dog", "kite"}, {"sheep", "kite"}]  # absent in one of them: unknown
    assert [scene.countable for scene in scenes] == [{"dog", "kite"}, {"kite"} if crowd else {"sheep", "kite"}]
    assert scenes.faults.notes[0] == ("the same photo under several image ids", "a.jpg")


def test_what_two_images_of_a_photo_list_is_not_counted(tmp_path: Path) -> None:
    images = [{"id": n, "file_name": "a.jpg", "width": 100, "height": 80} for n in (1, 2)]
    scenes = read(tmp_path, document(images=images, annotations=[box(5), box(6, image_id=2)]))
    assert [(scene.known, scene.countable) for scene in scenes] == [
        ({"dog", "sheep", "kite"}, {"sheep", "kite"}),
    ] * 2


def test_lvis_photos_lie_in_their_folders_or_in_one(tmp_path: Path) -> None:
    (tmp_path / "images" / "val2017").mkdir(parents=True)
    (tmp_path / "images" / "val2017" / "a.jpg").write_bytes(b"not opened")
    (scene,) = read(tmp_path, lvis(box(1)))
    assert scene.image == tmp_path / "images" / "val2017" / "a.jpg"
    with pytest.raises(VhbenchError, match="image 1: has neither file_name nor coco_url"):
        read(tmp_path, lvis(box(1), coco_url=""))


def named(*categories: str) -> list[dict[str, Any]]:
    return [{"id": i, "name": name} for i, name in enumerate(categories, 1)]


def test_categories_that_people_confuse_are_not_known_to_be_absent(tmp_path: Path) -> None:
    content = document(annotations=[box(5)], categories=named("bus", "car", "train", "kite"))
    assert read(tmp_path, content)[0].known == {"bus", "kite"}
    (tmp_path / "rivals.json").write_text('[["bus", "kite"], ["car", "train"]]')
    own = read_names((), str(tmp_path / "rivals.json"))
    assert read(tmp_path, content, names=own)[0].known == {"bus", "car", "train"}


def test_categories_get_other_names(tmp_path: Path) -> None:
    content = document(annotations=[box(5), box(6, 2)], categories=named("tv", "cup", "laptop", "kite"))
    (scene,) = read(tmp_path, content)
    assert scene.known == {"TV or monitor", "cup", "kite"}  # a monitor may be taken for a laptop
    renamed = read_names(("tv=tv", "cup=cup or mug"), "")
    assert read(tmp_path, content, names=renamed)[0].known == {"tv", "cup or mug", "kite"}
    with pytest.raises(VhbenchError, match=r"file\.json: categories 'cup' and 'kite' would both be named 'kite'"):
        read(tmp_path, content, names=read_names(("cup=kite",), ""))


BAD_NAMES = {
    "--rename: expected NAME=WORDS": (("tv",), None),
    "--rename 'tv=b': 'tv' occurs twice": (("tv=a", "tv=b"), None),
    "--rename 'b=a': 'a' occurs twice": (("tv=a", "b=a"), None),
    r"rivals\.json: group \['cup'\]: must hold at least two": ((), '[["cup"]]'),
    r"rivals\.json: not a list of groups of names": ((), '{"cup": "mug"}'),
}


@pytest.mark.parametrize("message", BAD_NAMES)
def test_bad_names_are_one_line(message: str, tmp_path: Path) -> None:
    pairs, rivals = BAD_NAMES[message]
    (tmp_path / "rivals.json").write_text(rivals or "")
    with pytest.raises(VhbenchError, match=message):
        read_names(pairs, str(tmp_path / "rivals.json") if rivals else "")


def keypoints(*seen: int) -> list[float]:
    return [value for i in range(17) for value in ((5.0, 5.0, 2.0) if i in seen else (0.0, 0.0, 0.0))]


PEOPLE: dict[str, tuple[dict[str, Any], bool]] = {
    "far away": ({"bbox": [40, 30, 3, 8]}, True),
    "close": ({"bbox": [0, 0, 50, 80]}, True),
    "a hand at the edge": ({"bbox": [0, 40, 10, 12]}, False),
    "an arm across": ({"bbox": [0, 40, 90, 30]}, False),
    "a face at the edge": ({"bbox": [0, 40, 10, 12], "keypoints": keypoints(0, 1)}, True),
    "legs": ({"bbox": [10, 10, 20, 60], "keypoints": keypoints(13, 14, 15, 16)}, False),
    "a large hand": ({"bbox": [20, 10, 40, 60], "keypoints": keypoints(9)}, False),
    "nothing labelled": ({"bbox": [20, 10, 40, 60], "keypoints": keypoints()}, True),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_a_part_of_a_person_is_there_and_not_asked_about(name: str, tmp_path: Path) -> None:
    annotation, whole = PEOPLE[name]
    content = document(annotations=[box(5, **annotation)], categories=named("person", "kite"))
    (scene,) = read(tmp_path, content)
    assert scene.categories() == {"person"}
    assert (len(scene.objects), scene.count("person")) == ((1, 1) if whole else (0, None))
    assert scene.known == {"person", "kite"}
    # The same said by a file of its own.
    (tmp_path / "keypoints.json").write_text(json.dumps(content | {"annotations": [box(5) | annotation]}))
    if any(annotation.get("keypoints", ())):
        found = read_keypoints(tmp_path / "keypoints.json")
        plain = document(annotations=[box(5, bbox=annotation["bbox"])], categories=named("person", "kite"))
        assert len(read(tmp_path, plain, keypoints=found)[0].objects) == whole


def test_keypoints_of_another_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "keypoints.json").write_text(json.dumps(document()))
    with pytest.raises(VhbenchError, match=r"keypoints\.json: none of its 2 annotations has keypoints"):
        read_keypoints(tmp_path / "keypoints.json")
