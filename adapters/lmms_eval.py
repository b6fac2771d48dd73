"""Makes lmms-eval know vhbench's tasks and calibration models, with nothing to type but their names.

Whatever vhbench needs of lmms-eval beside its public options is in this file. Where a newer release has it no more,
one line says what to do instead, and everything else goes on.
"""

import functools
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, TypeVar

from PIL import Image

from vhbench.files import json_bytes, write_atomic
from vhbench.provenance import (
    KEY,
    SHARE,
    DataSource,
    Provenance,
    digest,
    digest_of_prompts,
    hashed_row,
    sent_messages,
    sent_text,
    told_arguments,
)
from vhbench.schema import VhbenchError

MODELS = {f"vhbench_{name.lower()}": name for name in ("Oracle", "Coin", "Yes", "Blind", "Presence")}
MODELS["vhbench_one_image"] = "OneImage"
T = TypeVar("T")
_USE_PATH = 'name the tasks with --include_path "$(vhbench tasks)"'


def tasks_folder() -> Path:
    """Return the folder of the YAML files, for ``lmms-eval --include_path "$(vhbench tasks)"``."""
    return Path(__file__).resolve().parent.parent / "tasks"


def register() -> list[Any]:
    """Entry point of group ``lmms_eval.models``: add our tasks and return the manifests of our models.

    lmms-eval has no entry point for tasks (``LMMS_EVAL_PLUGINS`` extends a path after its TaskManager has read it),
    but it loads this group when ``lmms_eval.models`` is imported, which happens before any TaskManager is made: in
    ``lmms-eval``, in ``python -m lmms_eval`` and in ``simple_evaluate`` alike. A program that makes a TaskManager
    before that calls :func:`vhbench.register`.

    Raises:
        VhbenchError: if lmms-eval is not installed.
    """
    _hook(_add_tasks, None, _USE_PATH)
    _hook(_tell_provenance, None, "samples and reports do not say where they come from")
    _hook(_name_reports, None, "reports have no date, and a new run replaces the last one's")
    _hook(_score_samples, None, "--baseline compares bare words with the answers")
    return _hook(_manifests, [], f"its models are unknown; where its tasks are too, {_USE_PATH}")


def write_beside_results(args: Any, name: str, content: dict[str, Any] | list[Any]) -> None:
    """Write JSON beside the results that lmms-eval writes of this run; nothing where it writes none.

    Its name has their date, and so has an object: that is only known when they are saved, and until then it is kept.
    """
    folder = results_folder(args)
    if folder is None:
        return
    if args is not None and _RUN.args is args and _RUN.saves:
        _RUN.reports[name] = content
    else:
        write_atomic(folder / f"{name}.json", json_bytes(content))


def results_folder(args: Any) -> Path | None:
    """Return the folder into which lmms-eval writes this run's results, or None if it writes none."""
    output_path = getattr(args, "output_path", None)
    if not output_path:
        return None
    instead = f"reports go to {output_path} itself; where tasks are unknown, {_USE_PATH}"
    return Path(output_path) / _hook(lambda: _model_folder(args), "", instead)


def _add_tasks() -> None:
    """Let every TaskManager read our folder after its own and the user's; a second time changes nothing.

    Only what a TaskManager takes is used, no method of it: that is documented, and stays.
    """
    from lmms_eval import tasks

    def init(original: Callable[..., None], given: inspect.BoundArguments) -> None:
        if given.arguments.get("include_defaults", True):
            theirs = given.arguments.get("include_path") or []
            # Ours comes last: a name that lmms-eval or the user already has stays theirs.
            given.arguments["include_path"] = [*([theirs] if isinstance(theirs, str) else theirs), str(tasks_folder())]
        original(*given.args, **given.kwargs)

    _surround(tasks, "TaskManager.__init__", {"include_path"}, init)


