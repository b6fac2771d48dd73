"""From an edition to rows, through the command line: forms that datasets reads, balance, refusals, provenance."""

import hashlib
import io
import json
import re
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import datasets
import golden_options
import orjson
import pyarrow.parquet as pq
import pytest
from logged_run import write_run
from PIL import Image
from typer.testing import CliRunner

from editions import SIDE, Editions, answered, upside_down
from vhbench import splits
from vhbench.cli import app
from vhbench.columns import RECORD
from vhbench.files import read_image
from vhbench.schema import CANARY, Record, Row, VhbenchError
from vhbench.splits import write_split
from vhbench.tasks import prompts


def run(*words: object) -> str:
    done = CliRunner().invoke(app, ["export", *map(str, words)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "data" / "train-00000-of-00001.parquet").to_pylist()


@pytest.fixture(scope="module")
def rows(editions: Editions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("rows") / "new"
    run("sft", "--split", editions.train, "--test", editions.test, "--out", out)
    return out


def test_each_form_has_as_many_yes_as_no(rows: Path) -> None:
    counts = Counter((row["form"], row["right"]) for row in rows_of(rows))
    assert counts["short", "yes"] == counts["short", "no"] > 20
    assert counts["reasoned", "yes"] == counts["reasoned", "no"] > 20
    assert counts["caption", ""] == 8


def test_the_prompt_is_the_one_that_lmms_eval_sends(rows: Path, editions: Editions) -> None:
    asked = {q.id: q for q in splits.read_questions(editions.train)}
    for row in rows_of(rows):
        question = asked[row["id"].partition("-")[0]]
        (sent,) = prompts.to_messages({**asdict(question), "images": []})
        text = row["messages"][0]["content"][-1]["text"]
        if row["form"] == "reasoned":
            assert text == f"{question.question}\nPlease answer yes or no, and say why."
        else:
            assert text == sent["content"][-1]["text"]


def test_no_row_is_marked_as_test_data_and_the_card_says_so(rows: Path) -> None:
    files = [path for path in rows.rglob("*") if path.is_file()]
    assert all(CANARY.encode() not in path.read_bytes() for path in files)
    assert "these rows omit it" in (rows / "README.md").read_text()


def test_the_provenance_names_edition_test_options_and_files(rows: Path, editions: Editions) -> None:
    told = json.loads((rows / "provenance.json").read_text())
    hashes = [splits.read_manifest(path).content_hash for path in editions]
    assert [told["sources"][0]["content_hash"], told["tests"][0]["content_hash"]] == hashes
    (name,) = told["files"]
    assert told["files"][name] == hashlib.sha256((rows / name).read_bytes()).hexdigest()
    assert told["counts"]["rows"] == len(rows_of(rows))
    assert told["options"]["tests"] == ["ode"]


def test_datasets_reads_the_parquet_as_images_and_messages(rows: Path, tmp_path: Path) -> None:
    found = datasets.load_dataset(str(rows), split="train", cache_dir=str(tmp_path))
    row = found[0]
    assert row["images"][0].size == (SIDE, SIDE)
    assert [message["role"] for message in row["messages"]] == ["user", "assistant"]
    assert [part["type"] for part in row["messages"][0]["content"]] == ["image", "text"]


def test_datasets_reads_the_folder_alike(rows: Path, editions: Editions, tmp_path: Path) -> None:
    out = tmp_path / "folder"
    run("sft", "--split", editions.train, "--test", editions.test, "--layout", "folder", "--out", out)
    found = datasets.load_dataset("imagefolder", data_dir=str(out), split="train", cache_dir=str(tmp_path / "cache"))
    same = {row["id"]: row for row in rows_of(rows)}
    assert set(found["id"]) == set(same)
    row = found[0]
    assert row["images"][0].size == (SIDE, SIDE)
    assert row["messages"] == same[row["id"]]["messages"]


def test_llava_s_json_names_images_that_are_there(editions: Editions, tmp_path: Path) -> None:
    out = tmp_path / "llava"
    run(
        "sft",
        "--split",
        editions.train,
        "--test",
        editions.test,
        "--layout",
        "llava",
        "--answers",
        "short",
        "--out",
        out,
    )
    found = json.loads((out / "llava.json").read_text())
    assert all((out / row["image"]).is_file() for row in found)
    question, answer = found[0]["conversations"]
    assert (question["from"], answer["from"]) == ("human", "gpt")
    assert question["value"].startswith("<image>\n")
    assert not {"Yes", "No"} - {row["conversations"][1]["value"] for row in found}


def test_the_same_seed_gives_the_same_files(rows: Path, editions: Editions, tmp_path: Path) -> None:
    run("sft", "--split", editions.train, "--test", editions.test, "--out", tmp_path / "again")
    assert (tmp_path / "again" / "data" / "train-00000-of-00001.parquet").read_bytes() == (
        rows / "data" / "train-00000-of-00001.parquet"
    ).read_bytes()


def test_the_errors_of_a_run_come_with_their_mates_and_unread_ones_do_not(editions: Editions, tmp_path: Path) -> None:
    results = answered(tmp_path / "results", editions.train, "yes")
    out = tmp_path / "rows"
    run("sft", "--split", editions.train, "--test", editions.test, "--run", results, "--answers", "short", "--out", out)
    closed = [q for q in splits.read_questions(editions.train) if q.kind != "caption"]
    counts = Counter(row["right"] for row in rows_of(out))
    assert counts["yes"] == counts["no"]
    assert 0 <= sum(q.answer == "no" for q in closed) - counts["no"] <= 1
    card = (out / "README.md").read_text()
    wrong = sum(q.answer == "no" for q in closed)
    told = f"errors in the run: {wrong} of {len(closed) - 1} yes_no; 1 unparsed "  # a yes that is not parsed
    assert re.search(r"errors in the run: .*", card)[0].startswith(told)
    assert "1 unparsed responses left out" in card


def test_preferences_reject_what_the_model_said(editions: Editions, tmp_path: Path) -> None:
    results = answered(tmp_path / "results", editions.train, "yes")
    run("dpo", "--split", editions.train, "--test", editions.test, "--run", results, "--out", tmp_path / "pairs")
    found = rows_of(tmp_path / "pairs")
    text = lambda row, side: row[side][0]["content"][0]["text"]  # noqa: E731
    assert Counter((text(r, "chosen"), text(r, "rejected"), r["rejected_by"]) for r in found) == {
        ("No", "Yes", "model"): len(found) // 2, ("Yes", "No", "flipped"): len(found) // 2,
    }  # fmt: skip
    assert {row["prompt"][0]["role"] for row in found} == {"user"}
    assert datasets.load_dataset(str(tmp_path / "pairs"), split="train", cache_dir=str(tmp_path / "c"))[0]["images"]


def test_a_hallucinating_caption_is_rejected_for_its_repaired_version(editions: Editions, tmp_path: Path) -> None:
    """The reference caption replaces the sentence that hallucinates; the others stay."""
    (tmp_path / "results").mkdir()
    captions = [q for q in splits.read_questions(editions.train) if q.kind == "caption"]
    says = [f"This is a picture. A {q.candidates[0]} is there. It is bright." for q in captions]
    records = [
        Record(**{name: getattr(q, name) for name in RECORD}, response=text)
        for q, text in zip(captions, says, strict=True)
    ]
    samples = tmp_path / "results" / "20260101_000000_samples_ode_generative.jsonl"
    samples.write_bytes(b"\n".join(orjson.dumps({"chair": asdict(record)}) for record in records))
    run(
        "dpo",
        "--split",
        editions.train,
        "--test",
        editions.test,
        "--run",
        tmp_path / "results",
        "--out",
        tmp_path / "pairs",
    )
    pairs = [row for row in rows_of(tmp_path / "pairs") if row["form"] == "caption"]
    assert len(pairs) >= 4
    for row in pairs:
        chosen, rejected = (row[side][0]["content"][0]["text"] for side in ("chosen", "rejected"))
        assert re.fullmatch(r"This is a picture\. A .+ is there\. It is bright\.", rejected)
        assert chosen.startswith("This is a picture. ")
        assert chosen.endswith(" It is bright.")
        assert " is there." not in chosen
        assert len(chosen) > len("This is a picture.  It is bright.")


def test_weakness_draws_more_of_what_is_failed(editions: Editions, tmp_path: Path) -> None:
    """A run that fails every question on attributes, and no other."""
    flip = {"yes": "no", "no": "yes"}
    results = write_run(tmp_path / "results", editions.train, "ode_discriminative",
                        lambda row: flip[row["answer"]] if row["task"] == "attribute" else row["answer"])  # fmt: skip
    out = tmp_path / "rows"
    run("sft", "--split", editions.train, "--test", editions.test, "--weakness", results, "--number", 20,
        "--types", "existence,state,number,action", "--answers", "short", "--out", out)  # fmt: skip
    counts = Counter(row["task"] for row in rows_of(out))
    assert counts["attribute"] > 4 * counts["existence"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "expected --test SPLIT"),
        (("--test", "{train}"), "expected different splits for training and test"),
        (("--test", "{test}", "--types", "E5"), "no question has question_type E5"),
        (("--test", "{test}", "--layout", "csv"), "--layout: expected one of parquet, folder, llava, sharegpt"),
        (("--test", "{test}", "--answers", "long"), "--answers: expected one of short, reasoned"),
        (("--test", "{test}", "--number", "9999"), "expected at least 9,999 matching questions"),
        (("--test", "{test}", "--weakness", "x.json"), "expected --number or --each as well"),
        (("--test", "nowhere"), "nowhere: expected a split directory such as out/ode, got no folder"),
        (("--test", "{test}", "--mix-number", "4"), "--mix-number and --mix-images: expected --mix FILE as well"),
        (("--test", "{test}", "--out", "{train}/manifest.json"), "--out: expected a new folder, got the file"),
        (("--test", "{test}", "--run", "nowhere"), "no such file or folder: nowhere"),
        (("--test", "{test}", "--out", "{train}"), "is not empty"),
    ],
)
def test_what_is_wrong_is_told(words: tuple[str, ...], told: str, editions: Editions, tmp_path: Path) -> None:
    given = [word.format(train=editions.train, test=editions.test) for word in words]
    out = [] if "--out" in given else ["--out", str(tmp_path / "rows")]
    with pytest.raises(VhbenchError, match=told):
        run("sft", "--split", editions.train, *given, *out)
    assert not (tmp_path / "rows").exists()


