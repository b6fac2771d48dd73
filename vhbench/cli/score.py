"""``vhbench score``: metrics on responses that are there already, from any harness; no model is run."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from vhbench.schema import VhbenchError

app = typer.Typer(
    help="Score responses that are there already, from any harness; no model is run.\n\n"
    "Files are JSON or JSON lines; yes-no, symmetric and multiple-choice also read the samples of lmms-eval (a file, "
    "or the folder that --output_path named).",
    no_args_is_help=True,
)


_POPE = {"id": "question_id", "answer": "label"}


def _file(text: str, name: str = "") -> Any:
    """An option that names a file."""
    return typer.Option(*filter(None, [name]), metavar="FILE", help=text)


Responses = Annotated[Path, _file("What the model said: JSON or JSON lines, one row each.")]
Questions = Annotated[
    Path | None,
    _file(
        "The questions with their answers, joined by id: a split directory, or rows with id, answer, … "
        "Not needed where the responses carry them."
    ),
]
Compat = Annotated[
    bool, typer.Option("--compat", help="Score bug for bug as the reference implementation does, for comparison.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything (counters, intervals, each row) as JSON.")]
Seed = Annotated[int, typer.Option(help="Of the bootstrap intervals.")]


@app.command()
def chair(
    responses: Responses,
    gold: Annotated[Path | None, _file("Image id → names of the objects in it, as JSON.")] = None,
    instances: Annotated[Path | None, _file("Instead of --gold: COCO instances.")] = None,
    captions: Annotated[Path | None, _file("With --instances: COCO's reference captions.")] = None,
    synonyms: Annotated[Path | None, _file("CHAIR's synonyms.txt (an object a line), or JSON: name → words.")] = None,
    compat: Compat = False,
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
    result = metric.score(responses, objects, synonyms=words, compat=compat, seed=seed)
    _show(result, as_json, ("CHAIR_i", "CHAIR_s", "recall"), "captions")


@app.command()
def amber(
    responses: Responses,
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
    result = metric.score(responses, **data, **how, compat=compat, seed=seed)
    if as_json:
        return _print_json(result)
    for section, scores in result["printed"].items():
        _table(scores, result["intervals"].get(section, {}), section, percent=True)
    typer.echo(f"nouns: {result['tools']['nouns']}; similarity: {result['tools']['similarity']}")
    _warn(result["warnings"])


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
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """Accuracy, precision, recall, F1, share of yes and of unparsed answers: rows with id, answer and response.

    Example: `vhbench score yes-no --responses answers.jsonl --questions coco_pope_random.json --positive yes`
    """
    from vhbench.tasks.metrics import yes_no as metric

    rows = _yes_no_rows(responses, questions, parser, compat)
    result = metric.score_records(rows, positive=positive, parser=parser, compat=compat, by=by or (), seed=seed)
    _show(result, as_json, tuple(metric.RATES), f"yes/no, positive = {positive}")
    if not as_json:
        for field, parts in result["by"].items():
            for value, part in parts.items():
                _table({name: part[name] for name in metric.RATES}, part["intervals"], f"{field} = {value or '(none)'}")


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
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """Symmetric accuracy over questions and their negated twins: rows with id, pair_id, negated, answer, response.

    Example: `vhbench score symmetric --responses answers.jsonl --questions out/vhexpansion`
    """
    from vhbench.tasks.metrics import symmetric_accuracy as metric

    rows = _yes_no_rows(responses, questions, parser, compat)
    read = parser or ("vhtest" if compat else "default")
    result = metric.score(rows, parser=read, seed=seed)
    names = "symmetric_accuracy chance accuracy chance_accuracy original_accuracy yes_rate unparsed".split()
    counts = f"{result['pairs']} pairs, {result['incomplete_pairs']} incomplete, "
    result["by"] = {field: _by(rows, field, parser=read, seed=seed) for field in by or ()}
    _show(result, as_json, names, counts + f"{result['new_successful']} new successful cases")
    for field, parts in {} if as_json else result["by"].items():
        for value, part in parts.items():
            _table({n: part[n] for n in names}, part["intervals"], f"{field} = {value}: {part['pairs']} pairs")


def _by(rows: Sequence[Mapping[str, Any]], field: str, **how: Any) -> dict[str, Any]:
    """Score the pairs of each value of a field by themselves."""
    from vhbench.tasks.metrics import symmetric_accuracy as metric

    values = sorted({str(row[field]) for row in rows if row.get(field)})
    if not values:
        raise VhbenchError(f"--by {field}: no row says anything in this field")
    return {value: metric.score([row for row in rows if str(row.get(field)) == value], **how) for value in values}


@app.command("multiple-choice")
def multiple_choice(
    responses: Responses,
    questions: Questions = None,
    compat: Compat = False,
    as_json: AsJson = False,
    seed: Seed = 0,
) -> None:
    """Accuracy of multiple choice, MIOH's aggregate and position bias: rows with id, choices, answer, response.

    MIOH has released no code to be compatible with: --compat changes nothing here.

    Example: `vhbench score multiple-choice --responses answers.jsonl --questions out/mioh`
    """
    from vhbench.tasks.metrics import multiple_choice as metric

    result = metric.score(_records(responses, questions), seed=seed)
    if as_json:
        return _print_json(result)
    ends = {"accuracy": result["interval"]}
    _table({n: result[n] for n in ("accuracy", "chance", "aggregate", "unparsed")}, ends, f"{result['n']} questions")
    for group in ("task", "pressure", "mode", "question_type"):
        parts = {str(name or "(none)"): part for name, part in result["by"][group].items()}
        scores = {name: part["accuracy"] for name, part in parts.items()}
        _table(scores, {name: part["interval"] for name, part in parts.items()}, f"accuracy by {group}")
    said = result["letters"]["predictions"]
    typer.echo("letters said: " + ", ".join(f"{letter} {share:.1%}" for letter, share in said.items()))


def _records(responses: Path, questions: Path | None, kind: str = "") -> list[dict[str, Any]]:
    """Read responses, and join them with the questions if these are given."""
    rows = [_usual_names(row) for row in _rows(responses)]
    if questions is None:
        return rows
    asked = [row for row in map(_usual_names, _rows(questions)) if kind in ("", row.get("kind", kind))]
    known = {str(row.get("id")): row for row in asked}
    joined = []
    for row in rows:
        if (name := str(row.get("id"))) not in known:
            raise VhbenchError(f"{responses}: no question has the id {row.get('id')!r} ({len(known)} in {questions})")
        said = row["response"] if "response" in row else row.get("answer", row.get("text", ""))
        joined.append({**known[name], "response": said, "prediction": row.get("prediction", "")})
    return joined


def _yes_no_rows(responses: Path, questions: Path | None, parser: str | None, compat: bool) -> list[dict[str, Any]]:
    """Read answers to yes/no questions, without what another parser made of them if one is asked for."""
    rows = _records(responses, questions, kind="yes_no")
    if parser is None and not compat:
        return rows
    return [{**row, "prediction": ""} if row.get("response") else row for row in rows]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, of a split directory, or of what lmms-eval logged."""
    from dataclasses import asdict

    from vhbench.columns import RECORD
    from vhbench.files import read_rows

    if (path / "manifest.json").is_file():
        from vhbench.splits import read_questions

        yield from ({name: getattr(row, name) for name in RECORD} for row in read_questions(path))
    elif path.is_dir() or "_samples_" in path.name:
        from vhbench.results import read_samples

        yield from (asdict(record) for record in read_samples(path))
    else:
        yield from read_rows(path)


