"""VHExpansion's recipe: cases × 4 forms × 5 wordings; the rest is scored, and shares no image with it."""

import io
from collections import Counter
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner

from editions import Editions
from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.cli import app
from vhbench.files import read_image
from vhbench.images import to_png
from vhbench.schema import Question, VhbenchError
from vhbench.training import leakage
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
    train, test = (leakage.read_contents(made / part / "ode" / "vhexpansion") for part in ("train", "test"))
    assert train.images.isdisjoint(test.images)
    assert train.scenes.isdisjoint(test.scenes)
    assert "concepts may be shared" in (made / "rows" / "README.md").read_text()


@pytest.fixture(scope="module")
def tables(editions: Editions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables with other questions about the same six pictures, the second with the pictures saved anew."""
    folder, asked = tmp_path_factory.mktemp("tables"), dict[bytes, list[Question]]()
    for split in editions:
        for question in splits.read_questions(split):
            if question.kind == "yes_no":
                asked.setdefault(read_image(question.images[0]), []).append(question)
    for number, name in enumerate("ab"):
        (folder / name).mkdir()
        rows = ["image,question,answer"]
        for place, (image, questions) in enumerate(sorted(asked.items())):
            with Image.open(io.BytesIO(image)) as opened:
                (folder / name / f"{place}.png").write_bytes(to_png(opened.convert("RGB"), compress_level=3 + number))
            rows.append(f"{place}.png,{questions[number].question},{questions[number].answer}")
        (folder / f"{name}.csv").write_text("\n".join(rows))
    return folder


def expand(folder: Path, out: Path, *words: str, cases: int = 2) -> str:
    given = [
        word for name in "ab" for word in ("--source", f"table:{folder / name}.csv", "--images", str(folder / name))
    ]
    done = CliRunner().invoke(app, ["export", "vhexpansion", *given, "--cases", str(cases), "--paraphrases", "1",
                                    "--out", str(out), *words])  # fmt: skip
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_no_source_is_scored_on_what_another_trains_on(tables: Path, tmp_path: Path) -> None:
    talk = [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": "."}]
    mix = [{"image": f"{i}.png", "conversations": talk} for i in range(8)]
    (tmp_path / "mix.json").write_bytes(orjson.dumps(mix))
    out = tmp_path / "out"
    expand(tables, out, "--mix", str(tmp_path / "mix.json"), "--mix-images", str(tables / "b"))
    names = sorted(path.parent.parent.relative_to(out).as_posix() for path in out.glob("*/*/*/manifest.json"))
    assert names == ["test/table", "test/table-2", "train/table", "train/table-2"]
    train, test = (
        [leakage.read_contents(out / part / name / "vhexpansion") for name in ("table", "table-2")]
        for part in ("train", "test")
    )
    assert not any(leakage.copies(one, other) for one in train for other in test)
    rows = pq.read_table(out / "rows" / "data" / "train-00000-of-00001.parquet").to_pylist()
    taught = leakage.contents_of(
        [
            Question(r["id"], question="?", answer="", kind="caption", images=tuple(i["bytes"] for i in r["images"]))
            for r in rows
        ],
        {},
    )
    assert not any(leakage.copies(taught, other) for other in test)
    left = 8 - sum(row["form"] == "general" for row in rows)
    assert left >= 4
    assert f"rows of mix.json about {left} images of the test are left out" in (out / "rows" / "README.md").read_text()


def test_the_same_command_goes_on_and_another_does_not(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with pytest.raises(VhbenchError, match="cannot read"):
        expand(tables, out, "--mix", str(tmp_path / "none.json"))
    assert not out.exists()
    (tmp_path / "mix.json").write_text("[]")
    with pytest.raises(VhbenchError, match="--mix-number 99: the file has only 0 rows"):
        expand(tables, out, "--mix", str(tmp_path / "mix.json"), "--mix-number", "99")
    with pytest.raises(VhbenchError, match="--model"):
        expand(tables, out, "--attack", "pgd")
    assert not out.exists()

    def interrupted(*_: object, **__: object) -> None:
        raise RuntimeError("the machine stops")

    with monkeypatch.context() as patch:
        patch.setattr(sharding, "run", interrupted)
        with pytest.raises(RuntimeError):
            expand(tables, out)
    assert sorted(path.name for path in out.iterdir()) == ["recipe.json", "train"]
    with pytest.raises(VhbenchError, match="is not empty"):
        expand(tables, out, cases=3)
    expand(tables, out)
    with pytest.raises(VhbenchError, match="is not empty"):
        expand(tables, out)


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
    with pytest.raises(VhbenchError, match=r"cases\.txt: expected case ids, one per line; got none"):
        VHExpansionBuild(source=f"ode:{editions.test}", cases=str(tmp_path / "cases.txt")).check()
