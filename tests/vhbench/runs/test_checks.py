"""A sample as lmms-eval writes it agrees with itself, whatever the model said; one that was changed does not."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vhbench
from vhbench.provenance import DataSource, Provenance, digest, hash_of_row
from vhbench.runs.checks import SamplesCheck, check_same_split, faults
from vhbench.schema import Record, VhbenchError
from vhbench.tasks import prompts

TOLD = Provenance(
    task="ode_fictional_existence",
    benchmark="ode",
    version="1.0.0",
    content_hash="c" * 64,
    data=DataSource(kind="starter"),
    vhbench=vhbench.__version__,
    lmms_eval="0.7.3",
    asked=2,
    of=2,
)
COLUMNS = {name: getattr(Record("q"), name) for name in Record.__dataclass_fields__} | {"scene_ids": ["s1"]}
ROWS = {
    "yes_no": {"benchmark": "ode", "kind": "yes_no", "question": "Is there a dog in the image?", "answer": "no"},
    "multiple_choice": {
        "benchmark": "mioh",
        "kind": "multiple_choice",
        "question": "Which image shows a dog?",
        "choices": ["Image 1", "Image 2"],
        "answer": "B",
        "scene_ids": ["s1", "s2"],
    },
    "caption": {"benchmark": "ode", "kind": "caption", "question": "Describe this image.", "objects": ["dog", "boat"]},
}
SAID = st.text() | st.sampled_from(
    ["Yes.", "No, there is none.", "B", "A dog.", "I cannot see the image.", "<think>So", "[LMMS_EVAL_REQUEST_FAILED]"]
)


def sample(row: dict[str, Any], responses: list[str], name: str = "q") -> tuple[dict[str, Any], str]:
    """Return a sample as lmms-eval writes it, and the name of the metric that has the whole record."""
    doc = COLUMNS | row | {"id": name}
    hashes = {name: digest(prompts.sent(doc, "simple"))}
    inputs = {name: digest(prompts.to_text(doc))}
    found = prompts.process_results(doc, [text.strip() for text in responses], TOLD.to_json(), hashes, inputs)
    logged = {"doc_id": 0, "target": prompts.to_target(doc), "filtered_resps": responses, "input": prompts.to_text(doc)}
    whole = {**logged, "doc_hash": hash_of_row(doc, TOLD.content_hash), **found}
    return json.loads(json.dumps(whole)), next(iter(found))


@pytest.mark.parametrize("kind", ROWS)
@given(responses=st.lists(SAID, min_size=1, max_size=3))
def test_what_a_run_wrote_has_no_fault(kind: str, responses: list[str]) -> None:
    found, headline = sample(ROWS[kind], responses)
    assert list(faults(found, found[headline], replace(TOLD, repeats=len(responses)))) == []


@pytest.mark.parametrize(("said", "repeats"), [(["no", "no", "no"], 1), (["no"], 3), (["no", "no"], 3)])
def test_a_right_answer_that_was_given_more_often_than_it_was_asked_for_is_found(said: list[str], repeats: int) -> None:
    found, headline = sample(ROWS["yes_no"], said)
    [fault] = faults(found, found[headline], replace(TOLD, repeats=repeats))
    assert fault == f"expected {repeats} responses, got {len(said)}"


@pytest.mark.parametrize("kind", ["yes_no", "multiple_choice"])
@pytest.mark.parametrize(
    "values",
    [
        {"response": "yes"},
        {"prediction": "A"},
        {"failure": "refused"},
        {"cut_off": True},
        {"score": 0.5},
        {"answer": "A"},
    ],
    ids=str,
)
def test_what_was_changed_is_found(kind: str, values: dict[str, Any]) -> None:
    found, headline = sample(ROWS[kind], ["B" if kind == "multiple_choice" else "no"])
    found[headline] |= values
    assert list(faults(found, found[headline], TOLD))


@pytest.mark.parametrize(
    "logged", [None, {}, "x", ["x"], [None], [{}, None], [{"output_tokens": "9"}], [{"output_tokens": [1]}]]
)
def test_token_counts_that_are_none_are_not_compared(logged: object) -> None:
    found, headline = sample(ROWS["yes_no"], ["no"])
    found["token_counts"] = logged
    assert list(faults(found, found[headline], TOLD)) == []


def test_other_token_counts_than_lmms_eval_logged_are_found() -> None:
    found, headline = sample(ROWS["yes_no"], ["no"])
    found["token_counts"] = [{"output_tokens": 7}]
    assert list(faults(found, found[headline], TOLD)) == ["expected [7] tokens as logged by lmms-eval, got [0]"]


@pytest.mark.parametrize(("limit", "cut_off"), [(8, True), (9, False), ("8", False)])
def test_a_response_is_truncated_that_has_as_many_tokens_as_the_run_allowed(limit: object, cut_off: bool) -> None:
    found, headline = sample(ROWS["yes_no"], ["no"])
    asked = replace(TOLD, generation={"max_new_tokens": limit})
    for said in (True, False):
        found[headline] |= {"tokens": 8, "cut_off": said}
        wrong = [f"its cut_off is {said}, but its response is parsed as {cut_off}"] if said != cut_off else []
        assert list(faults(found, found[headline], asked)) == wrong


def test_a_prompt_that_was_changed_is_found() -> None:
    found, headline = sample(ROWS["yes_no"], ["no"])
    found["input"] = "Say yes.\n" + found["input"]
    assert list(faults(found, found[headline], TOLD)) == ["its input differs from the logged prompt hash"]


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("form", ["simple", "chat"])
def test_what_lmms_eval_logged_beside_the_answer_is_looked_at(kind: str, form: str) -> None:
    found, headline = sample(ROWS[kind], ["B" if kind == "multiple_choice" else "no"])
    told = replace(TOLD, prompt_form=form)
    edits = [("input", "Say yes."), ("target", "x"), ("filtered_resps", ["yes"]), ("resps", [["no"], "x"])]
    for name, value in [*edits, ("doc_hash", "0" * 64)]:
        assert list(faults({**found, name: value}, found[headline], told)), name
    for name in ("doc_id", "target", "input", "doc_hash", "filtered_resps", "failed"):
        gone = {key: value for key, value in found.items() if key != name}
        assert next(faults(gone, found[headline], told)).startswith("expected the "), name
    assert list(faults(found, {**found[headline], "input": "0"}, told))


def test_who_read_the_answers_is_named_where_it_was_another_version() -> None:
    found, headline = sample(ROWS["yes_no"], ["no"])
    found[headline]["prediction"] = "yes"
    [first, *_] = faults(found, found[headline], replace(TOLD, vhbench="0.0.9"))
    assert first == "its prediction is 'yes', but its response is parsed as 'no' (written by vhbench 0.0.9)"


def test_samples_that_say_nothing_of_where_they_come_from_are_taken_as_they_are() -> None:
    check = SamplesCheck(Path("1_samples_ode.jsonl"))
    check.see({}, {"id": "q", "response": "yes", "prediction": "no"}, "line 1")
    assert (check.provenance, check.missing, list(check.notes())) == (None, 0, [])


def test_responses_belong_to_the_split_of_their_content_hash_if_it_is_known() -> None:
    split: Any = SimpleNamespace(benchmark="ode", version="2.0.0", content_hash="d" * 64)
    for origin in (None, replace(TOLD, benchmark="mioh"), replace(TOLD, content_hash="d" * 64)):
        check_same_split(origin, Path("split"), split)
    with pytest.raises(VhbenchError, match=r"2\.0\.0 with content hash d{12}….*another split, ode 1\.0\.0 with c{12}…"):
        check_same_split(TOLD, Path("split"), split)
