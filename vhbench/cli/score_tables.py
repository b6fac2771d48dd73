"""Output of ``vhbench score``: warnings, then scores with intervals."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from vhbench.cli.score_options import ReadingOptions
from vhbench.schema import VhbenchError
from vhbench.terminal import in_a_line

if TYPE_CHECKING:
    from vhbench.runs import Responses

Result = Mapping[str, Any]


def names_of(family: str) -> list[str]:
    """Return the printed metrics of a family of tasks, the headline first."""
    from vhbench.tasks.metrics.registry import headline_of, metrics_of

    names = [metric.name for metric in metrics_of(family) if metric.scale != "count"]
    return [headline := headline_of(family).name, *(name for name in names if name != headline)]


def read_of(responses: "Responses", options: ReadingOptions) -> dict[str, Any]:
    """Print what is missing, left out and judged; return it for JSON.

    Raises if a complete run is required and responses are missing, or unknown; if no response is left; or if a judge
    failed for more than 1 % of them.
    """
    from vhbench.compare.scoring import no_answers_message
    from vhbench.tasks.metrics.withholding import ALLOWED

    if not responses.count:
        raise VhbenchError(f"{responses.path}: {no_answers_message(responses)}")
    questions, missing = sum(responses.asked.values()), sum(responses.missing.values())
    if options.require_complete and responses.uncounted:
        raise VhbenchError(
            f"{responses.uncounted[0]}: the questions of the run are unknown; --require-complete needs the split: give "
            "it with --questions"
        )
    if options.require_complete and responses.uneven:
        raise VhbenchError(f"{responses.path}: {responses.uneven[0]}; rejected by --require-complete")
    header: dict[str, Any] = {"answers": responses.count, "notes": responses.notes}
    lines = list(responses.notes)
    if questions:
        header["missing"] = {"questions": questions, "missing": missing, "of": dict(responses.missing)}
    if missing:
        where = [f"{count} of {config}" for config, count in sorted(responses.missing.items()) if config]
        first = f" (the first: {responses.first_missing!r})" if responses.first_missing else ""
        line = f"{missing:,} of {questions:,} questions have no response{first}"
        if options.require_complete:
            raise VhbenchError(f"{responses.path}: {line}; rejected by --require-complete")
        lines.insert(0, line + (f": {', '.join(where)}" if len(where) > 1 else ""))
    if responses.provenance:
        header["provenance"] = {task: one.to_json() for task, one in sorted(responses.provenance.items())}
    if responses.left_out:
        header["left_out"] = dict(sorted(responses.left_out.items()))
        lines += [f"left out: {count:,} {what}" for what, count in sorted(responses.left_out.items())]
    if responses.judge is not None:
        header["judged"] = judged = responses.judge.summary(responses.count)
        share = f"{judged['asked']:,} of {responses.count:,} responses ({100 * (judged['share'] or 0):.1f} %)"
        who = f"judge {judged['model']} (prompts {judged['prompt_version']})"
        lines.append(f"{who}: queried for {share}, parsed {judged['read']:,}")
        if judged["failed"]:
            problem = f"{judged['failed']:,} responses could not be judged and stay unparsed: {judged['problem']}"
            if judged["failed"] > ALLOWED * responses.count and not options.allow_failed:
                raise VhbenchError(f"{problem}; scores are withheld (--allow-failed reports them)")
            warn([problem])
        if judged["asked"] and not judged["read"] + judged["failed"]:
            warn(["the judge resolved no response: captions are counted by the rules, others stay unparsed"])
    for line in lines:
        typer.echo(in_a_line(line), err=options.as_json)
    return header


def yes_no(result: Result, title: str) -> None:
    """Print the scores of yes/no questions, overall and by field."""
    names = names_of("yes_no")
    scores(result, names, title)
    for field, parts in result["by"].items():
        for value, part in parts.items():
            _part(part, names, f"{field} = {value or '(none)'}")


def multiple_choice(result: Result, title: str) -> None:
    """Print the scores of multiple choice, and of its groups if there are several."""
    from vhbench.records import split_repetition

    ends = {"accuracy": result["interval"], "aggregate": result["aggregate_interval"], **result["intervals"]}
    notes = {"accuracy": result["interval_note"], "aggregate": result["aggregate_interval_note"]}
    values = {name: result[name] for name in names_of("multiple_choice") if name in result}
    withheld = result["withheld"]
    ids = [split_repetition(name) for name in result["predictions"]]
    questions = len({name.question for name in ids})
    rotations = max((name.variant[1] for name in ids if name.variant[0] == "r"), default=0)
    count = f"{questions} questions" + (f", {result['n']} responses" if questions < result["n"] else "")
    count += f", {rotations} rotations of the options" if rotations else ""
    notes |= result["interval_notes"]
    table(values, ends, f"{title}{count}", notes=notes, bounds=result["bounds"], withheld=withheld)
    for group in ("task", "pressure", "mode", "question_type"):
        parts = {str(name or "(none)"): part for name, part in result["by"][group].items()}
        if list(parts) == ["(none)"]:
            continue
        values = {name: part["accuracy"] for name, part in parts.items()}
        ends = {name: part["interval"] for name, part in parts.items()}
        notes = {name: part["interval_note"] for name, part in parts.items()}
        table(values, ends, f"accuracy by {group}", notes=notes, withheld=withheld)
    letters = result["letters"]["predictions"]
    typer.echo("predicted letters: " + ", ".join(f"{letter} {100 * share:.1f} %" for letter, share in letters.items()))
    _withheld(result)
    warn(result["warnings"])


def pairs(result: Result, title: str) -> None:
    """Print symmetric accuracy."""
    from vhbench.statistics import wording  # imported here: it loads numpy

    twins = f" (negated twins: {wording.mix(result['mix'])})" if result["mix"] else ""
    counts = f"{result['pairs']} pairs{twins}, {result['incomplete_pairs']} incomplete, "
    new = "withheld" if result["new_successful"] is None else result["new_successful"]
    names = [*names_of("pairs"), "chance_accuracy"]
    scores(result, names, f"{title}{counts}{new} new successful cases")
    if published := dict(result.get("published_labels", {})):
        table(published, {}, f"with the published labels ({published.pop('relabelled')} corrected)")
    for field, parts in result.get("by", {}).items():
        for value, part in parts.items():
            _part(part, names, f"{field} = {value}: {part['pairs']} pairs")


def _part(part: Result, names: Sequence[str], title: str) -> None:
    values = {name: part[name] for name in names if name in part}
    notes, bounds = part["interval_notes"], part["bounds"]
    table(values, part["intervals"], title, notes=notes, bounds=bounds, withheld=part["withheld"])


PRINTERS: Mapping[str, Callable[[Result, str], None]] = {
    "caption": lambda result, title: scores(result, names_of("caption"), title),
    "yes_no": lambda result, title: yes_no(result, f"{title}, positive = {result['positive']}"),
    "multiple_choice": lambda result, title: multiple_choice(result, f"{title}: "),
    "pairs": lambda result, title: pairs(result, f"{title}: "),
}
"""Family of tasks, or kind → its printing function."""


def scores(result: Result, names: Sequence[str], title: str) -> None:
    """Print a result: its scores of these names with their intervals, counters and warnings."""
    values = {name: result[name] for name in names if name in result}
    notes, bounds = result["interval_notes"], result.get("bounds", {})
    table(values, result["intervals"], title, notes=notes, bounds=bounds, withheld=result.get("withheld"))
    counters = ", ".join(f"{name} {count}" for name, count in result.get("counters", {}).items())
    if counters:
        typer.echo(in_a_line(counters))
    _withheld(result)
    warn(result.get("warnings", []))


def table(
    values: Mapping[str, float | None],
    ends: Mapping[str, Any],
    title: str,
    *,
    notes: Mapping[str, str | None] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    percent: bool = False,
    withheld: str | None = None,
) -> None:
    """Print scores by name, with their intervals, why these are wide, and their bounds."""
    typer.echo(f"\n{in_a_line(title)}{' (percent)' if percent else ''}")
    none = "withheld" if withheld else "undefined"
    named = {name: in_a_line(name) for name in values}
    width, digits = max(map(len, named.values()), default=0), 1 if percent else 4
    for name, value in values.items():
        ending = ""
        if interval := ends.get(name):
            low, high = (end * 100 for end in interval) if percent else interval
            ending = f"   95 % [{low:.{digits}f}, {high:.{digits}f}]"
            if note := (notes or {}).get(name):
                ending += f" ({note})"
        if bounds and name in bounds:
            low, high = bounds[name]
            ending += f"; {low:.{digits}f} to {high:.{digits}f} depending on the missing predictions"
        number = none if value is None else f"{value:.{digits}f}"
        typer.echo(f"  {named[name]:<{width}}  {number:>9}{ending}")


def warn(warnings: Sequence[str]) -> None:
    """Print warnings on the standard error."""
    for warning in warnings:
        print(in_a_line(f"warning: {warning}"), file=sys.stderr)


def print_json(result: Result) -> None:
    """Print everything."""
    typer.echo(json.dumps(result, ensure_ascii=False, indent=1, allow_nan=False))


def _withheld(result: Result) -> None:
    if result.get("withheld"):
        warn([f"{result['withheld']} (--allow-failed reports it)"])
