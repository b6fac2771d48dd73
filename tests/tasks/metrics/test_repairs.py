"""The repaired defaults beside what the references do: worked by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vhbench.schema import Record, VhbenchError
from vhbench.tasks.metrics import amber, chair, multiple_choice, symmetric_accuracy, yes_no
from vhbench.tasks.metrics.measuring import measure

COCO = (
    "bus, minibus\ntie, bow tie\ndog, collie, doggie\ncake,  cheesecake\ncell phone, iPhone\n"
    "oven, stove, stove top oven"
)


def nodes(caption: str, *, compat: bool = False) -> list[str]:
    return [found.node for found in chair.vocabulary_of(COCO, compat=compat).find(caption)]


@pytest.mark.parametrize(
    ("caption", "default", "reference"),
    [
        ("a bus and two buses", ["bus", "bus"], ["bus"]),
        ("ties and a bow-tie", ["tie", "tie"], []),
        ("collies, doggies", ["dog", "dog"], []),
        ("a cheesecake", ["cake"], []),
        ("An iPhone.", ["cell phone"], []),
        ("the stove top oven", ["oven"], ["oven", "oven"]),
        ('the dog." He', ["dog"], []),
        ("dog/bus", ["dog", "bus"], []),
        ("a hot dog; a hotdog; dogged", [], []),
        ("The dog’s bow tie…", ["dog", "tie"], ["dog"]),
    ],
)
def test_chair_words(caption: str, default: list[str], reference: list[str]) -> None:
    assert nodes(caption) == default
    assert nodes(caption, compat=True) == reference


def test_spans_hold_where_lower_case_is_longer() -> None:
    text = "İİİ a Dog"
    (found,) = chair.vocabulary_of({"dog": ()}).find(text)
    assert text[found.start : found.end] == "Dog"


def test_chair_without_mentions() -> None:
    rows, gold = [{"image_id": 1, "caption": "nothing"}], {1: ["dog"]}
    result = chair.score(rows, gold, synonyms=COCO)
    assert (result["CHAIR_i"], result["CHAIR_s"], result["recall"]) == (None, 0.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        chair.score(rows, gold, synonyms=COCO, compat=True)
    empty = chair.score([], {}, synonyms=COCO)
    assert (empty["CHAIR_i"], empty["CHAIR_s"], empty["recall"]) == (None, None, None)


def test_gold_from_coco() -> None:
    instances = {
        "images": [{"id": 1}, {"id": 2}],
        "categories": [{"id": 7, "name": "dog"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 7}],
    }
    captions = {"annotations": [{"image_id": 2, "caption": "A bus."}]}
    assert chair.gold_from_coco(instances, captions, synonyms=COCO) == {"1": {"dog"}, "2": {"bus"}}
    instances["annotations"][0]["category_id"] = 8
    with pytest.raises(VhbenchError, match="annotation 1: expected a category of the file, got 8"):
        chair.gold_from_coco(instances, synonyms=COCO)


def test_a_coco_file_of_the_size_of_val2014_is_read_without_its_polygons(tmp_path: Path) -> None:
    polygon = "[" + ",".join(["123.45"] * 12_000_000) + "]"  # twice: as many numbers as 290,000 annotations have
    dog = f'{{"segmentation": [{polygon}, {polygon}], "image_id": 1, "bbox": [0, 0, 9, 9], "category_id": 7, "id": 3}}'
    head = '"images": [{"id": 1, "width": 640}], "categories": [{"id": 7, "name": "dog"}]'
    (tmp_path / "instances.json").write_text(f'{{"info": {{}}, {head}, "annotations": [{dog}]}}')
    assert chair.gold_from_coco(tmp_path / "instances.json", synonyms=COCO) == {"1": {"dog"}}
    (tmp_path / "instances.json").write_text('{"images": [], "annotations": {"1": "dog"}, "categories": []}')
    with pytest.raises(VhbenchError, match=r"instances\.json: not a COCO JSON: Expected `array`, got `object`"):
        chair.gold_from_coco(tmp_path / "instances.json", synonyms=COCO)


def test_bad_captions_are_named() -> None:
    with pytest.raises(VhbenchError, match="image '3': expected gold objects for its caption"):
        chair.score([{"image_id": 3, "caption": ""}], {1: []}, synonyms=COCO)
    with pytest.raises(VhbenchError, match="caption 0 \\(image 3\\): expected text, got nan"):
        chair.score([{"image_id": 3, "caption": float("nan")}], {3: []}, synonyms=COCO)
    with pytest.raises(VhbenchError, match="'dog' names two objects"):
        chair.vocabulary_of({"dog": (), "cat": ("dog",)})


def amber_score(text: str, *, compat: bool = False) -> dict[str, object]:
    annotation = {"id": 1, "type": "generative", "truth": ["person", "child", "child"], "hallu": ["boy", "dog"]}
    relation = {"person": ["man"], "child": ["person", "kid"], "boy": ["person"], "dog": ["puppy"], "cat": []}
    near = {("cat", "dog"), ("puppy", "kid"), ("dog", "child")}
    result = amber.score(
        [{"id": 1, "response": text}],
        annotations=[annotation],
        relation=relation,
        nouns=str.split,
        similarity=lambda a, b: float((a, b) in near),
        evaluation_type="g",
        compat=compat,
    )
    row = result["responses"][0]
    return {name: row[name] for name in ("nouns", "hallucinated", "covered", "likely")}


def test_amber_matching() -> None:
    # The reference: "person" stands for the child, by the first association; by default for itself.
    assert amber_score("person", compat=True)["covered"] == ["child"]
    assert amber_score("person")["covered"] == ["person"]
    # Upper case is lost to the reference.
    assert amber_score("Person", compat=True)["nouns"] == []
    assert amber_score("Person")["covered"] == ["person"]
    # A listed hallucination that is similar to something present is absolved by the reference only.
    assert amber_score("dog", compat=True) == {
        "nouns": ["dog"],
        "hallucinated": [],
        "covered": ["child"],
        "likely": ["dog"],
    }
    assert amber_score("dog") == {"nouns": ["dog"], "hallucinated": ["dog"], "covered": [], "likely": ["dog"]}
    # Similar to a listed one.
    assert amber_score("cat") == {"nouns": ["cat"], "hallucinated": ["cat"], "covered": [], "likely": ["dog"]}


def test_amber_safe_word_covers_the_object_it_names() -> None:
    """Of AMBER's 5,585 objects, 81 are on its own list of safe words, such as "sign" and "shoe"."""
    annotations = [
        {"id": 1, "type": "generative", "truth": ["sign", "sky"], "hallu": ["shoe"]},
        {"id": 2, "type": "generative", "truth": ["sky"], "hallu": ["light"]},
    ]
    rows = [{"id": 1, "response": "A sign, a shoe."}, {"id": 2, "response": "The sky, a sign, a light."}]
    how: dict[str, Any] = {"annotations": annotations, "relation": {}, "safe_words": ("sign", "shoe", "light")}
    result = amber.score(rows, **how, evaluation_type="g")
    assert [row["covered"] for row in result["responses"]] == [["sign"], ["sky"]]
    assert result["printed"]["Generative Task"] == {"CHAIR": 0.0, "Cover": 66.7, "Hal": 0.0, "Cog": 0.0}
    how["relation"] = {"sign": [], "shoe": [], "sky": [], "light": []}
    reference = amber.score(rows, **how, evaluation_type="g", compat=True)
    assert [row["covered"] for row in reference["responses"]] == [[], ["sky"]]


