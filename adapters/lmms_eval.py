"""Registration of vhbench's tasks and models with lmms-eval.

All uses of lmms-eval's internals are in this file. If a newer release lacks one, a one-line message gives an
alternative, and everything else keeps working.
"""

import argparse
import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, TypeVar

from PIL import Image

from vhbench.benchmarks import of_task
from vhbench.files import json_bytes, write_atomic
from vhbench.provenance import (
    KEY,
    SHARE,
    DataSource,
    Provenance,
    digest,
    digest_of_prompts,
    hashed_row,
    safe_arguments,
    sent_messages,
    sent_text,
)
from vhbench.schema import VhbenchError

MODELS = {
    f"vhbench_{name.lower()}": f"calibration.{name}" for name in ("Oracle", "Coin", "Yes", "Blind", "Presence")
} | {"vhbench_one_image": "calibration.OneImage", "vhbench_adapter": "lmms_eval_adapter.AdapterModel"}
T = TypeVar("T")
_USE_PATH = 'name the tasks with --include_path "$(vhbench tasks)"'


def tasks_folder() -> Path:
    """Return the folder of the YAML files for ``--include_path "$(vhbench tasks)"``."""
    return Path(__file__).resolve().parent.parent / "tasks"


def register() -> list[Any]:
    """Add our tasks and return our model manifests; entry point of ``lmms_eval.models``.

    lmms-eval has no entry point for tasks (``LMMS_EVAL_PLUGINS`` extends a path after its TaskManager has read it). It
    does load this group when ``lmms_eval.models`` is imported, which precedes any TaskManager in ``lmms-eval``,
    ``python -m lmms_eval`` and ``simple_evaluate``. Its other commands do not import that module: see
    :mod:`vhbench.cli.tasks`. A program that constructs TaskManager earlier must call :func:`vhbench.register` first.
    Raises if lmms-eval is not installed.
    """
    _expect_model(sys.argv)
    _hook(_add_tasks, None, _USE_PATH)
    _hook(_record_provenance, None, "samples and reports have no provenance")
    _hook(_name_reports, None, "reports have no date, and a new run replaces the last one's")
    _hook(_score_samples, None, "--baseline compares bare words with the answers")
    return _hook(_manifests, [], f"its models are unknown; where its tasks are too, {_USE_PATH}")


def _expect_model(argv: Sequence[str]) -> None:
    """Exit with commands to copy if our tasks are run without a model: lmms-eval's default does not exist."""
    program = Path(argv[0]) if argv else Path()
    evaluates = program.stem in ("lmms-eval", "lmms_eval") or program.parts[-2:] == ("lmms_eval", "__main__.py")
    given_to_eval = argv[2:] if argv[1:2] == ["eval"] else argv[1:]
    if not evaluates or not given_to_eval or not given_to_eval[0].startswith("-"):
        return  # another program, or another command of lmms-eval's
    parser = argparse.ArgumentParser(add_help=False)  # "--task" is short for "--tasks", as in lmms-eval
    for option in ("--model", "--tasks", "--config"):
        parser.add_argument(option, default="")
    options, _ = parser.parse_known_args(given_to_eval)
    if options.model or options.config or not any(of_task(name.strip()) for name in options.tasks.split(",")):
        return
    commands = (
        ("a random baseline", "vhbench_coin"),
        ("a small open model", "qwen2_5_vl --model_args pretrained=Qwen/Qwen2.5-VL-3B-Instruct"),
        ("a server", "openai --model_args base_url=http://localhost:8000/v1,api_key=none,model=NAME"),
    )
    print(f"vhbench: expected --model MODEL with --tasks {options.tasks}; for example", file=sys.stderr)
    for about, model in commands:
        print(f"  lmms-eval --model {model} --tasks {options.tasks} --output_path results  # {about}", file=sys.stderr)
    raise SystemExit(2)


def write_beside_results(args: Any, name: str, content: dict[str, Any] | list[Any]) -> None:
    """Write JSON next to lmms-eval's results of this run, if it writes any.

    File name and content include the results' date. It is only known when they are saved, so the report is held back
    until then.
    """
    if args is not None and _RUN.args is args and _RUN.saves:
        _RUN.reports[name] = content
    elif (folder := results_folder(args)) is not None:
        write_atomic(folder / f"{name}.json", json_bytes(content))


