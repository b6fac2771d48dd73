"""Every entry of every registry is whole: it has tasks, a cell, a place in the analysis, a card, a CLI value."""

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import typer
import yaml

from vhbench.adapters.lmms_eval import tasks_folder
from vhbench.benchmarks import BENCHMARKS, Benchmark, load, of_task, task, tasks
from vhbench.builds.vhexpansion import METHODS
from vhbench.builds.vhexpansion_sources import FORMS
from vhbench.card.sources import references, sources
from vhbench.cli import app
from vhbench.generators.mioh import question_types
from vhbench.generators.mioh.drafts import FIRST, SECOND
from vhbench.generators.mioh.facts import Exists, Related
from vhbench.generators.mioh.pressures import PRESSURES
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.ode.criteria import CRITERIA
from vhbench.generators.ode.questions import LEVELS
from vhbench.generators.vhexpansion.perturbations import PERTURBATIONS
from vhbench.schema import Record
from vhbench.tasks import report, yaml_files
from vhbench.tasks.metrics.metric import ALWAYS, DERIVED, Answer, Count, Facts, Metric
from vhbench.tasks.metrics.registry import metrics_of

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
COLUMNS = {field.name for field in fields(Record)}


@pytest.fixture(params=BENCHMARKS.values(), ids=list(BENCHMARKS))
def entry(request: pytest.FixtureRequest) -> Benchmark:
    found: Benchmark = request.param
    return found


def default_of(build: str, option: str) -> list[str]:
    """Return the values that an option of a build command takes by default: all that there are."""
    [found] = [param for param in COMMANDS["build"].commands[build].params if param.name == option]
    return str(found.default).split(",")


def answers(benchmark: str, count: int, right: bool, **columns: str) -> list[Record]:
    """Return answers to yes/no questions about so many things, each in images of its own."""
    name = "-".join(columns.values())
    return [
        Record(
            f"{name}-{i}", benchmark=benchmark, kind="yes_no", answer="yes", prediction="yes" if right else "no",
            scene_ids=(f"{name}-{i}",), pair_id=f"e1-{i}", **columns,  # type: ignore[arg-type]
        )
        for i in range(count)
    ]  # fmt: skip


def test_each_yaml_file_is_what_the_registries_say(entry: Benchmark) -> None:
    folder = tasks_folder() / entry.name
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}
    assert found == yaml_files.texts(entry), "run `vhbench tasks --write`"


def test_each_task_belongs_to_its_benchmark_and_each_member_of_a_group_is_a_task(entry: Benchmark) -> None:
    known = tasks(entry.name)
    assert entry.name in known
    for found in known.values():
        assert of_task(found.name) is entry
        assert set(found.members) <= set(known)
        assert (found.family is None) == bool(found.members)


def test_each_metric_reads_columns_that_records_have(entry: Benchmark) -> None:
    for family in entry.families.values():
        for metric in metrics_of(family.name):
            assert set(metric.columns) <= COLUMNS
        for columns in family.cells:
            assert set(columns) <= COLUMNS


class OnlyThese:
    """The columns of a record that a metric may read."""

    def __init__(self, record: Record, columns: set[str]) -> None:
        self._record, self._columns = record, columns

    def __getattr__(self, name: str) -> object:
        assert name in self._columns, f"the metric reads the column {name}: add it to its needs"
        return getattr(self._record, name)


def answered(metric: Metric, options: bool) -> Iterator[list[Answer]]:
    """Yield, per reference answer, a response with each prediction; all columns that are not needed are closed."""
    assert "response" not in metric.needs, "a parsed response is dropped; tokens has its length"
    columns = {*ALWAYS, *metric.needs} - {*DERIVED}
    words = ("A", "B") if options else ("yes", "no")
    for truth in words:
        records = [Record("q", answer=truth, prediction=word) for word in (*words, "")]
        alone = [Answer(OnlyThese(record, columns), options=2 * options) for record in records]  # type: ignore[arg-type]
        twin, others = (alone[0] if metric.units == "pairs" else None), alone if metric.units == "variants" else ()
        yield [replace(answer, twin=twin, others=tuple(others)) for answer in alone]


@pytest.mark.parametrize(
    ("family", "metric"),
    [
        pytest.param(family, metric, id=f"{family}-{metric.name}")
        for family in dict.fromkeys(family.name for entry in BENCHMARKS.values() for family in entry.families.values())
        for metric in metrics_of(family)
    ],
)
def test_a_metric_reads_only_the_columns_that_it_needs(family: str, metric: Metric) -> None:
    for responses in answered(metric, options=family == "multiple_choice"):
        counts = [metric.count(answer, Facts()) for answer in responses]
        assert all(isinstance(count, Count | None) for count in counts)
        bottoms = {count.bottom if count else 0 for count in counts}
        assert not metric.fixed or len(bottoms) == 1, "its denominator depends on the response: set fixed=False"
        for test in filter(None, (metric.stratum, lambda answer: metric.defined and metric.defined(answer, Facts()))):
            list(map(test, responses))


