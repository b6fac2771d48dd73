"""The loop of the paper, end to end: cases in, a split with their four forms out."""

import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image
from toy_build import ToyBuild
from typer.testing import CliRunner

from vhbench import audit, splits
from vhbench.adapters.attack_config import AttackConfig
from vhbench.benchmarks import task
from vhbench.builds import sharding, vhexpansion_attack
from vhbench.builds.row_ids import RowNames
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.builds.vhexpansion_sheet import draw_sheet
from vhbench.builds.vhexpansion_sources import form_of
from vhbench.cli import app
from vhbench.columns import RECORD
from vhbench.generators.vhexpansion.expansion import clean_pair, decode, may_change
from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS
from vhbench.records import answered
from vhbench.schema import Question, Rejection, Row, VhbenchError
from vhbench.seeding import rng
from vhbench.tasks import aggregate, datasets, report

NAMES = tuple(PERTURBATIONS)
named = RowNames(0, "vhexpansion").of


def picture(number: int, *, mode: str = "RGB", size: tuple[int, int] = (40, 30)) -> Image.Image:
    pixels = rng(number, "picture").integers(0, 256, (size[1], size[0], 4), dtype=np.uint8)
    return Image.fromarray(pixels, "RGBA").convert(mode)


def row(number: int, image: str, question: str, answer: str = "yes", **more: Any) -> dict[str, Any]:
    return {"id": f"q{number}", "image": image, "question": question, "answer": answer, **more}


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., Path]:
    """Writes images and a table of questions about them; gives the table."""
    for number, mode in enumerate(["RGB", "L", "RGBA", "P"]):
        picture(number, mode=mode).save(tmp_path / f"{number}.png")
    picture(9, size=(1, 1)).save(tmp_path / "dot.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")

    def write(*rows: dict[str, Any]) -> Path:
        file = tmp_path / "cases.jsonl"
        file.write_text("\n".join(map(json.dumps, rows)))
        return file

    return write


CASES = (
    row(0, "0.png", "Is there a dog in the image?"),
    row(1, "0.png", "Is the door open?", "no"),
    row(2, "1.png", "Is there a cat in the image?"),
    row(3, "2.png", "Does the man hold a cup?", "no"),
    row(4, "3.png", "Are there two birds?"),
)


def build(out: Path, workers: int = 1, **options: Any) -> Path:
    made = VHExpansionBuild(**{"name": "mine", **options})
    made.check()
    sharding.run(made, out, workers=workers, progress=False)
    return out / "vhexpansion"


def test_each_case_has_its_four_forms(source: Callable[..., Path], tmp_path: Path) -> None:
    split = build(tmp_path / "out", source=f"table:{source(*CASES)}")
    rows: dict[str, Row] = {r.question.id: r for r in splits.read_rows(split)}
    assert len(rows) == 5 * 2 * (1 + len(NAMES))
    for case in CASES:
        name, answer = case["id"], case["answer"]
        clean = rows[named(name)].question
        for form in ["", *NAMES]:
            key = f"{name}/{form}" if form else name
            row, other = rows[named(key)], rows[named(f"{key}/negated")]
            asked, twin = row.question, other.question
            assert row.config == other.config == f"vhexpansion_mine{'_' * bool(form)}{form}"
            assert asked.pair_id == twin.pair_id == (f"{named(name)}/{form}" if form else named(name))
            assert (asked.answer, twin.answer) == (answer, {"yes": "no", "no": "yes"}[answer])
            assert asked.question == case["question"] != twin.question
            assert (asked.negated, twin.negated) == (False, True)
            assert asked.images == twin.images
            assert (asked.images == clean.images) == (not form)
            assert asked.perturbation == twin.perturbation == form
            assert not form or clean_pair(asked.pair_id) == clean.pair_id
    assert list(splits.verify(split)) == []