def _surround(
    module: object, path: str, takes: set[str], call: Callable[[Callable[..., None], inspect.BoundArguments], None]
) -> None:
    """Have a method of lmms-eval called by us, with its arguments by their names; a second time changes nothing.

    Args:
        module: of lmms-eval.
        path: the method's in it, such as "TaskManager.__init__".
        takes: names of arguments that it must have.
        call: is called instead, with the method and its arguments.

    Raises:
        AttributeError: where there is no such method, or it has no such arguments.
    """
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
    """What the run of lmms-eval in this process says of itself, until its results are saved.

    Attributes:
        args: the command's, None under ``simple_evaluate``.
        saves: whether we are told when results are saved.
        provenance: of each task that was asked.
        reports: name → content of what is to be written beside the results.
    """

    args: Any = None
    saves: bool = False
    provenance: dict[str, Provenance] = field(default_factory=dict)
    reports: dict[str, dict[str, Any] | list[Any]] = field(default_factory=dict)


_RUN = _Run()


def _tell_provenance() -> None:
    """Let our tasks know what they ask before a model answers it; refuse what they cannot ask."""
    from lmms_eval.api import task

    def build(original: Callable[..., None], given: inspect.BoundArguments) -> None:
        asked, options = given.arguments["self"], given.kwargs
        metadata = asked.config.metadata
        ours = isinstance(metadata, dict) and "content_hash" in metadata and "vhbench" in metadata
        if ours:
            _refuse(asked, metadata, options)
        original(*given.args, **options)
        if ours:
            _begin(asked, metadata, options)

    _surround(task, "Task.build_all_requests", {"limit", "offset"}, build)


