"""``vhbench preview SPLIT``: a contact sheet of a split's questions."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vhbench.cli import build_command
from vhbench.options import LARGEST_SEED, option
from vhbench.schema import Box, Question, Scene, VhbenchError

if TYPE_CHECKING:
    from PIL import Image

_LONGEST_LABEL = 60  # characters of an object's number and name in the image
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}


@dataclass(frozen=True, kw_only=True)
class _PreviewOptions:
    split: Path = option("A split directory, such as out/mioh.", metavar="DIR", argument=True)
    out: Path = option("Image file for the sheet.", Path("sheet.png"), names=("--out", "-o"))
    config: str = option("Show one config of the split only.", "")
    number: int = option("Number of questions, spread evenly over the rows.", 24, least=1, most=400)
    seed: int = option("Random seed of the selection.", 0, least=0, most=LARGEST_SEED)
    boxes: bool = option("Draw the objects' boxes and names.", False)
    masks: bool = option("Tint the objects' visible parts.", False)


@build_command.command
def preview(options: _PreviewOptions) -> None:
    """Render a contact sheet of questions, images and reference answers.

    Answer the questions yourself before you rely on a split. `--boxes` and `--masks` overlay the ground truth.

    Example: `vhbench preview out/ode -o sheet.png --config ode_fictional_caption --boxes`
    """
    from vhbench import splits
    from vhbench.contact_sheet import contact_sheet, picture_of
    from vhbench.files import write_atomic

    if options.out.suffix.lower() not in _FORMATS:
        raise VhbenchError(f"{options.out}: expected an image file ending in {', '.join(_FORMATS)}")
    if not options.out.parent.is_dir():
        raise VhbenchError(f"{options.out}: expected an existing folder")
    rows = list(splits.choose(options.split, options.config or None, options.number, options.seed))
    scenes = splits.read_scenes(options.split) if options.boxes or options.masks else {}
    if (options.boxes or options.masks) and not scenes:
        raise VhbenchError(f"{options.split}: expected a split with scenes, whose boxes or masks can be drawn")

    def picture(question: Question, index: int) -> "Image.Image":
        image = picture_of(question, index)
        scene = scenes.get(question.scene_ids[index]) if index < len(question.scene_ids) else None
        if scene and options.masks:
            _tint(image, scene)
        if scene and options.boxes:
            _draw_boxes(image, scene)
        return image

    sheet = contact_sheet(rows, picture=picture)
    write_atomic(options.out, lambda opened: sheet.save(opened, _FORMATS[options.out.suffix.lower()]))
    typer.echo(f"{options.out}: {len(rows)} questions")


def _tint(picture: "Image.Image", scene: Scene) -> None:
    """Lay a colour over each object's visible part."""
    from PIL import Image

    from vhbench import masks

    for number, thing in enumerate(scene.objects):
        if thing.mask is not None and thing.mask.size == (picture.height, picture.width):
            tinted = Image.blend(picture, Image.new("RGB", picture.size, _colour(number)), 0.55)
            picture.paste(tinted, mask=Image.fromarray(masks.decode(thing.mask).astype("uint8") * 255))


def _draw_boxes(picture: "Image.Image", scene: Scene) -> None:
    """Draw a box around each object, with its name."""
    from PIL import ImageDraw

    from vhbench.contact_sheet import font

    draw = ImageDraw.Draw(picture)
    size = max(11, round(picture.width / 34))
    for number, thing in enumerate(scene.objects):
        if (corners := _corners(thing.box, scene, picture)) is None:
            continue
        draw.rectangle(corners, outline=_colour(number), width=max(2, picture.width // 256))
        label = f"{thing.id} {thing.category}"[:_LONGEST_LABEL]
        corner = (corners[0] + 2, max(0.0, corners[1] - size - 3))
        draw.rectangle(draw.textbbox(corner, label, font=font(size)), fill=_colour(number))
        draw.text(corner, label, fill="white", font=font(size))


def _corners(box: Box, scene: Scene, picture: "Image.Image") -> tuple[float, float, float, float] | None:
    """Return a box in image coordinates; None if it lies outside, as hand-made scenes may have it."""
    if scene.width < 1 or scene.height < 1:
        return None
    x, y, width, height = box
    left, right = (min(max(0.0, at * picture.width / scene.width), picture.width) for at in (x, x + width))
    top, bottom = (min(max(0.0, at * picture.height / scene.height), picture.height) for at in (y, y + height))
    return (left, top, max(left, right - 1), max(top, bottom - 1)) if left < right and top < bottom else None


def _colour(number: int) -> str:
    """Return a colour per object, far from those of its neighbours (steps of the golden ratio around the wheel)."""
    return f"hsv({number * 222.5 % 360}, 85%, 85%)"
