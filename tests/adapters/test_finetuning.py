"""Fine-tuning learns the answers alone, under the prompt of inference, and saves the model that it trained."""

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import golden_options
import odd_files
import pyarrow.parquet as pq
import pytest
import tiny_trainable
from any_vlm import build as any_model
from PIL import Image
from running import Evaluate, scores
from typer.testing import CliRunner

from editions import Editions, answered
from vhbench import rewards
from vhbench.adapters.answer_collator import LEFT_OUT, AnswerCollator, PreferenceCollator, end_tokens
from vhbench.adapters.finetuning import finetune, last_checkpoint, one_of_each_form, read_rows
from vhbench.adapters.trainable_families import TESTED, limit_pixels, lora_config
from vhbench.adapters.training_memory import estimate
from vhbench.adapters.training_options import Training
from vhbench.cli import app
from vhbench.schema import VhbenchError
from vhbench.training import leakage, question_stream

pytestmark = pytest.mark.skipif(not (find_spec("trl") and find_spec("peft")), reason="trl and peft are not installed")

ROWS = 12
"""Every existence question of the edition's standard pairs: what the task ode_standard_existence asks."""

STEPS = {"llava": 50, "qwen2_vl": 60}
FAST = Training(learning_rate=4e-3, batch=ROWS, accumulate=1, rank=32, alpha=64, device="cpu")
ASKED = {"role": "user", "content": [{"type": "image", "text": ""}, {"type": "text", "text": "is there a dog ?"}]}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def export(*words: object) -> None:
    done = CliRunner().invoke(app, ["export", *map(str, words)])
    assert done.exit_code == 0, (done.output, done.exception)


