"""``vhbench score``: metrics on existing responses from any harness; no model is run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import typer
from typer.core import TyperGroup

from vhbench.adapters.table_rows import described
from vhbench.cli import build_command
from vhbench.cli import score_options as given
from vhbench.cli import score_tables as tables
from vhbench.schema import VhbenchError

if TYPE_CHECKING:
    from vhbench.runs import Responses as Read


class _AutoByDefault(TyperGroup):
    """A group in which the name of a file or folder stands for the command ``auto``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first and first not in self.commands and first not in ("--help", "--install-completion"):
            args = ["auto", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_AutoByDefault,
    help="Score existing responses from any harness, without running a model.\n\n"
    "`vhbench score results/` reads lmms-eval's samples (--log_samples) of vhbench's tasks and of any task with yes/no "
    "or multiple-choice questions, and prints the scores of each task and question kind. `vhbench score answers.xlsx "
    "--questions out/ode` joins responses with a split by id, `--key FILE` with the key of a hidden test set.\n\n"
    f"Files are {described()}: rows with an id (id, question_id, index …), "
    "the response (response, prediction, caption …), and, unless --questions has them, the question, its "
    "options (choices, or columns A, B, C …) and the reference answer (answer, label …), as in POPE or "
    "VLMEvalKit. XLSX and a judge behind an endpoint need `pip install 'vhbench[score]'`.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


def auto(
    run: given.RunFile, questions: given.QuestionFile, options: given.PositiveClass, reading: given.ReadingOptions
) -> None:
    """Detect the kinds of questions and score each task and kind, like `vhbench score RUN`.

    Captions are scored as in ODE, with the vocabulary of the split in --questions or, by default, of the split that the
    tasks use (VHBENCH_DATA).

    Example: `vhbench score auto results --json` (or, the same, `vhbench score results --json`)
    """
    from vhbench.compare import scoring

    if options.positive not in (None, "yes", "no"):
        raise VhbenchError(f"--positive: expected 'yes' or 'no', got {options.positive!r}")
    chosen = cast('Literal["", "yes", "no"]', options.positive or "")
    responses = _read(run.responses, questions.file, reading)
    scored = scoring.score_all(responses, positive=chosen, allow_failed=reading.allow_failed)
    header = tables.read_of(responses, reading)
    if reading.as_json:
        groups = [
            {"task": g.task, "benchmark": g.benchmark, "kind": g.family, **result} for g, result in scored.items()
        ]
        tables.print_json({**header, "scores": groups})
    else:
        for group, result in scored.items():
            tables.PRINTERS[group.family](result, group.title)
    _exit([result for result in scored.values() if result["withheld"]])


def captions(file: given.ResponseFile, questions: given.QuestionFile, reading: given.ReadingOptions) -> None:
    """Score ODE captions with the split's vocabulary: CHAIR, Cover and Cog. Rows have id and caption.

    Example: `vhbench score captions --responses captions.csv --questions out/ode`
    """
    from vhbench.compare import scoring

    responses = _read(file.responses, questions.file, reading, "caption")
    result = scoring.captions(responses, questions.file, allow_failed=reading.allow_failed)
    if questions.file is None:
        scoring.check_captions(responses, [scoring.Group(task, "ode", "caption") for task in responses.provenance])
    _print(responses, result, reading, "caption", "captions")


def yes_no(
    file: given.ResponseFile, questions: given.QuestionFile, options: given.YesNoOptions, reading: given.ReadingOptions
) -> None:
    """Score yes/no responses: accuracy, precision, recall, F1, yes rate. Rows have id, answer and response.

    Example: `vhbench score yes-no --responses answers.jsonl --questions coco_pope_random.json --positive yes`
    """
    from vhbench.tasks.metrics import yes_no as metric

    responses = _read(
        file.responses, questions.file, reading, "yes_no", verbatim=options.compat or options.parser is not None
    )
    result = metric.score_records(responses, **vars(options), allow_failed=reading.allow_failed)
    _print(responses, result, reading, "yes_no", "yes/no")


def symmetric(
    file: given.ResponseFile, questions: given.QuestionFile, options: given.PairOptions, reading: given.ReadingOptions
) -> None:
    """Score questions and their negated twins. Rows have id, pair_id, negated, answer and response.

    Example: `vhbench score symmetric --responses answers.jsonl --questions out/vhexpansion`
    """
    from vhbench.tasks.metrics import symmetric_accuracy as metric

    responses = _read(
        file.responses, questions.file, reading, "yes_no", verbatim=options.compat or options.parser is not None
    )
    parser = options.parser or ("vhtest" if options.compat else "default")
    result = metric.score(responses, parser=parser, allow_failed=reading.allow_failed, by=options.by)
    _print(responses, result, reading, "pairs", "symmetric accuracy")


def multiple_choice(
    file: given.ResponseFile, questions: given.QuestionFile, options: given.CompatOption, reading: given.ReadingOptions
) -> None:
    """Score multiple choice: accuracy, aggregate, position bias. Rows have id, choices, answer and response.

    MIOH has no released code, so --compat changes nothing here.

    Example: `vhbench score multiple-choice --responses answers.jsonl --questions out/mioh`
    """
    from vhbench.tasks.metrics import multiple_choice as metric

    responses = _read(file.responses, questions.file, reading, "multiple_choice")
    result = metric.score(responses, allow_failed=reading.allow_failed)
    _print(responses, result, reading, "multiple_choice", "multiple choice")


def chair(file: given.TableFile, options: given.ChairOptions, telling: given.TellingOptions) -> None:
    """Score captions by CHAIR. Rows have image_id and caption (or text).

    Example: `vhbench score chair --responses captions.jsonl --gold gold.json --synonyms synonyms.txt`
    """
    from vhbench.files import read_json
    from vhbench.tasks.metrics import chair as metric

    if (words := options.synonyms) is None:
        raise VhbenchError("expected a vocabulary: --synonyms FILE (CHAIR's synonyms.txt, or JSON name → words)")
    vocabulary = read_json(words) if words.suffix.lower() == ".json" else words
    if (options.gold is None) == (options.instances is None):
        raise VhbenchError("expected the objects of the images: either --gold FILE or --instances FILE")
    settings: dict[str, Any] = {"synonyms": vocabulary, "compat": options.compat}
    objects = options.gold or metric.gold_from_coco(options.instances, options.captions, **settings)
    rows = _rows(file.responses)
    result = metric.score(rows, objects, **settings, allow_failed=telling.allow_failed)
    if not result["captions"]:
        raise VhbenchError(f"{file.responses}: expected at least one caption")
    names = ("CHAIR_i", "CHAIR_s", "recall")
    tables.print_json(result) if telling.as_json else tables.scores(result, names, "captions")
    _exit(result["withheld"])


def amber(file: given.TableFile, options: given.AmberOptions, output: given.OutputOptions) -> None:
    """Score AMBER's captions and yes/no responses, from a run or from rows with id and response.

    Example: `vhbench score amber --responses all.json --annotations annotations.json --relation relation.json`
    """
    from vhbench import splits
    from vhbench.adapters.language import language_tools
    from vhbench.runs import Responses as Read
    from vhbench.tasks.metrics import amber as metric

    settings: dict[str, Any] = {"evaluation_type": options.evaluation_type, "compat": options.compat}
    settings |= zip(("nouns", "similarity"), language_tools(options.language), strict=True)
    if options.questions is not None:
        words = splits.read_manifest(options.questions).config["relation" if options.compat else "vocabulary"]
        result = metric.score_records(
            Read(file.responses, options.questions, verbatim=True), relation=words, **settings
        )
    elif options.annotations is None or options.relation is None:
        raise VhbenchError("expected either --questions SPLIT, or --annotations FILE and --relation FILE")
    else:
        settings |= {
            "annotations": options.annotations,
            "relation": options.relation,
            "safe_words": options.safe_words or (),
        }
        result = metric.score(_rows(file.responses), **settings)
    if output.as_json:
        return tables.print_json(result)
    for section, scores in result["printed"].items():
        notes = result["interval_notes"].get(section, {})
        tables.table(scores, result["intervals"].get(section, {}), section, notes=notes, percent=True)
    typer.echo(f"nouns: {result['tools']['nouns']}; similarity: {result['tools']['similarity']}")
    tables.warn(result["warnings"])


for _run in (auto, captions, yes_no, symmetric, multiple_choice, chair, amber):
    app.command(_run.__name__.replace("_", "-"))(build_command.command(_run))


def _read(
    files: Sequence[str],
    questions: Path | None,
    reading: given.ReadingOptions,
    kind: str = "",
    *,
    verbatim: bool = False,
) -> "Read":
    """Return the response parser; responses for another parser stay verbatim (``verbatim``)."""
    from vhbench.adapters.judge import load_judge
    from vhbench.runs import Responses as Read

    name, url = reading.judge, reading.judge_url
    if name is not None and verbatim:
        raise VhbenchError("--judge: expected without --parser and --compat, as it supplements the default parser")
    if name is None and url is not None:
        raise VhbenchError(f"--judge-url {url}: expected --judge MODEL as well")
    judge = None if name is None else load_judge(name, url or "", workers=reading.judge_workers)
    path, *further = map(Path, files)
    return Read(path, questions, kind, further, verbatim=verbatim, judge=judge)


def _print(
    responses: "Read", result: Mapping[str, Any], reading: given.ReadingOptions, family: str, title: str
) -> None:
    """Print a result after its warnings; exit with 1 if its scores are withheld."""
    header = tables.read_of(responses, reading)
    if reading.as_json:
        tables.print_json({**header, **result})
    else:
        tables.PRINTERS[family](result, title)
    _exit(result["withheld"])


def _exit(withheld: object) -> None:
    if withheld:
        raise typer.Exit(1)


def _rows(path: Path) -> Any:
    """Return the rows of a table with CHAIR's and AMBER's field names; they read JSON files themselves."""
    from vhbench.adapters.table_rows import read_rows, suffixes
    from vhbench.runs import column_aliases

    form = suffixes().get(path.suffix.lower())
    if form is None or form.read is None:
        return path
    rows = enumerate(read_rows(path, column_aliases.KNOWN), start=1)
    answers = [column_aliases.answered(row, f"{path}, row {number}", joined=True) for number, row in rows]
    return [{"id": row.get("id"), "response": row["response"]} for row in answers]
