"""A split without what people rejected: what goes with a question, and what the manifest and the card say of it."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.analysis.human_review import of_twins
from vhbench.analysis.reviewed_split import apply
from vhbench.cli import app
from vhbench.schema import Question, Row, Scene, VhbenchError


def png(number: int) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.random.default_rng(number).integers(0, 256, (16, 16, 3), np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def asked(name: str, picture: int, **columns: Any) -> Question:
    question = Question(
        name, images=(png(picture),), question="Is there a dog?", answer="yes", kind="yes_no", benchmark="mioh",
        scene_ids=(f"s{picture}",), question_type="E1", pressure="easy", pair_id=name,
    )  # fmt: skip
    return replace(question, **columns)


def write(folder: Path, benchmark: str, rows: list[Row], **extra: Any) -> Path:
    questions = [row.question for row in rows]
    used = sorted({(name, image) for q in questions for name, image in zip(q.scene_ids, q.images, strict=True)})
    scenes = [Scene(name, image, 16, 16, objects=()) for name, image in used]
    splits.write_split(
        folder / benchmark, rows, benchmark=benchmark, version="1.0.0", seed=3, config={}, scenes=scenes, extra=extra
    )
    return folder / benchmark


def verdict(split: Path, *rejected: str, twins: bool = False, **more: Any) -> Path:
    content_hash = splits.read_manifest(split).content_hash
    dropped = [{"id": key, "answer": "yes", "votes": ["no"] * 3, "why": "majority says no"} for key in rejected]
    told = {"hash": of_twins(content_hash) if twins else content_hash, "annotators": 3, "kept": ["a"], "kappa": 0.5,
            "agreement": 0.9, "dropped": dropped}  # fmt: skip
    path = split.parent / "verdict.json"
    path.write_text(json.dumps(told | more))
    return path


def left(split: Path) -> set[str]:
    return {q.id for q in splits.read_questions(split)}


def mioh(folder: Path, **extra: Any) -> Path:
    rows = [Row("mioh_easy", asked("a", 1)), Row("mioh_easy", asked("b", 2))]
    rows += [
        Row("mioh_hp", asked(f"{pair}-hp", place, pair_id=pair, pressure="hp")) for pair, place in (("a", 3), ("b", 2))
    ]
    return write(folder, "mioh", rows, **extra)


def test_an_easy_question_takes_its_pressed_twins_and_its_scenes_with_it(tmp_path: Path) -> None:
    split, new = mioh(tmp_path), tmp_path / "new" / "mioh"
    manifest = apply(split, verdict(split, "a"), new)
    assert left(new) == {"b", "b-hp"}
    assert set(splits.read_scenes(new)) == {"s2"}
    assert splits.verify(new) == []
    assert (manifest.version, manifest.seed) == ("1.0.0", 3)
    assert manifest.content_hash != splits.read_manifest(split).content_hash
    assert manifest.rejections == {"rejected by people": 1, "hangs on a question that people rejected": 1}
    review = manifest.extra["review"]
    assert review["of"] == splits.read_manifest(split).content_hash
    assert (review["rejected"], review["hanging_on_these"], review["kept"]) == (1, 1, 1)
    assert review["verdicts"] == {"a": {"answer": "yes", "votes": ["no"] * 3, "why": "majority says no"}}


def test_a_pressed_question_takes_its_easy_twin_with_it(tmp_path: Path) -> None:
    split = mioh(tmp_path)
    apply(split, verdict(split, "a-hp"), tmp_path / "new", version="2.0.0")
    assert left(tmp_path / "new") == {"b", "b-hp"}
    assert splits.verify(tmp_path / "new") == []
    assert splits.read_manifest(tmp_path / "new").version == "2.0.0"


def test_an_easy_question_that_uses_the_rejected_fact_takes_its_pressed_twins_with_it(tmp_path: Path) -> None:
    dog: dict[str, Any] = {"objects": ("dog",)}
    of_b, which = dog | {"pressure": "hp", "pair_id": "b"}, {"question_type": "E5"}
    rows = [Row("mioh_easy", asked("a", 1, **dog)), Row("mioh_easy", asked("b", 1, **dog, **which))]
    rows += [Row("mioh_hp", asked("b-hp", 2, **of_b, **which)), Row("mioh_hp", asked("b-e1", 2, **of_b))]
    rows += [Row("mioh_easy", asked("c", 2, **dog, pair_id="b"))]
    split = write(tmp_path, "mioh", rows, restricted_oracles={"E1/easy": {}})
    manifest = apply(split, verdict(split, "a"), tmp_path / "new")
    assert left(tmp_path / "new") == {"b-e1", "c"}  # of another question type
    assert splits.verify(tmp_path / "new") == []
    assert "restricted_oracles" not in manifest.extra  # of rows that are gone; the card has those of the new split


def test_a_judgment_is_about_a_fact_in_an_image_and_other_questions_about_the_image_are_listed(tmp_path: Path) -> None:
    cup = {"question": "Is there a red cup in any of the images?", "question_type": "A1", "objects": ("cup",)}
    which = cup | {"question": "Which image shows a red cup?", "choices": ("Image 1", "None of the above"),
                   "kind": "multiple_choice", "question_type": "A5", "answer": "A"}  # fmt: skip
    blue = cup | {"question": "Is there a blue cup in any of the images?"}
    rows = {"a": (1, cup), "same": (1, which), "elsewhere": (2, which), "blue": (1, blue)}
    split = write(tmp_path, "mioh", [Row("mioh_easy", asked(key, at, **more)) for key, (at, more) in rows.items()])
    manifest = apply(split, verdict(split, "a"), tmp_path / "new")
    assert left(tmp_path / "new") == {"elsewhere", "blue"}
    assert manifest.extra["review"]["sharing_images"] == ["blue"]


def test_a_rejected_relation_takes_with_it_what_the_same_comparison_decides(tmp_path: Path) -> None:
    texts = {
        "a": "Is there a cup to the left of a bowl in any of the images?",
        "converse": "Is there a bowl to the right of a cup in any of the images?",
        "mirrored": "Is there a bowl to the left of a cup in any of the images?",
        "behind": "Is there a cup behind a bowl in any of the images?",
    }
    rows = [asked(key, 1, question=text, question_type="P1", objects=("cup", "bowl")) for key, text in texts.items()]
    split = write(tmp_path, "mioh", [Row("mioh_easy", row) for row in rows])
    apply(split, verdict(split, "a"), tmp_path / "new")
    assert left(tmp_path / "new") == {"behind"}
    apply(split, verdict(split, "mirrored"), tmp_path / "turned")
    assert left(tmp_path / "turned") == {"behind"}


def test_cells_tell_what_is_not_there_any_more(tmp_path: Path) -> None:
    cells = {f"E1/{pressure}": {"asked": 2, "forms": {"one form": 2}, "wanted": 2} for pressure in ("easy", "hp")}
    cells["E1/hp"]["rejected"] = 1  # by an earlier review
    split = mioh(tmp_path, cells=cells)
    found = apply(split, verdict(split, "a-hp"), tmp_path / "new").extra["cells"]
    assert {name: cell.pop("rejected") for name, cell in found.items()} == {"E1/easy": 1, "E1/hp": 2}


def test_both_questions_about_a_thing_go_together(tmp_path: Path) -> None:
    def pair(place: int) -> list[Row]:
        name = f"s{place}/existence/dog"
        halves = [
            asked(f"{name}/{answer}", place, answer=answer, pair_id=name, pressure="") for answer in ("yes", "no")
        ]
        return [
            Row("ode_fictional_existence", replace(q, benchmark="ode", criterion="fictional", task="existence"))
            for q in halves
        ]

    split = write(tmp_path, "ode", [*pair(1), *pair(2)])
    apply(split, verdict(split, "s1/existence/dog/no"), tmp_path / "new")
    assert left(tmp_path / "new") == {"s2/existence/dog/yes", "s2/existence/dog/no"}
    assert splits.verify(tmp_path / "new") == []


def twins(case: str, perturbation: str, picture: int, words: str) -> list[Row]:
    name = "/".join(filter(None, (case, perturbation)))
    config = "_".join(filter(None, ("vhexpansion_pope", perturbation)))
    row = asked(
        name, picture, benchmark="vhexpansion", question=f"Is there {words}?", perturbation=perturbation, pressure=""
    )
    twin = replace(row, id=f"{name}/negated", negated=True, answer="no", question=f"Is there no {words}?")
    return [Row(config, row), Row(config, twin)]


def vhexpansion(folder: Path) -> Path:
    cases = (("q1", "dog"), ("q2", "cat"), ("q3", "dog"))
    rows = [
        row
        for i, (case, words) in enumerate(cases)
        for j, perturbation in enumerate(("", "brightness"))
        for row in twins(case, perturbation, 10 * i + j, words)
    ]
    return write(folder, "vhexpansion", rows)


def of(*names: str) -> set[str]:
    return {f"{name}{half}" for name in names for half in ("", "/negated")}


def test_a_clean_question_takes_its_twin_and_all_perturbed_forms_with_it(tmp_path: Path) -> None:
    split = vhexpansion(tmp_path)
    apply(split, verdict(split, "q1/negated"), tmp_path / "new")
    assert left(tmp_path / "new") == of("q2", "q2/brightness", "q3", "q3/brightness")
    assert splits.verify(tmp_path / "new") == []


def test_a_perturbed_question_takes_its_twin_with_it(tmp_path: Path) -> None:
    split = vhexpansion(tmp_path)
    apply(split, verdict(split, "q1/brightness"), tmp_path / "new")
    assert left(tmp_path / "new") == of("q1", "q2", "q2/brightness", "q3", "q3/brightness")


def test_words_that_are_no_twins_go_wherever_they_are_asked(tmp_path: Path) -> None:
    split = vhexpansion(tmp_path)
    apply(split, verdict(split, "q1/negated", twins=True), tmp_path / "new")
    assert left(tmp_path / "new") == of("q2", "q2/brightness")


def test_what_does_not_fit_is_one_line(tmp_path: Path) -> None:
    split = mioh(tmp_path)
    with pytest.raises(VhbenchError, match="rejected question 'x' is not in the split"):
        apply(split, verdict(split, "x"), tmp_path / "new")
    with pytest.raises(VhbenchError, match="is about a split with another content hash"):
        apply(split, verdict(split, "a", hash="0" * 64), tmp_path / "new")
    with pytest.raises(VhbenchError, match="expected a verdict, as vhbench review --judgments writes it"):
        apply(split, verdict(split, dropped=["a"]), tmp_path / "new")
    with pytest.raises(VhbenchError, match="is the split that was judged; name another folder"):
        apply(split, verdict(split, "a"), split)
    with pytest.raises(VhbenchError, match="the mioh split would have no rows"):
        apply(split, verdict(split, "a", "b"), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    hidden = mioh(tmp_path / "hidden", commitment="0" * 64)
    with pytest.raises(VhbenchError, match="is a hidden test set"):
        apply(hidden, verdict(hidden, "a"), tmp_path / "new")


def test_the_command_writes_a_card_that_tells(tmp_path: Path) -> None:
    split = mioh(tmp_path)
    command = ["review", str(split), "--apply", str(verdict(split, "a")), "--out", str(tmp_path / "new")]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert "2 of 4 questions; 1 rejected, 1 dependent on these" in done.output
    card = (tmp_path / "new" / "README.md").read_text(encoding="utf-8")
    assert "Reviewed by 3 annotators, who judged 2 questions" in card
    assert "90% of the judgments equal the reference answer; Fleiss' κ between the annotators is 0.50" in card
    together = "--apply: expected --out NEW, without --judgments"
    wrong = {together: (command[:4], [*command, "-j", "x"]), "x: expected a page": ([*command[:2], "--out", "x"],)}
    for message, calls in wrong.items():
        for call in calls:
            with pytest.raises(VhbenchError, match=message):
                CliRunner().invoke(app, call, catch_exceptions=False)
