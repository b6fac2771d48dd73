import io
import os
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.cli import app
from vhbench.cli.preview import _draw_boxes
from vhbench.generators.scenes import SceneSource
from vhbench.schema import ObjectSpec, Question, Row, Scene, SceneObject, SceneSpec, VhbenchError


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    """Ten questions in two configs over two drawn scenes."""
    folder = tmp_path_factory.mktemp("preview") / "ode"
    specs = [SceneSpec(name, (ObjectSpec("car", colour="red"),), environment="street") for name in ("a", "b")]
    scenes = list(SceneSource().make(specs, seed=1))
    rows = [
        Row(
            "standard" if i < 6 else "fictional",
            Question(
                id=f"q{i}",
                images=tuple(scene.image for scene in scenes[: 1 + i % 2]),
                question="Is there a car in the image? " * (1 + i % 3),
                answer="A",
                choices=("yes", "no"),
                kind="multiple_choice",
                benchmark="ode",
                scene_ids=tuple(scene.id for scene in scenes[: 1 + i % 2]),
                benchmark_version="1.0.0",
            ),
        )
        for i in range(10)
    ]
    splits.write_split(folder, rows, benchmark="ode", version="1.0.0", seed=1, config={}, scenes=scenes)
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["preview", *map(str, arguments)])


def test_a_sheet_shows_the_questions(split, tmp_path):
    (tmp_path / "new").mkdir()
    result = run(split, "-o", tmp_path / "new" / "sheet.png")
    assert result.exit_code == 0, result.output
    assert "10 questions" in result.output
    sheet = Image.open(tmp_path / "new" / "sheet.png")
    assert sheet.width == 4 * 390 + 10


def test_boxes_and_masks_change_only_the_pictures(split, tmp_path):
    plain, drawn = tmp_path / "plain.png", tmp_path / "drawn.png"
    run(split, "-o", plain)
    run(split, "-o", drawn, "--boxes", "--masks")
    before, after = (np.asarray(Image.open(io.BytesIO(path.read_bytes()))).astype(int) for path in (plain, drawn))
    assert before.shape == after.shape
    assert (before != after).any()


def test_a_name_stands_above_its_box():
    picture = Image.new("RGB", (300, 300))
    dog = SceneObject(0, "dog", (100, 100, 150, 100), 15_000)
    _draw_boxes(picture, Scene("a", b"", 300, 300, (dog,)))
    above, below = picture.crop((100, 80, 251, 98)), picture.crop((103, 103, 248, 198))
    assert above.getbbox() is not None
    assert below.getbbox() is None


def test_questions_are_spread_over_a_config(split):
    assert sorted(row.question.id for row in splits.choose(split, "fictional", 99, 0)) == ["q6", "q7", "q8", "q9"]
    ids = [int(row.question.id[1:]) for row in splits.choose(split, None, 5, 3)]
    assert len(ids) == 5
    assert [*splits.choose(split, None, 5, 3)] == [*splits.choose(split, None, 5, 3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--config", "typical"], "no config 'typical'; there are"),
        (["-o", "sheet.gif"], "sheet.gif: expected an image file ending in .png, .jpg"),
    ],
)
def test_bad_input_is_one_clear_line(split, arguments, message):
    result = run(split, *arguments)
    assert isinstance(result.exception, VhbenchError)
    assert message in str(result.exception)


def test_a_folder_that_is_no_split_is_named(tmp_path):
    result = run(tmp_path)
    assert isinstance(result.exception, VhbenchError)
    assert str(tmp_path) in str(result.exception)


@pytest.mark.parametrize("box", [(0, 0, 1e308, 1e308), (1e9, 1e9, 1e9, 1e9), (30, 30, -20, -20), (5, 5, 0.01, 0.01)])
@pytest.mark.parametrize(("size", "name"), [((32, 32), "dog"), ((0, 0), "d" * 900_000)])
def test_boxes_that_somebody_made_up_are_drawn_as_far_as_they_go(split, tmp_path, box, size, name):
    scenes = [
        replace(s, width=size[0], height=size[1], objects=tuple(replace(o, box=box, category=name) for o in s.objects))
        for s in splits.read_scenes(split).values()
    ]
    folder = tmp_path / "ode"
    rows = list(splits.read_rows(split))
    splits.write_split(folder, rows, benchmark="ode", version="1.0.0", seed=1, config={}, scenes=scenes)
    result = run(folder, "-o", tmp_path / "sheet.png", "--boxes", "--number", 2)
    assert result.exit_code == 0, result.exception


@pytest.mark.parametrize("text", ["a " * 450_000, "\n" * 900_000 + "x"])
def test_a_text_of_a_million_characters_is_cut(split, tmp_path, text):
    rows = [replace(row, question=replace(row.question, question=text)) for row in splits.read_rows(split)]
    splits.write_split(tmp_path / "ode", rows, benchmark="ode", version="1.0.0", seed=1, config={})
    assert run(tmp_path / "ode", "-o", tmp_path / "sheet.png", "--number", 2).exit_code == 0
    assert Image.open(tmp_path / "sheet.png").height < 5000


def test_a_pipe_in_the_place_of_the_sheet_is_refused(split, tmp_path):
    os.mkfifo(tmp_path / "sheet.png")
    result = run(split, "-o", tmp_path / "sheet.png")
    assert isinstance(result.exception, VhbenchError)
    assert "expected a file, got a pipe" in str(result.exception)
