"""HallusionBench (Guan et al., CVPR 2024): questions about figures, half of them edited so that the answer turns.

``HallusionBench.json`` is a list of rows with ``category, subcategory, visual_input, set_id, figure_id, question_id,
question, gt_answer`` (1 is yes, 0 is no) and ``filename``; ``visual_input`` 0 asks without an image.
"""

from collections.abc import Iterator
from pathlib import Path

from vhbench.adapters.tables import ImageFolder, Line, asked, read_table
from vhbench.schema import Question, Rejection, VhbenchError

KEY = ("category", "subcategory", "set_id", "figure_id", "question_id")
ANSWERS = {"1": "yes", "0": "no"}


def read_hallusionbench(path: Path, images: Path | None) -> Iterator[Question | Rejection]:
    """Yield HallusionBench's questions about images, and a rejection for each that has none.

    Args:
        path: ``HallusionBench.json``, or the folder that holds it; the Parquet files of lmms-lab/HallusionBench, which
            hold the images, work too.
        images: the folder ``hallusion_bench`` with the images, or the one that holds it; by default beside the JSON.

    Raises:
        VhbenchError: naming the row and the field that is wrong.
    """
    table = path / "HallusionBench.json" if (path / "HallusionBench.json").is_file() else path
    found = ImageFolder(images or table.parent)
    for line in read_table(table):
        name = "_".join(line.text(field) for field in KEY)
        if line.text("visual_input") == "0":
            yield Rejection(name, "no_image", {"question": line.text("question")})
            continue
        answer = ANSWERS.get(line.text("gt_answer"))
        if answer is None:
            raise VhbenchError(f"{line.place}: field 'gt_answer' is {line.get('gt_answer')!r}; must be 1 or 0")
        kind = f"{line.text('category')}-{line.text('subcategory')}"
        figure = name.rpartition("_")[0]
        image = found.of(line, "image") if line.get("image") else _file(found, line)
        yield asked(name, image, line.text("question"), answer, question_type=kind, scene_ids=(figure,))


def _file(found: ImageFolder, line: Line) -> Path:
    """Return a row's image, below ``hallusion_bench`` or the folder above it."""
    name = line.text("filename").removeprefix("./")
    return found.file(line, name, name.removeprefix("hallusion_bench/"))
