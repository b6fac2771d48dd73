"""A split in which every hash fits and something else does not: one line per fault, and never a traceback."""

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.cli import app
from vhbench.files import file_sha256
from vhbench.schema import Question, Row
from vhbench.splits.stored_scenes import StoredScene

Change = Callable[[Question], Question]


@pytest.fixture(scope="module")
def ode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    levels = ("caption", "existence", "attribute", "relation")
    build = OdeBuild(pairs=2, size=64, criteria=("standard", "random"), levels=levels, seed=3)
    sharding.run(build, folder, progress=False)
    return folder / "ode"


@pytest.fixture(scope="module")
def vhexpansion(ode: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("expanded")
    sharding.run(VHExpansionBuild(source=f"ode:{ode}", perturb=("brightness",), limit=30), folder, progress=False)
    return folder / "vhexpansion"


def verify(split: Path) -> list[str]:
    """Return the lines that ``vhbench verify`` prints, or its errors, and assert that it ends as it should."""
    done = CliRunner().invoke(app, ["verify", str(split)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == (0 if f"OK  {split}: " in done.output else 1)
    lines = done.output.splitlines()
    if done.exit_code == 0:
        return lines
    errors = [line.removeprefix("ERROR ").removeprefix(f"{split}: ") for line in lines if line.startswith("ERROR ")]
    assert lines[len(errors) :] == ([f"FAILED: {len(errors):,} errors"] if len(errors) > 1 else [])
    return errors


def rewrite(
    split: Path,
    folder: Path,
    rows: Callable[[list[Row]], Iterable[Row]] = list,
    truths: Callable[[list[StoredScene]], Iterable[StoredScene]] = list,
) -> Path:
    """Write a split anew with other rows or scenes, and every hash as it should be."""
    manifest = splits.read_manifest(split)
    splits.write_split(
        folder, rows([*splits.read_rows(split)]), scenes=truths([*splits.read_truths(split)]),
        benchmark=manifest.benchmark, version=manifest.version, seed=manifest.seed, config=manifest.config,
    )  # fmt: skip
    return folder


def changed(rows: Iterable[Row], change: Change, only: Callable[[Question], bool] = lambda _: True) -> list[Row]:
    return [replace(row, question=change(row.question)) if only(row.question) else row for row in rows]


def test_what_is_honest_has_no_faults(ode: Path, vhexpansion: Path, tmp_path: Path) -> None:
    for split in (ode, vhexpansion, rewrite(ode, tmp_path / "ode"), rewrite(vhexpansion, tmp_path / "vhexpansion")):
        assert any("0 errors" in line for line in verify(split))


@pytest.mark.parametrize("told", [True, False])
def test_attacked_images_have_reports_and_no_faults(
    told: bool, ode: Path, tmp_path: Path, tiny_vlm: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report on an attacked image is stored as a scene; it does not ask for the others where the source told none."""
    monkeypatch.setenv("VHBENCH_CACHE", str(tmp_path / "cache"))
    source = rewrite(ode, tmp_path / "ode", truths=list if told else lambda _: [])
    build = VHExpansionBuild(
        source=f"ode:{source}", perturb=(), attack=("ifgsm",), model=(str(tiny_vlm("llava")),), steps=1, limit=4
    )
    sharding.run(build, tmp_path, progress=False)
    assert any(truth.id.endswith("/ifgsm") for truth in splits.read_truths(tmp_path / "vhexpansion"))
    assert any("0 errors" in line for line in verify(tmp_path / "vhexpansion"))


def rotated(rows: list[Row]) -> list[Row]:
    """Give each scene's questions the next scene's images."""
    images = {row.question.scene_ids: row.question.images for row in rows if not row.question.perturbation}
    names = sorted(images)
    following = dict(zip(names, [*names[1:], names[0]], strict=True))
    return changed(rows, lambda q: replace(q, images=images[following[q.scene_ids]]), only=lambda q: not q.perturbation)


@pytest.mark.parametrize("benchmark", ["ode", "vhexpansion"])
def test_images_of_other_scenes(benchmark: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    split = rewrite(request.getfixturevalue(benchmark), tmp_path / benchmark, rotated)
    row = next(row.question for row in splits.read_rows(split))
    faults = verify(split)
    assert f"row {row.id!r}: image 1 is not the image of scene {row.scene_ids[0]!r}" in faults
    assert len(faults) == sum(not question.perturbation for question in splits.read_questions(split))


@pytest.mark.parametrize("shown", ["clean", "other"])
def test_images_that_are_not_perturbed(shown: str, vhexpansion: Path, tmp_path: Path) -> None:
    def unperturbed(rows: list[Row]) -> list[Row]:
        clean = {row.question.scene_ids: row.question.images for row in rows if not row.question.perturbation}
        others = dict(zip(sorted(clean), sorted(clean)[1:] + sorted(clean)[:1], strict=True))
        return changed(
            rows,
            lambda q: replace(q, images=clean[q.scene_ids if shown == "clean" else others[q.scene_ids]]),
            only=lambda q: bool(q.perturbation),
        )

    faults = verify(rewrite(vhexpansion, tmp_path / "vhexpansion", unperturbed))
    assert len(faults) == sum(bool(question.perturbation) for question in splits.read_questions(vhexpansion))
    assert all("image 1 is not perturbed, but the image of a scene" in fault for fault in faults)


def test_numbers_of_rejections_that_the_file_does_not_have(vhexpansion: Path, tmp_path: Path) -> None:
    split = rewrite(vhexpansion, tmp_path / "vhexpansion")
    manifest = orjson.loads((split / "manifest.json").read_bytes())
    (split / "manifest.json").write_bytes(orjson.dumps({**manifest, "rejections": {"too_dark": 3}}))
    [fault] = verify(split)
    assert fault.endswith("rejections.jsonl: has other numbers of rejections than the manifest")


def test_scenes_without_the_hash_of_their_image(ode: Path, tmp_path: Path) -> None:
    def bare(truths: list[StoredScene]) -> list[StoredScene]:
        return [replace(truth, image_sha256="") for truth in truths]

    faults = verify(rewrite(ode, tmp_path / "ode", truths=bare))
    assert len(faults) == len([*splits.read_truths(ode)])
    assert all(fault.endswith("lacks the hash of its image") for fault in faults)


@pytest.mark.parametrize(
    ("benchmark", "column", "value", "only"),
    [
        ("ode", "criterion", "fictional", {"criterion": "standard"}),
        ("ode", "task", "attribute", {"task": "existence"}),
        ("vhexpansion", "perturbation", "fog", {"perturbation": "brightness"}),
        ("vhexpansion", "perturbation", "brightness", {"perturbation": ""}),
    ],
)
def test_columns_that_do_not_fit_their_config(
    benchmark: str, column: str, value: str, only: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def is_one(question: Question) -> bool:
        return all(getattr(question, name) == own for name, own in only.items())

    honest = request.getfixturevalue(benchmark)
    swapped = rewrite(
        honest, tmp_path / benchmark,
        lambda rows: changed(rows, lambda q: replace(q, **{column: value}), only=is_one),  # type: ignore[arg-type]
    )  # fmt: skip
    faults = [fault for fault in verify(swapped) if f"{column} is {value!r}, which is not of the config" in fault]
    assert len(faults) == sum(map(is_one, splits.read_questions(honest)))


def test_scenes_that_are_gone(ode: Path, tmp_path: Path) -> None:
    truths = sorted(splits.read_truths(ode), key=lambda truth: truth.id)
    faults = verify(rewrite(ode, tmp_path / "ode", truths=lambda _: truths[:1]))
    assert len(faults) == len(truths) - 1
    for truth, fault in zip(truths[1:], sorted(faults, key=lambda line: line.split("scene ")[1]), strict=True):
        assert f"scene {truth.id!r} is not in scenes.parquet, which has other scenes" in fault


def test_a_split_without_scenes_leaves_its_answers_open(ode: Path, tmp_path: Path) -> None:
    assert any(
        "not decidable from the scenes" in line for line in verify(rewrite(ode, tmp_path / "ode", truths=lambda _: []))
    )


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda q: {"objects": ("unicorn",)}, "objects names what the scene does not show: unicorn"),
        (lambda q: {"objects": q.objects[1:]}, "objects lacks what the scene shows: "),
        (lambda q: {"candidates": q.objects[:1]}, "candidates names what the scene shows: "),
        (lambda q: {"candidates": ("unicorn",)}, "candidates names what the scene does not know to be absent: unicorn"),
        (lambda q: {"neutral": (*q.neutral, q.candidates[0])}, "neutral names what the scene knows: "),
        (lambda q: {"neutral": ()}, "neutral lacks words of the vocabulary that the scene does not know: "),
    ],
)
def test_what_captions_are_scored_against(
    ode: Path, tmp_path: Path, change: Callable[[Question], dict[str, Any]], fault: str
) -> None:
    captions = [q for q in splits.read_questions(ode) if q.kind == "caption"]
    split = rewrite(
        ode,
        tmp_path / "ode",
        lambda rows: changed(rows, lambda q: replace(q, **change(q)), only=lambda q: q.kind == "caption"),
    )
    lines = verify(split)
    for question in captions:
        start = f"row {question.id!r}, scene {question.scene_ids[0]}: {fault}"
        assert any(line.startswith(start) for line in lines)


def test_a_twin_that_is_gone(vhexpansion: Path, tmp_path: Path) -> None:
    gone = min((q for q in splits.read_questions(vhexpansion) if q.negated), key=lambda q: q.id)
    split = rewrite(
        vhexpansion, tmp_path / "vhexpansion", lambda rows: [row for row in rows if row.question.id != gone.id]
    )
    pair = gone.pair_id
    config = "vhexpansion_ode_brightness" if pair.endswith("/brightness") else "vhexpansion_ode"
    assert verify(split) == [f"pair {pair!r} of {config}: expected one negated question, got 0"]


def test_no_twins_at_all(vhexpansion: Path, tmp_path: Path) -> None:
    split = rewrite(
        vhexpansion, tmp_path / "vhexpansion", lambda rows: [row for row in rows if not row.question.negated]
    )
    faults = verify(split)
    assert len(faults) == len([*splits.read_questions(split)])
    assert all(fault.endswith("expected one negated question, got 0") for fault in faults)


def test_twins_about_different_images(vhexpansion: Path, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG")
    twins = (q for q in splits.read_questions(vhexpansion) if q.negated and q.perturbation)
    other = min(twins, key=lambda q: q.id)
    split = rewrite(
        vhexpansion,
        tmp_path / "vhexpansion",
        lambda rows: changed(rows, lambda q: replace(q, images=(buffer.getvalue(),)), only=lambda q: q.id == other.id),
    )
    assert verify(split) == [
        f"pair {other.pair_id!r} of vhexpansion_ode_brightness: its questions are about different images"
    ]


def test_two_negated_questions_in_a_pair(vhexpansion: Path, tmp_path: Path) -> None:
    twin = min((row for row in splits.read_rows(vhexpansion) if row.question.negated), key=lambda r: r.question.id)
    more = replace(twin, question=replace(twin.question, id="one-more"))
    split = rewrite(vhexpansion, tmp_path / "vhexpansion", lambda rows: [*rows, more])
    assert verify(split) == [f"pair {twin.question.pair_id!r} of {twin.config}: expected one negated question, got 2"]


def test_a_question_without_a_pair(vhexpansion: Path, tmp_path: Path) -> None:
    name = min(q.id for q in splits.read_questions(vhexpansion))
    split = rewrite(
        vhexpansion,
        tmp_path / "vhexpansion",
        lambda rows: changed(rows, lambda q: replace(q, pair_id=""), only=lambda q: q.id == name),
    )
    assert f"row {name!r}: has no pair_id, which ties it to its twin" in verify(split)


def test_half_of_a_pair_of_ode(ode: Path, tmp_path: Path) -> None:
    gone = next(q for q in splits.read_questions(ode) if q.question_type == "existence" and q.answer == "no")
    split = rewrite(ode, tmp_path / "ode", lambda rows: [row for row in rows if row.question.id != gone.id])
    [fault] = verify(split)
    assert fault.startswith(f"pair {gone.pair_id!r} of ode_")
    assert fault.endswith("expected one question whose answer is no, got 0")


def test_a_question_with_more_choices_than_anybody_asks(ode: Path, tmp_path: Path) -> None:
    choices = tuple(f"Image {number}" for number in range(1, 13))
    name = min(q.id for q in splits.read_questions(ode) if q.kind == "caption")
    thing = next(q.objects[0] for q in splits.read_questions(ode) if q.id == name)

    def ask(question: Question, answer: str) -> Question:
        text = f"Which image shows a {thing}?"
        return replace(question, kind="multiple_choice", question=text, choices=choices, answer=answer, pair_id="")

    def split(answer: str) -> Path:
        only = lambda q: q.id == name  # noqa: E731
        return rewrite(ode, tmp_path / answer, lambda rows: changed(rows, lambda q: ask(q, answer), only=only))

    scene = next(q.scene_ids[0] for q in splits.read_questions(ode) if q.id == name)
    assert verify(split("K")) == [
        f"row {name!r}: reference answer 'K' to 'Which image shows a {thing}?' contradicts scene {scene}"
    ]
    assert verify(split("M")) == [f"row {name!r}: answer: expected a letter from A to L, got 'M'"]


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("relations", [{"subject": 99, "predicate": "above", "object": 1}],
         "a relation ('above') names object 99, which is not there"),
        ("relations", [{"subject": 1, "predicate": "above", "object": [1]}],
         "relations[0].object is [1]: expected `int`, got `array`"),
        ("environment", 5, "environment is 5: expected `str`, got `int`"),
        ("areas", [["sky"]], "areas[0] is ['sky']: expected `str`, got `array`"),
        ("known", [1], "known[0] is 1: expected `str`, got `int`"),
        ("objects", [{"mask": None, "box": [0, 0, 1, 1], "id": [1], "category": "dog", "area": 1, "attributes": [],
                      "known_attributes": []}], "objects[0].id is [1]: expected `int`, got `array`"),
    ],
)  # fmt: skip
def test_a_scene_that_makes_no_sense(ode: Path, tmp_path: Path, field: str, value: object, fault: str) -> None:
    def broken(truths: list[StoredScene]) -> list[StoredScene]:
        first = orjson.loads(truths[0].json) | {field: value}
        return [replace(truths[0], json=orjson.dumps(first).decode()), *truths[1:]]

    def related(rows: list[Row]) -> list[Row]:
        text = "Is the dog above the dog in the image?"
        return changed(rows, lambda q: replace(q, question=text), only=lambda q: q.kind == "yes_no")

    name = next(splits.read_truths(ode)).id
    assert f"scene {name!r}: {fault}" in verify(rewrite(ode, tmp_path / "ode", related, broken))


def test_a_scene_that_is_there_twice(ode: Path, tmp_path: Path) -> None:
    split = rewrite(ode, tmp_path / "ode")
    table = pq.read_table(split / "scenes.parquet")
    pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), split / "scenes.parquet")
    manifest = orjson.loads((split / "manifest.json").read_bytes())
    manifest["files"]["scenes.parquet"] = file_sha256(split / "scenes.parquet")
    (split / "manifest.json").write_bytes(orjson.dumps(manifest))
    first, *others = verify(split)
    assert first == f"scene {table['id'][0].as_py()!r}: the id occurs twice"
    assert len(others) == 2
    assert "its scenes have the hash" in others[0]
    assert "content hash is" in others[1]