def test_perturbed_images_have_their_originals_size_and_alpha(source: Callable[..., Path], tmp_path: Path) -> None:
    split = build(tmp_path / "out", source=f"table:{source(*CASES)}", perturb=("defocus_blur",))
    images = {q.id: decode(q.images[0]) for q in splits.read_questions(split) if not q.negated}
    assert [images[named(f"q{i}")].shape for i in (0, 2, 3)] == [(30, 40, 3), (30, 40), (30, 40, 4)]
    for i in range(5):
        assert images[named(f"q{i}")].shape == images[named(f"q{i}/defocus_blur")].shape
    clear, blurred = ([images[named(f"q{i}{form}")] for i in (0, 3)] for form in ("", "/defocus_blur"))
    assert np.array_equal(clear[1][..., 3], blurred[1][..., 3])
    assert np.array_equal(PERTURBATIONS["defocus_blur"](clear[0], rng(0)), blurred[0])


def test_a_blur_is_the_papers_and_grows_with_the_image_on_request(source: Callable[..., Path], tmp_path: Path) -> None:
    picture(5, size=(1100, 1024)).save(tmp_path / "large.png")
    table = f"table:{source(row(0, 'large.png', 'Is there a dog?'))}"
    blur, pixels = PERTURBATIONS["defocus_blur"], decode((tmp_path / "large.png").read_bytes())
    for scaled, radius in ((True, 10), (False, 5)):
        split = build(tmp_path / f"{scaled}", source=table, perturb=("defocus_blur",), scale_severity=scaled)
        assert splits.read_manifest(split).config["scale_severity"] is scaled
        (asked,) = [q for q in splits.read_questions(split) if q.perturbation and not q.negated]
        assert np.array_equal(decode(asked.images[0]), blur(pixels, rng(0), radius=radius))


def test_severities_are_perturbations_of_their_own(source: Callable[..., Path], tmp_path: Path) -> None:
    table = f"table:{source(*CASES[:1])}"
    split = build(tmp_path / "out", source=table, perturb=("jpeg_compression:2-4", "brightness"))
    asked = [q.perturbation for q in splits.read_questions(split) if not q.negated]
    assert sorted(asked) == ["", "brightness", *(f"jpeg_compression_{level}" for level in (2, 3, 4))]
    assert splits.verify(split) == []
    with pytest.raises(
        VhbenchError, match=r"expected jpeg_compression:1-5 or a part of it, .*, got jpeg_compression:0"
    ):
        VHExpansionBuild(source=table, perturb=("jpeg_compression:0",)).check()


def test_a_photo_that_exif_turns_is_upright_in_all_its_forms(source: Callable[..., Path], tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[274] = 6
    picture(5).save(tmp_path / "turned.jpg", exif=exif)
    split = build(tmp_path / "out", source=f"table:{source(row(0, 'turned.jpg', 'Is there a dog?'))}")
    assert {decode(q.images[0]).shape for q in splits.read_questions(split)} == {(40, 30, 3)}
    assert not any(dict(Image.open(io.BytesIO(q.images[0])).getexif()) for q in splits.read_questions(split))
    assert splits.verify(split) == []


def test_the_seed_decides_and_workers_and_order_do_not(source: Callable[..., Path], tmp_path: Path) -> None:
    def content(name: str, **options: Any) -> str:
        return splits.read_manifest(build(tmp_path / name, **options)).content_hash

    for number in range(4, 70):  # three shards
        picture(number).save(tmp_path / f"{number}.png")
    many = [row(n, f"{n}.png", "Is there a dog?") for n in range(70)]
    forward = f"table:{source(*many)}"
    first = content("a", source=forward, perturb=("gaussian_noise",))
    assert content("b", source=forward, perturb=("gaussian_noise",), workers=2) == first
    assert content("c", source=forward, perturb=("gaussian_noise",), seed=1) != first
    assert content("d", source=f"table:{source(*reversed(many))}", perturb=("gaussian_noise",)) == first


def test_unusable_images_and_questions_are_left_out_with_a_reason(source: Callable[..., Path], tmp_path: Path) -> None:
    bad = [
        row(10, "dot.png", "Is there a dog?"),
        row(11, "broken.png", "Is there a dog?"),
        row(12, "0.png", "How many dogs are there?"),
    ]
    split = build(tmp_path / "out", source=f"table:{source(*CASES, *bad)}", perturb=())
    assert {r.item: r.reason for r in splits.read_rejections(split)} == {
        "q10": "image_too_small",
        "q11": "unreadable_image",
        "q12": "cannot_negate",
    }
    assert len(list(splits.read_questions(split))) == 2 * len(CASES)


def test_brightness_leaves_out_what_it_may_make_untrue(source: Callable[..., Path], tmp_path: Path) -> None:
    table = source(row(0, "0.png", "Is the bird black?"), row(1, "0.png", "Is there an orange in the image?"))
    split = build(tmp_path / "out", source=f"table:{table}", perturb=("brightness",))
    assert [(r.item, r.reason) for r in splits.read_rejections(split)] == [
        ("q0/brightness", "perturbation_changes_answer")
    ]
    assert splits.read_manifest(split).rows["vhexpansion_mine_brightness"] == 2
    kept = build(tmp_path / "kept", source=f"table:{table}", perturb=("brightness",), keep_unsure=True)
    assert splits.read_manifest(kept).rows["vhexpansion_mine_brightness"] == 4


@pytest.mark.parametrize(
    ("question", "perturbations"),
    [
        ("Is the photo blurry?", ["gaussian_noise", "defocus_blur"]),
        ("Is the dog in focus?", ["gaussian_noise", "defocus_blur"]),
        ("Is the image grainy?", ["gaussian_noise"]),
        ("Is the face pixelated?", ["jpeg_compression"]),
    ],
)
def test_questions_about_the_perturbation_itself(question: str, perturbations: list[str]) -> None:
    papers = ("gaussian_noise", "brightness", "defocus_blur", "jpeg_compression")
    assert [name for name in papers if may_change(question, name)] == perturbations


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Is it sunset in the image?", "sunset"),
        ("Is the bird black?", "black"),
        ("Is it night in the image?", "night"),
        ("Is there an orange in the image?", ""),
        ("Is there an orange car in the image?", "orange"),
        ("Is there a dog in the image?", ""),
    ],
)
def test_words_whose_truth_depends_on_brightness(question: str, word: str) -> None:
    assert may_change(question, "brightness") == word
    assert may_change(question, "defocus_blur") == ""


