"""The claims of captions as CHAIR and AMBER count them, and what is wrong with an input: whole lines."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import amber, chair, chair_captions
from vhbench.tasks.metrics.metric import Claims

WORDS = {"dog": ["puppy"], "cat": [], "sea": []}
SEEN = Record(
    "1", kind="caption", response="A puppy and a cat by the sea. A cat!", objects=("dog", "sea"), candidates=("cat",)
)
CLAIMS = {
    "mentions": 4, "hallucinated": 2, "captions": 1, "hallucinating": 1, "objects": 2, "covered": 2, "asked": 1,
    "given": 1, "named": 1, "words": 10,
}  # fmt: skip
NOTHING = Claims()._asdict() | {"objects": 2, "asked": 1}


def claims(module: Any, **options: Any) -> dict[str, int]:
    """Return the claims of the caption, with changed fields."""
    counted: Claims = module.counter(WORDS)(replace(SEEN, **options))
    return counted._asdict()


@pytest.mark.parametrize(("module", "listed"), [(chair, {}), (amber, {"concepts": 1, "candidates": 1})])
def test_the_claims_of_a_caption(module: Any, listed: dict[str, int]) -> None:
    assert claims(module) == Claims()._asdict() | CLAIMS | listed
    assert claims(module, failure="failed") == NOTHING | {"failed": 1}
    assert claims(module, failure="refused") == NOTHING | {"refused": 1}


def test_what_names_nothing_may_still_be_a_caption() -> None:
    given = {"given": 1, "captions": 1}
    assert claims(chair, response="A dark, empty room.") == NOTHING | given | {"words": 4}
    assert claims(chair, response="") == NOTHING | {"given": 1}


def test_what_a_judge_lists_is_counted_instead_of_the_caption() -> None:
    counted = claims(chair, prediction="dog")
    assert (counted["mentions"], counted["hallucinated"], counted["covered"], counted["words"]) == (1, 0, 1, 10)


@pytest.mark.parametrize(
    ("captions", "message"),
    [
        (b"{}", "captions: expected rows with 'image_id' and 'caption', or a file of them; got b'{}'"),
        (7, "captions: expected rows with 'image_id' and 'caption', or a file of them; got 7"),
        (["A dog."], "caption 0: expected a mapping with 'image_id' and 'caption'"),
        ([{"id": 0, "text": ""}, {"caption": "A dog."}], "caption 1: expected an 'image_id'"),
        ([{"image_id": 3, "captions": "A dog."}], "caption 0 (image 3): expected text, got None"),
    ],
)
def test_what_is_no_caption_is_named(captions: Any, message: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        chair_captions.read_captions(captions)
    assert str(raised.value) == message


def test_every_form_of_captions_is_read() -> None:
    row = {"image_id": 7, "id": 8, "caption": "A dog.", "text": "A cat.", "response": "A sea."}
    assert chair_captions.read_captions(row) == [("7", "A dog.")]
    assert chair_captions.read_captions({"id": 8, "text": "A cat.", "response": "A sea."}) == [("8", "A cat.")]
    assert chair_captions.read_captions([{"id": 8, "response": "A sea."}]) == [("8", "A sea.")]
    assert chair_captions.read_captions([{"id": 8, "caption": None}]) == [("8", "")]  # a failed request
    assert chair_captions.read_captions({"imgToEval": {"a": row}}) == [("7", "A dog.")]
    assert chair_captions.read_captions({"imgToEval": "A dog."}) == [("imgToEval", "A dog.")]


@pytest.mark.parametrize(
    ("read", "given", "message"),
    [
        (chair_captions.read_gold, [1], "gold objects: expected image id → list of object names, or a file of it; "
         "got [1]"),
        (chair_captions.read_synonyms, {1: []}, "synonyms: expected an object name, got 1"),
        (chair_captions.read_synonyms, 1, "synonyms: expected object → its other names, or CHAIR's synonyms.txt; "
         "got 1"),
        (chair_captions.read_synonyms, "\n \n", "synonyms    : expected at least one word"),
    ],
)  # fmt: skip
def test_what_is_no_truth_and_no_vocabulary_is_named(read: Any, given: Any, message: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        read(given)
    assert str(raised.value) == message


def test_synonyms_are_a_mapping_or_lines_of_text_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "synonyms.txt").write_text("dog, puppy\n\ncat\n")
    groups = (("dog", "puppy"), ("cat",))
    for given in ({"dog": ["puppy"], "cat": []}, "dog, puppy\n\n cat ", tmp_path / "synonyms.txt"):
        assert chair_captions.read_synonyms(given) == groups
    assert chair_captions.read_synonyms(str(tmp_path / "synonyms.txt")) == groups
    assert chair_captions.read_synonyms("dog, puppy") == groups[:1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"annotations": {}}, "COCO instances: expected a list 'annotations'"),
        ({"annotations": [{"image_id": 1}]}, "COCO instances, annotations, row 1: expected 'category_id', got "
         "{'image_id': 1}"),
        ({"categories": [{"id": 7, "name": "cow"}, {"id": 8, "name": "ant"}]}, "expected the vocabulary to have a "
         "category of the images, such as 'ant'"),
    ],
)  # fmt: skip
def test_what_is_no_coco_is_named(change: dict[str, Any], message: str) -> None:
    coco = {"categories": [{"id": 7, "name": "dog"}], "annotations": [{"image_id": 1, "category_id": 7}]}
    assert chair.gold_from_coco(coco, synonyms=WORDS) == {"1": {"dog"}}
    with pytest.raises(VhbenchError) as raised:
        chair.gold_from_coco(coco | change, synonyms=WORDS)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("task", "question_type", "kind"),
    [
        ("existence", "", "discriminative-hallucination"),
        ("attribute", "state", "discriminative-attribute-state"),
        ("number", "", "discriminative-attribute-number"),
        ("existence", "action", "discriminative-attribute-action"),
        ("relation", "", "relation"),
        ("else", "", "relation"),
    ],
)
def test_questions_as_annotations_of_ambers_kinds(task: str, question_type: str, kind: str) -> None:
    row = Record("q", kind="yes_no", question="Is it?", answer="No", task=task, question_type=question_type)
    assert amber._annotation(row) == {"id": "q", "type": kind, "truth": "no", "question": "Is it?"}


def test_captions_as_annotations_of_amber() -> None:
    assert amber._annotation(replace(SEEN, neutral=("car",))) == {
        "id": "1", "type": "generative", "truth": ("dog", "sea"), "hallu": ("cat",), "safe": ("car",),
    }  # fmt: skip
    with pytest.raises(VhbenchError) as raised:
        amber._annotation(replace(SEEN, kind="multiple_choice"))
    assert str(raised.value) == "question '1': expected the kind caption or yes_no for AMBER, got 'multiple_choice'"


def test_a_built_vocabulary_is_taken_as_it_is_if_it_matches_as_asked() -> None:
    ours, reference = chair.vocabulary_of(WORDS), chair.vocabulary_of(WORDS, compat=True)
    assert chair.vocabulary_of(ours) is ours
    assert chair.vocabulary_of(reference, compat=True) is reference
    for built, compat in ((ours, True), (reference, False)):
        message = f"^expected a vocabulary built with compat={compat}, got compat={not compat}$"
        with pytest.raises(VhbenchError, match=message):
            chair.vocabulary_of(built, compat=compat)
    assert type(ours) is not type(reference)
