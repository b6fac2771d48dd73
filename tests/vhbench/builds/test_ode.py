"""ODE's build with the embedded scenes: what it asks is true, in English, balanced, and the same every time."""

import collections
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ode_audit as audit
import orjson
import pytest
from processes import children, wait_until_gone

from vhbench import splits
from vhbench.builds import sharding
from vhbench.builds.ode import OdeBuild
from vhbench.generators.ode import questions
from vhbench.generators.ode.criteria import CRITERIA
from vhbench.schema import Question, Rejection, Row, Scene, VhbenchError


class Made:
    """Everything that some builds yield."""

    def __init__(self, *builds: OdeBuild) -> None:
        items = [item for build in builds for shard in range(build.shards) for item in build.make(shard)]
        self.rows = [item for item in items if isinstance(item, Row)]
        self.scenes = {item.id: item for item in items if isinstance(item, Scene)}
        self.rejections = [item for item in items if isinstance(item, Rejection)]

    def questions(self) -> Iterator[tuple[Question, Scene]]:
        for row in self.rows:
            yield row.question, self.scenes[row.question.scene_ids[0]]


@pytest.fixture(scope="module")
def made(reference: Path) -> Made:
    """About 250 pictures of both graphs, small so that they are quick to draw, with 2,000 questions and more."""
    amber = OdeBuild(graph=(f"amber:{reference / 'AMBER'}",), pairs=15, size=256, seed=11, levels=questions.LEVELS)
    starter = OdeBuild(pairs=17, size=256, seed=7, levels=questions.LEVELS)
    groups = OdeBuild(pairs=2, size=256, seed=3, concepts=4, criteria=("fictional", "standard"))
    return Made(amber, starter, groups)


def test_every_question_is_english_and_its_answer_is_in_the_scene(made: Made) -> None:
    asked = [(q, scene) for q, scene in made.questions() if q.kind == "yes_no"]
    assert len(asked) >= 2000
    wrong = [(q.question, q.answer, found) for q, scene in asked if (found := audit.audit(q, scene))]
    assert not wrong, "\n".join(map(str, wrong))


def test_the_examiner_notices_mistakes(made: Made) -> None:
    """The audit must be able to fail: turned answers and broken English are all noticed."""
    asked = [(q, scene) for q, scene in made.questions() if q.kind == "yes_no"][::20]
    for question, scene in asked:
        flipped = {"yes": "no", "no": "yes"}[question.answer]
        assert audit.answer(question.question, scene) != (flipped == "yes")
        assert isinstance(audit.answer(question.question.replace(" the ", " an ", 1), scene), str) or (
            " the " not in question.question
        )
    scene = asked[0][1]
    assert isinstance(audit.answer("Is there a apple in the image?", scene), str)
    assert isinstance(audit.answer("Is there exactly two dogs in the image?", scene), str)


def test_each_yes_comes_with_a_no_about_the_same_thing(made: Made) -> None:
    answers = collections.defaultdict(list)
    for question, _ in made.questions():
        if question.kind == "yes_no":
            answers[question.pair_id].append(question.answer)
    assert all(sorted(found) == ["no", "yes"] for found in answers.values())


def test_both_concepts_are_asked_about(made: Made) -> None:
    """Existence asks about every target that the picture was made for (the reference leaves the second out).

    A place whose question cannot be balanced is left out.
    """
    asked = collections.Counter(
        q.scene_ids[0] for q, _ in made.questions() if q.task == "existence" and q.answer == "yes"
    )
    assert min(count for name, count in asked.items() if "-ee-" in name) >= 2
    assert set(asked) == set(made.scenes)


def test_places_are_asked_about_as_often_where_they_are_absent(made: Made) -> None:
    """A text-only baseline would otherwise learn which places tend to be there."""
    answers: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for question, _ in made.questions():
        if question.task == "existence" and question.pairing == "entity-environment":
            answers[question.criterion, question.question].append(question.answer)
    places = {text: found for (_, text), found in answers.items() if text.startswith("Does the image show")}
    assert len(places) > 10
    assert all(found.count("yes") == found.count("no") for found in places.values())


def test_random_pairs_of_amber_have_questions_about_places(reference: Path) -> None:
    """Its places are mostly under the sky: a forest and a pier exclude each other as well."""
    build = OdeBuild(graph=(f"amber:{reference}/AMBER",), pairs=12, criteria=("random",), levels=("existence",))
    share = next(i for i, share in enumerate(build.plan) if share.pairing == "ev")
    rows = [item.question for item in build.make(share) if isinstance(item, Row)]
    places = collections.Counter((q.question, q.answer) for q in rows if q.question_type == "place")
    assert {text for text, _ in places} == {"Does the image show a forest?", "Does the image show the sea?"}
    assert set(places.values()) == {1}