@pytest.mark.parametrize("number", [11, 20, 37, 101])
def test_no_digit_of_the_chance_level_depends_on_the_order_of_rows(number: int) -> None:
    rows = [
        {"id": str(n), "choices": [*"abcdefg"[: 2 + n * n % 6]], "answer": "A", "response": "A"} for n in range(number)
    ]
    by_length = sorted(rows, key=lambda row: len(row["choices"]))
    orders = [rows, rows[::-1], by_length, by_length[::-1]]
    assert len({multiple_choice.score(order)["chance"] for order in orders}) == 1


def test_amber_reports_a_degenerate_precision() -> None:
    rows = [{"id": i, "response": "No"} for i in range(3)]
    annotations = [{"id": i, "type": "discriminative-hallucination", "truth": "no"} for i in range(3)]
    result = amber.score(rows, annotations=annotations, relation={}, evaluation_type="de")
    assert "degenerate" in result["warnings"][0]
    with pytest.raises(VhbenchError, match="expected an evaluation type of a, g, d, de, da, dr"):
        amber.score(rows, annotations=annotations, relation={}, evaluation_type="x")
    with pytest.raises(VhbenchError, match="response '9' has no annotation"):
        amber.score([{"id": 9, "response": ""}], annotations=annotations, relation={})


def test_yes_no_arithmetic_of_the_references() -> None:
    answers, labels = ["Yes", "Yes", "what"], ["yes", "yes", "yes"]
    assert yes_no.score(answers, labels, positive="no")["precision"] is None
    with pytest.raises(ZeroDivisionError):
        yes_no.score(["No"], ["no"], positive="yes", parser="pope", compat=True)
    amber_like = yes_no.score(["No"], ["no"], positive="no", parser="amber", compat=True)
    assert (amber_like["accuracy"], amber_like["f1"]) == (99.9, 99.9)
    theirs = yes_no.score(["yes", "no"], ["yes", "yes"], positive="yes", parser="lmms_eval", compat=True)
    assert theirs["yes_rate"] == 1.0  # of the labels
    assert yes_no.score(["yes", "no"], ["yes", "yes"], positive="yes")["yes_rate"] == 0.5


