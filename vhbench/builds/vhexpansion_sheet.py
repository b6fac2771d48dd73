"""A contact sheet of an expanded split: originals beside their perturbed forms, with both questions below."""

import textwrap
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from vhbench import splits
from vhbench.generators.vhexpansion.expansion import clean_pair
from vhbench.images import open_image
from vhbench.schema import Question, VhbenchError, read_image

CELL = 256
HEAD = 26
FOOT = 50
CASES = 8


def draw_sheet(directory: Path, file: Path, *, cases: int = CASES) -> None:
    """Draw the first case of each of the first images, one row each: the original and each perturbation.

    Args:
        directory: a split directory of VHExpansion.
        file: where the PNG goes.
        cases: rows.

    Raises:
        VhbenchError: if the split holds no case, or the file cannot be written.
    """
    pairs, twins, names = _gather(directory, cases)
    columns = ["", *names]
    rows = [[_thumbnail(forms[name]) if name in forms else None for name in columns] for forms in pairs.values()]
    heights = [FOOT + max(image.height for image in row if image) for row in rows]
    sheet = Image.new("RGB", (CELL * len(columns), HEAD + sum(heights)), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    for column, name in enumerate(columns):
        pen.text((column * CELL + 6, 5), name or "original", fill="black", font=font)
    top = HEAD
    for (pair, forms), row, height in zip(pairs.items(), rows, heights, strict=True):
        for column, image in enumerate(row):
            if image:
                sheet.paste(image, (column * CELL + (CELL - image.width) // 2, top))
        for line, question in enumerate([forms[""], twins[pair]]):
            text = textwrap.shorten(question.question, sheet.width // 8)
            place = (6, top + height - FOOT + 3 + 19 * line)
            pen.text(place, f"{text}  {question.answer}", fill="black", font=font)
        top += height
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        sheet.save(file, "PNG")
    except OSError as error:
        raise VhbenchError(f"cannot write {file}: {error.strerror or error}") from error


def _gather(directory: Path, cases: int) -> tuple[dict[str, dict[str, Question]], dict[str, Question], list[str]]:
    """Return clean pair id → perturbation → question, the negated twins, and the perturbations in order."""
    chosen: dict[str, dict[str, Question]] = {}
    twins: dict[str, Question] = {}
    seen: set[bytes] = set()
    names: list[str] = []
    configs = sorted(splits.read_manifest(directory).rows, key=len)  # a clean config's name is the shortest
    for config in configs:
        for question in splits.read_questions(directory, config):
            pair = clean_pair(question.pair_id) if question.perturbation else question.pair_id
            if question.perturbation and pair in chosen and not question.negated:
                chosen[pair][question.perturbation] = question
                names += [question.perturbation] if question.perturbation not in names else []
            elif not question.perturbation and question.negated and pair in chosen:
                twins[pair] = question
            elif not question.perturbation and len(chosen) < cases:
                image = read_image(question.images[0])
                if image not in seen:
                    seen.add(image)
                    chosen[pair] = {"": question}
    whole = {pair: forms for pair, forms in chosen.items() if pair in twins}
    if not whole:
        raise VhbenchError(f"{directory}: no case with its negated twin to draw")
    return whole, twins, names


def _thumbnail(question: Question) -> Image.Image:
    try:
        small = open_image(question.images[0]).convert("RGBA")
    except VhbenchError as error:
        raise VhbenchError(f"question {question.id!r}: {error}") from error
    small.thumbnail((CELL - 4, CELL - 4))
    return Image.alpha_composite(Image.new("RGBA", small.size, "white"), small).convert("RGB")
