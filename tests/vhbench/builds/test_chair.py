"""CHAIR as a benchmark of vhbench: a pinned list of photos, the reference's objects, words and numbers."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from vhbench import splits
from vhbench.adapters.calibration import Coin
from vhbench.builds import sharding
from vhbench.builds.chair import ChairBuild
from vhbench.files import read_json
from vhbench.schema import VhbenchError
from vhbench.tasks.metrics import chair


def instances(file: Path, gold: dict[str, list[str]], names: list[str]) -> Path:
    """Write COCO instances with these objects; all images are one picture."""
    Image.new("RGB", (8, 8), (10, 120, 90)).save(file.parent / "photo.png")
    number = {name: place for place, name in enumerate(names, start=1)}
    data = {
        "images": [{"id": int(image), "file_name": "photo.png"} for image in gold],
        "categories": [{"id": place, "name": name} for name, place in number.items()],
        "annotations": [
            {"id": place, "image_id": int(image), "category_id": number[name]}
            for place, (image, name) in enumerate((image, name) for image, objects in gold.items() for name in objects)
        ],
    }
    file.write_text(json.dumps(data))
    return file


GOLD = {str(number): ["person", "dog"][: number % 3] for number in range(100, 120)}


def objects_of(split: Path, *, compat: bool) -> dict[str, list[str]]:
    """Return image → objects; with ``compat`` as CHAIR's code reads the reference captions."""
    rows = {row.scene_ids[0]: list(row.objects) for row in splits.read_questions(split, "chair_captions")}
    return rows | (splits.read_manifest(split).config["reference_objects"] if compat else {})


def coco(folder: Path, **how: Any) -> ChairBuild:
    file = instances(folder / "instances.json", GOLD, ["person", "dog", "bus"])
    return ChairBuild(source=f"coco:{file}", images=str(folder), **how)


def test_the_rows_are_a_pinned_sample_asked_at_two_lengths(tmp_path: Path) -> None:
    words, captions = tmp_path / "synonyms.txt", tmp_path / "captions.json"
    words.write_text("person, man, woman\ndog, puppy\nbus, minibus\n")
    captions.write_text(json.dumps({"annotations": [{"id": 1, "image_id": 100, "caption": "A man waits for a bus."}]}))
    manifests = []
    for seed in (0, 0, 1):
        made = coco(tmp_path, sample=8, seed=seed, synonyms=str(words), captions=str(captions))
        sharding.run(made, tmp_path / f"out{len(manifests)}", progress=False)
        manifests.append(splits.read_manifest(tmp_path / f"out{len(manifests)}" / "chair"))
    first, again, other = manifests
    assert first.content_hash == again.content_hash
    assert len(set(first.config["image_ids"])) == 8
    assert first.config["image_ids"] != other.config["image_ids"]
    rows = list(splits.read_questions(tmp_path / "out0" / "chair", "chair_captions"))
    assert sorted((row.scene_ids[0], row.question_type) for row in rows) == sorted(
        (image, f"{limit}_tokens") for image in first.config["image_ids"] for limit in (64, 512)
    )
    assert first.config["vocabulary"] == {"person": ["man", "woman"], "dog": ["puppy"], "bus": ["minibus"]}


def test_objects_are_those_of_annotations_and_captions_and_the_references_own_are_kept(tmp_path: Path) -> None:
    words, captions = tmp_path / "synonyms.txt", tmp_path / "captions.json"
    words.write_text("person, man, woman\ndog, puppy\nbus, minibus\n")
    captions.write_text(json.dumps({"annotations": [{"id": 1, "image_id": 102, "caption": "A man waits for a bus."}]}))
    (tmp_path / "ids.json").write_text("[102, 101]")
    how = {"synonyms": str(words), "captions": str(captions), "ids": str(tmp_path / "ids.json")}
    sharding.run(coco(tmp_path, **how), tmp_path / "out", progress=False)
    split = tmp_path / "out" / "chair"
    assert splits.read_manifest(split).config["image_ids"] == ["102", "101"]
    ours, theirs = (objects_of(split, compat=compat) for compat in (False, True))
    assert {name: sorted(objects) for name, objects in ours.items()} == {
        "102": ["bus", "person"],
        "101": ["dog", "person"],
    }
    assert theirs["102"] == ["person"]  # pattern's singular of "bus" is "bu"
    candidates = {row.scene_ids[0]: row.candidates for row in splits.read_questions(split, "chair_captions")}
    assert candidates == {"102": ("dog",), "101": ("bus",)}  # frequent first, as many as objects