def _refuse(task: Any, metadata: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """End the run with one line where lmms-eval was asked for something that it fails at, or does without a word."""
    name = task.config.task
    if shots := task.config.num_fewshot or 0:
        why = f"--num_fewshot {shots}: {name} shows no examples; its questions are asked as they are. Leave it out"
    elif options.get("cache_requests"):
        why = f"--cache_requests: lmms-eval cannot store what {name} asks; use --use_cache DIR, which keeps answers"
    elif not _asked(task, options):
        given = f"--limit {options['limit']}" if options.get("limit") == 0 else f"--offset {options.get('offset')}"
        why = f"{given} asks none of the {len(task.eval_docs_no_media):,} questions of {name}"
    elif not (why := _unlike_baseline(task, metadata)):
        return
    print(f"vhbench: {why}", file=sys.stderr)
    raise SystemExit(2)


def _unlike_baseline(task: Any, metadata: Mapping[str, Any]) -> str:
    """Say why --baseline has answers to other questions, which lmms-eval would pair by their place; "" for nothing."""
    from vhbench.provenance import provenance_in

    file, name = Path(str(getattr(task.args, "baseline", None) or "")), task.config.task
    told = provenance_in(file) if file.is_file() else None
    if told is None or (told.task, told.content_hash) == (name, metadata["content_hash"]):
        return ""
    if told.task != name:
        return f"--baseline {file}: has answers to {told.task}, and {name} would be compared with them; run each alone"
    asked = f"{metadata['version']} ({metadata['content_hash'][:12]}…)"
    one = f"{told.benchmark} {told.version} ({told.content_hash[:12]}…)"
    return f"--baseline {file}: has answers to {one}, and {name} asks {asked}: a foreign split"


def _asked(task: Any, options: Mapping[str, Any]) -> range:
    """Return the places of the rows that a run asks, of all processes together: of --limit and --offset."""
    count, limit = len(task.eval_docs_no_media), options.get("limit")
    first = min(options.get("offset") or 0, count)
    return range(first, count if limit is None else min(first + int(limit), count))


def _begin(task: Any, metadata: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Note where the answers to a task come from, and let its samples say it."""
    config, args = task.config, task.args
    form: Literal["chat", "simple"] = "chat" if callable(task.instances[0].args[1]) else "simple"
    docs, asked = task.eval_docs_no_media, _asked(task, options)
    rows = dict(enumerate(docs.select(asked), start=asked.start))  # of all processes, not of this one alone
    prompts = {row["id"]: digest(_prompt(task, row, form, options)) for row in rows.values()}
    told = Provenance(
        task=config.task,
        benchmark=metadata["benchmark"],
        version=metadata["version"],
        content_hash=metadata["content_hash"],
        data=DataSource(**metadata["data"]),
        vhbench=metadata["vhbench"],
        lmms_eval=installed(),
        model=str(getattr(args, "model", None) or task.model_name or ""),
        model_args=told_arguments(getattr(args, "model_args", None)),
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
            print("vhbench: --system_instruction: lmms-eval sends it to no chat model; nor now", file=sys.stderr)
    _RUN.provenance[config.task] = told
    if config.process_results is not None:  # --predict_only takes it away
        given = {"provenance": told.to_json(), "prompts": prompts, "inputs": _inputs(task, rows)}
        scored = functools.partial(config.process_results, **given)
        task.set_config("process_results", scored)
    for instance in task.instances:
        if instance.doc_id in rows:  # of this lmms-eval makes its doc_hash; otherwise of nothing
            instance.doc = hashed_row(rows[instance.doc_id], told.content_hash)


def _inputs(task: Any, rows: Mapping[int, Any]) -> dict[str, str]:
    """Return id → digest of what lmms-eval logs as the input: a text, also of a chat model, which is sent messages."""
    return {rows[i.doc_id]["id"]: digest(str(i.args[0])) for i in task.instances if i.doc_id in rows}


def _prompt(task: Any, row: Mapping[str, Any], form: str, options: Mapping[str, Any]) -> str:
    """Return what a model is sent for a row, with [image] for each image, by the functions that send it."""
    count = len(row["scene_ids"])
    if form == "simple":
        shared = ("system_instruction", "apply_chat_template", "fewshot_as_multiturn", "chat_template")
        text = task.fewshot_context(doc=row, num_fewshot=0, **{k: options[k] for k in shared if k in options})
        return sent_text(count, str(text))
    blank = Image.new("RGB", (1, 1))  # to decode the real ones takes minutes, and says nothing of the words
    return sent_messages(task.doc_to_messages({**row, "images": [blank] * count}))


def _name_reports() -> None:
    """Let results say where they come from, and our reports have their date; say first where a run is partial."""
    from lmms_eval.loggers import evaluation_tracker

    def save(original: Callable[..., None], given: inspect.BoundArguments) -> None:
        results, date = given.arguments["results"], str(given.arguments["datetime_str"]).replace(":", "-")
        told = {name: found for name, found in _RUN.provenance.items() if name in results.get("configs", ())}
        if told:
            results["vhbench"] = {name: found.to_json() for name, found in told.items()}
        original(*given.args, **given.kwargs)
        folder = results_folder(_RUN.args)
        for name, content in _RUN.reports.items():
            if folder is not None:
                dated = content if isinstance(content, list) else {"date": date, **content}
                write_atomic(folder / f"{date}_{name}.json", json_bytes(dated))
        _RUN.reports = {}
        for name, found in told.items():
            entry = results["results"].get(name, {})
            if found.asked < found.of and "alias" in entry:
                entry["alias"] += f" ({found.asked:,} of {found.of:,} asked)"

    _surround(evaluation_tracker, "EvaluationTracker.save_results_aggregated", {"results", "datetime_str"}, save)
    _RUN.saves = True


def _score_samples() -> None:
    """Let each written sample have its score where ``--baseline`` looks for one; no payload may stand there."""
    from lmms_eval.loggers import evaluation_tracker

    def save(original: Callable[..., None], given: inspect.BoundArguments) -> None:
        for sample in given.arguments["samples"]:
            payload = sample.get("accuracy")
            if isinstance(payload, dict) and {KEY, SHARE} <= payload.keys():
                sample[SHARE] = payload[SHARE]
        original(*given.args, **given.kwargs)

    _surround(evaluation_tracker, "EvaluationTracker.save_results_samples", {"samples"}, save)


def _manifests() -> list[Any]:
    from lmms_eval.models import ModelManifest  # it needs the class itself, wherever that is defined

    classes = {name: f"vhbench.adapters.calibration.{class_name}" for name, class_name in MODELS.items()}
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
    """Use something of lmms-eval; where this release lacks it, say once what to do instead and return the default."""
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
    except PackageNotFoundError:  # a copy inside another project
        return "of unknown version"


@functools.cache
def _say(line: str) -> None:
    print(f"vhbench: this lmms-eval ({installed()}) is new to it: {line}", file=sys.stderr)
