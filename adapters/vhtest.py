"""VHTest (Huang et al., Findings of ACL 2024): its yes/no benchmark, one table per mode of hallucination.

The tables (``color.xlsx`` … as published, or the same as CSV) have ``image_path, yes_or_no_question,
yes_or_no_ground_truth``; the images are ``Images/MODE/IMAGE_PATH``.
"""

from collections.abc import Iterator
from pathlib import Path

from vhbench.adapters.tables import ImageFolder, asked, read_table, table_files
from vhbench.schema import Question, VhbenchError

MODES = ("existence", "shape", "color", "orientation", "OCR", "size", "position", "counting")


def read_vhtest(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield VHTest's yes/no questions.

    Args:
        path: one mode's table, or the folder ``YNQ_Benchmark`` with all of them.
        images: the folder ``Images``, with one folder per mode; by default the one beside.

    Raises:
        VhbenchError: naming the row and the field that is wrong.
    """
    files = sorted(path.glob("*.csv")) if path.is_dir() else []
    for file in files or table_files(path):
        mode = next((mode for mode in MODES if file.stem.lower().startswith(mode.lower())), "")
        if not mode:
            raise VhbenchError(f"{file}: the file name must begin with a mode: {', '.join(MODES)}")
        found = ImageFolder(images or file.parent.parent / "Images")
        for index, line in enumerate(read_table(file), start=1):
            name = line.text("image_path", "image")
            answer = line.yes_no("yes_or_no_ground_truth", "answer")
            yield asked(
                f"{mode}-{index}", found.file(line, f"{mode}/{name}", name),
                line.text("yes_or_no_question", "question"), answer, question_type=mode, scene_ids=(name,),
            )  # fmt: skip
