"""What a model is asked, word for word, is frozen: other words are another benchmark, and need a new MAJOR version.

Each file in ``prompts/`` is what a task of lmms-eval gives to its models for one fixed row: to simple models images and
a text, to chat models messages. To renew them after a change that is meant, look at the difference and commit it:

    VHBENCH_RENEW_PROMPTS=1 python -m pytest -n 0 tests/tasks/test_frozen_prompts.py
"""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from vhbench import splits
from vhbench.schema import Question, Row
from vhbench.tasks import datasets

FOLDER = Path(__file__).with_name("prompts")
ROWS = {
    "ode_caption": ("ode_fictional_caption", "caption", "Describe this image.", "", (), 1),
    "ode_yes_no": ("ode_fictional_existence", "yes_no", "Is there a dog in this image?", "yes", (), 1),
    "mioh_multiple_choice": (
        "mioh",
        "multiple_choice",
        "Which image shows a dog?",
        "B",
        ("Image 1", "Image 2", "None of the above"),
        2,
    ),
    "mioh_multiple_choice_one_image": ("mioh", "multiple_choice", "How many dogs are there?", "A", ("1", "2"), 1),
    "mioh_yes_no": ("mioh", "yes_no", "Is there a dog in every image?", "no", (), 4),
    "vhexpansion_yes_no": ("vhexpansion_pope", "yes_no", "Is there a dog in the image?", "yes", (), 1),
    "vhexpansion_negated_twin": ("vhexpansion_pope", "yes_no", "Is there no dog in the image?", "no", (), 1),
    "amber_caption": ("amber_generative", "caption", "Describe this image.", "", (), 1),
    "amber_yes_no": ("amber_discriminative", "yes_no", "Is the sky sunny in this image?", "yes", (), 1),
    "chair_64_tokens": ("chair_64", "caption", "Please describe this image in detail.", "", (), 1),
}
"""Name of the snapshot → the task, and of the row: kind, question, answer, choices and number of images."""


def row(name: str) -> Row:
    """Return the row of a snapshot, on pictures of one colour."""
    task, kind, question, answer, choices, images = ROWS[name]
    pictures = []
    for number in range(images):
        buffer = io.BytesIO()
        Image.new("RGB", (8 + number, 8), "red").save(buffer, "PNG")
        pictures.append(buffer.getvalue())
    benchmark = name.partition("_")[0]
    asked = Question(
        name,
        images=tuple(pictures),
        question=question,
        answer=answer,
        kind=kind,  # type: ignore[arg-type]
        benchmark=benchmark,
        choices=choices,
        pair_id="pair" if benchmark == "vhexpansion" else "",
        negated="negated" in name,
        question_type=name.removeprefix("chair_") if benchmark == "chair" else "",
        objects=("dog",) if kind == "caption" else (),
        scene_ids=tuple(f"{name}/{number}" for number in range(images)),
    )
    return Row(task, asked)


@pytest.fixture(scope="module")
def tasks(task_manager: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Any]]]:
    """The tasks of the rows as lmms-eval makes them, for simple and for chat models."""
    root = tmp_path_factory.mktemp("prompts")
    for benchmark in sorted({name.partition("_")[0] for name in ROWS}):
        rows = [row(name) for name in ROWS if name.startswith(benchmark)]
        config = {"vocabulary": {"dog": ["dog"]}}
        splits.write_split(root / benchmark, rows, benchmark=benchmark, version="1.0.0", seed=0, config=config)
    names = sorted({task for task, *_ in ROWS.values()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VHBENCH_DATA", str(root))
        datasets.resolve.cache_clear()
        yield {kind: task_manager.load_task_or_group(names, task_type=kind) for kind in ("simple", "chat")}
    datasets.resolve.cache_clear()


def told(task: Any, doc: dict[str, Any], kind: str) -> str:
    """Return what a model is given, with [image] for an image."""
    if kind == "simple":
        return "[image]\n" * len(task.doc_to_visual(doc)) + task.doc_to_text(doc)
    lines = []
    for message in task.doc_to_messages(doc):
        lines += [f"{message['role']}:", *(part.get("text", f"[{part['type']}]") for part in message["content"])]
    return "\n".join(lines)


@pytest.mark.parametrize("name", ROWS)
def test_a_model_is_asked_what_it_was_asked_before(name: str, tasks: dict[str, dict[str, Any]]) -> None:
    found = ""
    for kind, by_name in tasks.items():
        task = by_name[ROWS[name][0]]
        [doc] = [doc for doc in task.test_docs() if doc["id"] == name]
        found += f"=== {kind} models, {ROWS[name][0]}\n{told(task, doc, kind)}\n"
    file = FOLDER / f"{name}.txt"
    if os.environ.get("VHBENCH_RENEW_PROMPTS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(found, encoding="utf-8")
    assert found == file.read_text(encoding="utf-8"), f"other words; {__doc__}"


def test_every_kept_prompt_is_asked() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(ROWS)
