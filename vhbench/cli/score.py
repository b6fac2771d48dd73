"""``vhbench score``: metrics on responses that are there already, from any harness; no model is run."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from typer.core import TyperGroup

from vhbench.cli import score_tables as tables
from vhbench.schema import VhbenchError

if TYPE_CHECKING:
    from vhbench.responses.said import Responses as Read


class _AutoByDefault(TyperGroup):
    """A group in which the name of a file or folder stands for the command ``auto``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first and first not in self.commands and first not in ("--help", "--install-completion"):
            args = ["auto", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_AutoByDefault,
    help="Score responses that are there already, from any harness; no model is run.\n\n"
    "`vhbench score results/` reads what lmms-eval wrote with --log_samples, of our tasks and of any other with yes/no "
    "or multiple-choice questions, tells the kinds apart, and prints the scores of each. `vhbench score answers.xlsx "
    "--questions out/ode` joins answers with a split by their ids.\n\n"
    "Files are JSON, JSON lines, {id: answer}, CSV, TSV, XLSX or Parquet: rows with an id (id, question_id, index …), "
    "what the model said (response, prediction, caption …), and, unless --questions has them, the question, its "
    "options (choices, or columns A, B, C …) and the right answer (answer, label …), as POPE, VLMEvalKit and others "
    "write them. XLSX and a judge behind an endpoint need `pip install 'vhbench[score]'`.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


def _file(text: str, name: str = "") -> Any:
    """An option that names a file."""
    return typer.Option(*filter(None, [name]), metavar="FILE", help=text)


Responses = Annotated[
    Path,
    _file(
        "What the model said: JSON, JSON lines, {id: answer}, CSV, TSV, XLSX, Parquet, lmms-eval's samples, or the "
        "folder that its --output_path named."
    ),
]
Table = Annotated[Path, _file("What the model said, one row each: JSON, JSON lines, {id: answer}, CSV, TSV or XLSX.")]
Questions = Annotated[
    Path | None,
    _file(
        "The questions with their answers, joined by id: a split directory, or rows with id, answer, … in any form "
        "that responses may have. Not needed where the responses carry them."
    ),
]
Split = Annotated[
    Path | None, _file("The split that was asked, with what is in the images, and the vocabulary of its captions.")
]
Compat = Annotated[
    bool, typer.Option("--compat", help="Score bug for bug as the reference implementation does, for comparison.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything (counters, intervals, each row) as JSON.")]
Seed = Annotated[int, typer.Option(help="Of the bootstrap intervals.")]
RequireComplete = Annotated[
    bool, typer.Option("--require-complete", help="Refuse responses that lack the answer to one of the questions.")
]
AllowFailed = Annotated[
    bool, typer.Option("--allow-failed", help="Tell scores even where more than 1 % of the requests failed.")
]
JudgeName = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Ask a language model about answers that cannot be read, and what captions assert: openai:MODEL@URL of "
        "any OpenAI-compatible endpoint (with the key in OPENAI_API_KEY), or transformers:NAME. It is not told what "
        "is right; what it did is counted. Replies are kept in VHBENCH_CACHE.",
        rich_help_panel="Judge",
    ),
]
JudgeUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="With --judge MODEL: its endpoint, as http://localhost:8000/v1.",
        rich_help_panel="Judge",
    ),
]
JudgeWorkers = Annotated[
    int, typer.Option(min=1, max=256, help="Requests to the judge at a time.", rich_help_panel="Judge")
]


@app.command()
def auto(
    responses: Annotated[
        Path, typer.Argument(metavar="RUN", help="A folder that lmms-eval wrote, or a file of responses in any form.")
    ],
    questions: Questions = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="The class that precision and recall are about: yes or no. By default our benchmarks' no, else yes."
        ),
    ] = None,
    require_complete: RequireComplete = False,
    allow_failed: AllowFailed = False,
    judge: JudgeName = None,
    judge_url: JudgeUrl = None,
    judge_workers: JudgeWorkers = 8,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """Tell the kinds of questions apart, and score each task and kind: what `vhbench score RUN` does.

    Captions are those of ODE; their vocabulary is that of the split named by --questions, or of the one that the
    tasks would ask (VHBENCH_DATA).

    Example: `vhbench score auto results --json` (or, the same, `vhbench score results --json`)
    """
    from vhbench import scoring
    from vhbench.responses.asked import is_split

    chosen: Literal["", "yes", "no"] = _positive(positive) if positive is not None else ""
    found = _read(responses, questions, judge=(judge, judge_url, judge_workers))
    split = questions if questions is not None and is_split(questions) else None
    scored = scoring.score_all(found, scoring.How(chosen, split, allow_failed, seed))
    told = tables.read_of(found, as_json=as_json, require_complete=require_complete)
    if as_json:
        groups = [
            {"task": g.task, "benchmark": g.benchmark, "kind": g.family, **result} for g, result in scored.items()
        ]
        tables.print_json({**told, "scores": groups})
    else:
        for group, result in scored.items():
            tables.PRINTERS[group.family](result, group.title)
    _exit([result for result in scored.values() if result["withheld"]])


