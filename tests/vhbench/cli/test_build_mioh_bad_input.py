"""``vhbench build mioh`` on faulty files: one line with file and id and exit code 2; ``--skip-bad`` counts instead."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vhbench import splits
from vhbench.cli import app
from vhbench.schema import VhbenchError

Document = dict[str, Any]
RUN = "from vhbench.cli import main; main()"
COLOURS = ["yellow", "light_blue", "blue"]


def coco() -> Document:
    """Forty photos: a large dog in each, a large cat in every other one."""
    boxes = [(i, c) for i in range(1, 41) for c in (1, 2) if i % c == 0]
    return {
        "images": [{"id": i, "file_name": f"{i}.jpg", "width": 64, "height": 48} for i in range(1, 41)],
        "annotations": [
            {"id": n, "image_id": i, "category_id": c, "bbox": [4 + 20 * c, 8, 18, 30], "area": 400}
            for n, (i, c) in enumerate(boxes, 1)
        ],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "cat"}],
    }


def paco() -> Document:
    document = coco()
    for image in document["images"]:
        image |= {"neg_category_ids": [], "not_exhaustive_category_ids": []}
    for annotation in document["annotations"]:
        annotation |= {"attribute_ids": [annotation["id"] % 7 % 3], "dom_color_ids": [annotation["id"] % 7 % 3]}
    return document | {"attributes": [{"id": i, "name": name} for i, name in enumerate(COLOURS)]}


def svg() -> Document:
    """A cup beside a table: to the left of it in every other photo."""
    boxes = [10, 15, 28, 35], [34, 12, 56, 36]
    beside = [{"object": "1", "name": "next to"}], [{"object": "0", "name": "next to"}]
    return {
        str(i): {"width": 64, "height": 48, "objects": {
            "0": {"name": "cup", "bbox": boxes[i % 2], "relations": list(beside[0])},
            "1": {"name": "table", "bbox": boxes[1 - i % 2], "relations": list(beside[1])},
        }}
        for i in range(1, 41)
    }  # fmt: skip


SOURCES: dict[str, Callable[[], Document]] = {"coco": coco, "paco": paco, "svg": svg}


def build(folder: Path, name: str, document: Document, *options: str) -> list[str]:
    """Write the file and its photos; return the command that builds from them."""
    from PIL import Image

    photos = folder / "photos"
    photos.mkdir()
    for i in range(1, 41):
        Image.new("RGB", (64, 48), (i, 0, 0)).save(photos / f"{i}.jpg")
    (folder / "file.json").write_text(json.dumps(document))
    types = {"coco": "E1", "paco": "A1", "svg": "P1"}[name]
    return ["build", "mioh", "--source", f"{name}:{folder / 'file.json'}", "--images", str(photos), "--types", types,
            "--cells", "1", "--allow-missing", "--out", str(folder / "out"), *options]  # fmt: skip


def missing_file(d: Document) -> None:
    d["images"][6]["file_name"] = "none.jpg"


def image_twice(d: Document) -> None:
    d["images"].append(d["images"][2])


def annotation_twice(d: Document) -> None:
    d["annotations"].append(d["annotations"][2])


def strange_attribute(d: Document) -> None:
    d["annotations"][8]["attribute_ids"] = [3]


def relation_to_nothing(d: Document) -> None:
    d["5"]["objects"]["0"]["relations"].append({"object": "7", "name": "under"})


BAD: dict[str, tuple[str, Callable[[Document], None], str, str]] = {
    "missing image file": ("coco", missing_file, "image 7: no file 'none.jpg' in ", "missing image file"),
    "duplicate image": ("coco", image_twice, "image 3: this id occurs twice", "duplicate image id"),
    "duplicate annotation": ("paco", annotation_twice, "annotation 3: this id occurs twice", "duplicate annotation id"),
    "attribute": (
        "paco", strange_attribute, "annotation 9: attribute 3 is not one of the file's 3 classes", "unknown attribute",
    ),
    "relation": ("svg", relation_to_nothing, "image 5, object 0: 'under' to object 7", "relation to a missing object"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_entry_is_one_line_and_skip_bad_counts_it(name: str, tmp_path: Path) -> None:
    source, spoil, message, reason = BAD[name]
    document = SOURCES[source]()
    spoil(document)
    command = build(tmp_path, source, document)
    with pytest.raises(VhbenchError) as caught:
        CliRunner().invoke(app, command, catch_exceptions=False)
    told = str(caught.value)
    assert message in told
    assert str(tmp_path / "file.json") in told
    assert "\n" not in told
    done = CliRunner().invoke(app, [*command, "--skip-bad"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    split = tmp_path / "out" / "mioh"
    assert splits.read_manifest(split).rejections[f"bad entry: {reason}"] >= 1
    told = [r.item for r in splits.read_rejections(split) if r.reason == f"bad entry: {reason}"]
    assert told[0] == f"file.json: {message.partition(':')[0]}"


def test_the_command_line_ends_with_2(tmp_path: Path) -> None:
    document = coco()
    missing_file(document)
    command = build(tmp_path, "coco", document)
    done = subprocess.run([sys.executable, "-c", RUN, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "image 7: no file 'none.jpg'" in done.stderr


def test_a_file_of_which_no_category_has_an_instance_is_refused_and_one_of_many_is_noted(tmp_path: Path) -> None:
    document = coco()
    document["categories"].append({"id": 3, "name": "kite"})
    command = build(tmp_path, "coco", document)
    assert CliRunner().invoke(app, command, catch_exceptions=False).exit_code == 0
    notes = [r.item for r in splits.read_rejections(tmp_path / "out" / "mioh") if "without instances" in r.reason]
    assert notes == ["file.json: category 3 ('kite')"]
    (tmp_path / "file.json").write_text(json.dumps(document | {"annotations": []}))
    with pytest.raises(VhbenchError, match=r"file\.json: none of its 3 categories has an instance"):
        CliRunner().invoke(app, [*command[:-2], "--out", str(tmp_path / "other")], catch_exceptions=False)
