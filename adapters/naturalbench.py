"""NaturalBench (Li et al., NeurIPS 2024): two questions about two images, each answered otherwise on the other image.

Parquet files of the dataset BaiqiL/NaturalBench: ``Index, Image_0, Image_1, Question_0, Question_1, Image_0_Question_0,
Image_1_Question_0, Image_0_Question_1, Image_1_Question_1, Question_Type, Source``.
"""

from collections.abc import Iterator
from pathlib import Path

from vhbench.adapters.tables import ImageFolder, asked, read_table
from vhbench.schema import Question, Rejection


def read_naturalbench(path: Path, images: Path | None) -> Iterator[Question | Rejection]:
    """Yield the four cases of each group of yes/no questions; a rejection for each group of multiple choice.

    The options of multiple choice stand within the question, in words of their own: they are not taken apart.

    Args:
        path: a Parquet file, or the folder of all.
        images: not needed: images are within the table.

    Raises:
        VhbenchError: naming the row and the field that is wrong.
    """
    found = ImageFolder(images)
    for line in read_table(path):
        group = line.text("Index")
        if line.text("Question_Type", "Question Type") != "yes_no":
            yield Rejection(group, "no_yes_no_question", {"type": line.text("Question_Type", "Question Type")})
            continue
        for picture in (0, 1):
            image = found.of(line, f"Image_{picture}")
            for number in (0, 1):
                yield asked(
                    f"{group}-{picture}-{number}", image, line.text(f"Question_{number}"),
                    line.yes_no(f"Image_{picture}_Question_{number}"), scene_ids=(f"{group}-{picture}",),
                )  # fmt: skip