def test_multiple_choice_becomes_a_yes_no_question_per_option(source: Callable[..., Path], tmp_path: Path) -> None:
    table = source(row(0, "0.png", "Is the door open or closed?", "(b)", options="(a) open (b) closed"))
    split = build(tmp_path / "out", source=f"table:{table}", perturb=())
    assert {q.id: (q.question, q.answer) for q in splits.read_questions(split)} == {
        named("q0-a"): ("Is the door open?", "no"),
        named("q0-a/negated"): ("Is it false that the door is open?", "yes"),
        named("q0-b"): ("Is the door closed?", "yes"),
        named("q0-b/negated"): ("Is it false that the door is closed?", "no"),
    }


def test_twins_of_the_source_are_used_if_they_are_negations(source: Callable[..., Path], tmp_path: Path) -> None:
    table = source(
        row(0, "0.png", "Is the dog big?", "yes", pair_id="a"),
        row(1, "0.png", "Is it not true that the dog is big?", "no", pair_id="a", negated="yes"),
        row(2, "0.png", "Is the cat big?", "yes", pair_id="b"),
        row(3, "0.png", "Is the dog not big?", "no", pair_id="b", negated="yes"),
    )
    split = build(tmp_path / "out", source=f"table:{table}", perturb=())
    asked = {q.id: q.question for q in splits.read_questions(split)}
    assert asked == {named("q0"): "Is the dog big?", named("q0/negated"): "Is it not true that the dog is big?"}
    assert [(r.item, r.reason) for r in splits.read_rejections(split)] == [("q2", "twin_is_no_negation")]


def test_what_is_not_certain_is_quoted_and_the_mode_tells(source: Callable[..., Path], tmp_path: Path) -> None:
    table = source(row(0, "0.png", "Is there a dog?"), row(1, "0.png", "Is the fan left on?", "no"))
    told = {}
    for wording in ("auto", "natural", "wrapped"):
        split = build(tmp_path / wording, source=f"table:{table}", perturb=(), negation=wording)
        told[wording] = {q.id: (q.mode, q.answer) for q in splits.read_questions(split)}
        assert splits.read_manifest(split).config["negation"] == wording
    assert told["auto"] == {
        named("q0"): ("natural", "yes"),
        named("q0/negated"): ("natural", "no"),
        named("q1"): ("wrapped", "no"),
        named("q1/negated"): ("wrapped", "yes"),
    }
    assert told["natural"] == {named("q0"): ("natural", "yes"), named("q0/negated"): ("natural", "no")}
    assert {mode for mode, _ in told["wrapped"].values()} == {"wrapped"}


