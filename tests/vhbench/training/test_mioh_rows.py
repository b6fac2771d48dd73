"""MIOH's loop: two drawn halves, a run on one, its analysis, rows for what it fails at, held apart from the other."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from logged_run import write_run
from typer.testing import CliRunner

from editions import Editions, upside_down
from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.mioh import MiohBuild
from vhbench.cli import app
from vhbench.schema import Row, VhbenchError
from vhbench.training import leakage

SAYS = Callable[[Mapping[str, Any]], str]


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def build(folder: Path, part: str, scenes: int, cells: str) -> Path:
    made = MiohBuild(
        source=(f"scenes:{scenes}",),
        part=part,
        seed=5,
        size=96,
        cells=cells,
        types=("E1", "E5", "A5", "C1"),
        allow_missing=True,
    )
    made.check()
    sharding.run(made, folder, progress=False)
    return folder / "mioh"


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Editions:
    root = tmp_path_factory.mktemp("halves")
    return Editions(build(root / "train", "1/2", 140, "3"), build(root / "test", "2/2", 120, "2"))


def right_but_for(kind: str) -> SAYS:
    """Say what is right, but for one type of questions: there the other answer, or another letter."""

    def say(row: Mapping[str, Any]) -> str:
        if row["question_type"] != kind:
            return str(row["answer"])
        return next(said for said in ("A", "B") if said != row["answer"]) if row["choices"] else "yes"

    return say


def taught(out: Path) -> list[dict[str, Any]]:
    return pq.read_table(out / "data" / "train-00000-of-00001.parquet").to_pylist()


def test_halves_share_no_image_scene_or_concept_nor_what_looks_alike(halves: Editions) -> None:
    train, test = (leakage.read_contents(path) for path in halves)
    assert not train.images & test.images
    assert not train.scenes & test.scenes
    assert not leakage.alike(train.concepts, test.concepts)
    asked = [{word for q in splits.read_questions(path) for word in q.objects} for path in halves]
    assert not leakage.alike(*asked)
    assert min(len(train.concepts), len(test.concepts)) > 25


def test_the_manifest_says_which_part_it_is(halves: Editions) -> None:
    assert [splits.read_manifest(path).config["part"] for path in halves] == ["1/2", "2/2"]


def test_what_a_run_fails_is_taught_most(halves: Editions, tmp_path: Path) -> None:
    """The loop: asked, weighed; every row is one of several images, with its short answer and a reason."""
    results = write_run(tmp_path / "results", halves.train, "mioh", right_but_for("C1"))
    out = tmp_path / "rows"
    run("export", "sft", "--split", halves.train, "--test", halves.test, "--number", 10, "--weakness",
        results, "--out", out)  # fmt: skip
    rows = taught(out)
    kinds = Counter(row["question_type"] for row in rows if row["form"] == "short")
    assert kinds["C1"] > kinds.total() / 2  # of all questions a quarter are
    assert {len(row["images"]) > 1 for row in rows} == {True}
    assert {row["form"] for row in rows} == {"short", "reasoned"}
    told = json.loads((out / "provenance.json").read_text())
    assert told["concepts_apart"]
    assert [source["benchmark"] for source in (*told["sources"], *told["tests"])] == ["mioh", "mioh"]


def test_llava_s_json_has_a_mark_for_each_of_several_images_and_the_export_says_so(
    halves: Editions, tmp_path: Path
) -> None:
    out = tmp_path / "llava"
    said = run("export", "sft", "--split", halves.train, "--unchecked", "--layout", "llava", "--out", out)
    rows = json.loads((out / "llava.json").read_text())
    assert f"{len(rows):,} have several images, which LLaVA-NeXT's trainer reads and LLaVA-1.5's does not" in said
    for row in rows:
        assert row["conversations"][0]["value"].count("<image>") == len(row["image"]) > 1
        assert all((out / image).is_file() for image in row["image"])


def test_the_errors_of_a_run_are_taught(halves: Editions, tmp_path: Path) -> None:
    kinds = Counter(question.question_type for question in splits.read_questions(halves.train))
    kind = max(kinds, key=lambda kind: (kinds[kind], kind))
    results = write_run(tmp_path / "results", halves.train, "mioh", right_but_for(kind))
    run("export", "sft", "--split", halves.train, "--unchecked", "--run", results, "--out", tmp_path / "rows")
    assert {row["question_type"] for row in taught(tmp_path / "rows")} == {kind}


def test_one_who_always_says_a_is_taught_where_a_is_right_too(halves: Editions, tmp_path: Path) -> None:
    results = write_run(
        tmp_path / "results", halves.train, "mioh", lambda row: "A" if row["choices"] else row["answer"]
    )
    given = ("--split", halves.train, "--unchecked", "--run", results)
    run("export", "sft", *given, "--answers", "short", "--out", tmp_path / "rows")
    asked = Counter(q.answer for q in splits.read_questions(halves.train) if q.kind == "multiple_choice")
    assert Counter(row["right"] for row in taught(tmp_path / "rows")) == asked
    run("export", "dpo", *given, "--out", tmp_path / "pairs")
    pairs = taught(tmp_path / "pairs")
    said = lambda row, side: row[side][0]["content"][0]["text"]  # noqa: E731
    assert all(said(row, "chosen") != said(row, "rejected") for row in pairs)
    chosen, rejected = (Counter(said(row, side) for row in pairs) for side in ("chosen", "rejected"))
    assert rejected["A"] == asked.total() - asked["A"]
    assert chosen["A"] >= 3 * asked["A"]
    assert {"B", "C", "D"} <= rejected.keys()
    assert len({row["id"] for row in pairs}) == len(pairs)


def test_a_sentence_is_rejected_for_the_reason_from_the_scenes(halves: Editions, tmp_path: Path) -> None:
    results = write_run(
        tmp_path / "results", halves.train, "mioh",
        lambda row: f"The answer is option {'AB'[row['answer'] == 'A']}." if row["choices"] else row["answer"],
    )  # fmt: skip
    given = ("--split", halves.train, "--unchecked", "--run", results)
    run("export", "dpo", *given, "--out", tmp_path / "pairs")
    pairs = [row for row in taught(tmp_path / "pairs") if row["rejected_by"] == "model"]
    chosen = [row["chosen"][0]["content"][0]["text"] for row in pairs]
    reasoned = [text for text in chosen if re.fullmatch(r"[A-E]\. .{10,}\.", text)]
    assert len(reasoned) >= 0.5 * len(chosen) > 0
    assert all(text[0] == row["right"] for text, row in zip(chosen, pairs, strict=True))


def test_an_edition_of_all_things_is_refused_by_its_concepts(halves: Editions, tmp_path: Path) -> None:
    other = write_other(tmp_path / "mioh", halves.test, redrawn=True)
    with pytest.raises(VhbenchError, match=r"shares \d+ concepts \(.*\) with .*--part 1/2"):
        run("export", "sft", "--split", other, "--test", halves.test, "--out", tmp_path / "rows")
    assert not (tmp_path / "rows").exists()


def test_an_image_and_a_scene_of_the_test_are_named_by_hash_and_id(halves: Editions, tmp_path: Path) -> None:
    other = write_other(tmp_path / "mioh", halves.test)
    with pytest.raises(VhbenchError, match=r"\d+ identical images \([0-9a-f]{12}….*; \d+ scenes \(mioh-2of2-\d+-5, .*"):
        run("export", "sft", "--split", other, "--test", halves.test, "--share-concepts", "--out", tmp_path / "rows")


def write_other(folder: Path, split: Path, *, redrawn: bool = False) -> Path:
    """Write the questions of a split as one of another seed, with other ids; ``redrawn``: and other images."""
    rows = []
    for row in splits.read_rows(split):
        question = replace(row.question, id=f"x{row.question.id}")
        if redrawn:
            other = tuple(upside_down(image) for image in question.images)
            question = replace(question, images=other, scene_ids=())
        rows.append(Row(row.config, question))
    splits.write_split(folder, rows, benchmark="mioh", version="2.0.0", seed=9, config={}, sources={})
    return folder
