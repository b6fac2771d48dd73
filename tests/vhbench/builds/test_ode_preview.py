"""Before a build: dry runs print what would be asked, a pilot paints a little and stops what is not worth its time."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from perfect_models import PerfectDetector, PerfectPainter, PerfectVerifier
from typer.testing import CliRunner, Result

from vhbench.adapters import loaded_models
from vhbench.builds import ode_preview
from vhbench.builds.ode import OdeBuild
from vhbench.builds.ode_preview import PLANNED_EYES, PlannedImages
from vhbench.builds.ode_source_vocabulary import OpenWorld
from vhbench.cli import app
from vhbench.generators.ode import shards
from vhbench.generators.ode.concept_graph import wording
from vhbench.schema import Question, Row, Scene
from vhbench.splits import read_rows, read_scenes

TYPES = ("existence", "place", "state")
TRAFFIC = OdeBuild(graph=("traffic",), pairs=12)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def planned(build: OdeBuild) -> list[Any]:
    recipe = build._recipe(PlannedImages(), PLANNED_EYES, OpenWorld(build._graph))
    return [item for share in build.plan for item in shards.make(recipe, share)]


def asked(build: OdeBuild) -> list[Question]:
    return [item.question for item in planned(build) if isinstance(item, Row) and item.question.answer]


@pytest.mark.parametrize("graph", ["starter", "traffic", "amber:{reference}/AMBER", "coco:{reference}/coco_mini"])
def test_answers_learnt_by_question_text_on_one_seed_are_worth_nothing_on_another(graph: str, reference: Path) -> None:
    """For things, places and states, in every criterion (up to 60 %, of ten questions and more)."""
    graph = graph.format(reference=reference) + ("/instances_val2017.json" if graph.startswith("coco") else "")
    pairs = 8 if graph.startswith("coco") else 12
    seeds = [asked(OdeBuild(graph=(graph,), pairs=pairs, seed=seed)) for seed in (0, 1)]
    hits: dict[tuple[str, str], list[float]] = defaultdict(list)
    for train, test in (seeds, seeds[::-1]):
        learnt: dict[str, Counter[str]] = defaultdict(Counter)
        for question in train:
            learnt[question.question][question.answer] += 1
        for question in (question for question in test if question.question_type in TYPES):
            known = learnt[question.question]
            hit = 0.5 if known["yes"] == known["no"] else float(known[question.answer] > known.total() / 2)
            hits[question.criterion, question.question_type].append(hit)
    assert {kind for _, kind in hits} >= {"existence"} | ({"place", "state"} if not graph.startswith("coco") else set())
    for cell, found in hits.items():
        assert len(found) >= 10, cell
        assert sum(found) / len(found) <= 0.6, cell


def test_the_traffic_domain_speaks_english() -> None:
    """Each place has its preposition and article; each pair of opposite states its questions."""
    items = planned(TRAFFIC)
    prompts = [item.provenance["prompt"].partition(":")[0] for item in items if isinstance(item, Scene)]
    assert len(prompts) == 96
    assert not [text for text in prompts if re.search(r"\bin a scene\b|\ba [aeio]", text)]
    assert any(re.search(r"on a \w+ motorway|on a motorway", text) for text in prompts)
    questions = {item.question.question for item in items if isinstance(item, Row)}
    assert any(re.search(r"Is the \w+(?: \w+)? in the image (?:congested|deserted)\?", text) for text in questions)
    assert {"Does the image show a motorway?", "Does the image show a road tunnel?"} & questions


@pytest.mark.parametrize("more", [(), ("--shard", "0/4"), ("--workers", "2", "--yes")])
def test_a_dry_run_prints_prompts_and_questions_and_builds_nothing(more: tuple[str, ...], tmp_path: Path) -> None:
    done = run("build", "ode", "--graph", "traffic", "--pairs", "2", "--dry-run", "--out", str(tmp_path), *more)
    assert done.exit_code == 0, done.output
    assert len(re.findall(r"^(?:standard|long_tail|random|fictional), entity", done.output, re.M)) == 16
    assert len(re.findall(r"\? (?:yes|no)$", done.output, re.M)) > 50
    assert not list(tmp_path.iterdir())


class BlindVerifier:
    """Finds every text equally likely."""

    name = "blind"

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        return [[1 / len(each)] * len(each) for each in texts]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Perfect models in place of those that the options name."""
    found: dict[str, Any] = {
        "image_source": PerfectPainter(), "detector": PerfectDetector(), "verifier": PerfectVerifier()
    }  # fmt: skip
    for name in found:
        monkeypatch.setattr(loaded_models, name, lambda *_, name=name: found[name])
    monkeypatch.setattr(loaded_models, "unload", lambda: None)
    monkeypatch.setattr(OdeBuild, "_models", {"model": "perfect"})
    return found


PAINTED = (
    "build",
    "ode",
    "--images",
    "diffusers:x",
    "--detector",
    "x",
    "--verifier",
    "x",
    "--pairs",
    "10",
    "--size",
    "128",
)


def test_perfect_images_pass_a_perfect_judge_of_places(models: dict[str, Any], tmp_path: Path) -> None:
    done = run(*PAINTED, "--yes", "--gpu-hour-price", "2", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "warning: --calibration missing" in done.output
    projected = re.search(
        r"projected: (\d+) images, 0\.0 hours in one process on this machine, \S+ at 2 an", done.output
    )
    assert projected is not None
    assert int(projected[1]) <= 80 / 0.95  # eight cells of ten images
    assert len(list(read_scenes(tmp_path / "ode"))) == 80


def test_an_array_job_warns_without_a_pilot(models: dict[str, Any], tmp_path: Path) -> None:
    done = run(*PAINTED, "--criteria", "standard", "--shard", "0/2", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "warning: --calibration missing" in done.output
    assert "projected" not in done.output
    assert models["image_source"].painted == 10  # one of two cells


def test_a_blind_judge_of_places_ends_at_the_pilot(models: dict[str, Any], tmp_path: Path) -> None:
    models["verifier"] = BlindVerifier()
    done = run(*PAINTED, "--criteria", "standard", "--out", str(tmp_path))
    assert done.exit_code != 0
    told = str(done.exception)
    assert "expected at least 5 % of the images to be kept, got standard × entity-environment: 0 of 20" in told
    assert models["image_source"].painted == ode_preview.FIRST + ode_preview.MOST
    assert not list(tmp_path.glob("ode/*.parquet"))


def test_a_pairing_without_images_is_accepted_on_request(models: dict[str, Any], tmp_path: Path) -> None:
    models["verifier"] = BlindVerifier()
    done = run(*PAINTED, "--criteria", "standard", "--allow-missing", "--yes", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "got standard × entity-environment: 0 of 20 images" in " ".join(done.output.split())
    assert {row.question.pairing for row in read_rows(tmp_path / "ode")} == {"entity-entity"}


def test_places_of_traffic_that_can_be_true_together_do_not_exclude_each_other() -> None:
    """A crossroads may lie on a country road, and a motorway in a tunnel: neither gives a "no" about the other."""
    unlike = wording(TRAFFIC._graph).unlike
    for one in ("country road", "mountain pass", "gravel road"):
        assert not any(unlike(*pair) for pair in ((one, "crossroads"), ("crossroads", one), (one, "roundabout")))
    assert not unlike("motorway", "tunnel")
    assert not unlike("tunnel", "country road")
    assert unlike("motorway", "pedestrian street")