def test_bad_answers_are_named() -> None:
    with pytest.raises(VhbenchError, match="unknown parser 'x', expected one of default, pope"):
        yes_no.score([], [], positive="yes", parser="x")
    with pytest.raises(VhbenchError, match="label 1: expected 'yes' or 'no', got 'maybe'"):
        yes_no.score(["a", "b"], ["yes", "maybe"], positive="yes")
    with pytest.raises(VhbenchError, match="expected one label per response, got 2 and 1"):
        yes_no.score(["a"], ["yes", "no"], positive="yes")
    with pytest.raises(VhbenchError, match="expected opposite answers to"):
        symmetric_accuracy.score(
            [
                {"id": "a", "pair_id": "p", "answer": "yes"},
                {"id": "b", "pair_id": "p", "answer": "yes", "negated": True},
            ]
        )
    with pytest.raises(VhbenchError, match="expected an answer of A, B; got 'C'"):
        multiple_choice.score([{"id": "a", "choices": ["x", "y"], "answer": "C"}])


def test_incomplete_pairs_are_left_out() -> None:
    rows = [
        {"id": "a", "pair_id": "p", "answer": "yes", "response": "Yes"},
        {"id": "b", "pair_id": "p", "answer": "no", "response": "No", "negated": True},
        {"id": "c", "pair_id": "p", "answer": "yes", "response": "No", "perturbation": "jpeg"},
        {"id": "d", "pair_id": "p", "answer": "no", "response": "No", "negated": True, "perturbation": "jpeg"},
        {"id": "e", "pair_id": "q", "answer": "no", "response": "No"},
    ]
    result = symmetric_accuracy.score(rows)
    assert (result["pairs"], result["incomplete_pairs"], result["new_successful"]) == (2, 1, 1)
    assert result["symmetric_accuracy"] == 0.5
    assert result["by_perturbation"]["jpeg"]["symmetric_accuracy"] == 0.0
    assert symmetric_accuracy.score([])["symmetric_accuracy"] is None


def test_the_paper_aggregates_pressures_then_tasks() -> None:
    # Counting: easy 1/2, NI (eight and ten images, one cell) 1/3 → 5/12; position: easy 1 → 1; together 17/24.
    cells = [("counting", "easy", "AB"), ("counting", "ni10", "AB"), ("counting", "ni8", "B")]
    cells += [("position", "easy", "A")]
    rows = [
        {
            "id": f"{task}{pressure}{said}",
            "task": task,
            "pressure": pressure,
            "choices": "xy",
            "answer": "A",
            "response": said,
        }
        for task, pressure, letters in cells
        for said in letters
    ]
    rows = [{**row, "choices": ["x", "y"]} for row in rows]
    rows.append({**rows[0], "id": "a point of the curve", "pressure": "ni2"})
    rows.append({"id": "left out", "task": "position", "pressure": "hp+hn", "choices": ["x", "y"], "answer": "A"})
    result = multiple_choice.score(rows)
    assert result["tasks"] == pytest.approx({"counting": 5 / 12, "position": 1.0})
    assert result["aggregate"] == pytest.approx(17 / 24)
    assert result["by"]["pressure_family"]["ni"]["n"] == 3
    assert result["unparsed"] == pytest.approx(1 / 8)
    assert multiple_choice.score([])["aggregate"] is None


ONE_CAPTION, ONE_GOLD = [{"image_id": 1, "caption": "a dog"}], {1: ["dog"]}