def results_folder(args: Any) -> Path | None:
    """Return the folder of this run's results, or None if lmms-eval writes none."""
    output_path = getattr(args, "output_path", None)
    if not output_path:
        return None
    instead = f"reports go to {output_path} itself; where tasks are unknown, {_USE_PATH}"
    return Path(output_path) / _hook(lambda: _model_folder(args), "", instead)


def _add_tasks() -> None:
    """Make every TaskManager read our folder after its own and the user's, by its documented arguments; idempotent."""
    from lmms_eval import tasks

    def init(original: Callable[..., None], call: inspect.BoundArguments) -> None:
        if call.arguments.get("include_defaults", True):
            theirs = call.arguments.get("include_path") or []
            # Ours comes last, so that existing names of lmms-eval or the user take precedence.
            call.arguments["include_path"] = [*([theirs] if isinstance(theirs, str) else theirs), str(tasks_folder())]
        original(*call.args, **call.kwargs)

    _surround(tasks, "TaskManager.__init__", {"include_path"}, init)


def _surround(
    module: object, path: str, takes: set[str], call: Callable[[Callable[..., None], inspect.BoundArguments], None]
) -> None:
    """Wrap a method ("TaskManager.__init__") of a module, its arguments bound by name; idempotent."""
    name, method = path.split(".")
    owner = getattr(module, name)
    original = getattr(owner, method)
    if getattr(original, "knows_vhbench", False):
        return
    signature = inspect.signature(original)
    if missing := takes - signature.parameters.keys():
        raise AttributeError(f"{path} takes no {', '.join(sorted(missing))}")

    @functools.wraps(original)
    def surrounded(*args: Any, **options: Any) -> None:
        call(original, signature.bind(*args, **options))

    surrounded.knows_vhbench = True  # type: ignore[attr-defined]
    setattr(owner, method, surrounded)


@dataclass(slots=True)
class _Run:
    """State of the current lmms-eval run until its results are saved; ``args`` is None under ``simple_evaluate``."""

    args: Any = None
    saves: bool = False
    provenance: dict[str, Provenance] = field(default_factory=dict)
    reports: dict[str, dict[str, Any] | list[Any]] = field(default_factory=dict)


_RUN = _Run()


def _record_provenance() -> None:
    """Record our tasks' prompts before a model answers them; reject unsupported options."""
    from lmms_eval.api import task

    def build(original: Callable[..., None], call: inspect.BoundArguments) -> None:
        our_task, options = call.arguments["self"], call.kwargs
        metadata = our_task.config.metadata
        ours = isinstance(metadata, dict) and "content_hash" in metadata and "vhbench" in metadata
        if ours:
            _refuse(our_task, metadata, options)
        original(*call.args, **options)
        if ours:
            _begin(our_task, metadata, options)

    _surround(task, "Task.build_all_requests", {"limit", "offset"}, build)


