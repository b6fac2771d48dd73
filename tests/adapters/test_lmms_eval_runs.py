"""What a run of our tasks is refused, records and prints, on a stand-in for lmms-eval's task; lmms-eval is not run."""

import inspect
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from vhbench import provenance
from vhbench.adapters import lmms_eval as adapter
from vhbench.columns import RECORD
from vhbench.provenance import DataSource, Provenance

HASH = "ab" * 32
METADATA = {"benchmark": "ode", "version": "1.0.0", "content_hash": HASH, "data": {"kind": "starter"}, "vhbench": "0.1"}


class Docs(list[dict[str, Any]]):
    """Rows of a task."""

    def select(self, indices: range) -> "Docs":
        return Docs(self[i] for i in indices)


def row(name: str) -> dict[str, Any]:
    return {**dict.fromkeys(RECORD, ""), "id": name, "scene_ids": ["s", "t"], "choices": ("a", "b")}


class Task:
    """Three questions on two images each."""

    def __init__(self, *, chat: bool = False, **config: Any) -> None:
        named = {"task": "ode_x", "metadata": METADATA, "num_fewshot": None, "repeats": 2, "process_results": None}
        self.config = SimpleNamespace(**named, generation_kwargs={"max_new_tokens": 16, "until": Path("x")})
        self.config.__dict__.update(config)
        self.args = SimpleNamespace(model="m", model_args="api_key=secret,x=1", baseline=None)
        self.model_name = "of the task"
        self.eval_docs_no_media = Docs(row(name) for name in "abc")
        self.asked: list[dict[str, Any]] = []
        look = (lambda doc: [doc]) if chat else {"max_new_tokens": 16}
        self.instances = [
            SimpleNamespace(args=(f"input {i}", look, i), doc_id=i, idx=0, token_counts=[], doc=None) for i in range(3)
        ]

    def set_config(self, name: str, value: Any) -> None:
        setattr(self.config, name, value)

    def fewshot_context(self, doc: dict[str, Any], num_fewshot: int, **options: Any) -> str:
        assert num_fewshot == 0
        return f"{options.get('system_instruction') or ''}Is it {doc['id']}?"

    def doc_to_messages(self, doc: dict[str, Any]) -> list[dict[str, Any]]:
        shown = [{"type": "image", "url": image} for image in doc["images"]]
        return [{"role": "user", "content": [*shown, {"type": "text", "text": doc["id"]}]}]


@pytest.fixture(autouse=True)
def _run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_RUN", adapter._Run())


# -- tasks without a model


@pytest.mark.parametrize(
    "argv",
    [
        ["/usr/bin/lmms-eval", "--tasks", "ode,mme"],
        ["lmms-eval", "eval", "--task", "mme, ode"],
        ["/site-packages/lmms_eval/__main__.py", "--limit", "2", "--tasks=ode"],
    ],
)
def test_our_tasks_without_a_model_are_refused_with_commands_to_copy(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        adapter._expect_model(argv)
    tasks = {"/usr": "ode,mme", "lmms": "mme, ode", "/sit": "ode"}[argv[0][:4]]
    first, coin, small, server = capsys.readouterr().err.splitlines()
    assert (stopped.value.code, first) == (2, f"vhbench: expected --model MODEL with --tasks {tasks}; for example")
    run = f"--tasks {tasks} --output_path results"
    assert coin == f"  lmms-eval --model vhbench_coin {run}  # a random baseline"
    assert small.endswith(f" pretrained=Qwen/Qwen2.5-VL-3B-Instruct {run}  # a small open model")
    assert server.endswith(f" {run}  # a server")


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["lmms-eval"],
        ["lmms-eval", "eval"],
        ["lmms-eval", "tasks", "--tasks", "ode"],
        ["pytest", "--tasks", "ode"],
        ["/x/__main__.py", "--tasks", "ode"],
        ["lmms-eval", "--tasks", "ode", "--model", "x"],
        ["lmms-eval", "--tasks", "ode", "--config", "x.yaml"],
        ["lmms-eval", "--tasks", "mme"],
        ["lmms-eval", "--limit", "2"],
    ],
)
def test_other_programs_commands_and_tasks_pass(argv: list[str]) -> None:
    adapter._expect_model(argv)


# -- options


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({}, [0, 1, 2]), ({"limit": 2}, [0, 1]), ({"limit": 9}, [0, 1, 2]), ({"offset": 1}, [1, 2]),
        ({"limit": 1.0, "offset": 1}, [1]), ({"offset": 7}, []), ({"limit": 0}, []), ({"offset": None}, [0, 1, 2]),
    ],
)  # fmt: skip
def test_rows_that_a_run_evaluates(options: dict[str, Any], rows: list[int]) -> None:
    assert list(adapter._asked(Task(), options)) == rows


