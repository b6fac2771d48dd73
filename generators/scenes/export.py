"""Scenes as COCO instances JSON, so that everything that reads COCO reads them."""

from collections.abc import Iterable
from typing import Any

from vhbench.schema import Scene, SceneObject


def to_coco(scenes: Iterable[Scene], *, suffix: str = ".jpg") -> dict[str, Any]:
    """Return the instances of scenes as one COCO document (a dict that ``json.dump`` takes).

    Image ids count from 1 in the order of the scenes; ``file_name`` is the scene's id and ``suffix``. Category ids
    count from 1 in alphabetical order of all names that occur. Segmentations are compressed RLE. What COCO has no
    field for stands beside its fields: ``attributes``, ``visible_fraction`` and ``in_frame_fraction`` in annotations;
    ``environment``, ``areas``, ``relations`` and ``neg_category_names`` (known to be absent) in images.
    """
    images: list[dict[str, Any]] = []
    pairs: list[tuple[int, SceneObject]] = []
    for number, scene in enumerate(scenes, start=1):
        images.append(_image(number, scene, suffix))
        pairs += [(number, thing) for thing in scene.objects]
    names = sorted({thing.category for _, thing in pairs})
    ids = {name: number for number, name in enumerate(names, start=1)}
    return {
        "info": {"description": "vhbench scenes", "version": "1"},
        "licenses": [{"id": 1, "name": "Apache-2.0"}],
        "images": images,
        "categories": [{"id": number, "name": name, "supercategory": ""} for name, number in ids.items()],
        "annotations": [
            _annotation(number, image, thing, ids[thing.category])
            for number, (image, thing) in enumerate(pairs, start=1)
        ],
    }


def _image(number: int, scene: Scene, suffix: str) -> dict[str, Any]:
    return {
        "id": number,
        "file_name": scene.id + suffix,
        "width": scene.width,
        "height": scene.height,
        "license": 1,
        "environment": scene.environment,
        "environment_state": scene.environment_state,
        "areas": list(scene.areas),
        "relations": [[r.subject, r.predicate, r.object] for r in scene.relations],
        "neg_category_names": sorted(scene.known - scene.categories()),
    }


def _annotation(number: int, image: int, thing: SceneObject, category: int) -> dict[str, Any]:
    return {
        "id": number,
        "image_id": image,
        "category_id": category,
        "bbox": list(thing.box),
        "area": thing.area,
        "segmentation": {"size": list(thing.mask.size), "counts": thing.mask.counts} if thing.mask else [],
        "iscrowd": int(thing.crowd),
        "object_id": thing.id,
        "attributes": [list(pair) for pair in thing.attributes],
        "visible_fraction": thing.visible_fraction,
        "in_frame_fraction": thing.in_frame_fraction,
    }
