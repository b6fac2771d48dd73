"""AMBER as a benchmark of vhbench: what its files say is in the rows, and its own code's numbers come out."""

import json
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from PIL import Image

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.amber import AmberBuild
from vhbench.builds.chair import ChairBuild
from vhbench.builds.row_ids import RowNames
from vhbench.files import read_json
from vhbench.runs import Responses
from vhbench.schema import Question, Row, VhbenchError
from vhbench.tasks import static_captions
from vhbench.tasks.metrics import amber, amber_files

ANNOTATIONS = [
    {"id": 1, "type": "generative", "truth": ["sky", "dog", "dog"], "hallu": ["cat", "zebra"]},
    {"id": 2, "type": "generative", "truth": ["person"], "hallu": ["bird"]},
    {"id": 3, "type": "discriminative-attribute-state", "truth": "yes"},
    {"id": 4, "type": "discriminative-attribute-state", "truth": "no"},
    {"id": 5, "type": "discriminative-hallucination", "truth": "no"},
    {"id": 6, "type": "discriminative-relation", "truth": "yes"},
    {"id": 7, "type": "relation", "truth": "no"},
]
IMAGES = (1, 2, 1, 1, 2, 1, 2)


def source(folder: Path, annotations: list[dict[str, Any]], images: Any, relation: Any = None) -> Path:
    """Write AMBER's files, and a picture for each of its images."""
    (folder / "query").mkdir(parents=True)
    rows = [
        {"id": row["id"], "image": f"AMBER_{image}.jpg", "query": "Describe this image."}
        for row, image in zip(annotations, images, strict=True)
    ]
    relation = {"sky": [], "dog": ["puppy"], "cat": [], "person": ["man"], "bird": []} if relation is None else relation
    for name, content in {"annotations": annotations, "relation": relation, "query/query_all": rows}.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    (folder / "safe_words.txt").write_text("orange\nlight\n")
    for image in set(images):
        Image.new("RGB", (8, 8), (image % 256, image // 256, 90)).save(folder / f"AMBER_{image}.jpg")
    return folder


def build(folder: Path, out: Path, **how: Any) -> Path:
    sharding.run(AmberBuild(source=str(folder), images=str(folder), **how), out, progress=False)
    return out / "amber"


def test_the_rows_are_what_the_files_say(tmp_path: Path) -> None:
    split = build(source(tmp_path / "data", ANNOTATIONS, IMAGES), tmp_path / "out")
    manifest = splits.read_manifest(split)
    assert manifest.rows == {"amber_discriminative": 5, "amber_generative": 2}
    # in no relation, but likely: counted by the default alone
    assert manifest.config["vocabulary"].keys() - manifest.config["relation"].keys() == {"zebra"}
    rows = {row.id: row for config in manifest.rows for row in splits.read_questions(split, config)}
    named = RowNames(0, "amber").of
    first = rows[named("1")]
    assert (first.objects, first.candidates, first.neutral) == (
        ("sky", "dog", "dog"),
        ("cat", "zebra"),
        ("orange", "light"),
    )
    assert (first.scene_ids, first.images) == (("AMBER_1",), ((tmp_path / "data/AMBER_1.jpg").read_bytes(),))
    kinds = [
        (rows[named(str(n))].task, rows[named(str(n))].question_type, rows[named(str(n))].answer) for n in range(3, 8)
    ]
    assert kinds == [
        ("attribute", "state", "yes"), ("attribute", "state", "no"), ("existence", "existence", "no"),
        ("relation", "relation", "yes"), ("relation", "relation", "no"),
    ]  # fmt: skip


def test_a_part_needs_its_own_photos_alone(tmp_path: Path) -> None:
    folder = source(tmp_path / "data", ANNOTATIONS, IMAGES)
    (folder / "AMBER_2.jpg").unlink()
    split = build(folder, tmp_path / "out", limit=1)
    assert splits.read_manifest(split).rows == {"amber_discriminative": 3, "amber_generative": 1}
    assert {"zebra", "person", "bird"} <= splits.read_manifest(split).config["vocabulary"].keys()  # of all photos
    with pytest.raises(VhbenchError, match=r"--images .*: expected AMBER_2.jpg \(.*annotations.json, id 2\)"):
        AmberBuild(source=str(folder), images=str(folder), limit=2).check()


def test_a_wrong_file_is_named(tmp_path: Path) -> None:
    folder = source(tmp_path / "data", [ANNOTATIONS[0], {**ANNOTATIONS[2], "truth": "maybe"}], (1, 1))
    with pytest.raises(VhbenchError, match=r"annotations.json, id 3: expected truth yes or no, got 'maybe'"):
        AmberBuild(source=str(folder), images=str(folder)).check()
    (folder / "AMBER_1.jpg").unlink()
    with pytest.raises(VhbenchError, match=r"expected AMBER_1.jpg \(.*id 1\)"):
        AmberBuild(source=str(folder), images=str(folder)).check()


def similarity(name: str) -> Any:
    def crc(first: str, second: str) -> float:
        return 1.0 if first == second else crc32("|".join(sorted((first, second))).encode()) % 1000 / 1000

    return crc if name == "crc" else lambda first, second: float(first == second)


def test_responses_to_the_split_get_the_numbers_of_ambers_code(reference: Path, tmp_path: Path) -> None:
    """Its ids, files and arithmetic; the golden file's language tools."""
    cases = [case for case in read_json(reference / "golden" / "amber.json")["cases"] if unique(case["responses"])]
    wanted = {row["id"] for case in cases for row in case["responses"]}
    rows = [row for row in read_json(reference / "AMBER" / "annotations.json") if row["id"] in wanted]
    relation = read_json(reference / "AMBER" / "relation.json")
    data = source(tmp_path / "data", rows, [1 + place // 20 for place in range(len(rows))], relation)
    (data / "safe_words.txt").write_bytes((reference / "AMBER" / "safe_words.txt").read_bytes())
    split = build(data, tmp_path / "out")
    relation = splits.read_manifest(split).config["relation"]
    assert len(cases) > 10
    for case in cases:
        file = tmp_path / "responses.json"
        file.write_text(json.dumps(case["responses"]))
        result = amber.score_records(
            Responses(file, split, verbatim=True),
            relation=relation,
            nouns=str.split,
            similarity=similarity(case["sim"]),
            evaluation_type=case["evaluation_type"],
            compat=True,
        )
        assert result["printed"] == case["printed"], case["name"]
        assert result["counters"] == case["counters"], case["name"]


def unique(rows: list[dict[str, Any]]) -> bool:
    return 0 < len(rows) == len({row["id"] for row in rows})


def test_the_tasks_metrics_are_ambers(tmp_path: Path) -> None:
    """The counter of the tasks' metrics, and the function for AMBER's own files, count alike."""
    split = build(source(tmp_path / "data", ANNOTATIONS, IMAGES), tmp_path / "out")
    said = {
        "1": "<think>A zebra?</think>Dogs and an orange puppy near a zebra.", "2": "A man and a bird.", "5": "No.",
        "3": "Yes", "4": "Yes", "6": "No", "7": "no",
    }  # fmt: skip
    file = tmp_path / "responses.json"
    file.write_text(json.dumps(said))
    records = list(Responses(file, split, verbatim=True))
    count = amber.counter(splits.read_manifest(split).config["vocabulary"])
    found = amber.score_records(records, relation=splits.read_manifest(split).config["vocabulary"])
    sums = {name: sum(getattr(count(r), name) for r in records if r.kind == "caption") for name in (
        "mentions", "hallucinated", "hallucinating", "objects", "covered", "concepts", "candidates",
    )}  # fmt: skip
    # dogs, puppy, zebra; man, bird. An object listed twice counts once, likely hallucinations are hallucinated.
    assert [*sums.values()] == [5, 2, 2, 3, 2, 3, 2]
    names = ("chair_num", "chair_score", "safe_cover_num", "safe_cover_score", "hallu_cover_num", "hallu_cover_score")
    assert [found["counters"][name] for name in names] == [5, 2, 3, 2, 3, 2]
    assert found["printed"]["AMBER"]["Score"] == pytest.approx((100 - 40 + 100 * 4 / 6) / 2, abs=0.05)


@pytest.mark.parametrize(("kind", "sections"), [("caption", "Generative"), ("yes_no", "Descriminative Exsitence")])
def test_the_references_numbers_of_a_task_are_of_its_own_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, sections: str
) -> None:
    split = build(source(tmp_path / "data", ANNOTATIONS, IMAGES), tmp_path / "out")
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "out"))
    (tmp_path / "responses.json").write_text(json.dumps({str(n): "a dog" if n < 3 else "No" for n in range(1, 8)}))
    records = [row for row in Responses(tmp_path / "responses.json", split, verbatim=True) if row.kind == kind]
    printed = static_captions.amber_reference(records)["printed"]
    assert {name.partition(" ")[0] for name in printed} >= {*sections.split()}
    assert ("Generative Task" in printed) == (kind == "caption") != ("Exsitence" in printed)


@pytest.mark.parametrize(
    ("file", "content", "fault"),
    [
        ("annotations.json", [ANNOTATIONS[0], {"id": 2}], r"annotations.json, row 2 .*missing required field `type`"),
        ("annotations.json", [{"id": 1, "type": "generative", "truth": ["dog"]}], "id 1 .*required field `hallu`"),
        ("annotations.json", {"1": ANNOTATIONS[0]}, r"annotations.json is .*expected `array`, got `object`"),
        ("annotations.json", [{**ANNOTATIONS[0], "truth": "dog"}], "id 1: truth is 'dog': expected `array`, got `str`"),
        ("annotations.json", [{**ANNOTATIONS[0], "hallu": [3]}], "id 1: hallu.* expected `str`, got `int`"),
        ("annotations.json", [{"id": 1, "type": "relation"}], "id 1: expected truth yes or no, got None"),
        ("query/query_all.json", [{"id": 1, "query": "Is it?"}], r"query_all.json, row 1 .*required field `image`"),
        ("relation.json", [["dog", "puppy"]], r"relation.json is .*expected `object`, got `array`"),
        ("relation.json", {"dog": "puppy"}, r"relation.json.*expected `array`, got `str`"),
    ],
)
def test_files_of_another_shape_are_refused_in_one_line(tmp_path: Path, file: str, content: Any, fault: str) -> None:
    folder = source(tmp_path / "data", ANNOTATIONS, IMAGES)
    (folder / file).write_text(json.dumps(content))
    with pytest.raises(VhbenchError, match=fault) as raised:
        AmberBuild(source=str(folder), images=str(folder)).check()
    assert "\n" not in str(raised.value)


def test_safe_words_are_lines_as_in_ambers_code(tmp_path: Path) -> None:
    folder = source(tmp_path / "data", ANNOTATIONS, IMAGES)
    (folder / "safe_words.txt").write_text("traffic light\norange\n")
    split = build(folder, tmp_path / "out")
    rows = splits.read_questions(split, "amber_generative")
    assert {row.neutral for row in rows} == {("traffic light", "orange")}
    assert amber_files.read_safe_words(folder / "safe_words.txt") == ["traffic light", "orange"]


@pytest.mark.parametrize("made", [AmberBuild, ChairBuild])
def test_a_split_without_a_vocabulary_is_no_source(tmp_path: Path, made: Any) -> None:
    """As of MIOH, and of a hidden test set."""
    Image.new("RGB", (8, 8)).save(tmp_path / "photo.png")
    question = Question(
        "q", question="Is it?", answer="yes", kind="yes_no", benchmark="mioh", images=(tmp_path / "photo.png",)
    )
    rows = [Row("mioh_x", question)]
    splits.write_split(tmp_path / "mioh", rows, benchmark="mioh", version="1.0.0", seed=0, config={})
    with pytest.raises(
        VhbenchError, match=r"--source ode:.*: expected a split of ODE with its vocabulary, got mioh without one"
    ):
        made(source=f"ode:{tmp_path / 'mioh'}").check()