def test_mmvp_gives_one_case_for_each_question_and_hallusionbench_counts_what_it_leaves_out(tmp_path: Path) -> None:
    folder = tmp_path / "MMVP"
    (folder / "MMVP Images").mkdir(parents=True)
    lines = ["Index,Question,Options,Correct Answer"]
    for number, right in ((1, "(a)"), (2, "(b)")):
        picture(number).save(folder / "MMVP Images" / f"{number}.jpg")
        lines.append(f"{number},Is the cat awake or asleep?,(a) Awake (b) Asleep,{right}")
    (folder / "Questions.csv").write_text("\n".join(lines))
    split = build(tmp_path / "a", source=f"mmvp:{folder}", perturb=(), name="")
    asked = {q.id: (q.question, q.answer) for q in splits.read_questions(split) if not q.negated}
    assert set(asked) == {named("1"), named("2")}
    assert len({text for text, _ in asked.values()}) == 1
    assert {answer for _, answer in asked.values()} == {"yes", "no"}

    told = {"category": "VD", "subcategory": "ring", "set_id": "0", "figure_id": "0", "question_id": "0"}
    shown = {**told, "visual_input": "1", "question": "Is the ring red?", "gt_answer": "1", "filename": "./0.png"}
    picture(0).save(tmp_path / "0.png")
    (tmp_path / "HallusionBench.json").write_text(json.dumps([shown, {**shown, "visual_input": "0", "set_id": "1"}]))
    split = build(tmp_path / "b", source=str(tmp_path / "HallusionBench.json"), perturb=(), name="")
    assert splits.read_manifest(split).rows == {"vhexpansion_hallusionbench": 2}
    assert splits.read_manifest(split).rejections == {"no_image": 1}


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([row(0, "0.png", "Is it red?", "perhaps")], {}, "row 1: field 'answer': expected yes or no"),
        ([row(0, "0.png", "Is it red?"), row(0, "1.png", "Is it red?")], {}, "id 'q0' occurs twice"),
        ([row(0, "0.png", "Is it not red?", negated="yes", pair_id="a")], {}, "twin 'q0' has no original"),
        (
            [
                row(0, "0.png", "Is it red?", pair_id="a"),
                row(1, "0.png", "Is it not red?", negated="yes", pair_id="a"),
            ],
            {},
            "twin 'q1': expected the image of its original 'q0' and the other answer",
        ),
        (list(CASES), {"perturb": ("fog",)}, "unknown perturbation 'fog', expected one of gaussian_noise"),
        (list(CASES), {"perturb": ("brightness", "brightness")}, "named twice"),
        (list(CASES), {"attack": ("ifgsm",)}, "--attack ifgsm needs --model NAME"),
        (list(CASES), {"severity": 7}, "--severity: expected 0 to 5"),
        (list(CASES), {"images": "/none"}, "--images /none: no such folder"),
        (list(CASES), {"failed": "/none.jsonl"}, "--failed: expected --attack as well"),
        (
            list(CASES),
            {"attack": ("ifgsm",), "model": ("x",), "failed": "/none.jsonl"},
            "--failed: expected lmms-eval samples or 'ask', got /none.jsonl",
        ),
        (list(CASES), {"rewriter": "gpt"}, "rewriter: expected rule"),
        (list(CASES), {"negation": "plain"}, "--negation: expected one of auto, natural, wrapped, llm"),
        (
            list(CASES),
            {"negation": "llm"},
            "--negation llm: expected --rewriter openai:MODEL@URL or transformers:NAME, got 'rule'",
        ),
        (list(CASES), {"source": "pope:/none"}, "--source pope:/none: no such file or folder; expected FORMAT:PATH"),
    ],
)
def test_bad_input_is_one_line(
    source: Callable[..., Path], rows: list[dict[str, Any]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(VhbenchError) as caught:
        VHExpansionBuild(**{"source": f"table:{source(*rows)}", **options}).check()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_source_is_a_path_unless_a_format_and_a_colon_begin_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mmvp", "a:b.csv", "b.csv"):
        Path(name).touch()
    assert form_of("mmvp") == ("table", Path("mmvp"))
    assert form_of("a:b.csv") == ("table", Path("a:b.csv"))
    assert form_of("mmvp:b.csv") == ("mmvp", Path("b.csv"))


def test_an_ode_split_is_expanded_without_its_captions(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    picture(0).save(buffer, "PNG")
    image = buffer.getvalue()
    common: dict[str, Any] = {"benchmark": "ode", "scene_ids": ("s",), "benchmark_version": "2.0.0"}
    asked = Question(
        "a/1", images=(image,), question="Is there a dog?", answer="yes", kind="yes_no", criterion="fictional", **common
    )
    caption = Question("a/2", images=(image,), question="Describe this image.", answer="", kind="caption", **common)
    rows = [Row("ode_x", asked), Row("ode_y", caption)]
    splits.write_split(tmp_path / "ode", iter(rows), benchmark="ode", version="2.0.0", seed=0, config={})
    split = build(tmp_path / "out", source=f"ode:{tmp_path / 'ode'}", name="", perturb=("brightness",))
    questions = list(splits.read_questions(split))
    assert Counter(q.source for q in questions) == {"ode": 4}
    assert {(q.id, q.criterion, q.scene_ids, q.benchmark_version) for q in questions if not q.perturbation} == {
        (named("a:1"), "fictional", ("s",), "2.0.0"),
        (named("a:1/negated"), "fictional", ("s",), "2.0.0"),
    }


def test_an_attack_follows_what_the_model_fails(
    source: Callable[..., Path], tmp_path: Path, tiny_vlm: Callable[[str], Path]
) -> None:
    samples = tmp_path / "x_samples_vhexpansion_mine.jsonl"
    answers = {"q0": "yes", "q1": "yes", "q2": "yes", "q3": ""}  # q1 and q3 are wrong, q4 was not asked
    gold = {case["id"]: case["answer"] for case in CASES}
    logged = [
        {"m": {"id": k, "kind": "yes_no", "response": v or "Hmm.", "prediction": v, "answer": gold[k]}}
        for k, v in answers.items()
    ]
    samples.write_text("\n".join(map(json.dumps, logged)))
    options = {
        "source": f"table:{source(*CASES)}",
        "perturb": (),
        "attack": ("ifgsm",),
        "model": (str(tiny_vlm("llava")),),
        "failed": str(samples),
        "steps": 3,
    }
    split = build(tmp_path / "out", **options)
    questions = {q.id: q for q in splits.read_questions(split, "vhexpansion_mine_ifgsm")}
    assert {q.id for q in questions.values() if not q.negated} == {named(f"q{i}/ifgsm") for i in range(4)}
    assert [(r.item, r.reason) for r in splits.read_rejections(split)] == [("q4/ifgsm", "no_answer_known")]
    # q0 and q1 share an image, and go opposite ways.
    attacked = [questions[named(f"q{i}/ifgsm")].images[0] for i in range(2)]
    assert attacked[0] != attacked[1]
    original = decode((tmp_path / "0.png").read_bytes()).astype(int)
    for image in attacked:
        assert 0 < np.abs(decode(image) - original).max() <= 8
    manifest = splits.read_manifest(split)
    assert manifest.config["attack"]["steps_apart"] == 3
    assert {"model", "failed", "images"} <= manifest.sources.keys()
    assert splits.read_manifest(build(tmp_path / "again", **options)).content_hash == manifest.content_hash


def test_the_model_is_asked_where_no_answers_are_given(
    source: Callable[..., Path], tmp_path: Path, tiny_vlm: Callable[[str], Path]
) -> None:
    model = (str(tiny_vlm("llava")),)
    table = f"table:{source(CASES[0])}"
    split = build(tmp_path / "out", source=table, perturb=(), attack=("pgd",), model=model, steps=1)
    assert splits.read_manifest(split).rows == {"vhexpansion_mine": 2, "vhexpansion_mine_pgd": 2}


def test_samples_without_original_questions_are_refused(tmp_path: Path) -> None:
    from vhbench.builds.vhexpansion_attack import _answers

    logged = {"m": {"id": "q/negated", "kind": "yes_no", "response": "No", "prediction": "no", "negated": True}}
    (tmp_path / "x_samples_y.jsonl").write_text(json.dumps(logged))
    with pytest.raises(VhbenchError, match=r"--failed .*: no answers to original yes/no questions"):
        _answers(str(tmp_path))


def test_the_attack_reads_answers_as_the_metric_does(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["I do not see a dog.", "Yes, there is."]
    model = SimpleNamespace(answer=lambda *_, suffix: [said.pop(0)])
    monkeypatch.setattr(vhexpansion_attack, "_load", lambda choice: model)
    told = {"question": "", "answer": "no", "kind": "yes_no", "benchmark": "vhexpansion"}
    questions = [Question(id=f"q{i}", images=(b"",), **told) for i in range(2)]
    asked = [SimpleNamespace(question=question) for question in questions]
    attack = vhexpansion_attack.Attack(
        settings=AttackConfig(method="pgd"), models=(vhexpansion_attack.ModelChoice(name="model"),), failed="ask"
    )
    assert vhexpansion_attack._first_answers(attack, cast(Any, asked))[0] == {"q0": False, "q1": True}


def test_the_command_builds_and_draws_a_sheet(source: Callable[..., Path], tmp_path: Path) -> None:
    arguments = ["build", "vhexpansion", "-o", str(tmp_path / "out"), "-s", f"table:{source(*CASES)}"]
    sheet = tmp_path / "sheet.png"
    result = CliRunner().invoke(app, [*arguments, "--perturb", "brightness", "--sheet", str(sheet)])
    assert result.exit_code == 0, result.output
    assert "vhexpansion_table 10, vhexpansion_table_brightness 10" in result.output
    with Image.open(sheet) as image:
        assert image.width == 2 * 266 + 10


def test_the_manifest_names_no_place_of_a_rewriter(source: Callable[..., Path], tmp_path: Path) -> None:
    def told(spec: str) -> object:
        return VHExpansionBuild(source=f"table:{source(*CASES)}", rewriter=spec).config["rewriter"]

    assert told("rule") == "rule"
    assert told("openai:org/model@http://secret:8000/v1") == "openai:org/model"
    assert told("transformers:org/model") == "transformers:org/model"
    assert told(f"transformers:{tmp_path}") == f"transformers:{tmp_path.name}"


def test_a_sheet_of_nothing(tmp_path: Path) -> None:
    asked = Question(
        "a",
        images=(b"x",),
        question="Is it?",
        answer="yes",
        kind="yes_no",
        benchmark="vhexpansion",
        benchmark_version="1.0.0",
    )
    splits.write_split(
        tmp_path / "s", iter([Row("c", asked)]), benchmark="vhexpansion", version="1.0.0", seed=0, config={}
    )
    with pytest.raises(VhbenchError, match="no case with its negated twin to draw"):
        draw_sheet(tmp_path / "s", tmp_path / "x.png")


def test_answers_of_an_expanded_split_are_found_anew(tmp_path: Path) -> None:
    sharding.run(ToyBuild(rows=2, shards=2), tmp_path / "toy", progress=False)
    split = build(tmp_path / "out", source=f"split:{tmp_path / 'toy/ode'}", perturb=("brightness",))
    assert set(splits.read_scenes(split)) == {"s0-0", "s0-1", "s1-0", "s1-1"}
    found = audit.audit(split)
    assert (found.right, found.faults, found.open.total()) == (4 * 2 * 2, [], 0)


def test_repaired_labels_replace_pope_s_and_both_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RePOPE corrects a label, and leaves out a question that has no clear answer."""
    picture(0).save(tmp_path / "a.png")
    asked = [
        {"question_id": n, "image": "a.png", "text": f"Is there a {word} in the image?", "label": label}
        for n, (word, label) in enumerate((("dog", "yes"), ("cat", "no"), ("bus", "no")), start=1)
    ]
    (tmp_path / "coco_pope_random.json").write_text("\n".join(map(json.dumps, asked)))
    repaired = [{**asked[0]}, {**asked[1], "label": "yes"}]
    (tmp_path / "coco_repope_random.json").write_text("\n".join(map(json.dumps, repaired)))
    source = f"pope:{tmp_path / 'coco_pope_random.json'}"
    how: dict[str, Any] = {"source": source, "images": str(tmp_path), "perturb": ("none",)}
    build = VHExpansionBuild(**how, labels=str(tmp_path / "coco_repope_random.json"))
    build.check()
    rows = [item.question for item in build.make(0) if isinstance(item, Row)]
    assert [(row.question_type, row.criterion, row.answer) for row in rows if not row.negated] == [
        ("random", "", "yes"), ("random", "relabelled", "yes"),
    ]  # fmt: skip
    assert [(item.item, item.reason) for item in build.make(0) if isinstance(item, Rejection)] == [
        ("random-3", "label_withdrawn")
    ]
    # A model that agrees with the published labels alone.
    columns = [{name: getattr(row, name) for name in RECORD} for row in rows]
    said = [answered(one, "no" if ("dog" in one["question"]) == one["negated"] else "yes") for one in columns]
    expected = [one.answer == one.prediction for one in said]
    found = report.grid(said, task("vhexpansion_pope"))
    assert found["overall"]["accuracy"] == 100 * sum(expected) / len(expected)
    published = [
        one.prediction == (one.answer if "dog" in one.question else {"yes": "no", "no": "yes"}[one.answer])
        for one in said
    ]
    labels = found["pairs"]["published_labels"]
    assert labels["accuracy"] == pytest.approx(sum(published) / len(published))
    # Its answers: yes, no to a dog and its twin, no, yes to a cat: both pairs as published.
    assert labels == {"accuracy": 1.0, "original_accuracy": 1.0, "symmetric_accuracy": 1.0, "relabelled": 1}
    split = tmp_path / "out" / "vhexpansion"
    sharding.run(build, tmp_path / "out", progress=False)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "out"))
    datasets.resolve.cache_clear()
    line = aggregate._published(found)
    datasets.resolve.cache_clear()
    assert line.startswith("1 labels corrected, 1 withdrawn; with the published labels: accuracy 100.0 %, ")
    log = tmp_path / "log.json"
    log.write_text(json.dumps([{"id": one.id, "response": one.response or one.prediction} for one in said]))
    told = CliRunner().invoke(app, ["score", str(log), "--questions", str(split)]).output
    assert "1 questions of the source were withdrawn" in told
    assert "with the published labels (1 corrected)" in told
    with pytest.raises(VhbenchError, match=r"--labels .*: expected with --source pope:PATH, got the format table"):
        VHExpansionBuild(**{**how, "source": f"table:{tmp_path / 'coco_pope_random.json'}"}, labels="x").check()


def test_labels_are_of_their_category_and_those_of_repope(tmp_path: Path) -> None:
    """A folder may also have POPE's own files, and a question may be in several categories."""
    picture(0).save(tmp_path / "a.png")
    cat, dog = (
        {"image": "a.png", "text": f"Is there a {name} in the image?", "label": "no"} for name in ("cat", "dog")
    )
    for category, left in (("random", [dog]), ("popular", [{**cat, "label": "yes"}, dog])):
        for name, rows in (("pope", [cat, dog]), ("repope", left)):
            lines = [json.dumps({"question_id": number, **row}) for number, row in enumerate(rows, start=1)]
            (tmp_path / f"coco_{name}_{category}.json").write_text("\n".join(lines))
    how: dict[str, Any] = {"images": str(tmp_path), "perturb": ("none",), "labels": str(tmp_path)}
    expected = {"random": [("no", "")], "popular": [("yes", "relabelled"), ("no", "")]}
    for category, labels in expected.items():
        made = VHExpansionBuild(source=f"pope:{tmp_path / f'coco_pope_{category}.json'}", **how)
        rows = [item.question for item in made.make(0) if isinstance(item, Row)]
        assert [(row.answer, row.criterion) for row in rows if not row.negated] == labels
        withdrawn = [item.reason for item in made.make(0) if isinstance(item, Rejection)]
        assert withdrawn.count("label_withdrawn") == 2 - len(labels)
