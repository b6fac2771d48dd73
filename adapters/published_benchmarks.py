"""Readers of POPE, MMVP, VHTest, MME, HallusionBench and NaturalBench.

Each takes the path of a table or Parquet file (or of its folder) and the folder of its image files, if any. Each raises
a VhbenchError with the file, the row and the invalid field.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from vhbench.adapters.table_rows import suffixes
from vhbench.adapters.tables import ImageFolder, Line, choice, read_options, read_table, single_image, table_files
from vhbench.files import quote_value, read_text
from vhbench.schema import Question, Rejection, VhbenchError

_POPE = ("random", "popular", "adversarial")

_MMVP_CORRECTED: Final = {"99": "B", "100": "A", "279": "B", "280": "A"}
"""Label errors in the original file: its authors' issue 30, and lmms-eval's issue 1018."""

_VHTEST = ("existence", "shape", "color", "orientation", "OCR", "size", "position", "counting")

_MME_ANSWERS = "questions_answers_YN"
_MME_SUFFIXES = (".jpg", ".png", ".jpeg")

_HALLUSION_ID = ("category", "subcategory", "set_id", "figure_id", "question_id")


def read_pope(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield POPE's questions (Li et al., EMNLP 2023); ids include the category.

    Each of the three files counts ids from 1. The input is ``coco_pope_*.json`` or a folder of the three
    (``question_id, image, text, label``), or lmms-lab/POPE as Parquet (``question_id, question, answer, image_source,
    image, category``).
    """
    for file in (sorted(path.glob("*pope*.json")) if path.is_dir() else []) or [path]:
        folder = ImageFolder(images)
        named = re.search("|".join(_POPE), file.stem)
        for index, line in enumerate(read_table(file), start=1):
            category = str(line.get("category") or (named[0] if named else ""))
            if category not in (*_POPE, ""):
                raise VhbenchError(f"{line.place}: category: expected one of {', '.join(_POPE)}, got {category!r}")
            number = str(line.get("question_id", "id") or index)
            photo = next((v for v in (line.get("image_source"), line.get("image")) if isinstance(v, str)), "")
            yield single_image(
                f"{category}-{number}" if category else number, folder.of(line, "image"), line.text("text", "question"),
                line.yes_no("label", "answer"), task="existence", question_type=category,
                scene_ids=(photo,) if photo else (),
            )  # fmt: skip


