"""VHExpansion's recipe: cases × 4 forms × 5 wordings; the rest is scored, and shares no image with it."""

from collections import Counter
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest
from editions import Editions
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.cli import app
from vhbench.images import to_png
from vhbench.schema import Question, VhbenchError
from vhbench.training import overlap
from vhbench.training.expansion_recipe import sample

CASES = 10


@pytest.fixture(scope="module")
def made(editions: Editions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recipe for one source, with two general rows mixed in, by one command."""
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "a.png").write_bytes(to_png(Image.new("RGB", (8, 8))))
    talk = [{"from": "human", "value": "<image>\nWhat is it?"}, {"from": "gpt", "value": "Nothing."}]
    (folder / "general.json").write_bytes(orjson.dumps([{"image": "a.png", "conversations": talk}] * 2))
    words = ["export", "vhexpansion", "--source", f"ode:{editions.train}", "--cases", str(CASES), "--answers", "short",
             "--mix", str(folder / "general.json"), "--out", str(folder / "out")]  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (done.output, done.exception)
    assert f"VHBENCH_DATA={folder / 'out' / 'test' / 'ode'} lmms-eval --tasks vhexpansion_ode" in done.output
    return folder / "out"


def test_each_case_becomes_four_and_each_of_these_five(made: Path) -> None:
    rows = pq.read_table(made / "rows" / "data" / "train-00000-of-00001.parquet").to_pylist()
    own = [row for row in rows if row["form"] == "short"]
    unsure = splits.read_manifest(made / "train" / "ode" / "vhexpansion").rejections.get(
        "perturbation_changes_answer", 0
    )
    assert len(own) == 5 * (4 * CASES - 2 * unsure)
    assert Counter(row["right"] for row in own)["yes"] == len(own) // 2
    assert Counter(row["perturbation"] for row in own).keys() == {"", "gaussian_noise"}
    assert len({(row["messages"][0]["content"][1]["text"], row["images"][0]["bytes"]) for row in own}) == len(own)
    assert sum(row["form"] == "general" for row in rows) == 2


def test_what_is_scored_is_about_other_images(made: Path) -> None:
    train, test = (overlap.read_contents(made / part / "ode" / "vhexpansion") for part in ("train", "test"))
    assert train.images.isdisjoint(test.images)
    assert train.scenes.isdisjoint(test.scenes)
    assert "concepts may be shared" in (made / "rows" / "README.md").read_text()


def cases(images: list[int]) -> list[list[Question]]:
    """Return questions, so many about each image."""
    return [
        [Question(f"{i}-{n}", question="?", answer="yes", kind="yes_no", images=(bytes([i]),)) for n in range(number)]
        for i, number in enumerate(images)
    ]


@settings(max_examples=50)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=12), st.integers(0, 3))
def test_a_sample_and_the_rest_share_no_image(images: list[int], seed: int) -> None:
    number = max(1, sum(images) // 3)
    groups = cases(images)
    if number > sum(images) - max(images):
        return
    taken, left = sample(groups, number, seed)
    assert len(taken) == number
    assert {case.partition("-")[0] for case in taken}.isdisjoint(case.partition("-")[0] for case in left)
    assert left


def test_too_few_cases_are_told() -> None:
    with pytest.raises(VhbenchError, match="--cases 4: pope has 4 cases about 2 images, and some must be left"):
        sample(cases([2, 2]), 4, 0, "pope")


def test_only_the_listed_cases_are_built(editions: Editions, tmp_path: Path) -> None:
    (tmp_path / "cases.txt").write_text("nobody\n")
    build = VHExpansionBuild(source=f"ode:{editions.train}", cases=str(tmp_path / "cases.txt"))
    with pytest.raises(VhbenchError, match=r"cases.txt: .* has no case 'nobody' \(1 of 1\)"):
        build.check()
    (tmp_path / "cases.txt").write_text("\n")
    with pytest.raises(VhbenchError, match="lists no case"):
        VHExpansionBuild(source=f"ode:{editions.test}", cases=str(tmp_path / "cases.txt")).check()