def test_an_edition_of_the_same_concepts_is_refused_by_name(editions: Editions, tmp_path: Path) -> None:
    """Other images and scenes of the same things: what the test shows must not be trained on."""
    scenes = splits.read_scenes(editions.test)
    turned = [
        Row(row.config, replace(row.question, images=(upside_down(row.question.images[0]),), scene_ids=()))
        for row in splits.read_rows(editions.test)
    ]
    manifest = splits.read_manifest(editions.test)
    other = tmp_path / "ode"
    write_split(other, [*turned], benchmark="ode", version="2.0.0", seed=9, config=manifest.config, sources={})
    assert scenes
    with pytest.raises(VhbenchError, match=r"shares \d+ concepts \("):
        run("sft", "--split", other, "--test", editions.test, "--out", tmp_path / "rows", "--answers", "short")


def test_general_rows_about_an_image_of_the_test_are_refused(editions: Editions, tmp_path: Path) -> None:
    shown = next(splits.read_questions(editions.test)).images[0]
    with Image.open(io.BytesIO(read_image(shown))) as opened:
        opened.convert("RGB").save(tmp_path / "anew.webp", quality=90)
    (tmp_path / "own.png").write_bytes(upside_down(shown))
    talk = [{"from": "human", "value": "<image>\nWhat is it?"}, {"from": "gpt", "value": "Nothing."}]
    rows = [{"image": name, "conversations": talk} for name in ("own.png", "anew.webp")]
    (tmp_path / "mix.json").write_bytes(orjson.dumps(rows))
    given = ("--split", editions.train, "--test", editions.test, "--out", tmp_path / "rows", "--number", 4)
    with pytest.raises(VhbenchError, match=r"mix.json, row 2: shows an image of a test split"):
        run("sft", *given, "--mix", tmp_path / "mix.json")
    assert not (tmp_path / "rows").exists()
    (tmp_path / "mix.json").write_bytes(orjson.dumps(rows[:1]))
    run("sft", *given, "--mix", tmp_path / "mix.json")
    assert sum(row["form"] == "general" for row in rows_of(tmp_path / "rows")) == 1


