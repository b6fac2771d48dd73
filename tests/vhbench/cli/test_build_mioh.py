"""`vhbench build mioh`, `review`: the commands, on real photos."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vhbench import splits
from vhbench.builds.mioh import MiohBuild
from vhbench.cli import app
from vhbench.schema import VhbenchError


def build(out: Path, reference: Path, *more: str) -> str:
    folder = reference / "coco_mini"
    done = CliRunner().invoke(
        app,
        ["build", "mioh", "--source", f"coco:{folder / 'instances_val2017.json'}", "--images", str(folder / "val2017"),
         "--out", str(out), "--types", "E5,E1,C1", "--cells", "5", "--allow-missing", *more],
        catch_exceptions=False,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def photos(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A split of photos, and what its build printed."""
    out = tmp_path_factory.mktemp("photos")
    printed = build(out, reference)
    return out / "mioh", printed


def test_short_cells_are_an_error_that_names_the_types_left_out_as_well() -> None:
    def cell(asked: int, reason: str) -> dict[str, object]:
        return {"wanted": 9, "asked": asked, "forms": {}, "reason": reason}

    left_out = cell(0, "type left out: too few images in which all options are decidable")
    cells = {"A4/easy": left_out, "A4/hn": left_out, "P7/easy": left_out}
    build = MiohBuild()
    build.check_notes({"cells": cells})
    with pytest.raises(VhbenchError) as caught:
        build.check_notes({"cells": cells | {"E3/hp": cell(7, "cell not filled: too few")}})
    assert str(caught.value).startswith(
        "fewer questions than requested in E3/hp (7 of 9); types left out: A4, P7; provide more images, request fewer"
    )
    MiohBuild(allow_missing=True).check_notes({"cells": cells | {"E3/hp": cell(7, "cell not filled: too few")}})


def test_photos_become_a_split_that_verifies(photos: tuple[Path, str]) -> None:
    split, printed = photos
    assert printed.count("cell not filled: too few") == 2, "a count, and one row for all cells of the reason"
    manifest = splits.read_manifest(split)
    assert manifest.rows["mioh_easy"] >= 12
    assert manifest.config["pressures"] == "rules alone, no CLIP"
    assert manifest.config["thresholds"]["coco"]["small"] == 0.01
    questions = list(splits.read_questions(split))
    assert {q.question_type for q in questions} == {"E5", "E1", "C1"}
    scenes = splits.read_scenes(split)
    assert {i for q in questions for i in q.scene_ids} <= set(scenes)
    rejections = list(splits.read_rejections(split))
    unfilled = [r for r in rejections if r.reason.startswith("cell not filled")]
    assert all(r.detail["found"] < r.detail["wanted"] for r in unfilled)
    assert manifest.rejections["category without instances"] == 36  # of COCO's 80


def test_a_page_to_review_and_its_judgments(photos: tuple[Path, str], tmp_path: Path) -> None:
    split, _ = photos
    page = tmp_path / "page.html"
    runner = CliRunner()
    assert runner.invoke(app, ["review", str(split), "-o", str(page), "--number", "5"]).exit_code == 0
    assert page.read_text().count("data:image/jpeg;base64,") > 4
    answers = {q.id: q.answer for q in splits.read_questions(split)}
    first, second = sorted(answers)[:2]
    saved: list[str] = []
    given = {"hash": splits.read_manifest(split).content_hash, "judgments": {first: answers[first], second: "unclear"}}
    for name in ("ann", "bob", "eve"):
        (tmp_path / f"{name}.json").write_text(json.dumps(given | {"annotator": name}))
        saved += ["-j", str(tmp_path / f"{name}.json")]
    verdict = tmp_path / "new" / "folder" / "verdict.json"
    told = runner.invoke(app, ["review", str(split), "-o", str(verdict), *saved])
    assert "1 kept, 1 dropped by 3 annotators" in told.output
    assert "the protocol requires" not in told.output
    assert json.loads(verdict.read_text())["kept"] == [first]
    told = runner.invoke(app, ["review", str(split), "-o", str(verdict), *saved[:4]])
    assert "judged by 2: the protocol requires 3 annotators" in told.output.splitlines()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--source", "flickr:x"], "--source: expected scenes, scenes:N, coco:FILE, paco:FILE or svg:FILE"),
        (["--source", "coco:/nowhere.json"], "--source 'coco:/nowhere.json': no file /nowhere.json"),
        (["--part", "3/2"], "--part: expected I/N with 1 ≤ I ≤ N ≤ 9, such as 1/2"),
        (["--part", "5/9"], "--part 5/9: has too few objects for MIOH's synthetic scenes"),
        (["--types", "E9"], "unknown question type 'E9'"),
        (["--cells", "many"], "--cells: expected paper, a number, or a JSON file"),
        (["--threshold", "tall=1"], "--threshold tall=1: unknown name 'tall', expected one of small, large"),
        (["--threshold", "far=7"], "--threshold far=7: expected a number from 0 to 1"),
        (["--threshold", "clip_low=-1"], "--threshold clip_low=-1: expected a number from 0 to 1"),
        (["--threshold", "near=nan"], "--threshold near=nan: expected a number from 0 to 1"),
        (["--threshold", "small=nan"], "--threshold small=nan: expected a finite number, 0 or more"),
        (["--threshold", "support=inf"], "support=inf: expected a finite number, 0 or more"),
    ],
)
def test_bad_options_are_one_line(options: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(VhbenchError) as caught:
        CliRunner().invoke(app, ["build", "mioh", "--out", str(tmp_path), *options], catch_exceptions=False)
    assert message in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_photos_have_no_parts(tmp_path: Path, reference: Path) -> None:
    with pytest.raises(
        VhbenchError, match=r"--part 1/2 with --source coco:.*: only synthetic scenes \(scenes:N\) have parts"
    ):
        build(tmp_path, reference, "--part", "1/2")