@pytest.mark.parametrize(
    ("captions", "gold", "synonyms", "message"),
    [
        (5, ONE_GOLD, COCO, "captions: expected rows .*; got 5"),
        (None, ONE_GOLD, COCO, "captions: expected rows .*; got None"),
        (b"a dog", ONE_GOLD, COCO, "captions: expected rows .*; got b'a dog'"),
        ([5], ONE_GOLD, COCO, "caption 0: expected a mapping"),
        ({"imgToEval": 5}, ONE_GOLD, COCO, "expected text, got 5"),
        (ONE_CAPTION, None, COCO, "gold objects: expected image id .*; got None"),
        (ONE_CAPTION, ["dog"], COCO, "gold objects: expected image id .*; got \\['dog'\\]"),
        (ONE_CAPTION, {1: "dog"}, COCO, "gold objects of image 1: expected a list of words, got 'dog'"),
        (ONE_CAPTION, {1: 5}, COCO, "gold objects of image 1: expected a list of words, got 5"),
        (ONE_CAPTION, {1: [5]}, COCO, "gold objects of image 1: 5 is not a word"),
        (ONE_CAPTION, ONE_GOLD, None, "synonyms: expected object .*; got None"),
        (ONE_CAPTION, ONE_GOLD, ["dog"], "synonyms: expected object .*; got \\['dog'\\]"),
        (ONE_CAPTION, ONE_GOLD, {"dog": 5}, "synonyms of 'dog': expected a list of words, got 5"),
        (ONE_CAPTION, ONE_GOLD, {"dog": "puppy"}, "synonyms of 'dog': expected a list of words, got 'puppy'"),
        (ONE_CAPTION, ONE_GOLD, {"dog": [None]}, "synonyms of 'dog': None is not a word"),
        (ONE_CAPTION, ONE_GOLD, {5: []}, "synonyms: expected an object name, got 5"),
        (ONE_CAPTION, ONE_GOLD, chair.vocabulary_of(COCO, compat=True), "built with compat=False, got compat=True"),
        ("no-such-file.json", ONE_GOLD, COCO, "cannot read no-such-file.json: No such file"),
    ],
)
def test_wrong_types_are_one_clear_line(captions: object, gold: object, synonyms: object, message: str) -> None:
    with pytest.raises(VhbenchError, match=message) as raised:
        chair.score(captions, gold, synonyms=synonyms)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"responses": 5}, "responses: expected rows .*; got 5"),
        ({"responses": None}, "responses: expected rows .*; got None"),
        ({"annotations": None}, "annotations: expected rows .*; got None"),
        ({"annotations": [{"id": 1, "truth": 5}]}, "annotation 1: truth: expected a list of words, got 5"),
        ({"annotations": [{"id": 1, "truth": ["dog", None]}]}, "annotation 1: truth: None is not a word"),
        ({"relation": None}, "relation: expected a mapping"),
        ({"relation": {"dog": 5}}, "relation of 'dog': expected a list of words, got 5"),
        ({"relation": {"dog": [5]}}, "relation of 'dog': 5 is not a word"),
        ({"safe_words": 5}, "safe words: expected a list of words, got 5"),
    ],
)
def test_amber_wrong_types_are_one_clear_line(change: dict[str, object], message: str) -> None:
    given: dict[str, object] = {
        "responses": [{"id": 1, "response": "a dog"}],
        "annotations": [{"id": 1, "truth": ["dog"]}],
        "relation": {"dog": []},
    }
    with pytest.raises(VhbenchError, match=message):
        amber.score(**{**given, **change})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "metric",
    [
        lambda rows: yes_no.score_records(rows, positive="yes"),
        lambda rows: yes_no.score(rows, ["yes"], positive="yes"),
        symmetric_accuracy.score,
        multiple_choice.score,
    ],
)
@pytest.mark.parametrize("rows", [None, 5, [5], [None]])
def test_rows_of_the_wrong_type_are_one_clear_line(metric: Callable[[object], object], rows: object) -> None:
    with pytest.raises(VhbenchError):
        metric(rows)


def test_originals_are_what_is_not_negated_in_every_output() -> None:
    rows = [
        Record(
            f"{case}/blur{'/n' if negated else ''}", benchmark="vhexpansion", kind="yes_no", source="ode",
            pair_id=f"{case}/blur", perturbation="blur", negated=negated, scene_ids=(case,),
            answer="no" if negated else "yes", prediction="yes" if case == "a" else "no",
        )
        for case in "ab"
        for negated in (False, True)
    ]  # fmt: skip
    assert symmetric_accuracy.score(rows)["original_accuracy"] == 0.5, "of one is said yes, of the other no"
    assert measure(rows, "pairs").scores["original_accuracy"].value == 50
    assert symmetric_accuracy.score(rows)["new_successful"] == 2, "on a perturbed image each question is new"
