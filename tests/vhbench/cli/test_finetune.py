"""What `vhbench finetune` prints: commands that ask the split that the rows were held apart from, and no other."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from editions import Editions
from vhbench import splits
from vhbench.cli.finetune import FinetuneOptions, finetune
from vhbench.cli.finetune import _benchmark as benchmark
from vhbench.cli.finetune import _commands as commands
from vhbench.cli.finetune import _provenance as provenance
from vhbench.cli.finetune import _scored as scored
from vhbench.images import to_png
from vhbench.schema import VhbenchError

TUNED = {"": {"model": "tuned/adapter", "lmms_eval": "llava_hf", "device": "cuda"}}


def rows(folder: Path, told: Any) -> Path:
    (folder / "provenance.json").write_text(json.dumps(told))
    return folder


def held_apart(folder: Path, test: Path) -> Path:
    manifest = splits.read_manifest(test)
    one = {"benchmark": "ode", "version": "1.0.0", "content_hash": manifest.content_hash}
    return rows(folder, {"sources": [one | {"content_hash": "0" * 64}], "tests": [one]})


def options(data: Path, **given: Any) -> FinetuneOptions:
    return FinetuneOptions(model="org/base", data=data, out=Path("tuned"), **given)


def test_the_split_that_was_held_apart_is_asked_before_and_after(editions: Editions, tmp_path: Path) -> None:
    how = options(held_apart(tmp_path, editions.test), test=editions.test)
    told = provenance(how.data)
    environment, note = scored(how, told)
    assert note == f"the rows do not overlap with {editions.test}"
    printed = list(commands(how, TUNED, environment, benchmark(told)))
    command = f"VHBENCH_DATA={editions.test.parent} lmms-eval --model"
    adapter = "vhbench_adapter --model_args model_class=llava_hf,pretrained=org/base,adapter=tuned/adapter"
    models = {"before": "llava_hf --model_args pretrained=org/base", "after": adapter}
    for line, (name, model) in zip(printed, models.items(), strict=False):
        assert line == f"{command} {model} --tasks ode --log_samples --output_path tuned/results/{name}"
    assert [line.split(" --")[0] for line in printed[2:4]] == ["lmms-eval"] * 2  # MME is asked as it is
    compared = "vhbench compare tuned/results/before tuned/results/after --names before,after"
    assert printed[4].startswith(f"VHBENCH_DATA={editions.test.parent} {compared}")  # captions need its vocabulary


def test_the_commands_name_a_device_that_is_there_and_the_trained_size(tmp_path: Path) -> None:
    tuned = {"": TUNED[""] | {"device": "cpu"}}
    after = list(commands(options(tmp_path, max_pixels=200_704), tuned, "", "ode"))[1]
    assert after.startswith("lmms-eval --model vhbench_adapter --model_args model_class=llava_hf,pretrained=org/base,")
    assert "adapter=tuned/adapter,max_pixels=200704,device_map=cpu --tasks ode --device cpu --log_samples " in after
    tuned = {"": TUNED[""] | {"model": "tuned/model"}}
    trained = list(commands(options(tmp_path, rank=0), tuned, "", "ode"))[1]  # all weights: there is no adapter
    assert trained.startswith("lmms-eval --model llava_hf --model_args pretrained=tuned/model --tasks ode ")


def test_without_a_split_the_command_says_which_one_it_must_be(editions: Editions, tmp_path: Path) -> None:
    how = options(held_apart(tmp_path, editions.test))
    environment, note = scored(how, provenance(how.data))
    digest = splits.read_manifest(editions.test).content_hash
    assert environment == "VHBENCH_DATA=TEST "
    assert note.endswith(f"the split the rows are decontaminated against: ode 1.0.0 ({digest[:12]}…)")


def test_a_split_that_rows_were_not_held_apart_from_is_refused(editions: Editions, tmp_path: Path) -> None:
    how = options(held_apart(tmp_path, editions.test), test=editions.train)
    with pytest.raises(
        VhbenchError, match=r"--test .*: .* is not decontaminated against it .* but against ode 1\.0\.0 \("
    ):
        scored(how, provenance(how.data))


def test_rows_of_elsewhere_tell_nothing(tmp_path: Path) -> None:
    content, chosen = provenance(tmp_path), options(tmp_path)
    assert benchmark(content) == "ode"
    assert scored(chosen, content) == ("VHBENCH_DATA=TEST ", "TEST stands for the folder of a split of other concepts")


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("images", "--each: expected a column of words, such as criterion or question_type"),
        ("messages", "--each: expected a column of words"),
        ("nothing", "has no such column"),
        ("source", "--each source: expected values usable as folder names in tuned, got '../elsewhere'"),
    ],
)
def test_each_needs_a_column_of_names(column: str, told: str, tmp_path: Path) -> None:
    row = {"images_file_names": ["a.png"], "messages": [{"role": "user", "content": [{"type": "text", "text": "?"}]}]}
    (tmp_path / "metadata.jsonl").write_text(json.dumps({**row, "source": "../elsewhere", "id": "1"}))
    (tmp_path / "a.png").write_bytes(to_png(Image.new("RGB", (8, 8))))
    with pytest.raises(VhbenchError, match=told):
        finetune(**vars(options(tmp_path, each=column)))