def _usual_names(row: dict[str, Any]) -> dict[str, Any]:
    """Read POPE's names of the columns too."""
    return {ours: row[theirs] for ours, theirs in _POPE.items() if theirs in row} | row


def _synonyms(path: Path | None) -> Any:
    if path is None:
        raise VhbenchError("CHAIR needs a vocabulary: --synonyms FILE (CHAIR's synonyms.txt, or JSON name → words)")
    if path.suffix.lower() != ".json":
        return path
    from vhbench.files import read_json

    return read_json(path)


def _show(result: dict[str, Any], as_json: bool, names: Sequence[str], title: str) -> None:
    """Print a result: its scores of these names with their intervals, counters and warnings; or all of it as JSON."""
    if as_json:
        return _print_json(result)
    _table({name: result[name] for name in names}, result["intervals"], title)
    counters = ", ".join(f"{name} {count}" for name, count in result.get("counters", {}).items())
    if counters:
        typer.echo(counters)
    _warn(result.get("warnings", []))


def _table(scores: Mapping[str, float | None], ends: Mapping[str, Any], title: str, *, percent: bool = False) -> None:
    typer.echo(f"\n{title}{' (percent)' if percent else ''}")
    width, digits = max(map(len, scores), default=0), 1 if percent else 4
    for name, value in scores.items():
        shown = ""
        if interval := ends.get(name):
            low, high = (end * 100 for end in interval) if percent else interval
            shown = f"   95 % [{low:.{digits}f}, {high:.{digits}f}]"
        number = "undefined" if value is None else f"{value:.{digits}f}"
        typer.echo(f"  {name:<{width}}  {number:>9}{shown}")


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _print_json(result: dict[str, Any]) -> None:
    typer.echo(json.dumps(result, ensure_ascii=False, indent=1, allow_nan=False))
