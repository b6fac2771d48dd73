"""MME (Fu et al. 2023): two yes/no questions for each image, in fourteen subtasks.

As published, a folder for each subtask: images with a text file of the same name beside them, or ``images/`` and
``questions_answers_YN/``; a line is a question, a tab and "Yes" or "No". Parquet (the dataset lmms-lab/MME):
``question_id, image, question, answer, category``.
"""

from collections.abc import Iterator
from pathlib import Path

from vhbench.adapters.tables import ImageFolder, Line, asked, not_utf8, read_table
from vhbench.files import LARGEST_TEXT, read_bytes, shown
from vhbench.schema import ImageData, Question, VhbenchError

ANSWERS = "questions_answers_YN"
SUFFIXES = (".jpg", ".png", ".jpeg")
Found = tuple[str, str, Line, ImageData]
"""What the image is called, its subtask, the row, and the image."""


def read_mme(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield MME's questions; ids name the subtask, the image, and which of its questions it is.

    Args:
        path: the folder of all subtasks or of one, or a Parquet file or folder.
        images: not needed: images lie beside the questions, or within the table.

    Raises:
        VhbenchError: naming the file, the line and what is wrong.
    """
    texts = text_files(path)
    lines = _published(texts) if texts else _parquet(path, images)
    counted: dict[str, int] = {}
    for name, category, line, image in lines:
        counted[name] = counted.get(name, 0) + 1
        yield asked(
            f"{name}-{counted[name]}", image, line.text("question"), line.yes_no("answer"),
            question_type=category, scene_ids=(name,),
        )  # fmt: skip


def text_files(path: Path) -> list[Path]:
    """Return the text files of MME's published form below a folder, by subtask and name; none of another form."""
    if not path.is_dir():
        return []
    folders = [path, *(child for child in sorted(path.iterdir()) if child.is_dir() and child.name != ANSWERS)]
    if (path / ANSWERS).is_dir():
        folders = [path]
    found = []
    for folder in folders:
        inside = folder / ANSWERS if (folder / ANSWERS).is_dir() else folder
        found += [file for file in sorted(inside.glob("*.txt")) if _image_of(file) or inside.name == ANSWERS]
    return found


def _published(texts: list[Path]) -> Iterator[Found]:
    for file in texts:
        folder = file.parent.parent if file.parent.name == ANSWERS else file.parent
        category = folder.name
        if (found := _image_of(file)) is None:
            raise VhbenchError(f"{file}: no image {file.stem}.jpg or .png beside it or in {folder / 'images'}")
        data = read_bytes(file, LARGEST_TEXT)
        try:
            rows = data.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise VhbenchError(f"{file}: {not_utf8(error)}") from error
        for number, row in enumerate(rows, start=1):
            if not row.strip():
                continue
            question, tab, answer = row.rpartition("\t")
            if not tab:
                raise VhbenchError(f"{file}, line {number}: {shown(row)}; must be a question, a tab and Yes or No")
            line = Line(f"{file}, line {number}", {"question": question, "answer": answer})
            yield f"{category}-{file.stem}", category, line, found


def _image_of(file: Path) -> Path | None:
    folder = file.parent.parent / "images" if file.parent.name == ANSWERS else file.parent
    return next((image for suffix in SUFFIXES if (image := folder / f"{file.stem}{suffix}").is_file()), None)


def _parquet(path: Path, images: Path | None) -> Iterator[Found]:
    found = ImageFolder(images)
    for line in read_table(path):
        name = str(Path(line.text("question_id")).with_suffix("")).replace("/", "-")
        category = str(line.get("category") or "")
        yield name, category, line, found.of(line, "image")