def read_mmvp(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield MMVP's questions (Tong et al., CVPR 2024) with four known label errors corrected.

    The input is ``Questions.csv`` (``Index, Question, Options, Correct Answer``) with ``MMVP Images/INDEX.jpg`` next to
    it, or Parquet with images.
    """
    table = path / "Questions.csv" if (path / "Questions.csv").is_file() else path
    folder = ImageFolder(images or table.parent / "MMVP Images")
    for line in read_table(table):
        index = line.text("Index", "lmms_eval_index", "id")
        options = read_options(line, line.text("Options"))
        image = folder.of(line, "image") if line.get("image") else folder.file(line, f"{index}.jpg", f"{index}.png")
        answer = _MMVP_CORRECTED.get(index) or choice(line, options, "Correct Answer", "answer")
        yield single_image(index, image, line.text("Question"), answer, choices=options)


def read_vhtest(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield VHTest's yes/no questions (Huang et al., Findings of ACL 2024).

    The input is one mode or all: ``YNQ_Benchmark/color.xlsx`` …, or the same as CSV (``image_path, yes_or_no_question,
    yes_or_no_ground_truth``), with ``Images/MODE/IMAGE_PATH``.
    """
    for file in (sorted(path.glob("*.csv")) if path.is_dir() else []) or table_files(path):
        mode = next((mode for mode in _VHTEST if file.stem.lower().startswith(mode.lower())), "")
        if not mode:
            raise VhbenchError(f"{file}: expected a file name that begins with a mode: {', '.join(_VHTEST)}")
        folder = ImageFolder(images or file.parent.parent / "Images")
        for index, line in enumerate(read_table(file), start=1):
            name = line.text("image_path", "image")
            yield single_image(
                f"{mode}-{index}", folder.file(line, f"{mode}/{name}", name),
                line.text("yes_or_no_question", "question"), line.yes_no("yes_or_no_ground_truth", "answer"),
                question_type=mode, scene_ids=(name,),
            )  # fmt: skip


def read_mme(path: Path, images: Path | None) -> Iterator[Question]:
    """Yield MME's questions (Fu et al. 2023); ids contain subtask, image and question number.

    The input is the published folder of all subtasks or of one (:func:`_mme_texts`), or lmms-lab/MME as Parquet
    (``question_id, image, question, answer, category``).
    """
    texts, counted, folder = _mme_texts(path), Counter[str](), ImageFolder(images)
    for line in _mme_lines(texts) if texts else read_table(path):
        name = str(Path(line.text("question_id")).with_suffix("")).replace("/", "-")
        counted[name] += 1
        image = line.values["image"] if texts else folder.of(line, "image")
        yield single_image(
            f"{name}-{counted[name]}", image, line.text("question"), line.yes_no("answer"),
            question_type=str(line.get("category") or ""), scene_ids=(name,),
        )  # fmt: skip


def _mme_texts(path: Path) -> list[Path]:
    """Return the text files of MME's published format in a folder; empty for other formats.

    They are sorted by subtask and name. A subtask is a folder with images and texts of the same names, or with the
    folders ``images`` and ``questions_answers_YN``; a line is a question, a tab and "Yes" or "No".
    """
    if not path.is_dir():
        return []
    subtasks = [path]
    if not (path / _MME_ANSWERS).is_dir():
        subtasks += [child for child in sorted(path.iterdir()) if child.is_dir()]
    texts = []
    for folder in subtasks:
        inside = folder / _MME_ANSWERS if (folder / _MME_ANSWERS).is_dir() else folder
        texts += [file for file in sorted(inside.glob("*.txt")) if _mme_image(file) or inside.name == _MME_ANSWERS]
    return texts


def _mme_lines(texts: list[Path]) -> Iterator[Line]:
    for file in texts:
        folder = file.parent.parent if file.parent.name == _MME_ANSWERS else file.parent
        if (image := _mme_image(file)) is None:
            raise VhbenchError(f"{file}: no image {file.stem}.jpg or .png next to it or in {folder / 'images'}")
        for number, row in enumerate(read_text(file).splitlines(), start=1):
            question, tab, answer = row.rpartition("\t")
            if tab:
                values = {"question": question, "answer": answer, "category": folder.name, "image": image}
                name = f"{folder.name}/{file.name}"
                yield Line(f"{file}, line {number}", {"question_id": name, **values})
            elif row.strip():
                raise VhbenchError(
                    f"{file}, line {number}: expected a question, a tab and Yes or No, got {quote_value(row)}"
                )


def _mme_image(file: Path) -> Path | None:
    folder = file.parent.parent / "images" if file.parent.name == _MME_ANSWERS else file.parent
    return next((image for suffix in _MME_SUFFIXES if (image := folder / f"{file.stem}{suffix}").is_file()), None)


def read_hallusionbench(path: Path, images: Path | None) -> Iterator[Question | Rejection]:
    """Yield HallusionBench's questions with images (Guan et al., CVPR 2024), and rejections.

    Each question without an image is rejected. The input is ``HallusionBench.json`` or its folder (``category,
    subcategory, visual_input, set_id, figure_id, question_id, question, gt_answer, filename``; ``visual_input`` 0 means
    no image) with the folder ``hallusion_bench`` next to it, or lmms-lab/HallusionBench as Parquet, which contains the
    images.
    """
    table = path / "HallusionBench.json" if (path / "HallusionBench.json").is_file() else path
    folder = ImageFolder(images or table.parent)
    for line in read_table(table):
        name = "_".join(line.text(field) for field in _HALLUSION_ID)
        if line.text("visual_input") == "0":
            yield Rejection(name, "no_image", {"question": line.text("question")})
            continue
        answer = line.yes_no("gt_answer")
        if line.get("image"):
            image = folder.of(line, "image")
        else:
            file = line.text("filename").removeprefix("./")
            image = folder.file(line, file, file.removeprefix("hallusion_bench/"))
        kind = f"{line.text('category')}-{line.text('subcategory')}"
        figure = name.rpartition("_")[0]
        yield single_image(name, image, line.text("question"), answer, question_type=kind, scene_ids=(figure,))


def read_naturalbench(path: Path, images: Path | None) -> Iterator[Question | Rejection]:
    """Yield four cases per yes/no group of NaturalBench's Parquet (Li et al., NeurIPS 2024).

    Multiple-choice groups are rejected, since their options are part of the question text in varying formats.
    """
    folder = ImageFolder(images)
    for line in read_table(path):
        group, kind = line.text("Index"), line.text("Question_Type", "Question Type")
        if kind != "yes_no":
            yield Rejection(group, "no_yes_no_question", {"type": kind})
            continue
        for picture in (0, 1):
            image = folder.of(line, f"Image_{picture}")
            for number in (0, 1):
                yield single_image(
                    f"{group}-{picture}-{number}", image, line.text(f"Question_{number}"),
                    line.yes_no(f"Image_{picture}_Question_{number}"), scene_ids=(f"{group}-{picture}",),
                )  # fmt: skip


def files_of(path: Path) -> list[Path]:
    """Return the files of a source."""
    if path.is_file():
        return [path]
    own = _mme_texts(path) or sorted(file for file in path.iterdir() if file.suffix in suffixes() and file.is_file())
    return own or table_files(path)


READERS: Mapping[str, Callable[[Path, Path | None], Iterator[Question | Rejection]]] = {
    "pope": read_pope,
    "mmvp": read_mmvp,
    "vhtest": read_vhtest,
    "mme": read_mme,
    "hallusionbench": read_hallusionbench,
    "naturalbench": read_naturalbench,
}
"""Benchmark → its reader."""
