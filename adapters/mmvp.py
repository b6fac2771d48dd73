"""MMVP (Tong et al., CVPR 2024): pairs of images that CLIP takes for alike, one question, opposite answers.

``Questions.csv`` has ``Index, Question, Options, Correct Answer``; the images are ``MMVP Images/INDEX.jpg``.
"""

from collections.abc import Iterator
from pathlib import Path

from vhbench.adapters.tables import ImageFolder, asked, choice, read_options, read_table
from vhbench.schema import Question

CORRECTED = {"99": "B", "100": "A", "279": "B", "280": "A"}
"""Labels that are wrong in the original file: its authors' issue 30, and lmms-eval's issue 1018."""


def read_mmvp(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield MMVP's multiple-choice questions with the four known label errors corrected.

    Args:
        path: the CSV file, or the folder that holds ``Questions.csv``; a Parquet file with images works too.
        images: folder of the images; by default ``MMVP Images`` beside the CSV file.

    Raises:
        VhbenchError: naming the row and the field that is wrong.
    """
    table = path / "Questions.csv" if (path / "Questions.csv").is_file() else path
    found = ImageFolder(images or table.parent / "MMVP Images")
    for line in read_table(table):
        index = line.text("Index", "lmms_eval_index", "id")
        options = read_options(line, line.text("Options"))
        image = found.of(line, "image") if line.get("image") else found.file(line, f"{index}.jpg", f"{index}.png")
        answer = CORRECTED.get(index) or choice(line, options, "Correct Answer", "answer")
        yield asked(index, image, line.text("Question"), answer, choices=options)