@pytest.mark.parametrize(
    ("config", "options", "line"),
    [
        ({"num_fewshot": 3}, {}, "--num_fewshot 3: ode_x shows no examples; its questions are asked as they are. Leave "
         "it out"),
        ({}, {"cache_requests": True}, "--cache_requests: lmms-eval cannot store what ode_x asks; use --use_cache DIR, "
         "which keeps answers"),
        ({}, {"limit": 0}, "--limit 0 asks none of the 3 questions of ode_x"),
        ({}, {"offset": 3}, "--offset 3 asks none of the 3 questions of ode_x"),
    ],
)  # fmt: skip
def test_options_that_cannot_work_end_the_run(
    config: dict[str, Any], options: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        adapter._refuse(Task(**config), METADATA, options)
    assert (stopped.value.code, capsys.readouterr().err) == (2, f"vhbench: {line}\n")
    adapter._refuse(Task(), METADATA, {"limit": 1})


def test_a_baseline_of_other_rows_ends_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "samples_ode_x.jsonl"
    task = Task()
    task.args.baseline = str(file)
    adapter._refuse(task, METADATA, {})  # no file
    about = {"data": DataSource(kind="starter"), "vhbench": "0.1", "lmms_eval": "0.7", "benchmark": "ode"}

    def unlike(**own: str) -> str:
        record = Provenance(**{"task": "ode_x", "version": "1.0.0", "content_hash": HASH, **about, **own})
        file.write_text(json.dumps({"accuracy": {provenance.KEY: record.to_json()}}) + "\n")
        return adapter._unlike_baseline(task, METADATA)

    assert unlike() == ""
    adapter._refuse(task, METADATA, {})
    assert unlike(task="ode_y") == f"--baseline {file}: contains responses to ode_y, not ode_x; run each task alone"
    assert unlike(content_hash="cd" * 32, version="2.0.0") == (
        f"--baseline {file}: contains responses to ode 2.0.0 (cdcdcdcdcdcd…); ode_x is evaluated on "
        "1.0.0 (abababababab…)"
    )
    with pytest.raises(SystemExit):
        adapter._refuse(task, METADATA, {})
    assert capsys.readouterr().err.startswith(f"vhbench: --baseline {file}: contains")


# -- what is recorded


def test_the_provenance_of_a_run_of_a_simple_model() -> None:
    task = Task()
    adapter._begin(task, METADATA, {"limit": 2, "system_instruction": "Look. "})
    prompts = {name: provenance.digest(f"[image]\n[image]\nLook. Is it {name}?") for name in "ab"}
    assert adapter._RUN.provenance == {
        "ode_x": Provenance(
            task="ode_x", benchmark="ode", version="1.0.0", content_hash=HASH, data=DataSource(kind="starter"),
            vhbench="0.1", lmms_eval=adapter.installed(), model="m", model_args="api_key=***,x=1", prompt_form="simple",
            prompts=provenance.digest_of_prompts(prompts), generation={"max_new_tokens": 16, "until": "x"}, repeats=2,
            asked=2, of=3,
        )
    }  # fmt: skip
    assert adapter._RUN.args is task.args
    hashed = [None if instance.doc is None else (instance.doc["id"], instance.doc["content_hash"])
              for instance in task.instances]  # fmt: skip
    assert hashed == [("a", HASH), ("b", HASH), None]  # the third is of no row that is asked
    assert task.config.process_results is None  # --predict_only


def test_a_chat_model_is_sent_messages_and_samples_get_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    task = Task(chat=True, process_results=lambda doc, results, **logged: logged, repeats=None)
    adapter._begin(task, METADATA, {"offset": 1, "system_instruction": "Look. "})
    line = "vhbench: --system_instruction: not sent to chat models by lmms-eval\n"
    assert capsys.readouterr().err == line
    record = adapter._RUN.provenance["ode_x"]
    assert (record.prompt_form, record.repeats, record.asked, record.of) == ("chat", 1, 2, 3)
    logged = task.config.process_results({}, [])
    prompts = {name: provenance.digest(f"user:\n[image]\n[image]\n{name}") for name in "bc"}
    assert (logged["provenance"], logged["prompts"], logged["limit"]) == (record.to_json(), prompts, 16)
    assert logged["inputs"] == {"b": provenance.digest("input 1"), "c": provenance.digest("input 2")}
    task.instances[1].token_counts = [SimpleNamespace(output_tokens=7)]
    assert logged["tokens"]() == {"b": [7], "c": [0]}

    other = Task(chat=True, task="ode_y", process_results=lambda doc, results, **logged: logged)
    other.args, other.config.generation_kwargs = task.args, {"max_new_tokens": "many"}
    adapter._begin(other, METADATA, {"system_instruction": "Look. "})
    assert capsys.readouterr().err == ""  # printed once for a run
    assert list(adapter._RUN.provenance) == ["ode_x", "ode_y"]
    assert other.config.process_results({}, [])["limit"] is None
    adapter._RUN.reports["x"] = []
    adapter._begin(Task(), METADATA, {})
    assert (list(adapter._RUN.provenance), adapter._RUN.reports) == (["ode_x"], {})  # another run


def test_a_model_without_arguments_is_named_by_the_task() -> None:
    task = Task()
    task.args = None
    adapter._begin(task, METADATA, {})
    record = adapter._RUN.provenance["ode_x"]
    assert (record.model, record.model_args) == ("of the task", "")


def test_tokens_are_those_of_the_repetitions_of_each_row_in_order() -> None:
    counted = [SimpleNamespace(output_tokens=count) for count in (5, None, 3)]
    given = [(1, 1, [counted[0]]), (1, 0, [counted[2], counted[0]]), (0, 0, [counted[1]]), (0, 1, [None]), (9, 0, [])]
    instances = [SimpleNamespace(doc_id=doc, idx=index, token_counts=counts) for doc, index, counts in given]
    rows = {0: {"id": "a"}, 1: {"id": "b"}}
    assert adapter._token_counts(SimpleNamespace(instances=instances), rows) == {"a": [0, 0], "b": [3, 5]}


# -- what is printed and written


@pytest.mark.parametrize(
    ("asked", "report", "remarks"),
    [
        (1000, None, []),
        (999, None, ["999 of 1,000 evaluated"]),
        (1000, {"withheld": "why", "overall": {"bounds": {}}}, ["scores are withheld"]),
        (
            1000,
            {"withheld": None, "overall": {"bounds": {"accuracy": (41.26, 50.0)}}},
            ["accuracy 41.3–50.0 depending on missing predictions"],
        ),
    ],
)
def test_remarks_beside_the_name_of_a_task(asked: int, report: Any, remarks: list[str]) -> None:
    assert list(adapter._remarks(SimpleNamespace(asked=asked, of=1000), report)) == remarks  # type: ignore[arg-type]


def test_reports_are_held_back_only_for_the_run_that_saves_results(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(adapter, "results_folder", lambda args: Path("results") if args else None)
    monkeypatch.setattr(adapter, "write_atomic", lambda path, data: written.append(path.as_posix()))
    args = SimpleNamespace()
    adapter._RUN.args = args
    adapter.write_beside_results(args, "first", {})
    adapter._RUN.saves = True
    adapter.write_beside_results(args, "second", {"x": 1})
    adapter.write_beside_results(SimpleNamespace(), "third", {})
    adapter._RUN.args = None
    adapter.write_beside_results(None, "fourth", {})
    assert (written, adapter._RUN.reports) == (["results/first.json", "results/third.json"], {"second": {"x": 1}})


def test_a_method_is_wrapped_once_with_its_arguments_by_name() -> None:
    class Owner:
        def run(self, limit: int, **more: Any) -> None:
            seen.append((limit, more))

    seen: list[Any] = []

    def call(original: Any, bound: inspect.BoundArguments) -> None:
        seen.append(dict(bound.arguments, self=None))
        original(*bound.args, **bound.kwargs)

    module = SimpleNamespace(Owner=Owner)
    with pytest.raises(AttributeError, match=r"^Owner\.run takes no offset, until$"):
        adapter._surround(module, "Owner.run", {"until", "limit", "offset"}, call)
    for _ in range(2):
        adapter._surround(module, "Owner.run", {"limit"}, call)
    Owner().run(3, offset=1)
    assert seen == [{"self": None, "limit": 3, "more": {"offset": 1}}, (3, {"offset": 1})]


def test_a_hook_that_fails_prints_what_to_do_instead_once(capsys: pytest.CaptureFixture[str]) -> None:
    adapter._say.cache_clear()

    def use() -> int:
        raise AttributeError("no TaskManager (in x.py)")

    assert [adapter._hook(use, 7, "do y") for _ in range(2)] == [7, 7]
    line = f"vhbench: untested lmms-eval version {adapter.installed()}: no TaskManager: do y\n"
    assert capsys.readouterr().err == line
    adapter._say.cache_clear()
    assert adapter._hook(lambda: 5, 7, "") == 5


class Tracker:
    """What lmms-eval's trackers are called with."""

    saved: ClassVar[list[Any]] = []

    def save_results_aggregated(self, results: dict[str, Any], samples: Any, datetime_str: str) -> None:
        self.saved.append(json.loads(json.dumps(results)))

    def save_results_samples(self, task_name: str, samples: list[dict[str, Any]]) -> None:
        self.saved.append(json.loads(json.dumps(samples)))

    def log_experiment_args(self, **given: Any) -> None:
        self.model_name_sanitized = f"{given.pop('model_source')}/{given.pop('model_args')}".replace("/", "__")
        assert given == {"system_instruction": None, "chat_template": None, "fewshot_as_multiturn": False}


@pytest.fixture
def tracker(monkeypatch: pytest.MonkeyPatch) -> type[Tracker]:
    """Stand-ins for lmms-eval's trackers, hooked as :func:`adapter.register` hooks the real ones."""
    own = type("EvaluationTracker", (Tracker,), {"saved": []})
    for name in ("save_results_aggregated", "save_results_samples"):
        setattr(own, name, Tracker.__dict__[name])
    module = SimpleNamespace(EvaluationTracker=own, GeneralConfigTracker=Tracker)
    monkeypatch.setitem(sys.modules, "lmms_eval.loggers", SimpleNamespace(evaluation_tracker=module))
    monkeypatch.setitem(sys.modules, "lmms_eval.loggers.evaluation_tracker", module)
    return own


def test_results_have_the_provenance_and_reports_the_date_of_the_run(tracker: Any, tmp_path: Path) -> None:
    adapter._name_reports()
    run = adapter._RUN
    assert run.saves is True
    run.args = SimpleNamespace(output_path=str(tmp_path), model="m", model_args="x=1")
    about = {"data": DataSource(kind="starter"), "vhbench": "0.1", "lmms_eval": "0.7", "benchmark": "ode"}
    about |= {"version": "1.0.0", "content_hash": HASH}
    records = {
        name: Provenance(task=name, asked=asked, of=3, **about) for name, asked in (("x", 2), ("y", 3), ("z", 3))
    }
    run.provenance = records
    adapter.write_beside_results(run.args, "x_report", {"withheld": "why", "overall": {"bounds": {}}, "task": "x"})
    adapter.write_beside_results(run.args, "x_submission", [{"id": "q"}])
    results: dict[str, Any] = {"configs": {"x": {}, "y": {}}, "results": {"x": {"alias": "X"}, "y": {"alias": "Y"}}}
    tracker().save_results_aggregated(results, samples=None, datetime_str="2026-01-01T12:00:00")
    [saved] = tracker.saved
    assert saved["vhbench"] == {name: records[name].to_json() for name in "xy"}
    assert saved["results"]["x"] == {"alias": "X"}  # the remarks are for the table, not for the file
    assert results["results"] == {
        "x": {"alias": "X (2 of 3 evaluated; scores are withheld)"},
        "y": {"alias": "Y"},
    }
    written = {path.relative_to(tmp_path).as_posix(): json.loads(path.read_text()) for path in tmp_path.rglob("*.json")}
    assert written == {
        "m__x=1/2026-01-01T12-00-00_x_report.json": {
            "date": "2026-01-01T12-00-00", "withheld": "why", "overall": {"bounds": {}}, "task": "x",
        },
        "m__x=1/2026-01-01T12-00-00_x_submission.json": [{"id": "q"}],
    }  # fmt: skip
    assert run.reports == {}


def test_results_of_other_tasks_stay_as_they_are(tracker: Any) -> None:
    adapter._name_reports()
    adapter._RUN.reports = {"x_report": {}}
    results: dict[str, Any] = {"results": {"mme": {"alias": "MME"}}}
    tracker().save_results_aggregated(results, None, "2026")
    assert tracker.saved == [results] == [{"results": {"mme": {"alias": "MME"}}}]


def test_samples_have_a_score_beside_their_payload(tracker: Any) -> None:
    adapter._score_samples()
    payload = {provenance.KEY: {}, provenance.SHARE: 0.5}
    samples = [{"accuracy": payload}, {"accuracy": 1.0}, {"accuracy": {"score": 1}}, {"other": payload}]
    tracker().save_results_samples("x", samples)
    assert tracker.saved == [samples]
    assert [sample.get(provenance.SHARE) for sample in samples] == [0.5, None, None, None]


def test_results_have_a_folder_of_their_model_if_there_are_any(tracker: Any, tmp_path: Path) -> None:
    run = SimpleNamespace(output_path=str(tmp_path), model="org/m", model_args="x=1")
    assert adapter.results_folder(run) == tmp_path / "org__m__x=1"
    assert adapter.results_folder(SimpleNamespace(output_path="")) is None
    assert adapter.results_folder(None) is None


def test_each_model_of_ours_is_known_by_its_simple_and_its_chat_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lmms_eval.models", SimpleNamespace(ModelManifest=dict))
    made = {one.pop("model_id"): one for one in adapter._manifests()}
    assert set(made) == set(adapter.MODELS)
    path = "vhbench.adapters.calibration.OneImage"
    assert made["vhbench_one_image"] == {"simple_class_path": path, "chat_class_path": f"{path}Chat"}