def _refuse(task: Any, metadata: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Exit with one line for options that lmms-eval would fail at or silently ignore."""
    name = task.config.task
    if shots := task.config.num_fewshot or 0:
        why = f"--num_fewshot {shots}: {name} shows no examples; its questions are asked as they are. Leave it out"
    elif options.get("cache_requests"):
        why = f"--cache_requests: lmms-eval cannot store what {name} asks; use --use_cache DIR, which keeps answers"
    elif not _asked(task, options):
        option = f"--limit {options['limit']}" if options.get("limit") == 0 else f"--offset {options.get('offset')}"
        why = f"{option} asks none of the {len(task.eval_docs_no_media):,} questions of {name}"
    elif not (why := _unlike_baseline(task, metadata)):
        return
    print(f"vhbench: {why}", file=sys.stderr)
    raise SystemExit(2)


def _unlike_baseline(task: Any, metadata: Mapping[str, Any]) -> str:
    """Return why --baseline cannot be compared, since lmms-eval pairs rows by index, or ""."""
    from vhbench.provenance import provenance_in

    file, name = Path(str(getattr(task.args, "baseline", None) or "")), task.config.task
    baseline = provenance_in(file) if file.is_file() else None
    if baseline is None or (baseline.task, baseline.content_hash) == (name, metadata["content_hash"]):
        return ""
    if baseline.task != name:
        return f"--baseline {file}: contains responses to {baseline.task}, not {name}; run each task alone"
    evaluated = f"{metadata['version']} ({metadata['content_hash'][:12]}…)"
    one = f"{baseline.benchmark} {baseline.version} ({baseline.content_hash[:12]}…)"
    return f"--baseline {file}: contains responses to {one}; {name} is evaluated on {evaluated}"


def _asked(task: Any, options: Mapping[str, Any]) -> range:
    """Return the row indices that a run evaluates over all processes, by --limit and --offset."""
    count, limit = len(task.eval_docs_no_media), options.get("limit")
    first = min(options.get("offset") or 0, count)
    return range(first, count if limit is None else min(first + int(limit), count))


def _begin(task: Any, metadata: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Record the provenance of a task's responses and add it to its samples."""
    config, args = task.config, task.args
    form: Literal["chat", "simple"] = "chat" if callable(task.instances[0].args[1]) else "simple"
    docs, indices = task.eval_docs_no_media, _asked(task, options)
    rows = dict(enumerate(docs.select(indices), start=indices.start))  # of all processes, not just this one
    prompts = {row["id"]: digest(_prompt(task, row, form, options)) for row in rows.values()}
    provenance = Provenance(
        task=config.task,
        benchmark=metadata["benchmark"],
        version=metadata["version"],
        content_hash=metadata["content_hash"],
        data=DataSource(**metadata["data"]),
        vhbench=metadata["vhbench"],
        lmms_eval=installed(),
        model=str(getattr(args, "model", None) or task.model_name or ""),
        model_args=safe_arguments(getattr(args, "model_args", None)),
        prompt_form=form,
        prompts=digest_of_prompts(prompts),
        generation=json.loads(json.dumps(config.generation_kwargs, default=str)),
        repeats=config.repeats or 1,
        asked=len(prompts),
        of=len(docs),
    )
    if _RUN.args is not args:
        _RUN.args, _RUN.provenance, _RUN.reports = args, {}, {}
        if form == "chat" and options.get("system_instruction"):
            print("vhbench: --system_instruction: not sent to chat models by lmms-eval", file=sys.stderr)
    _RUN.provenance[config.task] = provenance
    if config.process_results is not None:  # --predict_only removes it
        limit = provenance.generation.get("max_new_tokens")
        logged = {
            "provenance": provenance.to_json(),
            "prompts": prompts,
            # The input that lmms-eval logs is text even for chat models.
            "inputs": {rows[i.doc_id]["id"]: digest(str(i.args[0])) for i in task.instances if i.doc_id in rows},
            "tokens": functools.cache(functools.partial(_token_counts, task, rows)),
            "limit": limit if isinstance(limit, int) else None,
        }
        scored = functools.partial(config.process_results, **logged)
        task.set_config("process_results", scored)
    for instance in task.instances:
        if instance.doc_id in rows:  # lmms-eval derives doc_hash from this; otherwise from nothing
            instance.doc = hashed_row(rows[instance.doc_id], provenance.content_hash)


def _token_counts(task: Any, rows: Mapping[int, Any]) -> dict[str, list[int]]:
    """Return id → generated tokens of each response, 0 if unknown; lmms-eval stores them with its requests alone."""
    counts: dict[str, list[int]] = {}
    for instance in sorted(task.instances, key=lambda instance: (instance.doc_id, instance.idx)):
        if instance.doc_id in rows:
            count = instance.token_counts[0] if instance.token_counts else None
            counts.setdefault(rows[instance.doc_id]["id"], []).append((count and count.output_tokens) or 0)
    return counts


def _prompt(task: Any, row: Mapping[str, Any], form: str, options: Mapping[str, Any]) -> str:
    """Return the prompt for a row, with [image] per image, using the sending functions."""
    count = len(row["scene_ids"])
    if form == "simple":
        shared = ("system_instruction", "apply_chat_template", "fewshot_as_multiturn", "chat_template")
        text = task.fewshot_context(doc=row, num_fewshot=0, **{k: options[k] for k in shared if k in options})
        return sent_text(count, str(text))
    blank = Image.new("RGB", (1, 1))  # decoding the real images takes minutes and does not affect the text
    return sent_messages(task.doc_to_messages({**row, "images": [blank] * count}))


def _name_reports() -> None:
    """Add provenance to results and a date to reports; mark partial runs in the table."""
    from lmms_eval.loggers import evaluation_tracker

    def save(original: Callable[..., None], call: inspect.BoundArguments) -> None:
        results, date = call.arguments["results"], str(call.arguments["datetime_str"]).replace(":", "-")
        provenance = {name: record for name, record in _RUN.provenance.items() if name in results.get("configs", ())}
        if provenance:
            results["vhbench"] = {name: record.to_json() for name, record in provenance.items()}
        original(*call.args, **call.kwargs)
        folder, reports = results_folder(_RUN.args), _RUN.reports
        for name, content in reports.items():
            if folder is not None:
                dated = content if isinstance(content, list) else {"date": date, **content}
                write_atomic(folder / f"{date}_{name}.json", json_bytes(dated))
        _RUN.reports = {}
        for name, record in provenance.items():
            entry, remarks = results["results"].get(name, {}), list(_remarks(record, reports.get(f"{name}_report")))
            if remarks and "alias" in entry:
                entry["alias"] += f" ({'; '.join(remarks)})"

    _surround(evaluation_tracker, "EvaluationTracker.save_results_aggregated", {"results", "datetime_str"}, save)
    _RUN.saves = True


def _remarks(provenance: Provenance, report: Any) -> Iterator[str]:
    """Yield the notes that lmms-eval's table shows next to the name of a task."""
    if provenance.asked < provenance.of:
        yield f"{provenance.asked:,} of {provenance.of:,} evaluated"
    if report and report["withheld"]:
        yield "scores are withheld"
    for name, (low, high) in report["overall"]["bounds"].items() if report else ():
        yield f"{name} {low:.1f}–{high:.1f} depending on missing predictions"


def _score_samples() -> None:
    """Add a score to each sample for ``--baseline``, which cannot read payloads."""
    from lmms_eval.loggers import evaluation_tracker

    def save(original: Callable[..., None], call: inspect.BoundArguments) -> None:
        for sample in call.arguments["samples"]:
            payload = sample.get("accuracy")
            if isinstance(payload, dict) and {KEY, SHARE} <= payload.keys():
                sample[SHARE] = payload[SHARE]
        original(*call.args, **call.kwargs)

    _surround(evaluation_tracker, "EvaluationTracker.save_results_samples", {"samples"}, save)


def _manifests() -> list[Any]:
    from lmms_eval.models import ModelManifest  # requires the class itself, wherever it is defined

    classes = {name: f"vhbench.adapters.{class_name}" for name, class_name in MODELS.items()}
    return [
        ModelManifest(model_id=name, simple_class_path=path, chat_class_path=f"{path}Chat")
        for name, path in classes.items()
    ]


def _model_folder(args: Any) -> str:
    from lmms_eval.loggers.evaluation_tracker import GeneralConfigTracker

    tracker = GeneralConfigTracker()
    tracker.log_experiment_args(
        model_source=args.model,
        model_args=args.model_args,
        system_instruction=None,
        chat_template=None,
        fewshot_as_multiturn=False,
    )
    return str(tracker.model_name_sanitized)


def _hook(use: Callable[[], T], default: T, instead: str) -> T:
    """Call a hook into lmms-eval; if it fails, print an alternative and return the default."""
    try:
        return use()
    except (ImportError, AttributeError, TypeError) as missing:
        if isinstance(missing, ModuleNotFoundError) and missing.name == "lmms_eval":
            raise VhbenchError("lmms-eval is not installed: pip install 'vhbench[eval]'") from None
        _say(f"{str(missing).partition(' (')[0]}: {instead}")
        return default


def installed() -> str:
    """Return the version of lmms-eval."""
    try:
        return version("lmms_eval")
    except PackageNotFoundError:  # vendored copy
        return "of unknown version"


@functools.cache
def _say(line: str) -> None:
    print(f"vhbench: untested lmms-eval version {installed()}: {line}", file=sys.stderr)
