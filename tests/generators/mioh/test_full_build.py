"""An eighth of the paper's 3,484 questions from three annotation files, each answer confirmed by code written apart.

``benchmarks/bench_mioh.py`` asks for all of them at the size of COCO train.
"""

import json

import mioh_checker
import mioh_files
import pytest

from vhbench.builds.mioh import MiohBuild
from vhbench.generators.mioh.sizes import PAPER
from vhbench.protocols import Note
from vhbench.schema import Question, Rejection, Row, Scene

Made = list[Row | Scene | Rejection | Note]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("mioh") / "files"
    mioh_files.write_all(folder, images=8000, instances=58_000, paco=7.2, svg=1)  # PACO's size
    eighth = {task: {name: count // 8 for name, count in cells.items()} for task, cells in PAPER.items()}
    (folder / "cells.json").write_text(json.dumps(eighth))
    read = tuple(f"{name}:{folder / name}.json" for name in ("coco", "paco", "svg"))
    build = MiohBuild(source=read, images=str(folder / "photos"), cells=str(folder / "cells.json"), seed=0)
    return [item for shard in range(build.shards) for item in build.make(shard)]


@pytest.fixture(scope="module")
def questions(made: Made) -> list[Question]:
    return [item.question for item in made if isinstance(item, Row)]


@pytest.mark.slow
def test_most_questions_are_asked_and_each_missing_one_is_told(made: Made, questions: list[Question]) -> None:
    tallies = [item.entries for item in made if isinstance(item, Note) and item.name == "cells"]
    cells = {name: cell for tally in tallies for name, cell in tally.items()}
    missing = {name: cell["wanted"] - cell["asked"] for name, cell in cells.items()}
    assert {name for name, number in missing.items() if number} == {n for n, cell in cells.items() if "reason" in cell}
    wanted = sum(count // 8 for cells in PAPER.values() for count in cells.values())
    assert wanted == 430
    assert len(questions) + sum(missing.values()) == wanted
    scarce = ("A4", "A7", "P4", "P7")  # few photos show all that four options are about
    assert {r.item for r in made if isinstance(r, Rejection) and r.reason.startswith("type left out")} <= {*scarce}
    pressed = ("A3/hn", "A3/ni", "A5/hn", "A5/ni")  # few photos show a value on another object, as these ask for it
    others = sum(number for name, number in missing.items() if not name.startswith((*scarce, *pressed)))
    assert others <= 0.04 * wanted  # of so few photos; what has no place for each wrong option stays unasked
    assert len({q.id for q in questions}) == len(questions)


def test_each_task_takes_the_source_that_knows_most(questions: list[Question]) -> None:
    sources = {(q.task, q.source) for q in questions}
    assert sources == {("existence", "coco"), ("counting", "coco"), ("attribute", "paco"), ("position", "svg")}


def test_every_answer_is_confirmed(made: Made, questions: list[Question]) -> None:
    scenes = [item for item in made if isinstance(item, Scene)]
    assert mioh_checker.faults(questions, scenes) == []


def test_relations_are_more_than_left_and_right(questions: list[Question]) -> None:
    texts = " ".join(q.question + " ".join(q.choices) for q in questions if q.task == "position")
    assert " to the left of " in texts
    assert any(words in texts for words in (" behind ", " in front of ", " above ", " below ", " on "))