def test_metrics_of_a_family_and_types_of_questions_have_different_names(entry: Benchmark) -> None:
    for family in entry.families.values():
        names = [metric.name for metric in metrics_of(family.name)]
        assert sorted(set(names)) == sorted(names)
    _, *rows = Path(question_types.__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(QUESTION_TYPES)


def test_each_benchmark_has_a_build_a_starter_a_card_an_analysis_and_commands(entry: Benchmark) -> None:
    build = load(entry.build)
    assert build.benchmark == entry.name
    assert set(entry.starter) <= {field.name for field in fields(build)}
    assert entry.cite in references()
    assert all((entry.title, entry.asks, entry.built, entry.limits))
    assert callable(load(entry.sheet))
    assert entry.name in COMMANDS["build"].commands
    assert (entry.name in COMMANDS["analyse"].commands) == bool(entry.analysis)
    if entry.analysis:  # a benchmark may have none
        analysis = load(entry.analysis)
        assert callable(analysis.analyse)
        assert callable(analysis.draw)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_an_ode_criterion_has_tasks_a_cell_a_place_in_the_analysis_and_a_value(criterion: str) -> None:
    assert {f"ode_{criterion}", *(f"ode_{criterion}_{level}" for level in LEVELS)} <= set(tasks("ode"))
    found = answers("ode", 3, True, criterion=criterion, task="existence", pairing="entity-entity")
    cells = report.grid(found, task(f"ode_{criterion}_existence"))["cells"]["criterion x pairing"]
    assert [cell["criterion"] for cell in cells] == [criterion]
    assert list(load(BENCHMARKS["ode"].analysis).curve(found, {})) == [criterion]
    assert criterion in default_of("ode", "criteria")


@pytest.mark.parametrize("pressure", PRESSURES)
def test_a_pressure_has_a_task_a_cell_and_words_in_the_analysis(pressure: str) -> None:
    assert pressure in (tasks("mioh")[f"mioh_{PRESSURES[pressure].group}"].keep or {})["pressure"]
    asked = {"task": "existence", "mode": "comprehensive", "question_type": "E1"}
    found = answers("mioh", 40, True, pressure="easy", **asked)
    found += answers("mioh", 40, False, pressure=pressure, **asked) if pressure != "easy" else []
    cells = report.grid(found, task("mioh"))["cells"]["question_type x pressure"]
    assert {cell["pressure"] for cell in cells} == {"easy", pressure}
    summary = load(BENCHMARKS["mioh"].analysis).analyse(found)["summary"]
    assert not PRESSURES[pressure].presses or f"under {PRESSURES[pressure].head}, 95 % CI" in summary


@pytest.mark.parametrize("name", QUESTION_TYPES)
def test_a_question_type_has_its_tasks_and_a_value(name: str) -> None:
    kind = QUESTION_TYPES[name]
    assert {f"mioh_{kind.task}", f"mioh_{kind.mode}"} <= set(tasks("mioh"))
    assert name in default_of("mioh", "types")
    assert kind.tied_to in ("", *QUESTION_TYPES)


@pytest.mark.parametrize("name", QUESTION_TYPES)
def test_a_question_type_has_one_text_without_open_fields_for_every_answer(name: str) -> None:
    kind = QUESTION_TYPES[name]
    words = ("dog", "cat", "bus", "kite")[: kind.asks]
    facts = [Related(word, "left of", "cup") if kind.task == "position" else Exists(word) for word in words]
    drafts = [draft for answer in kind.shape(kind.text, facts, np.random.default_rng(1)) for draft in answer]
    assert len({draft.text for draft in drafts}) == 1
    assert "{" not in drafts[0].text.replace(FIRST, "").replace(SECOND, "")
    assert {draft.answer for draft in drafts} > {drafts[0].answer}


def perturbed() -> Iterator[tuple[str, str]]:
    for source in (form for form in FORMS if form != "split"):
        yield from ((source, name) for name in (*PERTURBATIONS, *METHODS))


@pytest.mark.parametrize(("source", "perturbation"), list(perturbed()))
def test_a_perturbation_of_a_source_has_a_task_and_a_value_and_its_source_a_licence(
    source: str, perturbation: str
) -> None:
    known = tasks("vhexpansion")
    assert f"vhexpansion_{source}_{perturbation}" in known
    if perturbation in PERTURBATIONS:
        assert f"vhexpansion_{source}_{perturbation}" in known[f"vhexpansion_{source}_all"].members
    assert perturbation in METHODS or perturbation in default_of("vhexpansion", "perturb")
    assert source == "table" or source in sources()


def test_yaml_files_can_be_written_anew(tmp_path: Path) -> None:
    written = list(yaml_files.write(tmp_path))
    assert {path.relative_to(tmp_path) for path in written} == {
        path.relative_to(tasks_folder()) for name in BENCHMARKS for path in (tasks_folder() / name).iterdir()
    }
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "_own.py").write_text("")  # what is not a benchmark's is left alone
    (tmp_path / "ode" / "ode_retired.yaml").write_text("task: ode_retired\n")
    (tmp_path / "mioh" / "mioh.yaml").write_text("task: something else\n")
    assert {path.name for path in yaml_files.write(tmp_path)} == {"ode_retired.yaml", "mioh.yaml"}
    assert not list(yaml_files.write(tmp_path))
    assert (tmp_path / "metrics" / "_own.py").is_file()


def test_lmms_evals_loader_reads_each_file_as_a_task_or_a_group() -> None:
    for name in BENCHMARKS:
        for path in (tasks_folder() / name).glob("*.yaml"):
            loader = type("Loader", (yaml.SafeLoader,), {})
            loader.add_constructor("!function", lambda _, node: node.value)
            data = yaml.load(path.read_text(encoding="utf-8"), loader)
            assert data.get("task") == path.stem or data.get("group") == path.stem