@pytest.mark.parametrize(
    "text",
    [
        "102\n101\n", "102, 101", "000000000102\r\n000000000101\r\n", "[102, 101]", '["102", "101"]',
        "COCO_val2014_000000000102.jpg\nCOCO_val2014_000000000101.jpg", "val2014/000000000102.jpg,000000000101.jpg",
        '{"image_id": 102, "caption": "A dog."}\n{"image_id": 101, "caption": "7"}',
        '[{"image": "COCO_val2014_000000000102.jpg", "id": 1}, {"image": "COCO_val2014_000000000101.jpg", "id": 2}]',
        '{"image": "COCO_val2014_000000000102.jpg"}\n{"image": "102"}\n{"image": "000000000101.jpg"}',
        '{"image_ids": [102, 101]}', "image_id\n102\n101\n", 'image_id,caption\n102,"A dog, 7"\n101,A bus\n',
        "['102', '101']", '{"102": "A dog.", "101": ["A bus."]}', "# The 2 images, as of 2018\n102\n101\n",
        '{"overall": {"metrics": {"CHAIRs": 1}}, "imgToEval": {"102": {"image_id": 102}, "101": {"image_id": 101}}}',
        "index\timage_id\tx\n0\t102\ta, b\n1\t101\tc\n", '{"ids": [102, 101]}', '[{"img_id": 102}, {"img_id": 101}]',
        '{"question_id": 5, "image_path": "/data/COCO_val2014_000000000102.jpg"}\n{"image_path": "000000000101.jpg"}',
        '{"test": [102, 101], "seed": 0}', '{"name": "val", "images": [{"id": 102}, {"id": 101}], "size": [1]}',
    ],
)  # fmt: skip
def test_image_ids_are_read_as_papers_publish_them(tmp_path: Path, text: str) -> None:
    (tmp_path / "ids.txt").write_text(text)
    made = coco(tmp_path, ids=str(tmp_path / "ids.txt"))
    made.check()
    assert made.config["image_ids"] == ["102", "101"]
    assert made.config["sample"] == 0  # none is drawn


def test_a_list_of_which_part_is_not_known_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ids.json").write_text('{"train": [102], "test": [101]}')
    with pytest.raises(VhbenchError, match=r"--ids .*: expected ids of images in the source, got 'train'"):
        coco(tmp_path, ids=str(tmp_path / "ids.json")).check()


def test_files_name_images_before_their_numbers_do(tmp_path: Path) -> None:
    file = instances(tmp_path / "instances.json", {"7": ["dog"], "8": []}, ["dog"])
    data = read_json(file)
    for row, name in zip(data["images"], ("8.jpg", "7.jpg"), strict=True):
        row["file_name"] = name
        (tmp_path / name).write_bytes((tmp_path / "photo.png").read_bytes())
    file.write_text(json.dumps(data))
    (tmp_path / "ids.txt").write_text("8.jpg 8")
    how = {"source": f"coco:{file}", "images": str(tmp_path), "ids": str(tmp_path / "ids.txt")}
    assert ChairBuild(**how).config["image_ids"] == ["7", "8"]


def test_a_vocabulary_need_not_have_the_categories_of_coco(tmp_path: Path) -> None:
    """As in OpenCHAIR: what the captions name, and the categories that it has."""
    words, captions = tmp_path / "words.json", tmp_path / "captions.json"
    words.write_text(json.dumps({"dog": ["puppy"], "bench": [], "lamp post": []}))
    told = [{"id": 1, "image_id": 102, "caption": "A man waits by a lamp post on a bench."}]
    captions.write_text(json.dumps({"annotations": told}))
    made = coco(tmp_path, synonyms=str(words), captions=str(captions), sample=0)
    sharding.run(made, tmp_path / "out", progress=False)
    objects = objects_of(tmp_path / "out" / "chair", compat=False)
    assert (objects["102"], objects["101"], objects["100"]) == (["bench", "lamp post"], ["dog"], [])
    words.write_text(json.dumps({"zebra": []}))
    with pytest.raises(VhbenchError, match="expected the vocabulary to have a category of the images, such as 'bus'"):
        coco(tmp_path, synonyms=str(words), sample=0).check()


