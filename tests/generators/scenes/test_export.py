"""Scenes as COCO instances: pycocotools itself reads them."""

import json

import pytest
from pycocotools.coco import COCO

from vhbench.generators.scenes.export import to_coco
from vhbench.generators.scenes.source import SceneSource
from vhbench.schema import ObjectSpec, SceneSpec


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_pycocotools_reads_the_export(tmp_path):
    specs = [SceneSpec("a", (ObjectSpec("car", count=2), ObjectSpec("cup"))), SceneSpec("b", (ObjectSpec("chair"),))]
    scenes = list(SceneSource().make(specs, seed=3))
    file = tmp_path / "instances.json"
    file.write_text(json.dumps(to_coco(scenes)), encoding="utf-8")
    coco = COCO(str(file))
    assert [cat["name"] for cat in coco.loadCats(coco.getCatIds())] == ["car", "chair", "cup"]
    assert [len(coco.getAnnIds(imgIds=[image])) for image in coco.getImgIds()] == [3, 1]
    things = [thing for scene in scenes for thing in scene.objects]
    for annotation, thing in zip(coco.loadAnns(coco.getAnnIds()), things, strict=True):
        assert coco.annToMask(annotation).sum() == thing.area == annotation["area"]
        assert annotation["bbox"] == list(thing.box)
    [first, _] = coco.loadImgs(coco.getImgIds())
    assert first["file_name"] == "a-3.jpg"
    assert "banana" in first["neg_category_names"]
    assert "car" not in first["neg_category_names"]
