"""MIOH's sources put together: SVG's relations with what COCO knows of the same images."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from vhbench.builds import mioh_sources
from vhbench.builds.mioh import MiohBuild
from vhbench.builds.mioh_sources import Reading
from vhbench.generators.mioh.facts import Related
from vhbench.generators.mioh.pools import ScenePool
from vhbench.schema import VhbenchError


def write(folder: Path, name: str, content: Any) -> str:
    (folder / name).write_text(json.dumps(content))
    return str(folder / name)


def files(folder: Path) -> tuple[str, str, str]:
    """Two photos: a dog on a couch, which SVG describes in full; and two dogs, of which SVG names one."""
    (folder / "photos").mkdir()
    for name in ("7", "8"):
        (folder / "photos" / f"{name}.jpg").write_bytes(b"not opened")
    boxes = {1: (7, 1, [10, 40, 20, 20]), 2: (7, 2, [0, 50, 90, 30]), 3: (8, 1, [1, 1, 9, 9]), 4: (8, 1, [50, 1, 9, 9])}
    coco = {
        "images": [{"id": i, "file_name": f"{i}.jpg", "width": 100, "height": 80} for i in (7, 8)],
        "annotations": [
            {"id": i, "image_id": image, "category_id": c, "bbox": box} for i, (image, c, box) in boxes.items()
        ],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "couch"}, {"id": 3, "name": "kite"}],
    }
    on = [{"object": "1", "name": "on top of"}]
    svg = {
        "7": {"width": 100, "height": 80, "objects": {
            "0": {"name": "dog", "bbox": [11, 40, 30, 60], "relations": on},
            "1": {"name": "couch", "bbox": [0, 50, 90, 80]},
            "2": {"name": "cushion", "bbox": [60, 50, 70, 60]},
        }},
        "8": {"width": 100, "height": 80, "objects": {"0": {"name": "dog", "bbox": [1, 1, 10, 10]}}},
    }  # fmt: skip
    return write(folder, "coco.json", coco), write(folder, "svg.json", svg), str(folder / "photos")


def test_coco_says_what_is_absent_from_svgs_images_and_what_is_all_listed(tmp_path: Path) -> None:
    coco, svg, photos = files(tmp_path)
    given = (f"coco:{coco}", f"svg:{svg}")
    source, absences = MiohBuild(source=given, images=photos)._sources_of("position")
    assert (source, absences) == (f"svg:{svg}", f"coco:{coco}")
    assert MiohBuild(source=given, images=photos)._sources_of("existence") == [f"coco:{coco}"]
    alone = mioh_sources.read(f"svg:{svg}", Reading(photos)).scenes
    assert [s.known for s in alone] == [{"dog"}, frozenset()]
    world = mioh_sources.read(f"svg:{svg}", Reading(photos), absences=absences)
    first, second = world.scenes
    assert first.known == first.countable == {"dog", "couch", "kite"}  # nobody counted the cushions
    assert second.known == {"couch", "kite"}  # SVG names one of two dogs
    assert second.relations == ()


def test_what_svg_names_by_a_rivals_name_is_not_absent(tmp_path: Path) -> None:
    coco, svg, photos = files(tmp_path)
    content = json.loads(Path(svg).read_text())
    content["7"]["objects"]["2"]["name"] = "umbrella"  # which people take a kite for
    write(tmp_path, "svg.json", content)
    first, second = mioh_sources.read(f"svg:{svg}", Reading(photos), absences=f"coco:{coco}").scenes
    assert "kite" not in first.known | first.countable
    assert "kite" in second.known


def test_files_that_were_written_anew_are_read_again(tmp_path: Path) -> None:
    coco, _, photos = files(tmp_path)
    rivals = write(tmp_path, "rivals.json", [["cat", "lynx"]])
    build = MiohBuild(source=(f"coco:{coco}",), images=photos, rivals=rivals)
    places = [Path(coco), Path(rivals)]

    def known(time: int) -> tuple[object, ...]:
        for place in places:
            os.utime(place, ns=(time, time))
        return build.sources[places[0].name], *(scene.known for scene in build.pool("existence")[0].scenes)

    digest, first, _ = known(1)
    assert first == {"dog", "couch", "kite"}
    content = json.loads(places[0].read_text())
    content["annotations"][1]["category_id"] = 3  # a kite, where the couch was
    write(tmp_path, "coco.json", content)
    again, first, second = known(2)
    assert again != digest
    assert (first, second) == ({"dog", "couch", "kite"},) * 2
    write(tmp_path, "rivals.json", [["kite", "couch"]])
    assert known(3) == (again, {"dog", "kite"}, {"dog", "couch", "kite"})


def test_an_absence_makes_a_relation_false_but_no_distractor(tmp_path: Path) -> None:
    coco, svg, photos = files(tmp_path)
    scenes = mioh_sources.read(f"svg:{svg}", Reading(photos), absences=f"coco:{coco}").scenes
    pool = ScenePool(scenes)
    truth = pool.truth(Related("dog", "on", "couch"))
    assert [pool.scenes_of(bits).tolist() for bits in (truth.yes, truth.no, truth.far)] == [[0], [1], []]


def kitchen(folder: Path, name: str, forks: range) -> str:
    """Twenty photos with a cup each, those in ``forks`` with a fork; spoons are everywhere else."""
    things = [(i, c) for i in range(20) for c in (1, 2 if i in forks else 3)]
    content = {
        "images": [{"id": i, "file_name": f"{i}.jpg", "width": 100, "height": 80} for i in range(20)],
        "annotations": [
            {"id": n, "image_id": i, "category_id": c, "bbox": [10 + 30 * c, 10, 20, 30]}
            for n, (i, c) in enumerate(things)
        ],
        "categories": [{"id": i, "name": word} for i, word in enumerate(("cup", "kettle", "clock"), 1)],
    }
    return write(folder, name, content)


def test_what_suggests_a_thing_is_counted_in_other_photos(tmp_path: Path) -> None:
    own, other = kitchen(tmp_path, "own.json", range(2)), kitchen(tmp_path, "other.json", range(16))
    scenes = mioh_sources.statistics(own, ())
    pools = ScenePool(scenes), ScenePool(scenes, statistics=mioh_sources.statistics(other, ()))
    kettle, cup = (pools[0].columns.column[word] for word in ("kettle", "cup"))
    chances = [pool.cooccurrence.score(kettle)[5] for pool in pools]  # a photo with a cup and a clock
    assert chances == pytest.approx([2 / 20, 16 / 20])
    assert (
        pools[1].cooccurrence.together[kettle, cup] == 2
    )  # what occurs together is still that of the photos asked about


def test_statistics_of_other_things_are_refused(tmp_path: Path) -> None:
    scenes = mioh_sources.statistics(kitchen(tmp_path, "own.json", range(2)), ("cup=a", "kettle=b", "clock=c"))
    with pytest.raises(VhbenchError, match="the statistics cover none of the categories of the images"):
        ScenePool(mioh_sources.statistics(str(tmp_path / "own.json"), ()), statistics=scenes)
