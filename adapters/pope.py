"""POPE (Li et al., EMNLP 2023): is there a … in the image? Its JSON lines with an image folder, or lmms-lab's Parquet.

JSON lines: ``question_id, image, text, label``. Parquet (the form of the dataset lmms-lab/POPE): ``question_id,
question, answer, image_source, image, category``.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from vhbench.adapters.tables import ImageFolder, Line, asked, read_table
from vhbench.schema import Question, VhbenchError

CATEGORIES = ("random", "popular", "adversarial")


def read_pope(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield POPE's questions; ids carry the category, because each of the three files counts from 1.

    Args:
        path: one of ``coco_pope_*.json``, a folder of the three, or a Parquet file or folder.
        images: folder of COCO's images, for JSON lines.

    Raises:
        VhbenchError: naming the row and the field that is wrong.
    """
    for file in _files(path):
        found = ImageFolder(images)
        for index, line in enumerate(read_table(file), start=1):
            category = str(line.get("category") or _category(file))
            if category not in (*CATEGORIES, ""):
                raise VhbenchError(f"{line.place}: category {category!r}; must be one of {', '.join(CATEGORIES)}")
            number = str(line.get("question_id", "id") or index)
            yield asked(
                f"{category}-{number}" if category else number, found.of(line, "image"), line.text("text", "question"),
                line.yes_no("label", "answer"), task="existence", question_type=category,
                scene_ids=_scene(line),
            )  # fmt: skip


def _scene(line: Line) -> tuple[str, ...]:
    name = next((v for v in (line.get("image_source"), line.get("image")) if isinstance(v, str)), "")
    return (name,) if name else ()


def _files(path: Path) -> list[Path]:
    """Return the JSON files of a folder that has some; otherwise the path itself."""
    return (sorted(path.glob("*pope*.json")) if path.is_dir() else []) or [path]


def _category(file: Path) -> str:
    match = re.search(rf"({'|'.join(CATEGORIES)})", file.stem)
    return match[1] if match else ""
