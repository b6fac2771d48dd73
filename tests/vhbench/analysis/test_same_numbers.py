"""The report that a task writes and ``vhbench analyse`` print the same numbers for the same answers."""

import io
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from PIL import Image
from typer.testing import CliRunner

from vhbench import splits
from vhbench.adapters import lmms_eval
from vhbench.cli import app
from vhbench.schema import Question, Record, Row
from vhbench.tasks import aggregate, datasets

VOCABULARY = {"dog": ["puppy"], "cat": [], "boat": ["ship"], "sea": [], "person": ["man"]}
Analyse = Callable[[Sequence[Record]], dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a run, whose reports are written there, and whose tasks ask the splits in ``data``."""
    monkeypatch.setattr(lmms_eval, "results_folder", lambda args: tmp_path)
    monkeypatch.setenv("VHBENCH_DATA", str(tmp_path / "data"))
    datasets.resolve.cache_clear()
    yield tmp_path
    datasets.resolve.cache_clear()


def report(run: Path, records: Sequence[Record], task: str) -> dict[str, Any]:
    """Write the report of a task whose rows were answered so."""
    aggregate.metric_list(task)[0]["aggregation"]([asdict(record) for record in records], None)
    (file,) = run.glob("*_report.json")
    found: dict[str, Any] = orjson.loads(file.read_bytes())
    file.unlink()
    return found


def analysis(run: Path, records: Sequence[Record]) -> dict[str, Any]:
    """Analyse the samples of a run."""
    benchmark = records[0].benchmark
    (run / f"20260101_samples_{benchmark}.jsonl").write_bytes(
        b"\n".join(orjson.dumps({"accuracy": asdict(record)}) for record in records)
    )
    result = CliRunner().invoke(app, ["analyse", benchmark, str(run)])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = orjson.loads((run / f"{benchmark}_analysis.json").read_bytes())
    return found


def build(run: Path, records: Sequence[Record]) -> None:
    """Write the split whose questions were answered."""
    picture = io.BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    names = {field.name for field in fields(Question)} & {field.name for field in fields(Record)}
    rows = [
        Row("all", Question(images=(picture.getvalue(),), **{name: getattr(record, name) for name in names}))
        for record in records
    ]
    config = {"vocabulary": VOCABULARY}
    splits.write_split(run / "data" / "ode", rows, benchmark="ode", version="1.0.0", seed=0, config=config)


def in_percent(value: Any) -> Any:
    """Return shares as the report has them."""
    if value is None:
        return None
    return pytest.approx([100 * end for end in value] if isinstance(value, list) else 100 * value)


def ode_answers() -> list[Record]:
    random = Random(3)
    words, said = list(VOCABULARY), ["yes", "no", "no", ""]
    records = []
    for number, criterion, task in itertools.product(range(24), ("standard", "fictional"), ("caption", "existence")):
        shown = random.sample(words, 2)
        told = " and a ".join(random.sample([*words, "puppy", "ship"], 3))
        caption: dict[str, Any] = {"kind": "caption", "response": f"A {told}.", "candidates": tuple(words[:2])}
        question = {"kind": "yes_no", "answer": random.choice(["yes", "no", "no"]), "prediction": random.choice(said)}
        records.append(
            Record(
                f"{criterion}-{number}-{task}", benchmark="ode", criterion=criterion, task=task, objects=tuple(shown),
                question_type=task, scene_ids=(f"{criterion}-{number // 2}",), question=f"Is there a {words[0]}?",
                **(caption if task == "caption" else question),
            )
        )  # fmt: skip
    return records


def test_ode(run: Path) -> None:
    records = ode_answers()
    build(run, records)
    curve = analysis(run, records)["curve"]
    for criterion, task in itertools.product(("standard", "fictional"), ("caption", "existence")):
        part = [record for record in records if (record.criterion, record.task) == (criterion, task)]
        overall = report(run, part, f"ode_{criterion}_{task}")["overall"]
        for name, ours in curve[criterion][task].items():
            assert overall[name] == in_percent(ours["value"]), (criterion, name)
            assert overall["intervals"][name] == in_percent(ours["interval"]), (criterion, name)
    assert {"precision", "recall", "f1"} < set(curve["standard"]["existence"])


def test_answers_to_another_split_are_refused(run: Path) -> None:
    records = ode_answers()
    build(run, records[1:])
    (run / "20260101_samples_ode.jsonl").write_bytes(orjson.dumps({"accuracy": asdict(records[0])}))
    result = CliRunner().invoke(app, ["analyse", "ode", str(run)])
    assert f"response '{records[0].id}' belongs to no question of" in str(result.exception)
    assert "--split DIR" in str(result.exception)


def test_mioh(run: Path) -> None:
    random = Random(4)
    # Cells of many image sets, of few, of one, and one without a wrong answer: each has another kind of interval.
    sizes = {"easy": (60, 0.6), "ni8": (5, 0.5), "hp": (1, 0.5), "hn": (9, 1.0)}
    records = [
        Record(
            f"{kind}-{pressure}-{place}-{i}", benchmark="mioh", kind="yes_no", task="existence", mode="comprehensive",
            pressure=pressure, question_type=kind, pair_id=f"e1-{place}", scene_ids=(f"s{place}",), answer="yes",
            prediction="yes" if random.random() < share else random.choice(["no", ""]),
        )
        for kind in ("E1", "E2") for pressure, (size, share) in sizes.items()
        for place in range(size) for i in range(1 + place % 2)
    ]  # fmt: skip
    found, written = analysis(run, records), report(run, records, "mioh")
    assert written["overall"]["unparsed"] == in_percent(found["unparsed"])
    cells = written["cells"]["question_type x pressure"]
    assert len(cells) == 2 * len(sizes)
    for cell in cells:
        ours = found["grid"][cell["question_type"]][cell["pressure"]]
        assert cell["n"] == ours["n"]
        assert cell["accuracy"] == in_percent(ours["mean"])
        assert cell["interval"] == in_percent(ours["interval"])


def test_vhexpansion(run: Path) -> None:
    random = Random(5)
    records = [
        Record(
            f"{case}{end}{'-n' if negated else ''}", benchmark="vhexpansion", kind="yes_no", source="pope",
            perturbation=perturbation, pair_id=f"{case}{end}", negated=negated, scene_ids=(f"s{case // 3}",),
            answer="no" if negated == (case % 2 == 0) else "yes", prediction=random.choice(["yes", "no", "yes", ""]),
        )
        for case in range(40) for perturbation, end in (("", ""), ("jpeg", "/jpeg")) for negated in (False, True)
    ]  # fmt: skip
    found, pairs = (
        analysis(run, records)["sources"]["pope"],
        report(run, records, "vhexpansion_pope")["pairs"]["by_perturbation"],
    )
    for kind, ours in found.items():
        theirs: Mapping[str, Any] = pairs["" if kind == "clean" else kind]
        for name in ("symmetric_accuracy", "accuracy", "yes_rate", "chance", "unparsed"):
            assert ours[name] == in_percent(theirs[name])
        assert ours["interval"] == in_percent(theirs["intervals"]["symmetric_accuracy"])
        for name in ("new_successful", "pairs", "incomplete_pairs"):
            assert ours[name] == theirs[name]