def test_a_hidden_edition_does_not_tell_its_concepts(editions: Editions, tmp_path: Path) -> None:
    rows = [
        Row(row.config, replace(row.question, answer="", objects=(), scene_ids=()))
        for row in splits.read_rows(editions.test)
    ]
    public, extra = tmp_path / "ode", {"hidden": True, "commitment": "ab" * 32}
    write_split(public, rows, benchmark="ode", version="2.0.0", seed=9, config={}, sources={}, extra=extra)
    given = ("--split", editions.train, "--test", public, "--out", tmp_path / "rows", "--number", 4)
    with pytest.raises(VhbenchError, match="does not reveal its concepts"):
        run("sft", *given)
    run("sft", *given, "--share-concepts")
    assert "concepts may be shared" in (tmp_path / "rows" / "README.md").read_text()


def test_four_thousand_rows_take_less_than_thirty_seconds(editions: Editions, tmp_path: Path) -> None:
    """As they are written, with ten times as many images as this edition has, each encoded anew."""
    from vhbench.training import training_files, training_rows
    from vhbench.training.options import SftOptions

    edition = training_rows.open_edition(editions.train, None)
    wanted = SftOptions(split=editions.train, test=(str(editions.test),), out=tmp_path / "rows")
    start = time.process_time()
    found = training_rows.build_examples(training_rows.choose(edition, wanted), edition, wanted)
    while len(found) < 4000:
        found += [
            replace(row, id=f"{row.id}+", images=tuple(image + b"\0" for image in row.images))
            for row in found[: 4000 - len(found)]
        ]
    told = training_rows.provenance("test", [edition], wanted, wanted.tests, apart=True)
    training_files.write(tmp_path / "rows", found, "parquet", told)
    assert len(rows_of(tmp_path / "rows")) == 4000
    assert time.process_time() - start < 30


def test_every_option_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the golden file where an option is to change."""
    assert golden_options.options("vhbench/training") == golden_options.golden("vhbench/training")
