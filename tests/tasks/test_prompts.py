"""Rows become prompts, answers become records."""

from typing import Any

import pytest
from PIL import Image

from vhbench.tasks import prompts


def doc(**values: Any) -> dict[str, Any]:
    """Return a multiple-choice row over two images."""
    row: dict[str, Any] = {
        "id": "q1",
        "benchmark": "mioh",
        "kind": "multiple_choice",
        "images": [Image.new("RGBA", (4, 4), "red"), Image.new("L", (4, 4))],
        "scene_ids": ["s1", "s2"],
        "question": "Which image shows a dog?",
        "choices": ["Image 1", "Image 2"],
        "answer": "B",
        "objects": [],
        "candidates": [],
        "neutral": [],
        "pair_id": "p1",
        "negated": False,
    }
    return row | values


def test_text_announces_several_images_and_lists_the_options() -> None:
    assert prompts.to_text(doc()) == (
        "You see 2 images, numbered Image 1 to Image 2 in this order.\n"
        "Which image shows a dog?\nA. Image 1\nB. Image 2\n"
        "Answer with the option's letter from the given choices directly."
    )


def test_a_model_can_bring_prompts_of_its_own() -> None:
    row = doc(kind="yes_no", choices=[], question="Is there a dog in the image?", scene_ids=["s1"])
    assert prompts.to_text(row, {"pre_prompt": "Look! ", "post_prompt": ""}) == "Look! Is there a dog in the image?"


def test_messages_interleave_images_with_their_names() -> None:
    [message] = prompts.to_messages(doc())
    kinds = [part.get("text", part["type"]) for part in message["content"]]
    assert kinds[:4] == ["Image 1:", "image", "Image 2:", "image"]
    assert kinds[4].startswith("Which image shows a dog?")
    assert {part["url"].mode for part in message["content"] if part["type"] == "image"} == {"RGB"}


def test_one_image_is_not_numbered() -> None:
    row = doc(kind="yes_no", choices=[], question="Is there a dog in the image?", scene_ids=["s1"])
    row["images"] = row["images"][:1]
    [message] = prompts.to_messages(row)
    assert [part["type"] for part in message["content"]] == ["image", "text"]
    assert prompts.to_text(row) == "Is there a dog in the image?\nPlease answer yes or no."


def test_the_headline_metric_carries_the_whole_record_once() -> None:
    payloads = prompts.process_results(doc(), ["B"])
    assert payloads["accuracy"]["response"] == "B"
    assert payloads["accuracy"]["score"] == 1.0
    assert all(
        "response" not in payload and "score" not in payload for m, payload in payloads.items() if m != "accuracy"
    )
    assert {payload["id"] for payload in payloads.values()} == {"q1"}


@pytest.mark.parametrize(("response", "prediction"), [("(B)", "B"), ("Answer: A", "A"), ("who knows", "")])
def test_what_cannot_be_read_is_unknown_and_wrong(response: str, prediction: str) -> None:
    payload = prompts.process_results(doc(), [response])["accuracy"]
    assert payload["prediction"] == prediction
    assert payload["score"] == float(prediction == "B")


@pytest.mark.parametrize(("responses", "share"), [(["B"], 1.0), (["A"], 0.0), (["B", "A", "B", "B"], 0.75)])
def test_the_headline_carries_the_share_of_correct_responses(responses: list[str], share: float) -> None:
    record = prompts.process_results(doc(), responses)["accuracy"]
    assert (record["score"], record["accuracy"]) == (share, 100 * share)


def test_a_response_that_reaches_the_token_limit_is_cut_off() -> None:
    def told(*counts: int, limit: int | None = 8, responses: tuple[str, ...] = ("B",)) -> dict[str, Any]:
        return prompts.process_results(doc(), responses, tokens=lambda: {"q1": counts}, limit=limit)["accuracy"]

    assert (told(8)["cut_off"], told(8)["tokens"]) == (True, 8)
    assert ("cut_off" in told(7), told(7)["tokens"]) == (False, 7)
    assert "cut_off" not in told(9, limit=None)
    assert not {"cut_off", "tokens"} & told(8, 8).keys()  # numbers of another number of responses
    both = told(3, 8, responses=("B", "A"))
    assert [one["cut_off"] for one in both["repeats"]] == [True]
    assert (both["score"], both["accuracy"], both["cluster"]) == (0.5, 50, "p1")


def test_provenance_comes_with_the_prompt_and_the_input_of_the_row() -> None:
    given = {"provenance": {"task": "t"}, "prompts": {"q1": "hash"}}
    record = prompts.process_results(doc(), ["B"], **given, inputs={"q1": "digest"})["accuracy"]
    assert (record[prompts.PROMPT], record[prompts.INPUT], record[prompts.KEY]) == ("hash", "digest", {"task": "t"})
    record = prompts.process_results(doc(), ["B"], provenance={}, inputs={"q2": "digest"})["accuracy"]
    assert (record[prompts.PROMPT], prompts.INPUT in record) == ("", False)
    assert prompts.PROMPT not in prompts.process_results(doc(), ["B"], prompts={"q1": "hash"})["accuracy"]