@app.command()
def captions(
    responses: Responses,
    questions: Split = None,
    require_complete: RequireComplete = False,
    allow_failed: AllowFailed = False,
    judge: JudgeName = None,
    judge_url: JudgeUrl = None,
    judge_workers: JudgeWorkers = 8,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """CHAIR, Cover and Cog of ODE's captions, over the split's own vocabulary: rows with id and caption.

    Example: `vhbench score captions --responses captions.csv --questions out/ode`
    """
    from vhbench import scoring

    found = _read(responses, questions, kind="caption", judge=(judge, judge_url, judge_workers))
    result = scoring.captions(found, questions, allow_failed=allow_failed, seed=seed)
    _tell(found, result, as_json, require_complete, "caption", "captions")


@app.command("yes-no")
def yes_no(
    responses: Responses,
    positive: Annotated[
        str, typer.Option(help="The class that precision and recall are about: yes (POPE) or no (ODE, AMBER).")
    ],
    questions: Questions = None,
    parser: Annotated[
        str | None, typer.Option(help="How answers are read: default, pope, ode, amber, vhtest or lmms_eval.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Split the scores by a field, such as criterion; may be repeated.")
    ] = None,
    compat: Compat = False,
    require_complete: RequireComplete = False,
    allow_failed: AllowFailed = False,
    judge: JudgeName = None,
    judge_url: JudgeUrl = None,
    judge_workers: JudgeWorkers = 8,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """Accuracy, precision, recall, F1, share of yes and of unparsed answers: rows with id, answer and response.

    Example: `vhbench score yes-no --responses answers.jsonl --questions coco_pope_random.json --positive yes`
    """
    from vhbench.tasks.metrics import yes_no as metric

    how: dict[str, Any] = {"positive": positive, "parser": parser, "compat": compat, "by": by or (), "seed": seed}
    found = _read(responses, questions, "yes_no", parser, compat, (judge, judge_url, judge_workers))
    result = metric.score_records(found, **how, allow_failed=allow_failed)
    _tell(found, result, as_json, require_complete, "yes_no", "yes/no")


@app.command()
def symmetric(
    responses: Responses,
    questions: Questions = None,
    parser: Annotated[
        str | None, typer.Option(help="How answers are read, see yes-no; vhtest's under --compat.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Split the scores by a field of pairs, such as mode (the twin's wording); may be repeated."),
    ] = None,
    compat: Compat = False,
    require_complete: RequireComplete = False,
    allow_failed: AllowFailed = False,
    judge: JudgeName = None,
    judge_url: JudgeUrl = None,
    judge_workers: JudgeWorkers = 8,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """Symmetric accuracy over questions and their negated twins: rows with id, pair_id, negated, answer, response.

    Example: `vhbench score symmetric --responses answers.jsonl --questions out/vhexpansion`
    """
    from vhbench.tasks.metrics import symmetric_accuracy as metric

    found = _read(responses, questions, "yes_no", parser, compat, (judge, judge_url, judge_workers))
    how: dict[str, Any] = {"parser": parser or ("vhtest" if compat else "default"), "allow_failed": allow_failed}
    result = metric.score(found, **how, by=by or (), seed=seed)
    _tell(found, result, as_json, require_complete, "pairs", "symmetric accuracy")


@app.command("multiple-choice")
def multiple_choice(
    responses: Responses,
    questions: Questions = None,
    compat: Compat = False,
    require_complete: RequireComplete = False,
    allow_failed: AllowFailed = False,
    judge: JudgeName = None,
    judge_url: JudgeUrl = None,
    judge_workers: JudgeWorkers = 8,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """Accuracy of multiple choice, MIOH's aggregate and position bias: rows with id, choices, answer, response.

    MIOH has released no code to be compatible with: --compat changes nothing here.

    Example: `vhbench score multiple-choice --responses answers.jsonl --questions out/mioh`
    """
    from vhbench.tasks.metrics import multiple_choice as metric

    found = _read(responses, questions, "multiple_choice", judge=(judge, judge_url, judge_workers))
    result = metric.score(found, allow_failed=allow_failed, seed=seed)
    _tell(found, result, as_json, require_complete, "multiple_choice", "multiple choice")


@app.command()
def chair(
    responses: Table,
    gold: Annotated[Path | None, _file("Image id → names of the objects in it, as JSON.")] = None,
    instances: Annotated[Path | None, _file("Instead of --gold: COCO instances.")] = None,
    captions: Annotated[Path | None, _file("With --instances: COCO's reference captions.")] = None,
    synonyms: Annotated[Path | None, _file("CHAIR's synonyms.txt (an object a line), or JSON: name → words.")] = None,
    compat: Compat = False,
    allow_failed: AllowFailed = False,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """CHAIR of captions: rows with image_id and caption (or text).

    Example: `vhbench score chair --responses captions.jsonl --gold gold.json --synonyms synonyms.txt`
    """
    from vhbench.tasks.metrics import chair as metric

    words = _synonyms(synonyms)
    if (gold is None) == (instances is None):
        raise VhbenchError("CHAIR needs the objects of the images: --gold FILE or --instances FILE, one of the two")
    objects = gold or metric.gold_from_coco(instances, captions, synonyms=words, compat=compat)
    said = _rows(responses)
    result = metric.score(said, objects, synonyms=words, compat=compat, allow_failed=allow_failed, seed=seed)
    names = ("CHAIR_i", "CHAIR_s", "recall")
    tables.print_json(result) if as_json else tables.scores(result, names, "captions")
    _exit(result["withheld"])


@app.command()
def amber(
    responses: Table,
    annotations: Annotated[Path, _file("AMBER's annotations.json.")],
    relation: Annotated[Path, _file("AMBER's relation.json.")],
    safe_words: Annotated[Path | None, _file("AMBER's safe_words.txt, one word a line.")] = None,
    evaluation_type: Annotated[
        str, typer.Option(help="What to print: a (all), g, d, de, da or dr, as AMBER has them.")
    ] = "a",
    language: Annotated[
        str, typer.Option(help="Nouns and similarity: builtin, nltk-spacy (the reference's), or auto.")
    ] = "builtin",
    compat: Compat = False,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """AMBER of captions and yes/no answers: rows with id and response.

    Example: `vhbench score amber --responses all.json --annotations annotations.json --relation relation.json`
    """
    from vhbench.adapters.language import language_tools
    from vhbench.tasks.metrics import amber as metric

    nouns, similarity = language_tools(language)
    data: dict[str, Any] = {"annotations": annotations, "relation": relation, "safe_words": safe_words or ()}
    how: dict[str, Any] = {"nouns": nouns, "similarity": similarity, "evaluation_type": evaluation_type}
    result = metric.score(_rows(responses), **data, **how, compat=compat, seed=seed)
    if as_json:
        return tables.print_json(result)
    for section, scores in result["printed"].items():
        tables.table(scores, result["intervals"].get(section, {}), section, percent=True)
    typer.echo(f"nouns: {result['tools']['nouns']}; similarity: {result['tools']['similarity']}")
    tables.warn(result["warnings"])


def _read(
    path: Path,
    questions: Path | None,
    kind: str = "",
    parser: str | None = None,
    compat: bool = False,
    judge: tuple[str | None, str | None, int] = (None, None, 8),
) -> "Read":
    """Return what reads responses; what another parser is to read is left as it was said."""
    from vhbench.adapters.judge import load_judge
    from vhbench.responses.said import Responses as Read

    name, url, workers = judge
    as_said = compat or parser is not None
    if name is not None and as_said:
        raise VhbenchError("--judge reads what our own parser cannot; it goes with neither --parser nor --compat")
    if name is None and url is not None:
        raise VhbenchError(f"--judge-url {url}: name the model there with --judge MODEL")
    asked = None if name is None else load_judge(name, url or "", workers=workers)
    return Read(path, questions, kind, as_said=as_said, judge=asked)


def _tell(
    found: "Read", result: Mapping[str, Any], as_json: bool, require_complete: bool, family: str, title: str
) -> None:
    """Print a result, after what is missing in it; end with 1 where its scores are withheld."""
    told = tables.read_of(found, as_json=as_json, require_complete=require_complete)
    if as_json:
        tables.print_json({**told, **result})
    else:
        tables.PRINTERS[family](result, title)
    _exit(result["withheld"])


def _exit(withheld: object) -> None:
    if withheld:
        raise typer.Exit(1)


def _positive(said: str) -> Literal["yes", "no"]:
    if said not in ("yes", "no"):
        raise VhbenchError(f"the positive class is {said!r}; must be 'yes' or 'no'")
    return cast('Literal["yes", "no"]', said)


def _rows(path: Path) -> Any:
    """Return the rows of a table with the names that CHAIR and AMBER have; a JSON file they read by themselves."""
    from vhbench.responses import forms, naming

    if path.suffix.lower() not in forms.TABLES:
        return path
    rows = enumerate(forms.rows(path, naming.KNOWN), start=1)
    found = [naming.answered(row, f"{path}, row {number}", joined=True) for number, row in rows]
    return [{"id": row.get("id"), "response": row["response"]} for row in found]


def _synonyms(path: Path | None) -> Any:
    if path is None:
        raise VhbenchError("CHAIR needs a vocabulary: --synonyms FILE (CHAIR's synonyms.txt, or JSON name → words)")
    if path.suffix.lower() != ".json":
        return path
    from vhbench.files import read_json

    return read_json(path)