def test_candidates_are_known_to_be_absent(made: Made) -> None:
    for question, scene in made.questions():
        assert set(question.candidates) <= scene.known - scene.categories()
        assert set(question.objects) == scene.categories()
        assert len(question.candidates) >= 5


def test_no_number_gives_its_answer_away(made: Made) -> None:
    answers = collections.defaultdict(list)
    for question, _ in made.questions():
        if question.question_type == "number":
            number = re.search(r"exactly (\w+)", question.question)
            answers[number[1] if number else ""].append(question.answer == "yes")
    assert set(answers) == {"one", "two", "three"}
    assert all(0.15 < sum(found) / len(found) < 0.85 for found in answers.values())


def test_rejections_tell_why(made: Made) -> None:
    reasons = {rejection.reason for rejection in made.rejections}
    assert "no drawing" in reasons  # AMBER knows more words than the scenes
    for rejection in made.rejections:
        assert rejection.detail["concepts"]
        if rejection.reason == "no drawing":
            assert rejection.detail["word"] in rejection.detail["concepts"]
    assert len({rejection.item for rejection in made.rejections}) <= len(made.rejections)


def test_groups_show_four_concepts(made: Made) -> None:
    groups = [s for s in made.scenes.values() if s.id.count("-") and len({o.category for o in s.objects}) >= 3]
    assert len(groups) >= 8


def test_same_seed_same_rows_and_another_seed_other_rows() -> None:
    build = OdeBuild(pairs=2, size=128, seed=5, criteria=("fictional",))
    assert Made(build).rows == Made(OdeBuild(pairs=2, size=128, seed=5, criteria=("fictional",))).rows
    other = Made(OdeBuild(pairs=2, size=128, seed=6, criteria=("fictional",)))
    assert {r.question.id for r in other.rows}.isdisjoint({r.question.id for r in Made(build).rows})


def test_configs_are_named_after_criterion_and_level(made: Made) -> None:
    names = {row.config for row in made.rows}
    assert {"standard", "long_tail", "random", "fictional"} <= set(CRITERIA)
    assert names == {f"ode_{criterion}_{level}" for criterion in CRITERIA for level in questions.LEVELS}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": 0}, "--pairs: expected 1 to 100000"),
        ({"concepts": 6}, "--concepts: expected 2 to 5"),
        ({"criteria": ("rare",)}, "--criteria: expected one of standard, long_tail, random, fictional"),
        ({"levels": ("captions",)}, "--levels: expected one of caption, existence, attribute, relation"),
        ({"images": "diffusers:x"}, "--images diffusers:x needs --detector NAME"),
        ({"epsilon": 4, "delta": 3}, "expected ε less than δ, got ε = 4 and δ = 3"),
        ({"pairs": 100_000}, "100000 entity-entity pairs requested, but the graph has only"),
        ({"epsilon": 50_000}, "long_tail: 40 entity-entity pairs requested, .* only 0 with 50000 < c < 50001"),
        (
            {"images": "midjourney"},
            "--images: expected scenes, photos:INSTANCES.json=DIR, diff",
        ),
        ({"graph": ("nowhere.json",)}, r"cannot read nowhere\.json"),
        ({"graph": ("starter", "starter")}, "--graph starter starter: expected each graph once"),
        ({"node_types": "types.json"}, r"--node-types types\.json: only goes with --graph amber:DIR"),
    ],
)
def test_bad_options_are_named_before_anything_is_built(options: dict[str, object], message: str) -> None:
    with pytest.raises(VhbenchError, match=message):
        OdeBuild(**options).check()  # type: ignore[arg-type]


def test_unknown_image_source_is_named() -> None:
    build = OdeBuild(pairs=1, images="midjourney", detector="x")
    with pytest.raises(VhbenchError, match="--images: expected scenes, photos:INSTANCES"):
        list(build.make(0))


def test_command_ends_with_a_table_and_another_run_with_the_same_hash(tmp_path: Path) -> None:
    """The second build uses two processes and other work folders; a third finds everything done."""
    from typer.testing import CliRunner

    from vhbench.cli import app

    told = []
    for out, workers in (("a", "1"), ("b", "2"), ("b", "1")):
        options = ["--pairs", "2", "--size", "128", "--criteria", "standard", "--workers", workers]
        result = CliRunner().invoke(app, ["build", "ode", "--out", str(tmp_path / out), *options])
        assert result.exit_code == 0, result.output
        told.append(re.search(r"content hash (\w+)", result.output)[1])  # type: ignore[index]
        assert re.search(r"standard +│ +4 +│ +4 +│", result.output)
    assert len(set(told)) == 1


