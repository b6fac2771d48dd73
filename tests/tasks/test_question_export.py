"""Questions go to other harnesses as lmms-eval sends them, and what comes back gets the same scores."""

import base64
import csv
import hashlib
import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.cli import app
from vhbench.columns import RECORD
from vhbench.schema import Question, Row, VhbenchError
from vhbench.tasks import prompts, question_export

Sent = tuple[str, list[bytes]]
"""A prompt as text, and its images."""


def picture(number: int, form: str = "JPEG", mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, (9, 7), (number, 90, 200, 128)[: len(mode)]).save(buffer, form)
    return buffer.getvalue()


def rows(benchmark: str) -> Iterator[Row]:
    for number in range(12):
        shared: dict[str, Any] = {
            "benchmark": benchmark,
            "images": (picture(number // 2),),
            "scene_ids": (f"s{number // 2}",),
        }
        if benchmark == "mioh":
            images = tuple(picture(number + place, "PNG" if place else "JPEG") for place in range(2 + number % 3))
            shared |= {"images": images, "scene_ids": tuple(f"s{number}-{place}" for place in range(len(images)))}
            choices = ("Image 1", 'Both\tor "none"', "Neither")
            asked = {"kind": "multiple_choice", "question": f"Which shows hat {number}?", "choices": choices}
            yield Row(
                "mioh_easy",
                Question(f"q{number}", answer="ABC"[number % 3], pressure="easy", task="existence", **asked, **shared),
            )
        elif benchmark == "ode" and number < 3:
            asked = {"kind": "caption", "question": "Describe this image.", "objects": ("dog",), "answer": ""}
            yield Row("ode_random_caption", Question(f"q{number}", **asked, **shared))
        else:
            asked = {"kind": "yes_no", "question": f"Is there a dog?\nOr cat {number // 2}?"}
            pair = {"pair_id": f"p{number // 2}", "negated": benchmark == "vhexpansion" and number % 2 == 1}
            config = {"ode": "ode_random_existence", "vhexpansion": "vhexpansion_table"}[benchmark]
            yield Row(config, Question(f"q{number}", answer=("yes", "no")[number % 2], **asked, **shared, **pair))


@pytest.fixture(params=["ode", "mioh", "vhexpansion"])
def split(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name, config = request.param, {"vocabulary": {"dog": ["puppy"], "cat": []}}
    splits.write_split(tmp_path / name, list(rows(name)), benchmark=name, version="1.0.0", seed=0, config=config)
    found: Path = tmp_path / name
    return found


def questions(split: Path) -> dict[str, Question]:
    return {q.id: q for config in splits.read_manifest(split).rows for q in splits.read_questions(split, config)}


def sent_by_lmms_eval(split: Path, form: str) -> dict[str, Sent]:
    """Return id → prompt and images, as the tasks of lmms-eval send them."""
    found = {}
    for name, question in questions(split).items():
        doc = {column: getattr(question, column) for column in RECORD}
        text = prompts.sent(doc, "chat") if form == "chat" else prompts.to_text(doc)
        found[name] = text, [data for data in question.images if isinstance(data, bytes)]
    return found


def by_vlmevalkit(folder: Path) -> dict[str, Sent]:
    """Read the table as VLMEvalKit's ImageBaseDataset does."""
    [file] = folder.glob("*.tsv")
    csv.field_size_limit(10**9)
    with file.open(encoding="utf-8", newline="") as opened:
        table = list(csv.DictReader(opened, delimiter="\t"))
    images = {row["index"]: row["image"] for row in table}
    found = {}
    for row in table:
        cell = images[row["image"]] if len(row["image"]) <= 64 else row["image"]
        texts = json.loads(cell) if cell.startswith("[") else [cell]
        found[row["index"]] = row["question"], [base64.b64decode(text) for text in texts]
    assert {"A", "B"}.isdisjoint(table[0])  # with them VLMEvalKit would word the prompt itself
    return found


def by_chat(content: list[dict[str, Any]], data: Callable[[dict[str, Any]], bytes]) -> Sent:
    texts = [part["text"] if part["type"] == "text" else "[image]" for part in content]
    return "\n".join(["user:", *texts]), [data(part) for part in content if part["type"] != "text"]


def by_inspect(folder: Path) -> dict[str, Sent]:
    [file] = folder.glob("*.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    compile(file.with_suffix(".py").read_text(), "task.py", "exec")
    return {
        row["id"]: by_chat(row["input"][0]["content"], lambda part: (folder / part["image"]).read_bytes())
        for row in rows
    }


def by_batch(folder: Path) -> dict[str, Sent]:
    def data(part: dict[str, Any]) -> bytes:
        head, _, text = part["image_url"]["url"].partition(";base64,")
        image = base64.b64decode(text)
        assert head == f"data:image/{Image.open(io.BytesIO(image)).format.lower()}"  # type: ignore[union-attr]
        return image

    lines = [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]
    assert {line["url"] for line in lines} == {"/v1/chat/completions"}
    assert {line["body"]["model"] for line in lines} == {"m"}
    return {line["custom_id"]: by_chat(line["body"]["messages"][0]["content"], data) for line in lines}


READ = {"vlmevalkit": by_vlmevalkit, "inspect": by_inspect, "openai-batch": by_batch}


@pytest.mark.parametrize("to", question_export.TARGETS)
def test_prompts_and_images_are_those_of_lmms_eval(split: Path, tmp_path: Path, to: str) -> None:
    told = CliRunner().invoke(
        app, ["export", "questions", str(split), "--to", to, "--out", str(tmp_path / "out"), "--model", "m"],
        catch_exceptions=False,
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    written = json.loads((tmp_path / "out" / question_export.FILE).read_text())
    assert READ[to](tmp_path / "out") == sent_by_lmms_eval(split, written["prompt_form"])
    assert written["content_hash"] == splits.read_manifest(split).content_hash
    assert all(written["content_hash"][:12] in name for name in written["files"])


def test_a_batch_is_cut_by_lines_and_bytes(split: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question_export.export(split, "openai-batch", tmp_path / "whole", "m")
    monkeypatch.setattr(question_export, "_LINES", 5)
    monkeypatch.setattr(question_export, "_BYTES", 4000)
    *files, _ = question_export.export(split, "openai-batch", tmp_path / "cut", "m")
    assert len(files) > 2
    assert all(len(file.read_text().splitlines()) <= 5 for file in files)
    assert all(file.stat().st_size <= 4000 or len(file.read_text().splitlines()) == 1 for file in files)
    assert by_batch(tmp_path / "cut") == by_batch(tmp_path / "whole")


def test_an_image_with_transparency_is_exported_as_it_is_displayed(tmp_path: Path) -> None:
    image = picture(10, "PNG", "RGBA")
    question = Question(
        "q", images=(image,), scene_ids=("s",), question="Is it?", answer="yes", kind="yes_no", benchmark="ode"
    )
    splits.write_split(
        tmp_path / "ode", [Row("ode_x_existence", question)], benchmark="ode", version="1.0.0", seed=0, config={}
    )
    question_export.export(tmp_path / "ode", "inspect", tmp_path / "out")
    [file] = (tmp_path / "out" / "images").iterdir()
    with Image.open(file) as shown:
        assert shown.mode == "RGB"
        assert shown.getpixel((0, 0)) == (132, 172, 227)  # half of it on white


# What comes back.


def said(split: Path) -> dict[str, str]:
    """Return a response to each question, some of them wrong."""
    right = {
        "yes_no": ("Yes.", "No, it is not."),
        "multiple_choice": ("A", "B. Both"),
        "caption": ("A dog.", "A cat, a dog."),
    }
    return {
        name: right[question.kind][hashlib.sha256(name.encode()).digest()[0] % 2]
        for name, question in questions(split).items()
    }


def vlmevalkit_log(out: Path, split: Path) -> Path:
    rows = [
        {"index": name, "question": text, "prediction": said(split)[name]}
        for name, (text, _) in by_vlmevalkit(out).items()
    ]
    with (out / "log.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return out / "log.csv"


def batch_log(out: Path, split: Path) -> Path:
    lines = []
    for name in by_batch(out):
        body = {"choices": [{"message": {"role": "assistant", "content": said(split)[name], "refusal": None}}]}
        lines.append(
            {
                "id": f"batch_req_{name}",
                "custom_id": name,
                "response": {"status_code": 200, "body": body},
                "error": None,
            }
        )
    random.Random(0).shuffle(lines)  # a batch comes back in any order
    (out / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return out / "log.jsonl"


def inspect_log(out: Path, split: Path) -> Path:
    [file] = out.glob("*.jsonl")
    samples = [
        {
            "id": row["id"], "epoch": 1, "input": row["input"], "target": row["target"], "error": None,
            "output": {"choices": [{"message": {"role": "assistant", "content": [
                {"type": "reasoning", "reasoning": "Yes and no."}, {"type": "text", "text": said(split)[row["id"]]},
            ]}}]},
        }
        for row in map(json.loads, file.read_text().splitlines())
    ]  # fmt: skip
    log = {"version": 2, "status": "success", "eval": {"model": "mockllm/model"}, "plan": {}, "samples": samples}
    (out / "log.json").write_text(json.dumps(log, indent=2))
    return out / "log.json"


LOG = {"vlmevalkit": vlmevalkit_log, "inspect": inspect_log, "openai-batch": batch_log}


def scored(log: Path, split: Path) -> tuple[Any, list[str]]:
    told = CliRunner().invoke(app, ["score", str(log), "--questions", str(split), "--json"], catch_exceptions=False)
    found = json.loads(told.stdout)
    return found["scores"], told.stderr.splitlines()


@pytest.mark.parametrize("to", question_export.TARGETS)
def test_a_log_gets_the_scores_of_the_same_responses(split: Path, tmp_path: Path, to: str) -> None:
    question_export.export(split, to, tmp_path / "out", "m")
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps(said(split)))
    expected, _ = scored(plain, split)
    found, notes = scored(LOG[to](tmp_path / "out", split), split)
    for one, other in zip(found, expected, strict=True):
        in_order = {"predictions": None}  # they are in the order of the file
        assert one | in_order == other | in_order
    assert not [note for note in notes if "prompts" in note]


def test_other_prompts_and_another_split_are_reported(split: Path, tmp_path: Path) -> None:
    question_export.export(split, "vlmevalkit", tmp_path / "out")
    log = vlmevalkit_log(tmp_path / "out", split)
    told = tmp_path / "out" / question_export.FILE
    log.write_text(log.read_text().replace("Please answer", "Kindly answer").replace("Answer with", "Reply with"))
    changed = sum(question.kind != "caption" for question in questions(split).values())
    _, notes = scored(log, split)
    assert [note for note in notes if f"{changed} prompts differ from lmms-eval's" in note], notes
    told.write_text(json.dumps({**json.loads(told.read_text()), "prompts": "0"}))
    assert any("its prompts differ from lmms-eval's" in note for note in scored(log, split)[1])
    told.write_text(json.dumps({**json.loads(told.read_text()), "content_hash": "f" * 64}))
    with pytest.raises(VhbenchError, match=r"export.json: expected an export of .* got ffffffffffff"):
        list(question_export.PromptCheck().notes([log], split))


def test_failures_refusals_and_repetitions_of_a_batch(split: Path, tmp_path: Path) -> None:
    question_export.export(split, "openai-batch", tmp_path / "out", "m")
    log = batch_log(tmp_path / "out", split)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lines[0]["response"] = {"status_code": 429, "body": {"error": {"message": "slow down"}}}
    lines[1]["response"]["body"]["choices"][0]["message"] = {
        "content": None,
        "refusal": "I'm sorry, I can't help with that.",
    }
    for line in lines[2:]:
        line["response"]["body"]["choices"] *= 2
    log.write_text("\n".join(map(json.dumps, lines)))
    told = CliRunner().invoke(app, ["score", str(log), "--questions", str(split), "--json", "--allow-failed"])
    found = json.loads(told.stdout)["scores"]
    assert sum(round(group["failed"] * 23) for group in found) >= 1
    assert any("2 repetitions" in line for line in told.stderr.splitlines())


@pytest.mark.parametrize(("content", "tokens", "expected"), [("", 4096, (1, 0)), (None, 4096, (1, 0)), ("", 9, (0, 1))])
def test_an_empty_reply_that_used_all_tokens_is_cut_off_without_a_finish_reason(
    split: Path, tmp_path: Path, content: str | None, tokens: int, expected: tuple[int, int]
) -> None:
    question_export.export(split, "openai-batch", tmp_path / "out", "m")
    log = batch_log(tmp_path / "out", split)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    body = {"choices": [{"message": {"content": content}}], "usage": {"completion_tokens": tokens}}
    lines[0]["response"]["body"] = body
    log.write_text("\n".join(map(json.dumps, lines)))
    told = CliRunner().invoke(app, ["score", str(log), "--questions", str(split), "--json", "--allow-failed"])
    found = json.loads(told.stdout)["scores"]
    assert (sum(group["cut_off"] > 0 for group in found), sum(group["failed"] > 0 for group in found)) == expected


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"to": "lmms"}, "--to: expected one of vlmevalkit, inspect, openai-batch; got 'lmms'"),
        ({"to": "openai-batch"}, "--to openai-batch: expected --model NAME"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, how: dict[str, str], message: str) -> None:
    with pytest.raises(VhbenchError, match=message):
        question_export.export(tmp_path / "split", out=tmp_path / "out", **how)


MODEL = {"model": "mockllm/model"}


def changed(log: Path, told: dict[str, Any]) -> None:
    """Change what an Inspect log tells about its task."""
    log.write_text(json.dumps({**json.loads(log.read_text()), "eval": told}))


def invoked(*arguments: str | Path, **how: Any) -> Any:
    return CliRunner().invoke(app, ["score", *map(str, arguments), "--json"], **how)


def test_a_log_that_names_another_edition_is_refused(split: Path, tmp_path: Path) -> None:
    """Ids are those of every edition; the name of the data set is not."""
    question_export.export(split, "inspect", tmp_path / "out")
    log = inspect_log(tmp_path / "out", split).rename(tmp_path / "log.json")
    [own] = [file.stem for file in (tmp_path / "out").glob("*.py")]
    unproven = "log.json: neither its name nor an export.json names the evaluated split"
    assert [line for line in scored(log, split)[1] if unproven in line]
    other = f"vhbench_{split.name}_2e7243c0f8bc"
    for told in ({"task": own}, {"task": "t", "dataset": {"name": own}}):
        changed(log, {**MODEL, **told})
        assert not [line for line in scored(log, split)[1] if unproven in line]
    for told in ({"task": other}, {"task": "t", "dataset": {"name": other}}):
        changed(log, {**MODEL, **told})
        found = invoked(log, "--questions", split)
        assert found.exit_code != 0
        assert not found.stdout
        assert f"got a log of {other}" in str(found.exception)


def test_a_file_name_tells_the_edition(split: Path, tmp_path: Path) -> None:
    question_export.export(split, "vlmevalkit", tmp_path / "out")
    log = vlmevalkit_log(tmp_path / "out", split)
    own = splits.read_manifest(split).content_hash[:12]
    named = log.rename(tmp_path / f"model_vhbench_{split.name}_{own}.csv")
    assert not [line for line in scored(named, split)[1] if "which split" in line]
    other = named.rename(tmp_path / f"2026-01-01_vhbench-{split.name}-2e7243c0f8bc_x.csv")
    with pytest.raises(VhbenchError, match=f"got a log of vhbench-{split.name}-2e7243c0f8bc"):
        list(question_export.PromptCheck().notes([other], split))


@pytest.mark.parametrize("messages", [True, False])
def test_images_in_another_order_are_reported(split: Path, tmp_path: Path, messages: bool) -> None:
    question_export.export(split, "inspect", tmp_path / "out")
    log = inspect_log(tmp_path / "out", split)

    told = json.loads(log.read_text())
    for sample in told["samples"]:
        parts = [part for part in sample["input"][0]["content"] if part["type"] == "image"]
        files = [f"/home/me/{part['image']}" for part in reversed(parts)]
        for part, file in zip(parts, files, strict=True):
            part["image"] = file
        sample["messages"] = sample["input"] if messages else []
    pairs = sum(len(set(question.images)) > 1 for question in questions(split).values())
    assert not [line for line in scored(log, split)[1] if "order" in line]
    log.write_text(json.dumps(told))
    expected = f"{pairs} questions have other images or another order than in lmms-eval; scores are not comparable"
    assert [expected in line for line in scored(log, split)[1] if "order" in line] == [True] * (pairs > 0)


@pytest.mark.parametrize("content", ["[]", '{"content_hash": 7}', '{"content_hash": "HASH", "variants": ["zz"]}'])
def test_an_export_with_other_values_is_named_in_one_line(split: Path, tmp_path: Path, content: str) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps(said(split)))
    own = splits.read_manifest(split).content_hash
    (tmp_path / question_export.FILE).write_text(content.replace("HASH", own))
    if "HASH" in content:
        [note] = question_export.PromptCheck().notes([log], split)
        assert note.endswith("export.json: its prompts differ from lmms-eval's; scores are not comparable")
    else:
        with pytest.raises(VhbenchError, match=r"export.json: not a vhbench export JSON: .*"):
            list(question_export.PromptCheck().notes([log], split))


@pytest.mark.parametrize("again", [False, True], ids=["one file", "another file"])
def test_a_request_that_failed_once_has_the_response_to_its_repetition(
    split: Path, tmp_path: Path, again: bool
) -> None:
    question_export.export(split, "openai-batch", tmp_path / "out", "m")
    log = batch_log(tmp_path / "out", split)
    expected, _ = scored(log, split)
    lines = log.read_text().splitlines()
    failed = json.dumps({**json.loads(lines[0]), "response": {"status_code": 429, "body": {}}})
    second = tmp_path / "out" / "second.jsonl"
    log.write_text("\n".join([failed, failed, *lines[1:], *([] if again else lines[:1])]))
    second.write_text(lines[0])
    logs = [log, second] if again else [log]
    told = invoked("auto", *logs, "--questions", split, catch_exceptions=False)
    in_order = {"predictions": None}
    assert [one | in_order for one in json.loads(told.stdout)["scores"]] == [one | in_order for one in expected]
    log.write_text("\n".join([*lines, lines[0]]))
    assert "occurs twice" in str(invoked(log, "--questions", split).exception)


def test_a_column_named_sent_is_no_log(split: Path, tmp_path: Path) -> None:
    rows = [{"id": name, "response": text, "sent": "yes"} for name, text in said(split).items()]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert not [line for line in scored(tmp_path / "log.jsonl", split)[1] if "prompts" in line or "which split" in line]