@pytest.fixture(scope="module")
def rows(editions: Editions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finetuning") / "rows"
    export("sft", "--split", editions.train, "--test", editions.test, "--types", "existence,place",
           "--criterion", "standard", "--answers", "short", "--out", out)  # fmt: skip
    return out


@pytest.fixture(scope="module")
def tiny(rows: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a tiny model whose tokenizer knows the rows' words."""
    table = pq.read_table(rows / "data" / "train-00000-of-00001.parquet").to_pylist()
    texts = [part["text"] for row in table for message in row["messages"] for part in message["content"]]
    return lambda family: tiny_trainable.save(family, texts, tmp_path_factory.mktemp(family))


def collator(model: Any, processor: Any) -> AnswerCollator:
    return AnswerCollator(processor, end_tokens(model, processor.tokenizer))


@pytest.mark.parametrize("images", [1, 2])
@pytest.mark.parametrize("kind", TESTED)
def test_every_tested_class_asks_as_inference_does_and_learns_one_end(kind: str, images: int) -> None:
    """The prompt's ids are those of the processor alone; the labels are the answer and its end."""
    model, processor = any_model(kind)
    processor.chat_template = processor.chat_template.replace("{{ c['text'] }}", "{{ c['text'] + ' ' }}")
    make = collator(model, processor)
    picture = Image.new("RGB", (40, 30), "red")
    asked = {"role": "user", "content": [*ASKED["content"][:1] * images, *ASKED["content"][1:]]}
    batch = make([
        {"images": [picture] * images, "messages": [asked, said("yes")]},
        {"images": [picture] * images, "messages": [asked, said("no dog in the image")]},
    ])  # fmt: skip
    make.check({"images": [picture] * images, "messages": [asked, said("yes")]})
    learnt = [[i for i in row if i != LEFT_OUT] for row in batch["labels"].tolist()]
    words = [processor.tokenizer.convert_ids_to_tokens(row) for row in learnt]
    assert words == [["yes", make.ends[0]], ["no", "dog", "in", "the", "image", make.ends[0]]]


@pytest.mark.parametrize("family", tiny_trainable.FAMILIES)
def test_real_templates_begin_and_end_as_the_model_does(family: str) -> None:
    model, processor = tiny_trainable.FAMILIES[family](["Is there a dog in the image? Yes No"])
    make = collator(model, processor)
    row = {"images": [Image.new("RGB", (56, 56))], "messages": [ASKED, said("Yes")]}
    make.check(row)
    batch = make([row])
    learnt = [i for i in batch["labels"][0].tolist() if i != LEFT_OUT]
    assert processor.tokenizer.decode(learnt).strip() == f"Yes{processor.tokenizer.eos_token}"
    if family == "llava":  # whose tokenizer begins a text, and whose template does not
        assert batch["input_ids"][0, 0] == processor.tokenizer.bos_token_id


def test_preferences_are_the_same_prompt_with_two_answers() -> None:
    model, processor = tiny_trainable.llava(["Yes No"])
    row = {"images": [Image.new("RGB", (56, 56))], "prompt": [ASKED], "chosen": [said("Yes")], "rejected": [said("No")]}
    batch = PreferenceCollator(collator(model, processor))([row])
    ids, mask, there = batch["input_ids"], batch["completion_mask"].bool(), batch["attention_mask"].bool()
    chosen, rejected = (ids[i][there[i] & ~mask[i]].tolist() for i in (0, 1))
    assert chosen == rejected
    answers = [processor.tokenizer.decode(ids[i][mask[i]]).strip() for i in (0, 1)]
    assert answers == ["Yes</s>", "No</s>"]
    assert batch["pixel_values"].shape[0] == 2
    assert "labels" not in batch


def test_a_prompt_that_inference_would_not_ask_is_refused() -> None:
    model, processor = tiny_trainable.llava(["Yes No"])
    make = collator(model, processor)
    make.ends = ("</s>", "Yes")
    with pytest.raises(VhbenchError, match="does not end in one of </s>, Yes, once"):
        make.check({"images": [Image.new("RGB", (56, 56))], "messages": [ASKED, said("Yes Yes")]})


@pytest.fixture(scope="module")
def tuned(tiny: Any, rows: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Fine-tune a model of two real classes, and return what was done."""
    return {
        family: finetune(
            str(tiny(family)), rows, tmp_path_factory.mktemp(f"tuned-{family}"), replace(FAST, steps=STEPS[family])
        )
        for family in tiny_trainable.FAMILIES
    }


def command(words: list[str]) -> tuple[int, str]:
    """Run vhbench in a process that a launcher started; returns its exit code and output."""
    import torch

    torch.set_num_threads(1)  # as torchrun does
    done = CliRunner().invoke(app, words)
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def shared(tiny: Any, rows: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """Fine-tune a model in two processes of half the batch each; return what was done, and what was said of it."""
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    out = tmp_path_factory.mktemp("shared") / "tuned"
    words = [
        "finetune", "--model", tiny("llava"), "--data", rows, "--out", out, "--device", "cpu", "--batch", ROWS // 2,
        "--accumulate", 1, "--steps", 20, "--rank", FAST.rank, "--alpha", FAST.alpha, "--processes", 2,
        "--learning-rate", FAST.learning_rate,
    ]  # fmt: skip
    # torchrun itself, but its processes are forks of this one, which has imported TRL
    launch = LaunchConfig(
        1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="127.0.0.1:0", start_method="fork", monitor_interval=0.1
    )
    done = elastic_launch(launch, command)([*map(str, words)])
    assert [code for code, _ in done.values()] == [0, 0], done
    return json.loads((out / "training.json").read_text()), "".join(output for _, output in done.values())


@pytest.mark.slow
@pytest.mark.parametrize("family", tiny_trainable.FAMILIES)
def test_the_loss_falls_and_what_is_saved_is_whole(family: str, tuned: Any, rows: Path) -> None:
    told = tuned[family]
    assert told["losses"][0] > 10 * told["losses"][-1]
    assert (told["method"], told["rows"], told["steps"], told["processes"]) == ("sft", ROWS, STEPS[family], 1)
    assert told["merged_difference"] < 1e-4
    out = Path(told["merged"]).parent
    assert told["model"] == str(out / "adapter")
    assert (out / "adapter" / "adapter_model.safetensors").is_file()
    assert {path.suffix for part in ("adapter", "model") for path in (out / part).iterdir()} <= {
        ".safetensors", ".json", ".jinja", ".md", ".txt",
    }  # fmt: skip
    with pytest.raises(VhbenchError, match="already contains a training run; --resume continues it"):
        finetune(told["base"], rows, out, FAST)


@pytest.mark.slow
def test_lmms_eval_s_own_classes_see_what_was_learnt(
    tuned: Any, editions: Editions, evaluate: Evaluate, use_data: Callable[[Path], None]
) -> None:
    """Before and after, adapter and merged, on the training edition, with which the test edition shares nothing."""
    more = {"qwen2_vl": ",min_pixels=3136,max_pixels=12544"}  # as the tiny processor has them
    use_data(editions.train.parent)

    def share(kind: str, arguments: str, family: str) -> float:
        arguments += more.get(family, "") + ",device_map=cpu"
        found = evaluate(kind, ["ode_standard_existence"], model_args=arguments, gen_kwargs="max_new_tokens=8")
        return scores(found, "ode_standard_existence")["accuracy"]

    shares = [
        share(model, arguments, told["lmms_eval"])
        for told in tuned.values()
        for model, arguments in (
            (told["lmms_eval"], f"pretrained={told['base']}"),
            ("vhbench_adapter", f"model_class={told['lmms_eval']},pretrained={told['base']},adapter={told['model']}"),
            (told["lmms_eval"], f"pretrained={told['merged']}"),
        )
    ]
    before, after, merged = (shares[i::3] for i in range(3))
    assert all(share is None or share < 60 for share in before), before  # None: one nonsense text for all questions
    assert min(after) >= 90, after
    assert merged == after
    train, test = (leakage.read_contents(path) for path in editions)
    assert not train.images & test.images
    assert not train.scenes & test.scenes
    assert not train.concepts & test.concepts


@pytest.mark.slow
@pytest.mark.parametrize(("family", "steps"), [("llava", STEPS["llava"]), ("qwen2_vl", 20)])
def test_preferences_are_learnt_though_no_answer_is_always_the_rejected_one(
    family: str, steps: int, editions: Editions, tiny: Any, tmp_path: Path
) -> None:
    """Half of the pairs prefer yes, half no; in the end the model finds the truth likelier in each."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    results = answered(tmp_path / "results", editions.train, "yes")
    words = ["--run", results, "--types", "existence,place", "--criterion", "standard", "--unchecked"]
    export("dpo", "--split", editions.train, *words, "--out", tmp_path / "pairs")
    told = finetune(str(tiny(family)), tmp_path / "pairs", tmp_path / "tuned", replace(FAST, steps=steps))
    assert told["method"] == "dpo"
    assert told["losses"][-1] < told["losses"][0]
    if steps < STEPS[family]:
        return
    assert told["losses"][-1] < 0.1

    model = AutoModelForImageTextToText.from_pretrained(told["merged"])
    make = PreferenceCollator(collator(model, AutoProcessor.from_pretrained(told["merged"])))
    batch = make(list(read_rows(tmp_path / "pairs")))
    mask = batch.pop("completion_mask")[:, 1:]
    with torch.no_grad():
        likely = torch.log_softmax(model(**batch).logits[:, :-1], -1)
    of_answers = (likely.gather(-1, batch["input_ids"][:, 1:, None])[..., 0] * mask).sum(1)
    chosen, rejected = of_answers.chunk(2)
    assert (chosen > rejected).float().mean() >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["parquet", "folder"])
def test_trl_s_own_trainer_takes_the_rows_as_they_are(
    layout: str, editions: Editions, tiny: Any, tmp_path: Path
) -> None:
    from transformers import AutoModelForImageTextToText, AutoProcessor
    from trl import SFTConfig, SFTTrainer

    words = ["--types", "existence", "--number", "4", "--answers", "short", "--layout", layout]
    export("sft", "--split", editions.train, "--test", editions.test, *words, "--out", tmp_path / "rows")
    model = tiny("llava")
    args = SFTConfig(
        str(tmp_path / "o"), max_length=None, bf16=False, use_cpu=True, gradient_checkpointing=False, report_to="none",
        max_steps=1, per_device_train_batch_size=4, save_strategy="no",
    )  # fmt: skip
    trainer = SFTTrainer(
        model=AutoModelForImageTextToText.from_pretrained(model), args=args, train_dataset=read_rows(tmp_path / "rows"),
        processing_class=AutoProcessor.from_pretrained(model),
    )  # fmt: skip
    assert trainer.train().training_loss > 0


@pytest.mark.slow
def test_trl_s_own_trainer_learns_from_the_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three steps of GRPO: fresh questions, both answers of a pair in each batch, a reward for each answer."""
    import datasets
    import trl
    from transformers import AutoModelForImageTextToText, AutoProcessor

    monkeypatch.setattr(question_stream, "_ODE_PAIRS", 1)  # blocks of some 70 questions: a stream draws whole ones
    rows = islice(question_stream.stream("ode", part="1/2", size=64), 60)
    words = [row["question"] for row in rows]
    folder = tiny_trainable.save("llava", [*words, "Yes No Please answer yes or no."], tmp_path / "model")
    batches: list[dict[str, Any]] = []

    def watched(completions: list[Any], **columns: Any) -> list[float]:
        batches.append(columns)
        return rewards.trl_reward(completions, **columns)

    args = trl.GRPOConfig(
        str(tmp_path / "out"), per_device_train_batch_size=8, num_generations=2, max_steps=3, max_completion_length=2,
        report_to=[], use_cpu=True, bf16=False, remove_unused_columns=False, shuffle_dataset=False, save_strategy="no",
        gradient_checkpointing=False, disable_tqdm=True,
    )  # fmt: skip
    trainer = trl.GRPOTrainer(
        model=AutoModelForImageTextToText.from_pretrained(folder), args=args, reward_funcs=[watched, rewards.trl_form],
        processing_class=AutoProcessor.from_pretrained(folder),
        train_dataset=datasets.IterableDataset.from_generator(
            question_stream.stream, gen_kwargs={"benchmark": "ode", "part": "1/2", "size": 64}
        ),
    )  # fmt: skip
    trainer.train()
    assert trainer.state.global_step == 3
    assert len({name for batch in batches for name in batch["id"]}) == 12
    for batch in batches:
        assert sorted(batch["answer"]) == ["no"] * 4 + ["yes"] * 4
        assert len(set(batch["pair_id"])) == 2
    assert all("reward" in entry for entry in trainer.state.log_history[:-1] if "loss" in entry)


@pytest.mark.slow
def test_each_distribution_has_a_model_of_its_own(editions: Editions, tiny: Any, tmp_path: Path) -> None:
    """ODE's figure 7: one command trains a model for each criterion, and says how to compare them."""
    words = ["--types", "existence", "--each", "4", "--answers", "short"]
    export("sft", "--split", editions.train, "--test", editions.test, *words, "--out", tmp_path / "rows")
    out = tmp_path / "tuned"
    done = CliRunner().invoke(
        app,
        ["finetune", "--model", str(tiny("llava")), "--data", str(tmp_path / "rows"), "--out", str(out), "--device",
         "cpu", "--each", "criterion", "--steps", "1", "--rank", "4", "--accumulate", "1"],
    )  # fmt: skip
    assert done.exit_code == 0, (done.output, done.exception)
    for criterion in ("fictional", "standard"):
        assert f"{criterion}: sft on 4 rows, 1 step, 1 process" in done.output
        assert (out / criterion / "adapter" / "adapter_model.safetensors").is_file()
    assert done.output.count("lmms-eval --model llava_hf --model_args pretrained=") == 2
    assert done.output.count("lmms-eval --model vhbench_adapter --model_args model_class=llava_hf,pretrained=") == 4
    assert "--names before,fictional,standard" in done.output


@pytest.mark.slow
def test_two_processes_share_a_training(shared: tuple[dict[str, Any], str]) -> None:
    """Through torchrun and the command: two gloo processes, whose number is asserted; one of them tells and saves."""
    told, said = shared
    assert said.count("20 steps, 2 processes") == 1
    assert said.count("vhbench compare") == 1
    assert (told["processes"], told["steps"]) == (2, 20)
    assert told["losses"][0] > told["losses"][-1]


@pytest.mark.slow
def test_a_training_goes_on_where_it_stopped(rows: Path, tiny: Any, tmp_path: Path) -> None:
    model, how = str(tiny("llava")), replace(FAST, rank=4, save_steps=2)
    assert finetune(model, rows, tmp_path, replace(how, steps=2))["resumed_from"] is None
    told = finetune(model, rows, tmp_path, replace(how, steps=4, resume=True))
    assert (told["steps"], told["resumed_from"]) == (4, "checkpoint-2")


def test_one_process_where_two_were_asked_for_is_refused(rows: Path, tmp_path: Path, tiny: Any) -> None:
    with pytest.raises(VhbenchError, match=r"--processes 2: 1 runs. Start them with `torchrun --nproc_per_node 2`"):
        finetune(str(tiny("llava")), rows, tmp_path / "tuned", Training(processes=2))


def test_another_class_is_refused_unless_untested(tiny_vlm: Callable[[str], Path], rows: Path, tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"is a instructblip: tested are llava, .*--untested tries it"):
        finetune(str(tiny_vlm("instructblip")), rows, tmp_path / "tuned", FAST)


def test_a_folder_without_rows_is_told(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"no data/\*.parquet and no metadata.jsonl"):
        read_rows(tmp_path)


@pytest.mark.parametrize("what", ["cut", "other columns", "numbers"])
def test_rows_that_are_none_are_told_before_a_model_is_looked_for(what: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    odd_files.PARQUET[what](tmp_path / "data" / "rows.parquet")
    with pytest.raises(VhbenchError) as told:
        finetune("nowhere", tmp_path, tmp_path / "out", Training())
    assert str(tmp_path) in str(told.value)
    assert len(str(told.value).splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_checkpoint_that_was_cut_is_passed_over(tmp_path: Path) -> None:
    for name in ("checkpoint-9", "checkpoint-10", "checkpoint-x"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trainer_state.json").write_text("{}")
    (tmp_path / "checkpoint-11").mkdir()
    assert last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-10")
    assert last_checkpoint(tmp_path / "nothing") is None


def test_one_row_of_each_form_is_held_to_inference() -> None:
    import datasets

    forms = ["short", "reasoned", "short", "general", "general"]
    assert one_of_each_form(datasets.Dataset.from_dict({"form": forms})) == [0, 1, 3]
    assert one_of_each_form(datasets.Dataset.from_dict({"id": forms})) == [0]


def test_rows_are_kept_by_a_column(rows: Path) -> None:
    assert len(read_rows(rows, {"right": "yes"})) == ROWS / 2
    with pytest.raises(VhbenchError, match="has no column 'colour'; it has images, messages, id"):
        read_rows(rows, {"colour": "red"})
    with pytest.raises(VhbenchError, match="no rows left"):
        read_rows(rows, {"criterion": "fictional"})


PROJECTORS = {
    "llava": {"multi_modal_projector.linear_1", "multi_modal_projector.linear_2"},
    "llava_next": {"multi_modal_projector.linear_1", "multi_modal_projector.linear_2"},
    "llava_onevision": {"multi_modal_projector.linear_1", "multi_modal_projector.linear_2"},
    "qwen2_vl": {"visual.merger.mlp.0", "visual.merger.mlp.2"},
    "qwen2_5_vl": {"visual.merger.mlp.0", "visual.merger.mlp.2"},
    "idefics3": {"connector.modality_projection.proj"},
    "smolvlm": {"connector.modality_projection.proj"},
    "gemma3": {"multi_modal_projector"},  # its weight is no linear layer
}


@pytest.mark.parametrize("kind", TESTED)
def test_lora_trains_language_model_and_projector_and_not_the_tower(kind: str) -> None:
    """On PyTorch's meta device, as for the real sizes: by name, what has an adapter besides the language model."""
    import torch
    from peft import get_peft_model
    from transformers import AutoModelForImageTextToText

    config = any_model(kind)[0].config
    with torch.device("meta"):
        model = get_peft_model(AutoModelForImageTextToText.from_config(config), lora_config(kind, 4, 8, vision=False))
    trained = {name.split(".lora_")[0] for name, weight in model.named_parameters() if weight.requires_grad}
    language = {name for name in trained if ".language_model." in name or ".text_model." in name}
    assert {name.removeprefix("base_model.model.model.") for name in trained - language} == PROJECTORS[kind]
    layers = {name.rpartition(".")[2] for name in language}
    assert {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"} == layers


@pytest.mark.parametrize("width", [128, 256, 512])
@pytest.mark.parametrize("rank", [0, 16])
def test_the_memory_estimate_is_what_torch_allocates(width: int, rank: int) -> None:
    """A real step of AdamW on three sizes, every storage counted."""
    import torch
    from peak_memory import PeakMemory
    from peft import get_peft_model

    model, processor = tiny_trainable.llava(["Is there a dog in the image? Yes No"], width=width)
    how, make = Training(rank=rank, alpha=2 * rank, dtype="float32"), collator(model, processor)
    row = {"images": [Image.new("RGB", (56, 56))], "messages": [ASKED, said("Yes")]}
    batch = make([row] * 8)
    expected = estimate(model.config, batch["input_ids"].numel(), how, on_gpu=False)
    if rank:
        model = get_peft_model(model, lora_config("llava", rank, 2 * rank, vision=False))
    else:
        for name, weight in model.named_parameters():
            weight.requires_grad_("vision_tower" not in name)
    optimizer = torch.optim.AdamW([weight for weight in model.parameters() if weight.requires_grad])
    with PeakMemory([*model.parameters(), *batch.values()]) as memory:
        for _ in range(2):  # the optimizer has a state from the second step on
            for _ in range(2):  # accumulated: gradients are there during the second forward pass
                model(**batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    assert expected.total == pytest.approx(memory.peak, rel=0.15)


def test_only_models_that_scale_images_have_a_limit_of_pixels() -> None:
    _, processor = tiny_trainable.qwen2_vl(["Yes No"])
    sizes = {}
    for most in (0, 28 * 28 * 4):
        if most:
            limit_pixels(processor, "qwen2_vl", most)
        image = Image.new("RGB", (112, 112))
        sizes[most] = processor.image_processor([image], return_tensors="pt")["image_grid_thw"].prod().item()
    assert sizes[28 * 28 * 4] == 16 < sizes[0]
    with pytest.raises(VhbenchError, match=r"--max-pixels 99: expected a model that scales its images \(qwen2_vl"):
        limit_pixels(None, "llava", 99)


@pytest.mark.slow
def test_four_bit_weights_are_trained_through_an_adapter(rows: Path, tiny: Any, tmp_path: Path) -> None:
    told: list[str] = []
    options = replace(FAST, steps=STEPS["llava"], quantize="4bit", merge=False)
    done = finetune(str(tiny("llava")), rows, tmp_path, options, tell=told.append)
    assert done["losses"][0] > 100 * done["losses"][-1]
    assert told[0].startswith("estimated memory 0.0 GiB (weights 0.0, ")
    assert (tmp_path / "adapter" / "adapter_model.safetensors").is_file()
    with pytest.raises(VhbenchError, match="--quantize 4bit: expected LoRA"):
        finetune(str(tiny("llava")), rows, tmp_path / "all", replace(options, rank=0))


def test_every_option_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the golden file where an option is to change."""
    assert golden_options.options("adapters") == golden_options.golden("adapters")