def test_a_build_of_which_nothing_is_left_keeps_the_reasons(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from vhbench.cli import app
    from vhbench.splits.stored_scenes import read_rejection_file

    graph = tmp_path / "fantasy.json"
    words = [{"word": word, "kind": "entity"} for word in ("unicorn", "griffin", "basilisk")]
    graph.write_bytes(orjson.dumps({"concepts": words, "edges": [["griffin", "unicorn", 1]]}))
    command = ["build", "ode", "--out", str(tmp_path), "--graph", str(graph), "--pairs", "1", "--criteria", "fictional"]
    result = CliRunner().invoke(app, command)
    kept = tmp_path / "ode.rejections.jsonl"
    assert str(result.exception) == (
        f"the ode split would have no rows (2 × no drawing, 1 × no pair left; all are listed in {kept})"
    )
    told = list(read_rejection_file(kept))
    assert {r.detail["word"] for r in told if r.reason == "no drawing"} == {"basilisk"}
    assert not (tmp_path / "ode").exists()

    drawn = ["--graph", "starter", "--size", "128", "--levels", "caption"]
    assert CliRunner().invoke(app, [*command, *drawn]).exit_code == 0
    assert not kept.exists(), "the reasons of a build that is over"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_kill_9_and_a_rerun_give_the_same_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes are killed in the middle; one alone makes what is missing, and the whole is that of a quiet run."""
    options = {"pairs": 2, "size": 128, "levels": ("caption", "existence")}
    code = (
        "import sys; from pathlib import Path; from vhbench.builds import sharding; from vhbench.builds.ode import *\n"
        f"if __name__ == '__main__': sharding.run(OdeBuild(**{options!r}), Path(sys.argv[1]), workers=2)\n"
    )
    script = tmp_path / "main.py"
    script.write_text(code)
    process = subprocess.Popen([sys.executable, script, tmp_path], stderr=subprocess.DEVNULL)
    built = list[Path]()
    while len(built) < 2:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.005)
        built = list(tmp_path.glob(".ode.*.parts/[0-9]*/manifest.json"))
    workers = children(process.pid)
    assert len(workers) >= 2
    process.kill()
    process.wait()
    wait_until_gone(workers)
    assert not (tmp_path / "ode").exists()

    made: list[int] = []
    original = OdeBuild.make
    monkeypatch.setattr(OdeBuild, "make", lambda self, shard: made.append(shard) or original(self, shard))
    build = OdeBuild(**options)  # type: ignore[arg-type]
    again = sharding.run(build, tmp_path, progress=False)
    assert 0 < len(made) <= build.shards - len(built)
    quiet = sharding.run(build, tmp_path / "quiet", progress=False)
    assert again is not None
    assert quiet is not None
    assert again.content_hash == quiet.content_hash
    assert splits.verify(tmp_path / "ode") == []


def test_added_concepts_get_pairs_of_their_own_and_the_old_pairs_stay(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from vhbench.cli import app

    more = tmp_path / "more.json"
    more.write_text('{"concepts": [{"word": "bamboo", "kind": "entity"}], "edges": []}')
    captions = []
    for out, options in (("old", []), ("new", ["--add", str(more)])):
        command = ["build", "ode", "--out", str(tmp_path / out), "--pairs", "1", "--size", "128", *options]
        result = CliRunner().invoke(app, [*command, "--criteria", "fictional", "--levels", "caption"])
        assert result.exit_code == 0, result.output
        captions.append({q.id: q for q in splits.read_questions(tmp_path / out / "ode")})
        assert re.search(rf"fictional +│ {2 * len(captions)} +│ {2 * len(captions)} +│", result.output)
    old, new = captions
    assert old.items() <= new.items()
    assert all("bamboo" in new[name].objects for name in new.keys() - old.keys())


def test_graphs_are_merged(tmp_path: Path) -> None:
    """Two graphs of one's own: a pair that both know has both counts, and each brings a word."""
    from typer.testing import CliRunner

    from vhbench.cli import app

    command = ["build", "ode", "--out", str(tmp_path), "--pairs", "1", "--size", "128", "--criteria", "standard"]
    for folder, other in (("a", "cat"), ("b", "car")):
        (tmp_path / folder).mkdir()
        words = [{"word": word, "kind": "entity"} for word in ("dog", "bicycle", other)]
        edges = [["bicycle", "dog", 2], [other, "dog", 3]]
        (tmp_path / folder / "graph.json").write_bytes(orjson.dumps({"concepts": words, "edges": edges}))
        command += ["--graph", str(tmp_path / folder / "graph.json")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    manifest = splits.read_manifest(tmp_path / "ode")
    assert manifest.config["graph"] == ["graph.json", "graph.json"]
    assert sorted(manifest.sources) == ["b/graph.json", "graph.json"]
    assert {"cat", "car"} <= set(manifest.config["vocabulary"])
    [caption] = splits.read_questions(tmp_path / "ode", "ode_standard_caption")
    assert {"dog", "bicycle"} <= set(caption.objects), "2 + 2 is more than 3"


def test_an_addition_without_anything_new_is_refused(tmp_path: Path) -> None:
    more = tmp_path / "more.json"
    more.write_text('{"concepts": [{"word": "dog", "kind": "entity"}], "edges": []}')
    with pytest.raises(VhbenchError, match="expected new concepts, got 1 that the graph already has"):
        OdeBuild(add=str(more)).check()


def test_an_attribute_of_a_single_concept_is_something_new(tmp_path: Path) -> None:
    more = tmp_path / "more.json"
    more.write_text('{"concepts": [{"word": "cup", "kind": "entity", "state": [["orange", "purple"]]}], "edges": []}')
    build = OdeBuild(add=str(more), pairs=1, criteria=("random",), size=96, levels=("caption",))
    shown = [item for shard in range(build.shards) for item in build.make(shard) if isinstance(item, Scene)]
    cups = [thing for scene in shown[-2:] for thing in scene.objects if thing.category == "cup"]
    assert {dict(cup.attributes).get("colour") for cup in cups} <= {"orange", "purple"}
    assert cups


def test_an_addition_that_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    """Its release would be the older one under a new version."""
    more = tmp_path / "more.json"
    more.write_text('{"concepts": [{"word": "unicorn", "kind": "entity"}], "edges": []}')
    with pytest.raises(VhbenchError, match=r"expected new pairs that can be shown, got none .*no drawing: unicorn"):
        OdeBuild(add=str(more)).check()
    with pytest.raises(VhbenchError, match=r"--variants: expected .*, got 999999999"):
        OdeBuild(variants=999_999_999).check()


def test_an_addition_without_a_pair_of_the_chosen_criteria_is_refused(tmp_path: Path) -> None:
    """A concept without edges has fictional pairs only: the standard questions would be those of the older version."""
    more = tmp_path / "more.json"
    more.write_text('{"concepts": [{"word": "bamboo", "kind": "entity"}], "edges": []}')
    OdeBuild(add=str(more), pairs=1, criteria=("standard", "fictional")).check()
    with pytest.raises(VhbenchError) as caught:
        OdeBuild(add=str(more), pairs=1, criteria=("standard", "long_tail")).check()
    told = "expected new pairs that can be shown, got none (none is standard or long_tail)"
    assert str(caught.value) == f"--add {more}: {told}"


def test_an_addition_without_a_question_is_a_gap(tmp_path: Path) -> None:
    """The rows of the older version do not hide that the new one has none; with an image of its own it has some."""
    more = tmp_path / "more.json"
    more.write_text('{"concepts": [{"word": "bamboo", "kind": "entity"}], "edges": []}')
    old = OdeBuild(pairs=1, criteria=("fictional",), size=96, levels=("existence",))
    assert sharding.run(old, tmp_path / "old", progress=False) is not None
    new = replace(old, add=str(more))
    assert new.gaps(tmp_path / "old" / "ode") == [f"--add {more}"]
    assert replace(new, allow_missing=True).gaps(tmp_path / "old" / "ode") == ()
    assert sharding.run(new, tmp_path / "new", progress=False) is not None
    assert new.gaps(tmp_path / "new" / "ode") == []


def test_a_split_with_an_empty_cell_is_refused(tmp_path: Path) -> None:
    build = OdeBuild(pairs=1, criteria=("standard",), size=128, levels=("caption",))
    assert sharding.run(build, tmp_path, progress=False) is not None
    assert build.gaps(tmp_path / "ode") == []
    both = OdeBuild(pairs=1, criteria=("standard", "fictional"), size=128)
    assert both.gaps(tmp_path / "ode") == ["fictional × entity-entity", "fictional × entity-environment"]
    assert OdeBuild(pairs=1, criteria=("fictional",), allow_missing=True).gaps(tmp_path / "ode") == ()