def test_a_random_caption_is_not_free_of_hallucinations(tmp_path: Path) -> None:
    sharding.run(coco(tmp_path, sample=20), tmp_path / "out", progress=False)
    split = tmp_path / "out" / "chair"
    coin = Coin()
    captions = {row.id: coin.answer({**asdict(row)}) for row in splits.read_questions(split, "chair_captions")}
    gold = {row.id: row.objects for row in splits.read_questions(split, "chair_captions")}
    result = chair.score(captions, gold, synonyms=splits.read_manifest(split).config["vocabulary"])
    assert 0.2 < result["CHAIR_i"] < 0.8
    assert result["withheld"] is None


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"sample": 21}, r"--sample: expected at most 20 \(images in the source\), got 21"),
        ({"ids": "100 7"}, r"--ids .*: expected ids of images in the source, got '7'"),
        ({"images": "/nowhere", "sample": 1}, "--images /nowhere: expected photo.png"),
        ({"source": "lvis:x"}, "--source lvis:x: expected coco:INSTANCES.json or ode:SPLIT"),
    ],
)
def test_wrong_input_is_named(tmp_path: Path, how: dict[str, Any], message: str) -> None:
    if "ids" in how:
        (tmp_path / "ids.txt").write_text(how["ids"])
        how = {"ids": str(tmp_path / "ids.txt")}
    file = instances(tmp_path / "instances.json", GOLD, ["person", "dog", "bus"])
    options = {"source": f"coco:{file}", "images": str(tmp_path), "sample": 0}
    with pytest.raises(VhbenchError, match=message):
        ChairBuild(**{**options, **how}).check()


@pytest.mark.parametrize("model", ["instructblip", "mplug"])
def test_captions_of_the_split_get_the_references_numbers(reference: Path, tmp_path: Path, model: str) -> None:
    name = f"Instruction1_{model}.json"
    captions = read_json(reference / "POPE" / "caption_data" / name)
    gold, synonyms = read_json(reference / "CHAIR" / "gold_objects.json"), reference / "CHAIR" / "synonyms.txt"
    ids = tmp_path / "ids.txt"
    ids.write_text("\n".join(str(row["image_id"]) for row in captions))
    names = [line.split(",")[0] for line in synonyms.read_text().splitlines()]
    file = instances(tmp_path / "instances.json", {row: gold[row] for row in ids.read_text().split()}, names)
    made = ChairBuild(source=f"coco:{file}", images=str(tmp_path), synonyms=str(synonyms), ids=str(ids))
    sharding.run(made, tmp_path / "out", progress=False)
    split = tmp_path / "out" / "chair"
    objects, words = objects_of(split, compat=True), splits.read_manifest(split).config["vocabulary"]
    result = chair.score(captions, objects, synonyms=words, compat=True)
    expected = read_json(reference / "golden" / "chair_pope_captions.json")["results"][name]["reference"]
    found = result["counters"] | result["printed"]
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("part", "column", "fault"),
    [
        ("images", "file_name", r"instances.json, images, row 1: expected 'file_name', got \{'id': 100\}"),
        ("images", "id", r"COCO instances, images, row 1: expected 'id', got"),
        ("annotations", "category_id", r"COCO instances, annotations, row 1: expected 'category_id', got"),
        ("annotations", "image_id", r"COCO instances, annotations, row 1: expected 'image_id', got"),
        ("categories", "name", r"COCO instances, categories, row 1: expected 'name', got"),
    ],
)
def test_a_row_without_a_column_is_named(tmp_path: Path, part: str, column: str, fault: str) -> None:
    file = instances(tmp_path / "instances.json", GOLD, ["person", "dog", "bus"])
    data = json.loads(file.read_text())
    del data[part][0][column]
    file.write_text(json.dumps(data))
    with pytest.raises(VhbenchError, match=fault):
        ChairBuild(source=f"coco:{file}", images=str(tmp_path), sample=0).check()


def test_instances_are_no_captions(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"COCO captions .*instances.json, annotations, row 1: expected 'caption'"):
        coco(tmp_path, captions=str(tmp_path / "instances.json"), sample=0).check()
